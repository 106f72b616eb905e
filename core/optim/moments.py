"""Relatives of Adam: NAdam, RAdam, Lion and Adan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import FogoError
from ..ops.elementwise import where as choose
from .optimizer import at_least
from .rule import Rule, left, lerp, scalar

if TYPE_CHECKING:
    from ..tensor import Tensor
    from .rule import Now


def _moments(g: Tensor, state: dict[str, Tensor], group: Any) -> tuple[Tensor, Tensor]:
    """Bring Adam's two running means up to date and return them."""
    beta1, beta2 = group["betas"]
    mean = state["exp_avg"] = lerp(state["exp_avg"], g, 1.0 - beta1)
    square = state["exp_avg_sq"] = lerp(state["exp_avg_sq"], g * g, 1.0 - beta2)
    return mean, square


class NAdam(Rule):
    """Adam with Nesterov's look ahead (Dozat, 2016); PyTorch's rules and defaults.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.NAdam([p], lr=0.5).step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [0.4718, 0.4718]
    """

    memory = ("exp_avg", "exp_avg_sq")
    single = False  # the product of the momenta is one number for a parameter

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
            momentum_decay=momentum_decay, maximize=maximize,
            decoupled_weight_decay=decoupled_weight_decay,
        )  # fmt: skip

    def check(self, group: dict[str, Any]) -> None:
        Rule.check(self, group)
        at_least(self.name, group, "momentum_decay")

    def decoupled(self, group: dict[str, Any]) -> bool:
        return bool(group["decoupled_weight_decay"])

    def init_single(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        state = Rule.init_single(self, p, group)
        state["mu_product"] = scalar(1.0, group, p.device)
        return state

    def clock(self, t: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        beta1, beta2 = group["betas"]
        decay = float(group["momentum_decay"])

        def momentum(t: Tensor) -> Tensor:
            return (0.5 * 0.96 ** (t * decay) - 1.0) * -beta1

        return {
            "mu": momentum(t),
            "next": momentum(t + 1.0),
            "left": left(beta2, t),
        }

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        mean, square = _moments(g, state, group)
        done = state["mu_product"] = state["mu_product"] * now["mu"]
        root = (square / now["left"]).sqrt() + float(group["eps"])
        by_gradient = (1.0 - now["mu"]) / (1.0 - done)
        by_mean = now["next"] / (1.0 - done * now["next"])
        return w - now["lr"] * (by_gradient * g + by_mean * mean) / root


class RAdam(Rule):
    """Adam that waits until its variance can be known (Liu et al., 2020).

    PyTorch's rules and defaults: the first steps are momentum alone.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.RAdam([p], lr=0.25).step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [0.5, 0.5]
    """

    memory = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
            decoupled_weight_decay=decoupled_weight_decay, maximize=maximize,
        )  # fmt: skip

    def decoupled(self, group: dict[str, Any]) -> bool:
        return bool(group["decoupled_weight_decay"])

    def clock(self, t: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        beta1, beta2 = group["betas"]
        most = 2.0 / (1.0 - beta2) - 1.0
        gone = left(beta2, t)
        length = most - 2.0 * t * (1.0 - gone) / gone
        known = length > 5.0
        safe = choose(known, length, 6.0)
        top = (safe - 4.0) * (safe - 2.0) * most
        share = (top / ((most - 4.0) * (most - 2.0) * safe)).sqrt()
        scale = choose(known, share * gone.sqrt(), 0.0)
        plain = choose(known, 0.0, 1.0)
        return {"left": left(beta1, t), "scale": scale, "plain": plain}

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        mean, square = _moments(g, state, group)
        factor = now["scale"] / (square.sqrt() + float(group["eps"])) + now["plain"]
        return w - now["lr"] / now["left"] * mean * factor


class Lion(Rule):
    """Steps of one size, by the sign of a mean (Chen et al., 2023, algorithm 2).

    c = beta1 * m + (1 - beta1) * g; w = w - lr * (sign(c) + weight_decay * w);
    m = beta2 * m + (1 - beta2) * g.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.Lion([p], lr=0.25).step((p * p).sum().backward())
        >>> p.tolist()
        [0.75, 0.75]
    """

    memory = ("exp_avg",)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, betas=betas, weight_decay=weight_decay,
            maximize=maximize,
        )  # fmt: skip

    def decoupled(self, group: dict[str, Any]) -> bool:
        return True

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"]
        state["exp_avg"] = lerp(mean, g, 1.0 - beta2)
        return w - now["lr"] * lerp(mean, g, 1.0 - beta1).sign()


class Adan(Rule):
    """Adam with Nesterov's momentum from differences of gradients (Xie et al., 2022).

    m, d, n are running means of g, of g - g_before (0 in the first step) and of
    (g + beta2 * (g - g_before)) ** 2; the step is (m + beta2 * d) / (sqrt(n) + eps),
    each corrected for its start. Weight decay divides by 1 + lr * weight_decay after
    the step, or with `no_prox` multiplies by 1 - lr * weight_decay before it. Here
    betas are shares of the old mean: 1 less those of the paper.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.Adan([p], lr=0.25).step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [0.75, 0.75]
    """

    memory = ("exp_avg", "exp_avg_diff", "exp_avg_sq", "before")

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float, float] = (0.98, 0.92, 0.99),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        no_prox: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
            no_prox=no_prox, maximize=maximize,
        )  # fmt: skip

    def check(self, group: dict[str, Any]) -> None:
        Rule.check(self, group)
        if len(group["betas"]) != 3:
            raise FogoError(
                "Adan: betas are three numbers; given %r" % (group["betas"],)
            )

    def decoupled(self, group: dict[str, Any]) -> bool:
        return True

    def clock(self, t: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        made = {"left%d" % (i + 1): left(b, t) for i, b in enumerate(group["betas"])}
        made["later"] = choose(t > 1.0, 1.0, 0.0).astype(t.dtype)
        return made

    def apply_single(
        self, p: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        if group["no_prox"] or not group["weight_decay"]:
            return Rule.apply_single(self, p, g, state, now, group)
        plain = dict(group)
        plain["weight_decay"] = 0.0
        moved = Rule.apply_single(self, p, g, state, now, plain)
        return (moved / (now["lr"] * float(group["weight_decay"]) + 1.0)).astype(
            p.dtype
        )

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        beta1, beta2, beta3 = group["betas"]
        change = (g - state["before"]) * now["later"]
        state["before"] = g
        mean = state["exp_avg"] = lerp(state["exp_avg"], g, 1.0 - beta1)
        slope = lerp(state["exp_avg_diff"], change, 1.0 - beta2)
        state["exp_avg_diff"] = slope
        ahead = g + change * beta2
        square = lerp(state["exp_avg_sq"], ahead * ahead, 1.0 - beta3)
        state["exp_avg_sq"] = square
        root = (square / now["left3"]).sqrt() + float(group["eps"])
        step = mean / now["left1"] + slope * beta2 / now["left2"]
        return w - now["lr"] * step / root
