"""`Host`: where WebAssembly runs. The backend asks for nothing more than this.

native/wasmtime_host.py and web/wasm_host.py are hosts. An address is a byte's place in
the one memory of the host, a multiple of 16 and at least 65,536.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Host:
    """One memory, and kernels compiled to run on it.

    text      what runs them, for people: "wasmtime 50.0.1", "Chromium"
    """

    text = "no host"

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory; its contents are arbitrary.

        Raises MemoryError where there is no more.
        """
        raise NotImplementedError

    def free(self, address: int) -> None:
        """Give back what `allocate` returned."""
        raise NotImplementedError

    def write(self, address: int, data) -> None:
        """Copy the bytes of a buffer (bytes, array, memoryview) into memory."""
        raise NotImplementedError

    def read(self, address: int, nbytes: int) -> bytes:
        """Return a copy of memory."""
        raise NotImplementedError

    def compile(self, module: bytes, kinds: str) -> Callable[..., None]:
        """Compile a module that imports `env.memory`; return its export `run`.

        `kinds` has a letter per parameter: i (32 bits, signed or not), f, d (floats).
        """
        raise NotImplementedError
