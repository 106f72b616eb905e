"""Scans by whole groups of threads: sums, products, extremes, recurrences on a line.

A line that one group can walk is one kernel. A long one is cut in stretches: what each
comes to, a scan of those, and each stretch again from what came before it. Where
neighbouring lines lie side by side, a thread takes a stretch of one line alone.
"""

from __future__ import annotations

from ..backend.base import Handle
from ..dtypes import float64
from ..expr import INDEX, cast
from ..expr import call as E
from ..kernel.lower import aligned
from ..ops.record import Aval, Op
from ..shapes import size
from . import Candidate
from .states import state
from .walk import FOUR, GroupScan, Line, OneOn, masked, pinned, walk

SHORT = 32  # lines up to here are left to one thread
GROUPS = 2048  # workgroups that fill a GPU
THREADS = 1 << 17  # threads that do, each on its own
SIDE = 8  # lines side by side from which on threads read together
AT_ONCE = 4  # elements that such a thread loads in one turn


def candidates(op, inputs, attrs, outs, caps):
    """Offer a scan of `op` along `attrs[0]`."""
    x, axis = inputs[0], attrs[0]
    n = x.shape[axis]
    total = size(x.shape)
    odd = x.dtype is float64 and op.name == "cumprod"  # see states.Products
    if n <= SHORT or total == 0 or odd:
        return []
    side = size(x.shape[axis + 1 :])
    lines = total // n
    if side >= SIDE:
        cut = _strips(n, lines)
        return [] if cut is None else [several("scan strips", op, axis, None, cut)]
    wide = side == 1 and axis == len(x.shape) - 1
    for operand in inputs:
        wide = wide and aligned(operand.layout)
    threads, turns = _shape(n, len(state(op.name, x.dtype).dtypes))
    tile = threads * turns * FOUR
    tiles = (n + tile - 1) // tile
    stretches = min(tiles, max(1, GROUPS // lines))
    form = (threads, turns, bool(wide))
    if stretches == 1:
        return [Candidate("scan lines", LINES[op.name], (axis,) + form)]
    span = (tiles + stretches - 1) // stretches * tile
    return [several("scan stretches", op, axis, form, span)]


def _shape(n, parts):
    """(threads of a group, turns of a thread) for lines of n elements."""
    threads, turns = 32, 1
    while threads < 256 and threads * FOUR < n:
        threads *= 2
    while turns * parts < 4 and threads * FOUR * turns < n:
        turns *= 2
    return threads, turns


def _strips(n, lines):
    """Length of the strips for enough threads; None where the lines are enough."""
    strips = min(THREADS // lines, n // 16)
    if strips < 2:
        return None
    return (n + strips - 1) // strips


def several(name, op, axis, form, span):
    """Totals of the stretches, a scan of them, and the stretches from there.

    form: (threads, turns, wide) of the groups; None for strips.
    """

    def run(backend, inputs, outs):
        x = inputs[0]
        count = (x.shape[axis] + span - 1) // span
        rest = x.shape[:axis] + x.shape[axis + 1 :]
        parts = state(op.name, x.dtype).dtypes
        first, last = (STRIPS if form is None else STRETCHES)[op.name]
        own = (axis, span) + (form or ())
        shape = (count,) + rest if form is None else rest + (count,)
        totals = backend.run(first, inputs, own, [Aval(shape, d) for d in parts])
        if form is None:  # the strips' number comes first, for threads side by side
            totals = [_turned(t) for t in totals]
        across = [Aval(rest + (count,), d) for d in parts]
        before = backend.run(
            BEFORE[op.name], totals, (x.dtype, _shape(count, 4)[0]), across
        )
        return backend.run(last, tuple(inputs) + tuple(before), own, outs)

    return Candidate(name, run=run)


def _turned(h):
    """A view with the first axis last."""
    axes = tuple(range(1, len(h.shape))) + (0,)
    return Handle(h.buffer, h.layout.permute(axes), h.dtype)


def _at(rest, axis):
    return lambda i: rest[:axis] + (i,) + rest[axis:]


def _initial(k, now, found=None):
    """Cells of a state: nothing so far, or what was found before."""
    return [
        k.cell(n if found is None else found[i], d)
        for i, (n, d) in enumerate(zip(now.neutral, now.dtypes))
    ]


def _lines(kind):
    """One group a line, start to end."""

    def kernel(k, *args):
        now = state(kind, args[0].dtype)
        ins, outs = args[: now.inputs], args[now.inputs : -4]
        axis, threads, turns, wide = args[-4:]
        shape = ins[0].shape
        rest = k.groups(shape[:axis] + shape[axis + 1 :], threads)
        scan = GroupScan(k, now, threads, turns)
        line = Line(k, scan, ins, _at(rest, axis), wide)
        walk(k, scan, line, outs, (0, shape[axis]), _initial(k, now))

    return Op(
        "%s_lines" % kind, kernel=kernel, attrs=("axis", "threads", "turns", "wide")
    )


def _span_of(k, stretch, span, n):
    start = k.let(stretch * span)
    return start, k.let(E("min", start + span, n))


def _staged(name, kernel, form=()):
    """An op of a stage; how long the stretches are compiles nothing."""
    attrs = ("axis", "span") + form
    return Op(name, kernel=kernel, attrs=attrs, runtime=(("span", INDEX),))


def _stretches(kind):
    """(totals, finish): what each stretch comes to; the scan of it from a state on."""

    def totals(k, *args):
        now = state(kind, args[0].dtype)
        ins, outs = args[: now.inputs], args[now.inputs : -5]
        c, carry = whole(k, now, ins, (), outs[0].shape, None, args[-5:])
        with k.when(E("eq", k.local, 0)):
            for out, cell in zip(outs, carry):
                out[c] = cell

    def finish(k, *args):
        now = state(kind, args[0].dtype)
        ins, rest = args[: now.inputs], args[now.inputs : -5]
        before, outs = rest[: len(now.dtypes)], rest[len(now.dtypes) :]
        whole(k, now, ins, outs, before[0].shape, before, args[-5:])

    def whole(k, now, ins, outs, shape, before, form):
        axis, span, threads, turns, wide = form
        c = k.groups(shape, threads)
        carry = _initial(k, now, before and [b[c] for b in before])
        scan = GroupScan(k, now, threads, turns)
        line = Line(k, scan, ins, _at(c[:-1], axis), wide)
        walk(k, scan, line, outs, _span_of(k, c[-1], span, ins[0].shape[axis]), carry)
        return c, carry

    form = ("threads", "turns", "wide")
    return (
        _staged("%s_totals" % kind, totals, form),
        _staged("%s_from" % kind, finish, form),
    )


class _Parts:
    """The state of a scan over states that lie in arrays, one array a part."""

    def __init__(self, inner):
        self.inputs = len(inner.dtypes)
        self.dtypes = inner.dtypes
        self.neutral = inner.neutral
        self.join = inner.join

    def lift(self, values, place):
        return values


def _before(kind):
    """What came before each total along the last axis, a group a line."""

    def kernel(k, *args):
        dtype, threads = args[-2:]
        now = _Parts(state(kind, dtype))
        ins, outs = args[: now.inputs], args[now.inputs : -2]
        rest = k.groups(ins[0].shape[:-1], threads)
        scan = GroupScan(k, now, threads)
        line = OneOn(k, scan, ins, _at(rest, len(rest)), False)
        with k.when(E("eq", k.local, 0)):
            for out, v in zip(outs, now.neutral):
                out[line.at(0)] = v
        walk(k, scan, line, outs, (0, ins[0].shape[-1]), _initial(k, now))

    return Op("%s_before" % kind, kernel=kernel, attrs=("dtype", "threads"))


def _strip_ops(kind):
    """(totals, finish) where a thread takes a strip: [strip, …the other axes]."""

    def totals(k, *args):
        now = state(kind, args[0].dtype)
        ins, outs = args[: now.inputs], args[now.inputs : -2]
        axis, span = args[-2:]
        c = k.grid(outs[0].shape)
        carry = _initial(k, now)
        bounds = _span_of(k, c[0], span, ins[0].shape[axis])
        strip(k, now, ins, (), _at(c[1:], axis), bounds, carry)
        for out, cell in zip(outs, carry):
            out[c] = cell

    def finish(k, *args):
        now = state(kind, args[0].dtype)
        ins, rest = args[: now.inputs], args[now.inputs : -2]
        before, outs = rest[: len(now.dtypes)], rest[len(now.dtypes) :]
        axis, span = args[-2:]
        shape, n = before[0].shape, ins[0].shape[axis]
        c = k.grid(shape[-1:] + shape[:-1])
        carry = _initial(k, now, [b[c[1:] + (c[0],)] for b in before])
        bounds = _span_of(k, c[0], span, n)
        strip(k, now, ins, outs, _at(c[1:], axis), bounds, carry)

    def strip(k, now, ins, outs, at, span, carry):
        """Along a strip, some elements a turn: loads that do not wait in turn."""
        start, stop = span
        with k.loop(stop, start, AT_ONCE) as first:
            found = []
            for i in range(AT_ONCE):
                place = k.let(E("min", first + i, stop - 1))
                found.append([cast(a[at(place)], d) for a, d in zip(ins, now.dtypes)])
            reached = pinned(k, carry)
            for i, values in enumerate(found):
                inside = k.let(first + i < stop)
                one = masked(k, now, inside, now.lift(tuple(values), first + i))
                reached = pinned(k, now.join(reached, one))
                if outs:
                    with k.when(inside):
                        for out, value in zip(outs, now.result(reached)):
                            out[at(first + i)] = value
            for cell, part in zip(carry, reached):
                cell.set(part)

    return (
        _staged("%s_strip_totals" % kind, totals),
        _staged("%s_strip_from" % kind, finish),
    )


KINDS = ("cumsum", "cumprod", "cummax", "cummin", "linear_scan")
LINES = {kind: _lines(kind) for kind in KINDS}
STRETCHES = {kind: _stretches(kind) for kind in KINDS}
STRIPS = {kind: _strip_ops(kind) for kind in KINDS}
BEFORE = {kind: _before(kind) for kind in KINDS}
for _table in (LINES, STRETCHES, STRIPS, BEFORE):
    _table["long_cumsum"] = _table["cumsum"]
