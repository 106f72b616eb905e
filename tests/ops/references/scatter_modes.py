"""References of fogo.ops.scatter_modes: one value after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref

JOIN = {
    "sum": lambda a, b: a + b,
    "mean": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "amax": max,
    "amin": min,
}


def scatter(
    x: Any,
    axis: int,
    index: Any,
    src: Any,
    reduce: str = "sum",
    include_self: bool = True,
) -> Any:
    out, seen = x.copy(), np.zeros(x.shape, "int64")
    counts = seen + (1 if include_self else 0)
    for place in np.ndindex(*index.shape):
        row = int(index[place])
        row = row + x.shape[axis] if row < 0 else row
        if not 0 <= row < x.shape[axis]:
            continue
        at = (*place[:axis], row, *place[axis + 1 :])
        first = not include_self and seen[at] == 0
        with np.errstate(over="ignore"):
            out[at] = src[place] if first else JOIN[reduce](out[at], src[place])
        seen[at] += 1
        counts[at] += 1
    if reduce == "mean":
        counts = np.maximum(counts, 1).astype(x.dtype)
        return out / counts if x.dtype.kind == "f" else out // counts
    return out


def positive(index: Any, n: int) -> Any:
    return torch.where(index < 0, index + n, index)


def torch_scatter(x: Any, axis: int, index: Any, src: Any, **o: Any) -> Any:
    o.setdefault("reduce", "sum")
    src = src[tuple(slice(0, n) for n in index.shape)]
    return torch.scatter_reduce(x, axis, positive(index, x.shape[axis]), src, **o)


def rows(x: Any, axis: int, index: Any, src: Any, **o: Any) -> Any:
    """One index for whole slices of axis 0."""
    wide = np.broadcast_to(index[:, None], src.shape)
    return scatter(x, axis, wide, src, **o)


def torch_rows(x: Any, axis: int, index: Any, src: Any, **o: Any) -> Any:
    return torch_scatter(x, axis, index[:, None].expand(src.shape), src, **o)


for name, numpy_form, torch_form in (
    ("scatter_reduce", scatter, torch_scatter),
    ("index_reduce", rows, torch_rows),
):
    ref(
        name,
        numpy=numpy_form,
        torch=torch_form,
        accepts="numeric",
        args=("axis",),
        at=1,
        factor=16.0,
        why="products of many factors, and their quotients",
    )
