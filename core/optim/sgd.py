"""Stochastic gradient descent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dispatch import call
from ..errors import FogoError
from .optimizer import Optimizer, at_least, state_like
from .update import MOMENTUM, SGD_CLOCK, SGD_STEP

if TYPE_CHECKING:
    from ..tensor import Tensor


class SGD(Optimizer):
    """Go down the gradient, with momentum if asked; PyTorch's rules and defaults.

    The buffer starts as the first gradient: b = momentum * b + (1 - dampening) * g.
    weight_decay is added to the gradient (L2).

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> opt = optim.SGD([p], lr=0.25)
        >>> opt.step((p * p).sum().backward())
        >>> p.tolist()
        [0.5, 0.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        Optimizer.__init__(self, params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        Optimizer.check(self, group)
        at_least(self.name, group, "momentum")
        at_least(self.name, group, "weight_decay")
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise FogoError(
                "SGD: nesterov needs a momentum and no dampening; given momentum=%g, "
                "dampening=%g" % (group["momentum"], group["dampening"])
            )

    def elementwise(self) -> bool:
        kind = type(self)
        return (
            kind.apply_single is SGD.apply_single
            and kind.init_single is SGD.init_single
        )

    def init_single(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        return {"momentum_buffer": state_like(p, group)} if group["momentum"] else {}

    def begin(
        self, count: Tensor, lr: Tensor, group: dict[str, Any]
    ) -> tuple[Tensor, Tensor]:
        op = SGD_CLOCK[lr.dtype]
        now, later = call(op, (count, lr), (float(group["dampening"]),))
        return now, later

    def apply_single(
        self,
        p: Tensor,
        g: Tensor,
        state: dict[str, Tensor],
        now: Tensor,
        group: dict[str, Any],
    ) -> Tensor:
        decay = float(group["weight_decay"])
        mode = "l2" if decay else "none"
        switches = (group["maximize"], mode)
        if not group["momentum"]:
            return call(SGD_STEP[now.dtype], (p, g, now), (decay,) + switches)
        new, state["momentum_buffer"] = call(
            MOMENTUM[now.dtype],
            (p, g, state["momentum_buffer"], now),
            (decay, float(group["momentum"])) + switches + (group["nesterov"],),
        )
        return new
