"""WebAssembly in a browser: kernels run on Python's own memory, without copies.

A tensor's memory is a Python array, its address the array's. The memory may grow at
any time: addresses stay, and nothing here keeps a JavaScript view of it.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from fogo.errors import DeviceError
from fogo.wasm.host import Host

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ALIGNMENT = 16


def open_host() -> BrowserHost:
    """Return the host. Raises DeviceError outside Pyodide, or where it hides memory."""
    try:
        import js
        import pyodide_js
        from pyodide.ffi import to_js
    except ImportError:
        raise DeviceError(
            "wasm: the browser's WebAssembly is there only for Python in a browser "
            "(Pyodide)"
        ) from None
    module = pyodide_js._module
    memory = getattr(module, "wasmMemory", None) or getattr(module, "memory", None)
    if memory is None:
        raise DeviceError(
            "wasm: this Pyodide does not show its memory; use a version from 0.27 on"
        )
    return BrowserHost(js, memory, to_js)


class BrowserHost(Host):
    """Pyodide's memory, and the browser's compiler."""

    def __init__(self, js: Any, memory: Any, to_js: Any) -> None:
        self._js = js
        self._to_js = to_js
        self._imports = js.Object.fromEntries(
            to_js([["env", js.Object.fromEntries(to_js([["memory", memory]]))]])
        )
        self._blocks: dict[int, tuple[array[int], int]] = {}
        self.text = "the browser, on Python's memory"

    def allocate(self, nbytes: int) -> int:
        block = array("B", b"\0") * (nbytes + ALIGNMENT)
        start: int = block.buffer_info()[0]
        skip = -start % ALIGNMENT
        self._blocks[start + skip] = (block, skip)
        return start + skip

    def free(self, address: int) -> None:
        del self._blocks[address]

    def write(self, address: int, data: Any) -> None:
        block, skip = self._blocks[address]
        view = memoryview(data).cast("B")
        memoryview(block)[skip : skip + len(view)] = view

    def read(self, address: int, nbytes: int) -> bytes:
        block, skip = self._blocks[address]
        return bytes(memoryview(block)[skip : skip + nbytes])

    def compile(self, module: bytes, kinds: str) -> Callable[..., None]:
        compiled = self._js.WebAssembly.Module.new(self._to_js(module))
        instance = self._js.WebAssembly.Instance.new(compiled, self._imports)
        run: Callable[..., None] = instance.exports.run
        return run
