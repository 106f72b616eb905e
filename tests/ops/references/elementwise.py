"""References of fogo.ops.elementwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from fogo.ops.define import Sample
from tests.ops.rows import ref

X = ((3, 5), -3.0, 3.0)


def power(x: Any, y: Any) -> Any:
    """NumPy's power; an integer to a negative one is truncated, not refused."""
    if np.asarray(x).dtype.kind == "f":
        return np.power(x, y)
    x, y = np.broadcast_arrays(x, y)
    negative = y < 0
    whole = np.power(x, np.where(negative, 0, y).astype(x.dtype))
    odd = (y.astype("int64") & 1) == 1
    ones = np.where(x == 1, 1, np.where(x == -1, np.where(odd, -1, 1), 0))
    return np.where(negative, ones.astype(x.dtype), whole)


def of_tensors(function: Any) -> Any:
    """Let a PyTorch function that takes only tensors take numbers too."""

    def call(*args: Any) -> Any:
        return function(*[torch.as_tensor(a, dtype=torch.float64) for a in args])

    return call


def torch_clip(x: Any, min: Any = None, max: Any = None) -> Any:
    """PyTorch refuses a clip without bounds."""
    return x * 1 if min is None and max is None else torch.clip(x, min, max)


def numpy_cast(x: Any, dtype: str) -> Any:
    """A negative float to an unsigned integer is left open by C: wrap it, as we do."""
    if x.dtype.kind == "f" and "int" in dtype:
        return np.trunc(x).astype("int64").astype(dtype)
    return x.astype(dtype)


def torch_cast(x: Any, dtype: Any) -> Any:
    """Only a cast to a float carries a gradient."""
    floats = (torch.float16, torch.float32, torch.float64)
    return x * 1 if dtype in floats else x.detach().bool()


erf = np.vectorize(math.erf, otypes=["float64"])

# Arithmetic.
ref("add", numpy=np.add, torch=torch.add)
ref("sub", numpy=np.subtract, torch=torch.sub)
ref("mul", numpy=np.multiply, torch=torch.mul)
ref("div", numpy=np.divide, torch=torch.div)
ref("floor_divide", numpy=np.floor_divide, torch=lambda x, y: torch.floor(x / y))
ref("remainder", numpy=np.remainder, torch=lambda x, y: x - y * torch.floor(x / y))
ref("pow", numpy=power, torch=torch.pow, factor=4.0, why="exp of a long logarithm")
ref("maximum", numpy=np.maximum, torch=of_tensors(torch.maximum))
ref("minimum", numpy=np.minimum, torch=of_tensors(torch.minimum))
ref("atan2", numpy=np.arctan2, torch=of_tensors(torch.atan2))
ref("neg", numpy=np.negative, torch=torch.neg)
ref("abs", numpy=np.abs, torch=torch.abs)
ref("sign", numpy=np.sign, torch=torch.sign)
ref("square", numpy=np.square, torch=torch.square)
ref("reciprocal", numpy=lambda x: 1.0 / x, torch=torch.reciprocal)

# Exponentials, logarithms, roots.
ref("exp", numpy=np.exp, torch=torch.exp)
ref("expm1", numpy=np.expm1, torch=torch.expm1)
ref("log", numpy=np.log, torch=torch.log)
ref("log1p", numpy=np.log1p, torch=torch.log1p)
ref("log2", numpy=np.log2, torch=torch.log2)
ref("log10", numpy=np.log10, torch=torch.log10)
ref("sqrt", numpy=np.sqrt, torch=torch.sqrt)
ref("rsqrt", numpy=lambda x: 1.0 / np.sqrt(x), torch=torch.rsqrt)

# Trigonometry and hyperbolic functions.
ref("sin", numpy=np.sin, torch=torch.sin)
ref("cos", numpy=np.cos, torch=torch.cos)
ref("tan", numpy=np.tan, torch=torch.tan)
ref("asin", numpy=np.arcsin, torch=torch.asin)
ref("acos", numpy=np.arccos, torch=torch.acos)
ref("atan", numpy=np.arctan, torch=torch.atan)
ref("sinh", numpy=np.sinh, torch=torch.sinh)
ref("cosh", numpy=np.cosh, torch=torch.cosh)
ref("tanh", numpy=np.tanh, torch=torch.tanh)
ref("asinh", numpy=np.arcsinh, torch=torch.asinh)
ref("acosh", numpy=np.arccosh, torch=torch.acosh)
ref("atanh", numpy=np.arctanh, torch=torch.atanh)
ref("erf", numpy=erf, torch=torch.erf)

# Rounding, tests.
ref("floor", numpy=np.floor, torch=torch.floor)
ref("ceil", numpy=np.ceil, torch=torch.ceil)
ref("trunc", numpy=np.trunc, torch=torch.trunc)
ref("round", numpy=np.round, torch=torch.round)
ref("isnan", numpy=np.isnan)
ref("isinf", numpy=np.isinf)
ref("isfinite", numpy=np.isfinite)

# Comparisons.
ref("less", numpy=np.less)
ref("less_equal", numpy=np.less_equal)
ref("greater", numpy=np.greater)
ref("greater_equal", numpy=np.greater_equal)
ref("equal", numpy=np.equal)
ref("not_equal", numpy=np.not_equal)

# Truth.
for _name in ("logical_and", "logical_or", "logical_xor"):
    ref(
        _name,
        numpy=getattr(np, _name),
        accepts="any",
        samples=(Sample(X, X), Sample(((3, 1), -1.0, 1.0), ((5,), 0, 1, "bool"))),
    )
ref("logical_not", numpy=np.logical_not, accepts="any", samples=(Sample(X),))

# Bits.
ref("bitwise_and", numpy=np.bitwise_and)
ref("bitwise_or", numpy=np.bitwise_or)
ref("bitwise_xor", numpy=np.bitwise_xor)
ref("bitwise_not", numpy=np.bitwise_not)
ref("bitwise_left_shift", numpy=np.left_shift)
ref("bitwise_right_shift", numpy=np.right_shift)

# Choices and conversions.
ref("where", numpy=np.where, torch=torch.where)
ref(
    "clip",
    numpy=lambda x, min=None, max=None: np.clip(x, min, max),
    torch=torch_clip,
    accepts="numeric",
    samples=(
        Sample(X, min=0, max=2),
        Sample(X, min=1),
        Sample(X, max=1),
        Sample(X),
    ),
)
ref(
    "astype",
    numpy=numpy_cast,
    torch=torch_cast,
    out="numpy",
    accepts="any",
    samples=[
        Sample(X, dtype=d)
        for d in (
            "bool", "int8", "int32", "uint8", "uint32", "float16", "float32", "float64"
        )
    ],
)  # fmt: skip
ref(
    "contiguous",
    numpy=lambda x: x,
    torch=lambda x: x * 1,
    accepts="any",
    samples=(Sample(X), Sample(((2, 0), -3.0, 3.0)), Sample(((), -3.0, 3.0))),
)
