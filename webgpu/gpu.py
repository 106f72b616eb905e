"""The `Gpu` interface: what the backend needs of a host, and the command stream.

A batch is int32 `words`, `blobs` of bytes and `texts` of WGSL. The first word is the
version of the format; commands follow, with sizes and offsets in 4-byte words:

    1 BUFFER id nwords
    2 FREE   id
    3 WRITE  id offset nwords blob
    4 KERNEL id text nbuf access*nbuf nparams       access: 0 read-only, 1 read-write
    5 RUN    kernel nbuf buffer*nbuf gx gy gz nparams param*nparams
    6 COPY   src src_offset dst dst_offset nwords
    7 READ   id offset nwords
    8 PROGRAM id nwords command…                    RUNs and COPYs, kept for PLAY
    9 PLAY   id
    10 DROP  id                                     forget a program
    11 TRUSTED …                                    as KERNEL; see below

A kernel's entry point is `main`; its parameters are `P: array<vec4<i32>, N>`, a
uniform at binding 0 of group 0, its buffers are bindings 1 to nbuf. The commands take
effect in order. A player knows nothing of shapes, dtypes or gradients.

A program's buffers and kernels must exist when it is made, and as long as it is
played: a player prepares bind groups and parameters once, and a PLAY decodes nothing.
(CUDA's makes a graph of it.)
A TRUSTED kernel is known to stay within its buffers and to end its loops: a player may
leave out the checks that its host adds to shaders.
"""

from __future__ import annotations

FORMAT = 2
BUFFER, FREE, WRITE, KERNEL, RUN, COPY, READ = 1, 2, 3, 4, 5, 6, 7
PROGRAM, PLAY, DROP, TRUSTED = 8, 9, 10, 11


class Gpu:
    """A GPU device of some host; hosts need not derive from this.

    info      {"name": text, "kind": text, "software": bool (a CPU plays the GPU)}
    features  set of WebGPU feature names that are switched on: "shader-f16", …
    limits    WebGPU limit names (maxBufferSize, …) -> numbers in force

    Where the texts are not WGSL: `language`, as fogo.kernel_source calls it;
    `prints(kernel, group)` gives a Printed (wgsl.py) whose kernel has `group` threads a
    workgroup, unless it has its own number; `source(text, threads)` gives the text of a
    KERNEL for what a user wrote.
    """

    info = {"name": "none", "kind": "none", "software": False}
    features = ()
    limits: dict = {}

    def play(self, words, blobs, texts):
        """Start a batch; returns a Pending. Errors wait for the next batch that reads.

        words: array("i"); blobs: list of bytes-like; texts: list of str.
        """
        raise NotImplementedError


class Pending:
    """The reads of a batch under way."""

    def wait(self):
        """Return the bytes of each READ, in order.

        Raises: DeviceError with what the GPU objected to, in this batch or before;
        or because this thread cannot wait.
        """
        raise NotImplementedError

    async def result(self):
        """`wait` for platforms where a thread cannot wait."""
        return self.wait()


# What every WebGPU device offers (the standard's default limits).
PORTABLE = {
    "maxBufferSize": 268435456,
    "maxStorageBufferBindingSize": 134217728,
    "maxStorageBuffersPerShaderStage": 8,
    "maxUniformBufferBindingSize": 65536,
    "maxComputeWorkgroupStorageSize": 16384,
    "maxComputeInvocationsPerWorkgroup": 256,
    "maxComputeWorkgroupSizeX": 256,
    "maxComputeWorkgroupSizeY": 256,
    "maxComputeWorkgroupSizeZ": 64,
    "maxComputeWorkgroupsPerDimension": 65535,
}
