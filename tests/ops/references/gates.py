"""References of fogo.ops.gates."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.rows import ref


def quiet(x: Any, axis: int = -1) -> Any:
    e = np.exp(x)
    return e / (1 + e.sum(axis, keepdims=True))


def torch_quiet(x: Any, axis: int = -1) -> Any:
    """A softmax with one more element, a zero, that is then left out."""
    zero = torch.zeros_like(x.narrow(axis, 0, 1))
    wide = torch.cat([x, zero], axis).softmax(axis)
    return wide.narrow(axis, 0, x.shape[axis])


def shrink(x: Any, lambd: float = 0.5, bias: float = 0.0) -> Any:
    out = np.where(x > lambd, x - bias, np.where(x < -lambd, x + bias, 0.0))
    return np.where(np.isnan(x), 0.0, out)


def torch_shrink(x: Any, lambd: float = 0.5, bias: float = 0.0) -> Any:
    return torch.where(x > lambd, x - bias, torch.where(x < -lambd, x + bias, 0.0))


def swiglu(x: Any, axis: int = -1) -> Any:
    a, b = np.split(x, 2, axis)
    return a / (1 + np.exp(-a)) * b


def torch_swiglu(x: Any, axis: int = -1) -> Any:
    a, b = x.chunk(2, axis)
    return F.silu(a) * b


def rrelu(x: Any, lower: float = 1 / 8, upper: float = 1 / 3) -> Any:
    return np.where(x > 0, x, x * (lower + upper) / 2)


ref("quiet_softmax", numpy=quiet, torch=torch_quiet, casts=True, factor=4.0,
    why="a quotient of sums")  # fmt: skip
ref("swiglu", numpy=swiglu, torch=torch_swiglu, accepts="float", factor=4.0,
    why="exp and a product")  # fmt: skip
ref(
    "thresholded_relu",
    numpy=lambda x, alpha=1.0: np.where(x > alpha, x, 0),
    torch=lambda x, alpha=1.0: F.threshold(x, alpha, 0.0),
    accepts="float",
)
ref("shrink", numpy=shrink, torch=torch_shrink, casts=True)
ref("rrelu", numpy=rrelu, torch=F.rrelu, casts=True)
