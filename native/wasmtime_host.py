"""WebAssembly natively, in wasmtime (`pip install wasmtime`).

wasmtime-py's own call takes tens of microseconds; ours packs the arguments and calls
the same C function through ctypes. Where the package's internals have changed, its
plain call is used instead.
"""

from __future__ import annotations

import ctypes
import importlib
import struct
import threading
from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from fogo.errors import DeviceError
from fogo.wasm.host import Host

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PAGE = 65536
SLOT = 16  # bytes that one argument takes in an unchecked call
GROWTH = 256  # pages to grow by at least
KERNELS = 1 << 30  # at most; wasmtime's own limit is 10,000
# (context, function, slots, their number, where a trap goes) -> error or null
UNCHECKED = ctypes.PYFUNCTYPE(
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
)


def open_host() -> WasmtimeHost:
    """Return the host. Raises DeviceError, with what to do, without wasmtime."""
    try:
        import wasmtime
    except ImportError as error:
        raise DeviceError(
            "wasm: outside a browser it runs in wasmtime, which is not installed (%s); "
            "pip install wasmtime" % error
        ) from None
    return WasmtimeHost(wasmtime)


class WasmtimeHost(Host):
    """One wasmtime store with one memory; usable from one thread at a time."""

    def __init__(self, wasmtime: Any) -> None:
        self._api = wasmtime
        self._lock = threading.RLock()
        self._engine = wasmtime.Engine()
        self._store = wasmtime.Store(self._engine)
        self._store.set_limits(instances=KERNELS)
        limits = wasmtime.Limits(2, None)
        self._memory = wasmtime.Memory(self._store, wasmtime.MemoryType(limits))
        self._space = Space(PAGE, 2 * PAGE)
        self._base = self._locate()
        self._kept: list[Any] = []  # functions whose addresses calls hold
        self.text = "wasmtime " + _version()

    def _locate(self) -> int:
        pointer = self._memory.data_ptr(self._store)
        return ctypes.addressof(pointer.contents)

    def allocate(self, nbytes: int) -> int:
        with self._lock:
            address = self._space.take(nbytes)
            if address is None:
                self._grow(nbytes)
                address = self._space.take(nbytes)
        assert address is not None
        return address

    def _grow(self, nbytes: int) -> None:
        """Make the memory larger; it may move, addresses in it stay."""
        pages = max(-(-nbytes // PAGE) + 1, GROWTH)
        try:
            self._memory.grow(self._store, pages)
        except self._api.WasmtimeError as error:
            raise MemoryError(str(error)) from None
        self._base = self._locate()
        self._space.extend(pages * PAGE)

    def free(self, address: int) -> None:
        with self._lock:
            self._space.give(address)

    def write(self, address: int, data: Any) -> None:
        view = memoryview(data).cast("B")
        target = (ctypes.c_char * len(view)).from_address(self._base + address)
        memoryview(target).cast("B")[:] = view

    def read(self, address: int, nbytes: int) -> bytes:
        return ctypes.string_at(self._base + address, nbytes)

    def compile(self, module: bytes, kinds: str) -> Callable[..., None]:
        api = self._api
        with self._lock:
            compiled = api.Module(self._engine, module)
            instance = api.Instance(self._store, compiled, [self._memory])
            run = instance.exports(self._store)["run"]
            quick = self._unchecked(run, kinds)
            if quick is not None:
                return quick

        def call(*args: float) -> None:
            with self._lock:
                try:
                    run(self._store, *_in_range(args, kinds))
                except (api.Trap, api.WasmtimeError) as error:
                    raise _failed(error) from None

        return call

    def _unchecked(self, run: Any, kinds: str) -> Callable[..., None] | None:
        """A call of wasmtime_func_call_unchecked with packed arguments, or None.

        It keeps Python's global lock, which is quicker than to give it up.
        """
        try:
            c: Any = importlib.import_module("wasmtime._bindings")
            context = ctypes.cast(self._store._context(), ctypes.c_void_p).value
            function = ctypes.addressof(run._func)
            target = ctypes.cast(c.dll.wasmtime_func_call_unchecked, ctypes.c_void_p)
            if ctypes.sizeof(c.wasmtime_val_raw_t) != SLOT:
                return None
        except (ImportError, AttributeError):
            return None
        entry = UNCHECKED(target.value or 0)
        slots = ctypes.create_string_buffer(max(len(kinds), 1) * SLOT)
        trap = ctypes.c_void_p()
        first, last = ctypes.addressof(slots), ctypes.addressof(trap)
        count = len(kinds)
        fields = [k + "%dx" % (SLOT - struct.calcsize(k)) for k in kinds]
        pack, lock = struct.Struct("<" + "".join(fields)).pack_into, self._lock
        self._kept.append(run)

        def call(*args: float) -> None:
            with lock:
                try:
                    pack(slots, 0, *args)
                except (OverflowError, struct.error):
                    pack(slots, 0, *_in_range(args, kinds))
                error = entry(context, function, first, count, last)
                if error or trap:
                    raise self._failure(error, trap)

        return call

    def _failure(self, error: int | None, trap: ctypes.c_void_p) -> DeviceError:
        """What wasmtime reported: a bug of ours, for kernels cannot fail."""
        c: Any = importlib.import_module("wasmtime._bindings")
        if error:
            pointer = ctypes.cast(error, ctypes.POINTER(c.wasmtime_error_t))
            return _failed(self._api.WasmtimeError._from_ptr(pointer))
        pointer = ctypes.cast(trap.value or 0, ctypes.POINTER(c.wasm_trap_t))
        trap.value = None
        return _failed(self._api.Trap._from_ptr(pointer))


def _failed(error: Exception) -> DeviceError:
    return DeviceError("wasm: internal: a kernel failed; %s" % error)


def _in_range(args: tuple[float, ...], kinds: str) -> list[float]:
    """Arguments as C would convert them: addresses above 2 GiB, floats too large."""
    out: list[float] = []
    for a, k in zip(args, kinds):
        if k == "i":
            out.append(ctypes.c_int32(int(a)).value)
        else:
            out.append(ctypes.c_float(a).value if k == "f" else a)
    return out


def _version() -> str:
    from importlib.metadata import version

    return version("wasmtime")


class Space:
    """Which parts of the memory are free: first fit, neighbours joined again."""

    def __init__(self, start: int, end: int) -> None:
        self.end = end
        self._free = [(start, end - start)]  # (address, size), by address
        self._taken: dict[int, int] = {}

    def take(self, nbytes: int) -> int | None:
        """Return the address of a free part, now taken, or None."""
        nbytes = -(-max(nbytes, 1) // 16) * 16
        for i, (address, size) in enumerate(self._free):
            if size >= nbytes:
                rest = (address + nbytes, size - nbytes)
                self._free[i : i + 1] = [rest] if rest[1] else []
                self._taken[address] = nbytes
                return address
        return None

    def give(self, address: int) -> None:
        """Free a part and join it with free neighbours."""
        part = (address, self._taken.pop(address))
        i = bisect_left(self._free, part)
        if i < len(self._free) and self._free[i][0] == part[0] + part[1]:
            part = (part[0], part[1] + self._free.pop(i)[1])
        if i and sum(self._free[i - 1]) == part[0]:
            before = self._free.pop(i - 1)
            part = (before[0], before[1] + part[1])
        insort(self._free, part)

    def extend(self, nbytes: int) -> None:
        """Add memory at the end."""
        self._taken[self.end] = nbytes
        self.end += nbytes
        self.give(self.end - nbytes)
