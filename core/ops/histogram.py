"""Counting: how often values are there, or fall between edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import DeviceError, DTypeError, ShapeError
from .creation import arange, linspace
from .define import Sample
from .elementwise import where
from .index import add_at
from .pairs import Histogram
from .reduce import _float, max, min
from .sort import searchsorted

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def bincount(
    x: Tensor,
    weights: Tensor | None = None,
    minlength: int = 0,
    length: int | None = None,
) -> Tensor:
    """Return how often each whole number is in x [N]: [K], K above the largest.

    weights [N]: what each adds instead of 1 (the result has their dtype). minlength:
    K at least. length: K itself; numbers beyond are left out, and nothing is read by
    the host, which otherwise reads the largest. Negative numbers are left out.
    Raises: DeviceError where this thread cannot wait (give `length`, or use
    `bincount_async`), DTypeError for floats, ShapeError for other ranks.

    Example:
        >>> import fogo
        >>> fogo.bincount(fogo.tensor([1, 3, 1])).tolist()
        [0, 2, 0, 1]
    """
    _check_counted(x, weights)
    if length is None:
        length = minlength
        if x.size:
            try:
                length = _length(int(max(x).item()), minlength)
            except DeviceError as error:
                raise DeviceError(
                    "bincount: the size of the result must be read from the device; "
                    "given a thread that cannot wait (%s); give length=, or use `await "
                    "fogo.bincount_async(...)`" % error
                )
    return _counts(x, weights, length)


async def bincount_async(
    x: Tensor, weights: Tensor | None = None, minlength: int = 0
) -> Tensor:
    """`bincount` for platforms where a thread cannot wait.

    Example:
        >>> import fogo
        >>> import asyncio
        >>> asyncio.run(fogo.bincount_async(fogo.tensor([0, 2]))).tolist()
        [1, 0, 1]
    """
    _check_counted(x, weights)
    length = minlength
    if x.size:
        length = _length(int(await max(x).data_async()), minlength)
    return _counts(x, weights, length)


def _length(largest, minlength):
    return largest + 1 if largest + 1 > minlength else minlength


def _check_counted(x, weights):
    if not x.dtype.is_int:
        raise DTypeError(
            "bincount: whole numbers; given %s; cast them with .astype('int32')"
            % x.dtype.name
        )
    if x.ndim != 1 or (weights is not None and weights.shape != x.shape):
        given = "" if weights is None else ", weights=%s" % list(weights.shape)
        raise ShapeError(
            "bincount: a vector, and weights of its shape; given x=%s%s"
            % (list(x.shape), given)
        )


def _counts(x, weights, length):
    kind = x.device.default_int if weights is None else weights.dtype
    zeros = x.device.constant(0, kind).expand((length,))
    if x.size == 0 or length == 0:
        return zeros
    if x.dtype.kind == "int":
        x = x.astype(x.device.default_int)
        x = where(x < 0, length, x)
    return add_at(zeros, x, 1 if weights is None else weights)


def _bounds(x, low, high):
    """The ends of the bins as 0-d tensors: those given, else x's; never equal."""
    if low == high == 0 and x.size:
        low, high = min(x), max(x)
    else:
        low = x.device.constant(float(low), x.dtype)
        high = x.device.constant(float(high), x.dtype)
    same = low == high
    return where(same, low - 1.0, low), where(same, high + 1.0, high)


def histc(x: T, bins: int = 100, min: float = 0.0, max: float = 0.0) -> T:
    """Return how many elements fall into each of `bins` even parts of [min, max].

    Where both are 0 they are x's extremes. The last part has its end; elements outside
    are left out. Dtype: that of x (integers become float32). Shapes: [...] -> [bins].
    Raises: ShapeError for less than one bin, or max below min.

    Example:
        >>> import fogo
        >>> fogo.histc(fogo.tensor([1.0, 2.0, 1.0]), 4, 0.0, 3.0).tolist()
        [0.0, 2.0, 1.0, 0.0]
    """
    if bins < 1 or max < min:
        raise ShapeError(
            "histc: at least one bin, and max not below min; given bins=%d, min=%s, "
            "max=%s" % (bins, min, max)
        )
    x = _float(x.detach()).reshape((-1,))
    zeros = x.device.constant(0, x.dtype).expand((bins,))
    if x.size == 0:
        return zeros
    low, high = _bounds(x, min, max)
    inside = (x >= low) & (x <= high)
    part = ((where(inside, x, low) - low) / (high - low) * bins).floor()
    place = part.astype(x.device.default_int).minimum(bins - 1)
    return add_at(zeros, where(inside, place, bins), 1)


def histogram(
    x: T,
    bins: int | Tensor = 10,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Histogram[T]:
    """Return (hist, edges): what falls between edges, and these.

    bins: how many, or the edges themselves in order [K + 1]. range: from where to where
    (x's extremes if None). weight: of x's shape, what each element counts. density:
    the counts as a share of all, by the width of the bin. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> hist, edges = fogo.histogram(fogo.tensor([1.0, 2.0, 1.0]), 2, (0.0, 3.0))
        >>> hist.tolist(), edges.tolist()
        ([2.0, 1.0], [0.0, 1.5, 3.0])
    """
    x = _float(x.detach()).reshape((-1,))
    edges = _edges(x, bins, range)
    count = edges.size - 1
    if count < 1:
        raise ShapeError("histogram: at least one bin; given %d" % count)
    if weight is not None and weight.size != x.size:
        raise ShapeError(
            "histogram: a weight for each element; given %s for %d"
            % (list(weight.shape), x.size)
        )
    place = searchsorted(edges, x, "right") - 1
    last = x == edges[-1]
    place = where(last, count - 1, where((place < 0) | x.isnan(), count, place))
    each = 1 if weight is None else weight.reshape((-1,)).astype(x.dtype)
    zeros = x.device.constant(0, x.dtype).expand((count,))
    hist = add_at(zeros, place, each) if x.size else zeros
    if density:
        hist = hist / (edges[1:] - edges[:-1]) / hist.sum()
    return Histogram(hist, edges)


def _edges(x, bins, range):
    from ..tensor import Tensor

    if isinstance(bins, Tensor):
        if bins.ndim != 1:
            raise ShapeError("histogram: edges are 1-d; given %s" % list(bins.shape))
        return bins.astype(x.dtype)
    if range is not None and range[0] < range[1]:
        return linspace(range[0], range[1], bins + 1, x.dtype, x.device)
    low, high = _bounds(x, *((0, 0) if range is None else range))
    share = arange(bins + 1, dtype=x.dtype, device=x.device) / float(bins)
    return low.lerp(high, share)


def bucketize(x: Tensor, boundaries: Tensor, right: bool = False) -> Tensor:
    """Return the number of the bucket that each element falls into.

    Bucket i ends with `boundaries[i]`, itself included unless `right`. Shapes: x [...],
    boundaries [N], in order -> x's. Dtype: the default integer.

    Example:
        >>> import fogo
        >>> fogo.bucketize(fogo.tensor([1.0, 2.5]), fogo.tensor([1.0, 2.0])).tolist()
        [0, 2]
    """
    return searchsorted(boundaries, x, "right" if right else "left")


_X = ((3, 5), -3.0, 3.0)
_COUNTED = ((9,), 0, 5)
SAMPLES = {
    "bincount": (
        Sample(_COUNTED),
        Sample(_COUNTED, minlength=8),
        Sample(((9,), -2, 5), length=4),
        Sample(((0,), 0, 1), minlength=2),
    ),
    "histc": (Sample(_X, bins=4), Sample(_X, bins=5, min=-2, max=1)),
    "histogram": (
        Sample(_X, bins=4),
        Sample(_X, bins=5, range=(-2.0, 1.0), density=True),
    ),
    "bucketize": (
        Sample(_X, ((1,), -1.0, 1.0)),
        Sample(_X, ((1,), -1.0, 1.0), right=True),
    ),
}

__all__ = ["bincount", "bincount_async", "bucketize", "histc", "histogram"]
NOT_METHODS = ("bucketize",)
