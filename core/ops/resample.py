"""Resampling along one axis: the op behind `interpolate`, and its gradient.

Output o lies at a real place of the input and mixes the taps around it by a filter of
their distance. Taps beyond an edge repeat it; where the filter is stretched for
shrinking (antialiasing) they are left out. Both kernels compute the same weights, the
gradient by looking at the outputs around each input, so that neither needs tables.
"""

from __future__ import annotations

import math

from ..dtypes import float16, float32, int32
from ..expr import call as E
from ..expr import cast, literal
from ..expr import where as _where
from .define import define_op
from .record import Aval

# Taps on either side of a place, and how a filter falls with the distance.
RADIUS = {"nearest": 1, "nearest-exact": 1, "linear": 1, "cubic": 2, "lanczos3": 3}


def _linear(d):
    return _where(d < 1.0, 1.0 - d, 0.0)


def _cubic(a):
    def weigh(d):
        """Keys' cubic convolution."""
        near = ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0
        far = ((d - 5.0) * d + 8.0) * d * a - 4.0 * a
        return _where(d <= 1.0, near, _where(d < 2.0, far, 0.0))

    return weigh


def _sinc(x):
    x = x * math.pi
    safe = _where(E("abs", x) < 1e-6, literal(1.0, x.dtype), x)
    return _where(E("abs", x) < 1e-6, literal(1.0, x.dtype), E("sin", safe) / safe)


def _lanczos(d):
    return _where(d < 3.0, _sinc(d) * _sinc(d / 3.0), 0.0)


class Filter:
    """The places and weights of one resampling, as values of a kernel."""

    def __init__(self, k, n, outs, mode, align, ratio, stretch, dtype):
        self.k = k
        self.n = n
        self.outs = outs
        self.mode = mode
        self.align = align
        self.ratio = ratio
        self.stretch = stretch  # a number above 1 for antialiasing, else 0
        self.dtype = dtype
        self.radius = RADIUS[mode]
        self.taps = 2 * self.radius
        if stretch:
            self.taps = 2 * int(math.ceil(self.radius * stretch)) + 1
        if mode in ("nearest", "nearest-exact"):
            self.taps = 1
        self.normal = bool(stretch) or mode == "lanczos3"

    def _step(self):
        """Places of the input for one of the output."""
        if self.ratio is not None:
            return literal(self.ratio, self.dtype)
        a, b = self.n, self.outs
        if self.align:
            a, b = a - 1, b - 1
        return cast(a, self.dtype) / cast(b, self.dtype)

    def first(self, o):
        """(the place of output o, its first tap) as a number and an index."""
        k = self.k
        if self.taps == 1:
            return None, self._nearest(o)
        step = self._step()
        at = cast(o, self.dtype)
        if self.stretch:
            real = k.let((at + 0.5) * step - 0.5)
            low = real + 1.0 - self.radius * self.stretch
        else:
            real = at * step if self.align else (at + 0.5) * step - 0.5
            real = k.let(real)
            low = real + (1.0 - self.radius)
        return real, k.let(k.index(cast(E("floor", low), int32)))

    def _nearest(self, o):
        k, exact = self.k, self.mode == "nearest-exact"
        if self.ratio is None:
            place = (o * 2 + 1) * self.n // (self.outs * 2) if exact else (
                o * self.n // self.outs)  # fmt: skip
        else:
            at = cast(o, self.dtype)
            real = (at + 0.5 if exact else at) * literal(self.ratio, self.dtype)
            place = k.index(cast(E("floor", real), int32))
        return k.let(E("min", place, self.n - 1))

    def weight(self, real, tap):
        """The weight of a tap before any is left out."""
        d = E("abs", cast(tap, self.dtype) - real)
        if self.stretch:
            d = d * (1.0 / self.stretch)
        if self.mode == "linear":
            return _linear(d)
        if self.mode == "cubic":
            return _cubic(-0.5 if self.stretch else -0.75)(d)
        return _lanczos(d)

    def each(self, o, use):
        """Do `use(place, weight)` for each tap of output o, out of range or not."""
        k = self.k
        real, first = self.first(o)
        whole = literal(1.0, self.dtype)
        if self.taps == 1:
            use(first, whole)
            return
        if self.normal:
            total = k.cell(0.0, self.dtype)
            with k.loop(self.taps) as t:
                tap = k.let(first + t)
                total.set(total + self._kept(tap, self.weight(real, tap)))
            whole = k.let(total)
        with k.loop(self.taps) as t:
            tap = k.let(first + t)
            place = k.let(E("min", E("max", tap, 0), self.n - 1))
            weight = self._kept(tap, self.weight(real, tap))
            use(place, k.let(weight / whole if self.normal else weight))

    def _kept(self, tap, weight):
        """0 for a tap that is left out."""
        if not self.stretch:
            return weight
        return _where((tap >= 0) & (tap < self.n), weight, literal(0.0, self.dtype))


def _filter(k, n, outs, attrs, dtype):
    _, _, mode, align, ratio, stretch = attrs
    kind = float32 if dtype is float16 else dtype
    return Filter(k, n, outs, mode, align, ratio, stretch, kind)


def _swap(c, axis, i):
    return c[:axis] + (i,) + c[axis + 1 :]


def _kernel(k, x, out, *attrs):
    c = k.grid(out.shape)
    axis = attrs[0]
    sampler = _filter(k, x.shape[axis], out.shape[axis], attrs, x.dtype)
    acc = k.cell(0.0, sampler.dtype)

    def use(place, weight):
        acc.set(acc + cast(x[_swap(c, axis, place)], acc.dtype) * weight)

    sampler.each(c[axis], use)
    out[c] = acc


def _grad_kernel(k, g, out, *attrs):
    """Look at the outputs whose places lie around this input."""
    c = k.grid(out.shape)
    axis, at = attrs[0], c[attrs[0]]
    n, outs = out.shape[axis], g.shape[axis]
    sampler = _filter(k, n, outs, attrs, g.dtype)
    acc = k.cell(0.0, sampler.dtype)
    reach = sampler.radius + 1
    if sampler.stretch:
        reach = int(math.ceil(sampler.radius * sampler.stretch)) + 1
    lead, count = _around(sampler, at, reach)
    with k.loop(count) as j:
        o = k.let(lead + j)
        with k.when((o >= 0) & (o < outs)):

            def use(place, weight):
                with k.when(E("eq", place, at)):
                    acc.set(acc + cast(g[_swap(c, axis, o)], acc.dtype) * weight)

            sampler.each(o, use)
    out[c] = acc


def _around(sampler, at, reach):
    """(the first output, how many) that may have a tap at an input place."""
    k, n, outs = sampler.k, sampler.n, sampler.outs
    if sampler.ratio is not None:
        rate = 1.0 / sampler.ratio
        real = (cast(at, sampler.dtype) - reach) * rate - 2.0
        first = k.let(k.index(cast(E("floor", real), int32)))
        return first, int(math.ceil((2 * reach + 1) * rate)) + 4
    if sampler.align:
        n, outs = n - 1, outs - 1
    first = k.let((at - reach) * outs // n - 2)
    return first, ((2 * reach + 1) * outs) // n + 5


def _infer(avals, attrs):
    x = avals[0]
    axis, size = attrs[0], attrs[1]
    return (Aval(x.shape[:axis] + (size,) + x.shape[axis + 1 :], x.dtype),)


def _call(op, tensors, attrs):
    from ..dispatch import call

    return call(op, tensors, attrs)


def _grad(ctx):
    n = ctx.inputs[0].shape[ctx.attrs[0]]
    attrs = (ctx.attrs[0], n) + ctx.attrs[2:]
    return (_call(RESAMPLE_GRAD, (ctx.g[0],), attrs),)


def _grad_grad(ctx):
    outs = ctx.inputs[0].shape[ctx.attrs[0]]
    attrs = (ctx.attrs[0], outs) + ctx.attrs[2:]
    return (_call(RESAMPLE, (ctx.g[0],), attrs),)


_OPTIONS = ("axis", "size", "mode", "align", "ratio", "stretch")
RESAMPLE = define_op(
    "resample", infer=_infer, attrs=_OPTIONS, kernel=_kernel, grad=_grad, saves="",
    unread=("size",), accepts="float",
)  # fmt: skip
RESAMPLE_GRAD = define_op(
    "resample_grad", infer=_infer, attrs=_OPTIONS, kernel=_grad_kernel,
    grad=_grad_grad, saves="", unread=("size",), accepts="float",
)  # fmt: skip


def resampled(x, axis, size, mode, align=False, ratio=None, antialias=False):
    """x with `size` places along an axis; ratio: places of x for each, if not by size.

    The caller has checked everything.
    """
    n = x.shape[axis]
    if n == size and mode != "lanczos3" and (align or ratio in (None, 1.0)):
        return x
    if n == 1:  # all taps are the one element
        return x.expand(x.shape[:axis] + (size,) + x.shape[axis + 1 :])
    if align and size == 1:
        return x.narrow(axis, 0, 1)
    stretch = 0.0
    if antialias:
        stretch = ratio if ratio is not None else n / size
        if align:
            stretch = (n - 1) / (size - 1)
        stretch = float(max(stretch, 1.0))
    return _call(RESAMPLE, (x,), (axis, size, mode, bool(align), ratio, stretch))


__all__ = []
NOT_METHODS = ()
