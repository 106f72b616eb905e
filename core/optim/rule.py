"""`Rule`: an optimiser written with tensor functions.

A rule says what lasts between steps (`memory`), which numbers change from step to step
(`clock`) and how a parameter moves (`move`). Fusion makes few kernels of it, and the
parameters of a group are stepped as one flat tensor where every number is by itself.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import FogoError
from ..tensor import Tensor
from .optimizer import Optimizer, at_least, state_like, wide

if TYPE_CHECKING:
    from ..device import Device

    Now = dict[str, Tensor]  # the numbers of a step, by name


class Rule(Optimizer):
    """The base of optimisers that are written with tensor functions.

    params: as for `Optimizer`; settings: the defaults of its groups. `weight_decay` is
    added to the gradient (L2), or, where `decoupled` says so, shrinks the weight by
    lr * weight_decay beside the step; `maximize` turns the gradient round.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> from fogo.optim.rule import Rule
        >>> class Averaged(Rule):
        ...     memory = ("mean",)
        ...     def move(self, w, g, state, now, group):
        ...         state["mean"] = state["mean"] * 0.5 + g * 0.5
        ...         return w - state["mean"] * now["lr"]
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> Averaged([p], lr=0.25).step((p * p).sum().backward())
        >>> p.tolist()
        [0.75, 0.75]
    """

    memory: tuple[str, ...] = ()  # names of the state, each of the parameter's shape
    single = True  # every number by itself: parameters may be stepped as one tensor
    shrinks = True  # weight decay is done before `move`, which else does it itself

    def __init__(self, params: Any, **settings: Any) -> None:
        Optimizer.__init__(self, params, settings)

    def check(self, group: dict[str, Any]) -> None:
        Optimizer.check(self, group)
        for key in ("eps", "weight_decay", "momentum"):
            if key in group and isinstance(group[key], (int, float)):
                at_least(self.name, group, key)
        for beta in group.get("betas", ()):
            if not 0 <= beta < 1:
                raise FogoError(
                    "%s: betas are numbers in [0, 1); given %r"
                    % (self.name, group["betas"])
                )

    # What a rule is.

    def keep(self, group: dict[str, Any]) -> tuple[str, ...]:
        """Return the names of the state that these settings need."""
        return self.memory

    def decoupled(self, group: dict[str, Any]) -> bool:
        """Say whether weight decay shrinks the weight beside the step."""
        return False

    def clock(self, t: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        """Return numbers of this step, the t-th (0-d, from 1), by name."""
        return {}

    def move(
        self,
        w: Tensor,
        g: Tensor,
        state: dict[str, Tensor],
        now: Now,
        group: dict[str, Any],
    ) -> Tensor:
        """Return the new weight; put new tensors into `state`. `now` has "lr" too."""
        raise NotImplementedError("%s: write move" % self.name)

    # How an optimiser is made of it.

    def elementwise(self) -> bool:
        return self.single

    def init_single(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        return {name: state_like(p, group) for name in self.keep(group)}

    def begin(
        self, count: Tensor, lr: Tensor, group: dict[str, Any]
    ) -> tuple[Any, Tensor]:
        later = count + 1
        now = self.clock(later.astype(lr.dtype), group)
        now["lr"] = lr
        return now, later

    def apply_single(
        self,
        p: Tensor,
        g: Tensor,
        state: dict[str, Tensor],
        now: Any,
        group: dict[str, Any],
    ) -> Tensor:
        kind = wide(group)
        w = p.astype(kind)
        g = g.astype(kind)
        if group.get("maximize"):
            g = -g
        decay = group.get("weight_decay") if self.shrinks else 0.0
        if decay and self.decoupled(group):
            w = w - w * (now["lr"] * float(decay))
        elif decay:
            g = g + w * float(decay)
        return self.move(w, g, state, now, group).astype(p.dtype)


def lerp(old: Tensor, new: Tensor, share: Any) -> Tensor:
    """Return the running mean old + (new - old) * share."""
    return old + (new - old) * share


def left(beta: float, t: Tensor) -> Tensor:
    """Return 1 - beta ** t, exact in float32 where t is small, too."""
    log = math.log(beta) if beta > 0 else -1e4
    return -(t * log).expm1()


def rms(x: Tensor) -> Tensor:
    """Return the root of the mean square: 0-d."""
    return x.square().mean().sqrt()


def norm(x: Tensor) -> Tensor:
    """Return the Euclidean norm of all numbers: 0-d."""
    return x.square().sum().sqrt()


def filled(p: Tensor, group: dict[str, Any], value: float) -> Tensor:
    """Return state of a parameter's shape that begins as `value`."""
    return state_like(p, group) + value


def scalar(value: float, group: dict[str, Any], where: Device) -> Tensor:
    """Return 0-d state."""
    return where.constant(value, wide(group)) + 0.0
