"""What wgpu-py's own C library can do beyond its Python: fast passes, fewer checks.

wgpu-py's objects hold pointers of wgpu-native, and its `lib` every function of it. A
call through `lib` costs half of one through the public interface. All of this is
internal to wgpu-py, so each function here returns None where anything is not as
expected, and the public interface does the work.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .wgpu_player import Player

NO_CHECKS = 0  # WGPUShaderRuntimeChecks_None
_NATIVE = "wgpu.backends.wgpu_native"


def _native(device: Any) -> Any:
    """The module behind a device, if it is wgpu-py's own kind; else None."""
    module = sys.modules.get(_NATIVE)
    if module is None or not type(device).__module__.startswith(_NATIVE):
        return None
    known = hasattr(module, "lib") and hasattr(module, "ffi")
    return module if known and hasattr(device, "_internal") else None


def fast_runs(device: Any, runs: Sequence[Any]) -> FastRuns | None:
    """Return the runs as a pass that wgpu-native encodes, or None."""
    native = _native(device)
    if native is None:
        return None
    try:
        return FastRuns(native.lib, native.ffi, runs)
    except (AttributeError, TypeError, KeyError):
        return None


class FastRuns:
    """A compute pass prepared as calls of wgpu-native; see wgpu_program.Runs."""

    def __init__(self, lib: Any, ffi: Any, runs: Sequence[Any]) -> None:
        self.runs = runs  # keeps the objects alive
        self.begin = lib.wgpuCommandEncoderBeginComputePass
        self.set_pipeline = lib.wgpuComputePassEncoderSetPipeline
        self.set_group = lib.wgpuComputePassEncoderSetBindGroup
        self.dispatch = lib.wgpuComputePassEncoderDispatchWorkgroups
        self.end = lib.wgpuComputePassEncoderEnd
        self.release = lib.wgpuComputePassEncoderRelease
        self.descriptor = ffi.new("WGPUComputePassDescriptor *")
        self.offsets = ffi.new("uint32_t[]", [run[2] for run in runs])
        self.calls = [
            (None if p is None else p._internal, g._internal, self.offsets + i, x, y, z)
            for i, (p, g, _, x, y, z) in enumerate(runs)
        ]

    def encode(self, player: Player) -> None:
        """Add the pass to the player's encoder."""
        passing = self.begin(player.copying()._internal, self.descriptor)
        set_pipeline, set_group = self.set_pipeline, self.set_group
        dispatch = self.dispatch
        for pipeline, group, offset, x, y, z in self.calls:
            if pipeline is not None:
                set_pipeline(passing, pipeline)
            set_group(passing, 0, group, 1, offset)
            dispatch(passing, x, y, z)
        self.end(passing)
        self.release(passing)


def fast_encoders(device: Any) -> FastEncoders | None:
    """Return what makes and sends encoders with less ado, or None."""
    if _native(device) is None:
        return None
    try:
        from wgpu.backends.wgpu_native import _api as api

        return FastEncoders(api, device)
    except (ImportError, AttributeError, TypeError):
        return None


class FastEncoders:
    """Makes wgpu-py's encoders, and sends them, without making structures each time."""

    def __init__(self, api: Any, device: Any) -> None:
        lib, ffi = api.libf, api.ffi
        self.device = device._internal
        self.queue = device.queue._internal
        self.owner = device
        self.make = lib.wgpuDeviceCreateCommandEncoder
        self.end = lib.wgpuCommandEncoderFinish
        self.send = lib.wgpuQueueSubmit
        self.release = lib.wgpuCommandBufferRelease
        self.wrap = api.GPUCommandEncoder
        self.plain = ffi.new("WGPUCommandEncoderDescriptor *")
        self.commands = ffi.new("WGPUCommandBuffer[1]")
        self.null = ffi.NULL

    def encoder(self) -> Any:
        """Return a new encoder."""
        return self.wrap("", self.make(self.device, self.plain), self.owner)

    def submit(self, encoder: Any) -> None:
        """Finish an encoder and send it."""
        made = self.end(encoder._internal, self.null)
        self.commands[0] = made
        try:
            self.send(self.queue, 1, self.commands)
        finally:
            self.release(made)


def trusted_module(device: Any, label: str, code: str) -> Any:
    """Return a shader module without the checks that wgpu adds, or None.

    wgpu clamps indices to the bounds of buffers and counts the turns of loops; a kernel
    known to be well-behaved needs neither.
    """
    if _native(device) is None:
        return None
    try:
        from wgpu.backends.wgpu_native import _api as api

        make = api.libf.wgpuDeviceCreateShaderModuleTrusted
        texts = [api.to_c_string_view(code), api.to_c_string_view(label)]
        source = api.ffi.new("WGPUShaderSourceWGSL *")
        source.chain.sType = api.lib.WGPUSType_ShaderSourceWGSL
        source.code = texts[0]
        descriptor = api.ffi.new("WGPUShaderModuleDescriptor *")
        descriptor.nextInChain = api.ffi.cast("WGPUChainedStruct *", source)
        descriptor.label = texts[1]
        made = make(device._internal, descriptor, NO_CHECKS)
        return api.GPUShaderModule(label, made, device)
    except (ImportError, AttributeError, TypeError):
        return None
