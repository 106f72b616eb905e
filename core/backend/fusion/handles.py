"""What `Fusion` hands out for results that are still to be computed."""

from __future__ import annotations


class Value:
    """One result: a whole storage, row-major; its views share it.

    Handles hold it for the user, its stream holds it while it is pending: nothing else
    does, so that a flush sees which results nobody can ask for any more.

    stream  where it is pending; None when it is there (or is a number)
    slot    its number in that stream
    base    the base backend's handle of the storage, once it is there
    number  the value of a constant (no storage at all), else None
    error   what went wrong instead
    readers programs that took the number for a constant (see backend/capture.py)
    """

    __slots__ = (
        "stream", "slot", "base", "number", "error", "seen", "shape", "dtype",
        "readers",
    )  # fmt: skip

    def __init__(self, stream, slot, shape, dtype):
        self.stream = stream
        self.slot = slot
        self.base = None
        self.number = None
        self.error = None
        self.seen = None  # (stream, its turn, number among the inputs of that turn)
        self.shape = shape
        self.dtype = dtype
        self.readers = None


class FusedHandle:
    """A value seen through a layout."""

    __slots__ = ("value", "layout", "shape", "dtype")

    def __init__(self, value, layout, dtype):
        self.value = value
        self.layout = layout
        self.shape = layout.shape
        self.dtype = dtype


class Kind:
    """What recorded ops have in common that differ only in their data.

    op, static   the op and its attributes (None in place of the live ones)
    operands     (layout, dtype, whether it is a constant) per input
    outs         (shape, dtype, layout) per output
    Kinds are unique in their Fusion: equal ones are the same object.
    """

    __slots__ = ("op", "static", "operands", "outs", "composite")

    def __init__(self, op, static, operands, outs):
        self.op = op
        self.static = static
        self.operands = operands
        self.outs = outs
