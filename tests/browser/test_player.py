"""The command player, on streams written by hand, in Chromium on a CPU "GPU"."""

from __future__ import annotations

import re
import struct

import pytest

BUFFER, FREE, WRITE, KERNEL, RUN, COPY, READ = range(1, 8)
PROGRAM, PLAY_PROGRAM, DROP, TRUSTED = range(8, 12)
FORMAT = 2

# out = a * scale + b, for the first n elements.
SCALE_ADD = """
@group(0) @binding(0) var<uniform> P: array<vec4<i32>, 1>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < u32(P[0].x)) {
    out[id.x] = a[id.x] * bitcast<f32>(P[0].y) + b[id.x];
  }
}
"""

# x[0] = x[0] * 3 + p: the order of several runs shows in the result.
STEP = """
@group(0) @binding(0) var<uniform> P: array<vec4<i32>, 1>;
@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@compute @workgroup_size(1) fn main() { x[0] = x[0] * 3 + P[0].x; }
"""

# out[i] = parameter i, out of 70: more than one block of parameters.
SPILL = """
@group(0) @binding(0) var<uniform> P: array<vec4<i32>, 18>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(1) fn main() {
  for (var i = 0u; i < 70u; i++) { out[i] = P[i / 4u][i % 4u]; }
}
"""

SETUP = """async () => {
  const { Player } = await import("./player.js");
  const { requestDevice } = await import("./device.js");
  window.gpu = await requestDevice();
  window.player = new Player(gpu.device);
}"""

PLAY = """async ([words, blobs, texts]) => {
  const bytes = blobs.map((blob) => new Uint8Array(blob));
  const reads = await player.play(new Int32Array(words), bytes, texts);
  return reads.map((read) => [...read]);
}"""


@pytest.fixture
def play(gpu_page):
    """Play a batch (without the version in front); return what was read."""
    gpu_page.evaluate(SETUP)

    def run(*words, blobs=(), texts=(), version=FORMAT):
        batch = [[version, *words], [list(blob) for blob in blobs], list(texts)]
        return [bytes(read) for read in gpu_page.evaluate(PLAY, batch)]

    run.page = gpu_page
    run.stats = lambda: gpu_page.evaluate("() => player.stats")
    return run


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def ints(*values):
    return struct.pack(f"<{len(values)}i", *values)


def bits(value):
    return struct.unpack("<i", struct.pack("<f", value))[0]


def test_a_kernel_runs_over_written_buffers(play):
    read = play(
        *(BUFFER, 1, 3), *(BUFFER, 2, 3), *(BUFFER, 3, 3),
        *(WRITE, 1, 0, 3, 0), *(WRITE, 2, 0, 3, 1),
        *(KERNEL, 7, 0, 3, 0, 0, 1, 2),
        *(RUN, 7, 3, 1, 2, 3, 1, 1, 1, 2, 3, bits(0.5)),
        *(READ, 3, 0, 3), *(READ, 1, 1, 2),
        blobs=[floats(1, 2, -4), floats(10, 20, 30)], texts=[SCALE_ADD],
    )  # fmt: skip
    assert read == [floats(10.5, 21, 28), floats(2, -4)]
    stats = play.stats()
    assert (stats["dispatches"], stats["batches"], stats["submits"]) == (1, 1, 1)
    assert (stats["bytesWritten"], stats["bytesRead"]) == (24, 20)


def test_buffers_and_kernels_live_on_to_the_next_batch(play):
    play(*(BUFFER, 1, 1), *(KERNEL, 1, 0, 1, 1, 1), texts=[STEP])
    play(*(RUN, 1, 1, 1, 1, 1, 1, 1, 5))
    assert play(*(RUN, 1, 1, 1, 1, 1, 1, 1, 4), *(READ, 1, 0, 1)) == [ints(19)]
    assert play.stats()["bindGroups"] == 1


def test_writes_reads_and_runs_keep_their_order(play):
    run = (RUN, 1, 1, 1, 1, 1, 1, 1, 1)
    read = play(
        *(BUFFER, 1, 1), *(KERNEL, 1, 0, 1, 1, 1),
        *run, *(READ, 1, 0, 1), *run, *(READ, 1, 0, 1),
        *(WRITE, 1, 0, 1, 0), *(READ, 1, 0, 1), *run, *(READ, 1, 0, 1),
        blobs=[ints(100)], texts=[STEP],
    )  # fmt: skip
    assert read == [ints(1), ints(4), ints(100), ints(301)]


def test_a_write_to_an_idle_buffer_splits_nothing(play):
    run = (RUN, 1, 1, 1, 1, 1, 1, 1, 1)
    play(*(BUFFER, 1, 1), *(BUFFER, 2, 1), *(KERNEL, 1, 0, 1, 1, 1), texts=[STEP])
    before = play.stats()["submits"]
    play(*run, *(WRITE, 2, 0, 1, 0), *run, blobs=[ints(9)])
    assert play.stats()["submits"] == before + 1
    play(*run, *(WRITE, 1, 0, 1, 0), *run, blobs=[ints(9)])
    assert play.stats()["submits"] == before + 3
    assert play(*(READ, 1, 0, 1), *(READ, 2, 0, 1)) == [ints(28), ints(9)]


def test_thousands_of_runs_in_one_batch(play):
    # 3000 blocks of parameters do not fit into one submit.
    runs = [w for _ in range(3000) for w in (RUN, 1, 1, 1, 1, 1, 1, 1, 1)]
    expected = 0
    for _ in range(3000):
        expected = (expected * 3 + 1) % 2**32
    read = play(
        *(BUFFER, 1, 1), *(KERNEL, 1, 0, 1, 1, 1), *runs, *(READ, 1, 0, 1),
        texts=[STEP],
    )  # fmt: skip
    assert struct.unpack("<I", read[0])[0] == expected
    assert play.stats()["dispatches"] == 3000


def test_more_parameters_than_a_block(play):
    read = play(
        *(BUFFER, 1, 70), *(KERNEL, 1, 0, 1, 1, 70),
        *(RUN, 1, 1, 1, 1, 1, 1, 70), *range(70), *(READ, 1, 0, 70),
        texts=[SPILL],
    )  # fmt: skip
    assert read == [ints(*range(70))]


def test_copies_also_within_one_buffer(play):
    read = play(
        *(BUFFER, 1, 4), *(BUFFER, 2, 4), *(WRITE, 1, 0, 4, 0),
        *(COPY, 1, 1, 2, 2, 2), *(COPY, 1, 0, 1, 1, 3),
        *(READ, 2, 0, 4), *(READ, 1, 0, 4),
        blobs=[ints(1, 2, 3, 4)],
    )  # fmt: skip
    assert read == [ints(0, 0, 2, 3), ints(1, 1, 2, 3)]


def test_a_short_blob_is_padded_and_an_empty_read_is_empty(play):
    read = play(
        *(BUFFER, 1, 2), *(BUFFER, 2, 0), *(WRITE, 1, 0, 1, 0), *(WRITE, 2, 0, 0, 1),
        *(READ, 1, 0, 2), *(READ, 2, 0, 0),
        blobs=[b"\1\2\3", b""],
    )  # fmt: skip
    assert read == [b"\1\2\3" + bytes(5), b""]


def test_freed_buffers_leave_the_caches(play):
    play(
        *(BUFFER, 1, 1), *(KERNEL, 1, 0, 1, 1, 1),
        *(RUN, 1, 1, 1, 1, 1, 1, 1, 1), *(FREE, 1),
        texts=[STEP],
    )  # fmt: skip
    stats = play.stats()
    assert (stats["buffers"], stats["bindGroups"]) == (0, 0)
    # The number may be used again; new buffers are zero.
    run = (RUN, 1, 1, 1, 1, 1, 1, 1, 2)
    assert play(*(BUFFER, 1, 1), *run, *(READ, 1, 0, 1)) == [ints(2)]


def test_a_batch_without_reads_waits_for_nothing(play):
    done = play.page.evaluate("""async () => {
      let done = false;
      player.play(new Int32Array([2, 1, 1, 4])).then(() => { done = true; });
      await null;
      return done;
    }""")
    assert done is True


def step(p, buffer=1):
    return [RUN, 1, 1, buffer, 1, 1, 1, 1, p]


def test_a_program_is_kept_and_played_by_number(play):
    words = [*step(1), *step(2), *(COPY, 1, 0, 2, 0, 1), *step(5, 2)]
    head = [*(BUFFER, 1, 1), *(BUFFER, 2, 1), *(KERNEL, 1, 0, 1, 1, 1)]
    ask = [*(READ, 1, 0, 1), *(READ, 2, 0, 1)]
    read = play(*head, *(PROGRAM, 9, len(words)), *words, *ask, texts=[STEP])
    assert read == [ints(0), ints(0)]
    assert play(PLAY_PROGRAM, 9, *ask) == [ints(5), ints(20)]
    stats = play.stats()
    assert play(PLAY_PROGRAM, 9, *step(1), *ask) == [ints(151), ints(155)]
    after = play.stats()
    assert after["submits"] == stats["submits"] + 1
    assert after["dispatches"] == stats["dispatches"] + 4
    # A write between plays comes between them; so does another run.
    read = play(
        *(PLAY_PROGRAM, 9), *(WRITE, 1, 0, 1, 0), *(PLAY_PROGRAM, 9), *ask,
        blobs=[ints(1)],
    )  # fmt: skip
    assert read == [ints(14), ints(47)]


def test_a_program_of_many_kernels(play):
    words = [w for i in range(2000) for w in step(i % 3)]
    expected = 0
    for i in range(2000):
        expected = (expected * 3 + i % 3) % 2**32
    read = play(
        *(BUFFER, 1, 1), *(TRUSTED, 1, 0, 1, 1, 1), *(PROGRAM, 4, len(words)), *words,
        *(PLAY_PROGRAM, 4), *(READ, 1, 0, 1), *(DROP, 4),
        texts=[STEP],
    )  # fmt: skip
    assert struct.unpack("<I", read[0])[0] == expected
    with pytest.raises(Exception, match="player: there is no program 4"):
        play(PLAY_PROGRAM, 4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((READ, 1, 0, 1), "a program takes RUN and COPY; not 7"),
        ((RUN, 3, 1, 1, 1, 1, 1, 0), "no kernel 3"),
        ((RUN, 1, 1, 5, 1, 1, 1, 1, 0), "no buffer 5"),
        ((RUN, 1, 2, 1, 1, 1, 1, 1, 1, 0), "kernel 1 takes 1 buffers, not 2"),
    ],
)
def test_a_broken_program_is_refused(play, words, message):
    play(*(BUFFER, 1, 1), *(KERNEL, 1, 0, 1, 1, 1), texts=[STEP])
    with pytest.raises(Exception, match=f"player: .*({message})"):
        play(PROGRAM, 2, len(words), *words)


def test_many_reads_share_one_wait(play):
    words = [w for i in range(50) for w in (READ, 1, i, 1)]
    read = play(
        *(BUFFER, 1, 50), *(WRITE, 1, 0, 50, 0), *words, blobs=[ints(*range(50))]
    )
    assert read == [ints(i) for i in range(50)]
    assert play.page.evaluate("() => player.staging.idle.length") == 1


def test_gpu_errors_come_with_the_next_read(play):
    play(*(BUFFER, 1, 2), *(BUFFER, 2, 2), *(COPY, 1, 1, 2, 1, 2))
    with pytest.raises(Exception, match=r"[Cc]opy.*(range|size|overflow|fit)"):
        play(*(READ, 1, 0, 1))
    assert play(*(READ, 1, 0, 1)) == [ints(0)]


def test_a_kernel_that_does_not_compile_says_where(play):
    code = STEP.replace("x[0] = x[0]", "x[0] = y[0]")
    with pytest.raises(Exception, match=re.compile(r"WGSL.*unresolved.*'y'", re.S)):
        play(
            *(BUFFER, 1, 1), *(KERNEL, 1, 0, 1, 1, 1),
            *(RUN, 1, 1, 1, 1, 1, 1, 1, 1), *(READ, 1, 0, 1),
            texts=[code],
        )  # fmt: skip


def test_too_large_a_buffer_is_reported(play):
    with pytest.raises(Exception, match=r"(?i)(size|memory)"):
        play(*(BUFFER, 1, 2**29), *(READ, 1, 0, 1))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((99,), "no command 99, at word 1"),
        ((FREE, 5), "no buffer 5"),
        ((READ, 5, 0, 1), "no buffer 5"),
        ((RUN, 3, 0, 1, 1, 1, 0), "no kernel 3"),
        ((BUFFER, 1, 1, BUFFER, 1, 1), "buffer 1 exists already"),
        ((BUFFER, 1, 1, READ, 1), "last command is cut off"),
    ],
)
def test_a_broken_stream_is_refused(play, words, message):
    with pytest.raises(Exception, match=f"player: .*({message})"):
        play(*words)


def test_another_format_is_refused(play):
    with pytest.raises(Exception, match="plays format 2; the batch has 1"):
        play(version=1)


def test_the_wrong_number_of_buffers_is_refused(play):
    with pytest.raises(Exception, match="kernel 1 takes 1 buffers, not 0"):
        play(*(KERNEL, 1, 0, 1, 1, 1), *(RUN, 1, 0, 1, 1, 1, 0), texts=[STEP])


def test_a_lost_device_says_so(play):
    play(*(BUFFER, 1, 1))
    play.page.evaluate("async () => { gpu.device.destroy(); await gpu.device.lost; }")
    with pytest.raises(Exception, match=r"GPU device lost .*reload the page"):
        play(*(READ, 1, 0, 1))


def test_the_adapter_is_described(gpu_page):
    gpu_page.evaluate(SETUP)
    info = gpu_page.evaluate("() => gpu.info")
    assert info["software"] is True and info["kind"] == "cpu"
    assert "swiftshader" in info["name"]
    limits = gpu_page.evaluate(
        "() => [gpu.limits.maxStorageBuffersPerShaderStage, "
        "gpu.device.limits.maxStorageBuffersPerShaderStage]"
    )
    assert limits[0] == limits[1] >= 8


def test_every_dispatch_is_timed_while_profiling(play):
    play(*(BUFFER, 1, 1), *(KERNEL, 9, 0, 1, 1, 1), texts=[STEP])
    run = (RUN, 9, 1, 1, 1, 1, 1, 1, 5)
    program = (RUN, 9, 1, 1, 1, 1, 1, 1, 7, *(COPY, 1, 0, 1, 0, 1), *run)
    play(*(PROGRAM, 3, len(program)), *program)
    assert play.page.evaluate("() => player.profile(true)") is True
    play(*run, *run, *(PLAY_PROGRAM, 3))
    read = play(*(READ, 1, 0, 1))
    x = 0
    for add in (5, 5, 7, 5):
        x = x * 3 + add
    assert read == [ints(x)]
    timings = play.page.evaluate("() => player.timings()")
    assert [key for key, _, _ in timings] == [[9, 1, 1, 1, 1, p] for p in (5, 5, 7, 5)]
    assert all(spent >= 0 for _, spent, _ in timings)
    assert play.page.evaluate("() => player.timings()") == []
    assert play.page.evaluate("() => player.profile(false)") is True
    play(*run)
    assert play.page.evaluate("() => player.timings()") == []


def test_more_dispatches_than_a_query_set_holds(play):
    play(*(BUFFER, 1, 1), *(KERNEL, 9, 0, 1, 1, 1), texts=[STEP])
    play.page.evaluate("() => player.profile(true)")
    many = (RUN, 9, 1, 1, 1, 1, 1, 1, 0) * 2100
    play(*many, *(READ, 1, 0, 1))
    assert len(play.page.evaluate("() => player.timings()")) == 2100


def test_a_device_without_timestamps_says_so(play):
    play.page.evaluate("""async () => {
      const adapter = await navigator.gpu.requestAdapter();
      const { Player } = await import("./player.js");
      window.plain = new Player(await adapter.requestDevice());
    }""")
    assert play.page.evaluate("() => plain.profile(true)") is False
    assert play.page.evaluate("() => plain.timings()") == []


def test_matrix_units_are_what_the_device_reports(play):
    found = play.page.evaluate("""async () => {
      const { matrices } = await import("./device.js");
      const info = { subgroupMatrixConfigs: [
        { componentType: "f16", resultComponentType: "f32", M: 16, N: 8, K: 4 },
        { componentType: "f8", resultComponentType: "f32", M: 1, N: 1, K: 1 },
      ] };
      return [matrices(info), matrices({}), matrices(undefined), gpu.info.matrices];
    }""")
    assert found[:3] == [[["float16", "float32", 16, 8, 4]], [], []]
    features = play.page.evaluate("() => gpu.features")
    assert bool(found[3]) == ("matrix" in features)


def test_a_buffer_without_memory_is_told_and_made_again(play):
    play.page.evaluate("""() => {
      const real = gpu.device.popErrorScope.bind(gpu.device);
      let calls = 0;
      gpu.device.popErrorScope = () => real().then((error) =>
        calls++ ? error : new GPUOutOfMemoryError("full"));
    }""")
    with pytest.raises(
        Exception, match="out of memory: the GPU has no room for 16 byt"
    ):
        play(*(BUFFER, 1, 4), *(READ, 1, 0, 4))
    run = (RUN, 1, 1, 1, 1, 1, 1, 1, 5)
    made = (KERNEL, 1, 0, 1, 1, 1)
    assert play(*made, *run, *(READ, 1, 0, 1), texts=[STEP]) == [ints(5)]
