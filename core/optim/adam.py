"""Adam and AdamW."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..dispatch import call
from ..errors import FogoError
from .optimizer import Optimizer, at_least, state_like
from .update import ADAM_APPLY, ADAM_CLOCK, ADAM_STEP, AMSGRAD

if TYPE_CHECKING:
    from ..tensor import Tensor


class Adam(Optimizer):
    """Steps by running means of the gradient and its square (Kingma and Ba, 2015).

    PyTorch's rules and defaults: weight_decay is added to the gradient (L2); amsgrad
    divides by the largest mean square so far. The count of steps is one for a group
    (PyTorch keeps one for each parameter, which differs where gradients are missing).

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> opt = optim.Adam([p], lr=0.5)
        >>> opt.step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [0.5, 0.5]
    """

    decoupled = False

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
        }
        Optimizer.__init__(self, params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        Optimizer.check(self, group)
        at_least(self.name, group, "eps")
        at_least(self.name, group, "weight_decay")
        betas = group["betas"]
        if len(betas) != 2 or not (0 <= betas[0] < 1 and 0 <= betas[1] < 1):
            raise FogoError(
                "%s: betas are two numbers in [0, 1); given %r" % (self.name, betas)
            )

    def elementwise(self) -> bool:
        kind = type(self)
        return (
            kind.apply_single is Adam.apply_single
            and kind.init_single is Adam.init_single
        )

    def init_single(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        state = {"exp_avg": state_like(p, group), "exp_avg_sq": state_like(p, group)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = state_like(p, group)
        return state

    def begin(
        self, count: Tensor, lr: Tensor, group: dict[str, Any]
    ) -> tuple[Tensor, Tensor]:
        logs = [math.log(b) if b > 0 else -1e4 for b in group["betas"]]
        attrs = (logs[0], logs[1], float(group["weight_decay"]))
        now, later = call(ADAM_CLOCK[lr.dtype], (count, lr), attrs)
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
        mode = "none"
        if decay:
            mode = "decoupled" if self.decoupled else "l2"
            mode = "cautious" if group.get("cautious_weight_decay") else mode
        first, second = state["exp_avg"], state["exp_avg_sq"]
        gains = (1.0 - group["betas"][0], 1.0 - group["betas"][1])
        rest = (decay, group["maximize"], mode)
        if group["amsgrad"]:
            return self._amsgrad(p, g, state, now, gains, rest, group["eps"])
        attrs = (gains[0], gains[1], float(group["eps"])) + rest
        new, state["exp_avg"], state["exp_avg_sq"] = call(
            ADAM_STEP[now.dtype], (p, g, first, second, now), attrs
        )
        return new

    def _amsgrad(self, p, g, state, now, gains, rest, eps):
        names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
        tensors = [p, g] + [state[n] for n in names]
        made = call(AMSGRAD[now.dtype], tensors, gains + rest)
        for name, value in zip(names, made):
            state[name] = value
        tensors = (p, state["exp_avg"], state["max_exp_avg_sq"], now)
        return call(ADAM_APPLY[now.dtype], tensors, (float(eps), rest[2]))


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019).

    The weight shrinks by lr * weight_decay beside the step; PyTorch's defaults. With
    `cautious_weight_decay` only where the step makes it smaller, too: where the weight
    and the mean of its gradients have one sign (Chen et al., 2025).

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> net = nn.Linear(2, 1, device=fogo.device("cpu").autodiff())
        >>> opt = optim.AdamW(net, lr=1e-3)
        >>> opt.step(net(fogo.ones(1, 2)).sum().backward())
    """

    decoupled = True

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        cautious_weight_decay: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "cautious_weight_decay": cautious_weight_decay,
        }
        Optimizer.__init__(self, params, defaults)
