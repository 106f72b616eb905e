"""`ReduceLROnPlateau`: a learning rate that falls when a metric stops improving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import FogoError
from ..tensor import Tensor

if TYPE_CHECKING:
    from .optimizer import Optimizer


class ReduceLROnPlateau:
    """Multiply the learning rates by `factor` after `patience` steps without progress.

    PyTorch's rules and defaults. mode: "min" or "max"; threshold: how much better
    counts, as a share ("rel") or a difference ("abs"); cooldown: steps to wait after a
    reduction; min_lr: a number, or one for each group; eps: the least change made.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> opt = optim.SGD([p], lr=1.0)
        >>> plateau = optim.ReduceLROnPlateau(opt, patience=1)
        >>> for loss in (1.0, 0.5, 0.5, 0.5):
        ...     plateau.step(loss)
        >>> round(plateau.get_last_lr()[0], 4)
        0.1
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise FogoError(
                "ReduceLROnPlateau: mode is 'min' or 'max', threshold_mode 'rel' or "
                "'abs'; given %r, %r" % (mode, threshold_mode)
            )
        if not 0 <= factor < 1:
            raise FogoError(
                "ReduceLROnPlateau: factor is at least 0 and below 1; given %r"
                % (factor,)
            )
        self.optimizer = optimizer
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        groups = len(optimizer.param_groups)
        self.min_lrs = min_lr if isinstance(min_lr, list) else [min_lr] * groups
        if len(self.min_lrs) != groups:
            raise FogoError(
                "ReduceLROnPlateau: one min_lr for each of the %d groups; given %d"
                % (groups, len(self.min_lrs))
            )
        self.best = float("inf") if mode == "min" else -float("inf")
        self.bad = 0
        self.resting = 0
        self.count = 0

    def better(self, value: float) -> bool:
        """Say whether a metric is better than the best by more than the threshold."""
        sign = -1.0 if self.mode == "min" else 1.0
        if self.threshold_mode == "rel":
            return value * sign > self.best * (1.0 + sign * self.threshold) * sign
        return value * sign > (self.best + sign * self.threshold) * sign

    def step(self, metric: Tensor | float) -> None:
        """Take in the metric of a step or epoch; a tensor is read from its device."""
        value = float(metric.item() if isinstance(metric, Tensor) else metric)
        self.count += 1
        if self.better(value):
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        if self.resting > 0:
            self.resting -= 1
            self.bad = 0
        if self.bad > self.patience:
            self._reduce()
            self.resting, self.bad = self.cooldown, 0

    def _reduce(self) -> None:
        for group, low in zip(self.optimizer.param_groups, self.min_lrs):
            old = group["lr"]
            if not isinstance(old, (int, float, Tensor)):
                raise FogoError(
                    "ReduceLROnPlateau: the optimiser's lr is a schedule; give it a "
                    "number"
                )
            now = float(old.item() if isinstance(old, Tensor) else old)
            new = max(now * self.factor, low)
            if now - new > self.eps:
                group["lr"] = new

    def get_last_lr(self) -> list[float]:
        """Read the learning rates of the groups."""
        return self.optimizer.learning_rates()

    def state_dict(self) -> dict[str, Any]:
        """Return what was seen so far, as numbers."""
        names = ("best", "bad", "resting", "count")
        return {name: getattr(self, name) for name in names}

    def load_state_dict(self, state: Any) -> None:
        """Take up what `state_dict` gave."""
        for name in ("best", "bad", "resting", "count"):
            setattr(self, name, state[name])
