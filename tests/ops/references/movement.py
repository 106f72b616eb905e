"""References of fogo.ops.movement."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from fogo.ops.define import Sample
from tests.ops.rows import ref

X = ((2, 3, 4), -3.0, 3.0)
M = ((3, 4), -3.0, 3.0)


def permute(x: Any, axes: Any) -> Any:
    return x.permute(*axes)


def place(axis: int, rank: int) -> int:
    return axis + rank if axis < 0 else axis


# The same rule for NumPy and PyTorch, written once over what both can do.


def take_slice(x: Any, starts: Any, steps: Any, shape: Any) -> Any:
    """`shape` elements from `starts` by `steps`: by positions, one axis at a time."""
    for axis, (start, step, n) in enumerate(zip(starts, steps, shape)):
        places = [start + i * step for i in range(n)]
        if isinstance(x, torch.Tensor):
            x = torch.index_select(x, axis, torch.tensor(places, dtype=torch.int64))
        else:
            x = np.take(x, np.array(places, "int64"), axis)
    return x


def put_slice(x: Any, values: Any, starts: Any, steps: Any) -> Any:
    """A copy of x with values at `starts + i * steps`."""
    places = [
        [start + i * step for i in range(n)]
        for start, step, n in zip(starts, steps, values.shape)
    ]
    if not isinstance(x, torch.Tensor):
        out = x.copy()
        out[np.ix_(*places)] = values
        return out
    grids = torch.meshgrid(*[torch.tensor(p) for p in places], indexing="ij")
    return x.index_put(grids, values)


def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    key = [slice(None)] * x.ndim
    key[dim] = slice(start, start + length)
    return x[tuple(key)]


def split(x: Any, size: Any, axis: int = 0) -> Any:
    n = x.shape[axis]
    sizes = [min(size, n - i) for i in range(0, n, size)] if isinstance(
        size, int
    ) else size  # fmt: skip
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return [narrow(x, axis, a, s) for a, s in zip(starts, sizes)]


def chunk(x: Any, chunks: int, axis: int = 0) -> Any:
    return split(x, max(math.ceil(x.shape[axis] / chunks), 1), axis)


def flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    a, b = place(start_dim, x.ndim), place(end_dim, x.ndim)
    merged = math.prod(x.shape[a : b + 1])
    return x.reshape(tuple(x.shape[:a]) + (merged,) + tuple(x.shape[b + 1 :]))


def sum_to(x: Any, shape: Any) -> Any:
    """Sum what broadcasting `shape` to x's shape would repeat."""
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        lead + i for i, d in enumerate(shape) if d != x.shape[lead + i]
    )
    return (x.sum(axes) if axes else x).reshape(tuple(shape))


ref("reshape", numpy=np.reshape, torch=torch.reshape, args=("shape",))
ref("permute", numpy=np.transpose, torch=permute, args=("axes",))
ref(
    "permute_dims",
    numpy=np.transpose,
    torch=permute,
    args=("axes",),
    samples=(Sample(X, axes=(2, 0, 1)),),
)
ref(
    "transpose",
    numpy=lambda x, dim0=-2, dim1=-1: np.swapaxes(x, dim0, dim1),
    torch=lambda x, dim0=-2, dim1=-1: torch.transpose(x, dim0, dim1),
    samples=(Sample(X), Sample(X, dim0=0, dim1=-1)),
)
ref(
    "matrix_transpose",
    numpy=lambda x: np.swapaxes(x, -1, -2),
    torch=lambda x: x.mT,
    samples=(Sample(X),),
)
ref(
    "moveaxis",
    numpy=np.moveaxis,
    torch=torch.movedim,
    args=("source", "destination"),
    samples=(
        Sample(X, source=0, destination=-1),
        Sample(X, source=(0, 1), destination=(2, 0)),
    ),
)
ref(
    "expand",
    numpy=np.broadcast_to,
    torch=torch.broadcast_to,
    args=("shape",),
)
ref(
    "broadcast_to",
    numpy=np.broadcast_to,
    torch=torch.broadcast_to,
    args=("shape",),
    samples=(
        Sample(((3, 1), -3.0, 3.0), shape=(2, 3, 4)),
        Sample(((3, 1), -3.0, 3.0), shape=(3, 0)),
    ),
)
ref(
    "sum_to",
    numpy=sum_to,
    torch=sum_to,
    args=("shape",),
    accepts="float",
    samples=(Sample(X, shape=(3, 1)), Sample(X, shape=())),
    factor=4.0,
    why="many roundings in a row",
)
ref(
    "strided_slice",
    numpy=take_slice,
    torch=take_slice,
    args=("starts", "steps", "shape"),
    samples=(
        Sample(M, starts=(0, 1), steps=(1, 2), shape=(3, 2)),
        Sample(M, starts=(2, 3), steps=(-1, -2), shape=(3, 2)),
        Sample(M, starts=(0, 0), steps=(1, 1), shape=(3, 0)),
        Sample(((), -3.0, 3.0), starts=(), steps=(), shape=()),
    ),
)
ref("slice_assign", numpy=put_slice, torch=put_slice, args=("starts", "steps"))
ref(
    "narrow",
    numpy=narrow,
    torch=narrow,
    args=("dim", "start", "length"),
    samples=(
        Sample(X, dim=1, start=1, length=2),
        Sample(X, dim=-1, start=4, length=0),
    ),
)
ref(
    "flip",
    numpy=np.flip,
    torch=lambda x, axis=None: torch.flip(
        x, list(range(x.ndim)) if axis is None else np.atleast_1d(axis).tolist()
    ),
    samples=(
        Sample(X),
        Sample(X, axis=1),
        Sample(X, axis=(0, -1)),
        Sample(((0, 2), -1.0, 1.0)),
    ),
)
JOINED = (
    Sample(M, M, axis=1),
    Sample(M, ((2, 4), -3.0, 3.0), ((0, 4), -3.0, 3.0)),
    Sample(*[((2,), -3.0, 3.0)] * 9),
)
ref(
    "concat",
    numpy=np.concatenate,
    torch=lambda xs, axis=0: torch.cat(xs, axis),
    listed=True,
    samples=JOINED,
)
ref(
    "stack",
    numpy=np.stack,
    torch=lambda xs, axis=0: torch.stack(xs, axis),
    listed=True,
    samples=(Sample(M, M), Sample(M, M, M, axis=-1)),
)
ref(
    "unsqueeze",
    numpy=np.expand_dims,
    torch=torch.unsqueeze,
    args=("axis",),
    samples=(Sample(M, axis=0), Sample(M, axis=-1)),
)
ref(
    "expand_dims",
    numpy=lambda x, axis=0: np.expand_dims(x, axis),
    torch=lambda x, axis=0: torch.unsqueeze(x, axis),
    samples=(Sample(M), Sample(M, axis=1)),
)
ref(
    "squeeze",
    numpy=np.squeeze,
    torch=lambda x, axis=None: (
        torch.squeeze(x) if axis is None else torch.squeeze(x, axis)
    ),
    samples=(
        Sample(((1, 3, 1), -3.0, 3.0)),
        Sample(((1, 3, 1), -3.0, 3.0), axis=-1),
        Sample(((1, 3, 1), -3.0, 3.0), axis=(0, 2)),
    ),
)
ref(
    "flatten",
    numpy=flatten,
    torch=flatten,
    samples=(Sample(X), Sample(X, start_dim=1), Sample(X, start_dim=0, end_dim=1)),
)
ref(
    "split",
    numpy=split,
    torch=split,
    args=("size",),
    samples=(Sample(X, size=2, axis=1), Sample(X, size=[1, 3], axis=-1)),
)
ref(
    "chunk",
    numpy=chunk,
    torch=chunk,
    args=("chunks",),
    samples=(Sample(X, chunks=3, axis=-1), Sample(X, chunks=2)),
)
ref(
    "tile",
    numpy=np.tile,
    torch=torch.tile,
    args=("repetitions",),
    samples=(
        Sample(M, repetitions=(2, 1)),
        Sample(M, repetitions=(2, 1, 3)),
        Sample(M, repetitions=(0, 2)),
        Sample(M, repetitions=(2,)),
    ),
)
ref(
    "roll",
    numpy=np.roll,
    torch=lambda x, shift, axis=None: torch.roll(x, shift, axis),
    args=("shift",),
    samples=(
        Sample(M, shift=2),
        Sample(M, shift=-1, axis=1),
        Sample(M, shift=(1, 5), axis=(0, 1)),
    ),
)
