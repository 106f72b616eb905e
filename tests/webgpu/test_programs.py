"""Programs on wgpu-py: kept commands, played by number, fast or by the public way."""

from __future__ import annotations

from array import array

import pytest

from fogo.errors import DeviceError
from fogo.native import wgpu_fast, wgpu_program
from fogo.webgpu import gpu as G

# x[i] = x[i] * 3 + p: the order of several runs shows in the result.
STEP = """
@group(0) @binding(0) var<uniform> P: array<vec4<i32>, 1>;
@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  x[id.x] = x[id.x] * 3 + P[0].x;
}
"""
# y = x[P.x], far out of bounds where told to
PICK = """
@group(0) @binding(0) var<uniform> P: array<vec4<i32>, 1>;
@group(0) @binding(1) var<storage, read> x: array<i32>;
@group(0) @binding(2) var<storage, read_write> y: array<i32>;
@compute @workgroup_size(1) fn main() {
  for (var i = 0; i < P[0].y; i++) { y[i] = x[i + P[0].x]; }
}
"""
BASE = 1 << 21  # ids apart from those that the backend of this GPU uses
A, B, KERNEL, PROGRAM = BASE + 1, BASE + 2, BASE + 3, BASE + 4


@pytest.fixture(params=["raw", "public"])
def play(full, request, monkeypatch):
    """Play a list of words; returns the reads as lists of ints."""
    if request.param == "public":
        monkeypatch.setattr(wgpu_program, "fast_runs", lambda device, runs: None)

    def run(*words, blobs=(), texts=()):
        batch = array("i", [G.FORMAT, *words])
        reads = full.backend.gpu.play(batch, blobs, texts).wait()
        return [list(array("i", bytes(b))) for b in reads]

    run(
        *(G.BUFFER, A, 64, G.BUFFER, B, 64), *(G.KERNEL, KERNEL, 0, 1, 1, 1),
        texts=[STEP],
    )  # fmt: skip
    yield run
    run(G.FREE, A, G.FREE, B, G.DROP, PROGRAM)


def step(p, buffer=A):
    return [G.RUN, KERNEL, 1, buffer, 1, 1, 1, 1, p]


def program(*words):
    return [G.PROGRAM, PROGRAM, len(words), *words]


def test_a_program_is_kept_and_not_run(full, play) -> None:
    words = [*step(1), *step(2), G.COPY, A, 0, B, 4, 4, *step(5, B)]
    read = [G.READ, A, 0, 4, G.READ, B, 0, 8]
    play(*program(*words))
    assert play(*read) == [[0] * 4, [0] * 8]
    assert play(G.PLAY, PROGRAM, *read) == [[5] * 4, [5] * 4 + [5] * 4]
    before = full.backend.gpu.stats()
    assert play(G.PLAY, PROGRAM, *read) == [[50] * 4, [20] * 4 + [50] * 4]
    after = full.backend.gpu.stats()
    assert after["dispatches"] - before["dispatches"] == 3
    assert after["submits"] - before["submits"] == 1
    assert after["groups"] == before["groups"]


def test_plays_keep_their_order_among_other_commands(play) -> None:
    play(*program(*step(1)))
    blob = bytes(array("i", [7, 8, 9, 10]))
    reads = play(
        *(G.PLAY, PROGRAM), *step(2), *(G.PLAY, PROGRAM), *(G.READ, A, 0, 1),
        *(G.WRITE, A, 0, 4, 0), *(G.PLAY, PROGRAM), *(G.READ, A, 0, 4),
        *step(0), *(G.READ, A, 3, 1),
        blobs=[blob],
    )  # fmt: skip
    assert reads == [[16], [22, 25, 28, 31], [93]]


def test_many_kernels_have_parameters_of_their_own(play) -> None:
    words = [w for i in range(2000) for w in step(i % 3)]  # more than one arena
    expected = 0
    for i in range(2000):
        expected = (expected * 3 + i % 3 + 2**31) % 2**32 - 2**31
    assert play(*program(*words), G.PLAY, PROGRAM, G.READ, A, 0, 1) == [[expected]]


def test_a_dropped_program_is_gone(play) -> None:
    play(*program(*step(1)), G.DROP, PROGRAM)
    with pytest.raises(DeviceError, match=f"player: there is no program {PROGRAM}"):
        play(G.PLAY, PROGRAM, G.READ, A, 0, 1)
    play(G.DROP, PROGRAM)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([G.READ, A, 0, 1], "a program takes RUN and COPY; not 7"),
        ([G.RUN, BASE + 99, 1, A, 1, 1, 1, 1, 0], f"no kernel {BASE + 99}"),
        ([G.RUN, KERNEL, 1, BASE + 98, 1, 1, 1, 1, 0], f"no buffer {BASE + 98}"),
        ([G.RUN, KERNEL, 2, A, B, 1, 1, 1, 1, 0], "takes 1 buffers, not 2"),
        ([G.COPY, A, 0, BASE + 97, 0, 1], f"no buffer {BASE + 97}"),
    ],
)
def test_a_broken_program_is_told_at_the_next_read(play, words, said) -> None:
    with pytest.raises(DeviceError, match=said):
        play(*program(*words), G.READ, A, 0, 1)


def test_errors_of_a_pass_are_told(play) -> None:
    too_many = [G.RUN, KERNEL, 1, A, 70000, 1, 1, 1, 0]
    play(*program(*too_many))
    with pytest.raises(DeviceError, match="(?s)webgpu: .*dispatch group size"):
        play(G.PLAY, PROGRAM, G.READ, A, 0, 1)
    assert play(G.READ, A, 0, 1) == [[0]]


def test_a_timed_program_gives_a_time_for_each_dispatch(full, play) -> None:
    gpu = full.backend.gpu
    play(*program(*step(1), *step(2)))
    if not gpu.profile(True):
        assert "timestamp-query" not in gpu.features
        return
    try:
        assert play(G.PLAY, PROGRAM, G.READ, A, 0, 1) == [[5]]
        assert [t[0] for t in gpu.timings()] == [KERNEL, KERNEL]
    finally:
        gpu.profile(False)


def test_wgpu_makes_modules_without_its_checks(full, monkeypatch) -> None:
    """Both kinds compute the same in bounds; wgpu-py's internals may be missing."""
    device = full.backend.gpu._player.device
    assert wgpu_fast.trusted_module(device, "pick", PICK) is not None
    assert wgpu_fast.trusted_module(object(), "pick", PICK) is None
    assert wgpu_fast.fast_runs(object(), []) is None
    monkeypatch.setattr(wgpu_fast, "_native", lambda device: None)
    assert wgpu_fast.trusted_module(device, "pick", PICK) is None


@pytest.mark.parametrize("command", [G.KERNEL, G.TRUSTED])
def test_trusted_kernels_run_as_others(play, command) -> None:
    id = BASE + 10 + command
    blob = bytes(array("i", range(8)))
    reads = play(
        *(G.WRITE, A, 0, 8, 0), *(command, id, 0, 2, 0, 1, 2),
        *(G.RUN, id, 2, A, B, 1, 1, 1, 2, 3, 4), *(G.READ, B, 0, 4),
        blobs=[blob], texts=[PICK],
    )  # fmt: skip
    assert reads == [[3, 4, 5, 6]]


def test_a_broken_trusted_kernel_is_told(play) -> None:
    broken = "@compute @workgroup_size(1) fn main() { let x: f32 = 1u; }"
    with pytest.raises(DeviceError, match="webgpu: "):
        play(G.TRUSTED, BASE + 30, 0, 1, 1, 0, G.READ, A, 0, 1, texts=[broken])
