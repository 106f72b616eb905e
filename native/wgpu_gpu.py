"""The `Gpu` of desktops and servers: wgpu-py plays the command stream."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from fogo.errors import DeviceError
from fogo.webgpu.gpu import PORTABLE

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from .wgpu_pending import Pending

FEATURES = ("shader-f16", "timestamp-query", "subgroup")
LIMITS = {
    "max-buffer-size": "maxBufferSize",
    "max-storage-buffer-binding-size": "maxStorageBufferBindingSize",
    "max-storage-buffers-per-shader-stage": "maxStorageBuffersPerShaderStage",
    "max-uniform-buffer-binding-size": "maxUniformBufferBindingSize",
    "max-compute-workgroup-storage-size": "maxComputeWorkgroupStorageSize",
    "max-compute-invocations-per-workgroup": "maxComputeInvocationsPerWorkgroup",
    "max-compute-workgroup-size-x": "maxComputeWorkgroupSizeX",
    "max-compute-workgroup-size-y": "maxComputeWorkgroupSizeY",
    "max-compute-workgroup-size-z": "maxComputeWorkgroupSizeZ",
    "max-compute-workgroups-per-dimension": "maxComputeWorkgroupsPerDimension",
}
# Which adapters to prefer, and which of an adapter's drivers.
TYPES = ("DiscreteGPU", "IntegratedGPU", "VirtualGPU", "Unknown", "CPU")
DRIVERS = ("Vulkan", "Metal", "D3D12", "OpenGL")
SOFTWARE = ("llvmpipe", "lavapipe", "swiftshader", "basic render", "software")


class WgpuGpu:
    """One GPU device by way of wgpu-py: see fogo/webgpu/gpu.py for the interface.

    It asks for all that its adapter offers; FOGO_GPU_LIMITS=portable holds it to the
    limits and features that every browser has.
    Raises: DeviceError when the driver refuses to open the adapter.
    """

    def __init__(self, adapter: Any) -> None:
        from .wgpu_player import Player

        portable = os.environ.get("FOGO_GPU_LIMITS") == "portable"
        self.info = describe(adapter)
        self.features = set() if portable else set(FEATURES) & set(adapter.features)
        self.limits = dict(PORTABLE)
        if not portable:
            for theirs, ours in LIMITS.items():
                self.limits[ours] = adapter.limits.get(theirs, PORTABLE[ours])
        try:
            device = adapter.request_device_sync(
                required_features=sorted(self.features),
                required_limits={k: self.limits[v] for k, v in LIMITS.items()},
            )
        except Exception as error:
            raise DeviceError(
                f"webgpu: {self.info['name']} could not be opened: {error}; update its "
                "driver, or use the cpu device"
            ) from None
        self._player = Player(device)

    def play(
        self, words: array[int], blobs: Sequence[Any], texts: Sequence[str]
    ) -> Pending:
        """Play a batch; the Pending gives its reads, in order."""
        return self._player.play(words, blobs, texts)

    def stats(self) -> dict[str, int]:
        """The player's counters: dispatches, submits, buffers, …"""
        return dict(self._player.stats)


def adapters() -> list[dict[str, Any]]:
    """List the adapters, best first: {"name", "kind", "software"}."""
    return [describe(a) for a in _adapters()]


def open_now(index: int = 0) -> WgpuGpu:
    """Open adapter `index` of `adapters()`. Raises DeviceError, with what to do."""
    found = _adapters()
    if not found:
        raise DeviceError(
            "webgpu: no GPU adapter was found; install a Vulkan, Metal or DirectX 12 "
            "driver (Mesa's lavapipe plays one on the CPU), or use the cpu device"
        )
    if index >= len(found):
        raise DeviceError(
            f"webgpu: there is no adapter {index}; this machine has {len(found)}: "
            + ", ".join(describe(a)["name"] for a in found)
        )
    return WgpuGpu(found[index])


async def open_gpu(index: int = 0) -> WgpuGpu:
    """Open adapter `index`; wgpu-py needs no waiting, a browser does."""
    return open_now(index)


def describe(adapter: Any) -> dict[str, Any]:
    """Return the name, the kind and whether a CPU plays this GPU."""
    info = adapter.info
    name = info.get("device") or info.get("vendor") or "unnamed adapter"
    text = f"{name} {info.get('description', '')}".lower()
    kind = info.get("adapter_type", "Unknown")
    software = kind == "CPU" or any(word in text for word in SOFTWARE)
    return {"name": name, "kind": "cpu" if software else kind, "software": software}


def _adapters() -> list[Any]:
    """The adapters, best first."""
    if sys.platform == "linux":  # without it, drivers complain on stderr, once each
        os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    try:
        import wgpu
    except (ImportError, OSError, RuntimeError) as error:
        raise DeviceError(
            f"webgpu: wgpu-py could not be loaded: {error}; install it (pip install "
            "wgpu), or use the cpu device"
        ) from None
    try:
        found = list(wgpu.gpu.enumerate_adapters_sync())
    except Exception as error:
        raise DeviceError(f"webgpu: listing the GPUs failed: {error}") from None
    found.sort(key=_rank)
    # Drivers show the same devices again, OpenGL under other names.
    modern = [a for a in found if a.info.get("backend_type") != "OpenGL"]
    chosen: dict[str, str] = {}
    for adapter in modern:
        chosen.setdefault(adapter.info.get("device"), adapter.info.get("backend_type"))
    return [
        a for a in modern if chosen[a.info.get("device")] == a.info.get("backend_type")
    ] or found


def _rank(adapter: Any) -> tuple[int, int]:
    kind = adapter.info.get("adapter_type", "Unknown")
    driver = adapter.info.get("backend_type", "")
    return (
        TYPES.index(kind) if kind in TYPES else TYPES.index("Unknown"),
        DRIVERS.index(driver) if driver in DRIVERS else len(DRIVERS),
    )
