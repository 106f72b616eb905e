"""Reductions as kernels of their own, with formulas before and behind them.

Several over the same axes of one shape read their elements together.
"""

from __future__ import annotations

from ...expr import INDEX, cast
from ...fast import reduce as reduction
from ...kernel.lower import collapse
from ...ops.record import Aval
from ...shapes import Layout, size
from .terms import Leaf, NotFusable, evaluate, leaves_of, lives_of, parts


def lower_reduction(lowering, c, terms, reduces, stored):
    """One kernel, or two where many threads share a result; False: do not."""
    outs = [lowering.out(s) for s in stored]
    wanted = [terms.results[s] for s in stored]
    whole = _All(terms, reduces)
    if whole.dependent():
        return False
    inner = whole.leaves()
    if not [n for n in inner if terms.leaves[n].layout.shape == c.shape]:
        inner.append(terms.leaf(None, Layout(c.shape), INDEX))
    over = [_over(terms.leaves[n].layout, c) for n in inner]
    kinds = [terms.leaves[n].dtype for n in inner]
    caps = lowering.rules.caps
    out = Aval(c.kept, whole.dtypes[0])
    tile = reduction.choose(over, kinds, c.axes, out, caps)
    if tile is None:
        return False
    behind = _Behind(terms, whole, wanted)
    made = _Before(whole, tile, c)
    lives = lives_of(terms)
    if tile[3] == 1:
        _one(lowering, c, made, behind, terms.leaves, inner, outs, lives)
        return True
    rest = (len(c.kept),) if tile[0] == reduction.INNER else (0,)
    leaves = _first_part(lowering, c, made, inner, lives)
    layouts = [leaf.layout for leaf in leaves]
    dtypes = [leaf.dtype for leaf in leaves]
    after = reduction.choose(layouts, dtypes, rest, out, caps, False)
    used = [n for n in range(len(terms.leaves)) if n in behind.used]
    behind.shift = {n: i + len(leaves) for i, n in enumerate(used)}
    last = _Parts(whole.combines, after, layouts[0].shape, rest)
    inner = list(range(len(leaves)))
    leaves = leaves + [terms.leaves[n] for n in used]
    _one(lowering, c, last, behind, leaves, inner, outs, lives)
    return True


class _All:
    """The reductions of a cluster: equal ones are one."""

    def __init__(self, terms, items):
        self.terms = terms
        self.totals = []  # terms of the results
        self.operands = []  # and of what is reduced
        self.combines = []
        self.inputs = []  # dtypes of the elements
        self.dtypes = []  # and of the results
        for item in items:
            total = terms.results[item.slots[0]]
            if total not in self.totals:
                self.totals.append(total)
                self.operands.append(terms.list[total][2])
                self.combines.append(item.op.combine)
                self.inputs.append(item.operands[0][2])
                self.dtypes.append(item.kind.outs[0][1])

    def leaves(self):
        """Numbers of the leaves that the elements are made of."""
        found = {}
        for operand in self.operands:
            found.update(leaves_of(self.terms, operand))
        return sorted(found)

    def dependent(self):
        """Say whether the elements of one are made with the result of another."""
        stack = list(self.operands)
        while stack:
            term = self.terms.list[stack.pop()]
            if term[0] == "reduce":
                return True
            stack.extend(parts(term))
        return False


def _over(layout, c):
    """A layout over the elements, for a leaf that may be one over the rows."""
    if layout.shape == c.shape:
        return layout
    steps = list(layout.strides)
    strides = [0 if a in c.axes else steps.pop(0) for a in range(len(c.shape))]
    return Layout(c.shape, tuple(strides), layout.offset)


class _Before:
    """What is reduced: terms, over the elements."""

    def __init__(self, whole, tile, c):
        self.terms = whole.terms
        self.operands = whole.operands
        self.combines = whole.combines
        self.tile = tile
        self.dtypes = whole.inputs
        self.results = whole.dtypes
        self.axes = c.axes
        self.full = c.shape
        self.key = ("reduce", tuple(whole.combines), tile, tuple(self.terms.list),
                    tuple(whole.operands), c.axes and 1)  # fmt: skip

    def input(self, k, leaves, lives, shape):
        terms = self.terms
        count = terms.uses(self.operands)

        def make(leaf):
            return evaluate(k, terms.list, count, self.operands, leaf, lives)

        return _Elements(leaves, shape, self.dtypes, make)


class _Elements:
    """The elements of reductions; leaves over the rows take their coordinates."""

    def __init__(self, leaves, shape, dtypes, make):
        self.leaves = leaves
        self.shape = shape
        self.dtypes = dtypes
        self.make = make

    def load(self, at, n, axis):
        """For each reduction, n elements along an axis from the coordinates on."""
        loads = {}
        axis = axis % len(self.shape)

        def lane(i):
            def leaf(number):
                if number not in loads:
                    loads[number] = self._load(self.leaves[number], at, n, axis)
                return loads[number][i]

            return leaf

        found = [self.make(lane(i)) for i in range(n)]
        return [list(values) for values in zip(*found)]

    def _load(self, a, at, n, axis):
        at = at[: a.ndim]
        if n == 1:
            return [a[at]]
        if axis >= a.ndim:
            return [a[at]] * n
        stride = a.strides[axis]
        if stride.op == "const" and stride.args[0] == 0:
            return [a[at]] * n
        return a.wide(at, n, axis)


class _Parts:
    """The second kernel's operands: the parts of the first."""

    def __init__(self, combines, tile, shape, rest):
        self.combines = combines
        self.tile = tile
        self.axes = rest
        self.full = shape
        self.key = ("parts", tuple(combines), tile)

    def input(self, k, leaves, lives, shape):
        return reduction.Elements(leaves[: len(self.combines)])


class _Behind:
    """What is stored: terms over the results."""

    def __init__(self, terms, whole, wanted):
        self.terms = terms
        self.totals = whole.totals
        self.wanted = wanted
        self.dtypes = whole.dtypes
        self.used = {}
        self.shift = None
        for w in wanted:
            self._mark(w)
        self.key = (tuple(terms.list), tuple(whole.totals), tuple(wanted))

    def _mark(self, root):
        stack = [root]
        while stack:
            t = stack.pop()
            if t in self.totals:
                continue
            term = self.terms.list[t]
            if term[0] in ("in", "count"):
                self.used[term[1]] = True
            stack.extend(parts(term))

    def output(self, k, leaves, outs, lives):
        if self.wanted == self.totals:
            return reduction.Results(outs)
        return _Stored(self, k, leaves, outs, lives)


class _Stored:
    """Takes results, and stores what is made of them."""

    def __init__(self, behind, k, leaves, outs, lives):
        self.behind = behind
        self.k = k
        self.leaves = leaves
        self.outs = outs
        self.lives = lives
        self.shape = outs[0].shape
        self.text = list(behind.terms.list)
        for n, t in enumerate(behind.totals):
            self.text[t] = ("root", n)
        self.count = _uses_above(behind.terms, behind.wanted, behind.totals)

    def put(self, at, values):
        b = self.behind

        def leaf(n):
            return self.leaves[n if b.shift is None else b.shift[n]][at]

        roots = [self.k.let(cast(v, dtype)) for v, dtype in zip(values, b.dtypes)]
        found = evaluate(
            self.k, self.text, self.count, b.wanted, leaf, self.lives, roots
        )
        for out, v in zip(self.outs, found):
            out[at] = v


def _uses_above(terms, wanted, totals):
    """Uses of terms below the wanted ones, down to the results of the reductions."""
    count = [0] * len(terms.list)
    for w in wanted:
        count[w] += 2
    for t in range(len(terms.list) - 1, -1, -1):
        if t not in totals and count[t]:
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
        reduction.reduce_all(k, before.combines, x, out, before.tile)

    key = (before.key, behind.key, full, tuple([len(x.shape) for x in placed]))
    lowering.add(c, key, leaves, outs, lives, placed, body)


def _first_part(lowering, c, before, inner, lives):
    """Add the kernel whose results are parts; returns them as Leaves."""
    terms = before.terms
    leaves = [terms.leaves[n] for n in inner]
    layouts = [_over(leaf.layout, c) for leaf in leaves]
    inside = before.tile[0] == reduction.INNER
    shares = (before.tile[3],)
    shape = c.kept + shares if inside else shares + c.kept
    at = -1 if inside else 0
    placed = reduction.layouts_of(layouts + [Layout(shape)], c.axes, len(layouts), at)
    made = []
    for dtype in before.results:
        ref = ("part", lowering.parts)
        lowering.parts += 1
        made.append(Leaf(ref, Layout(shape), reduction.tree.wide_dtype(dtype)))
    outs = [(leaf.ref, size(shape), leaf.dtype, leaf.layout) for leaf in made]
    placed += placed[-1:] * (len(made) - 1)
    spots = {n: i for i, n in enumerate(inner)}

    def body(k, arrays, results, live):
        spread = [None] * len(terms.leaves)
        for n, i in spots.items():
            spread[n] = arrays[i]
        x = before.input(k, spread, live, arrays[0].shape)
        out = reduction.Results(results)
        reduction.reduce_all(k, before.combines, x, out, before.tile)

    lowering.add(c, (before.key, tuple(inner)), leaves, outs, lives, placed, body)
    return made
