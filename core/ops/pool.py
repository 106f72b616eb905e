"""Pooling over any number of axes: the largest of each window, or its mean.

The functions without a number in their name take the rank from `kernel_size`. x is
[N, C, ...S] or [C, ...S]: all axes before the pooled ones are treated alike. In the
ops, padding travels as pairs (before, after), where "after" is as far as the last
window reaches beyond the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import float16, float32
from ..errors import ShapeError
from ..expr import INDEX, cast, literal
from ..expr import call as E
from .creation import arange
from .define import Sample, define_op
from .record import Aval
from .windows import Axis, firsts, nest, output_size, positive, spread

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _call(op, tensors, attrs):
    from ..tensor import call

    return call(op, tensors, attrs)


def _split(c, rank):
    """Coordinates of the plane's number, and of the place in it."""
    return c[: len(c) - rank], c[len(c) - rank :]


def _axes(clipped, stride, padding, dilation):
    return [Axis(s, p, d, clipped) for s, p, d in zip(stride, padding, dilation)]


def _flat(places, sizes):
    """The number of a place in its plane, row by row."""
    flat = literal(0, INDEX)
    for at, n in zip(places, sizes):
        flat = flat * n + at
    return flat


def _pooled(avals, attrs):
    """The shape after pooling by (kernel, stride, padding, dilation, …)."""
    shape = avals[0].shape
    rank = len(attrs[0])
    sizes = [
        output_size(n, k, s, p, d)
        for n, k, s, p, d in zip(shape[-rank:], attrs[0], attrs[1], attrs[2], attrs[3])
    ]
    return shape[:-rank] + tuple(sizes)


def _spread_out(avals, attrs):
    """The shape of the input again: that of the gradient, with `size` at its end."""
    g = avals[0]
    return (Aval(g.shape[: len(g.shape) - len(attrs[0])] + attrs[0], g.dtype),)


def _lowest(dtype):
    return -float("inf") if dtype.is_float else dtype.min


def _max_kernel(clipped):
    """The first of the largest; a nan is larger than all."""

    def kernel(k, x, out, places, kernel, stride, padding, dilation, dtype):
        c = k.grid(out.shape)
        lead, at = _split(c, len(kernel))
        sizes = x.shape[len(lead) :]
        best = k.cell(_lowest(x.dtype), x.dtype)
        place = k.cell(-1, dtype)
        spans = [
            axis.taps(o, taps, n)
            for axis, o, taps, n in zip(
                _axes(clipped, stride, padding, dilation), at, kernel, sizes
            )
        ]

        def look(pairs):
            v = x[lead + firsts(pairs)]
            wins = (v > best) | (place < 0)
            if x.dtype.is_float:
                wins = wins | E("isnan", v)
            with k.when(wins):
                best.set(v)
                place.set(_flat(firsts(pairs), sizes))

        nest(k, spans, look)
        out[c] = best
        places[c] = place

    return kernel


def _max_infer(avals, attrs):
    shape = _pooled(avals, attrs)
    return Aval(shape, avals[0].dtype), Aval(shape, attrs[4])


def _max_grad(ctx):
    x = ctx.inputs[0]
    size = x.shape[x.ndim - len(ctx.attrs[0]) :]
    return (_call(MAX_GRAD, (ctx.g[0], ctx.outputs[1]), (size,) + ctx.attrs[:4]),)


def _max_grad_kernel(clipped):
    """Each place of the input adds up the windows in which it was the largest."""

    def kernel(k, g, places, out, size, kernel, stride, padding, dilation):
        c = k.grid(out.shape)
        lead, at = _split(c, len(size))
        me = k.let(_flat(at, out.shape[len(lead) :]))
        acc = k.cell(0, float32 if g.dtype is float16 else g.dtype)
        spans = [
            axis.sources(i, taps, outs)
            for axis, i, taps, outs in zip(
                _axes(clipped, stride, padding, dilation), at, kernel,
                g.shape[len(lead) :],
            )
        ]  # fmt: skip

        def look(pairs):
            window = lead + firsts(pairs)
            with k.when(k.index(places[window]) == me):
                acc.set(acc + cast(g[window], acc.dtype))

        nest(k, spans, look)
        out[c] = acc

    return kernel


def _max_grad_grad(ctx):
    """Read the second cotangent where the largest elements were."""
    h, places = ctx.g[0], ctx.inputs[1]
    rank = len(ctx.attrs[0])
    lead = places.shape[: len(places.shape) - rank]
    flat = h.reshape(lead + (-1,)) if h.size else h.reshape(lead + (0,))
    found = flat.take_along_axis(places.reshape(lead + (_count(places, rank),)), -1)
    return found.reshape(places.shape), None


def _count(x, rank):
    n = 1
    for d in x.shape[len(x.shape) - rank :]:
        n *= d
    return n


def _x(*shape):
    return (shape, -3.0, 3.0)


_OPTIONS = ("kernel", "stride", "padding", "dilation")
MAX_POOL = define_op(
    "max_pool", infer=_max_infer, attrs=_OPTIONS + ("dtype",),
    kernel=_max_kernel(False), serial=_max_kernel(True), grad=_max_grad, saves="o",
    diff=(True, False), accepts="numeric",
    samples=(
        Sample(_x(2, 3, 8), kernel_size=(2,)),
        Sample(_x(2, 3, 5, 7), kernel_size=(3, 2), stride=2, padding=1),
        Sample(_x(3, 7, 6), kernel_size=(2, 3), stride=(1, 2), dilation=2),
        Sample(_x(1, 2, 6, 7), kernel_size=(3, 3), stride=2, ceil_mode=True),
        Sample(_x(1, 2, 4, 3, 5), kernel_size=(2, 2, 2)),
        Sample(_x(0, 2, 4), kernel_size=(2,)),
    ),
)  # fmt: skip
MAX_GRAD = define_op(
    "max_pool_grad", infer=_spread_out, attrs=("size",) + _OPTIONS,
    kernel=_max_grad_kernel(False), serial=_max_grad_kernel(True),
    grad=_max_grad_grad, saves="i",
)  # fmt: skip


def _window_count(k, places, sizes, kernel, stride, padding, divisor, dtype):
    """What a window's sum is divided by: see AVG_POOL."""
    if divisor > 0:
        return float(divisor)
    total = literal(1, INDEX)
    for o, n, taps, s, (before, _) in zip(places, sizes, kernel, stride, padding):
        first = o * s - before
        end = first + taps
        if divisor == 0:
            total = total * (E("min", end, n) - E("max", first, 0))
        else:
            total = total * (E("min", end, n + before) - first)
    return cast(k.let(total), dtype)


def _avg_kernel(clipped):
    def kernel(k, x, out, kernel, stride, padding, dilation, divisor):
        c = k.grid(out.shape)
        lead, at = _split(c, len(kernel))
        sizes = x.shape[len(lead) :]
        acc = k.cell(0, float32 if x.dtype is float16 else x.dtype)
        spans = [
            axis.taps(o, taps, n)
            for axis, o, taps, n in zip(
                _axes(clipped, stride, padding, dilation), at, kernel, sizes
            )
        ]

        def add(pairs):
            acc.set(acc + cast(x[lead + firsts(pairs)], acc.dtype))

        nest(k, spans, add)
        out[c] = acc / _window_count(
            k, at, sizes, kernel, stride, padding, divisor, acc.dtype
        )

    return kernel


def _avg_grad_kernel(clipped):
    def kernel(k, g, out, size, kernel, stride, padding, dilation, divisor):
        c = k.grid(out.shape)
        lead, at = _split(c, len(size))
        acc = k.cell(0, float32 if g.dtype is float16 else g.dtype)
        spans = [
            axis.sources(i, taps, outs)
            for axis, i, taps, outs in zip(
                _axes(clipped, stride, padding, dilation), at, kernel,
                g.shape[len(lead) :],
            )
        ]  # fmt: skip

        def add(pairs):
            part = cast(g[lead + firsts(pairs)], acc.dtype)
            acc.set(acc + part / _window_count(
                k, firsts(pairs), out.shape[len(lead) :], kernel, stride, padding,
                divisor, acc.dtype,
            ))  # fmt: skip

        nest(k, spans, add)
        out[c] = acc

    return kernel


def _avg_grad(ctx):
    x = ctx.inputs[0]
    size = x.shape[len(x.shape) - len(ctx.attrs[0]) :]
    return (_call(AVG_GRAD, (ctx.g[0],), (size,) + ctx.attrs),)


# divisor: a number; 0: the elements inside the input; -1: those inside the padding.
AVG_POOL = define_op(
    "avg_pool", attrs=_OPTIONS + ("divisor",), kernel=_avg_kernel(False),
    serial=_avg_kernel(True), grad=_avg_grad, saves="", accepts="float",
    infer=lambda avals, attrs: (Aval(_pooled(avals, attrs), avals[0].dtype),),
    samples=(
        Sample(_x(2, 3, 8), kernel_size=(2,)),
        Sample(_x(2, 3, 5, 7), kernel_size=(3, 2), stride=2, padding=1),
        Sample(_x(3, 5, 7), kernel_size=(3, 2), stride=2, padding=1,
               count_include_pad=False),
        Sample(_x(1, 2, 6, 7), kernel_size=(3, 3), stride=2, padding=1, ceil_mode=True),
        Sample(_x(1, 2, 4, 3, 5), kernel_size=(2, 2, 2), stride=1, divisor_override=5),
        Sample(_x(0, 2, 4), kernel_size=(2,)),
    ),
)  # fmt: skip
AVG_GRAD = define_op(
    "avg_pool_grad", infer=_spread_out, attrs=("size",) + _OPTIONS + ("divisor",),
    kernel=_avg_grad_kernel(False), serial=_avg_grad_kernel(True), saves="",
    grad=lambda ctx: (_call(AVG_POOL, (ctx.g[0],), ctx.attrs[1:]),),
)  # fmt: skip


def _settings(name, x, rank, kernel, stride, padding, dilation, ceil_mode):
    """(kernel, stride, padding pairs, dilation) as the ops take them, checked."""
    kernel = positive(name, "kernel_size", kernel, rank)
    stride = kernel if stride is None else positive(name, "stride", stride, rank)
    padding = spread(name, "padding", padding, rank)
    dilation = positive(name, "dilation", dilation, rank)
    if x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(
            "%s: x is [N, C, %d spatial axes] or without N; given %s"
            % (name, rank, list(x.shape))
        )
    pairs = []
    for n, k, s, p, d in zip(x.shape[-rank:], kernel, stride, padding, dilation):
        reach = d * (k - 1) + 1
        if not 0 <= 2 * p <= reach:
            raise ShapeError(
                "%s: padding is at most half the kernel; given padding=%s, "
                "kernel_size=%s" % (name, padding, kernel)
            )
        outs = _outputs(n, s, p, reach, ceil_mode)
        if outs < 1:
            raise ShapeError(
                "%s: the window must fit into the padded input; given x=%s, "
                "kernel_size=%s, padding=%s" % (name, list(x.shape), kernel, padding)
            )
        pairs.append((p, (outs - 1) * s - p + reach - n))
    return kernel, stride, tuple(pairs), dilation


def _outputs(n, stride, padding, reach, ceil_mode):
    """Number of windows; with ceil_mode the last may end, but not begin, outside."""
    room = n + 2 * padding - reach
    if not ceil_mode or room < 0:
        return room // stride + 1
    outs = (room + stride - 1) // stride + 1
    return outs - 1 if (outs - 1) * stride >= n + padding else outs


def _max_pool(name, rank, x, kernel, stride, padding, dilation, ceil_mode):
    MAX_POOL.check(x.dtype)
    attrs = _settings(name, x, rank, kernel, stride, padding, dilation, ceil_mode)
    return _call(MAX_POOL, (x,), attrs + (x.device.default_int,))


def _avg_pool(name, rank, x, kernel, stride, padding, ceil_mode, include, override):
    AVG_POOL.check(x.dtype)
    attrs = _settings(name, x, rank, kernel, stride, padding, 1, ceil_mode)
    divisor = -1 if include else 0
    over = max([a - p for (p, a) in attrs[2]])  # beyond the padding: by ceil_mode
    if override is not None:
        if override < 1:
            raise ShapeError(
                "%s: divisor_override must be positive; given %s" % (name, override)
            )
        divisor = override
    elif over <= 0 and (include or max([p for p, _ in attrs[2]]) == 0):
        divisor = _product(attrs[0])
    return _call(AVG_POOL, (x,), attrs + (divisor,))


def _product(numbers):
    n = 1
    for d in numbers:
        n *= d
    return n


def _rank(x, kernel_size):
    return max(x.ndim - 2, 1) if isinstance(kernel_size, int) else len(kernel_size)


def max_pool(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
) -> tuple[T, T]:
    """Return the largest element of each window, and its place.

    Shapes: x [N, C, ...S] or [C, ...S] with one axis for each number in `kernel_size`.
    Places number the elements of a plane [...S] row by row; padding never wins; a nan
    always does. The stride is the kernel's size by default. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> values, places = fogo.max_pool(fogo.tensor([[1.0, 3.0, 2.0, 0.0]]), (2,))
        >>> values.tolist(), places.tolist()
        ([[3.0, 2.0]], [[1, 2]])
    """
    rank = _rank(x, kernel_size)
    return _max_pool(
        "max_pool", rank, x, kernel_size, stride, padding, dilation, ceil_mode
    )


def max_pool1d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
) -> T:
    """Return the largest element of each window of [N, C, L]; places: `max_pool`."""
    return _max_pool(
        "max_pool1d", 1, x, kernel_size, stride, padding, dilation, ceil_mode
    )[0]


def max_pool2d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
) -> T:
    """Return the largest element of each window of [N, C, H, W]; places: `max_pool`.

    Example:
        >>> import fogo
        >>> fogo.max_pool2d(fogo.ones(1, 1, 4, 4), 2).shape
        (1, 1, 2, 2)
    """
    return _max_pool(
        "max_pool2d", 2, x, kernel_size, stride, padding, dilation, ceil_mode
    )[0]


def max_pool3d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
) -> T:
    """Return the largest element of each window of [N, C, D, H, W]."""
    return _max_pool(
        "max_pool3d", 3, x, kernel_size, stride, padding, dilation, ceil_mode
    )[0]


def avg_pool(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T:
    """Return the mean of each window; padding counts as zeros, or not at all.

    Shapes: x [N, C, ...S] or [C, ...S] with one axis for each number in `kernel_size`.
    `divisor_override` divides the sums instead of the number of elements. The stride
    is the kernel's size by default. Raises: ShapeError, DTypeError (floats only).

    Example:
        >>> import fogo
        >>> fogo.avg_pool(fogo.tensor([[1.0, 3.0, 2.0, 0.0]]), (2,)).tolist()
        [[2.0, 1.0]]
    """
    return _avg_pool(
        "avg_pool", _rank(x, kernel_size), x, kernel_size, stride, padding, ceil_mode,
        count_include_pad, divisor_override,
    )  # fmt: skip


def avg_pool1d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> T:
    """Return the mean of each window of [N, C, L]; see `avg_pool`."""
    return _avg_pool(
        "avg_pool1d", 1, x, kernel_size, stride, padding, ceil_mode, count_include_pad,
        None,
    )  # fmt: skip


def avg_pool2d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T:
    """Return the mean of each window of [N, C, H, W]; see `avg_pool`."""
    return _avg_pool(
        "avg_pool2d", 2, x, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override,
    )  # fmt: skip


def avg_pool3d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T:
    """Return the mean of each window of [N, C, D, H, W]; see `avg_pool`."""
    return _avg_pool(
        "avg_pool3d", 3, x, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override,
    )  # fmt: skip


def _shares(n, outs, like):
    """A matrix [n, outs]: output j is the mean of places j*n//outs … up to the next."""
    at = arange(n, device=like.device).reshape((n, 1))
    j = arange(outs, device=like.device).reshape((1, outs))
    first = j * n // outs
    last = ((j + 1) * n + (outs - 1)) // outs
    inside = ((at >= first) & (at < last)).astype(like.dtype)
    return inside / (last - first).astype(like.dtype)


def _adaptive(name, rank, x, output_size):
    AVG_POOL.check(x.dtype)
    if isinstance(output_size, int):
        output_size = (output_size,) * rank
    if len(output_size) != rank or x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(
            "%s: one output size per pooled axis; given %s for x=%s"
            % (name, tuple(output_size), list(x.shape))
        )
    for i, outs in enumerate(output_size):
        axis = x.ndim - rank + i
        n = x.shape[axis]
        if outs is None or outs == n:
            continue
        if outs < 1 or n < 1:
            raise ShapeError(
                "%s: sizes must be positive; given %s for x=%s"
                % (name, tuple(output_size), list(x.shape))
            )
        if n % outs == 0:
            cut = x.shape[:axis] + (outs, n // outs) + x.shape[axis + 1 :]
            x = x.reshape(cut).mean(axis + 1)
        else:
            x = x.moveaxis(axis, -1).matmul(_shares(n, outs, x)).moveaxis(-1, axis)
    return x


def adaptive_avg_pool(x: T, output_size: tuple[int | None, ...]) -> T:
    """Return means over windows chosen so that the last axes get `output_size`.

    Window j of O over n places is [floor(j*n/O), ceil((j+1)*n/O)); None keeps an axis.
    Shapes: x [N, C, ...S] or [C, ...S], one axis per output size.

    Example:
        >>> import fogo
        >>> fogo.adaptive_avg_pool(fogo.tensor([[1.0, 3.0, 5.0]]), (2,)).tolist()
        [[2.0, 4.0]]
    """
    return _adaptive("adaptive_avg_pool", len(output_size), x, output_size)


def adaptive_avg_pool1d(x: T, output_size: int | tuple[int | None, ...]) -> T:
    """`adaptive_avg_pool` over the last axis."""
    return _adaptive("adaptive_avg_pool1d", 1, x, output_size)


def adaptive_avg_pool2d(x: T, output_size: int | tuple[int | None, ...]) -> T:
    """`adaptive_avg_pool` over the last two axes; a number stands for both."""
    return _adaptive("adaptive_avg_pool2d", 2, x, output_size)


def adaptive_avg_pool3d(x: T, output_size: int | tuple[int | None, ...]) -> T:
    """`adaptive_avg_pool` over the last three axes; a number stands for all."""
    return _adaptive("adaptive_avg_pool3d", 3, x, output_size)


def _planes(name, x):
    if x.ndim < 3:
        raise ShapeError(
            "%s: x is [N, C, ...]; given %s" % (name, list(x.shape))
        )  # fmt: skip
    return tuple(range(2, x.ndim))


def global_avg_pool(x: T) -> T:
    """Return the mean of each plane: [N, C, ...S] -> [N, C, 1, …]."""
    return x.mean(_planes("global_avg_pool", x), True)


def global_max_pool(x: T) -> T:
    """Return the largest element of each plane: [N, C, ...S] -> [N, C, 1, …]."""
    return x.max(_planes("global_max_pool", x), True)


# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "max_pool1d": (Sample(_x(2, 3, 7), kernel_size=3, stride=2, padding=1),),
    "max_pool2d": (
        Sample(_x(2, 3, 6, 6), kernel_size=2),
        Sample(_x(3, 5, 7), kernel_size=3, stride=2, padding=1, ceil_mode=True),
    ),
    "max_pool3d": (Sample(_x(1, 2, 4, 3, 5), kernel_size=2, stride=1),),
    "avg_pool1d": (Sample(_x(2, 3, 7), kernel_size=3, stride=2, padding=1),),
    "avg_pool2d": (
        Sample(_x(2, 3, 6, 6), kernel_size=2),
        Sample(_x(3, 5, 7), kernel_size=3, stride=2, padding=1, ceil_mode=True,
               count_include_pad=False),
    ),
    "avg_pool3d": (Sample(_x(1, 2, 4, 3, 5), kernel_size=2, stride=1),),
    "adaptive_avg_pool": (Sample(_x(2, 3, 7), output_size=(3,)),),
    "adaptive_avg_pool1d": (Sample(_x(2, 3, 8), output_size=4),),
    "adaptive_avg_pool2d": (
        Sample(_x(2, 3, 7, 6), output_size=1),
        Sample(_x(3, 7, 6), output_size=(5, 3)),
    ),
    "adaptive_avg_pool3d": (Sample(_x(1, 2, 4, 3, 5), output_size=(2, None, 3)),),
    "global_avg_pool": (Sample(_x(2, 3, 4, 5)),),
    "global_max_pool": (Sample(_x(2, 3, 4, 5)),),
}  # fmt: skip

__all__ = [
    "adaptive_avg_pool", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "adaptive_avg_pool3d", "avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "global_avg_pool", "global_max_pool", "max_pool", "max_pool1d", "max_pool2d",
    "max_pool3d",
]  # fmt: skip
NOT_METHODS = __all__
