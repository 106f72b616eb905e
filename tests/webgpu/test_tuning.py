"""Tuning on a real device: candidates run, nothing else notices."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

import fogo
from fogo import autotune, fast
from fogo.fast import Candidate
from fogo.ops.elementwise import COPY
from fogo.ops.matmul import MATMUL
from fogo.ops.record import Op


def _slow(k, x, y, out, times):
    """The mean of `times` products, all the same."""
    row, column = k.grid(out.shape)
    total = k.cell(0.0, x.dtype)
    with k.loop(times):
        with k.loop(x.shape[1]) as i:
            total.set(total + x[row, i] * y[i, column])
    out[row, column] = total / float(times)


SLOW = Op("slow_product", infer=MATMUL.infer, attrs=("times",), kernel=_slow)


@pytest.fixture
def tuned(full, monkeypatch):
    """A GPU of its own, which offers three kernels for a matmul, and measures."""
    from fogo.native.wgpu_gpu import open_now

    module = types.ModuleType("fogo.fast.trial")
    module.candidates = lambda op, inputs, attrs, outs, caps: [
        Candidate("32 times", SLOW, (32,)),
        Candidate("once", SLOW, (1,)),
        Candidate("in two steps", stages=[(SLOW, (16,), outs), (COPY, (), outs)]),
    ]
    monkeypatch.setitem(sys.modules, "fogo.fast.trial", module)
    monkeypatch.setitem(fast.TABLE, "matmul", "trial")
    before = dict(vars(autotune.STORE))
    vars(autotune.STORE).update(vars(autotune.Store()))
    autotune.keep_in(lambda: None, lambda text: None)
    autotune.STORE.generation = before["generation"] + 1
    autotune.mode("on")
    yield fogo.webgpu.use_gpu(open_now())
    vars(autotune.STORE).update(before)
    autotune.STORE.generation += 3


@pytest.fixture
def tuning(tuned):
    """The backend of that GPU."""
    backend = tuned.backend
    while backend.inner is not None:
        backend = backend.inner
    return backend


def pair(device):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 48, 48), dtype=np.float32)
    tensors = [fogo.tensor(a, device=device) for a in (x, y)]
    return tensors, x.astype(np.float64) @ y.astype(np.float64)


def test_the_faster_kernel_is_found_and_right(tuned, tuning) -> None:
    (x, y), true = pair(tuned)
    uploads, reads = tuned.backend.uploads, tuned.backend.reads
    z = x @ y
    tuned.sync()
    assert (tuned.backend.uploads, tuned.backend.reads) == (uploads, reads)
    assert np.abs(z.numpy() - true).max() < 1e-4
    (known,) = autotune.STORE.devices.values()
    assert [entry["best"] for entry in known.values()] == ["once"]
    (name,) = autotune.STORE.devices
    assert tuned.describe() in name and "WgpuGpu" in name


def test_batches_are_timed_where_no_clock_is_fine(tuned, tuning, monkeypatch) -> None:
    monkeypatch.setattr(type(tuning.gpu), "precise", False)
    (x, y), true = pair(tuned)
    assert np.abs((x @ y).numpy() - true).max() < 1e-4
    (known,) = autotune.STORE.devices.values()
    assert [entry["best"] for entry in known.values()] == ["once"]


def test_what_had_gone_wrong_before_is_told_not_lost(
    tuned, tuning, monkeypatch
) -> None:
    (x, y), _ = pair(tuned)
    tuned.sync()
    tuning.gpu._player.problem = "something broke"
    with pytest.raises(fogo.DeviceError, match="something broke"):
        (x @ y).numpy()


def test_a_capture_sees_nothing_of_it(tuned, tuning) -> None:
    bench = tuning.bench()
    tape = object()
    tuning.tape = tape
    try:
        assert bench.begin() and tuning.tape is None
        assert not bench.begin()  # one at a time
        bench.end()
        assert tuning.tape is tape
    finally:
        tuning.tape = None
