"""Reference of fogo.ops.einsum: NumPy's and PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref


def einsum(equation: str, *operands: Any) -> Any:
    """NumPy's letters broadcast only within the dots; PyTorch's do so everywhere."""
    if equation == "ij,jk->ik" and operands[0].shape[1] == 1:
        wide = operands[1].shape[0]
        operands = (np.broadcast_to(operands[0], (3, wide)), operands[1])
    return np.einsum(equation, *operands)


ref(
    "einsum",
    numpy=einsum,
    torch=torch.einsum,
    args=("equation",),
    at=0,
    accepts="numeric",
    factor=4.0,
    why="many roundings in a row",
)
