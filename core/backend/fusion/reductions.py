"""One reduction as kernels of its own, with formulas before and behind it."""

from __future__ import annotations

from ...expr import INDEX
from ...fast import reduce as reduction
from ...kernel.lower import collapse
from ...ops.record import Aval
from ...shapes import Layout, size
from .terms import Leaf, NotFusable, evaluate, leaves_of, lives_of, parts
from .virtual import VirtualInput, VirtualOutput


def lower_reduction(lowering, c, terms, item, stored):
    """One kernel, or two where many threads share a result; False: do not."""
    outs = [lowering.out(s) for s in stored]
    wanted = [terms.results[s] for s in stored]
    total = terms.results[item.slots[0]]
    operand = terms.list[total][2]
    combine = item.op.combine
    dtype = item.kind.outs[0][1]
    inner = sorted(leaves_of(terms, operand))
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
