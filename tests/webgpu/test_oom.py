"""A GPU whose memory is full: a clear error, and a process that goes on."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import fogo
from fogo.errors import DeviceError
from fogo.webgpu import gpu as G
from fogo.webgpu import use_gpu
from tests.support import runtimes

MIB = 1 << 20


@pytest.fixture
def small(monkeypatch) -> fogo.Device:
    """A GPU of 64 MiB."""
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    from fogo.native.wgpu_gpu import open_now

    monkeypatch.setenv("FOGO_GPU_MEMORY", str(64 * MIB))
    return use_gpu(open_now())


def raw(device):
    """The backend that owns the GPU."""
    backend = device.backend
    while backend.inner is not None:
        backend = backend.inner
    return backend


def filled(device, count, value=1.0):
    """A tensor that lies in memory."""
    x = fogo.tensor(np.full(count, value, np.float32), device=device)
    device.sync()
    return x


def still_works(device) -> None:
    gc.collect()
    x = filled(device, MIB, 3.0)
    assert (x * 2.0).sum().item() == 6.0 * MIB


def test_what_does_not_fit_is_refused_and_the_rest_lives_on(small) -> None:
    kept = filled(small, 8 * MIB, 2.0)
    with pytest.raises(
        DeviceError, match=r"out of memory.*67108864 of FOGO_GPU_MEMORY"
    ):
        filled(small, 12 * MIB)
    gc.collect()
    assert kept[5].item() == 2.0
    still_works(small)


def test_what_nobody_can_reach_makes_room(small) -> None:
    """Frames of an earlier error, say, whose circle the collector has not seen yet."""
    gc.disable()
    try:
        circle: list[object] = [filled(small, 9 * MIB)]
        circle.append(circle)
        del circle
        assert filled(small, 9 * MIB, 2.0)[3].item() == 2.0
    finally:
        gc.enable()


@pytest.mark.parametrize("given", ["much", "-5", "0", "inf"])
def test_a_limit_that_is_none(monkeypatch, given) -> None:
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    from fogo.native.wgpu_gpu import open_now

    monkeypatch.setenv("FOGO_GPU_MEMORY", given)
    with pytest.raises(DeviceError, match="a number of bytes above 0; given '" + given):
        open_now()


def test_spare_buffers_make_room(small) -> None:
    for n in (9, 10, 11, 12):  # four sizes, each of more than half the memory
        x = filled(small, n * MIB)
        assert x.sum().item() == n * MIB
        del x
        gc.collect()
    assert fogo.memory_stats(small)["peak_reserved"] <= 64 * MIB


def test_memory_that_ends_in_the_middle_of_a_batch(small) -> None:
    parts = [filled(small, 3 * MIB, float(i)) for i in range(3)]
    more = []
    with pytest.raises(DeviceError, match="out of memory"):
        for i in range(9):  # 108 MiB; where ops are fused, they wait for the sync
            more.append(parts[i % 3] * float(i))
        small.sync()
    del more
    gc.collect()
    assert [p[7].item() for p in parts] == [0.0, 1.0, 2.0]
    still_works(small)


def test_a_driver_without_memory_is_asked_again_without_the_spare(
    full, monkeypatch
) -> None:
    import wgpu

    fogo.memory_cleanup(full)
    idle = filled(full, 2 * MIB)
    del idle
    gc.collect()
    full.sync()
    before = fogo.memory_stats(full)["reserved"]
    device = raw(full).gpu._player.device
    make, refused = device.create_buffer, []

    def once(**options):
        if options["size"] > 20 * MIB and not refused:
            refused.append(options["size"])
            raise wgpu.GPUOutOfMemoryError("Not enough memory left.")
        return make(**options)

    monkeypatch.setattr(device, "create_buffer", once)
    x = filled(full, 6 * MIB, 2.0)
    assert x.sum().item() == 12 * MIB and refused == [24 * MIB]
    # The 8 MiB that were spare have gone.
    assert fogo.memory_stats(full)["reserved"] < before + 17 * MIB


def test_a_buffer_that_was_missing_is_made_when_there_is_room(
    full, monkeypatch
) -> None:
    import wgpu

    fogo.memory_cleanup(full)
    device = raw(full).gpu._player.device
    make = device.create_buffer

    def full_up(**options):
        if options["size"] > 20 * MIB:
            raise wgpu.GPUOutOfMemoryError("Not enough memory left.")
        return make(**options)

    with monkeypatch.context() as patch:
        patch.setattr(device, "create_buffer", full_up)
        with pytest.raises(
            DeviceError, match="no room for .* bytes more; drop tensors"
        ):
            filled(full, 6 * MIB)
    gc.collect()
    for _ in range(2):  # the pool hands the same buffer out
        assert filled(full, 6 * MIB, 2.0).sum().item() == 12 * MIB


def test_players_forget_what_was_missing(full) -> None:
    player = raw(full).gpu._player
    id = (1 << 20) + 77
    player.missing[id] = 64
    player.play([G.FORMAT, G.FREE, id], (), ())
    assert id not in player.missing
