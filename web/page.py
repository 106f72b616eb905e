"""What the demo's page asks of Python: open a device, load the network, predict.

The worker awaits `load(...)` once and `predict(...)` for each picture; answers are
dicts of plain values, which cross into JavaScript as objects.
"""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

import fogo
import fogo.webgpu
from fogo.errors import DeviceError

if TYPE_CHECKING:
    from typing import Any

NAMES = ("auto", "webgpu", "wasm", "cpu")
SIDE = 28


class Page:
    """The network on its device, and where it runs in words."""

    def __init__(self) -> None:
        self.net: Any = None
        self.device: Any = None
        self.label = ""
        self.reason = ""

    async def open(self, name: str) -> None:
        """Open the named device, or for "auto" the best; sets `label`, `reason`."""
        if name not in NAMES:
            raise DeviceError(
                "page: the device must be one of %s; given %r; correct the address"
                % (", ".join(NAMES), name)
            )
        if name == "auto":
            await self._open_best()
        elif name == "webgpu":
            await self._open_gpu("Asked for in the address.")
        else:
            self._open_cpu(name, "Asked for in the address.")

    async def _open_best(self) -> None:
        try:
            info = await fogo.webgpu.open_gpu()
        except DeviceError:
            self._open_cpu("auto", "This browser offers no WebGPU.")
            return
        if info["software"]:
            why = "The GPU here (%s) is software: the CPU is used without it."
            self._open_cpu("auto", why % info["name"])
        else:
            await self._open_gpu("This browser offers a GPU.")

    async def _open_gpu(self, why: str) -> None:
        info = await fogo.webgpu.open_gpu()
        if info["software"]:
            why += " It is a CPU that plays a GPU."
        self.device = fogo.device("webgpu")
        self.label = "WebGPU · " + info["name"]
        self.reason = why

    def _open_cpu(self, name: str, why: str) -> None:
        kind = "python" if name == "cpu" else "wasm"
        try:
            self.device = fogo.device(kind)
        except DeviceError:
            if name == "wasm":
                raise
            kind = "python"
            self.device = fogo.device(kind)
        how = "plain Python" if kind == "python" else "WebAssembly"
        self.label = "CPU · %s in %s" % (how, interpreter())
        self.reason = why

    async def predict(self, pixels: list[float]) -> dict[str, Any]:
        """The logits and probabilities of one picture of 784 values from 0 to 1."""
        start = time.perf_counter()
        x = fogo.tensor(pixels, device=self.device).reshape((1, 1, SIDE, SIDE))
        logits = (await self.net(x).data_async())[0]
        ms = (time.perf_counter() - start) * 1000
        return {
            "logits": logits,
            "probs": softmax(logits),
            "ms": ms,
            "device": self.label,
        }


PAGE = Page()


async def load(name: str, weights: Any) -> dict[str, Any]:
    """Open a device and put the network with these weights (bytes) on it.

    Raises DeviceError if the device is not there, FormatError if the weights are
    not those of this network.
    """
    from fogo.demo.net import MnistNet
    from fogo.store import load_bytes

    await PAGE.open(name)
    net = MnistNet(device=PAGE.device)
    net.load_state_dict(load_bytes(as_bytes(weights), PAGE.device))
    net.eval()
    PAGE.net = net
    # The first run compiles; nobody should wait for that while drawing.
    await PAGE.predict([0.0] * (SIDE * SIDE))
    return {
        "device": PAGE.device.name,
        "label": PAGE.label,
        "reason": PAGE.reason,
        "parameters": net.num_params(),
    }


async def predict(pixels: Any) -> dict[str, Any]:
    """Recognise a picture: 784 values, row by row; logits, probs, ms, device."""
    return await PAGE.predict(as_list(pixels))


def stats() -> dict[str, int]:
    """The GPU player's counters; empty on a CPU."""
    gpu = getattr(PAGE.device.backend, "gpu", None)
    return gpu.stats() if gpu else {}


def interpreter() -> str:
    """The Python that runs this, by its name."""
    if sys.implementation.name == "micropython":
        return "MicroPython"
    return "Pyodide" if sys.platform == "emscripten" else "CPython"


def softmax(logits: list[float]) -> list[float]:
    """Probabilities of a list of logits."""
    top = max(logits)
    powers = [math.exp(value - top) for value in logits]
    total = sum(powers)
    return [power / total for power in powers]


def as_bytes(data: Any) -> bytes:
    """Bytes, also of a JavaScript Uint8Array."""
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    found: bytes = data.to_bytes()
    return found


def as_list(values: Any) -> list[float]:
    """A list, also of a JavaScript Float32Array."""
    return list(values if isinstance(values, (list, tuple)) else values.to_py())
