"""References of fogo.ops.activation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from fogo.ops.define import Sample
from tests.ops.rows import ref

X = ((3, 5), -3.0, 3.0)
erf = np.vectorize(math.erf, otypes=["float64"])


def sigmoid(x: Any) -> Any:
    """Neither side overflows."""
    z = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, z) / (1.0 + z)


def softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    scaled = x * beta
    soft = (np.maximum(scaled, 0) + np.log1p(np.exp(-np.abs(scaled)))) / beta
    return np.where(scaled > threshold, x, soft)


def gelu(x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1 + np.tanh(inner))
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def elu(x: Any, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def celu(x: Any, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


def selu(x: Any) -> Any:
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


def leaky_relu(x: Any, negative_slope: float = 0.01) -> Any:
    return np.where(x > 0, x, x * negative_slope)


def prelu(x: Any, weight: Any) -> Any:
    axes = (1,) * max(x.ndim - 2, 0)
    return leaky_relu(x, weight.reshape((-1, *axes)))


def hard_sigmoid(x: Any) -> Any:
    return np.clip(x / 6 + 0.5, 0, 1)


def hard_swish(x: Any) -> Any:
    return np.where(x >= 3, x, np.where(x <= -3, 0, x * hard_sigmoid(x)))


def softshrink(x: Any, lambd: float = 0.5) -> Any:
    inside = np.where(np.isnan(x), x, 0.0)
    return np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, inside))


def hardshrink(x: Any, lambd: float = 0.5) -> Any:
    return np.where((x >= -lambd) & (x <= lambd), 0, x)


def glu(x: Any, axis: int = -1) -> Any:
    a, b = np.split(x, 2, axis)
    return a * sigmoid(b)


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    top = np.max(x, axis, keepdims=True)
    total = np.log(np.sum(np.exp(x - top), axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)


def log_softmax(x: Any, axis: int = -1) -> Any:
    return x - logsumexp(x, axis, True)


def softmax(x: Any, axis: int = -1) -> Any:
    return np.exp(log_softmax(x, axis))


def torch_logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    axes = tuple(range(x.ndim)) if axis is None else axis
    return torch.logsumexp(x, axes, keepdims)


def torch_mish(x: Any) -> Any:
    return x * torch.tanh(F.softplus(x))


# Plain formulas.
ref("relu", numpy=lambda x: np.where(x <= 0, 0, x).astype(x.dtype), torch=F.relu)
ref(
    "relu6",
    numpy=lambda x: np.where(x <= 0, 0, np.where(x >= 6, 6, x)).astype(x.dtype),
    torch=F.relu6,
)
ref("sigmoid", numpy=sigmoid, torch=torch.sigmoid)
ref(
    "log_sigmoid",
    numpy=lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))),
    torch=F.logsigmoid,
)
ref("silu", numpy=lambda x: x * sigmoid(x), torch=F.silu)
ref("mish", numpy=lambda x: x * np.tanh(softplus(x)), torch=torch_mish)
ref("softsign", numpy=lambda x: x / (1 + np.abs(x)), torch=F.softsign)
ref("tanhshrink", numpy=lambda x: x - np.tanh(x), torch=F.tanhshrink)
ref("hard_sigmoid", numpy=hard_sigmoid, torch=lambda x: F.relu6(x + 3) / 6)
ref("hard_swish", numpy=hard_swish, torch=F.hardswish)
ref("selu", numpy=selu, torch=F.selu)

# With options.
ref(
    "gelu",
    numpy=gelu,
    torch=lambda x, approximate="none": F.gelu(x, approximate=approximate),
    pointwise=True,
)
ref(
    "leaky_relu",
    numpy=leaky_relu,
    torch=F.leaky_relu,
    pointwise=True,
    samples=(Sample(X), Sample(X, negative_slope=0.2)),
)
ref("prelu", numpy=prelu, torch=F.prelu, casts=True)
ref(
    "elu",
    numpy=elu,
    torch=F.elu,
    pointwise=True,
    samples=(Sample(X), Sample(X, alpha=0.5)),
)
ref(
    "celu",
    numpy=celu,
    torch=F.celu,
    pointwise=True,
    samples=(Sample(X), Sample(X, alpha=0.5)),
)
ref(
    "softplus",
    numpy=softplus,
    torch=F.softplus,
    pointwise=True,
    samples=(Sample(X), Sample(((3, 5), -9.0, 9.0), beta=2.0, threshold=10.0)),
)
ref(
    "hardtanh",
    numpy=lambda x, min_val=-1.0, max_val=1.0: np.clip(x, min_val, max_val),
    torch=F.hardtanh,
    pointwise=True,
    samples=(Sample(X), Sample(X, min_val=-2.0, max_val=0.5)),
)
ref(
    "hardshrink",
    numpy=hardshrink,
    torch=F.hardshrink,
    pointwise=True,
    samples=(Sample(X), Sample(X, lambd=1.5)),
)
ref(
    "softshrink",
    numpy=softshrink,
    torch=F.softshrink,
    pointwise=True,
    samples=(Sample(X), Sample(X, lambd=1.5)),
)
ref(
    "threshold",
    numpy=lambda x, threshold, value: np.where(x <= threshold, value, x),
    torch=F.threshold,
    pointwise=True,
    samples=(Sample(X, threshold=1, value=2), Sample(X, threshold=0, value=1)),
)
ref("glu", numpy=glu, torch=lambda x, axis=-1: F.glu(x, axis), casts=True)

# Softmaxes: ints are cast by the function, not by a formula.
ref(
    "softmax",
    numpy=softmax,
    torch=lambda x, axis=-1: torch.softmax(x, axis),
    casts=True,
    factor=4.0,
    why="a quotient of sums",
)
ref(
    "log_softmax",
    numpy=log_softmax,
    torch=lambda x, axis=-1: torch.log_softmax(x, axis),
    casts=True,
    factor=4.0,
    why="a logarithm of sums",
)
ref(
    "softmin",
    numpy=lambda x, axis=-1: softmax(-x, axis),
    torch=lambda x, axis=-1: torch.softmax(-x, axis),
    accepts="float",
    factor=4.0,
    why="a quotient of sums",
)
ref(
    "logsumexp",
    numpy=logsumexp,
    torch=torch_logsumexp,
    casts=True,
    factor=4.0,
    why="a logarithm of sums",
)
