"""References of fogo.ops.sort: NumPy's and PyTorch's stable sorts."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref


def argsort(x: Any, axis: int = -1, descending: bool = False) -> Any:
    """Stable both ways: descending is the last first, read from the end."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    back = np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - back, axis)


def sort_pairs(x: Any, axis: int = -1, descending: bool = False) -> Any:
    order = argsort(x, axis, descending)
    return np.take_along_axis(x, order, axis), order


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
    values, order = sort_pairs(x, axis, largest)
    first = range(k)
    return values.take(first, axis), order.take(first, axis)


def torch_sort(x: Any, axis: int = -1, descending: bool = False) -> Any:
    return torch.sort(x, dim=axis, descending=descending, stable=True)[0]


def torch_topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
    return torch_sort(x, axis, largest).narrow(axis, 0, k)


ref("argsort", numpy=argsort, out="int", accepts="any")
ref(
    "sort",
    numpy=lambda *a, **k: sort_pairs(*a, **k)[0],
    torch=torch_sort,
    out="same",
    accepts="any",
)
ref(
    "sort_pairs", numpy=sort_pairs, torch=torch_sort, out=["same", "int"], accepts="any"
)
ref("topk", numpy=topk, torch=torch_topk, out=["same", "int"], accepts="any")
ref("searchsorted", numpy=np.searchsorted, out="int")
