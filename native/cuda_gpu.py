"""The `Gpu` of NVIDIA cards: CUDA plays the command stream, by way of CuPy and NVRTC.

Kernels come as CUDA C++ and programs become CUDA graphs; the rest, from Fusion to
autotune, is that of fogo/webgpu. Install the extra `fogo[cuda]`; then
`fogo.device("cuda")`. What it does not hold (float64, int64) is for
`fogo.device("cuda").unfused()`, which is cuda_backend.py.
"""

from __future__ import annotations

import os
from typing import Any

from fogo.errors import DeviceError, KernelError
from fogo.kernel.cuda import SHARED_BYTES, print_cuda
from fogo.webgpu.backend import WebGpu
from fogo.webgpu.gpu import PORTABLE
from fogo.webgpu.wgsl import Printed

from .cuda_backend import MATRICES, Cuda
from .cuda_backend import create as create_plain
from .cuda_backend import probe as probe
from .cuda_player import Player, headed
from .cuda_rtc import MOST_BLOCKS, cupy
from .wgpu_gpu import WgpuGpu

FEATURES = ("subgroups", "matrix", "shader-f16")
# Places in kernels are ints: of the narrowest elements that buffers hold by the
# thousand million, float16, so many are as far as they reach.
MOST_BYTES = (1 << 32) - 256
SINCE = 70  # compute capability of the first cards with matrix units


class CudaGpu(WgpuGpu):
    """One NVIDIA GPU: see fogo/webgpu/gpu.py for the interface.

    FOGO_GPU_MEMORY=bytes holds it to so much memory.
    Raises: DeviceError where CuPy or the GPU is missing.
    """

    language = "cuda"

    def __init__(self, index: int = 0) -> None:
        found = cupy()
        runtime = found.cuda.runtime
        card = found.cuda.Device(index)
        version = str(card.compute_capability)
        self.features = set(FEATURES)
        matrices = MATRICES if int(version) >= SINCE else ()
        if not matrices:
            self.features.discard("matrix")
        self.info = {
            "name": runtime.getDeviceProperties(index)["name"].decode(),
            "kind": "gpu",
            "software": False,
            "driver": f"CUDA {runtime.driverGetVersion()}, sm_{version}",
            "matrices": matrices,
        }
        self.limits = limits(dict(card.attributes))
        self._player: Any = Player(found, index)
        self.memory = self._most()

    def prints(self, kernel: Any, group: int) -> Printed:
        """Print a kernel for this player: a block for each group, or `group` threads.

        Raises: DeviceError for a kernel that CUDA has no way to run.
        """
        try:
            printed = print_cuda(kernel)
        except KernelError as error:
            raise DeviceError(str(error)) from None
        written = {
            kernel.shares.get(a.position, a.position)
            for a in kernel.arrays
            if a.written or a.is_atomic
        }
        access = [int(i in written) for i in kernel.bindings()]
        return Printed(headed(printed.text, printed.threads or group), access, 1)

    def source(self, text: str, threads: int) -> str:
        """The text of a KERNEL whose CUDA C++ is the user's own."""
        return headed(text, threads, True)

    def profile(self, on: bool) -> bool:
        """Time every kernel from now on, or no more."""
        from .cuda_timer import Timer

        player = self._player
        with player.device:
            player.timer = Timer(player.cupy, player.stream) if on else None
        return True


class CudaWebGpu(WebGpu):
    """The backend of fogo/webgpu, on a CudaGpu."""

    name = "cuda"

    def __init__(self, gpu: CudaGpu, index: int) -> None:
        WebGpu.__init__(self, gpu)
        self.index = index

    def unfused(self) -> Cuda:
        """The backend that runs each op by itself, and holds all dtypes."""
        return create_plain(self.index)

    def _instead(self, dtype: Any) -> str:
        own: str = WebGpu._instead(self, dtype)
        if dtype not in Cuda.holds:
            return own
        return f"{own}, or fogo.device('cuda').unfused(), which holds it,"


def limits(attributes: dict[str, int]) -> dict[str, int]:
    """WebGPU's limits of a GPU with these CUDA attributes."""
    threads = attributes["MaxThreadsPerBlock"]
    return {
        **PORTABLE,
        "maxBufferSize": MOST_BYTES,
        "maxStorageBufferBindingSize": MOST_BYTES,
        "maxStorageBuffersPerShaderStage": 64,
        "maxComputeWorkgroupStorageSize": SHARED_BYTES,
        "maxComputeInvocationsPerWorkgroup": threads,
        "maxComputeWorkgroupSizeX": threads,
        "maxComputeWorkgroupSizeY": threads,
        "maxComputeWorkgroupsPerDimension": min(
            attributes.get("MaxGridDimX", MOST_BLOCKS), MOST_BLOCKS
        ),
    }


def open_now(index: int = 0) -> CudaGpu:
    """Open GPU `index`; raises DeviceError where there is none."""
    count = len(probe())
    if index >= count:
        raise DeviceError(f"cuda: no such GPU; given index {index}; there are {count}")
    return CudaGpu(index)


def create(index: int = 0) -> Any:
    """Return a backend on GPU `index`; FOGO_FUSION=0 gives the one that does not fuse.

    Raises: DeviceError where there is none.
    """
    if os.environ.get("FOGO_FUSION") == "0":
        return create_plain(index)
    from fogo.backend.fusion.stream import Fusion

    return Fusion(CudaWebGpu(open_now(index), index))
