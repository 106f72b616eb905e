"""Cross-entropy of logits and classes: one kernel where they are few, else two.

The loss of a row is log(sum(exp(x - top))) - (x[class] - top), by a row program; with
smoothing s, the share s of an even distribution is mixed in. The gradient is a row
program, too: it takes softmax again rather than keep it.
"""

from __future__ import annotations

from ..dtypes import float16, float32, int32
from ..expr import call, cast, literal, where
from ..ops.record import Aval, Op
from ..shapes import Layout, size
from . import Candidate, tree
from .program import Program, row_layouts
from .rows import row_op, tile
from .softmax import larger, lowest, zero

WHOLE = 1 << 15  # logits that one group of threads takes, at most
MEANS = 1 << 16  # losses that one group adds up, at most


def _losses(dtype, ignore, smoothing):
    """x and the class of each row -> the loss of each row."""
    steps = [
        ("reduce", larger, lowest, 0),  # 2
        ("map", lambda x, top: cast(x, dtype) - cast(top, dtype), (0, 2)),
        ("map", lambda gap: call("exp_below", gap), (3,)),
        ("reduce", "add", zero, 4),  # 5
        ("index", int32),
        ("map", _pick, (6, 1, 3)),
        ("reduce", "add", zero, 7),  # 8
        ("reduce", "add", zero, 3),
        ("count", dtype),
    ]

    def loss(total, picked, gaps, count, target):
        return _mixed(total, picked, gaps, count, target, ignore, smoothing)

    steps.append(("map", loss, (5, 8, 9, 10, 1)))
    return Program(("element", "row"), steps, (11,))


def _power(x, top):
    return call("exp_below", x - top)


def _pick(place, target, gap):
    return where(call("eq", place, cast(target, int32)), gap, 0.0)


def _mixed(total, picked, gaps, count, target, ignore, smoothing):
    """The loss from sums over a row: of exp(x - top), x[class] - top, x - top."""
    loss = call("log", total) - picked
    if smoothing:
        even = call("log", total) - gaps / count
        loss = loss * (1.0 - smoothing) + even * smoothing
    return where(call("ne", cast(target, int32), ignore), loss, 0.0)


def _gradients(dtype, ignore, smoothing, mean):
    """x, class, gradient of the loss (and what it was divided by) -> that of x."""
    kinds = ("element", "row", "row") + (("row",) if mean else ())
    n = len(kinds)

    def slope(power, share, place, target, count, g, *total):
        hit = call("eq", place, cast(target, int32))
        wanted = where(hit, literal(1.0 - smoothing, dtype), 0.0)
        if smoothing:
            wanted = wanted + smoothing / count
        g = cast(g, dtype)
        if total:
            g = g / cast(total[0], dtype)
        counts = call("ne", cast(target, int32), ignore)
        return where(counts, (power * share - wanted) * g, 0.0)

    steps = (
        ("reduce", larger, lowest, 0),
        ("map", lambda x, top: _power(cast(x, dtype), cast(top, dtype)), (0, n)),
        ("reduce", "add", zero, n + 1),
        ("map", lambda total: 1.0 / total, (n + 2,)),
        ("index", int32),
        ("count", dtype),
        ("map", slope, (n + 1, n + 3, n + 4, 1, n + 5) + tuple(range(2, n))),
    )
    return Program(kinds, steps, (n + 6,))


_OPS: dict = {}


def _rows(name, dtype, attrs):
    """(program, Op) for the losses or their gradients; made once."""
    _, ignore, smoothing, reduction = attrs
    key = (name, dtype, ignore, smoothing, reduction == "mean")
    if key not in _OPS:
        if name == "losses":
            program = _losses(dtype, ignore, smoothing)
        else:
            program = _gradients(dtype, ignore, smoothing, reduction == "mean")
        op = row_op("cross_entropy_" + name, program)
        op.relayout = _spreading(program)
        _OPS[key] = program, op
    return _OPS[key]


def _spreading(program):
    def relayout(layouts, attrs, inputs):
        return row_layouts(_spread(layouts), program.arrays(), attrs[0])

    return relayout


def _spread(layouts):
    """Numbers for all rows (0-d) as arrays that have the class's shape."""
    rest = layouts[1].shape
    out = list(layouts[:2])
    for x in layouts[2:]:
        flat = not x.shape and rest
        out.append(Layout(rest, (0,) * len(rest), x.offset) if flat else x)
    return out


def _whole(k, x, target, *rest):
    """The loss of all rows by one group: loss, and the number of rows that count."""
    outs, (axes, threads, lanes, ignore, smoothing) = rest[:-5], rest[-5:]
    k.groups((1,), threads)
    at = x.ndim - len(axes)
    rows, columns = x.shape[:at], x.shape[at:]
    count, many = tree.total(columns), tree.total(rows)
    _, own = tree.segment(k, threads, lanes)
    dtype = tree.wide_dtype(x.dtype)
    losses, counted = k.cell(0.0, dtype), k.cell(0.0, dtype)
    with k.loop(many, 0, threads // lanes) as first:
        row = k.let(first + k.local // lanes)
        place = tree.unravel(k, k.let(call("min", row, many - 1)), rows)
        wanted = k.let(cast(target[place], int32))

        def load(j):
            return cast(x[place + tree.unravel(k, j, columns)], dtype)

        sums = _row_sums(k, load, wanted, (own, count), threads, lanes)
        value = _mixed(*(sums + [cast(count, dtype), wanted, ignore, smoothing]))
        real = k.let((row < many) & call("eq", own, 0))
        losses.set(losses + where(real, value, 0.0))
        counted.set(counted + where(real & call("ne", wanted, ignore), 1.0, 0.0))
    _store(k, losses, counted, outs, threads)


def _row_sums(k, load, wanted, span, threads, lanes):
    """[sum of exp(x - top), x[class] - top, sum of x - top] of this thread's row."""
    own, count = span
    k.barrier()
    first = load(literal(0, own.dtype))
    top = k.cell(first)
    with k.loop(count, own, lanes) as j:
        top.set(larger(top, load(j)))
    (top,) = tree.combine(k, [(larger, k.let(top))], threads, lanes)
    sums = [k.cell(0.0, first.dtype) for _ in range(3)]
    with k.loop(count, own, lanes) as j:
        gap = k.let(load(j) - top)
        for cell, more in zip(
            sums, (call("exp_below", gap), _pick(cast(j, int32), wanted, gap), gap)
        ):
            cell.set(cell + more)
    parts = [("add", k.let(cell)) for cell in sums]
    return tree.combine(k, parts, threads, lanes)


def _store(k, losses, counted, outs, threads):
    """Add up over the threads; store the sum, or the mean and what it divides by."""
    k.barrier()
    parts = [("add", k.let(losses)), ("add", k.let(counted))]
    total, many = tree.combine(k, parts, threads, threads)
    with k.when(k.local < 1):
        mean = total / many if len(outs) > 1 else total
        for out, value in zip(outs, (mean, many)):
            out[(0,) * out.ndim] = cast(value, out.dtype)


def _sum(k, losses, target, *rest):
    """Losses of rows to their sum, or their mean and what it divides by."""
    outs, (threads, ignore) = rest[:-2], rest[-2:]
    k.groups((1,), threads)
    total, many = k.cell(0.0, losses.dtype), k.cell(0.0, losses.dtype)
    with k.loop(tree.total(losses.shape), k.local, threads) as j:
        place = tree.unravel(k, j, losses.shape)
        counts = call("ne", cast(target[place], int32), ignore)
        total.set(total + losses[place])
        many.set(many + where(counts, 1.0, 0.0))
    _store(k, total, many, outs, threads)


def _whole_layouts(layouts, attrs, inputs):
    return row_layouts(layouts[:2], (True, False), attrs[0]) + layouts[2:]


WHOLE_OP = Op(
    "cross_entropy_whole", kernel=_whole, relayout=_whole_layouts,
    attrs=("axes", "threads", "lanes", "ignore", "smoothing"),
)  # fmt: skip
SUM_OP = Op("cross_entropy_sum", kernel=_sum, attrs=("threads", "ignore"))


def candidates(op, inputs, attrs, outs, caps):
    """Forward: one kernel for few logits, else two; backward one."""
    if inputs[1].dtype.bits > 32:
        return []
    axes = (attrs[0],)
    if op.name == "cross_entropy_grad":
        return _row_candidates("gradients", inputs, attrs, outs, caps)
    if attrs[3] == "none":
        return _row_candidates("losses", inputs, attrs, outs, caps)
    most = tree.most_threads(caps)
    classes = inputs[0].shape[attrs[0]]
    if size(inputs[0].shape) <= WHOLE:
        lanes = tree.power((classes + 63) // 64, min(32, most))
        rest = (axes, most, lanes) + attrs[1:3]
        return [Candidate("one group", WHOLE_OP, rest)]
    if size(inputs[1].shape) > MEANS:
        return []
    wide = float32 if inputs[0].dtype is float16 else inputs[0].dtype
    losses = (Aval(inputs[1].shape, wide),)
    found = _row_candidates("losses", inputs, attrs, losses, caps)
    return [Candidate("rows, then one group", run=_run(f, losses, attrs, most))
            for f in found]  # fmt: skip


def _row_candidates(name, inputs, attrs, outs, caps):
    wide = float32 if inputs[0].dtype is float16 else inputs[0].dtype
    program, made = _rows(name, wide, attrs)
    layouts = [h.layout for h in inputs] + [Layout(o.shape) for o in outs]
    dtypes = [h.dtype for h in inputs] + [o.dtype for o in outs]
    axes = (attrs[0],)
    found = tile(program, _spread(layouts), dtypes, axes, caps)
    return [] if found is None else [Candidate("rows", made, (axes, found))]


def _run(rows, losses, attrs, threads):
    def run(backend, inputs, outs):
        found = backend.run(rows.op, inputs, rows.attrs, losses)
        pair = (found[0], inputs[1])
        return backend.run(SUM_OP, pair, (threads, attrs[1]), outs)

    return run
