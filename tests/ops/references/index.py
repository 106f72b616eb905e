"""References of fogo.ops.index: written once, element by element, for both libraries.

PyTorch's own scatters give a gradient to every value written, also to one that a later
value replaced; here the elements that are in the result have one.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from fogo.ops.define import Sample
from tests.ops.rows import ref

X = ((3, 5, 2), -3.0, 3.0)


def joined(elements: list[Any], shape: Any, like: Any) -> Any:
    """Elements (numbers or 0-d tensors) as an array of a shape, or a tensor."""
    if not isinstance(like, torch.Tensor):
        return np.array(elements, like.dtype).reshape(tuple(shape))
    if not elements:
        return torch.zeros(tuple(shape), dtype=like.dtype)
    return torch.stack(elements).reshape(tuple(shape))


def flat(x: Any) -> list[Any]:
    """The elements, row by row."""
    return list(x.reshape(-1))


def every(shape: Any) -> Any:
    """All places of a shape, row by row."""
    return itertools.product(*[range(n) for n in shape])


def position(place: Any, shape: Any) -> int:
    at = 0
    for i, n in zip(place, shape):
        at = at * n + i
    return at


def row_of(value: Any, n: int) -> int | None:
    """An index counted from the front; None where there is no such element."""
    i = int(value)
    i = i + n if i < 0 else i
    return i if 0 <= i < n else None


def _moved(place: Any, axis: int, i: int) -> tuple[int, ...]:
    return tuple(place[:axis]) + (i,) + tuple(place[axis + 1 :])


def read(x: Any, places: Any, shape: Any) -> Any:
    """One element for each place; zero for None."""
    elements, zero = flat(x), x.reshape(-1)[:1].sum() * 0
    found = [zero if p is None else elements[position(p, x.shape)] for p in places]
    return joined(found, shape, x)


def take(x: Any, index: Any, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = axis % x.ndim
    lead, rest = tuple(x.shape[:axis]), tuple(x.shape[axis + 1 :])
    rows = [row_of(i, x.shape[axis]) for i in flat(index)]
    places = [
        None if r is None else (*a, r, *b)
        for a in every(lead)
        for r in rows
        for b in every(rest)
    ]
    return read(x, places, lead + tuple(index.shape) + rest)


def gather(x: Any, axis: int, index: Any) -> Any:
    """The index may be smaller than x on the other axes."""
    axis = axis % x.ndim
    places = []
    for place, value in zip(every(index.shape), flat(index)):
        row = row_of(value, x.shape[axis])
        places.append(None if row is None else _moved(place, axis, row))
    return read(x, places, index.shape)


def take_along_axis(x: Any, index: Any, axis: int = -1) -> Any:
    return gather(x, axis, index)


def write(x: Any, places: Any, values: list[Any], add: bool) -> Any:
    """Put or add one value after the other; nothing for None."""
    elements = flat(x)
    for place, value in zip(places, values):
        if place is not None:
            at = position(place, x.shape)
            elements[at] = elements[at] + value if add else value
    return joined(elements, x.shape, x)


def expanded(values: Any, shape: Any) -> list[Any]:
    if isinstance(values, torch.Tensor):
        return flat(values.expand(tuple(shape)))
    return flat(np.broadcast_to(np.asarray(values), tuple(shape)))


def at(add: bool) -> Any:
    """Slices of an axis, by one index for all."""

    def call(x: Any, index: Any, values: Any, axis: int = 0) -> Any:
        axis = axis % x.ndim
        lead, rest = tuple(x.shape[:axis]), tuple(x.shape[axis + 1 :])
        rows = [row_of(i, x.shape[axis]) for i in flat(index)]
        shape = lead + tuple(index.shape) + rest
        places = [
            None if r is None else (*a, r, *b)
            for a in every(lead)
            for r in rows
            for b in every(rest)
        ]
        return write(x, places, expanded(values, shape), add)

    return call


def along(add: bool) -> Any:
    """Elements of an axis, by an index for every other place."""

    def call(x: Any, index: Any, values: Any, axis: int = -1) -> Any:
        axis = axis % x.ndim
        places = []
        for place, value in zip(every(index.shape), flat(index)):
            row = row_of(value, x.shape[axis])
            places.append(None if row is None else _moved(place, axis, row))
        return write(x, places, expanded(values, index.shape), add)

    return call


def scatter(add: bool) -> Any:
    """PyTorch's argument order; src may be larger than the index."""

    def call(x: Any, axis: int, index: Any, src: Any) -> Any:
        if getattr(src, "ndim", 0):
            src = src[tuple(slice(0, n) for n in index.shape)]
        return along(add)(x, index, src, axis)

    return call


def put(x: Any, index: Any, values: Any) -> Any:
    flat_values = values_of(index, values)
    out = at(False)(x.reshape(-1), index.reshape(-1), flat_values)
    return out.reshape(x.shape)


def values_of(index: Any, values: Any) -> Any:
    return joined(expanded(values, index.shape), (len(flat(index)),), values)


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    if isinstance(x, torch.Tensor):
        return torch.where(mask, value, x)
    return np.where(mask, np.asarray(value).astype(x.dtype), x)


OUTSIDE = Sample(X, ((6,), -9, 9, "int32"), axis=1)
INDEX = ((4,), -5, 4, "int32")
SMALL = ((2, 4, 1), 0, 4, "int32")

ref("take", numpy=take, torch=take)
ref(
    "index_select",
    numpy=lambda x, axis, index: take(x, index, axis),
    torch=lambda x, axis, index: take(x, index, axis),
    args=("axis",),
    at=1,
    samples=(
        Sample(X, INDEX, axis=1),
        OUTSIDE,
        Sample(X, ((4,), -5, 4, "int64"), axis=1),
        Sample(X, ((4,), -5, 4, "int8"), axis=1),
        Sample(X, ((4,), 0, 6, "uint8"), axis=1),
        Sample(X, ((4,), 0, 6, "uint32"), axis=1),
    ),
)
ref(
    "embedding",
    numpy=lambda index, weight: take(weight, index, 0),
    torch=lambda index, weight: take(weight, index, 0),
)
ref("take_along_axis", numpy=take_along_axis, torch=take_along_axis)
ref(
    "gather",
    numpy=gather,
    torch=gather,
    args=("axis",),
    at=1,
    samples=(
        Sample(X, SMALL, axis=1),
        Sample(X, ((3, 6, 2), -9, 9, "int32"), axis=1),
    ),
)
ref("add_at", numpy=at(True), torch=at(True))
ref("put_at", numpy=at(False), torch=at(False))
ref(
    "put",
    numpy=put,
    torch=put,
    accepts="any",
)
ref(
    "index_add",
    numpy=lambda x, axis, index, v, alpha=1: at(True)(x, index, v * alpha, axis),
    torch=lambda x, axis, index, v, alpha=1: at(True)(x, index, v * alpha, axis),
    args=("axis",),
    at=1,
    accepts="numeric",
    samples=(
        Sample(X, ((6,), -9, 9, "int32"), ((3, 6, 2), -3.0, 3.0), axis=1),
        Sample(X, ((3,), 0, 2, "int32"), ((3, 5, 2), -3.0, 3.0), axis=0, alpha=2),
    ),
)
ref(
    "index_copy",
    numpy=lambda x, axis, index, v: at(False)(x, index, v, axis),
    torch=lambda x, axis, index, v: at(False)(x, index, v, axis),
    args=("axis",),
    at=1,
    accepts="any",
    samples=(Sample(X, ((6,), -9, 9, "int32"), ((3, 6, 2), -3.0, 3.0), axis=1),),
)
ref("add_along_axis", numpy=along(True), torch=along(True))
ref("put_along_axis", numpy=along(False), torch=along(False))
SCATTERED = (
    Sample(X, SMALL, ((3, 4, 2), -3.0, 3.0), axis=1),
    Sample(X, ((3, 4, 2), -9, 9, "int32"), ((3, 4, 2), -3.0, 3.0), axis=1),
)
for name, add, accepts in (
    ("scatter", False, "any"), ("scatter_add", True, "numeric")
):  # fmt: skip
    ref(
        name,
        numpy=scatter(add),
        torch=scatter(add),
        args=("axis",),
        at=1,
        accepts=accepts,
        samples=SCATTERED,
    )
ref("masked_fill", numpy=masked_fill, torch=masked_fill)
ref(
    "one_hot",
    numpy=lambda index, n: (index[..., None] == np.arange(n)).astype("int64"),
    args=("num_classes",),
    out="int",
    dtypes=("int32",),
)
