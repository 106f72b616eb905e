"""References of fogo.ops.places: one place after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref

JOIN = {
    None: lambda a, b: b,
    "sum": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "max": lambda a, b: np.maximum(a, b),
    "amin": lambda a, b: np.minimum(a, b),
}
TORCH = {"sum": "sum", "mul": "prod", "max": "amax", "amin": "amin"}


def inside(place: Any, shape: Any) -> Any:
    """The place counted from the front, or None where there is none."""
    at = [i + n if i < 0 else i for i, n in zip((int(p) for p in place), shape)]
    return tuple(at) if all(0 <= i < n for i, n in zip(at, shape)) else None


def gather_nd(x: Any, index: Any) -> Any:
    """Zero where a place is outside; for NumPy and PyTorch."""
    parts = []
    for place in index.reshape(-1, index.shape[-1]):
        at = inside(place, x.shape)
        parts.append(x[at] if at is not None else x[(0,) * len(place)] * 0)
    shape = (*index.shape[:-1], *x.shape[index.shape[-1] :])
    joined = torch.stack(parts) if isinstance(x, torch.Tensor) else np.stack(parts)
    return joined.reshape(shape)


def scatter_nd(x: Any, index: Any, values: Any, reduce: Any = None) -> Any:
    rest = x.shape[index.shape[-1] :]
    wide = np.broadcast_to(values, (*index.shape[:-1], *rest)).reshape(-1, *rest)
    out = x.copy()
    for place, value in zip(index.reshape(-1, index.shape[-1]), wide):
        at = inside(place, x.shape)
        if at is not None:
            with np.errstate(over="ignore"):
                out[at] = JOIN[reduce](out[at], value)
    return out


def torch_scatter_nd(x: Any, index: Any, values: Any, reduce: Any = None) -> Any:
    """By a flat index and scatter_reduce; to put is to keep the last of each place."""
    depth = index.shape[-1]
    rest = x.shape[depth:]
    rows = x.reshape(-1, *rest)
    places = [inside(p, x.shape) for p in index.reshape(-1, depth)]
    wide = values.expand(*index.shape[:-1], *rest).reshape(-1, *rest)
    last = {at: i for i, at in enumerate(places) if at is not None}
    kept = [i for i, at in enumerate(places) if at is not None]
    kept = sorted(last.values()) if reduce is None else kept
    lead = tuple(x.shape[:depth])
    flat = torch.tensor([int(np.ravel_multi_index(places[i], lead)) for i in kept])
    wide = wide[kept]
    if reduce is None:
        return rows.index_copy(0, flat, wide).reshape(x.shape)
    whole = flat.reshape(-1, *[1] * len(rest)).expand(wide.shape)
    return rows.scatter_reduce(0, whole, wide, TORCH[reduce]).reshape(x.shape)


def index_put(x: Any, index: Any, values: Any, accumulate: bool = False) -> Any:
    return scatter_nd(x, index[..., None], values, "sum" if accumulate else None)


def torch_index_put(x: Any, index: Any, values: Any, accumulate: bool = False) -> Any:
    mode = "sum" if accumulate else None
    return torch_scatter_nd(x, index[..., None], values, mode)


def index_fill(x: Any, axis: int, index: Any, value: Any) -> Any:
    out = x.copy()
    out[(slice(None),) * axis + (index,)] = value
    return out


def torch_index_fill(x: Any, axis: int, index: Any, value: Any) -> Any:
    return x.index_fill(axis, index % x.shape[axis], value)


def along(x: Any, index: Any, dim: Any = None) -> Any:
    if dim is None:
        return x.reshape(-1)[index]
    return np.take_along_axis(x, index, dim)


ref("gather_nd", numpy=gather_nd, torch=gather_nd, accepts="any")
ref(
    "scatter_nd",
    numpy=scatter_nd,
    torch=torch_scatter_nd,
    accepts="numeric",
    factor=16.0,
    why="products, and their quotients",
)
ref("index_put", numpy=index_put, torch=torch_index_put, accepts="numeric")
ref(
    "index_fill",
    numpy=index_fill,
    torch=torch_index_fill,
    accepts="any",
    args=("axis",),
    at=1,
)
ref(
    "argwhere",
    numpy=np.argwhere,
    out="int",
    accepts="any",
    host=True,
    why="the size of the result is read",
)
ref("take_along_dim", numpy=along, torch=torch.take_along_dim, accepts="any")
