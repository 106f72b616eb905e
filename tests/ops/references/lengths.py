"""References of fogo.ops.lengths: the definitions in NumPy, PyTorch's gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref

SUMS = "powers, sums and roots"


def cdist(a: Any, b: Any, p: float = 2.0) -> Any:
    return np.linalg.norm(a[..., :, None, :] - b[..., None, :, :], p, axis=-1)


def torch_cdist(a: Any, b: Any, p: float = 2.0) -> Any:
    """By its definition: PyTorch's own has no second derivative."""
    gap = a.unsqueeze(-2) - b.unsqueeze(-3)
    return torch.linalg.vector_norm(gap, p, dim=-1)


ref("cdist", numpy=cdist, torch=torch_cdist, accepts="float", factor=8.0, why=SUMS)
