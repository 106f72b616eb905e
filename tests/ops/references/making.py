"""References of fogo.ops.making: NumPy's and PyTorch's functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref

FLOAT = ("float32",)


def embed(x: Any, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Any:
    """One element after the other."""
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    for i in range(x.shape[-1]):
        out[..., i + max(-offset, 0), i + max(offset, 0)] = x[..., i]
    return np.moveaxis(out, (-2, -1), (axis1, axis2))


def torch_embed(x: Any, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Any:
    return torch.diag_embed(x, offset, axis1, axis2)


def blocks(*arrays: Any) -> Any:
    parts = [np.atleast_2d(a) for a in arrays]
    out = np.zeros(
        (sum(p.shape[0] for p in parts), sum(p.shape[1] for p in parts)), parts[0].dtype
    )
    r = c = 0
    for p in parts:
        out[r : r + p.shape[0], c : c + p.shape[1]] = p
        r, c = r + p.shape[0], c + p.shape[1]
    return out


def choices(*arrays: Any) -> Any:
    if len(arrays) == 1:
        return arrays[0]
    grids = np.meshgrid(*arrays, indexing="ij")
    return np.stack([g.reshape(-1) for g in grids], 1)


def triangle(function: Any) -> Any:
    return lambda rows, cols, offset=0: np.stack(function(rows, offset, cols))


def one_hot(
    index: Any,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    axis: int = -1,
) -> Any:
    wrapped = np.where(index < 0, index + num_classes, index)
    hot = wrapped[..., None] == np.arange(num_classes)
    return np.moveaxis(np.where(hot, on_value, off_value), -1, axis)


def mask(hidden: Any) -> Any:
    """By the distance of column and row from the diagonal."""

    def call(shape: Any, offset: int = 0) -> Any:
        far = np.arange(shape[-1])[None] - np.arange(shape[-2])[:, None]
        return np.broadcast_to(hidden(far, offset), tuple(shape))

    return call


ref(
    "logspace",
    numpy=lambda start, end, steps, base=10.0: np.logspace(
        start, end, steps, base=base
    ),
    creates=True,
    dtypes=FLOAT,
    out="float32",
    factor=4.0,
    why="exp of a long logarithm",
)
for name, function in (("tril", np.tril_indices), ("triu", np.triu_indices)):
    ref(
        name + "_indices",
        numpy=triangle(function),
        creates=True,
        dtypes=FLOAT,
        out="int",
    )
ref("diag_embed", numpy=embed, torch=torch_embed, accepts="any")
ref(
    "diag",
    numpy=lambda x, offset=0: np.diag(x, offset),
    torch=lambda x, offset=0: torch.diag(x, offset),
    accepts="any",
)
ref(
    "diagflat",
    numpy=lambda x, offset=0: np.diagflat(x, offset),
    torch=lambda x, offset=0: torch.diagflat(x, offset),
    accepts="any",
)
ref("block_diag", numpy=blocks, torch=torch.block_diag, accepts="any")
ref("cartesian_prod", numpy=choices, torch=torch.cartesian_prod, accepts="any")
ref("one_hot_fill", numpy=one_hot, dtypes=("int32",), out="float32")
for name, hidden in (
    ("tril_mask", lambda far, offset: far > offset),
    ("triu_mask", lambda far, offset: far < offset),
    ("diag_mask", lambda far, offset: far != offset),
):
    ref(
        name,
        numpy=mask(hidden),
        creates=True,
        dtypes=FLOAT,
        args=("shape",),
        out="bool",
    )
