"""Clusters with reductions as kernels: row programs, or reductions of their own."""

from __future__ import annotations

from ...dtypes import int32
from ...expr import INDEX
from ...fast import reduce as reduction
from ...fast import rows as programs
from ...fast.program import Program, row_layouts
from ...kernel.lower import collapse
from ...ops.record import Aval
from ...shapes import Layout, size
from .lower import _leaves_of, lives_of
from .serial import serial_rows
from .terms import Leaf, NotFusable, evaluate
from .virtual import VirtualInput, VirtualOutput


def lower_rows(lowering, c, terms):
    """Add the steps of a cluster of reductions."""
    stored = lowering._stored(c)
    reduces = [i for i in c.items if i.side == "reduce"]
    full = [i for i in c.items if i.side == "full"]
    caps = lowering.rules.caps
    if caps is not None and len(reduces) == 1 and not full:
        if _reduce(lowering, c, terms, reduces[0], stored):
            return
    _rows(lowering, c, terms, stored)


class _Text:
    """A Program made from terms."""

    def __init__(self, terms, wanted, full, kept):
        self.terms = terms
        self.inputs = []
        for leaf in terms.leaves:
            row = leaf.layout.shape == kept and leaf.layout.shape != full
            self.inputs.append("row" if row else "element")
        leaves = len(self.inputs)
        self.inputs += ["scalar"] * len(terms.params)
        self.steps = []
        self.number = {}
        self.tracing = [_Plain]
        for t, term in enumerate(terms.list):
            if term[0] in ("in", "count"):
                self.number[t] = term[1]
            elif term[0] == "live":
                self.number[t] = leaves + term[1]
            else:
                self.number[t] = len(self.inputs) + len(self.steps)
                self.steps.append(self._step(term))
        self.program = None
        self.finish(wanted)

    def _step(self, term):
        number = self.number
        if term[0] == "reduce":
            name, neutral = term[1]
            return ("reduce", name, neutral, number[term[2]])
        _, point, dtype, operands, count, params = term
        at = [number[o] for o in operands]
        at += [] if count is None else [number[count]]
        at += [number[p] for p in params]
        n = len(operands)
        tracing = self.tracing

        def formula(*x):
            place = None if count is None else x[n]
            rest = x[n:] if count is None else x[n + 1 :]
            return point.formula(tracing[0], place, list(x[:n]), list(rest), dtype)

        return ("map", formula, tuple(at))

    def finish(self, wanted):
        """Make the program; wanted: (term, whether its array is one of elements)."""
        outputs = [self.number[t] for t, _ in wanted]
        made = _Program(self.inputs, self.steps, outputs)
        place = None
        for i, (_, each) in enumerate(wanted):
            if each and not made.each[outputs[i]]:  # the same for a whole row
                if place is None:
                    place = len(self.inputs) + len(self.steps)
                    self.steps.append(("index", int32))
                self.steps.append(("map", _first, (outputs[i], place)))
                outputs[i] = len(self.inputs) + len(self.steps) - 1
        self.program = _Program(self.inputs, self.steps, outputs)
        self.program.tracing = self.tracing


class _Plain:
    """Stands for a kernel where a formula is only asked for its dtype."""

    @staticmethod
    def let(value):
        return value


class _Program(Program):
    """A program whose formulas may bind values in the kernel that is being traced."""

    def dtypes(self, inputs):
        kernel, self.tracing[0] = self.tracing[0], _Plain
        found = Program.dtypes(self, inputs)
        self.tracing[0] = kernel
        return found


def _first(value, place):
    return value


def _rows(lowering, c, terms, stored):
    """One kernel that takes each row as a whole."""
    outs = [lowering.out(s) for s in stored]
    wanted = []
    for s in stored:
        item = lowering.graph.maker[s][0]
        wanted.append((terms.results[s], item.side == "full"))
    each = [x for _, x in wanted]
    if not [x for x in terms.leaves if x.layout.shape == c.shape] and True not in each:
        terms.leaf(None, Layout(c.shape), INDEX)
    text = _Text(terms, wanted, c.shape, c.kept)
    leaves = terms.leaves
    layouts = [leaf.layout for leaf in leaves]
    layouts += [Layout(c.shape if x else c.kept) for x in each]
    dtypes = [leaf.dtype for leaf in leaves] + [out[2] for out in outs]
    caps = lowering.rules.caps
    tile = None
    if caps is not None:
        tile = programs.tile(text.program, layouts, dtypes, c.axes, caps)
        if tile is None and size(c.shape) > 1 << 15:
            raise NotFusable("internal: few long rows")
    placed = row_layouts(layouts, text.program.arrays(), c.axes)

    def body(k, arrays, results, lives):
        text.tracing[0] = k
        inputs = list(arrays) + list(lives)
        if tile is None:
            serial_rows(k, text.program, inputs, results, len(c.axes))
        else:
            programs.rows_kernel(k, text.program, inputs, results, len(c.axes), tile)

    key = ("rows", tuple(terms.list), tuple(wanted), tuple(text.inputs), tile,
           len(c.axes))  # fmt: skip
    lowering.add(c, key, leaves, outs, lives_of(terms), placed, body)


# One reduction, with formulas before and behind it.


def _reduce(lowering, c, terms, item, stored):
    """One kernel, or two where many threads share a result; False: do not."""
    outs = [lowering.out(s) for s in stored]
    wanted = [terms.results[s] for s in stored]
    total = terms.results[item.slots[0]]
    operand = terms.list[total][2]
    combine = item.op.combine
    dtype = item.kind.outs[0][1]
    inner = sorted(_leaves_of(terms, operand))
    if not [n for n in inner if terms.leaves[n].layout.shape == c.shape]:
        inner.append(terms.leaf(None, Layout(c.shape), INDEX))
    over = [_over(terms.leaves[n].layout, c) for n in inner]
    kinds = [terms.leaves[n].dtype for n in inner]
    caps = lowering.rules.caps
    out = Aval(c.kept, dtype)
    found = reduction.stages(combine, over, kinds, c.axes, out, caps)
    if not found:
        return False
    behind = _Behind(terms, total, wanted, dtype)
    lives = lives_of(terms)
    if len(found) == 1:
        tile = found[0][1][1]
        made = _Before(terms, operand, combine, tile, item.operands[0][2], c)
        _one(lowering, c, made, behind, terms.leaves, inner, outs, lives)
        return True
    (_, (_, tile), (part,)), _ = found
    rest = (len(c.kept),) if tile[0] == reduction.INNER else (0,)
    ref = ("part", lowering.parts)
    lowering.parts += 1
    made = _Before(terms, operand, combine, tile, item.operands[0][2], c)
    first = [(ref, size(part.shape), part.dtype, Layout(part.shape))]
    _first_part(lowering, c, made, inner, first, part, lives)
    leaf = Leaf(ref, Layout(part.shape), part.dtype)
    after = reduction.choose([leaf.layout], [part.dtype], rest, out, caps, False)
    used = [n for n in range(len(terms.leaves)) if n in behind.used]
    leaves = [leaf] + [terms.leaves[n] for n in used]
    behind.shift = {n: i + 1 for i, n in enumerate(used)}
    last = _Parts(combine, after, part, rest)
    _one(lowering, c, last, behind, leaves, [0], outs, lives)
    return True


def _over(layout, c):
    """A layout over the elements, for a leaf that may be one over the rows."""
    if layout.shape == c.shape:
        return layout
    steps = list(layout.strides)
    strides = [0 if a in c.axes else steps.pop(0) for a in range(len(c.shape))]
    return Layout(c.shape, tuple(strides), layout.offset)


class _Before:
    """What a reduction reduces: a term, over the elements."""

    def __init__(self, terms, operand, combine, tile, dtype, c):
        self.terms = terms
        self.operand = operand
        self.combine = combine
        self.tile = tile
        self.dtype = dtype
        self.axes = c.axes
        self.full = c.shape
        self.key = ("reduce", combine, tile, tuple(terms.list), operand, c.axes and 1)

    def input(self, k, leaves, lives, shape):
        terms = self.terms
        count = terms.uses([self.operand])

        def make(leaf):
            return evaluate(k, terms.list, count, [self.operand], leaf, lives)[0]

        return _Reduced(k, leaves, shape, self.dtype, make)


class _Reduced(VirtualInput):
    """The elements of a reduction; leaves over the rows take their coordinates."""

    def __getitem__(self, coords):
        leaves = self.leaves

        def leaf(n):
            a = leaves[n]
            return a[coords[: a.ndim]]

        return self.make(leaf)

    def _load(self, number, coords, n, axis):
        a = self.leaves[number]
        if axis >= a.ndim:
            return [a[coords[: a.ndim]]] * n
        stride = a.strides[axis]
        if stride.op == "const" and stride.args[0] == 0:
            return [a[coords[: a.ndim]]] * n
        return a.wide(coords[: a.ndim], n, axis)


class _Parts:
    """The second kernel's operand: the parts of the first."""

    def __init__(self, combine, tile, part, rest):
        self.combine = combine
        self.tile = tile
        self.axes = rest
        self.full = part.shape
        self.key = ("parts", combine, tile)

    def input(self, k, leaves, lives, shape):
        return leaves[0]


class _Behind:
    """What is stored: terms over the results."""

    def __init__(self, terms, total, wanted, dtype):
        self.terms = terms
        self.total = total
        self.wanted = wanted
        self.dtype = dtype
        self.used = {}
        self.shift = None
        for w in wanted:
            self._mark(w)
        self.key = (tuple(terms.list), total, tuple(wanted))

    def _mark(self, root):
        from .terms import parts

        stack = [root]
        while stack:
            t = stack.pop()
            term = self.terms.list[t]
            if t == self.total:
                continue
            if term[0] in ("in", "count"):
                self.used[term[1]] = True
            stack.extend(parts(term))

    def output(self, k, leaves, outs, lives):
        if self.wanted == [self.total] and len(outs) == 1:
            return outs[0]
        text = []
        for t, term in enumerate(self.terms.list):
            text.append(("root", 0) if t == self.total else term)
        count = _uses_above(self.terms, self.wanted, self.total)

        def finish(coords, values):
            def leaf(n):
                a = leaves[n if self.shift is None else self.shift[n]]
                return a[coords]

            value = k.let(values[0])
            found = evaluate(k, text, count, self.wanted, leaf, lives, [value])
            for out, v in zip(outs, found):
                out[coords] = v

        return VirtualOutput(k, outs[0].shape, self.dtype, finish)


def _uses_above(terms, wanted, total):
    """Uses of terms below the wanted ones, down to the result of the reduction."""
    from .terms import parts

    count = [0] * len(terms.list)
    for w in wanted:
        count[w] += 2
    for t in range(len(terms.list) - 1, -1, -1):
        if t != total and count[t]:
            for other in parts(terms.list[t]):
                count[other] += 1
    return count


def _placed(layouts, full, axes, parts_at=None):
    """Layouts of elements and of rows: kept axes first, merged where all agree."""
    kept = [a for a in range(len(full)) if a not in axes]
    whole = [len(x.shape) == len(full) for x in layouts]
    left = collapse([x.permute(kept) if w else x for x, w in zip(layouts, whole)])
    right = collapse([x.permute(axes) for x, w in zip(layouts, whole) if w])
    out = []
    for x, rows, w in zip(layouts, left, whole):
        if w:
            columns = right.pop(0)
            rows = Layout(
                rows.shape + columns.shape, rows.strides + columns.strides, x.offset
            )
        out.append(rows)
    return out


def _one(lowering, c, before, behind, leaves, inner, outs, lives):
    """A kernel that reduces all that there is for a result, and stores what follows."""
    layouts = [leaf.layout for leaf in leaves]
    layouts += [Layout(c.kept)] * len(outs)
    placed = _placed(layouts, before.full, before.axes)
    if not before.axes or len(placed[inner[0]].shape) == 0:
        raise NotFusable("internal: nothing to reduce")
    full = inner[0]
    for n in inner:
        full = n if layouts[n].shape == before.full else full

    def body(k, arrays, results, live):
        x = before.input(k, arrays, live, arrays[full].shape)
        out = behind.output(k, arrays, results, live)
        reduction.reduce_kernel(k, before.combine, x, out, before.tile)

    key = (before.key, behind.key, full, tuple([len(x.shape) for x in placed]))
    lowering.add(c, key, leaves, outs, lives, placed, body)


def _first_part(lowering, c, before, inner, outs, part, lives):
    """The kernel whose results are parts."""
    terms = before.terms
    leaves = [terms.leaves[n] for n in inner]
    layouts = [_over(leaf.layout, c) for leaf in leaves]
    at = -1 if before.tile[0] == reduction.INNER else 0
    placed = reduction.layouts_of(
        layouts + [Layout(part.shape)], c.axes, len(layouts), at
    )
    spots = {n: i for i, n in enumerate(inner)}

    def body(k, arrays, results, live):
        spread = [None] * len(terms.leaves)
        for n, i in spots.items():
            spread[n] = arrays[i]
        x = before.input(k, spread, live, arrays[0].shape)
        reduction.reduce_kernel(k, before.combine, x, results[0], before.tile)

    lowering.add(c, (before.key, tuple(inner)), leaves, outs, lives, placed, body)
