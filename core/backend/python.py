"""The plain-Python backend: standard library only; each op is one generated loop."""

from __future__ import annotations

from array import array

from ..kernel.python import compile_kernel
from ..shapes import size
from .base import RawBackend


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
        from ..shapes import Layout
        from .base import Handle

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
