"""Results that are written where they will be joined: concatenation without copying.

The parts of a flat `concat` (an optimiser joins all gradients) are kernels' results as
a rule. Each such part gets its place in the joined tensor's buffer from the start; the
rest is copied there at the end.
"""

from __future__ import annotations

from ...shapes import is_contiguous, size
from ..base import Handle
from .layouts import whole
from .recording import CONST

NAMES = ("concat", "concat_many")
STEP = 4  # elements that kernels load and store at once: parts begin at multiples


class Joins:
    """Where results lie: `places` maps a slot to (slot of the joined, offset).

    writes(cluster): whether its kernel writes where it is told to. `backend`: one that
    copies between buffers, or there are no joins.
    """

    def __init__(self, graph, clusters, texts, backend, writes):
        self.graph = graph
        self.writes = writes
        able = hasattr(backend, "copy")
        self.places = {}
        self.joined = {}  # numbers of the clusters that join
        self.touched = {}  # number of a cluster -> the joined slots that it touches
        self.readers = {}
        for c in clusters if able else ():
            for ref in reads(c, texts[c.number]):
                self.readers.setdefault(ref, []).append(c)
        for c in clusters if able else ():
            if c.root is not None and c.root.op.name in NAMES and len(c.items) == 1:
                self._join(c, reads(c, texts[c.number]))

    def _join(self, c, stored):
        root = c.root
        for ref, _, _ in root.operands:
            if ref != CONST and ref not in stored:
                return  # the kernel computes this part itself
        axis = root.kind.static[0]
        shape, dtype, _ = root.kind.outs[0]
        if size(shape[:axis]) != 1 or dtype.bits != 32:
            return
        parts = []
        offset = 0
        for ref, layout, _ in root.operands:
            if ref != CONST and self._fits(c, ref, layout, offset):
                parts.append((ref, offset))
            offset += size(layout.shape)
        if len(parts) * 2 < len(root.operands) // 2:
            return
        for ref, offset in parts:
            self._place(c, ref, offset)
        if self.places:
            self.joined[c.number] = True

    def _fits(self, c, ref, layout, offset):
        """Say whether a part is all of a kernel's result, at a good place."""
        if ref < 0 or offset % STEP or not whole(layout, self.graph.storage(ref)):
            return False
        maker = self.graph.maker[ref][0].cluster
        return maker is not None and self.writes(maker) and maker is not c

    def _place(self, c, ref, offset):
        """Give a part its place, unless a kernel would bind the buffer twice."""
        target = c.root.slots[0]
        users = [self.graph.maker[ref][0].cluster]
        users += [r for r in self.readers.get(ref, ()) if r is not c]
        for user in users:
            if user.number in self.joined or target in self.touched.get(
                user.number, ()
            ):
                return
        if ref in self.places:
            return
        self.places[ref] = (target, offset)
        for user in users:
            self.touched.setdefault(user.number, {})[target] = True


def reads(c, terms):
    """What a cluster reads from memory."""
    if terms is None:
        return {ref: True for ref, _, _ in c.root.operands}
    return {leaf.ref: True for leaf in terms.leaves if leaf.ref is not None}


def join(base, step, slots, home, consts):
    """Copy the parts that are not there yet."""
    at = n = 0
    for place, (_, layout, dtype) in zip(step.ins, step.operands):
        count = size(layout.shape)
        if place == CONST:
            h = _number(base, consts[n], layout.shape, dtype)
            n += 1
        else:
            h = Handle(slots[place].buffer, layout, dtype)
            if h.buffer is home.buffer and layout.offset == at:
                if is_contiguous(layout.shape, layout.strides):
                    at += count  # it is there
                    continue
            h = base.contiguous(h)
        base.copy(h.buffer, 0, home.buffer, at, count)
        at += count
    return (home,)


def _number(base, number, shape, dtype):
    from ...ops.creation import FILL
    from ...ops.record import Aval

    attrs = (number, shape, dtype)
    return base.execute(FILL, (), attrs, (Aval(shape, dtype),))[0]
