"""References of fogo.ops.arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref


def torch_repeat(x: Any, repeats: int, axis: int | None = None) -> Any:
    return torch.repeat_interleave(x, repeats, dim=axis)


def unstack(x: Any, axis: int = 0) -> Any:
    return [np.take(x, i, axis) for i in range(x.shape[axis])]


def diff(x: Any, axis: int = -1, n: int = 1) -> Any:
    return np.diff(x, n, axis)


def vecdot(a: Any, b: Any, axis: int = -1) -> Any:
    if a.dtype.kind == "b":
        a, b = a.astype(int), b.astype(int)
    return (np.conj(np.moveaxis(a, axis, -1)) * np.moveaxis(b, axis, -1)).sum(
        -1, dtype=a.dtype
    )


def torch_vecdot(a: Any, b: Any, axis: int = -1) -> Any:
    return (torch.movedim(a, axis, -1) * torch.movedim(b, axis, -1)).sum(-1)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    return np.tensordot(a, b, axes)


def torch_tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    return torch.tensordot(a, b, dims=axes)


def torch_meshgrid(*arrays: Any, indexing: str = "xy") -> Any:
    return torch.meshgrid(*arrays, indexing=indexing)


ref("repeat", numpy=np.repeat, torch=torch_repeat, accepts="any")
ref(
    "unstack",
    numpy=unstack,
    torch=lambda x, axis=0: torch.unbind(x, axis),
    accepts="any",
)
ref(
    "diff",
    numpy=diff,
    torch=lambda x, axis=-1, n=1: torch.diff(x, n=n, dim=axis),
    accepts="numeric",
)
ref(
    "tensordot",
    numpy=tensordot,
    torch=torch_tensordot,
    accepts="numeric",
    factor=8.0,
    why="sums of up to 12 products",
)
ref(
    "vecdot",
    numpy=vecdot,
    torch=torch_vecdot,
    accepts="numeric",
    factor=8.0,
    why="sums of products",
)
ref("meshgrid", numpy=np.meshgrid, torch=torch_meshgrid, accepts="any")
ref(
    "broadcast_arrays",
    numpy=np.broadcast_arrays,
    torch=torch.broadcast_tensors,
    accepts="any",
)
