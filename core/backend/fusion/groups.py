"""Which ops share a kernel.

A cluster is what becomes one kernel (or one reduction): ops that are computed at the
same points. Ops join the clusters of what they read, in the order of the stream:

  point   elementwise ops over one number of elements
  rows    reductions over the same axes of one shape, ops over its elements ("full")
          and over its rows ("row")
  reduce  one reduction, and ops over its results ("row")
  kernel  an op with a kernel of its own, and ops over its results ("out")
  alone   an op that the inner backend runs by itself
"""

from __future__ import annotations

from ...shapes import contiguous_strides, reduced, size
from .layouts import refine, reshaped, whole
from .siblings import pair

RANKS = {"point": 0, "reduce": 1, "rows": 2, "kernel": 3, "alone": 4}
MOST = 64  # ops of a cluster


class Cluster:
    """See the module. `before`: a bit for every cluster that must run earlier."""

    def __init__(self, number, kind, item):
        self.number = number
        self.kind = kind
        self.items = [item]
        self.root = None if kind == "point" else item
        self.shape = item.shape
        self.axes = ()
        self.before = 0
        if kind in ("rows", "reduce"):
            self.axes = item.kind.static[0]
            self.shape = item.operands[0][1].shape
        self.kept = reduced(self.shape, self.axes, False)

    def __repr__(self):
        return "<%s of %s>" % (self.kind, "+".join([i.op.name for i in self.items]))


class Grouper:
    """Puts the ops of a Graph into clusters."""

    def __init__(self, graph, rules):
        self.graph = graph
        self.rules = rules  # what the inner backend can do: see rules.py
        self.clusters = []
        self.number = 0
        self.by_number = {}

    def run(self):
        """Return the clusters in an order in which they can run."""
        for item in self.graph.items:
            if not item.virtual:
                self._place(item)
        pair(self)
        return self._ordered()

    def _place(self, item):
        kind = self._kind(item)
        cluster = Cluster(self.number, kind, item)
        item.cluster = cluster
        sides = {"point": "point", "rows": "reduce", "reduce": "reduce"}
        item.side = sides.get(kind, "root")
        self.by_number[self.number] = cluster
        self.number += 1
        self.clusters.append(cluster)
        for other in self._neighbours(item, cluster):
            cluster.before |= 1 << other.number | other.before
        if kind in ("kernel", "alone") or item.apart:
            return
        for other in reversed(self._neighbours(item, cluster)):
            if other.number in self.by_number:
                problem = self._merge(other, item.cluster)
                if problem:
                    item.why = item.why or problem

    def _kind(self, item):
        if item.op.combine is not None and self.rules.reduces(item):
            if item.apart:
                return "alone"
            return "rows" if self.rules.rows(item) else "reduce"
        if item.point is not None:
            return "point"
        return "alone" if item.apart or self.rules.alone(item) else "kernel"

    def _neighbours(self, item, own):
        """The clusters an item reads from, oldest first."""
        found = {}
        for ref, _ in item.leaves:
            if ref >= 0:
                other = self.graph.maker[ref][0].cluster
                if other is not own:
                    found[other.number] = other
        return [found[n] for n in sorted(found)]

    def _merge(self, a, b):
        """Make one cluster of two, if that can be; else return why not."""
        if RANKS[a.kind] < RANKS[b.kind]:
            a, b = b, a
        if "alone" in (a.kind, b.kind):
            return "%s runs by itself" % a.root.op.name
        for c in (a, b):
            if c.items[0].apart:
                return "%s runs by itself" % c.items[0].op.name
        if a.kind == "kernel" and [i for i in b.items if i.outside]:
            return "%s stores in too many places" % a.root.op.name
        if a.kind == "kernel" and len(a.root.slots) > 1:
            return "%s has several results" % a.root.op.name
        if b.kind != "point" and not a.kind == b.kind == "rows":
            return "two kernels that are no elementwise ops"
        if len(a.items) + len(b.items) > MOST:
            return "a kernel has at most %d ops" % MOST
        if self._between(a, b) or self._between(b, a):
            return "another kernel runs between them"
        sides = self._fit(a, b)
        if isinstance(sides, str):
            return sides
        return self._join(a, b, sides)

    def _between(self, a, b):
        """Say whether a cluster other than both is after a and before b."""
        if not b.before >> a.number & 1:
            return False
        for c in self.clusters:
            if c is not a and b.before >> c.number & 1 and c.before >> a.number & 1:
                return True
        return False

    def _fit(self, a, b):
        """(side of each item of b in a, the shape of both), or why it does not fit."""
        if b.kind != "point" and (a.shape, a.axes) != (b.shape, b.axes):
            return "rows of different shapes"
        shape = a.shape
        if a.kind == "point":
            shape = refine(a.shape, b.shape)
            if shape is None or size(a.shape) != size(b.shape):
                return "they have different shapes"
        sides = {}
        inside = {id(i): i.side for i in a.items}
        for item in sorted(b.items, key=_place_of):
            side = self._side(a, item, inside)
            if side is None:
                return "it reads its operands in another order"
            sides[id(item)] = inside[id(item)] = side
        for item in a.items:  # where b comes first
            if self._side(a, item, inside, item.side) is None:
                return "it reads its operands in another order"
        return sides, shape

    def _side(self, a, item, inside, known=None):
        """How an item lies in cluster a, whose items are `inside` (by id); or None."""
        side = known or self._by_size(a, item)
        if side is None:
            return None
        if side == "root":
            return None if self._reads(item, inside) else side
        target = a.kept if side == "row" else a.shape
        if side == "reduce" and item.operands[0][1].shape != a.shape:
            return None
        for ref, layout in item.leaves:
            seen = reshaped(layout, target) if a.kind != "point" else layout
            if seen is None:
                return None
            maker = self.graph.maker[ref][0] if ref >= 0 else None
            if maker is None or id(maker) not in inside:
                continue
            if maker.turned or maker.rounds:
                return None
            if not self._meets(a, side, inside[id(maker)], seen, ref):
                return None
        return side

    def _reads(self, item, inside):
        """Say whether an item reads another one of these from memory."""
        for ref, _ in item.leaves:
            maker = self.graph.maker[ref][0] if ref >= 0 else None
            if maker is not None and maker is not item and id(maker) in inside:
                return True
        return False

    def _by_size(self, a, item):
        count = size(item.shape)
        if a.kind == "point":
            return "point" if count == size(a.shape) else None
        if item.op.combine is not None:
            return "reduce" if a.kind == "rows" else None
        if a.kind == "kernel":
            return "out" if count == size(a.shape) else None
        if count == size(a.shape) and a.kind == "rows":
            return "full"
        return "row" if count == size(a.kept) else None

    def _meets(self, a, side, other, layout, ref):
        """Say whether a point of the kernel reads just what it has computed itself."""
        storage = self.graph.storage(ref)
        per_row = other in ("row", "reduce")
        if side in ("full", "reduce") and per_row:
            return _spread(layout, a)
        if side == "row" and not per_row:
            return False
        return whole(layout, storage)

    def _join(self, a, b, sides):
        """Put b's items into a, unless that takes too many buffers."""
        sides, shape = sides
        items = sorted(a.items + b.items, key=_place_of)
        if self._buffers(items, a, b) > self.graph.limit:
            return "one kernel binds at most %d buffers" % self.graph.limit
        for item in b.items:
            item.cluster = a
            item.side = sides[id(item)]
        a.items = items
        a.shape = shape
        self.clusters.remove(b)
        del self.by_number[b.number]
        bits = 1 << a.number | 1 << b.number
        a.before = (a.before | b.before) & ~bits
        for c in self.clusters:
            if c is not a and c.before & bits:
                c.before |= a.before | 1 << a.number  # `before` is transitive
        return ""

    def _buffers(self, items, a, b):
        """About how many buffers a kernel of these items binds."""
        inside = {id(i): True for i in items}
        reads = {}
        stores = 0
        for item in items:
            for ref, layout in item.leaves:
                if ref < 0 or id(self.graph.maker[ref][0]) not in inside:
                    reads[ref, layout.shape, layout.strides, layout.offset] = True
            stores += len(item.slots) if self._stored(item, inside) else 0
        return len(reads) + max(stores, 1)

    def _stored(self, item, inside):
        """Say whether an item's results are surely needed outside a cluster."""
        if item.live:
            return True
        for reader, _ in item.readers:
            if reader.virtual or id(reader) in inside:
                continue
            if reader.cluster is not None or reader.point is None:
                return True
        return False

    def _ordered(self):
        """The clusters, each after those it reads from."""
        left = sorted(self.clusters, key=lambda c: c.items[0].place)
        waiting = 0
        for c in left:
            waiting |= 1 << c.number
        out = []
        while left:
            ready = [c for c in left if not c.before & waiting]
            if not ready:
                raise RuntimeError("internal: fused kernels wait for each other")
            first = ready[0]
            out.append(first)
            left.remove(first)
            waiting &= ~(1 << first.number)
        return out


def _place_of(item):
    return item.place


def _spread(layout, a):
    """Say whether a layout repeats the results of rows over their elements."""
    steps = list(contiguous_strides(a.kept))
    if layout.offset or layout.shape != a.shape:
        return False
    for axis, (n, stride) in enumerate(zip(layout.shape, layout.strides)):
        wanted = 0 if axis in a.axes else steps.pop(0)
        if n != 1 and stride != wanted:
            return False
    return True
