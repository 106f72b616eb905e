"""Order statistics: medians, quantiles, modes, the k-th smallest."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import normalize_axes, normalize_axis, reduced
from .creation import arange
from .define import Sample
from .elementwise import where
from .movement import moveaxis, narrow, stack
from .pairs import Placed
from .reduce import _float, sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_X = ((3, 5, 2), -3.0, 3.0)
_BETWEEN = ("linear", "lower", "higher", "nearest", "midpoint")


def _held(x, dtype):
    """1 where x is not nan, 0 where it is."""
    if not x.dtype.is_float:
        return x.device.constant(1, dtype).expand(x.shape)
    return (~x.isnan()).astype(dtype)


def _line(name, x, axis):
    """The axis from the front, of a tensor that has elements along it."""
    place = normalize_axis(name, axis, x.ndim)
    if x.shape[place] == 0:
        raise ShapeError(
            "%s: needs at least one element along the axis; given shape %s"
            % (name, list(x.shape))
        )
    return place


def _at(x, indices, axis, keepdims):
    """The elements of x at one index a line, and the indices."""
    values = x.take_along_axis(indices, axis)
    if keepdims:
        return Placed(values, indices)
    return Placed(values.squeeze(axis), indices.squeeze(axis))


def _middle(name, x, axis, keepdims, skip):
    """The median of each line: the lower one of two; skip says that nan is none."""
    if x.ndim == 0:
        return Placed(x, x.astype(x.device.default_int) * 0)
    place = _line(name, x, axis)
    order = x.argsort(place)
    n = x.shape[place]
    if not x.dtype.is_float:
        return _at(x, narrow(order, place, (n - 1) // 2, 1), place, keepdims)
    count = sum(_held(x, order.dtype), place, True)
    if skip:
        rank = (count - 1).maximum(0) // 2
    else:
        rank = where(count == n, (n - 1) // 2, count)  # the first nan
    return _at(x, order.take_along_axis(rank, place), place, keepdims)


def median(x: T, axis: int | None = None, keepdims: bool = False) -> T | Placed[T]:
    """Return the median; with an axis, the medians along it and where they stand.

    Of two in the middle it is the lower one, as in PyTorch (NumPy's mean of both is
    `quantile(x, 0.5)`). nan where there is one. Raises: ShapeError for no elements.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
        >>> fogo.median(x).item(), fogo.median(x, 1).values.tolist()
        (3.0, [2.0, 5.0])
    """
    if axis is None:
        found = _middle("median", x.reshape((-1,)), 0, False, False).values
        return found.reshape((1,) * x.ndim) if keepdims else found
    return _middle("median", x, axis, keepdims, False)


def nanmedian(x: T, axis: int | None = None, keepdims: bool = False) -> T | Placed[T]:
    """`median` of what is not nan; nan where nothing is left.

    Example:
        >>> import fogo
        >>> round(fogo.nanmedian(fogo.tensor([1.0, float("nan"), 3.0])).item(), 4)
        1.0
    """
    if axis is None:
        found = _middle("nanmedian", x.reshape((-1,)), 0, False, True).values
        return found.reshape((1,) * x.ndim) if keepdims else found
    return _middle("nanmedian", x, axis, keepdims, True)


def kthvalue(x: T, k: int, axis: int = -1, keepdims: bool = False) -> Placed[T]:
    """Return the k-th smallest element of each line (from 1), and where it stands.

    Raises: ShapeError unless 1 <= k <= the size of the axis.

    Example:
        >>> import fogo
        >>> [y.tolist() for y in fogo.kthvalue(fogo.tensor([3.0, 1.0, 2.0]), 2)]
        [2.0, 2]
    """
    place = _line("kthvalue", x, axis)
    if not 1 <= k <= x.shape[place]:
        raise ShapeError(
            "kthvalue: k lies in [1, %d], the size of the axis; given k=%d for x=%s"
            % (x.shape[place], k, list(x.shape))
        )
    return _at(x, narrow(x.argsort(place), place, k - 1, 1), place, keepdims)


def mode(x: T, axis: int = -1, keepdims: bool = False) -> Placed[T]:
    """Return the most frequent element of each line, and where it last stands.

    Of several the smallest. Raises: ShapeError for no elements.

    Example:
        >>> import fogo
        >>> fogo.mode(fogo.tensor([2, 1, 2, 3])).values.item()
        2
    """
    place = _line("mode", x, axis)
    values, order = x.sort_pairs(place)
    n = x.shape[place]
    shape = [1] * x.ndim
    shape[place] = n
    turn = arange(n, device=x.device.base()).reshape(shape).expand(x.shape)
    before = narrow(values, place, 0, n - 1)
    new = narrow(values, place, 1, n - 1) != before
    starts = where(new, narrow(turn, place, 1, n - 1), 0).cummax(place)[0]
    length = (narrow(turn, place, 1, n - 1) - starts).pad(
        [(1 if a == place else 0, 0) for a in range(x.ndim)]
    )
    best = length.argmax(place, keepdims=True)
    return _at(x, order.take_along_axis(best, place), place, keepdims)


def msort(x: T) -> T:
    """Return x sorted along its first axis.

    Example:
        >>> import fogo
        >>> fogo.msort(fogo.tensor([[3, 1], [2, 4]])).tolist()
        [[2, 1], [3, 4]]
    """
    return x.sort(0)


def argtopk(x: T, k: int, axis: int = -1, largest: bool = True) -> T:
    """Return the positions of the k largest (or smallest) elements: `topk`'s.

    Example:
        >>> import fogo
        >>> fogo.argtopk(fogo.tensor([1.0, 3.0, 2.0]), 2).tolist()
        [1, 2]
    """
    return x.topk(k, axis, largest)[1]


def _between(values, place, how):
    """The elements around `place(…)`: (lower and upper position, how far between)."""
    low = place.floor()
    high = place.ceil()
    if how == "lower":
        high = low
    elif how == "higher":
        low = high
    elif how == "nearest":
        low = high = place.round()
    gap = place - low if how == "linear" else 0.5
    kind = values.device.default_int
    a = values.take_along_axis(low.astype(kind), -1)
    if how in ("lower", "higher", "nearest"):
        return a
    return a.lerp(values.take_along_axis(high.astype(kind), -1), gap)


def _quantile(name, x, q, axis, keepdims, how, skip):
    from ..tensor import Tensor

    if how not in _BETWEEN:
        raise ShapeError(
            "%s: interpolation is one of %s; given %r"
            % (name, ", ".join(_BETWEEN), how)
        )
    x = _float(x)
    flat = x.reshape((-1,)) if axis is None else moveaxis(x, axis, -1)
    _line(name, flat, -1)
    shape = reduced(x.shape, normalize_axes(name, axis, x.ndim), keepdims)
    values = flat.sort(-1)
    several = q.ndim > 0 if isinstance(q, Tensor) else isinstance(q, (list, tuple))
    if not several:
        return _share(values, q, how, skip).reshape(shape)
    parts = q.unbind(0) if isinstance(q, Tensor) else q
    return stack([_share(values, p, how, skip).reshape(shape) for p in parts], 0)


def _share(values, q, how, skip):
    """One quantile of lines that are sorted along the last axis."""
    count = sum(_held(values, values.dtype), -1, True)
    n = values.shape[-1]
    if skip:
        last = (count - 1.0).maximum(0.0)
    else:
        last = values.device.constant(n - 1.0, values.dtype).expand(count.shape)
    found = _between(values, (last * q).astype(values.dtype), how)
    return found if skip else where(count == n, found, float("nan"))


def quantile(
    x: T,
    q: Tensor | float | Sequence[float],
    axis: int | None = None,
    keepdims: bool = False,
    interpolation: str = "linear",
) -> T:
    """Return the elements below which the share q of each line lies.

    q: a number in [0, 1], or several (a list, or a tensor [Q]): then the result begins
    with an axis [Q]. interpolation: "linear", "lower", "higher", "nearest",
    "midpoint". nan where a line holds one. Raises: ShapeError for no elements.

    Example:
        >>> import fogo
        >>> fogo.quantile(fogo.tensor([4.0, 1.0, 3.0, 2.0]), [0.0, 0.5, 1.0]).tolist()
        [1.0, 2.5, 4.0]
    """
    return _quantile("quantile", x, q, axis, keepdims, interpolation, False)


def nanquantile(
    x: T,
    q: Tensor | float | Sequence[float],
    axis: int | None = None,
    keepdims: bool = False,
    interpolation: str = "linear",
) -> T:
    """`quantile` of what is not nan; nan where nothing is left.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([1.0, float("nan"), 3.0])
        >>> round(fogo.nanquantile(x, 0.5).item(), 4)
        2.0
    """
    return _quantile("nanquantile", x, q, axis, keepdims, interpolation, True)


def _hundredth(q):
    return [v / 100.0 for v in q] if isinstance(q, (list, tuple)) else q / 100.0


def percentile(
    x: T,
    q: Tensor | float | Sequence[float],
    axis: int | None = None,
    keepdims: bool = False,
    interpolation: str = "linear",
) -> T:
    """`quantile` with q in percent, as in NumPy.

    Example:
        >>> import fogo
        >>> round(fogo.percentile(fogo.tensor([1.0, 2.0, 3.0]), 50).item(), 4)
        2.0
    """
    return _quantile(
        "percentile", x, _hundredth(q), axis, keepdims, interpolation, False
    )


_ORDER = (
    Sample(_X, axis=1),
    Sample(((4, 6), -3.0, 3.0), axis=0, keepdims=True),
)
_ALL = (Sample(((3, 5), -3.0, 3.0)), Sample(((4,), -3.0, 3.0), keepdims=True))
_SHARES = (
    Sample(((3, 5), -3.0, 3.0), q=0.3),
    Sample(_X, q=(0.1, 0.75), axis=1, keepdims=True),
    Sample(_X, q=0.3, axis=0, interpolation="lower"),
    Sample(_X, q=0.3, axis=-1, interpolation="higher"),
    Sample(_X, q=0.3, axis=1, interpolation="nearest"),
    Sample(_X, q=0.3, axis=1, interpolation="midpoint"),
)
SAMPLES = {
    "median": _ORDER + _ALL,
    "nanmedian": _ORDER + _ALL,
    "kthvalue": (
        Sample(_X, k=2, axis=1),
        Sample(((4, 6), -3.0, 3.0), k=4, axis=0, keepdims=True),
    ),
    "mode": (
        Sample(_X, axis=1),
        Sample(((4, 6), 0.0, 0.03), axis=-1, keepdims=True),
        Sample(((9,), 0.0, 0.03)),
        Sample(((3, 1), -3.0, 3.0)),
    ),
    "msort": (Sample(_X),),
    "argtopk": (Sample(_X, k=2, axis=1), Sample(((9,), -3.0, 3.0), k=3, largest=False)),
    "quantile": _SHARES,
    "nanquantile": _SHARES,
    "percentile": (
        Sample(((3, 5), -3.0, 3.0), q=30.0),
        Sample(_X, q=(10.0, 75.0), axis=1),
    ),
}

__all__ = [
    "argtopk", "kthvalue", "median", "mode", "msort", "nanmedian", "nanquantile",
    "percentile", "quantile",
]  # fmt: skip
NOT_METHODS = ()
