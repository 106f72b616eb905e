"""Sliding windows: how convolutions and pooling walk over spatial axes."""

from __future__ import annotations

from ..errors import ShapeError
from ..expr import call as E


def output_size(n, kernel, stride, padding, dilation):
    """Size of an axis after sliding a kernel along it."""
    return (n + padding[0] + padding[1] - dilation * (kernel - 1) - 1) // stride + 1


def ceil_div(a, b):
    """ceil(a / b) of an index, 0 where a is negative."""
    above = E("max", a, 0)
    return above if b == 1 else (above + (b - 1)) // b


class Axis:
    """One spatial axis: how output place, tap and input place go together.

    input = output * stride - before + tap * dilation. Each method takes two of the
    three as symbols or sizes and returns (start, stop, place): loop i over
    [start, stop); `place(i)` gives ((one, other), condition or None).
    """

    def __init__(self, stride, padding, dilation, clipped):
        self.stride = stride
        self.before, self.after = padding
        self.dilation = dilation
        self.clipped = clipped

    def _input(self, out, tap):
        return out * self.stride - self.before + tap * self.dilation

    def _inside(self, place, n):
        """The condition for a place to lie in the input, where it might not."""
        inside = None
        if not self.clipped and self.before > 0:
            inside = place >= 0
        if not self.clipped and self.after > 0:
            below = place < n
            inside = below if inside is None else inside & below
        return inside

    def taps(self, out, taps, n):
        """For one output place: (input place, tap) over the taps."""
        start, stop = 0, taps
        if self.clipped and self.before > 0:
            start = ceil_div(self.before - out * self.stride, self.dilation)
        if self.clipped and self.after > 0:
            limit = n + self.before - out * self.stride
            stop = E("min", taps, ceil_div(limit, self.dilation))

        def place(i):
            at = self._input(out, i)
            return (at, i), self._inside(at, n)

        return start, stop, place

    def outputs(self, tap, outs, n):
        """For one tap: (input place, output place) over the outputs."""
        start, stop = 0, outs
        if self.clipped and self.before > 0:
            start = ceil_div(self.before - tap * self.dilation, self.stride)
        if self.clipped and self.after > 0:
            limit = n + self.before - tap * self.dilation
            stop = E("min", outs, ceil_div(limit, self.stride))

        def place(i):
            at = self._input(i, tap)
            return (at, i), self._inside(at, n)

        return start, stop, place

    def sources(self, at, taps, outs):
        """For one input place: (output place, tap) over all that use it."""
        if self.clipped and self.dilation == 1:
            return self._clipped_sources(at, taps, outs)

        def place(i):
            ahead = at + self.before - i * self.dilation
            if self.stride == 1:
                return (ahead, i), (ahead >= 0) & (ahead < outs)
            out = ahead // self.stride
            fits = E("eq", out * self.stride, ahead)
            return (out, i), fits & (ahead >= 0) & (out < outs)

        return 0, taps, place

    def _clipped_sources(self, at, taps, outs):
        ahead = at + self.before
        start = ceil_div(ahead - taps + 1, self.stride)
        last = ahead if self.stride == 1 else ahead // self.stride
        stop = E("min", outs, last + 1)

        def place(i):
            return (i, ahead - i * self.stride), None

        return start, stop, place


def nest(k, axes, body, found=()):
    """Loop over every axis's (start, stop, place), then do `body(pairs)`."""
    if not axes:
        body(found)
        return
    start, stop, place = axes[0]
    with k.loop(stop, start) as i:
        pair, inside = place(i)
        if inside is None:
            nest(k, axes[1:], body, found + (pair,))
        else:
            with k.when(inside):
                nest(k, axes[1:], body, found + (pair,))


def firsts(pairs):
    return tuple([a for a, _ in pairs])


def seconds(pairs):
    return tuple([b for _, b in pairs])


def spread(name, what, value, rank):
    """One number per axis from a number or a tuple; raises ShapeError."""
    out = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(out) != rank:
        raise ShapeError(
            "%s: %s is one number, or one per axis; given %s for %d axes"
            % (name, what, out, rank)
        )
    return out


def positive(name, what, value, rank):
    out = spread(name, what, value, rank)
    if rank and min(out) < 1:
        raise ShapeError("%s: %s must be positive; given %s" % (name, what, out))
    return out
