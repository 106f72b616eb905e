"""`Fusion(b)`: records ops, and runs them when somebody reads: see plan.py.

Each thread records into a stream of its own. Views are settled at once, on the layout
of their handle; constants are numbers until somebody needs them in memory.
"""

from __future__ import annotations

import sys

from ...dtypes import bfloat16, stored
from ...fast import TABLE
from ...ops.record import Aval
from ...shapes import Layout
from ...storage import pack, unpack
from ..base import Backend, Handle, expand
from ..capture import WATCH, number_made, number_read
from ..threads import Local, Uninterrupted
from .handles import FusedHandle, Kind, Value
from .joins import flat
from .plan import make_plan, number_in_memory
from .recording import Stream, references, repeats

LIMIT = 1024  # ops in a stream, at most
ENOUGH = 128  # ops that are worth a flush where a program rests
PLANS = 512  # flushes remembered, at most
KINDS = 1 << 15  # kinds of ops remembered, at most; layouts, too
LISTENERS: list = []  # functions that want to know of every flush: see explain.py
REFERENCES = getattr(sys, "getrefcount", None)


def _unseen():
    """How many references a value has that only its stream holds."""
    if REFERENCES is None:
        return 0
    return [REFERENCES(v) for v in [Value(None, 0, (), None)]][0]


UNSEEN = _unseen()


class Fusion(Backend):
    """Runs ops by way of a raw backend `inner`, many in one kernel.

    Example:
        >>> import fogo
        >>> from fogo.backend.python import Python
        >>> dev = fogo.Device("python", Fusion(Python()))
        >>> x = fogo.tensor([1.0, 2.0], device=dev)
        >>> (x * 2.0 + 1.0).tolist()  # one kernel
        [3.0, 5.0]
    """

    fuses = True

    def __init__(self, inner):
        self.inner = inner
        self.name = inner.name
        self.holds = inner.holds
        self.default_int = inner.default_int
        self.device = None
        self.local = Local()
        self.layouts = {}
        self.views = {}
        self.kinds = {}
        self.plans = {}
        self.kernels = {}
        self.trouble = None  # the first error since the last read

    def __getattr__(self, name):
        """The rest is the inner backend's: counters, its pool, its planner, …"""
        if name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    @property
    def uploads(self):
        return self.inner.uploads

    @property
    def reads(self):
        return self.inner.reads

    def describe(self):
        return self.inner.describe()

    def supports(self, op, attrs, avals):
        return self.inner.supports(op, attrs, avals)

    # Recording.

    def stream(self):
        """This thread's stream."""
        try:
            return self.local.stream
        except AttributeError:
            made = self.local.stream = Stream()
            return made

    def execute(self, op, inputs, attrs, outs):
        if op.view is not None:
            return (self._view(op, inputs[0], attrs),)
        kind = self._kind(op, inputs, attrs, outs)
        if kind.composite is not None:
            return self._apart(kind, inputs, attrs)
        stream = self.stream()
        for h in inputs:
            other = h.value.stream
            if other is not None and other is not stream:
                self.flush_stream(other)
        with stream.lock:
            refs, consts = references(stream, inputs)
            values = stream.values
            handles = []
            made = []
            slot = len(values)
            for shape, dtype, layout in kind.outs:
                value = Value(stream, slot, shape, dtype)
                slot += 1
                made.append(value)
                handles.append(FusedHandle(value, layout, dtype))
            stream.nodes.append((kind, refs, attrs, consts))
            stream.key.append(kind)
            stream.key.append(refs)
            values.extend(made)
        if len(stream.nodes) >= LIMIT:
            self.flush_stream(stream, repeats(stream.key))
        return tuple(handles)

    def _kind(self, op, inputs, attrs, outs):
        static = attrs
        if op.runtime:
            static = tuple(
                [None if i in op.runtime else a for i, a in enumerate(attrs)]
            )
        key = [op, static]
        for h in inputs:
            base = h.value.base
            layout = h.layout
            if base is not None and base.layout.offset:
                layout = self._shifted(layout, base.layout.offset)
            key.append(layout)
            key.append(h.dtype)
            key.append(h.value.number is None)
        key = tuple(key)
        found = self.kinds.get(key)
        if found is None:
            found = self._new_kind(op, static, inputs, attrs, outs, key)
        return found

    def _new_kind(self, op, static, inputs, attrs, outs, key):
        operands = []
        for i in range(2, len(key), 3):
            operands.append((key[i], key[i + 1], not key[i + 2]))
        made = Kind(
            op,
            static,
            tuple(operands),
            tuple([(o.shape, o.dtype, self.intern(Layout(o.shape))) for o in outs]),
        )
        made.composite = self._special(op, inputs, attrs, outs)
        if len(self.kinds) >= KINDS:
            self.kinds.clear()
        self.kinds[key] = made
        return made

    def _special(self, op, inputs, attrs, outs):
        """What is not recorded: "fill", "empty", "expand"; None for the rest."""
        for a in list(inputs) + list(outs):
            if a.dtype is bfloat16:  # moved as it is; compositions know better
                moves = op.kernel or op.formula or op.combine or op.source
                return "bits" if moves else "expand"
        if op.name == "fill":
            return "fill"
        empty = bool(outs)
        for o in outs:
            empty = empty and 0 in o.shape
        if empty:
            return "empty"
        if op.source is not None:
            return None
        made = op.kernel or op.formula or op.combine or op.source
        if made is None:
            return None if self._tuned(op, inputs, attrs, outs) else "expand"
        return None

    def _tuned(self, op, inputs, attrs, outs):
        """Say whether the inner backend has a kernel for a composition."""
        if op.name in self.inner.special:
            return True
        if hasattr(self.inner, "copy") and flat(
            op, attrs, outs[0].shape, outs[0].dtype
        ):
            return True  # see joins.py
        fast = getattr(self.inner, "fast", None)
        if fast is None or TABLE.get(op.name) == "softmax":  # rows.py does as well
            return False
        return fast.choose(op, inputs, attrs, outs) is not None

    def _apart(self, kind, inputs, attrs):
        if kind.composite == "expand":
            return expand(self.device, kind.op, inputs, attrs)
        if kind.composite == "bits":
            return self._bits(kind, inputs, attrs)
        if kind.composite == "empty":
            return tuple(
                [self.constant(0, shape, dtype) for shape, dtype, _ in kind.outs]
            )
        return (self.constant(attrs[0], attrs[1], attrs[2]),)

    def _bits(self, kind, inputs, attrs):
        """Run an op that moves bfloat16 on the bits, and call the results that."""
        plain = [FusedHandle(h.value, h.layout, stored(h.dtype)) for h in inputs]
        outs = [Aval(shape, stored(dtype)) for shape, dtype, _ in kind.outs]
        op = getattr(kind.op, "bits", kind.op)  # the same, of another dtype by name
        made = self.execute(op, plain, attrs, outs)
        for h, (_, dtype, _layout) in zip(made, kind.outs):
            h.dtype = dtype
        return made

    def constant(self, number, shape, dtype):
        """A handle of one number throughout; it has no memory of its own."""
        if dtype.is_float:
            number = unpack(pack("full", [number], dtype), dtype)[0]
        value = Value(None, 0, (1,), dtype)
        value.number = number
        if WATCH.on:
            number_made(value)
        layout = self.intern(Layout(shape, (0,) * len(shape)))
        return FusedHandle(value, layout, dtype)

    def intern(self, layout):
        """The one Layout that is equal to this one."""
        key = (layout.shape, layout.strides, layout.offset)
        found = self.layouts.get(key)
        if found is None:
            if len(self.layouts) >= KINDS:
                self.layouts.clear()
                self.views.clear()
                self.kinds.clear()
            found = self.layouts[key] = layout
        return found

    def _shifted(self, layout, offset):
        return self.intern(Layout(layout.shape, layout.strides, layout.offset + offset))

    def _view(self, op, h, attrs):
        key = (op, h.layout, attrs)
        found = self.views.get(key, False)
        if found is False:
            found = op.view(h.layout, attrs)
            if found is not None:
                found = self.intern(found)
            if len(self.views) >= KINDS:
                self.views.clear()
            self.views[key] = found
        if found is None:
            return self._view(op, self._copied(h), attrs)
        return FusedHandle(h.value, found, h.dtype)

    def _copied(self, h):
        from ...ops.elementwise import COPY

        return self.execute(COPY, (h,), (), (Aval(h.shape, h.dtype),))[0]

    # Running.

    def flush(self):
        """Run what this thread has recorded; the inner backend may queue it."""
        self.flush_stream(self.stream())

    def rest(self):
        stream = self.stream()
        if len(stream.nodes) >= ENOUGH:
            self.flush_stream(stream)

    def flush_stream(self, stream, count=0):
        """Run what a thread has recorded, or the first `count` ops of it.

        Errors wait for the next read.
        """
        with stream.lock:
            if stream.unfinished is not None:
                run = stream.unfinished
                self._go(stream, run)
            if not stream.nodes:
                return
            nodes, key, values, inputs = stream.take(count)
            if REFERENCES is None:
                live = bytes([1] * len(values))
            else:
                live = bytes([REFERENCES(v) > UNSEEN for v in values])
            key.append(live)
            key = tuple(key)
            plan = None if LISTENERS else self.plans.get(key)
            try:
                if plan is None:
                    plan = self._plan(key, nodes, live, inputs)
                run = plan.begin(nodes, values, inputs)
            except Exception as error:
                self.trouble = self.trouble or error
                for v in values:
                    v.stream = None
                    v.error = error
                return
            self._go(stream, run)

    def _plan(self, key, nodes, live, inputs):
        if len(self.plans) >= PLANS:
            self.plans.clear()
        plan = make_plan(self, nodes, live, [v.base.layout for v in inputs], LISTENERS)
        self.plans[key] = plan
        return plan

    def _go(self, stream, run):
        """Run to the end, or leave what Ctrl-C interrupts to the next flush."""
        stream.unfinished = run
        if self.inner.queues:
            with self.inner.lock, Uninterrupted():
                error = run.finish(self.inner)
        else:
            error = run.finish(self.inner)
        stream.unfinished = None
        self.trouble = self.trouble or error

    def settled(self, h):
        """The inner backend's handle of a handle; raises what went wrong with it."""
        value = h.value
        if value.stream is not None:
            self.flush_stream(value.stream)
        if value.error is not None:
            self.trouble = None
            raise value.error
        if value.base is None:
            value.base = number_in_memory(self.inner, value.number, value.dtype)
        if WATCH.on and value.number is not None:
            number_read(value)
        base = value.base
        layout = h.layout
        if base.layout.offset:
            layout = self._shifted(layout, base.layout.offset)
        return Handle(base.buffer, layout, h.dtype)

    def adopt(self, base):
        """A handle around one of the inner backend's, which is all of a buffer."""
        value = Value(None, 0, base.shape, base.dtype)
        value.base = base
        return FusedHandle(value, self.intern(base.layout), base.dtype)

    def view_at(self, h, layout):
        """The memory of a handle, seen through a layout."""
        return FusedHandle(h.value, self.intern(layout), h.dtype)

    # Memory.

    def upload(self, values, shape, dtype):
        base = self.inner.upload(values, shape, dtype)
        value = Value(None, 0, shape, dtype)
        value.base = base
        return FusedHandle(value, self.intern(base.layout), dtype)

    def read(self, handles):
        return self.inner.read(self._ready(handles))

    async def read_async(self, handles):
        return await self.inner.read_async(self._ready(handles))

    def _ready(self, handles):
        ready = [self.settled(h) for h in handles]
        self._complain()
        return ready

    def _complain(self):
        error, self.trouble = self.trouble, None
        if error is not None:
            raise error

    def sync(self):
        self.flush()
        self.inner.sync()
        self._complain()
