"""`unique` as PyTorch has it: over all elements, or over the slices of an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import normalize_axis
from .creation import arange, full
from .define import Sample
from .movement import concat, moveaxis, narrow, reshape
from .reduce import any
from .scan import cumsum
from .select import _read, _read_async, _running_count, _take

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class _Runs:
    """Rows in some order, and where each run of equal ones begins.

    rows [N, M] in that order; order [N]: where they were.
    """

    def __init__(self, rows, order, shape):
        self.rows = rows
        self.order = order
        self.shape = shape  # of the numbers that the inverse gives
        n = rows.shape[0]
        self.base = rows.device.base()
        self.first = full((n,), True, device=self.base)
        if n > 1:
            new = any(narrow(rows, 0, 1, n - 1) != narrow(rows, 0, 0, n - 1), 1)
            self.first = concat([narrow(self.first, 0, 0, 1), new])
        self.total = _running_count(self.first)

    def kept(self, count):
        """The first row of each run."""
        places = _take(arange(self.rows.shape[0], device=self.base), self.total, count)
        return self.rows.take(places, 0)

    def inverse(self):
        kind = self.order.dtype
        number = cumsum(self.first.astype(kind), 0) - 1
        return reshape((number * 0).put_at(self.order, number), self.shape)

    def counts(self, count):
        n = self.rows.shape[0]
        begins = _take(arange(n, device=self.base), self.total, count)
        if n == 0:
            return begins
        end = full((1,), n, dtype=begins.dtype, device=self.base)
        return concat([narrow(begins, 0, 1, count - 1), end]) - begins


def _laid(name, x, axis):
    """(x as rows, the shape behind them, the shape of the inverse, the axis)."""
    x = x.detach()
    if axis is None:
        return reshape(x, (x.size, 1)), (), x.shape, None
    place = normalize_axis(name, axis, x.ndim)
    moved = moveaxis(x, place, 0)
    n = moved.shape[0]
    width = moved.size // n if n else 0
    if n == 0 or width == 0:
        raise ShapeError(
            "%s: slices of an axis have elements; given %s" % (name, list(x.shape))
        )
    return reshape(moved, (n, width)), moved.shape[1:], (n,), place


def _sorted(rows):
    """The order of rows: by their last column first, stably, then by those before."""
    order = arange(rows.shape[0], device=rows.device.base())
    for column in range(rows.shape[1] - 1, -1, -1):
        keys = reshape(narrow(rows, 1, column, 1), (-1,)).take(order, 0)
        order = order.take(keys.argsort(0), 0)
    return order


def _found(runs, count, rest, axis, return_inverse, return_counts):
    values = reshape(runs.kept(count), (count,) + tuple(rest))
    parts = [values if axis is None else moveaxis(values, 0, axis)]
    if return_inverse:
        parts.append(runs.inverse())
    if return_counts:
        parts.append(runs.counts(count))
    return parts[0] if len(parts) == 1 else tuple(parts)


def _runs(name, x, axis, in_order):
    rows, rest, shape, place = _laid(name, x, axis)
    if in_order:
        order = arange(rows.shape[0], device=rows.device.base())
    else:
        order = _sorted(rows)
        rows = rows.take(order, 0)
    return _Runs(rows, order, shape), rest, place


def unique(
    x: T,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> T | tuple[T, ...]:
    """Return each value of x once, in order; with an axis, each slice of it.

    return_inverse: also the number of its value for each element (x's shape, or [N]
    for slices). return_counts: also how often each is there. `sorted` is always so.
    The host reads how many there are. Each nan is a value of its own.
    Raises: DeviceError where this thread cannot wait (use `unique_async`), ShapeError.

    Example:
        >>> import fogo
        >>> values, counts = fogo.unique(fogo.tensor([3, 1, 3]), return_counts=True)
        >>> values.tolist(), counts.tolist()
        ([1, 3], [1, 2])
    """
    runs, rest, place = _runs("unique", x, axis, False)
    count = _read("unique", runs.total)
    return _found(runs, count, rest, place, return_inverse, return_counts)


async def unique_async(
    x: T,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> T | tuple[T, ...]:
    """`unique` for platforms where a thread cannot wait.

    Example:
        >>> import fogo
        >>> import asyncio
        >>> asyncio.run(fogo.unique_async(fogo.tensor([3, 1, 3]))).tolist()
        [1, 3]
    """
    runs, rest, place = _runs("unique", x, axis, False)
    count = await _read_async(runs.total)
    return _found(runs, count, rest, place, return_inverse, return_counts)


def unique_consecutive(
    x: T,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> T | tuple[T, ...]:
    """Return the first of each run of equal neighbours; see `unique`.

    Example:
        >>> import fogo
        >>> fogo.unique_consecutive(fogo.tensor([1, 1, 2, 1])).tolist()
        [1, 2, 1]
    """
    runs, rest, place = _runs("unique_consecutive", x, axis, True)
    count = _read("unique_consecutive", runs.total)
    return _found(runs, count, rest, place, return_inverse, return_counts)


_WHOLE = ((3, 5), -2, 2)
_PAIRS = ((6, 2), 0, 1)
SAMPLES = {
    "unique": (
        Sample(_WHOLE, return_inverse=True, return_counts=True),
        Sample(_WHOLE, return_counts=True),
        Sample(_PAIRS, return_inverse=True, return_counts=True, axis=0),
        Sample(((2, 6), 0, 1), axis=-1),
        Sample(((0,), 0, 1)),
    ),
    "unique_consecutive": (
        Sample(((12,), 0, 1), return_inverse=True, return_counts=True),
        Sample(((8, 1), 0, 1), return_counts=True, axis=0),
    ),
}

__all__ = ["unique", "unique_async", "unique_consecutive"]
NOT_METHODS = ()
