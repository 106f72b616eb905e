"""The WebGPU backend: a WGSL printer and a runtime over a small `Gpu` interface.

In a browser a GPU has to be waited for: `await fogo.webgpu.open_gpu()` once, then
`fogo.device("webgpu")` works. (Where Pyodide can switch stacks it works at once.)
"""

from __future__ import annotations

from ..device import host
from ..errors import DeviceError

_opened = {}  # index -> Gpu


def create(index=0):
    """Return the backend on GPU `index`. Raises DeviceError where there is none."""
    from .backend import WebGpu

    gpu = _opened.get(index)
    if gpu is None:
        gpu = _opened[index] = host("webgpu").open_now(index)
    return WebGpu(gpu)


async def open_gpu(index=0):
    """Open a GPU where a thread cannot wait for it; `fogo.device` then finds it."""
    if index not in _opened:
        _opened[index] = await host("webgpu").open_gpu(index)
    return _opened[index]


def provide(gpu, index=0):
    """Make `gpu` (any object with the interface of gpu.py) the one that is opened."""
    _opened[index] = gpu


def probe():
    """List the GPUs: (kind, text), kind "gpu" or "software" (a CPU plays the GPU)."""
    if _opened:
        found = [_opened[i].info for i in sorted(_opened)]
    else:
        found = host("webgpu").adapters()
    if not found:
        raise DeviceError("webgpu: this machine offers no GPU adapter")
    return [("software" if a["software"] else "gpu", a["name"]) for a in found]
