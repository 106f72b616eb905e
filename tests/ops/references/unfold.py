"""References of fogo.ops.unfold: PyTorch's, and NumPy's windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.rows import ref


def windows(x: Any, axis: int, size: int, step: int = 1, dilation: int = 1) -> Any:
    """Windows one after the other."""
    axis = axis % x.ndim
    count = (x.shape[axis] - dilation * (size - 1) - 1) // step + 1
    found = [
        np.take(
            x, range(i * step, i * step + dilation * (size - 1) + 1, dilation), axis
        )
        for i in range(count)
    ]
    return np.moveaxis(np.stack(found, axis), axis + 1, -1)


def torch_windows(
    x: Any, axis: int, size: int, step: int = 1, dilation: int = 1
) -> Any:
    return x.unfold(axis, dilation * (size - 1) + 1, step)[..., ::dilation]


def through_torch(function: Any) -> Any:
    """PyTorch in float64: exact for the grid's whole numbers too."""

    def call(x: Any, **options: Any) -> Any:
        return function(torch.tensor(x.astype("float64")), **options).numpy()

    return call


ref("sliding_windows", numpy=windows, torch=torch_windows)
ref("unfold", numpy=through_torch(F.unfold), torch=F.unfold, accepts="numeric")
ref("fold", numpy=through_torch(F.fold), torch=F.fold, accepts="numeric")
