"""The `Gpu` of desktops and servers: wgpu-py plays the command stream.

FOGO_GPU=dawn has Dawn play it instead (see dawn_gpu.py).
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from fogo.errors import DeviceError
from fogo.webgpu.gpu import PORTABLE

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence

    from .wgpu_pending import Pending
    from .wgpu_timer import Timing

FEATURES = (
    "shader-f16", "subgroup", "subgroup-barrier", "timestamp-query",
    "timestamp-query-inside-encoders", "timestamp-query-inside-passes",
)  # fmt: skip
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
    limits and features that every browser has, FOGO_GPU_MEMORY=bytes to so much memory.
    Raises: DeviceError when the driver refuses to open the adapter.
    """

    wanted: tuple[str, ...] = FEATURES
    precise = True  # the clock of `timings` counts nanoseconds

    def __init__(self, adapter: Any) -> None:
        from .wgpu_player import Player

        portable = os.environ.get("FOGO_GPU_LIMITS") == "portable"
        self.info = describe(adapter)
        self.features = set() if portable else set(self.wanted) & set(adapter.features)
        self.limits = dict(PORTABLE)
        if not portable:
            for theirs, ours in LIMITS.items():
                self.limits[ours] = adapter.limits.get(theirs, PORTABLE[ours])
        try:
            self._device = self._request(
                adapter,
                required_features=sorted(self.features),
                required_limits={k: self.limits[v] for k, v in LIMITS.items()},
            )
        except Exception as error:
            raise DeviceError(
                f"webgpu: {self.info['name']} could not be opened: {error}; update its "
                "driver, or use the cpu device"
            ) from None
        self._player = Player(self._device, self._api())
        self.memory = self._most()

    @staticmethod
    def _most() -> int | None:
        """The bytes that FOGO_GPU_MEMORY grants, if it is set."""
        most = os.environ.get("FOGO_GPU_MEMORY")
        if not most:
            return None
        try:
            number = int(float(most))
        except (ValueError, OverflowError):
            number = 0
        if number <= 0:
            raise DeviceError(
                "webgpu: FOGO_GPU_MEMORY is a number of bytes above 0; given "
                f"{most!r}; set it as in FOGO_GPU_MEMORY=8e9, or not at all"
            )
        return number

    @staticmethod
    def _api() -> Any:
        """The module that speaks WebGPU here."""
        import wgpu

        return wgpu

    def _request(self, adapter: Any, **options: Any) -> Any:
        return adapter.request_device_sync(**options)

    def _tick(self) -> float:
        """Nanoseconds of a tick of the device's clock."""
        from wgpu.backends.wgpu_native import lib

        return float(lib.wgpuQueueGetTimestampPeriod(self._device.queue._internal))

    def play(
        self, words: array[int], blobs: Sequence[Any], texts: Sequence[str]
    ) -> Pending:
        """Play a batch; the Pending gives its reads, in order."""
        return self._player.play(words, blobs, texts)

    def on_full(self, give_back: Callable[[], list[int]]) -> None:
        """Ask `give_back` for the ids of buffers to free where memory is short."""
        self._player.give_back = give_back

    def stats(self) -> dict[str, int]:
        """The player's counters: dispatches, submits, buffers, …"""
        return dict(self._player.stats)

    def profile(self, on: bool) -> bool:
        """Time every dispatch from now on, or no more; False where it cannot."""
        if "timestamp-query" not in self.features:
            return False
        from .wgpu_timer import Timer

        self._player.timer = Timer(self._device, self._tick()) if on else None
        return True

    @property
    def profiling(self) -> bool:
        """Say whether dispatches are timed."""
        return self._player.timer is not None

    def timings(self) -> list[Timing]:
        """Wait for the dispatches timed: (kernel, grid and parameters, ns, start)."""
        timer = self._player.timer
        return timer.collect() if timer is not None else []


def adapters() -> list[dict[str, Any]]:
    """List the adapters, best first: {"name", "kind", "software"}."""
    if os.environ.get("FOGO_GPU") == "dawn":
        from . import dawn_gpu

        return dawn_gpu.adapters()
    return [describe(a) for a in _adapters()]


def open_now(index: int = 0) -> WgpuGpu:
    """Open adapter `index` of `adapters()`. Raises DeviceError, with what to do."""
    if os.environ.get("FOGO_GPU") == "dawn":
        from . import dawn_gpu

        return dawn_gpu.open_now(index)
    return WgpuGpu(chosen(_adapters(), index))


async def open_gpu(index: int = 0) -> WgpuGpu:
    """Open adapter `index`; wgpu-py needs no waiting, a browser does."""
    return open_now(index)


def chosen(found: list[Any], index: int) -> Any:
    """Return one of the adapters. Raises DeviceError, with what to do."""
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
    return found[index]


def describe(adapter: Any) -> dict[str, Any]:
    """Return the name, the kind and whether a CPU plays this GPU."""
    info = adapter.info
    name = info.get("device") or info.get("vendor") or "unnamed adapter"
    text = f"{name} {info.get('description', '')}".lower()
    kind = info.get("adapter_type", "Unknown")
    software = kind == "CPU" or any(word in text for word in SOFTWARE)
    return {
        "name": name,
        "kind": "cpu" if software else kind,
        "software": software,
        "driver": info.get("description", ""),
    }


def quiet() -> None:
    """Give drivers a folder without which they complain on stderr, once each."""
    if sys.platform == "linux":
        os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())


def _adapters() -> list[Any]:
    """The adapters, best first."""
    quiet()
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
    return best_first(found)


def best_first(found: list[Any]) -> list[Any]:
    """Sort adapters; drivers show the same devices again, OpenGL by other names."""
    found.sort(key=_rank)
    modern = [a for a in found if a.info.get("backend_type") != "OpenGL"]
    drivers: dict[str, str] = {}
    for adapter in modern:
        drivers.setdefault(adapter.info.get("device"), adapter.info.get("backend_type"))
    return [
        a for a in modern if drivers[a.info.get("device")] == a.info.get("backend_type")
    ] or found


def _rank(adapter: Any) -> tuple[int, int]:
    kind = adapter.info.get("adapter_type", "Unknown")
    driver = adapter.info.get("backend_type", "")
    return (
        TYPES.index(kind) if kind in TYPES else TYPES.index("Unknown"),
        DRIVERS.index(driver) if driver in DRIVERS else len(DRIVERS),
    )
