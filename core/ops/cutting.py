"""Movement made of views and slices: squeeze, flatten, split, chunk, roll."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import normalize_axes, normalize_axis, size
from .movement import _own, _several, concat, narrow, reshape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def squeeze(x: T, axis: int | tuple[int, ...] | None = None) -> T:
    """Remove axes of size 1 (all such if None); raises ShapeError for another size.

    Example:
        >>> import fogo
        >>> fogo.squeeze(fogo.zeros((1, 3)), 0).shape
        (3,)
    """
    if axis is None:
        axes = [a for a in range(x.ndim) if x.shape[a] == 1]
    else:
        axes = normalize_axes("squeeze", axis, x.ndim)
    for a in axes:
        if x.shape[a] != 1:
            raise ShapeError(
                "squeeze: only axes of size 1 can go; given axis %d of shape %s"
                % (a, list(x.shape))
            )
    return reshape(x, tuple([d for a, d in enumerate(x.shape) if a not in axes]))


def flatten(x: T, start_dim: int = 0, end_dim: int = -1) -> T:
    """Merge the axes from `start_dim` to `end_dim` into one.

    Example:
        >>> import fogo
        >>> fogo.flatten(fogo.tensor([[1, 2], [3, 4]])).tolist()
        [1, 2, 3, 4]
    """
    if x.ndim == 0:
        return reshape(x, (1,))
    a = normalize_axis("flatten", start_dim, x.ndim)
    b = normalize_axis("flatten", end_dim, x.ndim)
    merged = size(x.shape[a : b + 1])
    return reshape(x, x.shape[:a] + (merged,) + x.shape[b + 1 :])


def split(x: T, size_or_sections: int | Sequence[int], axis: int = 0) -> list[T]:
    """Cut x along an axis into parts of one size (the last may be smaller), or listed.

    Raises: ShapeError when listed sizes do not add up to the axis.

    Example:
        >>> import fogo
        >>> [c.tolist() for c in fogo.split(fogo.arange(5), 2)]
        [[0, 1], [2, 3], [4]]
    """
    place = normalize_axis("split", axis, x.ndim)
    n = x.shape[place]
    if isinstance(size_or_sections, int):
        step = size_or_sections
        if step < 1:
            raise ShapeError("split: sizes are positive; given %d" % step)
        sizes = [step if i + step <= n else n - i for i in range(0, n, step)]
    else:
        sizes = list(size_or_sections)
    total = 0
    for s in sizes:
        total += s
    if total != n:
        raise ShapeError(
            "split: sizes must add up to the axis; given %s for size %d" % (sizes, n)
        )
    out = []
    start = 0
    for s in sizes:
        out.append(narrow(x, place, start, s))
        start += s
    return out


def chunk(x: T, chunks: int, axis: int = 0) -> list[T]:
    """Cut x along an axis into at most `chunks` parts of equal size (the last less).

    Example:
        >>> import fogo
        >>> [c.tolist() for c in fogo.chunk(fogo.arange(5), 2)]
        [[0, 1, 2], [3, 4]]
    """
    n = x.shape[normalize_axis("chunk", axis, x.ndim)]
    if chunks < 1:
        raise ShapeError("chunk: the number of parts is positive; given %d" % chunks)
    return split(x, max((n + chunks - 1) // chunks, 1), axis)


def roll(
    x: T, shift: int | Sequence[int], axis: int | Sequence[int] | None = None
) -> T:
    """Shift elements along axes; those pushed out come in at the other end.

    Without an axis x counts as flat. One shift goes for all axes; several go with as
    many axes, one axis for all, or add up. Raises: ShapeError for other numbers.

    Example:
        >>> import fogo
        >>> fogo.roll(fogo.tensor([1, 2, 3]), 1).tolist()
        [3, 1, 2]
    """
    shifts = _several(shift)
    if axis is None:
        flat = reshape(x, (-1,))
        return reshape(roll(flat, shifts, (0,) * len(shifts)), x.shape)
    axes = _several(axis)
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    axes = axes * len(shifts) if len(axes) == 1 else axes
    if len(shifts) != len(axes):
        raise ShapeError(
            "roll: one shift for each axis; given shift=%s, axis=%s" % (shift, axis)
        )
    out = _own(x)
    for s, a in zip(shifts, axes):
        place = normalize_axis("roll", a, x.ndim)
        n = x.shape[place]
        s = s % n if n else 0
        if s:
            parts = [narrow(out, place, n - s, s), narrow(out, place, 0, n - s)]
            out = concat(parts, place)
    return out


__all__ = ["chunk", "flatten", "roll", "split", "squeeze"]
NOT_METHODS = ()
