"""The NumPy backend: the fast CPU backend where NumPy is."""

from __future__ import annotations

import numpy as np

from fogo.backend.base import Handle, RawBackend
from fogo.dtypes import ALL, stored
from fogo.kernel.python import compile_kernel as compile_points
from fogo.shapes import Layout

from . import numpy_printer
from .numpy_memory import Pool
from .numpy_special import SPECIAL

_REDUCE = {
    "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum,
    "and": np.logical_and, "or": np.logical_or,
}  # fmt: skip
STRIP = 1 << 15  # elements
_STORAGE = {
    "bool": np.uint8, "float16": np.uint16, "complex64": np.float32,
    "complex128": np.float64,
}  # fmt: skip


class Numpy(RawBackend):
    """Runs formulas as NumPy expressions, kernels over all points at once.

    A handle's buffer is a flat ndarray; `view` shows it through its layout.

    Example:
        >>> import fogo
        >>> fogo.arange(3, device="numpy").tolist()
        [0, 1, 2]
    """

    name = "numpy"
    holds = ALL
    special = SPECIAL

    def __init__(self):
        RawBackend.__init__(self)
        self._formulas = {}
        self.pool = Pool()

    def describe(self):
        return "NumPy " + np.__version__

    def allocate(self, count, dtype):
        return self.pool.take(count, dtype.held)

    def view(self, handle):
        """The handle's elements as an ndarray (strided, not a copy)."""
        layout = handle.layout
        flat = handle.buffer
        if layout.contiguous:
            return flat[: _size(layout.shape)].reshape(layout.shape)
        if 0 in layout.shape:  # NumPy refuses strides on an empty buffer
            return np.empty(layout.shape, flat.dtype)
        step = flat.itemsize
        return np.ndarray(
            layout.shape, flat.dtype, flat, layout.offset * step,
            tuple([s * step for s in layout.strides]),
        )  # fmt: skip

    def handle(self, array, dtype):
        """A handle of a new array."""
        layout = Layout(np.shape(array))  # ascontiguousarray makes 0-d arrays 1-d
        flat = np.ascontiguousarray(array, dtype.held).reshape(-1)
        return Handle(flat, layout, dtype)

    def run(self, op, inputs, attrs, outs):
        if op.formula is not None:
            return (self._elementwise(op, inputs, outs[0]),)
        if op.combine is not None:
            return (self._reduce(op, inputs[0], attrs, outs[0]),)
        return RawBackend.run(self, op, inputs, attrs, outs)

    def _elementwise(self, op, inputs, out):
        key = (op,) + tuple([h.dtype for h in inputs])
        formula = self._formulas.get(key)
        if formula is None:
            kinds = [stored(h.dtype) for h in inputs]
            formula = numpy_printer.compile_formula(op, kinds)
            self._formulas[key] = formula
        count = _size(out.shape)
        if count >= 2 * STRIP:
            flat = [self._flat(h) for h in inputs]
            if flat and not [a for a in flat if a is None]:
                return self._by_strips(formula, flat, count, out)
        arrays = [self.view(h) for h in inputs]
        with np.errstate(all="ignore"):
            result = formula(*arrays)
        result = np.ascontiguousarray(result, out.dtype.held)
        if result.size != _size(out.shape):  # a formula of constants alone
            result = np.broadcast_to(result, out.shape).copy()
        return Handle(result.reshape(-1), Layout(out.shape), out.dtype)

    def _flat(self, h):
        """The elements in a row, or the one element there is; else None."""
        if h.layout.contiguous:
            return h.buffer[: _size(h.shape)]
        if not [n for n, s in zip(h.shape, h.layout.strides) if s and n > 1]:
            return h.buffer[h.layout.offset]
        return None

    def _by_strips(self, formula, flat, count, out):
        """Strip by strip: what the formula makes in between stays in the cache."""
        buffer = self.allocate(count, out.dtype)
        with np.errstate(all="ignore"):
            for at in range(0, count, STRIP):
                to = min(at + STRIP, count)
                strip = [a[at:to] if a.ndim else a for a in flat]
                buffer[at:to] = formula(*strip)
        return Handle(buffer, Layout(out.shape), out.dtype)

    def _reduce(self, op, x, attrs, out):
        name, neutral = op.combine
        array = self.view(x)
        wide = np.float32 if x.dtype.name == "float16" else array.dtype
        with np.errstate(all="ignore"):
            result = _REDUCE[name].reduce(
                array, axis=attrs[0], dtype=wide, initial=neutral(x.dtype)
            )
        return self.handle(np.reshape(result, out.shape), out.dtype)

    def launch(self, plan, inputs, outputs, attrs):
        if plan.compiled is None:
            kernel = plan.kernel
            if getattr(kernel, "for_numpy", None) is None:
                kernel.for_numpy = _compile(kernel)
            plan.compiled = kernel.for_numpy
        buffers = [h.buffer for h in inputs] + [h.buffer for h in outputs]
        with np.errstate(all="ignore"):
            plan.compiled(*(buffers + list(plan.arguments(attrs))))

    def upload(self, values, shape, dtype):
        self.uploads += 1
        storage = _STORAGE.get(dtype.name, dtype.held)
        flat = np.array(np.frombuffer(values, storage) if _size(shape) else [], storage)
        return Handle(flat.view(dtype.held), Layout(shape), dtype)

    def read(self, handles):
        self.reads += 1
        out = []
        for h in handles:
            flat = np.ascontiguousarray(self.view(h)).reshape(-1)
            storage = _STORAGE.get(h.dtype.name)
            out.append(memoryview(flat.view(storage) if storage else flat))
        return out


def _compile(kernel):
    """All points at once, else (loops of unequal length) point by point."""
    whole = numpy_printer.compile_kernel(kernel)
    return whole if whole is not None else _by_points(kernel)


def _by_points(kernel):
    run = compile_points(kernel)
    places = range(len(kernel.arrays))

    def launch(*args):
        views = []
        for i in places:
            storage = _STORAGE.get(kernel.arrays[i].dtype.name)
            views.append(memoryview(args[i].view(storage) if storage else args[i]))
        run(*(views + list(args[len(views) :])))

    return launch


def _size(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def create(index=0):
    """Return the backend (there is one NumPy)."""
    return Numpy()


def probe():
    """Say which NumPy it is."""
    return [("cpu", "NumPy " + np.__version__)]
