"""WebAssembly kernels assembled by Python: an assembler and the CPU backend over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fogo.device import host as host_module

if TYPE_CHECKING:
    from .host import Host

_hosts: list[Host] = []


def _host():
    """Return this platform's host; raises DeviceError with the reason without one."""
    if not _hosts:
        _hosts.append(host_module("wasm").open_host())
    return _hosts[0]


def create(index=0):
    """Return the backend on this platform's host."""
    from .backend import Wasm

    return Wasm(_host())


def probe():
    """Say what runs WebAssembly here; raises DeviceError where nothing does."""
    return [("cpu", "WebAssembly in " + _host().text)]
