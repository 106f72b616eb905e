"""Convolutions by registers alone: each thread makes a few neighbouring places of a
few channels. For few channels, for depthwise ones, and for CPUs that play a GPU.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast, literal, where
from .conv_windows import behind, reach_of, under


class _Line:
    """A line of pictures along their last axis, some elements of which are loaded."""

    def __init__(self, k, array, find, lead, places, taps):
        rank = len(places) + 1
        self.k, self.array, self.find = k, array, find
        at, inside = [], None
        for axis in range(rank - 1):
            index, here = find(places[axis], taps[axis], axis)
            at.append(index)
            if here is not None:
                inside = here if inside is None else inside & here
        if inside is not None:
            inside = k.let(inside)
            at = [where(inside, i, 0) for i in at]
        self.at = lead + tuple([k.let(i) for i in at])
        self.inside = inside
        self.known = {}

    def get(self, first, offset):
        """The element `offset` after place `first` along the last axis, as float32."""
        if offset not in self.known:
            axis = len(self.at) - 2
            index, here = self.find(first + offset, literal(0, first.dtype), axis)
            self.known[offset] = self._load(index, here)
        return self.known[offset]

    def get_at(self, first, offset):
        """The element at index first + offset, or 0 where there is none."""
        if offset not in self.known:
            index = self.k.let(first + offset)
            here = (index >= 0) & (index < self.array.shape[-1])
            self.known[offset] = self._load(index, here)
        return self.known[offset]

    def _load(self, index, here):
        inside = self.inside
        if here is not None:
            here = self.k.let(here)
            index = where(here, index, 0)
            inside = here if inside is None else inside & here
        else:  # behind the last place nobody stores, but the load must be inside
            index = call("min", index, self.array.shape[-1] - 1)
        value = cast(self.array[self.at + (index,)], float32)
        if inside is not None:
            value = where(inside, value, 0.0)
        return self.k.let(value)


def _grid(k, out, groups, ro, rq):
    """(picture, group, first channel of the group, outer places, first place)."""
    mine = out.shape[1] // groups
    across = (out.shape[-1] + (rq - 1)) // rq
    blocks = (mine + (ro - 1)) // ro
    c = k.grid((out.shape[0], groups, blocks) + tuple(out.shape[2:-1]) + (across,))
    return c[0], c[1], k.let(c[2] * ro), c[3:-1], k.let(c[-1] * rq), mine


def _outer(k, sizes):
    """All taps but the last axis's: by loops on the device, or one by one."""
    n = 1
    for size in sizes:
        n *= size
    if n > 8:
        return None
    taps = [()]
    for size in sizes:
        taps = [t + (i,) for t in taps for i in range(size)]
    return [tuple([literal(i, k.dims[0].dtype) for i in t]) for t in taps]


def _each_tap(k, sizes, body):
    """Call body(taps) for all taps of the outer axes."""
    known = _outer(k, sizes)
    if known is None:
        with k.loops(sizes) as taps:
            body(tuple(taps))
        return
    for taps in known:
        body(taps)


def forward(k, x, w, out, stride, padding, dilation, groups, taps, ro, rq, whole):
    """ro channels by rq places of the output a thread."""
    n, group, first, outer, q, mine = _grid(k, out, groups, ro, rq)
    channels = w.shape[1]
    find = under(k, x, padding, dilation)
    outer = [k.let(p * s) for p, s in zip(outer, stride)]
    start = k.let(q * stride[-1])
    rows = [_row(k, group, first, i, mine) for i in range(ro)]
    acc = [[k.cell(0.0, float32) for _ in range(rq)] for _ in range(ro)]
    with k.loop(channels) as j:

        def tap(at):
            line = _Line(k, x, find, (n, k.let(group * channels + j)), outer, at)
            for s in range(taps[-1]):
                last = literal(s, j.dtype)
                ws = [cast(w[(row, j) + at + (last,)], float32) for row in rows]
                for i in range(rq):
                    v = line.get(start, i * stride[-1] + s * dilation[-1])
                    for cells, u in zip(acc, ws):
                        cells[i].set(cells[i] + u * v)

        _each_tap(k, taps[:-1], tap)
    _put(k, out, n, group, first, c_outer(k, out), q, mine, acc, whole)


def to_input(
    k, g, w, out, size, stride, padding, dilation, groups, taps, ro, rq, whole
):
    """The gradient by x: ro channels by rq places a thread."""
    n, group, first, outer, q, mine = _grid(k, out, groups, ro, rq)
    count = g.shape[1] // groups
    reach, shift = reach_of(taps, stride, padding, dilation)
    find = behind(k, g, stride, reach)
    outer = [k.let(p + s) for p, s in zip(outer, shift)]
    step, (last_dilation, ahead) = stride[-1], reach[-1]
    regular = rq % step == 0  # then which taps meet which places is known here
    start = k.let(k.coords[-1] * (rq // step) if regular else q + shift[-1])
    rows = [k.let(call("min", first + i, mine - 1)) for i in range(ro)]
    acc = [[k.cell(0.0, float32) for _ in range(rq)] for _ in range(ro)]
    with k.loop(count) as j:
        o = k.let(group * count + j)

        def tap(at):
            line = _Line(k, g, find, (n, o), outer, at)
            real = tuple([n - 1 - t for n, t in zip(taps, at)])
            for s in range(taps[-1]):
                last = literal(taps[-1] - 1 - s, j.dtype)
                ws = [cast(w[(o, row) + real + (last,)], float32) for row in rows]
                for i in range(rq):
                    place = i + s * last_dilation + (shift[-1] if regular else 0)
                    if not regular:
                        v = line.get(start, place)
                    elif place % step == 0:
                        v = line.get_at(start, (place - ahead) // step)
                    else:
                        continue
                    for cells, u in zip(acc, ws):
                        cells[i].set(cells[i] + u * v)

        _each_tap(k, taps[:-1], tap)
    _put(k, out, n, group, first, c_outer(k, out), q, mine, acc, whole)


def c_outer(k, out):
    """This thread's coordinates along all spatial axes but the last."""
    return k.coords[3 : 3 + len(out.shape) - 3]


def _row(k, group, first, i, mine):
    return k.let(group * mine + call("min", first + i, mine - 1))


def _put(k, out, n, group, first, outer, q, mine, acc, whole):
    for i, cells in enumerate(acc):
        channel = k.let(group * mine + first + i)
        at = (n, channel) + tuple(outer)
        with k.when(first + i < mine):
            values = [cast(c, out.dtype) for c in cells]
            if whole:
                out.put_wide(at + (q,), values)
                continue
            for j, v in enumerate(values):
                with k.when(q + j < out.shape[-1]):
                    out[at + (k.let(q + j),)] = v


def to_weight(k, x, g, out, size, stride, padding, dilation, groups, taps, ro, split):
    """The gradient by w: ro channels by all taps of the last axis a thread, over a
    part of the pictures."""
    lead = out.shape[:1] if split > 1 else ()
    shape = out.shape[1:] if split > 1 else out.shape
    mine, channels = shape[0] // groups, shape[1]
    blocks = (mine + (ro - 1)) // ro
    c = k.grid(lead + (groups, blocks, channels) + tuple(taps[:-1]))
    first = 0
    part, c = (c[0], c[1:]) if split > 1 else (literal(0, k.dims[0].dtype), c)
    group, first, channel, tap = c[0], k.let(c[1] * ro), c[2], c[3:]
    rows = [_row(k, group, first, i, mine) for i in range(ro)]
    find = under(k, x, padding, dilation)
    acc = [[k.cell(0.0, float32) for _ in range(taps[-1])] for _ in range(ro)]
    source = k.let(group * channels + channel)
    with k.loop(x.shape[0], part, split) as n:
        with k.loops(tuple(g.shape[2:])) as at:
            moved = [p * s for p, s in zip(at, stride)]
            line = _Line(k, x, find, (n, source), moved[:-1], tap)
            gs = [cast(g[(n, row) + tuple(at)], float32) for row in rows]
            start = k.let(moved[-1])
            for s in range(taps[-1]):
                v = line.get(start, s * dilation[-1])
                for cells, u in zip(acc, gs):
                    cells[s].set(cells[s] + u * v)
    for i, cells in enumerate(acc):
        with k.when(first + i < mine):
            o = k.let(group * mine + first + i)
            for s, cell in enumerate(cells):
                last = literal(s, o.dtype)
                at = ((part,) if split > 1 else ()) + (o, channel) + tuple(tap)
                out[at + (last,)] = cast(cell, out.dtype)
