"""The ops of a flush as a graph: what is needed, and what is computed where it is read.

A needed op whose elements are independent ("point") is *virtual* where its readers can
compute its elements themselves at little or no cost; the rest get a kernel.
"""

from __future__ import annotations

from ...dtypes import float16
from ...expr import TESTS
from .layouts import compose
from .points import CHEAP, narrows, operands_of, point_of
from .recording import CONST

COSTLY = 40  # work that even one kernel does not do twice
DEEP = 8  # virtual ops that read one another, at most


class Item:
    """One recorded op.

    operands  (reference, layout, dtype): a slot, an input (negative) or CONST
    slots     of its outputs
    readers   (Item, number of the operand) that need each output
    leaves    what its elements read once virtual ops are looked through, as
              (reference, layout over its elements), and how much work they are
    """

    def __init__(self, place, kind, refs, first):
        self.place = place
        self.kind = kind
        self.op = kind.op
        self.point = point_of(kind)
        self.rounds = self.point is not None and narrows(kind)
        if self.point is None:
            self.operands = [
                (r, layout, d) for r, (layout, d, _) in zip(refs, kind.operands)
            ]
        else:
            self.operands = operands_of(kind, refs)
        self.slots = list(range(first, first + len(kind.outs)))
        self.needed = False
        self.live = False
        self.apart = False  # whether it turned out to need a kernel of its own
        self.outside = False  # or to be too much for another op's kernel
        self.virtual = False
        self.readers = []
        self.leaves = None
        self.cost = 0
        self.depth = 0
        self.cluster = None
        self.side = None  # how it lies in its cluster: see groups.py
        self.why = ""
        self.turned = {}  # output -> how its kernel writes it: see relay.py
        self.shown = {}  # output -> how it then lies

    @property
    def shape(self):
        return self.kind.outs[0][0]

    def __repr__(self):
        return "<item %d %s>" % (self.place, self.op.name)


class Graph:
    """The Items of a flush; `maker` finds the one (and which output) of a slot."""

    def __init__(self, nodes, live, inputs, limit):
        self.items = []
        self.maker = []
        self.live = live
        self.inputs = inputs  # layouts of the storages that are there
        self.limit = limit  # buffers of a kernel
        for place, (kind, refs, _, _) in enumerate(nodes):
            item = Item(place, kind, refs, len(self.maker))
            self.items.append(item)
            for i in range(len(kind.outs)):
                self.maker.append((item, i))
        self.recorded = len(self.items)
        self.copied = {}  # slot -> the copy whose place another item took
        self._mark()

    def _mark(self):
        """Find what is needed, and by whom."""
        for item in reversed(self.items):
            for s in item.slots:
                item.live = item.live or bool(self.live[s])
            item.needed = item.live or bool(item.readers)
            if item.needed:
                for i, (ref, _, dtype) in enumerate(item.operands):
                    if ref >= 0:
                        maker = self.maker[ref][0]
                        maker.readers.append((item, i))
                        if dtype is float16 and item.op.name in TESTS:
                            maker.rounds = True  # an overflow must be seen
        self.items = [item for item in self.items if item.needed]

    def storage(self, ref):
        """The shape of the storage behind a reference."""
        if ref < 0:
            return self.inputs[-1 - ref].shape
        item, i = self.maker[ref]
        return item.kind.outs[i][0]

    def settle(self, takes):
        """Decide which ops are virtual. takes(item, number): may a reader inline it?"""
        for item in self.items:
            self._look_through(item)
            while len(item.leaves) >= self.limit and self._lighten(item):
                self._look_through(item)
            item.virtual = self._may_vanish(item, takes)

    def _look_through(self, item):
        """Find the leaves of an item."""
        found = {}
        cost = 0 if item.point is None else item.point.cost
        depth = 0
        leaves = []
        for ref, layout, _ in item.operands:
            if ref == CONST:
                continue
            parts = [(ref, layout)]
            if ref >= 0 and self.maker[ref][0].virtual:
                under = self.maker[ref][0]
                cost += under.cost
                depth = max(depth, under.depth)
                parts = [(r, compose(layout, m)) for r, m in under.leaves]
            for r, m in parts:
                key = (r, m.shape, m.strides, m.offset)
                if key not in found:
                    found[key] = True
                    leaves.append((r, m))
        item.leaves = leaves
        item.cost = cost
        item.depth = depth + 1

    def _lighten(self, item):
        """Give the virtual operand with most leaves a kernel of its own."""
        most = None
        for ref, _, _ in item.operands:
            if ref >= 0:
                under = self.maker[ref][0]
                count = len(under.leaves)
                if under.virtual and count > 1 and (most is None or count > most[0]):
                    most = (count, under)
        if most is None:
            return False
        most[1].virtual = False
        most[1].why = "one kernel binds at most %d buffers" % self.limit
        return True

    def _compared(self, item):
        """Say whether a float is tested for being equal to, say, its row's largest.

        Another kernel that computes it again may round it in another way.
        """
        if not item.kind.outs[0][1].is_float:
            return False
        for reader, _ in item.readers:
            if reader.op.name in ("equal", "not_equal"):
                return True
        return False

    def _may_vanish(self, item, takes):
        if item.point is None or item.live or item.apart:
            return False
        if item.rounds:
            item.why = "it rounds to a narrower dtype"
            return False
        if item.depth >= DEEP:
            item.why = "it is the end of a long chain"
            return False
        cheap = item.cost <= CHEAP and len(item.leaves) <= 2
        several = len({id(reader): True for reader, _ in item.readers}) > 1
        if (several or len(item.readers) > 1 and item.cost > COSTLY) and not cheap:
            item.why = "several ops read it"
            return False
        if several and self._compared(item):
            item.why = "it is compared with what else was made of it"
            return False
        for reader, number in item.readers:
            layout = reader.operands[number][1]
            if reader.apart or not takes(reader, number, item.cost):
                item.why = "%s reads it from memory" % reader.op.name
                return False
            again = _count(layout.shape) > _count(item.shape)
            if again and not cheap:
                item.why = "%s reads each element several times" % reader.op.name
                return False
            for _, m in item.leaves:
                if compose(layout, m) is None:
                    item.why = "%s reads it in another order" % reader.op.name
                    return False
        return True


def _count(shape):
    n = 1
    for d in shape:
        n *= d
    return n
