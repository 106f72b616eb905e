"""argmax and argmin by workgroups: values travel with their places.

The tiles are those of reductions (reduce.py): along rows, down columns, or in two
steps. Among equals the first place wins; nan beats everything.
"""

from __future__ import annotations

from ..dtypes import int32
from ..expr import INDEX, call, cast, literal, where
from ..ops.record import Aval, Op
from ..shapes import Layout
from . import Candidate, reduce, tree

WIDE = reduce.WIDE


def _layouts(parts_at):
    def relayout(layouts, attrs, inputs):
        first = reduce.layouts_of(layouts[: inputs + 1], (attrs[0],), inputs, parts_at)
        return first + [first[-1]] * (len(layouts) - inputs - 1)

    return relayout


class _Best:
    """A thread's best value so far, and its place."""

    def __init__(self, k, name, value, place):
        self.k = k
        self.name = name
        self.value = k.cell(value)
        self.place = k.cell(place)

    def wins(self, value, place, best, at):
        """Whether `value` at `place` goes before `best` at `at`."""
        wins = value > best if self.name == "argmax" else value < best
        ties = call("eq", value, best)
        if value.dtype.is_float:
            new, old = call("isnan", value), call("isnan", best)
            wins = (wins | new) & ~old
            ties = ties | (new & old)
        return wins | (ties & (place < at))

    def join(self, a, b):
        """The better of two pairs (value, place)."""
        wins = self.k.let(self.wins(b[0], b[1], a[0], a[1]))
        return [where(wins, y, x) for x, y in zip(a, b)]

    def meet(self, value, place):
        """Compare with an element."""
        with self.k.when(self.wins(value, place, self.value, self.place)):
            self.value.set(value)
            self.place.set(place)

    def pair(self):
        return [self.k.let(self.value), self.k.let(self.place)]


def _place(k, out, tile, count):
    """(coordinates of the result, kept ones of them, first place, step, real)."""
    kind, threads, lanes, parts = tile[:4]
    if kind == reduce.INNER:
        rows, own, real = tree.place_row(k, out.shape, threads, lanes)
        if parts > 1:
            return rows, rows[:-1], k.let(rows[-1] * threads + own), lanes * parts, real
        return rows, rows, own, lanes, real
    shape = out.shape[1:] if parts > 1 else out.shape
    blocks = (shape[-1] + (lanes - 1)) // lanes
    c = k.groups((literal(parts, INDEX),) + shape[:-1] + (blocks,), threads)
    column = k.let(c[-1] * lanes + k.local % lanes)
    real = k.let(column < shape[-1])
    kept = c[1:-1] + (k.let(call("min", column, shape[-1] - 1)),)
    down = threads // lanes
    own = k.let(c[0] * down + k.local // lanes)
    return ((c[:1] if parts > 1 else ()) + kept), kept, own, down * parts, real


def _trace(k, name, x, places, outs, tile):
    """Find the best of x; `places`: their places, where x holds parts."""
    kind, threads, lanes, _, wide, turns = tile
    wide = wide and kind == reduce.INNER
    count = x.shape[-1]
    at, kept, own, step, real = _place(k, outs[0], tile, count)

    def place(j):
        return cast(j, int32) if places is None else places[kept + (j,)]

    zero = literal(0, INDEX)
    best = _Best(k, name, x[kept + (zero,)], place(zero))

    def meet(starts, size):
        loads = []
        for j in starts:
            coords = kept + (j,)
            loads.append(x.wide(coords, WIDE) if size > 1 else [x[coords]])
        for j, values in zip(starts, loads):
            for i, value in enumerate(values):
                best.meet(value, place(j + i))

    if wide:
        whole = k.let(count // WIDE * WIDE)
        tree.strided(
            k, whole, k.let(own * WIDE), step * WIDE, turns, lambda s: meet(s, WIDE)
        )
        own = whole + own
    tree.strided(k, count, own, step, 1 if wide else turns, lambda s: meet(s, 1))
    if kind == reduce.INNER:
        found = tree.combine_by(k, best.join, best.pair(), threads, lanes)
        first = own_first(k, threads, lanes)
    else:
        down = threads // lanes
        found = tree.combine_down_by(k, best.join, best.pair(), lanes, down)
        first = k.local < lanes
    with k.when(first if real is None else first & real):
        for out, value in zip(outs, found[2 - len(outs) :]):
            out[at] = cast(value, out.dtype)


def own_first(k, threads, lanes):
    """Whether a thread is the first of those that share a row."""
    return call("eq", k.local if lanes == threads else k.local % lanes, 0)


_OPS: dict = {}


def _op(name, parts_at=None, later=False):
    """The Op of one stage: to (value, place) of parts, from them, or at once."""
    key = (name, parts_at, later)
    if key not in _OPS:

        def kernel(k, *given):
            arrays, tile = given[:-2], given[-1]
            places = arrays[1] if later else None
            _trace(k, name, arrays[0], places, arrays[2 if later else 1 :], tile)

        _OPS[key] = Op(
            name + "_groups", kernel=kernel, attrs=("axis", "tile"),
            relayout=_layouts(parts_at),
        )  # fmt: skip
    return _OPS[key]


def candidates(op, inputs, attrs, outs, caps):
    """One or two kernels, by groups of threads."""
    x, out, axis = inputs[0], outs[0], attrs[0]
    tile = reduce.choose([x.layout], [x.dtype], (axis,), out, caps)
    if tile is None:
        return []
    kind, parts = tile[0], tile[3]
    if parts == 1:
        return [Candidate("groups", _op(op.name), (axis, tile))]
    at = -1 if kind == reduce.INNER else 0
    shape = out.shape + (parts,) if at else (parts,) + out.shape
    pair = (Aval(shape, x.dtype), Aval(shape, int32))
    rest = len(out.shape) if at else 0
    after = reduce.choose(
        [Layout(shape)] * 2, [x.dtype, int32], (rest,), out, caps, False
    )
    stages = [
        (_op(op.name, at), (axis, tile), pair),
        (_op(op.name, None, True), (rest, after), (out,)),
    ]
    return [Candidate("groups in two steps", stages=stages)]
