"""Every fused kernel beside its reference: the ops that it replaced, run one by one.

The reference takes what the kernel took, so a difference is the kernel's own.
"""

from __future__ import annotations

from ...shapes import Layout, size
from ...storage import unpack
from ..base import Handle
from .plan import number_in_memory
from .recording import CONST
from .stream import LISTENERS

NOISE = 1e-3  # numbers as small as this may be what is left of larger ones


class Difference:
    """What a kernel and its reference made of the same operands.

    kernel  its name
    op      the op whose result was compared
    worst   the largest distance, as a share of the reference's largest number (of
            NOISE, where that is smaller); inf where just one is nan or infinite
    """

    def __init__(self, kernel, op, dtype, worst):
        self.kernel = kernel
        self.op = op
        self.dtype = dtype
        self.worst = worst

    def __repr__(self):
        return "<%s of %s: %g apart>" % (self.op, self.kernel, self.worst)


class Checked:
    """Lets a Fusion run each kernel and its reference, as long as it is entered.

    `found` has a Difference for each result. Everything is read from the device: this
    is for tests, and for those who doubt a kernel; one thread at a time.
    """

    def __init__(self, fusion):
        self.fusion = fusion
        self.found = []
        self.graph = None

    def __enter__(self):
        self.fusion.flush()
        LISTENERS.append(self._listen)
        self.fusion._go = self._go
        return self

    def __exit__(self, kind, error, trace):
        try:
            self.fusion.flush()
        finally:
            del self.fusion._go
            LISTENERS.remove(self._listen)

    def _listen(self, graph, clusters, steps):
        self.graph = graph

    def _go(self, stream, run):
        error = _Walk(self.fusion.inner, self.graph, run).finish(self.found)
        self.fusion.trouble = self.fusion.trouble or error


class _Walk:
    """A Run, step by step. `copies` has what each step found and left."""

    def __init__(self, base, graph, run):
        self.base = base
        self.graph = graph
        self.run = run
        self.copies = {}

    def finish(self, found):
        run = self.run
        for step in run.plan.steps:
            try:
                self._look(step)
                run._step(self.base, step, run.slots)
                found.extend(self._compare(step))
            except Exception as error:
                run._failed(step, error)
        run.at = len(run.plan.steps)
        run._show()
        return run.error

    def _look(self, step):
        """Copy the operands before the step, which may write over them."""
        for place in step.ins:
            if place != CONST and place not in self.copies:
                h = self.run.slots[place]
                if isinstance(h, Handle):
                    self.copies[place] = self._copy(h)

    def _copy(self, h):
        """The buffer up to the end of what a handle shows, as memory of its own."""
        count = h.layout.offset + size(h.shape)
        flat = Handle(h.buffer, Layout((count,)), h.dtype)
        return self.base.upload(self._values(flat), (count,), h.dtype)

    def _values(self, h):
        return self.base.read([h])[0]

    def _compare(self, step):
        made = {}
        out = []
        for place, _, dtype, layout, _ in step.outs:
            h = self.run.slots[place]
            if h is None or place >= self.run.plan.size or not self._is_slot(place):
                continue
            ours = self._values(Handle(h.buffer, layout, dtype))
            item, i = self.graph.maker[place]
            if place in self.graph.copied:
                item, i = self.graph.copied[place], 0
            theirs = self._values(self._reference(item, made)[i])
            worst = distance(unpack(ours, dtype), unpack(theirs, dtype))
            name = step.plan.kernel.name if step.plan is not None else step.op.name
            out.append(Difference(name, item.op.name, dtype, worst))
        for place, _, dtype, layout, _ in step.outs:
            h = self.run.slots[place]
            if h is not None and self._is_slot(place):
                data = self._values(Handle(h.buffer, layout, dtype))
                count = size(layout.shape)
                self.copies[place] = self.base.upload(data, (count,), dtype)
        return out

    def _is_slot(self, place):
        return place < self.run.plan.slots

    def _reference(self, item, made):
        """The results of an op, from those that were there before this step."""
        if item.place not in made:
            kind, refs, attrs, consts = self.run.nodes[item.place]
            numbers = list(consts or ())
            inputs = []
            for ref, (layout, dtype, _) in zip(refs, kind.operands):
                if ref == CONST:
                    h = number_in_memory(self.base, numbers.pop(0), dtype)
                else:
                    h = self._operand(ref, made)
                inputs.append(Handle(h.buffer, layout, dtype))
            outs = [Handle(None, layout, dtype) for _, dtype, layout in kind.outs]
            results = self.base.execute(kind.op, tuple(inputs), attrs, outs)
            made[item.place] = [self.base.contiguous(h) for h in results]
        return made[item.place]

    def _operand(self, ref, made):
        place = ref if ref >= 0 else self.run.plan.slots - 1 - ref
        if place in self.copies:
            return self.copies[place]
        if ref < 0:
            return self.run.slots[place]
        item, i = self.graph.maker[ref]
        return self._reference(item, made)[i]


def distance(ours, theirs):
    """The largest distance of two lists, as a share of the largest number in one."""
    largest = 0.0
    worst = 0.0
    for a, b in zip(ours, theirs):
        if a == b or (a != a and b != b):
            largest = max(largest, abs(b) if b - b == 0 else 0.0)
            continue
        if a - a != 0 or b - b != 0:
            return float("inf")
        worst = max(worst, abs(a - b))
        largest = max(largest, abs(b))
    return worst / max(largest, NOISE)
