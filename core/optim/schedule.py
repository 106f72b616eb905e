"""Learning rate schedules: pure functions of the step, computed on the device.

`formula(t, base)` is written once over symbolic scalars, like an op: t is the number of
steps done (int32), base the learning rate to start from. Made with an optimiser, a
schedule goes on by its own `step()`, as in PyTorch (once a batch or once an epoch, as
you like); made with a number, it is given to an optimiser as `lr=` and follows the
optimiser's steps.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..device import device
from ..dispatch import call
from ..dtypes import float32, int32
from ..errors import FogoError
from ..expr import call as E
from ..expr import cast, where
from ..ops.creation import fill
from ..ops.record import Op
from ..tensor import Tensor, tensor
from .arena import renewed
from .optimizer import Optimizer, place, wide

if TYPE_CHECKING:
    from ..expr import Expr


class LRScheduler:
    """The base of all schedules: a subclass writes `formula`.

    Example:
        >>> from fogo import optim
        >>> class Halving(optim.LRScheduler):
        ...     def formula(self, t, base):
        ...         return base * 0.5 ** self.number(t, base)
        >>> Halving(1.0).lr_at(3)
        0.125
    """

    def __init__(self, source: Optimizer | float) -> None:
        self.op = Op("learning_rate", formula=self._traced)
        self.optimizer = None
        self._rates: list[Tensor] = []  # given to the optimiser's groups
        self.base = 0.0
        if not isinstance(source, Optimizer):
            self.base = float(source)
            return
        self.optimizer = source
        for group in source.param_groups:
            _keep_initial(group)
        self.base = source.param_groups[0]["initial_lr"]
        self.count = fill((), 0, int32, place(source.param_groups[0]))
        self._set()

    def formula(self, t: Expr, base: Expr) -> Expr:
        """Return the learning rate after t steps, as a formula of scalars."""
        raise NotImplementedError("%s: write formula" % type(self).__name__)

    def number(self, t: Expr, base: Expr) -> Expr:
        """Return t as a float of base's dtype, for use in a formula."""
        return cast(t, base.dtype)

    def _traced(self, t: Expr, base: Expr) -> Expr:
        return self.formula(t, base)

    def rate(self, count: Tensor, base: Tensor) -> Tensor:
        """Return the learning rate as a 0-d tensor from 0-d tensors: one launch."""
        return call(self.op, (count, base))

    def lr_at(self, step: int) -> float:
        """Return the learning rate after so many steps, computed on the host."""
        cpu = device("python")
        count = tensor(int(step), dtype=int32, device=cpu)
        return self.rate(count, cpu.constant(self.base, float32)).item()

    def step(self) -> None:
        """Go on by one step, and give the optimiser its new learning rates."""
        if self.optimizer is None:
            raise FogoError(
                "%s.step: made with a number, it follows the steps of the optimiser "
                "that has it as lr; make it with the optimiser to step it yourself"
                % type(self).__name__
            )
        self.count.assign(self.count + 1)
        self._set()

    def _set(self) -> None:
        groups = self.optimizer.param_groups if self.optimizer else ()
        for i, group in enumerate(groups):
            place_ = place(group)
            base = place_.constant(group["initial_lr"], wide(group))
            mine = self._rates[i] if i < len(self._rates) else None
            old = mine if group["lr"] is mine else None
            group["lr"] = renewed(old, self.rate(self.count.to(place_), base))
            self._rates[i : i + 1] = [group["lr"]]

    def get_last_lr(self) -> list[float]:
        """Read the learning rates of the groups from the device."""
        groups = self.optimizer.param_groups if self.optimizer else ()
        return [group["lr"].item() for group in groups]

    def state_dict(self) -> dict[str, Tensor]:
        """Return the number of steps done, as a 0-d tensor."""
        return {"count": self.count.detach()}

    def load_state_dict(self, state: Any) -> None:
        """Go to the step that `state_dict` had."""
        self.count.assign(state["count"].to(self.count.device).astype(int32))
        self._set()

    def __repr__(self) -> str:
        shown = [
            "%s=%r" % (k, v)
            for k, v in sorted(self.__dict__.items())
            if k != "_rates" and isinstance(v, (int, float, list, tuple))
        ]
        return "%s(%s)" % (type(self).__name__, ", ".join(shown))


def _keep_initial(group):
    """Remember the learning rate a group started with, as later schedules need it."""
    if "initial_lr" in group:
        return
    lr = group["lr"]
    if not isinstance(lr, (int, float, Tensor)):
        raise FogoError(
            "schedule: the optimiser's lr is a schedule already; give it a number"
        )
    group["initial_lr"] = float(lr)


def _whole(owner, name, value):
    if not isinstance(value, int) or value < 1:
        raise FogoError(
            "%s: %s must be a whole number above 0; given %r" % (owner, name, value)
        )
    return value


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from base to eta_min in T_max steps, and back, and so on.

    Example:
        >>> from fogo import optim
        >>> optim.CosineAnnealingLR(1.0, T_max=10).lr_at(5)
        0.5
    """

    def __init__(
        self, source: Optimizer | float, T_max: int, eta_min: float = 0.0
    ) -> None:
        self.T_max = _whole("CosineAnnealingLR", "T_max", T_max)
        self.eta_min = eta_min
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        angle = self.number(t, base) * (math.pi / self.T_max)
        return (base - self.eta_min) * ((E("cos", angle) + 1.0) * 0.5) + self.eta_min


class ConstantLR(LRScheduler):
    """base * factor for total_iters steps, then base.

    Example:
        >>> from fogo import optim
        >>> s = optim.ConstantLR(1.0, factor=0.5, total_iters=2)
        >>> [s.lr_at(t) for t in range(4)]
        [0.5, 0.5, 1.0, 1.0]
    """

    def __init__(
        self, source: Optimizer | float, factor: float = 1.0 / 3, total_iters: int = 5
    ) -> None:
        self.factor = factor
        self.total_iters = total_iters
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        return base * where(t < self.total_iters, self.factor, 1.0)


class LinearLR(LRScheduler):
    """A straight line from base * start_factor to base * end_factor: a warm-up.

    Example:
        >>> from fogo import optim
        >>> s = optim.LinearLR(1.0, start_factor=0.5, total_iters=2)
        >>> [s.lr_at(t) for t in range(4)]
        [0.5, 0.75, 1.0, 1.0]
    """

    def __init__(
        self,
        source: Optimizer | float,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = _whole("LinearLR", "total_iters", total_iters)
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        done = self.number(E("min", t, self.total_iters), base)
        slope = (self.end_factor - self.start_factor) / self.total_iters
        return base * (done * slope + self.start_factor)


class StepLR(LRScheduler):
    """base * gamma ** (t // step_size).

    Example:
        >>> from fogo import optim
        >>> s = optim.StepLR(1.0, step_size=2, gamma=0.5)
        >>> [s.lr_at(t) for t in range(4)]
        [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(
        self, source: Optimizer | float, step_size: int, gamma: float = 0.1
    ) -> None:
        self.step_size = _whole("StepLR", "step_size", step_size)
        self.gamma = gamma
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        times = self.number(E("floordiv", t, self.step_size), base)
        return base * E("pow", self.gamma, times)


class MultiStepLR(LRScheduler):
    """base times gamma for each milestone that has been reached.

    Example:
        >>> from fogo import optim
        >>> s = optim.MultiStepLR(1.0, milestones=[1, 3], gamma=0.5)
        >>> [s.lr_at(t) for t in range(4)]
        [1.0, 0.5, 0.5, 0.25]
    """

    def __init__(
        self, source: Optimizer | float, milestones: list[int], gamma: float = 0.1
    ) -> None:
        self.milestones = sorted(milestones)
        self.gamma = gamma
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        lr = base
        for n, milestone in enumerate(self.milestones):
            lr = where(t < milestone, lr, base * self.gamma ** (n + 1))
        return lr


class ExponentialLR(LRScheduler):
    """base * gamma ** t.

    Example:
        >>> from fogo import optim
        >>> s = optim.ExponentialLR(1.0, gamma=0.5)
        >>> [s.lr_at(t) for t in range(4)]
        [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(self, source: Optimizer | float, gamma: float) -> None:
        self.gamma = gamma
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        return base * E("pow", self.gamma, self.number(t, base))


class PolynomialLR(LRScheduler):
    """base * (1 - t / total_iters) ** power, and 0 after that.

    Example:
        >>> from fogo import optim
        >>> s = optim.PolynomialLR(1.0, total_iters=2)
        >>> [s.lr_at(t) for t in range(4)]
        [1.0, 0.5, 0.0, 0.0]
    """

    def __init__(
        self, source: Optimizer | float, total_iters: int = 5, power: float = 1.0
    ) -> None:
        self.total_iters = _whole("PolynomialLR", "total_iters", total_iters)
        self.power = power
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        left = self.number(E("max", self.total_iters - t, 0), base)
        return base * E("pow", left * (1.0 / self.total_iters), self.power)


class LambdaLR(LRScheduler):
    """base * lr_lambda(t), a function of the step (a symbolic float).

    Write it with arithmetic and the functions of fogo (`fogo.cos`, `fogo.where`, …):
    it is read once and becomes a kernel.

    Example:
        >>> from fogo import optim
        >>> s = optim.LambdaLR(1.0, lambda t: 1 / (t + 1))
        >>> [s.lr_at(t) for t in (0, 1, 3)]
        [1.0, 0.5, 0.25]
    """

    def __init__(self, source: Optimizer | float, lr_lambda: Any) -> None:
        self.lr_lambda = lr_lambda
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        return base * self.lr_lambda(self.number(t, base))


class SequentialLR(LRScheduler):
    """One schedule after the other; each starts anew at its milestone.

    Example:
        >>> from fogo import optim
        >>> warm = optim.LinearLR(1.0, start_factor=0.5, total_iters=2)
        >>> cool = optim.CosineAnnealingLR(1.0, T_max=10)
        >>> both = optim.SequentialLR(1.0, [warm, cool], milestones=[2])
        >>> [both.lr_at(t) for t in (0, 1, 2, 12)]
        [0.5, 0.75, 1.0, 0.0]
    """

    def __init__(
        self,
        source: Optimizer | float,
        schedulers: list[LRScheduler],
        milestones: list[int],
    ) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise FogoError(
                "SequentialLR: one milestone less than schedules; given %d and %d"
                % (len(milestones), len(schedulers))
            )
        self.schedulers = schedulers
        self.milestones = milestones
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        lr = self.schedulers[0].formula(t, base)
        for start, schedule in zip(self.milestones, self.schedulers[1:]):
            lr = where(t < start, lr, schedule.formula(t - start, base))
        return lr
