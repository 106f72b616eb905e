"""As much of CuPy as fogo uses, on the host: g++ and cuda_host.h stand in for NVRTC.

Put it into `sys.modules["cupy"]`, and the CUDA backend runs without a GPU.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

HERE = Path(__file__).parent
uint8 = np.uint8
ENTRY = """
static void* const* held;
static void entry() { main_kernel(%(given)s); }
extern "C" void run(unsigned blocks, unsigned threads, void* const* args) {
  held = args;
  blockDim.x = threads;
  threadIdx.x = 0;
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) run_block(threads, entry);
}
"""


class RawModule:
    """A text, compiled."""

    def __init__(self, code: str, options: Any = ()) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.library = _compiled(code, Path(folder))

    def get_function(self, name: str) -> Any:
        return self._call

    def _call(self, grid: Any, block: Any, args: Any) -> None:
        """Launch: arrays go as addresses, NumPy's scalars as they are."""
        kept = []
        for a in args:
            if isinstance(a, np.ndarray):
                a = np.uint64(a.ctypes.data)
            kept.append(np.array(a))
        pointers = (ctypes.c_void_p * len(kept))(*[k.ctypes.data for k in kept])
        self.library.run(grid[0], block[0], pointers)


def _compiled(code: str, folder: Path) -> Any:
    """The library of a text; its file may go once it is loaded."""
    head = re.search(r"main_kernel\((.*)\) \{", code)
    assert head is not None
    types = [d.rsplit(" ", 1)[0] for d in head.group(1).split(", ") if d]
    given = ", ".join(f"*({t}*)held[{i}]" for i, t in enumerate(types))
    source = folder / "kernel.cpp"
    text = '#include "cuda_host.h"\n' + code + ENTRY % {"given": given}
    source.write_text(text)
    library = source.with_suffix(".so")
    command = ["g++", "-std=c++17", "-O1", "-fwrapv", "-w", "-shared", "-fPIC"]
    command += ["-ffp-contract=off", "-I", str(HERE), str(source), "-o"]
    done = subprocess.run(
        [*command, str(library)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CompileException(done.stderr[:2000])
    return ctypes.CDLL(str(library))


class CompileException(Exception):
    """What a compiler complains about."""


class Device:
    """The one GPU."""

    attributes = {"MaxThreadsPerBlock": 1024, "MaxGridDimX": (1 << 31) - 1}

    def __init__(self, index: int = 0) -> None:
        self.index = index

    def use(self) -> None:
        pass


def empty(count: int, dtype: Any) -> Any:
    return np.full(count, 0x5A, dtype)


def asarray(a: Any) -> Any:
    return np.array(a)


def asnumpy(a: Any) -> Any:
    return np.array(a)


def _nothing() -> None:
    pass


cuda = SimpleNamespace(
    Device=Device,
    runtime=SimpleNamespace(
        getDeviceCount=lambda: 1,
        getDeviceProperties=lambda index: {"name": b"a CPU"},
        deviceSynchronize=_nothing,
        CUDARuntimeError=RuntimeError,
    ),
    get_current_stream=lambda: SimpleNamespace(synchronize=_nothing),
)
