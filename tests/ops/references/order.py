"""References of fogo.ops.order: by sorting in NumPy; gradients by PyTorch's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref

PAIR = ["same", "int"]


def pick(x: Any, axis: int, keepdims: bool, rank: int) -> Any:
    """The element of a rank in each line, and its place."""
    order = np.argsort(x, axis, kind="stable")
    places = np.take(order, [rank], axis)
    values = np.take_along_axis(x, places, axis)
    if keepdims:
        return values, places
    return values.squeeze(axis), places.squeeze(axis)


def median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is None:
        found = np.sort(x, None)[(x.size - 1) // 2]
        return found.reshape((1,) * x.ndim) if keepdims else found
    return pick(x, axis, keepdims, (x.shape[axis] - 1) // 2)


def torch_median(function: Any) -> Any:
    def call(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if axis is None:
            return function(x).reshape((1,) * x.ndim if keepdims else ())
        return function(x, axis, keepdims)[0]

    return call


def mode(x: Any, axis: int = -1, keepdims: bool = False) -> Any:
    """Count the values of each line."""
    moved = np.moveaxis(x, axis, -1)
    values = np.zeros(moved.shape[:-1], x.dtype)
    places = np.zeros(moved.shape[:-1], "int64")
    for at in np.ndindex(*moved.shape[:-1]):
        found, counts = np.unique(moved[at], return_counts=True)
        values[at] = found[np.argmax(counts)]
        places[at] = np.flatnonzero(moved[at] == values[at])[-1]
    if keepdims:
        return np.expand_dims(values, axis), np.expand_dims(places, axis)
    return values, places


def torch_mode(x: Any, axis: int = -1, keepdims: bool = False) -> Any:
    """The element at the place that the definition gives: PyTorch leaves it open."""
    places = torch.tensor(mode(x.detach().numpy(), axis, True)[1])
    values = torch.gather(x, axis, places)
    return values if keepdims else values.squeeze(axis)


def share(x: Any, q: Any, axis: Any = None, keepdims: bool = False, **o: Any) -> Any:
    method = o.get("interpolation", "linear")
    return np.quantile(x, q, axis=axis, keepdims=keepdims, method=method)


def torch_share(x: Any, q: Any, axis: Any = None, **o: Any) -> Any:
    keep = o.get("keepdims", False)
    between = o.get("interpolation", "linear")
    shares = torch.tensor(q, dtype=torch.float64)
    return torch.quantile(x, shares, axis, keep, interpolation=between)


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
    return np.argsort(-x if largest else x, axis, kind="stable").take(range(k), axis)


ref(
    "median",
    numpy=median,
    torch=torch_median(torch.median),
    out=PAIR,
    accepts="any",
)
ref(
    "nanmedian",
    numpy=median,
    torch=torch_median(torch.nanmedian),
    out=PAIR,
    accepts="any",
)
ref(
    "kthvalue",
    numpy=lambda x, k, axis=-1, keepdims=False: pick(x, axis, keepdims, k - 1),
    torch=lambda x, k, axis=-1, keepdims=False: torch.kthvalue(x, k, axis, keepdims)[0],
    out=PAIR,
    accepts="any",
)
ref("mode", numpy=mode, torch=torch_mode, out=PAIR, accepts="any")
ref("msort", numpy=lambda x: np.sort(x, 0), torch=torch.msort, accepts="any")
ref("argtopk", numpy=topk, out="int", accepts="float")
for name in ("quantile", "nanquantile"):
    ref(
        name,
        numpy=share,
        torch=torch_share,
        casts=True,
        args=("q",),
        factor=4.0,
        why="positions are rounded as the dtype does",
    )
ref(
    "percentile",
    numpy=np.percentile,
    torch=lambda x, q, axis=None: torch_share(x, np.array(q) / 100, axis),
    casts=True,
    args=("q",),
    factor=4.0,
    why="positions are rounded as the dtype does",
)
