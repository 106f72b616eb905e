"""Batches as the backend writes them, played by a fake that checks the format."""

from __future__ import annotations

import gc

import pytest

import fogo
from fogo.errors import DeviceError
from fogo.webgpu import use_gpu
from fogo.webgpu.backend import RUNS, fold, to_bytes, word
from fogo.webgpu.pool import LEAST
from tests.webgpu.fake import FakeGpu


def kinds(batch: list[tuple]) -> list[str]:
    return [c[0] for c in batch]


def test_a_batch_word_by_word() -> None:
    gpu = FakeGpu()
    device = use_gpu(gpu).unfused()
    x = fogo.tensor([1.0, 2.0, 3.0], device=device)
    y = x + x
    assert gpu.batches == []  # nothing is sent before it must be
    buffer = y._handle.buffer
    y.tolist()
    (batch,) = gpu.batches
    assert kinds(batch) == ["buffer", "write", "buffer", "kernel", "run", "read"]
    assert batch[0] == ("buffer", 1, LEAST) and batch[1] == ("write", 1, 3)
    assert batch[3][2].startswith("// add\n")
    # operands, then the result; one workgroup; the sizes of three 1-d arrays
    assert batch[4] == ("run", 1, [1, 1, buffer.id], (1, 1, 1), [3, 3, 3])
    assert batch[5] == ("read", buffer.id, 3)


def test_a_second_call_sends_no_source_and_numbers_stay_out_of_it() -> None:
    gpu = FakeGpu()
    device = use_gpu(gpu).unfused()
    fogo.full((5,), 1.5, device=device).tolist()
    fogo.full((5,), -2.5, device=device).tolist()
    sources = [c for batch in gpu.batches for c in batch if c[0] == "kernel"]
    assert len(sources) == len({c[2] for c in sources})
    fills = [c for batch in gpu.batches for c in batch if c[0] == "run"]
    assert fills[0][1] == fills[-2][1]
    assert word(1.5, fogo.float32) in fills[0][4]
    assert word(-2.5, fogo.float32) in fills[-2][4]


def test_reads_share_one_batch() -> None:
    gpu = FakeGpu()
    device = use_gpu(gpu).unfused()
    x = fogo.tensor([1.0, 2.0], device=device)
    handles = [(x * 2)._handle, x._handle, (x + 1)._handle]
    values = device.backend.read(handles)
    assert [len(v) for v in values] == [2, 2, 2] and list(values[1]) == [1.0, 2.0]
    assert len(gpu.batches) == 1 and kinds(gpu.batches[0])[-3:] == ["read"] * 3


def test_a_full_batch_is_sent() -> None:
    gpu = FakeGpu()
    x = fogo.tensor([1.0], device=use_gpu(gpu).unfused())
    for _ in range(2 * RUNS + 5):
        x = x + x
    assert [kinds(b).count("run") for b in gpu.batches] == [RUNS, RUNS]


def test_much_host_data_is_sent_at_once() -> None:
    gpu = FakeGpu()
    device = use_gpu(gpu).unfused()
    fogo.tensor(bytes(1 << 20), dtype="uint8", device=device)
    assert gpu.batches == []
    from array import array

    device.backend.upload(array("f", bytes(17 << 20)), (17 << 18,), fogo.float32)
    assert len(gpu.batches) == 1


def test_buffers_come_back_when_their_tensors_are_gone() -> None:
    gpu = FakeGpu()
    device = use_gpu(gpu).unfused()
    x = fogo.tensor([1.0, 2.0], device=device)
    y = x + x
    first = y._handle.buffer.id
    view = y[::-1]
    del y
    z = x + x
    assert z._handle.buffer.id != first  # the view holds it
    del view
    gc.collect()
    w = x * x
    assert w._handle.buffer.id == first  # commands run in order: reused at once
    del w
    # New host data must not go where the waiting batch still works.
    fresh = fogo.tensor([5.0, 6.0], device=device)
    assert fresh._handle.buffer.id != first
    z.tolist()
    del fresh
    again = fogo.tensor([7.0, 8.0], device=device)
    assert again._handle.buffer.id <= 4


def test_a_hundred_steps_make_no_new_buffers() -> None:
    gpu = FakeGpu()
    device = use_gpu(gpu).unfused()
    tracked = device.autodiff()
    w = fogo.rand(8, 3, device=device).to(tracked).requires_grad_()
    x = fogo.rand(16, 8, device=device).to(tracked)

    def step():
        loss = (fogo.matmul(x, w).tanh() ** 2).mean()
        return loss.backward()[w]

    for _ in range(3):
        g = step()
    backend = device.backend
    before = (backend.uploads, backend.reads, backend.pool.count, backend.pool.made)
    kernels = backend.kernels
    for _ in range(100):
        g = step()
    assert g.shape == (8, 3)
    after = (backend.uploads, backend.reads, backend.pool.count, backend.pool.made)
    assert before == after
    assert backend.kernels == kernels


def test_sizes_come_in_few_classes() -> None:
    pool = use_gpu(FakeGpu()).unfused().backend.pool
    sizes = [pool.take(4 * n).nwords for n in range(1, 4000, 7)]
    assert len(set(sizes)) < 30
    for n, size in zip(range(1, 4000, 7), sizes):
        assert n <= size <= max(LEAST, n * 1.25)


def test_memory_of_a_step_is_kept_for_the_next_and_fades() -> None:
    gpu = FakeGpu()
    device = use_gpu(gpu).unfused()
    pool = device.backend.pool
    for _ in range(3):
        big = [pool.take(32 << 20) for _ in range(8)]
        device.sync()
        del big
        device.sync()
    assert pool.bytes >= 256 << 20
    assert [kinds(b).count("free") for b in gpu.batches if kinds(b).count("free")] == []
    for _ in range(300):
        device.sync()
    assert pool.bytes <= 65 << 20
    assert sum(kinds(batch).count("free") for batch in gpu.batches) >= 6


def test_what_is_too_large_is_refused_before_any_work() -> None:
    gpu = FakeGpu(maxStorageBufferBindingSize=1 << 20)
    device = use_gpu(gpu).unfused()
    x = fogo.ones(1, device=device)
    with pytest.raises(DeviceError, match="maxStorageBufferBindingSize") as caught:
        x.expand(1 << 19) * 2.0
    assert "1048576 bytes" in str(caught.value) and "2097152" in str(caught.value)
    assert x.expand(1 << 18).contiguous().shape == (1 << 18,)  # just fits
    assert gpu.batches == []


def test_too_many_operands_are_refused_with_the_limit() -> None:
    device = use_gpu(FakeGpu(maxStorageBuffersPerShaderStage=4)).unfused()
    parts = [fogo.ones(3, device=device) for _ in range(7)]
    with pytest.raises(DeviceError, match="concat: a kernel takes at most 4 buffers"):
        fogo.concat(parts)


def test_dtypes_it_does_not_hold_are_refused_by_name() -> None:
    device = use_gpu(FakeGpu()).unfused()
    for name, instead in [
        ("float64", "float32"), ("int64", "int32"), ("uint64", "uint32"),
    ]:  # fmt: skip
        with pytest.raises(fogo.DTypeError, match=f"webgpu: .* {name}; use {instead}"):
            fogo.zeros(2, dtype=name, device=device)
    assert device.default_int is fogo.int32


def test_errors_come_with_the_next_read_and_name_the_ops() -> None:
    gpu = FakeGpu()
    device = use_gpu(gpu).unfused()
    x = fogo.tensor([1.0], device=device)
    gpu.error = "webgpu: out of memory"
    y = x.exp() * x
    with pytest.raises(DeviceError, match="out of memory; .*: exp, mul$"):
        y.tolist()
    gpu.error = None
    gpu.error = "webgpu: lost"
    with pytest.raises(DeviceError, match="lost; ops since the last read: neg$"):
        (-x).device.sync()


async def test_reads_can_be_awaited() -> None:
    gpu = FakeGpu()
    x = fogo.tensor([3.0, 4.0], device=use_gpu(gpu).unfused())
    assert await x.data_async() == [3.0, 4.0]
    gpu.error = "webgpu: lost"
    with pytest.raises(DeviceError, match="lost"):
        await (x + x).data_async()


def test_small_parts() -> None:
    assert fold(1) == (1, 1) and fold(65535) == (65535, 1)
    assert fold(65536) == (32768, 2) and fold(65535 * 3 + 1) == (49152, 4)
    assert word(-1, fogo.int32) == -1 and word(0xFFFFFFFF, fogo.uint32) == -1
    assert word(1.0, fogo.float32) == 0x3F800000
    assert word(1e300, fogo.float32) == 0x7F800000
    assert word(-1e300, fogo.float32) == 0xFF800000 - (1 << 32)
    assert to_bytes([1, 2, 3], fogo.uint8) == b"\1\2\3\0"
    assert len(to_bytes(memoryview(b"12345678"), fogo.uint8)) == 8
