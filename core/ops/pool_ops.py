"""The four pooling ops: largest with places, mean, and the gradients of both.

Padding travels as pairs (before, after), where "after" is as far as the last window
reaches beyond the input. All axes before the pooled ones are treated alike.
"""

from __future__ import annotations

from ..dtypes import float16, float32
from ..expr import INDEX, cast, literal
from ..expr import call as E
from .define import Sample, define_op
from .record import Aval
from .windows import Axis, firsts, nest, output_size


def _call(op, tensors, attrs):
    from ..dispatch import call

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
