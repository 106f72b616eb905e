"""Optimisers whose steps look at a whole parameter: LARS, LAMB, Adafactor and Muon."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import FogoError
from ..ops.elementwise import maximum, minimum
from ..ops.elementwise import where as choose
from .optimizer import state_like
from .rule import Rule, left, lerp, norm, rms

if TYPE_CHECKING:
    from ..tensor import Tensor
    from .rule import Now

_EPS = {"float64": 2.220446049250313e-16, "float32": 1.1920928955078125e-07}


def _trust(w: Tensor, step: Tensor) -> Tensor:
    """Return |w| / |step|, or 1 where one of them is 0."""
    a, b = norm(w), norm(step)
    both = (a > 0.0).logical_and(b > 0.0)
    return choose(both, a / choose(both, b, 1.0), 1.0)


class LARS(Rule):
    """SGD with momentum whose rate follows each layer's size (You et al., 2017).

    The rate of a parameter is lr * trust_coefficient * |w| / (|g| + weight_decay *
    |w| + eps), lr alone where |w| or |g| is 0.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> opt = optim.LARS([p], lr=1.0, trust_coefficient=0.5)
        >>> opt.step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [0.5, 0.5]
    """

    memory = ("momentum_buffer",)
    single = False
    shrinks = False

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
        trust_coefficient: float = 1e-3,
        eps: float = 1e-8,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, momentum=momentum, weight_decay=weight_decay,
            trust_coefficient=trust_coefficient, eps=eps, maximize=maximize,
        )  # fmt: skip

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        decay = float(group["weight_decay"])
        a, b = norm(w), norm(g)
        both = (a > 0.0).logical_and(b > 0.0)
        ratio = a * float(group["trust_coefficient"])
        ratio = ratio / (b + a * decay + float(group["eps"]))
        rate = now["lr"] * choose(both, ratio, 1.0)
        old = state["momentum_buffer"] * float(group["momentum"])
        step = state["momentum_buffer"] = old + rate * (g + w * decay)
        return w - step


class LAMB(Rule):
    """Adam with a rate for each layer, for large batches (You et al., 2020).

    The step r = m / (sqrt(v) + eps) + weight_decay * w, corrected for its start, is
    scaled by |w| / |r| (1 where one is 0).

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> optim.LAMB([p], lr=0.25).step((p * p).sum().backward())
        >>> [round(v, 4) for v in p.tolist()]
        [0.75, 0.75]
    """

    memory = ("exp_avg", "exp_avg_sq")
    single = False
    shrinks = False

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
            maximize=maximize,
        )  # fmt: skip

    def clock(self, t: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        beta1, beta2 = group["betas"]
        return {"left1": left(beta1, t), "left2": left(beta2, t)}

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"] = lerp(state["exp_avg"], g, 1.0 - beta1)
        square = state["exp_avg_sq"] = lerp(state["exp_avg_sq"], g * g, 1.0 - beta2)
        root = (square / now["left2"]).sqrt() + float(group["eps"])
        step = mean / now["left1"] / root
        if group["weight_decay"]:
            step = step + w * float(group["weight_decay"])
        return w - now["lr"] * _trust(w, step) * step


class Adafactor(Rule):
    """Adam in the memory of a row and a column (Shazeer and Stern, 2018).

    PyTorch's rules and defaults: the mean square of a matrix is held as its rows' and
    its columns' means; eps is (for the mean square, for the size of the weight), the
    first None for the dtype's own; d bounds the root mean square of a step. Leading
    axes of a tensor are a batch of matrices.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones((2, 2), device=fogo.device("cpu").autodiff()))
        >>> optim.Adafactor([p], lr=0.25).step((p * p).sum().backward())
        >>> [round(v, 4) for v in p[0].tolist()]
        [0.75, 0.75]
    """

    single = False

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, beta2_decay=beta2_decay, eps=eps, d=d,
            weight_decay=weight_decay, maximize=maximize,
        )  # fmt: skip

    def check(self, group: dict[str, Any]) -> None:
        Rule.check(self, group)
        if group["beta2_decay"] > 0 or not group["d"] >= 1:
            raise FogoError(
                "Adafactor: beta2_decay is at most 0, d at least 1; given %r, %r"
                % (group["beta2_decay"], group["d"])
            )

    def decoupled(self, group: dict[str, Any]) -> bool:
        return True

    def init_single(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        if p.ndim < 2:
            return {"variance": state_like(p, group)}
        zeros = state_like(p, group)
        rows = zeros.sum(-1, keepdims=True)
        return {"row_var": rows, "col_var": zeros.sum(-2, keepdims=True)}

    def clock(self, t: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        slow = t.rsqrt()
        return {"share": t ** float(group["beta2_decay"]), "slow": slow}

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        eps1, eps2 = group["eps"]
        eps1 = _EPS[w.dtype.name] if eps1 is None else float(eps1)
        rate = minimum(now["lr"], now["slow"]) * maximum(_before(w, now, group), eps2)
        square = self._square(g, state, now["share"], eps1)
        step = maximum(square, eps1 * eps1).rsqrt() * g
        bound = maximum(rms(step) / float(group["d"]), 1.0)
        return w - rate / bound * step

    def _square(self, g: Tensor, state: Any, share: Tensor, eps: float) -> Tensor:
        squares = g * g
        if g.ndim < 2:
            state["variance"] = lerp(state["variance"], squares, share)
            return state["variance"]
        rows = squares.mean(-1, keepdims=True)
        rows = state["row_var"] = lerp(state["row_var"], rows, share)
        columns = squares.mean(-2, keepdims=True)
        columns = state["col_var"] = lerp(state["col_var"], columns, share)
        return rows * columns / maximum(rows.mean(-2, keepdims=True), eps)


def _before(w: Tensor, now: Now, group: Any) -> Tensor:
    """Return the weight's root mean square before it shrank by its decay."""
    decay = float(group["weight_decay"])
    return rms(w) / (1.0 - now["lr"] * decay) if decay else rms(w)


class Muon(Rule):
    """Momentum whose steps are made orthogonal, for matrices (Jordan et al., 2024).

    PyTorch's rules and defaults; the Newton-Schulz iteration runs in float32 (PyTorch
    uses bfloat16). adjust_lr_fn: "original" scales the rate by sqrt(max(1, rows /
    columns)), "match_rms_adamw" by 0.2 * sqrt(max(rows, columns)).
    Raises: FogoError for a parameter that is not a matrix.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.eye(2, device=fogo.device("cpu").autodiff()))
        >>> optim.Muon([p], lr=0.1).step((p * p).sum().backward())
        >>> p[0, 1].item()
        0.0
    """

    memory = ("momentum_buffer",)
    single = False

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        Rule.__init__(
            self, params, lr=lr, weight_decay=weight_decay, momentum=momentum,
            nesterov=nesterov, ns_coefficients=ns_coefficients, eps=eps,
            ns_steps=ns_steps, adjust_lr_fn=adjust_lr_fn,
        )  # fmt: skip

    def check(self, group: dict[str, Any]) -> None:
        Rule.check(self, group)
        kind = group["adjust_lr_fn"]
        if kind not in (None, "original", "match_rms_adamw"):
            raise FogoError(
                "Muon: adjust_lr_fn is 'original' or 'match_rms_adamw'; given %r"
                % (kind,)
            )
        for p in group["params"]:
            if p.ndim != 2:
                raise FogoError(
                    "Muon: its parameters are matrices; given shape %s; give the "
                    "others to AdamW" % (list(p.shape),)
                )

    def decoupled(self, group: dict[str, Any]) -> bool:
        return True

    def move(
        self, w: Tensor, g: Tensor, state: dict[str, Tensor], now: Now, group: Any
    ) -> Tensor:
        share = 1.0 - group["momentum"]
        mean = state["momentum_buffer"] = lerp(state["momentum_buffer"], g, share)
        step = lerp(g, mean, group["momentum"]) if group["nesterov"] else mean
        rows, columns = w.shape
        scale = math.sqrt(max(1.0, rows / columns))
        if group["adjust_lr_fn"] == "match_rms_adamw":
            scale = 0.2 * math.sqrt(max(rows, columns))
        return w - now["lr"] * scale * _orthogonal(step, group)


def _orthogonal(x: Tensor, group: Any) -> Tensor:
    """Bring singular values near 1: x = a x + (b A + c A A) x with A = x x'."""
    a, b, c = group["ns_coefficients"]
    tall = x.shape[0] > x.shape[1]
    x = x.mT if tall else x
    x = x / maximum(norm(x), float(group["eps"]))
    for _ in range(group["ns_steps"]):
        square = x @ x.mT
        x = x * a + (square * b + square @ square * c) @ x
    return x.mT if tall else x
