"""The CUDA backend: kernels printed as CUDA C++, compiled by NVRTC, run by CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogo.backend.base import Handle, RawBackend
from fogo.errors import DeviceError
from fogo.fast import Caps, Chooser
from fogo.shapes import Layout, size

from .cuda_rtc import Program, cupy
from .cuda_source import run_source

GRANULE = 64  # bytes: buffers are whole ones, as kernels may touch the rest
MATRICES = (("float16", "float32", 16, 16, 16),)
FEATURES = ("subgroups", "matrix", "shader-f16", "float64", "int64")


class First(Chooser):
    """Takes the first candidate: nothing is measured on CUDA yet."""

    def find(self, module, op, inputs, attrs, outs):
        offered = module.candidates(op, inputs, attrs, outs, self.caps)
        return offered[0] if offered else None


class Cuda(RawBackend):
    """Runs every kernel of fogo on an NVIDIA GPU.

    Buffers are CuPy arrays of bytes; work goes to CuPy's current stream, in order.
    `programs` holds each compiled kernel. Needs the extra `fogo[cuda]`.

    Example:
        >>> from fogo.native.cuda_backend import Cuda
        >>> Cuda.name
        'cuda'
    """

    name = "cuda"
    wides = True

    def __init__(self, index: int = 0) -> None:
        RawBackend.__init__(self)
        self.cupy = cupy()
        self.index = index
        self.cupy.cuda.Device(index).use()
        self.programs: dict[Any, Program] = {}
        self.fast = First(self, capabilities(self._attributes()))

    def _attributes(self) -> dict[str, int]:
        return dict(self.cupy.cuda.Device(self.index).attributes)

    def describe(self) -> str:
        found = self.cupy.cuda.runtime.getDeviceProperties(self.index)
        return "CUDA: " + found["name"].decode()

    # Kernels.

    def lacks(self, kernel, op):
        return False

    def run(self, op, inputs, attrs, outs):
        found = self.fast.choose(op, inputs, attrs, outs)
        if found is not None:
            if found.run is not None:
                return found.run(self, inputs, outs)
            op, attrs = found.op, found.attrs
        return RawBackend.run(self, op, inputs, attrs, outs)

    def compose(self, op, inputs, attrs, outs):
        found = self.fast.choose(op, inputs, attrs, outs)
        if found is None:
            return RawBackend.compose(self, op, inputs, attrs, outs)
        if found.run is not None:
            return found.run(self, inputs, outs)
        return RawBackend.run(self, found.op, inputs, found.attrs, outs)

    def run_source(self, op, inputs, attrs, outs):
        return run_source(self, op, inputs, attrs, outs)

    def launch(self, plan, inputs, outputs, attrs):
        if plan.compiled is None:
            plan.compiled = self.program(plan.kernel)
        held = list(inputs) + list(outputs)
        buffers = [held[i].buffer for i in plan.kernel.bindings()]
        plan.compiled.launch(plan.points, buffers, plan.arguments(attrs))

    def program(self, kernel: Any) -> Program:
        """The compiled form of a kernel."""
        found = self.programs.get(kernel)
        if found is None:
            found = self.programs[kernel] = Program(kernel)
        return found

    # Memory.

    def allocate(self, count, dtype):
        return self._bytes(count * dtype.itemsize)

    def _bytes(self, count: int) -> Any:
        whole = (count + GRANULE - 1) // GRANULE * GRANULE
        return self.cupy.empty(max(whole, GRANULE), self.cupy.uint8)

    def copy(self, source, offset, target, to, nwords):
        """Copy 4-byte words between buffers."""
        part = source[offset * 4 : (offset + nwords) * 4]
        target[to * 4 : (to + nwords) * 4] = part

    def upload(self, values, shape, dtype):
        self.uploads += 1
        count = size(shape) * dtype.itemsize
        buffer = self._bytes(count)
        if count:
            blob = np.frombuffer(values, np.uint8)[:count]
            buffer[:count] = self.cupy.asarray(blob)
        return Handle(buffer, Layout(shape), dtype)

    def read(self, handles):
        self.reads += 1
        out = []
        for h in handles:
            h = self.contiguous(h)
            count = size(h.shape) * h.dtype.itemsize
            blob = self.cupy.asnumpy(h.buffer[:count])
            out.append(memoryview(blob).cast(h.dtype.code))
        return out

    def sync(self):
        self.cupy.cuda.get_current_stream().synchronize()


def capabilities(attributes: dict[str, int]) -> Caps:
    """What kernels may be chosen for a GPU with these CUDA attributes."""
    limits = {
        "maxComputeWorkgroupStorageSize": 48 << 10,
        "maxComputeInvocationsPerWorkgroup": attributes["MaxThreadsPerBlock"],
        "maxStorageBuffersPerShaderStage": 256,
        "maxComputeWorkgroupsPerDimension": attributes["MaxGridDimX"],
    }
    return Caps(set(FEATURES), limits, False, MATRICES)


def create(index: int = 0) -> Cuda:
    """Return the backend of a GPU; raises DeviceError where there is none."""
    if index >= len(probe()):
        raise DeviceError(
            "cuda: no such GPU; given index %d; there are %d" % (index, len(probe()))
        )
    return Cuda(index)


def probe() -> list[tuple[str, str]]:
    """List the GPUs; raises DeviceError where CuPy or its driver is missing."""
    runtime = cupy().cuda.runtime
    try:
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        raise DeviceError("cuda: no GPU; the driver says: %s" % error)
    names = [runtime.getDeviceProperties(i)["name"].decode() for i in range(count)]
    return [("gpu", "CUDA: " + name) for name in names]
