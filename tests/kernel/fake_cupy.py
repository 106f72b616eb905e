"""As much of CuPy as fogo uses, on the host: g++ and cuda_host.h stand in for NVRTC.

Put it into `sys.modules["cupy"]`, and the CUDA backends run without a GPU. Streams do
things at once; a capture keeps what it is given, for the graph to do. `TOTAL[0]` bytes
are what the pool of a player has.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

HERE = Path(__file__).parent
uint8 = np.uint8
int64 = np.int64
POISON = 0x5A
TOTAL = [1 << 40]
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
        self.code = code
        if "main_kernel" not in code:  # what only waits
            return
        self.types = _types(code)
        with tempfile.TemporaryDirectory() as folder:
            self.library = _compiled(code, Path(folder))

    def get_function(self, name: str) -> Any:
        return Function(self)


FUNCTIONS: list[Any] = [None]  # by their number, which is their "address"


class Function:
    """A kernel: to be called, or to be launched by its number."""

    def __init__(self, module: RawModule) -> None:
        self.module = module
        FUNCTIONS.append(module)
        self.kernel = SimpleNamespace(ptr=len(FUNCTIONS) - 1)

    def __call__(self, grid: Any, block: Any, args: Any) -> None:
        """Launch: arrays go as addresses, NumPy's scalars as they are."""
        if "main_kernel" not in self.module.code:
            return
        kept = []
        for a in args:
            if isinstance(a, np.ndarray):
                a = np.uint64(a.ctypes.data)
            kept.append(np.array(a))
        pointers = (ctypes.c_void_p * len(kept))(*[k.ctypes.data for k in kept])
        self.module.library.run(grid[0], block[0], pointers)


def launch_kernel(
    function: int, x: int, y: int, z: int, threads: int, down: int, deep: int,
    shared: int, stream: int, places: int, extra: int,
) -> None:  # fmt: skip
    """The driver's launch: it copies the arguments, then is done with them."""
    module = FUNCTIONS[function]
    assert (y, z, down, deep, shared, extra) == (1, 1, 1, 1, 0, 0)
    assert 0 < x < 1 << 31 and 0 < threads <= 1024
    count = len(module.types)
    pointers = (ctypes.c_void_p * max(count, 1)).from_address(places)
    kept = []
    for i, kind in enumerate(module.types):
        size = 8 if "*" in kind else 1 if kind == "bool" else 4
        kept.append(ctypes.create_string_buffer(ctypes.string_at(pointers[i], size)))

    def work() -> None:
        held = (ctypes.c_void_p * max(count, 1))(*[ctypes.addressof(k) for k in kept])
        module.library.run(x, threads, held)

    STREAMS[stream].do(work)


def memcpy_async(target: int, source: int, size: int, kind: int, stream: int) -> None:
    assert kind in (1, 2, 3)
    STREAMS[stream].do(lambda: ctypes.memmove(target, source, size))


STREAMS: dict[int, Any] = {}


class Stream:
    """Does everything at once, or keeps it for a graph."""

    def __init__(self, non_blocking: bool = False) -> None:
        self.ptr = len(STREAMS) + 1
        self.kept: list[Any] | None = None
        STREAMS[self.ptr] = self

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def do(self, work: Any) -> None:
        work() if self.kept is None else self.kept.append(work)

    def record(self) -> Event:
        return Event()

    def begin_capture(self) -> None:
        assert self.kept is None
        self.kept = []

    def end_capture(self) -> Graph:
        kept, self.kept = self.kept, None
        assert kept is not None
        return Graph(kept)


class Graph:
    """What a capture has kept."""

    def __init__(self, works: list[Any]) -> None:
        self.works = works

    def launch(self, stream: Stream) -> None:
        for work in self.works:
            stream.do(work)


class Event:
    """When it was recorded."""

    done = True

    def __init__(self) -> None:
        self.when = time.perf_counter()

    def synchronize(self) -> None:
        pass


def elapsed(start: Event, end: Event) -> float:
    return (end.when - start.when) * 1e3


class Memory:
    """Some bytes; they are noise at first, and again once they are dropped."""

    def __init__(self, pool: MemoryPool, size: int) -> None:
        self.pool = pool
        self.bytes = np.full(size + 64, POISON, np.uint8)
        self.size = size
        self.ptr = self.bytes.ctypes.data
        pool.used += size

    def __del__(self) -> None:
        self.bytes[:] = POISON
        self.pool.used -= self.size
        self.pool.free += self.size


class MemoryPool:
    """A pool with an end."""

    used = 0
    free = 0

    def free_bytes(self) -> int:
        return self.free

    def free_all_blocks(self) -> None:
        self.free = 0

    def malloc(self, size: int) -> Memory:
        if self.used + size > TOTAL[0]:
            raise MemoryError("Out of memory allocating")
        return Memory(self, size)


def _types(code: str) -> list[str]:
    """The types of a kernel's arguments."""
    head = re.search(r"main_kernel\((.*)\) \{", code)
    assert head is not None
    return [d.rsplit(" ", 1)[0] for d in head.group(1).split(", ") if d]


def _compiled(code: str, folder: Path) -> Any:
    """The library of a text; its file may go once it is loaded."""
    given = ", ".join(f"*({t}*)held[{i}]" for i, t in enumerate(_types(code)))
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

    compute_capability = "90"

    def __init__(self, index: int = 0) -> None:
        self.index = index

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def use(self) -> None:
        pass


def empty(count: int, dtype: Any) -> Any:
    return np.full(count, POISON, dtype)


def asarray(a: Any) -> Any:
    return np.array(a)


def asnumpy(a: Any) -> Any:
    return np.array(a)


def _nothing() -> None:
    pass


cuda = SimpleNamespace(
    Device=Device,
    Stream=Stream,
    MemoryPool=MemoryPool,
    alloc_pinned_memory=lambda size: np.full(size + 32, POISON, np.uint8),
    get_elapsed_time=elapsed,
    driver=SimpleNamespace(launchKernel=launch_kernel),
    compiler=SimpleNamespace(CompileException=CompileException),
    runtime=SimpleNamespace(
        memcpyAsync=memcpy_async,
        driverGetVersion=lambda: 13000,
        getDeviceCount=lambda: 1,
        getDeviceProperties=lambda index: {"name": b"a CPU"},
        deviceSynchronize=_nothing,
        CUDARuntimeError=RuntimeError,
    ),
    get_current_stream=lambda: SimpleNamespace(synchronize=_nothing),
)
