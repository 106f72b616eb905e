"""What a kernel computes at a point, as numbered terms: the text of a fused op.

A term is a tuple; it names the terms it is made of by their numbers:

  ("in", n)                        the element of leaf n here
  ("count", n)                     the number of the element in leaf n's storage
  ("live", n, dtype)               a number that is passed to the kernel
  ("root", n)                      what the kernel inside has found: its output n
  ("reduce", combine, term)        over the elements of a row
  ("op", point, dtype, terms, count or None, live numbers)
"""

from __future__ import annotations

from ...errors import FogoError
from ...expr import INDEX
from ...shapes import Layout, contiguous_strides
from .layouts import compose, reshaped
from .recording import CONST

DEEP = 4  # ops in one expression, at most: printers go down by recursion


class NotFusable(FogoError):
    """A group turns out not to be one kernel; it is run in parts."""


class Leaf:
    """An operand in memory, seen over the points of the kernel (or of its rows)."""

    def __init__(self, ref, layout, dtype):
        self.ref = ref  # None: only the number of the element is read
        self.layout = layout
        self.dtype = dtype


class Terms:
    """The terms of a cluster.

    shape    of the points; layouts are over it, or (in rows) over `kept`
    inside   items whose elements are computed here, besides virtual ones
    """

    def __init__(self, graph, cluster, shape, inside):
        self.graph = graph
        self.cluster = cluster
        self.shape = shape
        self.rows = cluster.kind in ("rows", "reduce")
        self.inside = {id(i): True for i in inside}
        self.list = []
        self.memo = {}
        self.leaves = []
        self.params = []  # (place of the node, "attr" or "const", position)

    def add(self, term):
        found = self.memo.get(term)
        if found is None:
            found = self.memo[term] = len(self.list)
            self.list.append(term)
        return found

    def leaf(self, ref, layout, dtype):
        key = ("leaf", ref, layout.shape, layout.strides, layout.offset)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = len(self.leaves)
            self.leaves.append(Leaf(ref, layout, dtype))
        return found

    def live(self, place, kind, position, dtype):
        key = (place, kind, position)
        found = self.memo.get(key)
        if found is None:
            self.params.append(key)
            found = self.add(("live", len(self.params) - 1, dtype))
            self.memo[key] = found
        return found

    def whole(self, shape):
        """The layout of a result that is computed at just these points."""
        return Layout(shape, contiguous_strides(shape))

    def result(self, item, side):
        """The term of an item of the cluster."""
        if side == "reduce":
            return self.reduction(item)
        shape = self.cluster.kept if side == "row" else self.shape
        return self.made(item, self.whole(shape))

    def reduction(self, item):
        ref, layout, dtype = item.operands[0]
        if ref == CONST:
            operand = self.live(item.place, "const", 0, dtype)
        else:
            operand = self.value(ref, layout, dtype)
        return self.add(("reduce", item.op.combine, operand))

    def value(self, ref, layout, dtype):
        """The term of an operand that is seen through a layout over the points."""
        if self.rows:
            layout = self._per_row(layout)
        if ref >= 0:
            item, output = self.graph.maker[ref]
            if id(item) in self.inside:
                if item.side == "reduce":
                    return self.reduction(item)
                if item.side == "root":
                    return self.add(("root", output))
                return self.made(item, layout)
            if item.virtual:
                return self.made(item, layout)
        return self.add(("in", self.leaf(ref, layout, dtype)))

    def _per_row(self, layout):
        """Layouts that are constant along the rows, over the rows alone."""
        if layout.shape != self.shape:
            return layout
        axes = self.cluster.axes
        for a in axes:
            if layout.strides[a] and layout.shape[a] > 1:
                return layout
        kept = [a for a in range(len(layout.shape)) if a not in axes]
        return layout.permute(kept)

    def made(self, item, layout):
        """The term of a point op at the elements that a layout names."""
        key = (item.place, layout.shape, layout.strides, layout.offset)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._make(item, layout)
        return found

    def _make(self, item, layout):
        operands = []
        consts = 0
        for ref, own, dtype in item.operands:
            if ref == CONST:
                operands.append(self.live(item.place, "const", consts, dtype))
                consts += 1
                continue
            seen = compose(layout, own)
            if seen is None:
                seen = compose(layout, reshaped(own, layout.shape) or own)
            if seen is None:
                raise NotFusable("internal: a view does not follow its operand")
            operands.append(self.value(ref, seen, dtype))
        dtype = item.kind.outs[0][1]
        count = None
        if item.point.counts:
            count = self.add(("count", self.leaf(None, layout, INDEX)))
        params = []
        for i in sorted(item.op.runtime):
            params.append(self.live(item.place, "attr", i, item.op.runtime[i] or dtype))
        return self.add(
            ("op", item.point, dtype, tuple(operands), count, tuple(params))
        )

    def uses(self, roots):
        """How often each term is used, below these."""
        count = [0] * len(self.list)
        for r in roots:
            count[r] += 2  # stored values are bound, too
        for t in range(len(self.list) - 1, -1, -1):
            for other in parts(self.list[t]):
                count[other] += 1 if count[t] else 0
        return count


def parts(term):
    """The terms that a term is made of."""
    if term[0] == "reduce":
        return (term[2],)
    if term[0] != "op":
        return ()
    count = () if term[4] is None else (term[4],)
    return term[3] + count + term[5]


def lives_of(terms):
    """(where a live number comes from, its dtype) for each, in order."""
    dtypes = [term[2] for term in terms.list if term[0] == "live"]
    numbers = [term[1] for term in terms.list if term[0] == "live"]
    found = [None] * len(terms.params)
    for n, dtype in zip(numbers, dtypes):
        found[n] = (terms.params[n], dtype)
    return found


def leaves_of(terms, root):
    """Numbers of the leaves below a term."""
    found = {}
    stack = [root]
    while stack:
        term = terms.list[stack.pop()]
        if term[0] in ("in", "count"):
            found[term[1]] = True
        stack.extend(parts(term))
    return found


def evaluate(k, terms, count, wanted, leaf, lives, roots=()):
    """The Exprs of the wanted terms at a point.

    terms: the list; count: how often each is used; leaf(n): the element of leaf n.
    """
    found = {}
    depth = [0] * len(terms)
    for t, term in enumerate(terms):
        if not count[t]:
            continue
        name = term[0]
        if name == "in" or name == "count":
            value = leaf(term[1])
        elif name == "live":
            value = lives[term[1]]
        elif name == "root":
            value = roots[term[1]]
        else:
            _, point, dtype, operands, number, params = term
            value = point.formula(
                k,
                None if number is None else found[number],
                [found[o] for o in operands],
                [found[p] for p in params],
                dtype,
            )
            for o in operands:
                depth[t] = max(depth[t], depth[o] + 1)
            bound = count[t] > 1 or depth[t] >= DEEP
            if bound and value.op not in ("const", "var"):
                value = k.let(value)
                depth[t] = 0
        found[t] = value
    return [found[w] for w in wanted]
