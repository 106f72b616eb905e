"""Schedules that rise and fall, warm up, start again, or are made of others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..errors import FogoError
from ..expr import call as E
from ..expr import where
from .schedule import LRScheduler, _whole

if TYPE_CHECKING:
    from ..expr import Expr
    from .optimizer import Optimizer


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from base to eta_min, again and again (Loshchilov, Hutter 2017).

    The first lasts T_0 steps, each next one T_mult times as long.

    Example:
        >>> from fogo import optim
        >>> s = optim.CosineAnnealingWarmRestarts(1.0, T_0=2, T_mult=2)
        >>> [round(s.lr_at(t), 4) for t in (0, 1, 2, 4, 6)]
        [1.0, 0.5, 1.0, 0.5, 1.0]
    """

    def __init__(
        self,
        source: Optimizer | float,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
    ) -> None:
        self.T_0 = _whole("CosineAnnealingWarmRestarts", "T_0", T_0)
        self.T_mult = _whole("CosineAnnealingWarmRestarts", "T_mult", T_mult)
        self.eta_min = eta_min
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        n = self.number(t, base)
        if self.T_mult == 1:
            share = self.number(E("mod", t, self.T_0), base) * (1.0 / self.T_0)
        else:
            share = self._growing(n)
        wave = (E("cos", share * math.pi) + 1.0) * 0.5
        return (base - self.eta_min) * wave + self.eta_min

    def _growing(self, n: Expr) -> Expr:
        """How much of its cycle is over: cycle k begins at T_0 (m**k - 1) / (m - 1).

        The small term keeps a start from being taken for the end before it.
        """
        m = self.T_mult
        grown = n * ((m - 1) / self.T_0) + 1.0
        k = E("floor", E("log", grown) * (1.0 / math.log(m)) + 1e-6)
        length = E("pow", float(m), k)
        begun = (length - 1.0) * (self.T_0 / (m - 1))
        return (n - begun) / (length * self.T_0)


class OneCycleLR(LRScheduler):
    """Up to max_lr and down again, once (Smith and Topin, 2018); PyTorch's shape.

    From max_lr / div_factor to max_lr in pct_start of the steps, then to
    max_lr / div_factor / final_div_factor; three_phase comes down to the start first.
    total_steps, or epochs and steps_per_epoch, say how long. anneal_strategy: "cos" or
    "linear". The learning rate alone moves: PyTorch's cycle of the momentum is not
    made. Made with a number, that number is not used.

    Example:
        >>> from fogo import optim
        >>> s = optim.OneCycleLR(1.0, max_lr=1.0, total_steps=10, pct_start=0.5)
        >>> [round(s.lr_at(t), 4) for t in (0, 4, 9)]
        [0.04, 1.0, 0.0]
    """

    def __init__(
        self,
        source: Optimizer | float,
        max_lr: float,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
    ) -> None:
        if total_steps is None and epochs is not None and steps_per_epoch is not None:
            total_steps = epochs * steps_per_epoch
        if not isinstance(total_steps, int) or total_steps < 2:
            raise FogoError(
                "OneCycleLR: total_steps, or epochs and steps_per_epoch, say how long: "
                "at least 2 steps; given %r" % (total_steps,)
            )
        if anneal_strategy not in ("cos", "linear") or not 0 < pct_start <= 1:
            raise FogoError(
                "OneCycleLR: anneal_strategy is 'cos' or 'linear', pct_start a share "
                "of 1; given %r, %r" % (anneal_strategy, pct_start)
            )
        self.anneal_strategy = anneal_strategy
        self.total_steps = total_steps
        first = max_lr / div_factor
        up = float(pct_start * total_steps) - 1
        end = float(total_steps - 1)
        rest = [(end, max_lr, first / final_div_factor)]
        if three_phase:
            down = float(2 * pct_start * total_steps) - 2
            last = (end, first, first / final_div_factor)
            rest = [(down, max_lr, first), last]
        self.phases = [(up, first, max_lr)] + rest  # (end, from, to)
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        n = E("min", self.number(t, base), float(self.total_steps - 1))
        lr, begun = None, 0.0
        parts = []
        for end, a, b in self.phases:
            share = (n - begun) * (1.0 / (end - begun)) if end > begun else n * 0.0
            parts.append((end, self._between(share, a, b)))
            begun = end
        for end, part in reversed(parts):
            lr = part if lr is None else where(n <= end, part, lr)
        assert lr is not None
        return lr + base * 0.0

    def _between(self, share: Expr, a: float, b: float) -> Expr:
        if self.anneal_strategy == "cos":
            share = (1.0 - E("cos", share * math.pi)) * 0.5
        return share * (b - a) + a


class CyclicLR(LRScheduler):
    """Up and down between base_lr and max_lr, for ever (Smith, 2017).

    mode: "triangular"; "triangular2" halves the height each cycle; "exp_range" scales
    it by gamma ** t. The learning rate alone moves (cycle_momentum=False of PyTorch).

    Example:
        >>> from fogo import optim
        >>> s = optim.CyclicLR(1.0, base_lr=0.0, max_lr=1.0, step_size_up=2)
        >>> [s.lr_at(t) for t in range(5)]
        [0.0, 0.5, 1.0, 0.5, 0.0]
    """

    def __init__(
        self,
        source: Optimizer | float,
        base_lr: float,
        max_lr: float,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
    ) -> None:
        if mode not in ("triangular", "triangular2", "exp_range"):
            raise FogoError(
                "CyclicLR: mode is 'triangular', 'triangular2' or 'exp_range'; given %r"
                % (mode,)
            )
        self.step_size_up = _whole("CyclicLR", "step_size_up", step_size_up)
        self.step_size_down = _whole(
            "CyclicLR", "step_size_down", step_size_down or step_size_up
        )
        self.base_lr, self.max_lr = base_lr, max_lr
        self.mode, self.gamma = mode, gamma
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        whole = self.step_size_up + self.step_size_down
        at = self.number(E("mod", t, whole), base)
        up = at * (1.0 / self.step_size_up)
        down = (float(whole) - at) * (1.0 / self.step_size_down)
        height = E("min", up, down) * (self.max_lr - self.base_lr)
        if self.mode == "triangular2":
            done = self.number(E("floordiv", t, whole), base)
            height = height * E("pow", 0.5, done)
        elif self.mode == "exp_range":
            height = height * E("pow", self.gamma, self.number(t, base))
        return height + self.base_lr + base * 0.0


class NoamLR(LRScheduler):
    """Up linearly, then down as 1 / sqrt(t): the Transformer's (Vaswani et al., 2017).

    base * model_size ** -0.5 * min(n ** -0.5, n * warmup_steps ** -1.5) at step n =
    t + 1.

    Example:
        >>> from fogo import optim
        >>> s = optim.NoamLR(1.0, warmup_steps=4, model_size=16)
        >>> [round(s.lr_at(t), 5) for t in (0, 3, 15)]
        [0.03125, 0.125, 0.0625]
    """

    def __init__(
        self,
        source: Optimizer | float,
        warmup_steps: int = 4000,
        model_size: int = 512,
    ) -> None:
        self.warmup_steps = _whole("NoamLR", "warmup_steps", warmup_steps)
        self.model_size = _whole("NoamLR", "model_size", model_size)
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        n = self.number(t, base) + 1.0
        least = E("min", 1.0 / E("sqrt", n), n * self.warmup_steps**-1.5)
        return base * self.model_size**-0.5 * least


class SWALR(LRScheduler):
    """From base to swa_lr in anneal_epochs steps, then constant: for averaged weights.

    anneal_strategy: "cos" or "linear" (Izmailov et al., 2018).

    Example:
        >>> from fogo import optim
        >>> s = optim.SWALR(1.0, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
        >>> [s.lr_at(t) for t in (0, 1, 2, 9)]
        [1.0, 0.75, 0.5, 0.5]
    """

    def __init__(
        self,
        source: Optimizer | float,
        swa_lr: float,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
    ) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise FogoError(
                "SWALR: anneal_strategy is 'cos' or 'linear'; given %r"
                % (anneal_strategy,)
            )
        self.swa_lr = swa_lr
        self.anneal_epochs = anneal_epochs
        self.anneal_strategy = anneal_strategy
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        share = self.number(t, base) * (1.0 / max(1, self.anneal_epochs))
        share = E("min", share, 1.0)
        if self.anneal_strategy == "cos":
            share = (1.0 - E("cos", share * math.pi)) * 0.5
        return base + (self.swa_lr - base) * share


class ComposedLR(LRScheduler):
    """Several schedules at once: their product, sum or mean.

    reduction: "prod" multiplies what each makes of 1 with base; "sum" and "mean" join
    their rates.

    Example:
        >>> from fogo import optim
        >>> warm = optim.LinearLR(1.0, start_factor=0.5, total_iters=2)
        >>> both = optim.ComposedLR(1.0, [warm, optim.ExponentialLR(1.0, 0.5)])
        >>> [both.lr_at(t) for t in (0, 1, 2)]
        [0.5, 0.375, 0.25]
    """

    def __init__(
        self,
        source: Optimizer | float,
        schedulers: list[LRScheduler],
        reduction: str = "prod",
    ) -> None:
        if not schedulers or reduction not in ("prod", "sum", "mean"):
            raise FogoError(
                "ComposedLR: at least one schedule, and 'prod', 'sum' or 'mean'; given "
                "%d, %r" % (len(schedulers), reduction)
            )
        self.schedulers = schedulers
        self.reduction = reduction
        LRScheduler.__init__(self, source)

    def formula(self, t: Expr, base: Expr) -> Expr:
        if self.reduction == "prod":
            lr = base
            for schedule in self.schedulers:
                lr = lr * (schedule.formula(t, base) / base)
            return lr
        lr = self.schedulers[0].formula(t, base)
        for schedule in self.schedulers[1:]:
            lr = lr + schedule.formula(t, base)
        share = len(self.schedulers) if self.reduction == "mean" else 1
        return lr * (1.0 / share)
