"""fogo.memory_stats, memory_cleanup and reset_peak; host memory that is used again."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import fogo
from fogo import memory
from fogo.errors import DeviceError
from fogo.native.numpy_backend import STRIP
from fogo.native.numpy_memory import LARGE, Pool, size_class
from tests.support import runtimes

MIB = 1 << 20


@pytest.fixture(params=["numpy", "webgpu"])
def device(request: pytest.FixtureRequest) -> fogo.Device:
    """Each device that counts its memory."""
    runtimes.need(request.param, runtimes.why_absent(request.param))
    found = fogo.device(request.param)
    gc.collect()
    fogo.memory_cleanup(found)
    memory.reset_peak(found)
    return found


def test_tensors_are_counted_and_come_back(device) -> None:
    before = fogo.memory_stats(device)
    x = fogo.zeros(2 * MIB, device=device) + fogo.arange(2 * MIB, device=device)
    device.sync()
    during = fogo.memory_stats(device)
    assert 8 * MIB <= during["in_use"] - before["in_use"] < 40 * MIB
    assert during["reserved"] >= during["in_use"]
    assert during["buffers"] > before["buffers"]
    assert during["peak_in_use"] >= during["in_use"]
    del x
    gc.collect()
    after = fogo.memory_stats(device)
    assert after["in_use"] <= before["in_use"] + 64 * 1024
    assert after["peak_in_use"] >= during["in_use"]


def test_cleanup_gives_back_what_is_only_kept(device) -> None:
    x = fogo.ones(4 * MIB, device=device) * 2.0
    device.sync()
    del x
    gc.collect()
    before = fogo.memory_stats(device)
    freed = fogo.memory_cleanup(device)
    after = fogo.memory_stats(device)
    assert freed >= 16 * MIB and before["reserved"] - after["reserved"] == freed
    assert after["reserved"] - after["in_use"] < 64 * 1024


def test_peaks_begin_again(device) -> None:
    x = fogo.ones(4 * MIB, device=device) * 2.0
    device.sync()
    high = fogo.memory_stats(device)["peak_in_use"]
    del x
    gc.collect()
    memory.reset_peak(device)
    assert fogo.memory_stats(device)["peak_in_use"] <= high - 16 * MIB


def test_autodiff_devices_ask_the_device_below(device) -> None:
    assert fogo.memory_stats(device.autodiff()) == fogo.memory_stats(device)


@pytest.mark.parametrize("kind", ["python", "wasm"])
def test_a_device_that_does_not_count_says_so(kind: str) -> None:
    runtimes.need(kind, runtimes.why_absent(kind))
    for ask in (fogo.memory_stats, fogo.memory_cleanup, memory.reset_peak):
        with pytest.raises(DeviceError, match="must count its memory; given .*" + kind):
            ask(kind)


def test_a_block_comes_back_with_its_last_array() -> None:
    pool = Pool()
    whole = pool.take(MIB, "float32")
    address = whole.ctypes.data
    part = whole.reshape(1024, 1024)[::2, 3]
    del whole
    assert pool.stats()["in_use"] == 4 * MIB
    del part
    assert pool.stats()["in_use"] == 0 and pool.stats()["reserved"] == 4 * MIB
    again = pool.take(MIB - 5, "int32")
    assert again.ctypes.data == address and again.size == MIB - 5
    again[:] = 7
    pool.trim()
    assert int(again.sum()) == 7 * (MIB - 5)
    assert pool.stats()["reserved"] == 4 * MIB


def test_small_arrays_are_left_to_numpy() -> None:
    pool = Pool()
    assert pool.take(LARGE // 4 - 1, "float32").size == LARGE // 4 - 1
    assert pool.stats()["buffers"] == 0


@pytest.mark.parametrize("nbytes", [MIB, MIB + 1, 3 * MIB, 5_000_000, (1 << 31) + 9])
def test_classes_waste_little(nbytes) -> None:
    assert nbytes <= size_class(nbytes) < nbytes * 1.26
    assert size_class(size_class(nbytes)) == size_class(nbytes)


def test_large_formulas_go_strip_by_strip() -> None:
    count = 5 * STRIP + 3
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, count))
    device = fogo.device("numpy")
    a, b = fogo.tensor(x, device=device), fogo.tensor(y, device=device)
    assert np.array_equal((a * b + 2.5).numpy(), x * y + 2.5)
    assert np.array_equal((a > b).numpy(), x > y)
    turned = a[: 4 * STRIP].reshape((4, STRIP)).mT  # no strips of these
    assert np.array_equal(
        (turned + turned).numpy(), (x + x)[: 4 * STRIP].reshape(4, -1).T
    )
    flat = fogo.tensor(3.0, dtype=fogo.float64, device=device).expand((count,))
    assert np.array_equal((a * flat).numpy(), x * 3.0)
