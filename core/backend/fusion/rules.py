"""What the inner backend can do, as far as grouping must know."""

from __future__ import annotations

from ...shapes import size
from .recording import CONST

LONG = 1 << 15  # elements of a row from which on ...
FEW = 32  # ... so few rows are left to a reduction in two steps
ROOM = 16  # buffers of a kernel where the backend has no limit of its own


class Shadow:
    """Stands for a handle where only its layout counts."""

    def __init__(self, layout, dtype):
        self.layout = layout
        self.shape = layout.shape
        self.dtype = dtype


class Rules:
    """Asks the inner backend.

    caps    of the device whose kernels may have workgroups, else None
    limit   buffers of a kernel
    """

    def __init__(self, inner):
        self.inner = inner
        self.fast = getattr(inner, "fast", None)
        self.caps = self.fast.caps if self.fast else None
        self.limit = ROOM
        if self.caps:
            self.limit = self.caps.limits["maxStorageBuffersPerShaderStage"]

    def reduces(self, item):
        """Say whether a reduction can be fused at all: it has elements to add."""
        return item.op.name not in self.inner.special and self._full(item)

    def _full(self, item):
        for _, layout, _ in item.operands:
            if 0 in layout.shape:
                return False
        return True

    def rows(self, item):
        """Say whether a reduction may be part of a kernel over rows."""
        shape = item.operands[0][1].shape
        axes = item.kind.static[0]
        if len(shape) - 1 not in axes:
            return False
        columns = size([shape[a] for a in axes])
        return columns < LONG or size(shape) // columns >= FEW

    def candidate(self, item):
        """The tuned kernel for an op, or None."""
        if self.fast is None:
            return None
        inputs = [Shadow(layout, dtype) for _, layout, dtype in item.operands]
        kind = item.kind
        outs = [Shadow(layout, dtype) for _, dtype, layout in kind.outs]
        return self.fast.choose(kind.op, inputs, kind.static, outs)

    def stages(self, item):
        """The chain of kernels that are an op's tuned one, or None."""
        found = self.candidate(item) if item.op.combine is None else None
        if found is None or not found.stages or _constant(item):
            return None
        for op, _, _ in found.stages:
            if op.kernel is None or op.runtime or op.shares:
                return None
        return found.stages

    def alone(self, item):
        """Say whether the inner backend runs an op as it is."""
        op = item.op
        if op.solo or op.name in self.inner.special or not self._full(item):
            return True
        if op.solo or op.source is not None or op.shares:
            return True
        found = self.candidate(item)
        if found is not None:
            made = found.op
            return made is None or bool(
                made.relayout or made.shares or _hides(op, made)
            )
        return op.kernel is None

    def takes(self, reader, number, cost):
        """Say whether a reader can compute an operand itself at so much work."""
        if reader.op.combine is not None:
            return self.reduces(reader)
        if reader.point is not None:
            return True
        if self.alone(reader) or reader.op.cost == "compute":
            return False
        if reader.op.pointwise:
            return number < reader.op.pointwise
        return cost <= 2


def _constant(item):
    return bool([ref for ref, _, _ in item.operands if ref == CONST])


def _hides(op, made):
    """Say whether a kernel for an op has no place for its live numbers, or others."""
    live = [made.attrs[i] for i in made.runtime]
    lost = [i for i in op.runtime if op.attrs[i] not in live]
    return bool(lost or [name for name in live if name not in op.attrs])
