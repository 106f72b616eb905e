"""References of fogo.ops.reduce."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from fogo.ops.define import Sample
from tests.ops.rows import ref

X = ((3, 5, 2), -3.0, 3.0)
SAMPLES = (
    Sample(X),
    Sample(X, axis=1),
    Sample(X, axis=(0, -1), keepdims=True),
    Sample(((0, 3), -3.0, 3.0), axis=1),
    Sample(((), -3.0, 3.0)),
)
# What has a value for no elements at all.
WITH_EMPTY = SAMPLES + (Sample(((0, 3), -3.0, 3.0), axis=0), Sample(((2, 0), -1, 1)))


def accumulated(dtype: str) -> str:
    """Small integers and bools are summed in the default integer."""
    if dtype.startswith("float") or dtype in ("int64", "uint64"):
        return dtype
    return "uint" if dtype.startswith("uint") else "int"


def _axes(x: Any, axis: Any) -> Any:
    return tuple(range(x.ndim)) if axis is None else axis


def torch_prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """PyTorch multiplies over one axis at a time."""
    axes = _axes(x, axis)
    axes = (axes,) if isinstance(axes, int) else axes
    for a in sorted([a % max(x.ndim, 1) for a in axes], reverse=True):
        x = torch.prod(x, a, keepdim=keepdims)
    return x


def torch_extreme(function: Any) -> Any:
    """amax and amin share the gradient among equals, as we do."""

    def call(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return function(x, dim=() if axis is None else axis, keepdim=keepdims)

    return call


def whole(x: Any) -> Any:
    """Sums of bools are counted in integers."""
    return x.astype("int64") if x.dtype.kind == "b" else x


ref(
    "sum",
    numpy=lambda x, **o: np.sum(whole(x), **o),
    torch=lambda x, axis=None, keepdims=False: torch.sum(x, dim=axis, keepdim=keepdims),
    out=accumulated,
    accepts="any",
    samples=WITH_EMPTY,
    factor=4.0,
    why="many roundings in a row",
)
ref(
    "prod",
    numpy=lambda x, **o: np.prod(whole(x), **o),
    torch=torch_prod,
    out=accumulated,
    accepts="any",
    samples=(
        Sample(((3, 2, 2), -1.5, 1.5)),
        Sample(((3, 4), -1.5, 1.5), axis=1),
        Sample(((2, 3, 2), -1.5, 1.5), axis=(0, -1), keepdims=True),
        Sample(((2, 0), -1.0, 1.0)),
    ),
    factor=4.0,
    why="many roundings in a row",
)
ref("max", numpy=np.max, torch=torch_extreme(torch.amax), samples=SAMPLES)
ref("min", numpy=np.min, torch=torch_extreme(torch.amin), samples=SAMPLES)
ref("all", numpy=np.all, samples=WITH_EMPTY, accepts="any")
ref("any", numpy=np.any, samples=WITH_EMPTY, accepts="any")
ref(
    "mean",
    numpy=np.mean,
    torch=lambda x, axis=None, keepdims=False: torch.mean(
        x, dim=_axes(x, axis), keepdim=keepdims
    ),
    samples=SAMPLES,
    casts=True,
    factor=4.0,
    why="many roundings in a row",
)


def spread_of(function: Any) -> Any:
    """NumPy calls the correction ddof."""

    def call(x: Any, axis: Any = None, correction: float = 0, **o: Any) -> Any:
        return function(x, axis=axis, ddof=correction, **o)

    return call


def torch_spread_of(function: Any) -> Any:
    """PyTorch corrects by 1 unless told otherwise."""

    def call(
        x: Any, axis: Any = None, correction: float = 0, keepdims: bool = False
    ) -> Any:
        axes = _axes(x, axis)
        return function(x, dim=axes, correction=correction, keepdim=keepdims)

    return call


MOMENTS = (
    Sample(X),
    Sample(X, axis=1, correction=1),
    Sample(X, axis=(0, -1), keepdims=True),
)
for name in ("var", "std"):
    ref(
        name,
        numpy=spread_of(getattr(np, name)),
        torch=torch_spread_of(getattr(torch, name)),
        samples=MOMENTS,
        casts=True,
        factor=8.0,
        why="differences from the mean, squared and added",
    )


def first_of(function: Any) -> Any:
    """NumPy's argmax keeps the axis by its own option."""

    def call(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return function(x, axis=axis, keepdims=keepdims)

    return call


ref("argmax", numpy=first_of(np.argmax), out="int")
ref("argmin", numpy=first_of(np.argmin), out="int")
ref(
    "count_nonzero",
    numpy=lambda x, axis=None, keepdims=False: np.count_nonzero(
        x, axis=axis, keepdims=keepdims
    ),
    samples=WITH_EMPTY,
    accepts="any",
    out="int",
)
