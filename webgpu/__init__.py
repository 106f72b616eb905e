"""The WebGPU backend: a WGSL printer and a runtime over a small `Gpu` interface.

In a browser a GPU has to be waited for: `import fogo.webgpu`, then once `await
fogo.webgpu.open_gpu()`, and `fogo.device("webgpu")` works. (Where Pyodide can switch
stacks it works at once.)
"""

from __future__ import annotations

import os

from ..device import Device, host
from ..errors import DeviceError

_opened: dict = {}  # index -> a Gpu that waits for its backend
_infos: dict = {}  # index -> what is known of it


def create(index=0):
    """Return a backend on GPU `index`. Raises DeviceError where there is none."""
    return backend_on(_opened.pop(index, None) or _open_now(index))


def backend_on(gpu):
    """Return the backend that runs on a `Gpu`; it fuses, unless FOGO_FUSION=0."""
    from .backend import WebGpu

    getenv = getattr(os, "getenv", None)
    if getenv is not None and getenv("FOGO_FUSION") == "0":
        return WebGpu(gpu)
    from ..backend.fusion.stream import Fusion

    return Fusion(WebGpu(gpu))


def _open_now(index):
    gpu = host("webgpu").open_now(index)
    _infos[index] = gpu.info
    return gpu


async def open_gpu(index=0):
    """Open a GPU where a thread cannot wait for it; `fogo.device` then takes it.

    Returns what is known of it: {"name", "kind", "software"}. Once is enough.
    Raises: DeviceError where there is none.
    """
    if index not in _infos:
        _opened[index] = await host("webgpu").open_gpu(index)
        _infos[index] = _opened[index].info
    return _infos[index]


def use_gpu(gpu):
    """Return a device of its own on `gpu`: an object with the interface of gpu.py."""
    return Device("webgpu", backend_on(gpu))


def probe():
    """List the GPUs: (kind, text), kind "gpu" or "software" (a CPU plays the GPU)."""
    found = host("webgpu").adapters()
    if found is None:
        if not _infos:
            _opened[0] = _open_now(0)
        found = [_infos[i] for i in sorted(_infos)]
    if not found:
        raise DeviceError("webgpu: this machine offers no GPU adapter")
    return [("software" if a["software"] else "gpu", a["name"]) for a in found]
