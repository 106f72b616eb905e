"""More movement, by PyTorch's and NumPy's names: made of views, concat and slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import normalize_axis, size
from .define import Sample
from .movement import (
    expand,
    flip,
    moveaxis,
    narrow,
    permute,
    reshape,
    slice_assign,
    transpose,
    unsqueeze,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_X = ((2, 3, 4), -3.0, 3.0)


def t(x: T) -> T:
    """Exchange the axes of a matrix; vectors and 0-d tensors stay. A view.

    Example:
        >>> import fogo
        >>> fogo.t(fogo.tensor([[1, 2], [3, 4]])).tolist()
        [[1, 3], [2, 4]]
    """
    if x.ndim > 2:
        raise ShapeError(
            "t: at most two axes; given shape %s; use mT or permute()" % list(x.shape)
        )
    return transpose(x) if x.ndim == 2 else x


def ravel(x: T) -> T:
    """Return the elements in row-major order along one axis.

    Example:
        >>> import fogo
        >>> fogo.ravel(fogo.tensor([[1, 2], [3, 4]])).tolist()
        [1, 2, 3, 4]
    """
    return reshape(x, (-1,))


def view(x: T, *shape: int | Sequence[int]) -> T:
    """`reshape`, by PyTorch's name: a view where the layout allows, else a copy.

    Example:
        >>> import fogo
        >>> fogo.arange(6).view(2, 3).tolist()
        [[0, 1, 2], [3, 4, 5]]
    """
    return reshape(x, *shape)


def reshape_as(x: T, other: Tensor) -> T:
    """Return x's elements under the shape of `other`.

    Example:
        >>> import fogo
        >>> fogo.reshape_as(fogo.arange(4), fogo.zeros((2, 2))).tolist()
        [[0, 1], [2, 3]]
    """
    return reshape(x, other.shape)


def expand_as(x: T, other: Tensor) -> T:
    """Repeat axes of size 1 to the shape of `other`. A view.

    Example:
        >>> import fogo
        >>> fogo.expand_as(fogo.tensor([1, 2]), fogo.zeros((2, 2))).tolist()
        [[1, 2], [1, 2]]
    """
    return expand(x, other.shape)


def unflatten(x: T, axis: int, sizes: Sequence[int]) -> T:
    """Cut one axis into several of these sizes; one may be -1. A view.

    Raises: ShapeError where they do not multiply to the axis.

    Example:
        >>> import fogo
        >>> fogo.unflatten(fogo.zeros(2, 12), 1, (3, -1)).shape
        (2, 3, 4)
    """
    place = normalize_axis("unflatten", axis, x.ndim)
    n, sizes = x.shape[place], tuple(sizes)
    rest = -size(sizes)
    if sizes.count(-1) == 1 and rest > 0 and n % rest == 0:
        sizes = tuple([n // rest if s == -1 else s for s in sizes])
    if -1 in sizes or size(sizes) != n:
        raise ShapeError(
            "unflatten: the sizes multiply to the axis; given %s for size %d"
            % (list(sizes), n)
        )
    return reshape(x, x.shape[:place] + sizes + x.shape[place + 1 :])


def select(x: T, axis: int, index: int) -> T:
    """Return the slice of an axis at one index; the axis goes away. A view.

    Raises: ShapeError for an index out of range.

    Example:
        >>> import fogo
        >>> fogo.select(fogo.tensor([[1, 2], [3, 4]]), 0, 1).tolist()
        [3, 4]
    """
    place, at = _position("select", x, axis, index)
    return reshape(narrow(x, place, at, 1), x.shape[:place] + x.shape[place + 1 :])


def _position(name, x, axis, index):
    place = normalize_axis(name, axis, x.ndim)
    n = x.shape[place]
    if not -n <= index < n:
        raise ShapeError(
            "%s: the index lies in the axis; given %d for axis %d of size %d"
            % (name, index, place, n)
        )
    return place, index + n if index < 0 else index


def unbind(x: T, axis: int = 0) -> list[T]:
    """Return the slices of an axis, one after the other, without it. Views.

    Example:
        >>> import fogo
        >>> [row.tolist() for row in fogo.unbind(fogo.tensor([[1, 2], [3, 4]]), 1)]
        [[1, 3], [2, 4]]
    """
    place = normalize_axis("unbind", axis, x.ndim)
    return [select(x, place, i) for i in range(x.shape[place])]


def rot90(x: T, k: int = 1, axes: Sequence[int] = (0, 1)) -> T:
    """Turn x by k quarters in the plane of two axes, from the first to the second.

    Raises: ShapeError unless the axes are two different ones.

    Example:
        >>> import fogo
        >>> fogo.rot90(fogo.tensor([[1, 2], [3, 4]])).tolist()
        [[2, 4], [1, 3]]
    """
    a, b = [normalize_axis("rot90", axis, x.ndim) for axis in axes]
    if a == b:
        raise ShapeError("rot90: two different axes; given %s" % (tuple(axes),))
    k = k % 4
    if k == 2:
        return flip(x, (a, b))
    if k == 0:
        return x
    order = list(range(x.ndim))
    order[a], order[b] = b, a
    turned = permute(x, tuple(order))
    return flip(turned, a if k == 1 else b)


def fliplr(x: T) -> T:
    """Reverse axis 1. A view.

    Example:
        >>> import fogo
        >>> fogo.fliplr(fogo.tensor([[1, 2], [3, 4]])).tolist()
        [[2, 1], [4, 3]]
    """
    return flip(x, 1)


def flipud(x: T) -> T:
    """Reverse axis 0. A view.

    Example:
        >>> import fogo
        >>> fogo.flipud(fogo.tensor([[1, 2], [3, 4]])).tolist()
        [[3, 4], [1, 2]]
    """
    return flip(x, 0)


def select_scatter(x: T, src: Tensor, axis: int, index: int) -> T:
    """Return x with `src` in place of the slice that `select` would give.

    Shapes: src has x's without the axis. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.select_scatter(fogo.zeros(2, 2), fogo.ones(2), 0, 1).tolist()
        [[0.0, 0.0], [1.0, 1.0]]
    """
    place, at = _position("select_scatter", x, axis, index)
    _same_shape("select_scatter", src, x.shape[:place] + x.shape[place + 1 :])
    starts = [0] * x.ndim
    starts[place] = at
    return slice_assign(x, unsqueeze(src, place).astype(x.dtype), starts, [1] * x.ndim)


def _same_shape(name, src, shape):
    if src.shape != shape:
        raise ShapeError(
            "%s: src has the shape of what it replaces; given %s for %s"
            % (name, list(src.shape), list(shape))
        )


def slice_scatter(
    x: T,
    src: Tensor,
    axis: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> T:
    """Return x with `src` in place of `x[start:end:step]` of an axis.

    Shapes: src has that slice's. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, y = fogo.zeros((4,)), fogo.tensor([1.0, 2.0])
        >>> fogo.slice_scatter(x, y, 0, 1, 3).tolist()
        [0.0, 1.0, 2.0, 0.0]
    """
    place = normalize_axis("slice_scatter", axis, x.ndim)
    if step < 1:
        raise ShapeError("slice_scatter: the step is positive; given %d" % step)
    n = x.shape[place]
    first = 0 if start is None else min(max(start + n if start < 0 else start, 0), n)
    stop = n if end is None else min(max(end + n if end < 0 else end, 0), n)
    count = max((stop - first + step - 1) // step, 0)
    _same_shape("slice_scatter", src, x.shape[:place] + (count,) + x.shape[place + 1 :])
    starts, steps = [0] * x.ndim, [1] * x.ndim
    starts[place], steps[place] = first, step
    return slice_assign(x, src.astype(x.dtype), starts, steps)


def diagonal_scatter(
    x: T, src: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> T:
    """Return x with `src` in place of a diagonal of two axes (the last axis of src).

    Shapes: src has that of `diagonal(x, offset, axis1, axis2)`. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.diagonal_scatter(fogo.zeros((2, 2)), fogo.tensor([5.0, 6.0])).tolist()
        [[5.0, 0.0], [0.0, 6.0]]
    """
    a = normalize_axis("diagonal_scatter", axis1, x.ndim)
    b = normalize_axis("diagonal_scatter", axis2, x.ndim)
    if a == b:
        raise ShapeError(
            "diagonal_scatter: two different axes; given %d and %d" % (axis1, axis2)
        )
    moved = moveaxis(x, (a, b), (-2, -1))
    rows, cols = moved.shape[-2:]
    top, left = max(-offset, 0), max(offset, 0)
    count = max(min(rows - top, cols - left), 0)
    lead = moved.shape[:-2]
    _same_shape("diagonal_scatter", src, lead + (count,))
    if count == 0:
        return x
    flat = reshape(moved, lead + (rows * cols,))
    starts = [0] * len(lead) + [top * cols + left]
    steps = [1] * len(lead) + [cols + 1]
    out = slice_assign(flat, src.astype(x.dtype), starts, steps)
    return moveaxis(reshape(out, moved.shape), (-2, -1), (a, b))


movedim = moveaxis
swapdims = transpose
view_as = reshape_as

SAMPLES = {
    "t": (Sample(((3, 4), -3.0, 3.0)), Sample(((3,), -3.0, 3.0))),
    "ravel": (Sample(_X), Sample(((), -3.0, 3.0))),
    "view": (Sample(_X, shape=(4, -1)),),
    "reshape_as": (Sample(_X, ((4, 6), -3.0, 3.0)),),
    "expand_as": (Sample(((3, 1), -3.0, 3.0), _X),),
    "unflatten": (
        Sample(((2, 12), -3.0, 3.0), axis=1, sizes=(3, -1)),
        Sample(_X, axis=-1, sizes=(2, 2)),
    ),
    "select": (Sample(_X, axis=1, index=-1), Sample(_X, axis=0, index=1)),
    "unbind": (Sample(_X), Sample(_X, axis=-1)),
    "rot90": (
        Sample(_X),
        Sample(_X, k=2, axes=(1, 2)),
        Sample(_X, k=-1, axes=(2, 0)),
        Sample(_X, k=4),
    ),
    "fliplr": (Sample(_X),),
    "flipud": (Sample(_X),),
    "select_scatter": (Sample(_X, ((2, 4), -3.0, 3.0), axis=1, index=-1),),
    "slice_scatter": (
        Sample(_X, ((2, 3, 2), -3.0, 3.0), axis=2, start=1, end=9, step=2),
        Sample(_X, ((1, 3, 4), -3.0, 3.0), start=-1),
        Sample(_X, ((0, 3, 4), -3.0, 3.0), start=2),
    ),
    "diagonal_scatter": (
        Sample(((3, 4), -3.0, 3.0), ((3,), -3.0, 3.0)),
        Sample(((3, 4), -3.0, 3.0), ((2,), -3.0, 3.0), offset=-1),
        Sample(_X, ((3, 2), -3.0, 3.0), offset=1, axis1=0, axis2=2),
        Sample(((3, 4), -3.0, 3.0), ((0,), -3.0, 3.0), offset=4),
    ),
}

__all__ = [
    "diagonal_scatter", "expand_as", "fliplr", "flipud", "movedim", "ravel",
    "reshape_as", "rot90", "select", "select_scatter", "slice_scatter", "swapdims", "t",
    "unbind", "unflatten", "view", "view_as",
]  # fmt: skip
NOT_METHODS = ()
