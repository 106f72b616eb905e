"""wgpu-py as a player: hand-written batches, errors, what a machine may lack."""

from __future__ import annotations

import sys
from array import array

import pytest

import fogo
from fogo.dispatch import call
from fogo.errors import DeviceError
from fogo.ops.record import Op
from fogo.webgpu import gpu as G

SQUARES = """
@group(0) @binding(0) var<uniform> P: array<vec4<i32>, 1>;
@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  x[id.x] = x[id.x] * x[id.x] + f32(P[0].x);
}
"""
BASE = 1 << 20  # ids apart from those that the backend of this GPU uses


@pytest.fixture
def play(full):
    """Play a list of words; returns the reads as lists of floats."""

    def run(words, blobs=(), texts=()):
        pending = full.backend.gpu.play(array("i", [G.FORMAT, *words]), blobs, texts)
        return [list(array("f", bytes(b))) for b in pending.wait()]

    return run


def floats(*values: float) -> bytes:
    return bytes(array("f", values))


def test_commands_take_effect_in_order(play) -> None:
    a, b, kernel = BASE + 1, BASE + 2, BASE + 3
    head = [G.BUFFER, a, 64, G.BUFFER, b, 64, G.KERNEL, kernel, 0, 1, 1, 1]
    run = [G.RUN, kernel, 1, a, 1, 1, 1, 1]
    blobs = [floats(1, 2, -3, 0.5), floats(10, 20, 30, 40)]
    words = [
        *head, G.WRITE, a, 0, 4, 0, *run, 7, G.COPY, a, 0, b, 4, 4, *run, 1,
        G.COPY, b, 4, b, 0, 2, G.WRITE, a, 0, 4, 1, *run, 0,
        G.READ, a, 0, 4, G.READ, b, 0, 8, G.READ, b, 5, 0, G.READ, b, 7, 1,
    ]  # fmt: skip
    reads = play(words, blobs, [SQUARES])
    assert reads == [
        [100.0, 400.0, 900.0, 1600.0],
        [8.0, 11.0, 0.0, 0.0, 8.0, 11.0, 16.0, 7.25],
        [],
        [7.25],
    ]
    play([G.FREE, a, G.FREE, b])


def test_parameters_of_many_runs_and_several_arenas(play) -> None:
    a, kernel = BASE + 4, BASE + 5
    play([G.BUFFER, a, 64, G.KERNEL, kernel, 0, 1, 1, 1], (), [SQUARES])
    words = []
    for i in range(1500):  # more than one arena of 1,024 blocks
        words += [G.WRITE, a, 0, 4, 0] if i == 1400 else []
        words += [G.RUN, kernel, 1, a, 1, 1, 1, 1, i % 2]
    reads = play([*words, G.READ, a, 0, 1], [floats(0, 0, 0, 0)], [])
    x = 0.0
    for i in range(1400, 1500):
        x = min(x * x + i % 2, float("inf"))
    assert reads == [[x]]
    play([G.FREE, a])


def test_bind_groups_go_with_their_buffers(full, play) -> None:
    gpu, kernel = full.backend.gpu, BASE + 6
    play([G.KERNEL, kernel, 0, 1, 1, 1], (), [SQUARES])
    before = len(gpu._player.groups)
    for id in range(BASE + 10, BASE + 30):
        run = [G.RUN, kernel, 1, id, 1, 1, 1, 1, 0]
        play([G.BUFFER, id, 64, *run, G.FREE, id])
    assert len(gpu._player.groups) == before
    stats = gpu.stats()
    assert stats["dispatches"] and stats["submits"] and stats["kernels"]


def test_the_first_problem_is_told_at_the_next_read_only(full, play) -> None:
    a, kernel, bad = BASE + 31, BASE + 32, BASE + 33
    gpu = full.backend.gpu
    play([G.BUFFER, a, 64, G.KERNEL, kernel, 0, 1, 1, 1], (), [SQUARES])
    broken = "@compute @workgroup_size(1) fn main() { let x: f32 = 1u; }"
    words = [G.FORMAT, G.KERNEL, bad, 0, 1, 1, 0, G.RUN, bad, 1, a, 1, 1, 1, 0]
    gpu.play(array("i", words), [], [broken])  # says nothing yet
    with pytest.raises(DeviceError, match="(?s)webgpu: .*ShaderModule"):
        play([G.READ, a, 0, 1])
    assert play([G.READ, a, 0, 1]) == [[0.0]]
    for words, said in [
        ([99], "no command 99"),
        ([G.RUN, BASE + 99, 0, 1, 1, 1, 0], "no kernel"),
        ([G.RUN, kernel, 1, BASE + 98, 1, 1, 1, 1, 0], "no buffer"),
        ([G.RUN, kernel, 2, a, a, 1, 1, 1, 1, 0], "takes 1 buffers, not 2"),
        ([G.READ, BASE + 97, 0, 1], "no buffer"),
    ]:
        gpu.play(array("i", [G.FORMAT, *words]), [], [])
        with pytest.raises(DeviceError, match=said):
            play([G.READ, a, 0, 1])
    with pytest.raises(DeviceError, match="plays format 2, not 1"):
        gpu.play(array("i", [1]), [], []).wait()
    play([G.FREE, a])


def test_memory_that_is_not_there_is_a_clear_error(full, play, monkeypatch) -> None:
    id = BASE + 40
    with pytest.raises(DeviceError, match="(?s)webgpu: .*[Bb]uffer size"):
        play([G.BUFFER, id, 1 << 30, G.READ, id, 0, 1])  # 4 GiB, above maxBufferSize
    import wgpu

    def full_up(**options):
        raise wgpu.GPUOutOfMemoryError("Not enough memory left.")

    device = full.backend.gpu._player.device
    with monkeypatch.context() as patch:
        patch.setattr(device, "create_buffer", full_up)
        said = "out of memory: the GPU has no room for 40000000 bytes more; drop"
        with pytest.raises(DeviceError, match=said):
            play([G.BUFFER, id, 10000000, G.READ, id, 0, 1])
    assert (fogo.ones(3, device=full) + 1).tolist() == [2.0, 2.0, 2.0]


def test_a_kernel_that_does_not_compile_is_named(full, monkeypatch) -> None:
    from fogo.webgpu import backend
    from fogo.webgpu.wgsl import Printed

    def broken(kernel, half, group, enables):
        return Printed("@compute fn main() { nothing(); }", [0, 1], 1)

    monkeypatch.setattr(backend, "print_kernel", broken)
    x = fogo.tensor([1.0], device=full)
    op = Op("odd", formula=lambda x: x * 3.0)
    with pytest.raises(DeviceError, match="(?s)Shader 'odd'.*last read: odd$"):
        call(op, [x]).tolist()
    monkeypatch.undo()
    assert (x + 1).tolist() == [2.0]


async def test_reads_are_awaited(full) -> None:
    x = fogo.arange(5, device=full)
    assert await (x * x).data_async() == [0, 1, 4, 9, 16]


def test_no_op_crosses_to_the_host(full) -> None:
    backend = full.backend
    x = fogo.rand(7, 9, device=full)
    before = (backend.uploads, backend.reads)
    y = fogo.matmul(x, x.transpose()).exp().sum(0)
    many = (x > 0.5).astype("int8").sum()
    z = fogo.concat([y, y[::2]]).argmax() + many
    assert (backend.uploads, backend.reads) == before
    assert z.item() >= 0
    assert backend.reads == before[1] + 1


def test_portable_limits_are_a_switch(portable, full) -> None:
    assert portable.backend.gpu.limits == G.PORTABLE
    assert portable.backend.gpu.features == set()
    for name, value in G.PORTABLE.items():
        assert full.backend.gpu.limits[name] >= value


def test_a_software_adapter_says_so(full) -> None:
    info = full.backend.gpu.info
    kinds = {name: kind for name, kind, _ in fogo.devices()}
    assert kinds["webgpu"] == ("software" if info["software"] else "gpu")
    assert full.describe() == info["name"]


def test_an_adapter_that_is_not_there(full) -> None:
    with pytest.raises(
        DeviceError, match=r"there is no adapter 7; this machine has \d"
    ):
        fogo.device("webgpu:7")


def test_a_machine_without_gpu_or_wgpu(monkeypatch) -> None:
    from fogo.native import wgpu_gpu

    monkeypatch.setattr(wgpu_gpu, "_adapters", lambda: [])
    with pytest.raises(DeviceError, match="no GPU adapter.*Vulkan.*cpu device"):
        wgpu_gpu.open_now()
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "wgpu", None)
    with pytest.raises(DeviceError, match="wgpu-py could not be loaded.*pip install"):
        wgpu_gpu.adapters()
    names = [kind for name, kind, _ in fogo.devices() if name == "webgpu"]
    assert names == ["missing"]


def test_importing_the_backend_loads_no_wgpu() -> None:
    import subprocess

    program = "import sys, fogo.webgpu.backend, fogo.native.wgpu_gpu as w\n"
    program += "print('wgpu' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]
