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
READS, WRITES = 1, 2  # what a kernel does with a joined tensor
STEP = 4  # elements that kernels load and store at once: parts begin at multiples


class Joins:
    """Where results lie: `places` maps a slot to (slot of the joined, offset).

    writes(cluster): whether its kernel writes where it is told to. There are no joins
    where the backend has no `copy`.
    """

    def __init__(self, graph, clusters, texts, rules, writes):
        self.graph = graph
        self.rules = rules
        self.writes = writes
        able = hasattr(rules.inner, "copy")
        self.places = {}
        self.joined = {}  # numbers of the clusters that join
        self.touched = {}  # number of a cluster -> {joined slot: READS or WRITES}
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
        shape, dtype, _ = root.kind.outs[0]
        if not flat(root.op, root.kind.static, shape, dtype):
            return
        parts = []
        offset = 0
        for ref, layout, _ in root.operands:
            if ref != CONST and self._fits(c, ref, layout, offset):
                parts.append((ref, offset))
            offset += size(layout.shape)
        must = c.kind == "alone" and self.rules.candidate(root) is None
        if len(parts) * 2 < len(root.operands) // 2 and not must:
            return
        for ref, offset in parts:
            self._place(c, ref, offset)
        if self.places or must:
            self.joined[c.number] = True

    def _fits(self, c, ref, layout, offset):
        """Say whether a part is all of a kernel's result, at a good place."""
        if ref < 0 or offset % STEP or not whole(layout, self.graph.storage(ref)):
            return False
        maker = self.graph.maker[ref][0].cluster
        return maker is not None and self.writes(maker) and maker is not c

    def _place(self, c, ref, offset):
        """Give a part its place, unless a kernel would read and write the buffer."""
        target = c.root.slots[0]
        maker = self.graph.maker[ref][0].cluster
        readers = [r for r in self.readers.get(ref, ()) if r is not c]
        if ref in self.places or not self._may(maker, target, WRITES):
            return
        for reader in readers:
            if reader is maker or not self._may(reader, target, READS):
                return
        self.places[ref] = (target, offset)
        self.touched.setdefault(maker.number, {})[target] = WRITES
        for reader in readers:
            self.touched.setdefault(reader.number, {})[target] = READS

    def _may(self, c, target, how):
        """Say whether a cluster does nothing else with a joined tensor."""
        known = self.touched.get(c.number, {}).get(target, how)
        return known == how and c.number not in self.joined


def shared(places, slots):
    """{number of an output: of an earlier one that lies in the same joined tensor}."""
    first = {}
    found = {}
    for n, slot in enumerate(slots):
        if slot in places:
            target = places[slot][0]
            if target in first:
                found[n] = first[target]
            else:
                first[target] = n
    return found


def flat(op, attrs, shape, dtype):
    """Say whether the parts of what an op makes lie one after the other."""
    return op.name in NAMES and size(shape[: attrs[0]]) == 1 and dtype.bits == 32


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
