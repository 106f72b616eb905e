"""A backend that runs printed CUDA kernels on the CPU: g++ and cuda_host.h.

It takes what an NVIDIA GPU would be given, so the printer is checked by a compiler and
by values. Kernels are compiled many at a time: `collect` a run first, then `build`.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fogo.backend.python import Python
from fogo.kernel.cuda import print_cuda
from fogo.kernel.cuda_expr import kind
from fogo.native.cuda_backend import Cuda, First, capabilities

HERE = Path(__file__).parent
GRANULE = 64
PART = 300  # kernels in a library
CTYPES = {
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "bool": ctypes.c_bool,
    "int": ctypes.c_int32,
    "unsigned": ctypes.c_uint32,
    "long long": ctypes.c_int64,
    "unsigned long long": ctypes.c_uint64,
}
GPU = {"MaxThreadsPerBlock": 1024, "MaxGridDimX": (1 << 31) - 1}
ENTRY = """
namespace n%(n)d {
%(text)s
static void* const* held;
static void entry() { main_kernel%(n)d(%(given)s); }
extern "C" void run%(n)d(unsigned blocks, unsigned threads, void* const* args) {
  held = args;
  blockDim.x = threads;
  threadIdx.x = 0;
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) %(block)s
}
}
"""


def compiler() -> str | None:
    """The C++ compiler, or None."""
    return shutil.which("g++")


class CudaHost(Python):
    """Cuda's kernels and choices, on arrays of the host."""

    name = "cuda"
    serial = False
    wides = True
    special: dict = {}
    run = Cuda.run
    compose = Cuda.compose
    lacks = Cuda.lacks

    def __init__(self, folder: Path) -> None:
        Python.__init__(self)
        # Its own: a library that is overwritten while loaded takes Python with it.
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.fast = First(self, capabilities(GPU))
        self.numbers: dict[Any, int] = {}
        self.functions: dict[Any, Any] = {}
        self.pending: list[Any] = []
        self.collecting = False

    def allocate(self, count: int, dtype: Any) -> Any:
        whole = -(-max(count * dtype.itemsize, 1) // GRANULE) * GRANULE
        return array(dtype.code, b"\x5a" * whole)

    def upload(self, values: Any, shape: Any, dtype: Any) -> Any:
        handle = Python.upload(self, values, shape, dtype)
        granule = GRANULE // dtype.itemsize
        rest = -len(handle.buffer) % granule or granule
        handle.buffer.frombytes(bytes(rest * dtype.itemsize))
        return handle

    def copy(self, source: Any, offset: int, target: Any, to: int, nwords: int) -> None:
        origin, goal = source.buffer_info()[0], target.buffer_info()[0]
        ctypes.memmove(goal + to * 4, origin + offset * 4, nwords * 4)

    def launch(self, plan: Any, inputs: Any, outputs: Any, attrs: Any) -> None:
        kernel = plan.kernel
        if kernel not in self.functions:
            self._add(kernel)
            if self.collecting:
                return
            self.build()
        function = self.functions[kernel]
        if self.collecting or function is None:
            return
        held = list(inputs) + list(outputs)
        pointers = []
        for i in kernel.bindings():
            address, _ = held[i].buffer.buffer_info()
            pointers.append(ctypes.c_void_p(address))
        for (_, dtype), value in zip(kernel.params, plan.arguments(attrs)):
            pointers.append(CTYPES[kind(dtype)](value))
        args = (ctypes.c_void_p * len(pointers))(
            *[ctypes.addressof(p) for p in pointers]
        )
        function(plan.points, kernel.threads or 1, args)

    def _add(self, kernel: Any) -> None:
        self.functions[kernel] = None
        self.pending.append(kernel)
        self.numbers[kernel] = len(self.numbers)

    def source(self, kernel: Any) -> str:
        """A kernel in a namespace of its own, with an entry that unpacks arguments."""
        n = self.numbers[kernel]
        text = print_cuda(kernel).text.replace("main_kernel", "main_kernel%d" % n)
        head = text[text.index("main_kernel%d(" % n) :]
        declared = head[head.index("(") + 1 : head.index(") {")]
        types = [d.rsplit(" ", 1)[0] for d in declared.split(", ") if d]
        given = ", ".join(f"*({t}*)held[{i}]" for i, t in enumerate(types))
        block = "run_block(threads, entry);" if kernel.threads else "entry();"
        return ENTRY % {"n": n, "text": text, "given": given, "block": block}

    def build(self) -> None:
        """Compile what is pending, a few hundred kernels to a library."""
        pending, self.pending = self.pending, []
        parts = [pending[i : i + PART] for i in range(0, len(pending), PART)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            libraries = list(pool.map(self._library, parts))
        for part, library in zip(parts, libraries):
            for kernel in part:
                self.functions[kernel] = getattr(library, f"run{self.numbers[kernel]}")

    def _library(self, kernels: list[Any]) -> Any:
        name = self.folder / f"kernels{self.numbers[kernels[0]]}"
        text = "".join(map(self.source, kernels))
        name.with_suffix(".cpp").write_text('#include "cuda_host.h"\n' + text)
        command = [
            "g++", "-std=c++17", "-O1", "-fwrapv", "-w", "-shared", "-fPIC",
            "-ffp-contract=off", "-I", HERE, name.with_suffix(".cpp"),
            "-o", name.with_suffix(".so"),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        return ctypes.CDLL(str(name.with_suffix(".so")))
