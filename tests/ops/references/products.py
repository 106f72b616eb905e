"""References of fogo.ops.products."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref

SUMS = "many roundings in a row"


def cross(x: Any, other: Any, axis: int = -1) -> Any:
    """By components."""
    x, other = np.broadcast_arrays(x, other)
    a, b = np.moveaxis(x, axis, 0), np.moveaxis(other, axis, 0)
    parts = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    return np.stack(parts, axis).astype(x.dtype)


def addmm(x: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    return beta * x + alpha * (a @ b)


ref(
    "cross",
    numpy=cross,
    torch=lambda x, y, axis=-1: torch.linalg.cross(x, y, dim=axis),
    accepts="numeric",
)
for name in ("mm", "bmm", "mv"):
    ref(
        name,
        numpy=np.matmul,
        torch=getattr(torch, name),
        accepts="numeric",
        factor=4.0,
        why=SUMS,
    )
ref("addmm", numpy=addmm, torch=addmm, accepts="numeric", factor=4.0, why=SUMS)
