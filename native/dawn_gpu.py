"""Dawn, Chrome's WebGPU, natively: the package `wgpudawn` plays the command stream.

It has what wgpu-py has not: matrix units (subgroup matrices). Install the extra
`fogo[dawn]`; then `fogo.device("dawn")`, or FOGO_GPU=dawn for `"webgpu"` itself.
FOGO_DAWN_TOGGLES=name,-other turns Dawn's switches on and off, for experiments.
"""

from __future__ import annotations

import os
from typing import Any

from fogo.errors import DeviceError

from .wgpu_gpu import WgpuGpu, best_first, chosen, describe, quiet

MATRIX = "chromium-experimental-subgroup-matrix"
FEATURES = ("shader-f16", "subgroups", "timestamp-query", MATRIX)
# Dawn's own switches. For the instance: experimental features, half floats where its
# list of drivers is cautious. For a device: shared memory is written before it is read
# in our kernels, so nobody needs to clear it; nor buffers; times are not rounded to
# 0.1 ms; what Dawn itself compiled is not proved right again.
INSTANCE = ("allow_unsafe_apis", "vulkan_enable_f16_on_nvidia")
ON = ("disable_workgroup_init",)
OFF = (
    "timestamp_quantization", "lazy_clear_resource_on_first_use",
    "enable_spirv_validation",
)  # fmt: skip
_ready: list[Any] = []  # the module, once its instance is set up


class DawnGpu(WgpuGpu):
    """One GPU device by way of Dawn: see fogo/webgpu/gpu.py for the interface.

    `info["matrices"]` lists what its matrix units take, as the driver reports it:
    (dtype, result dtype, m, n, k); "matrix" is in `features` where there are any.
    """

    wanted = FEATURES

    def __init__(self, adapter: Any) -> None:
        super().__init__(adapter)
        self.info["matrices"] = ()
        if MATRIX in self.features:
            self.info["matrices"] = _matrices(adapter)
        if self.info["matrices"]:
            self.features.add("matrix")

    @staticmethod
    def _api() -> Any:
        return _dawn()

    def _request(self, adapter: Any, **options: Any) -> Any:
        on, off = toggles(os.environ.get("FOGO_DAWN_TOGGLES", ""))
        known = _extras().all_toggles()
        return _extras().request_device_sync(
            adapter,
            enable_toggles=[name for name in on if name in known],
            disable_toggles=[name for name in off if name in known],
            **options,
        )

    def _tick(self) -> float:
        return 1.0  # Dawn gives nanoseconds


def toggles(wanted: str) -> tuple[list[str], list[str]]:
    """Return the switches of a device to turn on, and off.

    wanted: changes to ours, as FOGO_DAWN_TOGGLES gives them: "name,-other".
    """
    on, off = list(ON), list(OFF)
    for word in wanted.split(","):
        name = word.strip().lstrip("-+")
        if name:
            to, other = (off, on) if word.strip().startswith("-") else (on, off)
            if name in other:
                other.remove(name)
            if name not in to:
                to.append(name)
    return on, off


def create(index: int = 0) -> Any:
    """Return a backend on adapter `index`. Raises DeviceError, with what to do."""
    from fogo.webgpu import backend_on

    return backend_on(open_now(index))


def probe() -> list[tuple[str, str]]:
    """List the GPUs as Dawn sees them: (kind, text)."""
    return [("software" if a["software"] else "gpu", a["name"]) for a in adapters()]


def adapters() -> list[dict[str, Any]]:
    """List the adapters, best first: {"name", "kind", "software"}."""
    return [describe(a) for a in _adapters()]


def open_now(index: int = 0) -> DawnGpu:
    """Open adapter `index` of `adapters()`. Raises DeviceError, with what to do."""
    found = _adapters()
    if not found:
        raise DeviceError(
            "dawn: Dawn found no GPU adapter it can use (it needs Vulkan 1.3, Metal or "
            'DirectX 12); update the driver, or use fogo.device("webgpu") or "cpu"'
        )
    return DawnGpu(chosen(found, index))


async def open_gpu(index: int = 0) -> DawnGpu:
    """Open adapter `index`; Dawn needs no waiting, a browser does."""
    return open_now(index)


def _dawn() -> Any:
    """The module, its instance set up once. Raises DeviceError where it is missing."""
    if not _ready:
        quiet()
        try:
            import wgpudawn
        except (ImportError, OSError, RuntimeError) as error:
            raise DeviceError(
                f"dawn: wgpudawn could not be loaded: {error}; install it (pip install "
                "'fogo[dawn]'), or use the webgpu device"
            ) from None
        _ready.append(wgpudawn)
        try:
            known = _extras().all_toggles()
            _extras().set_instance_extras(
                enable_toggles=[name for name in INSTANCE if name in known]
            )
        except RuntimeError:
            pass  # somebody made the instance before us: it has what it has
    return _ready[0]


def _extras() -> Any:
    from wgpudawn.backends.dawn import extras

    return extras


def _adapters() -> list[Any]:
    try:
        return best_first(list(_dawn().gpu.enumerate_adapters_sync()))
    except (RuntimeError, ValueError) as error:
        raise DeviceError(f"dawn: listing the GPUs failed: {error}") from None


def _matrices(adapter: Any) -> tuple[tuple[str, str, int, int, int], ...]:
    """What the matrix units take: (dtype, result dtype, m, n, k), by our names."""
    names = {
        "f32": "float32", "f16": "float16", "u32": "uint32", "i32": "int32",
        "u8": "uint8", "i8": "int8",
    }  # fmt: skip
    reported = _extras().get_adapter_properties(adapter)
    found = []
    for c in reported.get("subgroup_matrix_configs", ()):
        kinds = names.get(c["component_type"]), names.get(c["result_component_type"])
        # Our kernels count on subgroups of 32.
        sizes = c.get("min_subgroup_size", 32), c.get("max_subgroup_size", 32)
        if kinds[0] and kinds[1] and sizes == (32, 32):
            found.append((kinds[0], kinds[1], c["m"], c["n"], c["k"]))
    return tuple(found)
