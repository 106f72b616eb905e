"""References of fogo.ops.stats: NumPy's functions, PyTorch's gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.references.reduce import accumulated
from tests.ops.rows import ref

SUMS = "many roundings in a row"


def axes(x: Any, axis: Any) -> Any:
    return tuple(range(x.ndim)) if axis is None else axis


def spread_mean(name: str) -> Any:
    """The variance (or deviation) and the mean."""

    def call(x: Any, axis: Any = None, correction: float = 0, **o: Any) -> Any:
        spread = getattr(np, name)(x, axis=axis, ddof=correction, **o)
        return spread, np.mean(x, axis=axis, **o)

    return call


def torch_spread_mean(function: Any) -> Any:
    def call(x: Any, axis: Any = None, correction: float = 0, **o: Any) -> Any:
        keep = o.get("keepdims", False)
        over = axes(x, axis)
        return function(x, dim=over, correction=correction, keepdim=keep)

    return call


def aminmax(x: Any, **o: Any) -> Any:
    return np.min(x, **o), np.max(x, **o)


def torch_aminmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Extremes that share their gradient among equals."""
    over = axes(x, axis)
    return torch.amin(x, over, keepdims), torch.amax(x, over, keepdims)


ref(
    "nansum",
    numpy=lambda x, **o: np.nansum(
        x.astype("int64") if x.dtype.kind == "b" else x, **o
    ),
    torch=lambda x, axis=None, keepdims=False: torch.nansum(x, axis, keepdims),
    out=accumulated,
    accepts="any",
    factor=4.0,
    why=SUMS,
)
ref(
    "nanmean",
    numpy=np.nanmean,
    torch=lambda x, axis=None, keepdims=False: torch.nanmean(x, axis, keepdims),
    casts=True,
    factor=4.0,
    why=SUMS,
)
for name in ("var", "std"):
    ref(
        name + "_mean",
        numpy=spread_mean(name),
        torch=torch_spread_mean(getattr(torch, name + "_mean")),
        casts=True,
        factor=8.0,
        why="differences from the mean, squared and added",
    )
ref("aminmax", numpy=aminmax, torch=torch_aminmax, accepts="numeric")
ref(
    "cov",
    numpy=lambda x, correction=1: np.cov(x, ddof=correction),
    torch=lambda x, correction=1: torch.cov(x, correction=correction),
    casts=True,
    factor=8.0,
    why=SUMS,
)
ref(
    "corrcoef",
    numpy=np.corrcoef,
    torch=torch.corrcoef,
    casts=True,
    factor=16.0,
    why=SUMS,
)
