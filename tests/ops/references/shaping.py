"""References of fogo.ops.shaping and stacking: NumPy's and PyTorch's namesakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref


def both(name: str, *args: str, at: int | None = None, **rules: Any) -> None:
    """NumPy and PyTorch call it alike."""
    ref(
        name,
        numpy=getattr(np, name),
        torch=getattr(torch, name),
        accepts="any",
        args=args,
        at=at,
        **rules,
    )


def select(x: Any, axis: int, index: int) -> Any:
    """The slice by indexing, for NumPy and PyTorch."""
    return x[(slice(None),) * (axis % x.ndim) + (index,)]


def unbind(x: Any, axis: int = 0) -> Any:
    return [select(x, axis, i) for i in range(x.shape[axis])]


def unflatten(x: Any, axis: int, sizes: Any) -> Any:
    axis = axis % x.ndim
    return x.reshape((*x.shape[:axis], *sizes, *x.shape[axis + 1 :]))


def tensor_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """NumPy's counts a negative index from the end only once it is sliced with."""
    return np.array_split(x, indices_or_sections, axis)


def with_sizes(x: Any, sizes: Any, axis: int = 0) -> Any:
    return np.split(x, np.cumsum(sizes)[:-1], axis)


def put(place: Any) -> Any:
    """A copy with src where `place(x, …)` points."""

    def call(x: Any, src: Any, *args: Any, **options: Any) -> Any:
        out = x.copy()
        place(out, *args, **options)[...] = src
        return out

    return call


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    found = np.diagonal(x, offset, axis1, axis2)
    found.flags.writeable = True
    return found


def slices(x: Any, axis: int = 0, **bounds: Any) -> Any:
    ends = bounds.get("start"), bounds.get("end"), bounds.get("step", 1)
    return x[(slice(None),) * axis + (slice(*ends),)]


def alone(function: Any) -> Any:
    """NumPy gives some of these a list for one array."""
    return lambda x: np.asarray(function(x))


HOW = "indices_or_sections"
ref("t", numpy=lambda x: x.T, torch=torch.t, accepts="any")
both("ravel")
ref(
    "view",
    numpy=np.reshape,
    torch=torch.reshape,
    accepts="any",
    args=("shape",),
)
ref(
    "reshape_as",
    numpy=lambda x, other: x.reshape(other.shape),
    torch=lambda x, other: x.reshape(other.shape),
    accepts="any",
)
ref(
    "expand_as",
    numpy=lambda x, other: np.broadcast_to(x, other.shape),
    torch=lambda x, other: x.expand(other.shape),
    accepts="any",
)
ref(
    "unflatten",
    numpy=unflatten,
    torch=unflatten,
    accepts="any",
    args=("axis", "sizes"),
)
ref(
    "select",
    numpy=select,
    torch=torch.select,
    accepts="any",
    args=("axis", "index"),
)
ref(
    "unbind",
    numpy=unbind,
    torch=lambda x, axis=0: torch.unbind(x, axis),
    accepts="any",
)
ref(
    "tensor_split",
    numpy=tensor_split,
    torch=lambda x, indices_or_sections, axis=0: torch.tensor_split(
        x, indices_or_sections, axis
    ),
    accepts="any",
)
for name in ("hsplit", "vsplit", "dsplit"):
    both(name, HOW)
ref(
    "split_with_sizes",
    numpy=with_sizes,
    torch=lambda x, sizes, axis=0: torch.split_with_sizes(x, sizes, axis),
    accepts="any",
)
for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    ref(
        name,
        numpy=alone(getattr(np, name)),
        torch=getattr(torch, name),
        accepts="any",
    )
for name in ("hstack", "vstack", "dstack", "column_stack"):
    both(name, listed=True)
ref(
    "rot90",
    numpy=lambda x, k=1, axes=(0, 1): np.rot90(x, k, axes),
    torch=lambda x, k=1, axes=(0, 1): torch.rot90(x, k, axes),
    accepts="any",
)
both("fliplr")
both("flipud")
ref(
    "select_scatter",
    numpy=put(select),
    torch=torch.select_scatter,
    accepts="any",
    args=("axis", "index"),
)
ref(
    "slice_scatter",
    numpy=put(slices),
    torch=lambda x, src, axis=0, **o: torch.slice_scatter(x, src, axis, **o),
    accepts="any",
)
ref(
    "diagonal_scatter",
    numpy=put(diagonal),
    torch=lambda x, src, offset=0, axis1=0, axis2=1: torch.diagonal_scatter(
        x, src, offset, axis1, axis2
    ),
    accepts="any",
)
