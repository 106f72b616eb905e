"""Scans by whole groups of threads: sums, products, extremes, recurrences on a line.

A line that one group can walk is one kernel. A long one is cut in stretches: what each
comes to, a scan of those, and each stretch again from what came before it. Where
neighbouring lines lie side by side, a thread takes a stretch of one line alone.
"""

from __future__ import annotations

from ..expr import INDEX, cast
from ..expr import call as E
from ..kernel.lower import aligned
from ..ops.record import Aval, Op
from ..shapes import size
from . import Candidate
from .states import state
from .walk import GroupScan, Line, one_on, pinned, walk

SHORT = 32  # lines up to here are left to one thread
GROUPS = 2048  # workgroups that fill a GPU
THREADS = 1 << 16  # threads that do
SIDE = 32  # lines side by side from which on threads read together


def candidates(op, inputs, attrs, outs, caps):
    """Offer a scan of `op` along `attrs[0]`."""
    x, axis = inputs[0], attrs[0]
    n = x.shape[axis]
    total = size(x.shape)
    if n <= SHORT or total == 0:
        return []
    side = size(x.shape[axis + 1 :])
    lines = total // n
    if side >= SIDE:
        cut = _strips(n, lines)
        return [] if cut is None else [_several("scan strips", op, axis, None, cut)]
    wide = side == 1 and axis == len(x.shape) - 1
    for operand in inputs:
        wide = wide and aligned(operand.layout)
    threads, per = _shape(n)
    tiles = (n + threads * per - 1) // (threads * per)
    stretches = min(tiles, max(1, GROUPS // lines))
    form = (threads, per, bool(wide))
    if stretches == 1:
        return [Candidate("scan lines", LINES[op.name], (axis,) + form)]
    span = (tiles + stretches - 1) // stretches * threads * per
    return [_several("scan stretches", op, axis, form, span)]


def _shape(n):
    """(threads of a group, elements a thread takes at a time) for lines of n."""
    per = 4 if n <= 1024 else (8 if n <= 2048 else 16)
    threads = 32
    while threads < 256 and threads * per < n:
        threads *= 2
    return threads, per


def _strips(n, lines):
    """Length of the strips for enough threads; None where the lines are enough."""
    strips = min(THREADS // lines, n // 16)
    if strips < 2:
        return None
    return (n + strips - 1) // strips


def _several(name, op, axis, form, span):
    """Totals of the stretches, a scan of them, and the stretches from there."""

    def run(backend, inputs, outs):
        x = inputs[0]
        count = (x.shape[axis] + span - 1) // span
        parts = state(op.name, x.dtype).dtypes
        shape = x.shape[:axis] + x.shape[axis + 1 :]
        shape = (count,) + shape if form is None else shape + (count,)
        avals = tuple([Aval(shape, d) for d in parts])
        kernels = STRIPS[op.name] if form is None else STRETCHES[op.name]
        own = (axis, span) + (form or ())
        totals = backend.run(kernels[0], inputs, own, avals)
        before = backend.run(kernels[1], totals, (x.dtype,), avals)
        return backend.run(kernels[2], tuple(inputs) + before, own, outs)

    return Candidate(name, run=run)


def _at(rest, axis):
    return lambda i: rest[:axis] + (i,) + rest[axis:]


def _without(shape, axis):
    return shape[:axis] + shape[axis + 1 :]


def _initial(k, scan_state, found=None):
    """Cells of a state: nothing so far, or what was found before."""
    return [
        k.cell(n if found is None else found[i], d)
        for i, (n, d) in enumerate(zip(scan_state.neutral, scan_state.dtypes))
    ]


def _lines(kind):
    """One group a line, start to end."""

    def kernel(k, *args):
        count = state(kind, args[0].dtype).inputs
        ins, outs = args[:count], args[count:-4]
        axis, threads, per, wide = args[-4:]
        now = state(kind, ins[0].dtype)
        rest = k.groups(_without(ins[0].shape, axis), threads)
        line = Line(k, now, ins, _at(rest, axis), per, wide)
        scan = GroupScan(k, now, threads)
        walk(k, scan, line, outs, (0, ins[0].shape[axis]), _initial(k, now))

    return Op(
        "%s_lines" % kind, kernel=kernel, attrs=("axis", "threads", "per", "wide")
    )


def _span_of(k, stretch, span, n):
    start = k.let(stretch * span)
    return start, k.let(E("min", start + span, n))


_ATTRS = ("axis", "span", "threads", "per", "wide")
_RUNTIME = (("span", INDEX),)


def _stretch_totals(kind):
    def kernel(k, *args):
        count = state(kind, args[0].dtype).inputs
        ins, outs = args[:count], args[count:-5]
        axis, span, threads, per, wide = args[-5:]
        now = state(kind, ins[0].dtype)
        c = k.groups(outs[0].shape, threads)
        line = Line(k, now, ins, _at(c[:-1], axis), per, wide)
        carry = _initial(k, now)
        scan = GroupScan(k, now, threads)
        walk(k, scan, line, (), _span_of(k, c[-1], span, ins[0].shape[axis]), carry)
        with k.when(k.local == 0):
            for out, cell in zip(outs, carry):
                out[c] = cell

    return Op("%s_totals" % kind, kernel=kernel, attrs=_ATTRS, runtime=_RUNTIME)


def _stretch_finish(kind):
    def kernel(k, *args):
        start_state = state(kind, args[0].dtype)
        count, parts = start_state.inputs, len(start_state.dtypes)
        ins, before = args[:count], args[count : count + parts]
        outs = args[count + parts : -5]
        axis, span, threads, per, wide = args[-5:]
        c = k.groups(before[0].shape, threads)
        line = Line(k, start_state, ins, _at(c[:-1], axis), per, wide)
        carry = _initial(k, start_state, [b[c] for b in before])
        scan = GroupScan(k, start_state, threads)
        walk(k, scan, line, outs, _span_of(k, c[-1], span, ins[0].shape[axis]), carry)

    return Op("%s_from" % kind, kernel=kernel, attrs=_ATTRS, runtime=_RUNTIME)


class _Parts:
    """The state of a scan over states that lie in arrays, one array a part."""

    def __init__(self, inner):
        self.inner = inner
        self.inputs = len(inner.dtypes)
        self.dtypes = inner.dtypes
        self.neutral = inner.neutral
        self.join = inner.join

    def lift(self, values, place):
        return values

    def result(self, parts):
        return parts


def _before(kind):
    """Exclusive scan of the totals along their last axis, a group a line."""

    def kernel(k, *args):
        now = _Parts(state(kind, args[-1]))
        count = now.inputs
        ins, outs = args[:count], args[count : 2 * count]
        threads, per = 256, 4
        rest = k.groups(ins[0].shape[:-1], threads)
        at = _at(rest, len(rest))
        scan = GroupScan(k, now, threads)
        n = ins[0].shape[-1]
        with k.when(k.local == 0):
            for out, v in zip(outs, now.neutral):
                out[at(0)] = v
        line = Line(k, now, ins, at, per, False)
        line.store = one_on(k, at)
        walk(k, scan, line, outs, (0, n), _initial(k, now))

    return Op("%s_before" % kind, kernel=kernel, attrs=("dtype",))


def _strip_totals(kind):
    def kernel(k, *args):
        now = state(kind, args[0].dtype)
        ins, outs = args[: now.inputs], args[now.inputs : -2]
        axis, span = args[-2:]
        c = k.grid(outs[0].shape)
        carry = _initial(k, now)
        start, stop = _span_of(k, c[0], span, ins[0].shape[axis])
        _strip(k, now, ins, (), _at(c[1:], axis), (start, stop), carry)
        for out, cell in zip(outs, carry):
            out[c] = cell

    return Op(
        "%s_strip_totals" % kind, kernel=kernel, attrs=("axis", "span"),
        runtime=_RUNTIME,
    )  # fmt: skip


def _strip(k, now, ins, outs, at, span, carry):
    """One thread goes along a strip."""
    with k.loop(span[1], span[0]) as i:
        values = tuple([cast(a[at(i)], d) for a, d in zip(ins, now.dtypes)])
        reached = pinned(k, now.join(tuple(carry), now.lift(values, i)))
        for cell, part in zip(carry, reached):
            cell.set(part)
        for out, value in zip(outs, now.result(reached)):
            out[at(i)] = value


def _strip_before(kind):
    def kernel(k, *args):
        now = _Parts(state(kind, args[-1]))
        ins, outs = args[: now.inputs], args[now.inputs : -1]
        rest = k.grid(ins[0].shape[1:])
        carry = _initial(k, now)
        with k.loop(ins[0].shape[0]) as i:
            values = tuple([a[(i,) + rest] for a in ins])
            for out, cell in zip(outs, carry):
                out[(i,) + rest] = cell
            for cell, part in zip(carry, pinned(k, now.join(tuple(carry), values))):
                cell.set(part)

    return Op("%s_strip_before" % kind, kernel=kernel, attrs=("dtype",))


def _strip_finish(kind):
    def kernel(k, *args):
        now = state(kind, args[0].dtype)
        parts = len(now.dtypes)
        ins, before = args[: now.inputs], args[now.inputs : now.inputs + parts]
        outs = args[now.inputs + parts : -2]
        axis, span = args[-2:]
        c = k.grid(before[0].shape)
        carry = _initial(k, now, [b[c] for b in before])
        start, stop = _span_of(k, c[0], span, ins[0].shape[axis])
        _strip(k, now, ins, outs, _at(c[1:], axis), (start, stop), carry)

    return Op(
        "%s_strip_from" % kind, kernel=kernel, attrs=("axis", "span"),
        runtime=_RUNTIME,
    )  # fmt: skip


KINDS = ("cumsum", "cumprod", "cummax", "cummin", "linear_scan")
LINES = {kind: _lines(kind) for kind in KINDS}
STRETCHES = {
    kind: (_stretch_totals(kind), _before(kind), _stretch_finish(kind))
    for kind in KINDS
}
STRIPS = {
    kind: (_strip_totals(kind), _strip_before(kind), _strip_finish(kind))
    for kind in KINDS
}
for _table in (LINES, STRETCHES, STRIPS):
    _table["long_cumsum"] = _table["cumsum"]
