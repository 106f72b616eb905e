"""Scans: cumulative sums, products and extremes along an axis.

A line is walked by one thread. Where lines are long and few, sums are an op of their
own, which cuts them in blocks, and which GPUs do otherwise (see fast/scan.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import float16, float32
from ..errors import ShapeError
from ..expr import call as E
from ..expr import cast
from ..shapes import normalize_axes, normalize_axis
from .complex_ import conj
from .define import Sample, define_op
from .movement import concat, flip, narrow, permute, reshape
from .pairs import Placed
from .record import Aval, same

if TYPE_CHECKING:
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_SAMPLES = (
    Sample(((3, 5, 2), -2.0, 2.0), axis=1),
    Sample(((3, 5), -2.0, 2.0), axis=-1),
    Sample(((6,), -2.0, 2.0), axis=0),
    Sample(((2, 0, 3), -2.0, 2.0), axis=1),
    Sample(((0, 3), -2.0, 2.0), axis=1),
)


def _call(op, tensors, attrs):
    from ..dispatch import call

    return call(op, tensors, attrs)


def _wide(dtype):
    return float32 if dtype is float16 else dtype


def _line(k, shape, axis):
    """A grid over lines; returns `at(i)`: the coordinates of place i on this line."""
    rest = k.grid(shape[:axis] + shape[axis + 1 :])
    return lambda i: rest[:axis] + (i,) + rest[axis:]


def _running(name, neutral):
    """out[i] = x[0] op … op x[i]."""

    def kernel(k, x, out, axis):
        at = _line(k, x.shape, axis)
        acc = k.cell(neutral, _wide(x.dtype))
        with k.loop(x.shape[axis]) as i:
            acc.set(E(name, acc, cast(x[at(i)], acc.dtype)))
            out[at(i)] = acc

    return kernel


def _reversed_sum(ctx):
    (axis,) = ctx.attrs
    return (flip(cumsum(flip(ctx.g[0], axis), axis), axis),)


CUMSUM = define_op(
    "cumsum", infer=same, attrs=("axis",), kernel=_running("add", 0), saves="",
    grad=_reversed_sum, accepts="numeric", samples=_SAMPLES, complex=True,
)  # fmt: skip
_BLOCK = 256  # lines longer than this are cut, where they are few
_MANY = 1024


def _accumulated(x, dtype):
    from .reduce import _accumulator

    return _accumulator(x, dtype)


def cumsum(x: T, axis: int, dtype: DType | None = None) -> T:
    """Return the sums of all elements up to each one along an axis.

    Dtype: that of x; bools and small integers add up in the default integer.
    Raises: ShapeError for an axis out of range.

    Example:
        >>> import fogo
        >>> fogo.cumsum(fogo.tensor([1.0, 2.0, 3.0]), 0).tolist()
        [1.0, 3.0, 6.0]
    """
    place = normalize_axis("cumsum", axis, x.ndim)
    x = _accumulated(x, dtype)
    CUMSUM.check(x.dtype)
    n = x.shape[place]
    if n <= _BLOCK or x.size // n >= _MANY:
        return _call(CUMSUM, (x,), (place,))
    return _call(LONG_CUMSUM, (x,), (place,))


def _in_blocks(x, axis):
    """Sums within blocks, sums of the blocks' totals, and both added."""
    n = x.shape[axis]
    width = _BLOCK
    while width * width < n:
        width *= 2
    blocks = (n + width - 1) // width
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, blocks * width - n)
    lead, rest = x.shape[:axis], x.shape[axis + 1 :]
    parts = reshape(x.pad(tuple(widths)), lead + (blocks, width) + rest)
    within = _call(CUMSUM, (parts,), (axis + 1,))
    totals = narrow(within, axis + 1, width - 1, 1)
    before = _call(CUMSUM, (totals,), (axis,)) - totals
    whole = reshape(within + before, lead + (blocks * width,) + rest)
    return narrow(whole, axis, 0, n)


LONG_CUMSUM = define_op(
    "long_cumsum", infer=same, attrs=("axis",), decompose=_in_blocks, saves="",
    grad=_reversed_sum, accepts="numeric", complex=True,
)  # fmt: skip


def _first(like, axis, value):
    """A slice of one constant, to put before a line."""
    shape = like.shape[:axis] + (1,) + like.shape[axis + 1 :]
    return like.device.constant(value, like.dtype).expand(shape)


def _shifted(x, axis, value):
    """Move a line one place on; `value` comes in, the last element goes."""
    n = x.shape[axis]
    if n == 0:
        return x
    return concat([_first(x, axis, value), narrow(x, axis, 0, n - 1)], axis)


def _pulled(x, axis, value):
    """Move a line one place back; the first element goes, `value` comes in."""
    n = x.shape[axis]
    if n == 0:
        return x
    return concat([narrow(x, axis, 1, n - 1), _first(x, axis, value)], axis)


def _linear_kernel(k, a, b, out, axis):
    at = _line(k, a.shape, axis)
    h = k.cell(0, _wide(a.dtype))
    with k.loop(a.shape[axis]) as i:
        h.set(h * cast(a[at(i)], h.dtype) + cast(b[at(i)], h.dtype))
        out[at(i)] = h


def _linear_grad(ctx):
    """The cotangents run backwards through the same recurrence."""
    a, _ = ctx.inputs
    (axis,) = ctx.attrs
    back = flip(_pulled(conj(a), axis, 0), axis)
    db = flip(linear_scan(back, flip(ctx.g[0], axis), axis), axis)
    return db * conj(_shifted(ctx.outputs[0], axis, 0)), db


LINEAR = define_op(
    "linear_scan", infer=same, attrs=("axis",), kernel=_linear_kernel,
    grad=_linear_grad, accepts="numeric", complex=True,
    samples=(
        Sample(((3, 5, 2), -1.5, 1.5), ((3, 5, 2), -2.0, 2.0), axis=1),
        Sample(((6,), -1.5, 1.5), ((6,), -2.0, 2.0), axis=0),
        Sample(((2, 0), -1.5, 1.5), ((2, 0), -2.0, 2.0), axis=1),
    ),
)  # fmt: skip


def linear_scan(a: T, b: Tensor, axis: int = -1) -> T:
    """Return h with `h[i] = a[i] * h[i-1] + b[i]` along an axis, from h[-1] = 0.

    Shapes: a and b equal. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> a, b = fogo.tensor([2.0, 2.0, 2.0]), fogo.tensor([1.0, 1.0, 1.0])
        >>> fogo.linear_scan(a, b).tolist()
        [1.0, 3.0, 7.0]
    """
    if a.shape != b.shape:
        raise ShapeError(
            "linear_scan: a and b have one shape; given %s and %s"
            % (list(a.shape), list(b.shape))
        )
    LINEAR.check(a.dtype)
    place = normalize_axis("linear_scan", axis, a.ndim)
    return _call(LINEAR, (a, b.astype(a.dtype)), (place,))


def _cumprod_grad(ctx):
    """Products of all before, times sums over all after: right with zeros too."""
    x = ctx.inputs[0]
    (axis,) = ctx.attrs
    before = conj(_shifted(ctx.outputs[0], axis, 1))
    back = flip(_pulled(conj(x), axis, 0), axis)
    after = flip(linear_scan(back, flip(ctx.g[0], axis), axis), axis)
    return (before * after,)


CUMPROD = define_op(
    "cumprod", infer=same, attrs=("axis",), kernel=_running("mul", 1),
    grad=_cumprod_grad, accepts="numeric", samples=_SAMPLES, complex=True,
)  # fmt: skip


def cumprod(x: T, axis: int, dtype: DType | None = None) -> T:
    """Return the products of all elements up to each one; dtypes as in `cumsum`.

    Example:
        >>> import fogo
        >>> fogo.cumprod(fogo.tensor([1, 2, 3]), 0).tolist()
        [1, 2, 6]
    """
    place = normalize_axis("cumprod", axis, x.ndim)
    x = _accumulated(x, dtype)
    CUMPROD.check(x.dtype)
    return _call(CUMPROD, (x,), (place,))


def _with_initial(x, axis, dtype, initial, value, scan):
    if axis is None:
        if x.ndim != 1:
            raise ShapeError(
                "cumulative: name the axis of a %d-d tensor; given axis=None" % x.ndim
            )
        axis = 0
    out = scan(x, axis, dtype)
    if not initial:
        return out
    place = normalize_axis("cumulative", axis, x.ndim)
    return concat([_first(out, place, value), out], place)


def cumulative_sum(
    x: T,
    axis: int | None = None,
    dtype: DType | None = None,
    include_initial: bool = False,
) -> T:
    """`cumsum`, by its name in the array API standard; may begin with 0.

    Example:
        >>> import fogo
        >>> fogo.cumulative_sum(fogo.tensor([1, 2, 3])).tolist()
        [1, 3, 6]
    """
    return _with_initial(x, axis, dtype, include_initial, 0, cumsum)


def cumulative_prod(
    x: T,
    axis: int | None = None,
    dtype: DType | None = None,
    include_initial: bool = False,
) -> T:
    """`cumprod`, by its name in the array API standard; may begin with 1.

    Example:
        >>> import fogo
        >>> fogo.cumulative_prod(fogo.tensor([1, 2, 3])).tolist()
        [1, 2, 6]
    """
    return _with_initial(x, axis, dtype, include_initial, 1, cumprod)


def _extreme_infer(avals, attrs):
    x = avals[0]
    return Aval(x.shape, x.dtype), Aval(x.shape, attrs[1])


def _extreme(name):
    """The best so far and its place: of equal ones the last; a nan stays (PyTorch)."""

    def kernel(k, x, out, places, axis, dtype):
        at = _line(k, x.shape, axis)
        best = k.cell(0, x.dtype)
        place = k.cell(-1, dtype)
        with k.loop(x.shape[axis]) as i:
            v = x[at(i)]
            wins = E(name, v, best) | (place < 0)
            if x.dtype.is_float:
                wins = wins | E("isnan", v)
            with k.when(wins):
                best.set(v)
                place.set(i)
            out[at(i)] = best
            places[at(i)] = place

    return kernel


def _extreme_grad(ctx):
    axis = ctx.attrs[0]
    zeros = ctx.g[0].device.constant(0, ctx.g[0].dtype).expand(ctx.g[0].shape)
    return (zeros.add_along_axis(ctx.outputs[1], ctx.g[0], axis),)


def _extreme_op(name, better):
    return define_op(
        name, infer=_extreme_infer, attrs=("axis", "dtype"), kernel=_extreme(better),
        grad=_extreme_grad, saves="o", diff=(True, False), accepts="numeric",
        samples=_SAMPLES,
    )  # fmt: skip


CUMMAX = _extreme_op("cummax", "ge")
CUMMIN = _extreme_op("cummin", "le")


def cummax(x: T, axis: int) -> Placed[T]:
    """Return the largest element up to each one along an axis, and its place.

    Of equal elements the last counts; a nan is larger than all. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> values, places = fogo.cummax(fogo.tensor([1.0, 3.0, 2.0]), 0)
        >>> values.tolist(), places.tolist()
        ([1.0, 3.0, 3.0], [0, 1, 1])
    """
    CUMMAX.check(x.dtype)
    place = normalize_axis("cummax", axis, x.ndim)
    return Placed(*_call(CUMMAX, (x,), (place, x.device.default_int)))


def cummin(x: T, axis: int) -> Placed[T]:
    """Return the smallest element up to each one along an axis, and its place.

    Example:
        >>> import fogo
        >>> [y.tolist() for y in fogo.cummin(fogo.tensor([3, 1, 2]), 0)]
        [[3, 1, 1], [0, 1, 1]]
    """
    CUMMIN.check(x.dtype)
    place = normalize_axis("cummin", axis, x.ndim)
    return Placed(*_call(CUMMIN, (x,), (place, x.device.default_int)))


def exclusive_products(x: T, axes: int | tuple[int, ...] | None = None) -> T:
    """Return for each element the product of all others over `axes`: no division.

    Example:
        >>> import fogo
        >>> fogo.exclusive_products(fogo.tensor([2.0, 0.0, 3.0])).tolist()
        [0.0, 6.0, 0.0]
    """
    over = normalize_axes("exclusive_products", axes, x.ndim)
    if not over or x.size == 0:
        return x.device.constant(1, x.dtype).expand(x.shape)
    order = tuple([a for a in range(x.ndim) if a not in over] + list(over))
    moved = permute(x, order)
    kept = moved.shape[: x.ndim - len(over)]
    line = reshape(moved, kept + (-1,))
    axis = len(kept)
    before = _shifted(cumprod(line, axis, x.dtype), axis, 1)
    ahead = cumprod(flip(line, axis), axis, x.dtype)
    after = flip(_shifted(ahead, axis, 1), axis)
    back = [0] * x.ndim
    for i, a in enumerate(order):
        back[a] = i
    return permute(reshape(before * after, moved.shape), tuple(back))


# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "cumulative_sum": (
        Sample(((5,), -2.0, 2.0)),
        Sample(((3, 5), -2.0, 2.0), axis=1, include_initial=True),
        Sample(((2, 700), -2.0, 2.0), axis=1),
    ),
    "cumulative_prod": (
        Sample(((5,), -2.0, 2.0)),
        Sample(((3, 5), -2.0, 2.0), axis=0, include_initial=True),
    ),
    "exclusive_products": (
        Sample(((3, 4, 2), -2.0, 2.0)),
        Sample(((3, 4, 2), -2.0, 2.0), axes=(0, 2)),
        Sample(((3, 4), -2.0, 2.0), axes=1),
    ),
}

__all__ = [
    "cummax", "cummin", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum",
    "exclusive_products", "linear_scan",
]  # fmt: skip
NOT_METHODS = ("linear_scan",)
