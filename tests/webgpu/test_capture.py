"""What is captured, word by word, on a player that checks the format."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import fogo
from fogo.webgpu.backend import WebGpu
from fogo.webgpu.pool import Pool
from fogo.webgpu.stream import Stream
from tests.webgpu.fake import FakeGpu


@pytest.fixture
def gpu() -> FakeGpu:
    return FakeGpu()


@pytest.fixture
def device(gpu: FakeGpu) -> fogo.Device:
    """A device without Fusion on the fake."""
    return fogo.Device("webgpu", WebGpu(gpu))


def kinds(gpu: FakeGpu) -> list[list[str]]:
    return [[c[0] for c in batch] for batch in gpu.batches]


def test_a_call_is_one_batch_of_copies_and_a_play(gpu: FakeGpu, device: Any) -> None:
    x, y = fogo.ones(3, device=device), fogo.zeros(3, device=device)
    f = fogo.compile(lambda x, y: (x + y) * x)
    f(x, y)
    device.sync()
    gpu.batches.clear()
    f(x, y)
    assert kinds(gpu) == [["copy", "copy", "play", "run", "run"]]
    gpu.batches.clear()
    f(x, y)  # the same arguments are there already
    assert kinds(gpu) == [["play", "run", "run"]]
    gpu.batches.clear()
    held = f(y, x)
    f(y, x)
    assert [k for k in kinds(gpu)[1] if k != "buffer"] == ["copy", "play", "run", "run"]
    assert held.shape == (3,)


def test_a_play_makes_no_buffers_and_no_kernels(gpu: FakeGpu, device: Any) -> None:
    w = fogo.zeros(5, device=device)

    def step(x):
        w.assign(w + x)
        return w.sum()

    f, x = fogo.compile(step), fogo.ones(5, device=device)
    for _ in range(4):
        f(x)
    gpu.batches.clear()
    for _ in range(20):
        f(x)
    assert {k for batch in kinds(gpu) for k in batch} == {"play", "run", "copy"}
    assert len(gpu.batches) == 20


def test_host_data_made_inside_is_written_once(gpu: FakeGpu, device: Any) -> None:
    f = fogo.compile(lambda x: x * fogo.tensor([1.0, 2.0, 3.0], device=device))
    x = fogo.ones(3, device=device)
    for _ in range(3):
        f(x)
    writes = [c for batch in gpu.batches for c in batch if c[0] == "write"]
    assert len(writes) == 1


def test_a_program_that_is_dropped_gives_its_memory_back(device: Any) -> None:
    pool = device.backend.pool
    x = fogo.ones(5000, device=device)
    f = fogo.compile(lambda x: ((x + 1.0) * 2.0).exp())
    for _ in range(3):
        f(x)
    count, used = pool.count, pool.bytes - pool.spare
    f.drop()
    gc.collect()
    device.sync()
    assert pool.bytes - pool.spare < used
    for _ in range(3):
        f(x)
    assert pool.count <= count + 1


def test_reserved_buffers_are_nobody_elses() -> None:
    pool = Pool(Stream(), FakeGpu().limits)
    a, b = pool.take(400), pool.take(400)
    idle, kept = a.id, b.id
    a.release()
    pool.sent()
    before = pool.reserve()
    c, d = pool.take(400), pool.take(400)
    assert c.id == idle and d.id not in (idle, kept)
    again = c.id
    c.release()
    assert pool.take(400).id == again  # returns at once when dropped, and is reused
    used, unused = pool.restore(before)
    assert set(used) == {d.id} and [id for id, _ in unused] == [again]
    other = pool.take(400)
    assert other.id not in (idle, d.id, kept)
    d.release()
    pool.sent()
    e = pool.take(400)
    assert e.id == list(used)[0]
    pool.take_back(unused)
    last = pool.take(400)
    assert last.id == idle
    assert pool.adopted == [] and pool.spare == 0


def test_a_lent_buffer_shows_memory_that_it_does_not_own() -> None:
    pool = Pool(Stream(), FakeGpu().limits)
    owner, other = pool.take(400), pool.take(400)
    lent = owner.lent()
    assert (lent.id, lent.lender) == (owner.id, owner)
    number = owner.id
    del owner
    third = pool.take(400)
    assert third.id != number  # it is still shown
    lent.move(other)
    assert (lent.id, lent.lender) == (other.id, other)
    assert pool.take(400).id == number


def test_a_kernel_says_itself_that_it_may_be_trusted(gpu: FakeGpu, device: Any) -> None:
    from fogo.dispatch import call
    from fogo.ops.record import Aval, Op

    def double(k, x, out):
        k.trusted = True
        c = k.grid(out.shape)
        out[c] = x[c] + x[c]

    op = Op("double", infer=lambda avals, attrs: avals, kernel=double)
    x = fogo.ones(3, device=device)
    call(op, [x]).tolist()
    made = [c for batch in gpu.batches for c in batch if c[0] in ("kernel", "trusted")]
    assert [c[0] for c in made if "// double\n" in c[2]] == ["trusted"]
    assert [c[0] for c in made if "// fill\n" in c[2]] == ["kernel"]
    assert Aval((3,), fogo.float32).shape == (3,)
