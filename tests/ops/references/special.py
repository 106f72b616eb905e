"""References of fogo.ops.special: PyTorch in float64, or the definition in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref

LONG = "a long formula, or a difference of like numbers"


def by_torch(function: Any) -> Any:
    """The values of a PyTorch function, in float64."""

    def call(*args: Any, **options: Any) -> Any:
        operands = [torch.as_tensor(a, dtype=torch.float64) for a in args]
        return function(*operands, **options).numpy()

    return call


def tensors(function: Any) -> Any:
    """Let a PyTorch function that takes only tensors take numbers too."""

    def call(*args: Any) -> Any:
        return function(*[torch.as_tensor(a, dtype=torch.float64) for a in args])

    return call


def lerp(x: Any, end: Any, weight: Any) -> Any:
    """The end that is nearer is where the line starts."""
    gap = end - x
    return np.where(
        np.abs(weight) < 0.5, x + weight * gap, end - gap * (1.0 - weight)
    )  # fmt: skip


def addcmul(x: Any, a: Any, b: Any, value: Any = 1) -> Any:
    return x + value * a * b


def addcdiv(x: Any, a: Any, b: Any, value: Any = 1) -> Any:
    return x + value * a / b


def logit(x: Any, eps: Any = None) -> Any:
    p = x if eps is None else np.clip(x, eps, 1 - eps)
    return np.log(p / (1 - p))


def sinc(x: Any) -> Any:
    """NumPy's overflows to nan where pi*x does."""
    return np.where(np.abs(x) > 1e300, np.sinc(np.where(np.isinf(x), x, 1e300)),
                    np.sinc(x))  # fmt: skip


def bessel(x: Any) -> Any:
    """PyTorch has nan at the infinities, where the limit is inf."""
    return np.where(np.isinf(x), np.inf, by_torch(torch.i0)(x))


ref("frac", numpy=lambda x: x - np.trunc(x), torch=torch.frac)
ref("fmod", numpy=np.fmod, torch=tensors(torch.fmod))
ref("deg2rad", numpy=np.deg2rad, torch=torch.deg2rad)
ref("rad2deg", numpy=np.rad2deg, torch=torch.rad2deg)
ref("exp2", numpy=np.exp2, torch=torch.exp2)
ref("sinc", numpy=sinc, torch=torch.sinc, factor=64.0, why=LONG)
ref("lerp", numpy=lerp, torch=tensors(torch.lerp))
ref("addcmul", numpy=addcmul, torch=addcmul, accepts="numeric")
ref("addcdiv", numpy=addcdiv, torch=addcdiv, accepts="float")
ref("xlogy", numpy=by_torch(torch.special.xlogy), torch=tensors(torch.special.xlogy))
ref("logit", numpy=logit, torch=torch.logit, accepts="float")
ref("erfc", numpy=by_torch(torch.erfc), torch=torch.erfc)
ref("erfinv", numpy=by_torch(torch.erfinv), torch=torch.erfinv, factor=4.0, why=LONG)
ref(
    "lgamma",
    numpy=by_torch(torch.lgamma),
    torch=torch.lgamma,
    factor=64.0,
    why=LONG + "; PyTorch's trigamma holds nine digits",
)
ref(
    "digamma",
    numpy=by_torch(torch.digamma),
    torch=torch.digamma,
    factor=64.0,
    why=LONG,
)
ref("i0", numpy=bessel, torch=torch.special.i0, factor=4.0, why=LONG)
