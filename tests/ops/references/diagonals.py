"""References of fogo.ops.diagonals."""

from __future__ import annotations

import numpy as np
import torch

from tests.ops.rows import ref

ref("diagonal", numpy=lambda x, offset=0, axis1=-2, axis2=-1: np.diagonal(
    x, offset, axis1, axis2), torch=lambda x, offset=0, axis1=-2, axis2=-1:
    torch.diagonal(x, offset, axis1, axis2))  # fmt: skip
ref(
    "trace",
    numpy=lambda x, offset=0: np.trace(x, offset, -2, -1),
    torch=lambda x, offset=0: torch.diagonal(x, offset, -2, -1).sum(-1),
    accepts="float",
)
