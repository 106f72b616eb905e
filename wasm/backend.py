"""The WebAssembly backend: kernels assembled by Python, run by a Host on one memory."""

from __future__ import annotations

from array import array

from fogo.backend.base import Handle, RawBackend
from fogo.backend.threads import Lock
from fogo.shapes import Layout, size

from .pool import Pool
from .printer import print_kernel


class Program:
    """A compiled kernel: `run(addresses…, parameters…)`.

    `wide` are the places of 64-bit integer parameters, which travel as two halves;
    `words` those of all other integers given at run time.
    """

    __slots__ = ("run", "wide", "words")

    def __init__(self, run, params):
        self.run = run
        self.wide = []
        self.words = []
        for i, (_, dtype) in enumerate(params):
            if not dtype.is_float:
                (self.wide if dtype.bits == 64 else self.words).append(i)

    def numbers(self, values):
        """Parameter values as `run` takes them: i32 in range, 64 bits in halves."""
        values = list(values)
        for i in self.words:
            values[i] = _word(int(values[i]))
        for i in reversed(self.wide):
            whole = int(values[i])
            values[i : i + 1] = [_word(whole), _word(whole >> 32)]
        return values


def _word(value):
    """The lower 32 bits as a signed number."""
    return (value + 0x80000000 & 0xFFFFFFFF) - 0x80000000


class Wasm(RawBackend):
    """Prints each kernel as a WebAssembly module and runs it on the host's memory.

    Example:
        >>> import fogo
        >>> fogo.arange(3, device="wasm").tolist()
        [0, 1, 2]
    """

    name = "wasm"
    serial = True

    def __init__(self, host):
        RawBackend.__init__(self)
        self.host = host
        self.pool = Pool(host)
        self.lock = Lock()  # one memory, one store: one thread at a time
        self._modules = {}

    def describe(self):
        return "WebAssembly in " + self.host.text

    def execute(self, op, inputs, attrs, outs):
        with self.lock:
            return RawBackend.execute(self, op, inputs, attrs, outs)

    def allocate(self, count, dtype):
        return self.pool.take(count * dtype.itemsize)

    def launch(self, plan, inputs, outputs, attrs):
        if not plan.points:
            return
        if plan.compiled is None:
            plan.compiled = self._compiled(plan)
        program, values = plan.compiled
        if plan.runtime:
            values = program.numbers(plan.arguments(attrs))
        args = [h.buffer.address for h in inputs]
        args += [h.buffer.address for h in outputs]
        program.run(*(args + values))

    def _compiled(self, plan):
        """(Program, its parameter values): modules are shared by equal kernels."""
        kernel = plan.kernel
        program = getattr(kernel, "for_wasm", None)
        if program is None:
            module, kinds = print_kernel(kernel)
            run = self._modules.get(module)
            if run is None:
                run = self.host.compile(module, kinds)
                self._modules[module] = run
            program = Program(run, kernel.params)
            kernel.for_wasm = program
        return program, program.numbers(plan.values) if not plan.runtime else None

    def upload(self, values, shape, dtype):
        count = size(shape)
        with self.lock:
            self.uploads += 1
            buffer = self.allocate(count, dtype)
            if count:
                self.host.write(buffer.address, values)
        return Handle(buffer, Layout(shape), dtype)

    def read(self, handles):
        out = []
        with self.lock:
            self.reads += 1
            for h in handles:
                dense = self.contiguous(h)
                nbytes = size(h.shape) * h.dtype.itemsize
                data = self.host.read(dense.buffer.address, nbytes)
                out.append(memoryview(array(h.dtype.code, data)))
        return out
