"""WebAssembly kernels assembled by Python: an assembler and the CPU backend over it."""

from __future__ import annotations

import sys

from fogo.device import WASM_HOSTS
from fogo.errors import DeviceError

_hosts = []


def _host():
    """Return this platform's host; raises DeviceError with the reason without one."""
    if not _hosts:
        browser = sys.platform in ("emscripten", "webassembly")
        path = WASM_HOSTS["browser" if browser else "native"]
        try:
            __import__(path)
        except ImportError as error:
            raise DeviceError(
                "wasm: no WebAssembly here; importing %s failed: %s" % (path, error)
            )
        _hosts.append(sys.modules[path].open_host())
    return _hosts[0]


def create(index=0):
    """Return the backend on this platform's host."""
    from .backend import Wasm

    return Wasm(_host())


def probe():
    """Say what runs WebAssembly here; raises DeviceError where nothing does."""
    return [("cpu", "WebAssembly in " + _host().text)]
