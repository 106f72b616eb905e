"""`Backend`: one verb, `execute`, and a few for memory. Decorators are backends too."""

from __future__ import annotations

from ..dtypes import REAL, bfloat16, int32, int64
from ..errors import DTypeError
from ..kernel.lower import Planner
from ..shapes import Layout


class Backend:
    """What runs ops. A handle is any object with `shape` and `dtype`; it is a value.

    name          what the device is called
    holds         dtypes it can hold
    default_int   the dtype of indices and of Python ints
    uploads/reads how often data crossed to or from the host (tests assert on them)
    """

    name = "none"
    holds: tuple = REAL
    default_int = int64
    inner = None  # the backend below, for decorators
    queues = False  # whether work is only written down, and an interrupt can wait

    def __init__(self):
        self.uploads = 0
        self.reads = 0

    def execute(self, op, inputs, attrs, outs):
        """Run `op` on handles; `outs` are the Avals of its results. Returns a tuple."""
        raise NotImplementedError

    def supports(self, op, attrs, avals):
        """Say whether `op` runs here without expanding into its decomposition."""
        raise NotImplementedError

    def upload(self, values, shape, dtype):
        """Make a handle from host data: a flat buffer of the dtype's typecode."""
        raise NotImplementedError

    def read(self, handles):
        """Return host buffers (flat, row-major, bytes-like) of handles; one sync."""
        raise NotImplementedError

    async def read_async(self, handles):
        """`read` for platforms where a thread cannot wait."""
        return self.read(handles)

    def sync(self):
        """Wait until everything asked for has been done."""

    def rest(self):
        """Told where a program repeats itself: a good moment to run what is pending."""

    def describe(self):
        """What this really is, for people."""
        return self.name

    def check_dtype(self, dtype):
        """Raise DTypeError when this backend cannot hold `dtype`, naming one it can."""
        if dtype not in self.holds and dtype is not bfloat16:
            raise DTypeError(
                "%s: this device does not hold %s; use %s instead"
                % (self.name, dtype.name, self._instead(dtype))
            )

    def _instead(self, dtype):
        if self.inner is not None:
            return self.inner._instead(dtype)
        if dtype.is_complex:
            return "a tensor on fogo.device('numpy')"
        best = None
        for d in self.holds:
            if d.kind == dtype.kind and (best is None or d.bits > best.bits):
                best = d
        return (best or int32).name


def expand(device, op, inputs, attrs):
    """Run an op as its decomposition, by way of tensors on `device`."""
    from ..dispatch import wrap

    result = op.decompose(*([wrap(h, device) for h in inputs] + list(attrs)))
    if not isinstance(result, tuple):
        result = (result,)
    return tuple([t._handle for t in result])


class Handle:
    """A raw buffer seen through a Layout."""

    __slots__ = ("buffer", "layout", "shape", "dtype", "cache")

    def __init__(self, buffer, layout, dtype):
        self.buffer = buffer
        self.layout = layout
        self.shape = layout.shape
        self.dtype = dtype
        self.cache = None


class RawBackend(Backend):
    """A backend that stores flat buffers: views are Layouts, the rest are kernels.

    A subclass gives `allocate(count, dtype)`, `launch(plan, inputs, outputs, attrs)`
    and, where that pays, `special`: op name -> function(backend, inputs, attrs, outs)
    returning a tuple of handles (or None to decline).
    """

    special: dict = {}
    serial = False  # whether few threads run here: see `Op.serial`
    wides = False  # whether several elements can be loaded or stored at once

    def __init__(self):
        Backend.__init__(self)
        self.planner = Planner(self.serial, self.wides)
        self.device = None  # set by device.py

    def execute(self, op, inputs, attrs, outs):
        if op.view is not None:
            return (self._view(op, inputs[0], attrs, outs[0]),)
        own = self.special.get(op.name)
        if own is not None:
            result = own(self, inputs, attrs, outs)
            if result is not None:
                return result
        if op.kernel is None and op.formula is None and op.combine is None:
            return self.compose(op, inputs, attrs, outs)
        return self.run(op, inputs, attrs, outs)

    def compose(self, op, inputs, attrs, outs):
        """Run an op that has only a decomposition, or source code."""
        if op.source is not None:
            return self.run_source(op, inputs, attrs, outs)
        return expand(self.own_device(), op, inputs, attrs)

    def own_device(self):
        """The device of this backend; one of its own, where a decorator hides it."""
        if self.device is None:
            from ..device import Device

            Device(self.name, self)
        return self.device

    def run_source(self, op, inputs, attrs, outs):
        """Run an op that is source code: here, by what it falls back on."""
        if op.decompose is None:
            raise op.source.missing(self)
        return expand(self.own_device(), op, inputs, attrs)

    def run(self, op, inputs, attrs, outs):
        """Lower the op to a kernel and launch it into new buffers."""
        plan = self.planner.plan(op, attrs, inputs, outs)
        if plan.kernel.threads and self.lacks(plan.kernel, op):
            return self._without_groups(op, inputs, attrs, outs)
        held = list(inputs)
        for o in outs:
            root = op.shares.get(len(held)) if op.shares else None
            if root is None:
                buffer = self.allocate(_count(o.shape), o.dtype)
            else:
                buffer = held[root].buffer
            held.append(Handle(buffer, Layout(o.shape), o.dtype))
        outputs = tuple(held[len(inputs) :])
        if plan.points:
            self.launch(plan, inputs, outputs, attrs)
        return outputs

    def lacks(self, kernel, op):
        """Say whether a kernel of workgroups must be run in another way here."""
        return True

    def _without_groups(self, op, inputs, attrs, outs):
        """Run a kernel of workgroups: by its portable way, or in the interpreter."""
        if op.decompose is not None:
            return expand(self.own_device(), op, inputs, attrs)
        from ..kernel.check_backend import interpret

        return interpret(self, op, inputs, attrs, outs)

    def supports(self, op, attrs, avals):
        for a in avals:
            if a.dtype not in self.holds:
                return False
        return not op.composite or op.name in self.special

    def _view(self, op, x, attrs, out):
        layout = op.view(x.layout, attrs)
        if layout is None:
            layout = op.view(self.contiguous(x).layout, attrs)
            x = self.contiguous(x)
        return Handle(x.buffer, layout, x.dtype)

    # For `fogo.compile`; a decorator that defers work has handles of its own.

    def settled(self, x):
        """The handle of a raw buffer behind a handle of this device."""
        return x

    def adopt(self, x):
        """A handle of this device around one of a raw buffer."""
        return x

    def view_at(self, x, layout):
        """The memory of a handle, seen through a layout."""
        return Handle(x.buffer, layout, x.dtype)

    def contiguous(self, x):
        """Return a handle whose elements lie row-major from offset 0."""
        if x.layout.contiguous:
            return x
        if x.cache is None:
            from ..ops.elementwise import COPY

            x.cache = self.run(COPY, (x,), (), (x,))[0]
        return x.cache

    def allocate(self, count, dtype):
        raise NotImplementedError

    def launch(self, plan, inputs, outputs, attrs):
        raise NotImplementedError


def _count(shape):
    n = 1
    for d in shape:
        n *= d
    return n
