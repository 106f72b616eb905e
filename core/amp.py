"""Mixed precision: `autocast`, and `GradScaler`, which keeps small gradients alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .backend.autocast import (
    autocast,
    get_autocast_dtype,
    is_autocast_enabled,
)
from .errors import AutodiffError, FogoError

if TYPE_CHECKING:
    from .backend.gradients import Gradients
    from .tensor import Tensor


class GradScaler:
    """Scales the loss so that float16 gradients do not vanish, and finds its own scale.

    Gradients are divided by the scale again before a step; a step whose gradients hold
    inf or nan is skipped and the scale multiplied by `backoff_factor`; after
    `growth_interval` good steps it is multiplied by `growth_factor`. Defaults are
    PyTorch's. `step` reads one number from the device.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> net = nn.Linear(2, 1, device=fogo.device("cpu").autodiff())
        >>> opt, scaler = optim.SGD(net, lr=0.1), fogo.amp.GradScaler(1024.0)
        >>> with fogo.autocast("float16"):
        ...     loss = net(fogo.ones(4, 2)).square().mean()
        >>> grads = scaler.scale(loss).backward()
        >>> scaler.step(opt, grads)
        True
        >>> scaler.update()
        >>> scaler.get_scale()
        1024.0
    """

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if not (growth_factor > 1.0 and 0.0 < backoff_factor < 1.0):
            raise FogoError(
                "GradScaler: growth_factor is above 1 and backoff_factor between 0 and "
                "1; given %r and %r" % (growth_factor, backoff_factor)
            )
        self._scale = float(init_scale)
        self.growth_factor = float(growth_factor)
        self.backoff_factor = float(backoff_factor)
        self.growth_interval = growth_interval
        self.enabled = enabled
        self._good = 0
        self._seen: list[Any] = []  # (gradients, whether they hold inf or nan)

    def scale(self, loss: Tensor) -> Any:
        """Return the loss times the scale: go backward from that."""
        return loss * self._scale if self.enabled else loss

    def unscale_(self, grads: Gradients) -> bool:
        """Divide gradients by the scale, to clip them; say whether all are finite.

        Raises: AutodiffError where that was done already since `update`.
        """
        if not self.enabled:
            return True
        for known, _ in self._seen:
            if known is grads:
                raise AutodiffError(
                    "unscale_: these gradients are unscaled already; call it once "
                    "between update() and step()"
                )
        inverse = 1.0 / self._scale
        grads.replace(lambda g: _wide(g) * inverse)
        finite = _all_finite(grads.values())
        self._seen.append((grads, finite))
        return finite

    def step(self, optimizer: Any, grads: Gradients) -> bool:
        """Step the optimiser with gradients, unless they hold inf or nan.

        Unscales them first where `unscale_` has not. Returns whether it stepped.
        """
        if not self.enabled:
            optimizer.step(grads)
            return True
        found = [finite for known, finite in self._seen if known is grads]
        finite = found[0] if found else self.unscale_(grads)
        if finite:
            optimizer.step(grads)
        return finite

    def update(self, new_scale: float | None = None) -> None:
        """Change the scale by what was found since the last update.

        Raises: AutodiffError where no gradients have been seen.
        """
        if not self.enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._seen:
            raise AutodiffError(
                "update: no gradients were seen since the last one; call step() first"
            )
        elif False in [finite for _, finite in self._seen]:
            self._scale *= self.backoff_factor
            self._good = 0
        else:
            self._good += 1
            if self._good == self.growth_interval:
                self._scale *= self.growth_factor
                self._good = 0
        self._seen = []

    def get_scale(self) -> float:
        """Return the scale (1 where it is not enabled)."""
        return self._scale if self.enabled else 1.0

    def is_enabled(self) -> bool:
        """Say whether losses are scaled at all."""
        return self.enabled

    def state_dict(self) -> dict[str, Any]:
        """Return what `load_state_dict` takes, under PyTorch's names."""
        if not self.enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self.growth_factor,
            "backoff_factor": self.backoff_factor,
            "growth_interval": self.growth_interval,
            "_growth_tracker": self._good,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where another scaler was."""
        if not self.enabled:
            return
        self._scale = float(state["scale"])
        self.growth_factor = state["growth_factor"]
        self.backoff_factor = state["backoff_factor"]
        self.growth_interval = state["growth_interval"]
        self._good = state["_growth_tracker"]


def _wide(g: Tensor) -> Tensor:
    return g.astype("float32") if g.dtype.bits == 16 else g


def _all_finite(tensors: list[Any]) -> bool:
    """Whether every element is finite: one number read for each device."""
    found: list[Any] = []
    for g in tensors:
        ok = g.isfinite().all()
        for i, (device, so_far) in enumerate(found):
            if device is g.device:
                found[i] = (device, so_far & ok)
                break
        else:
            found.append((g.device, ok))
    return False not in [bool(ok.item()) for _, ok in found]


__all__ = ["GradScaler", "autocast", "get_autocast_dtype", "is_autocast_enabled"]
