"""The plain-Python backend: standard library only; each op is one generated loop."""

from __future__ import annotations

from array import array

from ..kernel.python import compile_kernel
from ..shapes import Layout, size
from ..storage import unpack
from .base import Handle, RawBackend


def _argsort(backend, inputs, attrs, outs):
    """Python's own sort, line by line: quicker than the kernels that merge runs."""
    x = backend.contiguous(inputs[0])
    axis, descending, dtype = attrs
    n, step = x.shape[axis], size(x.shape[axis + 1 :])
    values = unpack(memoryview(x.buffer)[: size(x.shape)], x.dtype)
    out = backend.allocate(len(values), dtype)
    for block in range(0, len(values), max(n * step, 1)):
        for first in range(block, block + step):
            line = values[first : first + n * step : step]
            for rank, place in enumerate(_order(line, descending)):
                out[first + rank * step] = place
    return (Handle(out, Layout(x.shape), dtype),)


def _order(line, descending):
    """Stable also where `sorted` is not (MicroPython); a nan is the largest."""
    sign = -1 if descending else 1
    keys = [(v != v, v if v == v else 0, i * sign) for i, v in enumerate(line)]
    return sorted(range(len(line)), key=lambda i: keys[i], reverse=descending)


class Python(RawBackend):
    """Runs everywhere Python does: CPython, Pyodide, MicroPython.

    Buffers are `array.array`s (float16 as its bits, bool as bytes); arithmetic is in
    Python floats, rounded to the dtype when an op stores its result.

    Example:
        >>> import fogo
        >>> fogo.ones(2, device="python").tolist()
        [1.0, 1.0]
    """

    name = "python"
    serial = True
    special = {"argsort": _argsort}

    def allocate(self, count, dtype):
        return array(dtype.code, bytes(count * dtype.itemsize))

    def launch(self, plan, inputs, outputs, attrs):
        if plan.compiled is None:
            kernel = plan.kernel
            if getattr(kernel, "compiled", None) is None:
                kernel.compiled = compile_kernel(kernel)
            plan.compiled = kernel.compiled
        args = [h.buffer for h in inputs] + [h.buffer for h in outputs]
        plan.compiled(*(args + list(plan.arguments(attrs))))

    def upload(self, values, shape, dtype):
        self.uploads += 1
        buffer = array(dtype.code)
        buffer.extend(values)
        return Handle(buffer, Layout(shape), dtype)

    def read(self, handles):
        self.reads += 1
        out = []
        for h in handles:
            h = self.contiguous(h)
            n = size(h.shape)
            out.append(memoryview(h.buffer)[:n])
        return out


def create(index=0):
    """Return the backend (there is one plain Python)."""
    return Python()


def probe():
    """It is always there."""
    import sys

    return [("cpu", "plain Python (%s)" % sys.implementation.name)]
