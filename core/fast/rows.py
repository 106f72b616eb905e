"""Row kernels: values of a row, numbers about the row, and both together, in one go.

A problem has rows of C elements each. Softmax is: the largest of each row, then the
exponentials, their sum, the quotients. As a `Program` (see program.py):

    Program(
        inputs=("element",),  # value 0: x
        steps=(
            ("reduce", "max", lowest, 0),                           # value 1
            ("map", lambda x, top: call("exp", x - top), (0, 1)),   # value 2
            ("reduce", "add", lambda dtype: 0, 2),                  # value 3
            ("map", lambda e, total: e / total, (2, 3)),            # value 4
        ),
        outputs=(4,),
    )

`row_op` makes an Op of a program, and `tile` finds the numbers of its tile for given
layouts. In the kernel the threads of a segment share a row. Elements of a row stay in
registers from one phase to the next where a thread has few of them; else each phase
computes what it needs from the inputs again.
"""

from __future__ import annotations

from ..expr import call, cast, literal
from ..kernel.lower import aligned
from ..ops.record import Op
from ..shapes import size
from . import tree
from .program import row_layouts

WIDE = 4  # elements of one load
HOLD = 32  # elements of a row that a thread keeps in registers, at most
FEWEST = 8  # the same for programs of many inputs
SMALL = 128  # threads of a group whose rows are short
LONG = 1 << 15  # elements of a row from which on ...
FEW = 32  # ... so few rows are not worth a kernel


def row_op(name, program, scalars=()):
    """An Op whose kernel runs a program: attributes axes, tile, then the scalars.

    scalars: names of the program's "scalar" inputs, in order; their dtype is that of
    the first output.
    """

    def kernel(k, *given):
        arrays = program.arrays()
        count = len(arrays) - len(program.outputs)
        inputs = list(given[:count])
        axes, tile = given[len(arrays) : len(arrays) + 2]
        live = list(given[len(arrays) + 2 :])
        mixed = []
        for kind in program.inputs:
            mixed.append((live if kind == "scalar" else inputs).pop(0))
        outputs = given[count : len(arrays)]
        rows_kernel(k, program, mixed, outputs, len(axes), tile)

    def relayout(layouts, attrs, inputs):
        return row_layouts(layouts, program.arrays(), attrs[0])

    return Op(
        name, kernel=kernel, relayout=relayout, attrs=("axes", "tile") + tuple(scalars),
        runtime=tuple([(s, None) for s in scalars]),
    )  # fmt: skip


def tile(program, layouts, dtypes, axes, caps):
    """The tile for these operands (inputs, then outputs), or None: do not.

    A tile is (threads of a group, threads of a row, loads of a thread that it keeps or
    0, what is wide, whether nothing is left over). `wide` says for each array whether
    its elements are loaded and stored four at a time; () where none are.
    """
    each = program.arrays()
    layouts = row_layouts(layouts, each, axes)
    full = [x for x, is_full in zip(layouts, each) if is_full][0]
    at = len(full.shape) - len(axes)
    rows, columns = size(full.shape[:at]), size(full.shape[at:])
    if columns == 0 or (columns >= LONG and rows < FEW):
        return None
    wide = wide_arrays(layouts, dtypes, each)
    arrays = len([kind for kind in program.inputs if kind == "element"])
    reduces = len([step for step in program.steps if step[0] == "reduce"])
    return tile_of(rows, columns, wide, caps, arrays, reduces)


def wide_arrays(layouts, dtypes, each):
    """For each array whether it can be read and written four at a time; or ()."""
    wide = []
    length = 0
    for x, dtype, is_full in zip(layouts, dtypes, each):
        wide.append(is_full and dtype.bits == 32 and aligned(x, WIDE))
        if is_full:
            length = x.shape[-1]
    return tuple(wide) if True in wide and length % WIDE == 0 else ()


def tile_of(rows, columns, wide, caps, arrays=1, reduces=1):
    """The tile for rows of so many columns: see `tile`.

    arrays: how many inputs there are per element; reduces: reductions of a program.
    """
    hold = HOLD
    while arrays > 2 and hold > FEWEST:
        hold, arrays = hold // 2, arrays // 2
    room = caps.limits.get("maxComputeWorkgroupStorageSize", 16384) // 4
    limit = tree.limit_threads(caps)
    while limit > 1 and limit * reduces > room:
        limit //= 2
    most = min(tree.most_threads(caps), limit)
    step = WIDE if wide else 1
    loads = columns // step
    lanes = tree.power((columns + hold - 1) // hold, most)
    lanes = max(lanes, tree.power((loads + 1) // 2, min(32, most)))
    if lanes * hold < columns <= limit * hold:
        lanes = tree.power((columns + hold - 1) // hold, limit)
    threads = max(lanes, tree.power(rows * lanes, min(SMALL, most)))
    held = (loads + lanes - 1) // lanes
    exact = loads == held * lanes
    if held * step > hold:
        held, exact = 0, False
    return (threads, lanes, held, wide, exact)


def rows_kernel(k, program, inputs, outputs, columns, tile):
    """Trace a program. The last `columns` axes of a full array are those of a row.

    inputs: an array, or an Expr for a "scalar", each; tile: see `tile`.
    """
    run = _Run(k, program, inputs, outputs, columns, tile)
    for level in range(program.levels + 1):
        run.phase(level)


class _Run:
    """A program being traced."""

    def __init__(self, k, program, inputs, outputs, columns, tile):
        self.k = k
        self.program = program
        self.inputs = inputs
        self.outputs = outputs
        self.threads, self.lanes, self.held, wide, self.exact = tile
        self.step = WIDE if wide else 1
        self.dtypes = program.dtypes([x.dtype for x in inputs])
        arrays = [x for x, kind in zip(inputs, program.inputs) if kind != "scalar"]
        arrays += list(outputs)
        self.wide = {}
        for a, is_wide in zip(arrays, wide):
            self.wide[a] = is_wide
        full = [a for a, each in zip(arrays, program.arrays()) if each][0]
        at = full.ndim - columns
        self.columns = full.shape[at:]
        self.count = k.let(tree.total(self.columns))
        self.rows, self.own, self.real = tree.place_row(
            k, full.shape[:at], self.threads, self.lanes
        )
        self.known = {}  # value per row -> Expr
        self.kept = {}  # (value per element, load) -> Exprs, while they are held
        self.starts = [self.start(t) for t in range(self.held)]

    def start(self, t):
        """(first element of a thread's load number t, whether it lies in the row)."""
        j = self.k.let((self.own + t * self.lanes) * self.step)
        if self.exact:
            return j, None
        inside = self.k.let(j < self.count)
        return self.k.let(call("min", j, self.count - self.step)), inside

    def phase(self, level):
        """Do all that needs `level` reductions before it, and the next reductions."""
        p = self.program
        self.row_values(level)
        reduces = []
        for i, step in enumerate(p.steps):
            v = len(p.inputs) + i
            if step[0] == "reduce" and p.level[v] == level + 1:
                reduces.append(v)
        stores = []
        for v, out in zip(p.outputs, self.outputs):
            if p.level[v] == level and p.each[v]:
                stores.append((v, out))
            elif p.level[v] == level:
                self.store_row(v, out)
        needed = self.needed(reduces, stores)
        if reduces or stores:
            sweep = self.sweep_held if self.held else self.sweep
            parts = sweep(needed, reduces, stores)
            self.finish(reduces, parts)

    def row_values(self, level):
        """Compute the values per row of a level (the reductions are there already)."""
        p = self.program
        for v in range(len(p.each)):
            if p.each[v] or p.level[v] != level or v in self.known:
                continue
            step = p.step(v)
            if step is None:
                x = self.inputs[v]
                self.known[v] = x if p.inputs[v] == "scalar" else x[self.rows]
            elif step[0] == "count":
                self.known[v] = self.k.let(cast(self.count, step[1]))
            elif step[0] == "map":
                operands = [self.known[o] for o in step[2]]
                self.known[v] = self.k.let(step[1](*operands))

    def needed(self, reduces, stores):
        """The values per element that these need, in order."""
        p = self.program
        wanted = {}
        for v in [p.step(r)[3] for r in reduces] + [v for v, _ in stores]:
            wanted[v] = True
        for v in range(len(p.each) - 1, -1, -1):
            step = p.step(v)
            if v in wanted and p.each[v] and step is not None:
                for o in p.operands(step):
                    wanted[o] = True
        return [v for v in sorted(wanted) if p.each[v]]

    def values(self, v, j, have):
        """Compute a value for the elements from j on: one Expr for each of a load."""
        p, k = self.program, self.k
        step = p.step(v)
        if step is None:
            return self.load(self.inputs[v], j)
        if step[0] == "index":
            return [k.let(cast(j + i, step[1])) for i in range(self.step)]
        out = []
        for i in range(self.step):
            operands = [have[o][i] if p.each[o] else self.known[o] for o in step[2]]
            out.append(k.let(step[1](*operands)))
        return out

    def at(self, j):
        return self.rows + tree.unravel(self.k, j, self.columns)

    def load(self, array, j):
        """Elements j, j + 1, … of this row."""
        coords = self.at(j)
        if self.wide.get(array):
            return array.wide(coords, WIDE)
        last = array.strides[-1]
        if self.step > 1 and last.op == "const" and last.args[0] == 0:
            return [array[coords]] * self.step
        return [array[coords[:-1] + (coords[-1] + i,)] for i in range(self.step)]

    def sweep_held(self, needed, reduces, stores):
        """Every load in its own registers; returns a partial result per reduction."""
        p, k, held = self.program, self.k, self.kept
        for v in needed:  # all loads are under way before the first is waited for
            for t, (j, _) in enumerate(self.starts):
                if p.step(v) is None and (v, t) not in held:
                    held[v, t] = self.values(v, j, None)
        for t, (j, inside) in enumerate(self.starts):
            have = {}
            for v in needed:
                if (v, t) not in held:
                    held[v, t] = self.values(v, j, have)
                have[v] = held[v, t]
            for v, out in stores:
                self.store(out, j, have[v], inside)
        parts = []
        for r in reduces:
            terms = []
            for t, (_, inside) in enumerate(self.starts):
                terms += self.terms(r, held.get((p.step(r)[3], t)), inside)
            parts.append((p.step(r)[1], tree.fold(k, p.step(r)[1], terms)))
        return parts

    def terms(self, r, values, inside):
        """What a load adds to a reduction: nothing, where it lies outside the row."""
        name, neutral, operand = self.program.step(r)[1:]
        if values is None:
            values = [self.known[operand]] * self.step
        dtype = values[0].dtype
        wide = tree.wide_dtype(dtype)
        nothing = literal(neutral(dtype), wide)
        terms = [cast(v, wide) for v in values]
        if inside is None:
            return terms
        return [call("where", inside, v, nothing) for v in terms]

    def sweep(self, needed, reduces, stores):
        """A loop over the row; returns a partial result per reduction."""
        p, k = self.program, self.k
        cells = {}

        def body(j):
            have = {}
            for v in needed:
                have[v] = self.values(v, j, have)
            for r in reduces:
                terms = self.terms(r, have.get(p.step(r)[3]), None)
                part = tree.fold(k, p.step(r)[1], terms)
                cells[r].set(tree.apply(p.step(r)[1], cells[r], part))
            for v, out in stores:
                self.store(out, j, have[v], None)

        for r in reduces:
            dtype = self.dtypes[p.step(r)[3]]
            wide = tree.wide_dtype(dtype)
            cells[r] = k.cell(literal(p.step(r)[2](dtype), wide))
        with k.loop(self.count, self.own * self.step, self.lanes * self.step) as j:
            body(j)
        return [(p.step(r)[1], k.let(cells[r])) for r in reduces]

    def finish(self, reduces, parts):
        """Combine over the threads of a row; the results are values of the row."""
        if not reduces:
            return
        found = tree.combine(self.k, parts, self.threads, self.lanes)
        for r, value in zip(reduces, found):
            self.known[r] = cast(value, self.dtypes[r])

    def store(self, out, j, values, inside):
        """Store a load's worth of elements from j on."""
        condition = self.real if inside is None else inside
        if inside is not None and self.real is not None:
            condition = inside & self.real
        if condition is None:
            self.put(out, j, values)
            return
        with self.k.when(condition):
            self.put(out, j, values)

    def put(self, out, j, values):
        coords = self.at(j)
        if self.wide.get(out):
            out.put_wide(coords, values)
            return
        for i, value in enumerate(values):
            out[coords[:-1] + (coords[-1] + i,)] = value

    def store_row(self, v, out):
        """Store a value per row, by the first thread of the row."""
        condition = self.own < 1
        if self.real is not None:
            condition = condition & self.real
        with self.k.when(condition):
            out[self.rows] = self.known[v]
