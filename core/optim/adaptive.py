"""Optimisers that scale each number's step by its past: AdaGrad and its heirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.elementwise import maximum, minimum
from ..ops.elementwise import where as choose
from .optimizer import at_least, state_like
from .rule import Rule, filled, left, lerp

if TYPE_CHECKING:
    from ..tensor import Tensor
    from .rule import Now


class Adagrad(Rule):
    """Divide by the root of the sum of all squares so far (Duchi et al., 2011).

    PyTorch's rules and defaults: the rate falls as lr / (1 + (t - 1) * lr_decay), the
    sum begins at `initial_accumulator_value`.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.Adagrad([p], lr=0.5).step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [0.5, 0.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, lr_decay=lr_decay, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, eps=eps,
            maximize=maximize,
        )  # fmt: skip

    def check(self, group: dict[str, Any]) -> None:
        Rule.check(self, group)
        at_least(self.name, group, "lr_decay")
        at_least(self.name, group, "initial_accumulator_value")

    def init_single(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        return {"sum": filled(p, group, float(group["initial_accumulator_value"]))}

    def clock(self, t: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        return {"slow": (t - 1.0) * float(group["lr_decay"]) + 1.0}

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        state["sum"] = state["sum"] + g * g
        rate = now["lr"] / now["slow"]
        return w - rate * g / (state["sum"].sqrt() + float(group["eps"]))


class RMSprop(Rule):
    """Divide by the root of a running mean of squares (Hinton, 2012).

    PyTorch's rules and defaults; `centered` takes the variance instead, `momentum`
    gathers the steps.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.RMSprop([p], lr=0.1, alpha=0.75).step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [0.8, 0.8]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay,
            momentum=momentum, centered=centered, maximize=maximize,
        )  # fmt: skip

    def check(self, group: dict[str, Any]) -> None:
        Rule.check(self, group)
        at_least(self.name, group, "alpha")

    def keep(self, group: dict[str, Any]) -> tuple[str, ...]:
        names: tuple[str, ...] = ("square_avg",)
        if group["momentum"]:
            names += ("momentum_buffer",)
        return names + ("grad_avg",) if group["centered"] else names

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        share = 1.0 - group["alpha"]
        square = state["square_avg"] = lerp(state["square_avg"], g * g, share)
        if group["centered"]:
            mean = state["grad_avg"] = lerp(state["grad_avg"], g, share)
            square = square - mean * mean
        step = g / (square.sqrt() + float(group["eps"]))
        if group["momentum"]:
            old = state["momentum_buffer"] * float(group["momentum"])
            step = state["momentum_buffer"] = old + step
        return w - now["lr"] * step


class Adadelta(Rule):
    """Steps in the unit of the weight: ratios of running means (Zeiler, 2012).

    PyTorch's rules and defaults.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.Adadelta([p], eps=1.0).step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [-0.6903, -0.6903]
    """

    memory = ("square_avg", "acc_delta")

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay,
            maximize=maximize,
        )  # fmt: skip

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        share, eps = 1.0 - group["rho"], float(group["eps"])
        square = state["square_avg"] = lerp(state["square_avg"], g * g, share)
        step = (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt() * g
        state["acc_delta"] = lerp(state["acc_delta"], step * step, share)
        return w - now["lr"] * step


class Adamax(Rule):
    """Adam with the largest past gradient in place of the root mean square.

    Section 7 of Kingma and Ba (2015); PyTorch's rules and defaults.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.Adamax([p], lr=0.5).step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [0.5, 0.5]
    """

    memory = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
            maximize=maximize,
        )  # fmt: skip

    def clock(self, t: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        return {"left": left(group["betas"][0], t)}

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"] = lerp(state["exp_avg"], g, 1.0 - beta1)
        size = g.abs() + float(group["eps"])
        top = state["exp_inf"] = maximum(state["exp_inf"] * beta2, size)
        return w - now["lr"] / now["left"] * mean / top


class Rprop(Rule):
    """Steps that grow while the gradient's sign lasts, and shrink where it turns.

    Riedmiller and Braun (1993); PyTorch's rules and defaults.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.Rprop([p], lr=0.25).step((p * p).sum().backward())
        >>> p.tolist()
        [0.75, 0.75]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, etas=etas, step_sizes=step_sizes, maximize=maximize
        )

    def init_single(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        sizes = state_like(p, group) + self.rate(group, p.device)
        return {"prev": state_like(p, group), "step_size": sizes}

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        shrink, grow = group["etas"]
        low, high = group["step_sizes"]
        turn = (g * state["prev"]).sign()
        old = state["step_size"]
        size = choose(turn > 0, old * grow, choose(turn < 0, old * shrink, old))
        size = minimum(maximum(size, low), high)
        state["step_size"] = size
        g = choose(turn < 0, 0.0, g)
        state["prev"] = g
        return w - g.sign() * size
