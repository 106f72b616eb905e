"""Reductions by workgroups: along rows, down columns, and of everything in two steps.

`inner`: threads side by side read neighbours of a row, each thread a part of the row,
then the group puts the parts together. `outer`: threads side by side read neighbouring
columns, several rows at a time. Where there are few results over many elements, each
is shared among `parts` groups, and a second kernel combines theirs: always in the same
order, so that a sum is the same each time. float16 is added in float32.

Fusion reduces what it computes on the way from any number of inputs, several results at
once: it gives `reduce_all` its own Elements and Results.
"""

from __future__ import annotations

from ..expr import INDEX, call, cast, literal
from ..kernel.lower import collapse
from ..ops.record import Aval, Op
from ..shapes import Layout, size
from . import Candidate, tree

WIDE = 4  # elements of one load
TURNS = 2  # loads of a thread under way at once
GROUPS = 8192  # groups along rows that fill a device; with so many nothing is shared
COLUMNS = 1024  # the same down columns
LOADS = 8  # loads that a thread should have at least, before a row is shared
SHORT = 64  # so short reductions, of so few elements in all, ...
FEW = 4096  # ... are left to one thread each
INNER, OUTER = 0, 1


def layouts_of(layouts, axes, inputs, parts_at=None):
    """Kept axes, then reduced ones, of each input; kept ones of the output.

    All inputs have one shape. parts_at: where the output has an axis for the parts of
    each result (0 or -1; it stays there).
    """
    rank = len(layouts[0].shape)
    kept = [a for a in range(rank) if a not in axes]
    out = layouts[inputs]
    parts = ()
    if parts_at is not None:
        at = len(out.shape) - 1 if parts_at else 0
        parts = (out.shape[at],)
        out = Layout(out.shape[:at] + out.shape[at + 1 :])
    given = layouts[:inputs]
    left = collapse([x.permute(kept) for x in given] + [out])
    right = collapse([x.permute(axes) for x in given])
    found = []
    for x, a, b in zip(given, left, right):
        found.append(Layout(a.shape + b.shape, a.strides + b.strides, x.offset))
    shape = left[-1].shape
    if parts_at is not None:
        shape = shape + parts if parts_at else parts + shape
    return found + [Layout(shape)]


_OPS: dict = {}  # (name of a primitive, neutral) -> {parts_at: Op}


def reduce_op(combine, parts_at=None):
    """The Op that reduces one input by a tile: attributes axes, tile.

    combine: (name of a binary primitive, neutral(dtype)), as in `Op`. parts_at: where
    the output has an axis for parts, or None.
    """
    known = _OPS.setdefault(combine, {})
    if parts_at not in known:

        def kernel(k, x, out, axes, tile):
            reduce_kernel(k, combine, x, out, tile)

        def relayout(layouts, attrs, inputs):
            return layouts_of(layouts, attrs[0], inputs, parts_at)

        name = "reduce_%s%s" % (combine[0], "" if parts_at is None else "_part")
        known[parts_at] = Op(
            name, kernel=kernel, attrs=("axes", "tile"), relayout=relayout
        )
    return known[parts_at]


def reduce_kernel(k, combine, x, out, tile):
    """Trace a reduction of x [*kept, *reduced] into out [*kept], maybe with parts."""
    reduce_all(k, [combine], Elements([x]), Results([out]), tile)


def reduce_all(k, combines, x, out, tile):
    """Trace several reductions of elements that are read together.

    x: see Elements; out: see Results, with one for each of the reductions.
    """
    (_outer if tile[0] == OUTER else _inner)(k, combines, x, out, tile)


class Elements:
    """What is reduced: arrays of one shape, one for each reduction."""

    def __init__(self, arrays):
        self.arrays = arrays
        self.shape = arrays[0].shape
        self.dtypes = [a.dtype for a in arrays]

    def load(self, at, n, axis):
        """For each reduction, n elements along an axis from the coordinates on."""
        if n == 1:
            return [[a[at]] for a in self.arrays]
        return [a.wide(at, n, axis) for a in self.arrays]


class Results:
    """Where results go: arrays of one shape."""

    def __init__(self, arrays):
        self.arrays = arrays
        self.shape = arrays[0].shape

    def put(self, at, values):
        for a, value in zip(self.arrays, values):
            a[at] = cast(value, a.dtype)


def _inner(k, combines, x, out, tile):
    _, threads, lanes, parts, wide, turns = tile
    rank = len(out.shape) - (1 if parts > 1 else 0)
    columns = x.shape[rank:]
    count = k.let(tree.total(columns))
    rows, own, real = tree.place_row(k, out.shape, threads, lanes)
    point = rows[:rank]
    if parts > 1:
        own = k.let(rows[-1] * threads + own)
    sums = _Sums(k, combines, x, WIDE if wide else 1)

    def load(j):
        return sums.load(point + tree.unravel(k, j, columns))

    sums.over(count, own, lanes * parts, turns, load, wide)
    values = tree.combine(k, sums.all(), threads, lanes)
    first = k.local < 1 if lanes == threads else own < 1
    with k.when(first if real is None else first & real):
        out.put(rows, values)


def _outer(k, combines, x, out, tile):
    _, threads, across, parts, wide, turns = tile
    shape = out.shape[1:] if parts > 1 else out.shape
    step = WIDE if wide else 1
    last = shape[-1]
    blocks = (last + (across * step - 1)) // (across * step)
    down = threads // across
    c = k.groups((literal(parts, INDEX),) + shape[:-1] + (blocks,), threads)
    left = k.let((c[-1] * across + k.local % across) * step)
    real = k.let(left < last)
    own = k.let(c[0] * down + k.local // across)
    point = c[1:-1] + (k.let(call("min", left, last - step)),)
    columns = x.shape[len(shape) :]
    sums = _Sums(k, combines, x, step, len(shape) - 1)

    def load(j):
        return sums.load(point + tree.unravel(k, j, columns))

    sums.over(tree.total(columns), own, down * parts, turns, load, False)
    named = []
    for name, cells in zip(sums.names, sums.cells):
        named += [(name, k.let(cell)) for cell in cells]
    values = tree.combine_down(k, named, across, down)
    with k.when((k.local < across) & real):
        at = (c[:1] if parts > 1 else ()) + point
        for i in range(step):
            here = at[:-1] + (at[-1] + i,)
            lane = [values[r * step + i] for r in range(len(combines))]
            out.put(here, lane)


class _Sums:
    """A thread's running results: of each reduction one for each element of a load."""

    def __init__(self, k, combines, x, step, axis=-1):
        self.k = k
        self.x = x
        self.names = [name for name, _ in combines]
        self.dtypes = [tree.wide_dtype(d) for d in x.dtypes]
        self.step = step
        self.axis = axis
        self.cells = []
        for (_, neutral), dtype, wide in zip(combines, x.dtypes, self.dtypes):
            nothing = literal(neutral(dtype), wide)
            self.cells.append([k.cell(nothing) for _ in range(step)])

    def load(self, at):
        """The elements from the coordinates `at` on, of each reduction."""
        return self.x.load(at, self.step, self.axis)

    def over(self, count, own, lanes, turns, load, along):
        """Take every place from this thread's own on; `lanes` threads share them.

        along: the loads go along the places, so that the last few come one by one.
        """
        k = self.k
        step = self.step if along else 1
        whole = k.let(count // step * step) if along else count

        def body(places):
            loads = [load(j) for j in places]
            for r, cells in enumerate(self.cells):
                for i, cell in enumerate(cells):
                    terms = [cast(found[r][i], self.dtypes[r]) for found in loads]
                    more = tree.fold(k, self.names[r], terms)
                    cell.set(call(self.names[r], cell, more))

        start = k.let(own * step) if along else own
        tree.strided(k, whole, start, lanes * step, turns, body)
        if along:
            self._rest(count, whole + own, lanes, load)

    def _rest(self, count, start, lanes, load):
        """The elements after the last whole load."""
        step, self.step = self.step, 1
        with self.k.loop(count, start, lanes) as j:
            found = load(j)
            for r, cells in enumerate(self.cells):
                value = cast(found[r][0], self.dtypes[r])
                cells[0].set(call(self.names[r], cells[0], value))
        self.step = step

    def all(self):
        """(name, all of them as one) of each reduction."""
        out = []
        for name, cells in zip(self.names, self.cells):
            out.append((name, tree.fold(self.k, name, [self.k.let(c) for c in cells])))
        return out


def stages(combine, inputs, dtypes, axes, out, caps):
    """The kernels of a reduction: [(op, attrs, Avals), …], or [] where one thread a
    result does as well.

    inputs: Layouts of what makes the elements, all of one shape, and their dtypes;
    out: the Aval of the result. Fusion replaces the op of the first stage by one that
    runs its kernel, with its `relayout`, on more inputs.
    """
    tile = choose(inputs, dtypes, axes, out, caps)
    if tile is None:
        return []
    kind, parts = tile[0], tile[3]
    if parts == 1:
        return [(reduce_op(combine), (axes, tile), (out,))]
    at = -1 if kind == INNER else 0
    dtype = tree.wide_dtype(out.dtype)
    shape = out.shape + (parts,) if kind == INNER else (parts,) + out.shape
    part = Aval(shape, dtype)
    rest = (len(out.shape),) if kind == INNER else (0,)
    after = choose([Layout(shape)], [dtype], rest, out, caps, False)
    return [
        (reduce_op(combine, at), (axes, tile), (part,)),
        (reduce_op(combine), (rest, after), (out,)),
    ]


def choose(inputs, dtypes, axes, out, caps, share=True):
    """The tile: (kind, threads, threads side by side, parts, wide, loads at once).

    None where the op's own kernel, one thread a result, is as good. share: whether
    there may be parts.
    """
    layouts = layouts_of(list(inputs) + [Layout(out.shape)], axes, len(inputs))
    rank = len(layouts[-1].shape)
    shape = layouts[0].shape
    points, count = size(shape[:rank]), size(shape[rank:])
    few = count <= WIDE or (count <= SHORT and points * count <= FEW)
    if points == 0 or (share and few):
        return None
    most = tree.most_threads(caps)
    if _steps(layouts, rank - 1) and not _steps(layouts, len(shape) - 1):
        wide = shape[rank - 1] % WIDE == 0 and is_wide(layouts, dtypes, rank - 1)
        return _outer_tile(shape, rank, count, wide, most, share)
    wide = is_wide(layouts, dtypes, len(shape) - 1)
    wide = wide and (len(shape) == rank + 1 or shape[-1] % WIDE == 0)
    return _inner_tile(points, count, wide, most, share)


def _steps(layouts, axis):
    """Say whether some input has its neighbours along an axis."""
    for x in layouts[:-1]:
        if x.strides[axis] == 1 and x.shape[axis] > 1:
            return True
    return False


def is_wide(layouts, dtypes, axis):
    """Say whether every input can be read four at a time along an axis."""
    for x, dtype in zip(layouts[:-1], dtypes):
        if dtype.bits != 32 or x.strides[axis] not in (0, 1):
            return False
        for a, (n, stride) in enumerate(zip(x.shape, x.strides)):
            if a != axis and n > 1 and stride % WIDE:
                return False
        if x.strides[axis] and x.offset % WIDE:
            return False
    return _steps(layouts, axis)


def _inner_tile(points, count, wide, most, share):
    loads = (count + WIDE - 1) // WIDE if wide else count
    lanes = tree.power((loads + TURNS - 1) // TURNS, most)
    parts = 1
    if share and lanes == most:
        while points * parts * 2 <= GROUPS and parts * 2 * lanes * LOADS <= loads:
            parts *= 2
    few = 1 if parts > 1 else tree.power(points * lanes, min(128, most))
    threads = max(lanes, few)
    return (INNER, threads, lanes, parts, wide, TURNS)


def _outer_tile(shape, rank, count, wide, most, share):
    across = shape[rank - 1] // WIDE if wide else shape[rank - 1]
    down = tree.power((count + LOADS - 1) // LOADS, min(8, most // 8))
    side = tree.power(across, most // down)
    down = tree.power((count + LOADS - 1) // LOADS, most // side)
    groups = size(shape[: rank - 1]) * ((across + side - 1) // side)
    parts = 1
    if share:
        while groups * parts * 2 <= COLUMNS and parts * 2 * down * LOADS <= count:
            parts *= 2
    return (OUTER, side * down, side, parts, wide, 2 * TURNS)


def candidates(op, inputs, attrs, outs, caps):
    """One or two kernels, by groups of threads."""
    x = inputs[0]
    found = stages(op.combine, [x.layout], [x.dtype], attrs[0], outs[0], caps)
    if not found:
        return []
    if len(found) == 1:
        return [Candidate("groups", found[0][0], found[0][1])]
    return [Candidate("groups in two steps", stages=found)]
