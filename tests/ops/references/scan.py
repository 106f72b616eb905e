"""References of fogo.ops.scan: one element after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.references.reduce import accumulated, whole
from tests.ops.rows import ref

SUMS = "many roundings in a row"


def line(x: Any, axis: int) -> list[Any]:
    """The slices of an axis in order."""
    return [x.take(i, axis) for i in range(x.shape[axis])]


def with_initial(scan: Any, first: int) -> Any:
    """A scan by its name in the array API standard."""

    def call(x: Any, axis: int | None = None, include_initial: bool = False) -> Any:
        axis = 0 if axis is None else axis
        out = scan(x, axis)
        if not include_initial:
            return out
        shape = [1 if a == axis % x.ndim else n for a, n in enumerate(x.shape)]
        if isinstance(out, torch.Tensor):
            return torch.cat(
                [torch.full(shape, float(first), dtype=out.dtype), out], axis
            )
        return np.concatenate([np.full(shape, first, out.dtype), out], axis)

    return call


def np_cumsum(x: Any, axis: int) -> Any:
    return np.cumsum(whole(x), axis)


def np_cumprod(x: Any, axis: int) -> Any:
    return np.cumprod(whole(x), axis)


def np_linear(a: Any, b: Any, axis: int) -> Any:
    out, h = np.zeros_like(a), 0
    for i in range(a.shape[axis]):
        at = [slice(None)] * a.ndim
        at[axis] = i
        h = a[tuple(at)] * h + b[tuple(at)]
        out[tuple(at)] = h
    return out


def torch_linear(a: Any, b: Any, axis: int) -> Any:
    h, out = torch.zeros_like(a.sum(axis)), []
    for x, y in zip(a.unbind(axis), b.unbind(axis)):
        h = x * h + y
        out.append(h)
    return torch.stack(out, axis) if out else a * b


def np_extreme(better: Any) -> Any:
    """The best so far and its place; of equal ones the last."""

    def call(x: Any, axis: int) -> Any:
        values, places = x.copy(), np.zeros(x.shape, "int64")
        moved, out = np.moveaxis(values, axis, 0), np.moveaxis(places, axis, 0)
        for i in range(1, len(moved)):
            wins = better(moved[i], moved[i - 1])
            out[i] = np.where(wins, i, out[i - 1])
            moved[i] = np.where(wins, moved[i], moved[i - 1])
        return values, places

    return call


def others(x: Any, axes: Any = None) -> Any:
    """The product of all other elements over the axes, each time anew."""
    axes = range(x.ndim) if axes is None else axes
    axes = [a % x.ndim for a in ([axes] if isinstance(axes, int) else axes)]
    kept = [a for a in range(x.ndim) if a not in axes]
    order = kept + axes
    back = [order.index(a) for a in range(x.ndim)]
    torched = isinstance(x, torch.Tensor)
    moved = x.permute(order) if torched else x.transpose(order)
    flat = moved.reshape(*moved.shape[: len(kept)], -1)
    n = flat.shape[-1]
    one = torch.ones_like if torched else np.ones_like
    parts = [
        (torch if torched else np).prod(
            (torch if torched else np).where(
                (torch if torched else np).arange(n) == i, one(flat), flat
            ),
            -1,
        )
        for i in range(n)
    ]
    joined = (torch.stack if torched else np.stack)(parts, -1).reshape(moved.shape)
    return joined.permute(back) if torched else joined.transpose(back).astype(x.dtype)


ref(
    "cumsum",
    numpy=np_cumsum,
    torch=torch.cumsum,
    out=accumulated,
    accepts="any",
    factor=4.0,
    why=SUMS,
)
ref(
    "cumprod",
    numpy=np_cumprod,
    torch=torch.cumprod,
    out=accumulated,
    accepts="any",
    factor=4.0,
    why=SUMS,
)
ref(
    "cumulative_sum",
    numpy=with_initial(np_cumsum, 0),
    torch=with_initial(torch.cumsum, 0),
    out=accumulated,
    accepts="any",
    factor=16.0,
    why=SUMS,
)
ref(
    "cumulative_prod",
    numpy=with_initial(np_cumprod, 1),
    torch=with_initial(torch.cumprod, 1),
    out=accumulated,
    accepts="any",
    factor=4.0,
    why=SUMS,
)
ref("linear_scan", numpy=np_linear, torch=torch_linear, factor=4.0, why=SUMS)
ref(
    "cummax",
    numpy=np_extreme(lambda a, b: a >= b),
    torch=lambda x, axis: torch.cummax(x, axis)[0],
    out=["same", "int"],
)
ref(
    "cummin",
    numpy=np_extreme(lambda a, b: a <= b),
    torch=lambda x, axis: torch.cummin(x, axis)[0],
    out=["same", "int"],
)
ref(
    "exclusive_products",
    numpy=others,
    torch=others,
    accepts="numeric",
    factor=8.0,
    why=SUMS,
)
