"""Reductions of many elements into few go in stages, on every layout and dtype."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fogo
from fogo.fast import Caps, reduce
from fogo.ops.record import Aval
from fogo.shapes import Layout

RANDOM = np.random.default_rng(2)
SHAPES = [
    ((100003,), None),
    ((257, 513), None),
    ((3, 40001), 1),
    ((40001, 3), 0),
    ((5, 3001, 4), 1),
    ((5, 3001, 4), (0, 1)),
    ((5, 3001, 4), (1, 2)),
    ((64, 4, 300), (0, 2)),
]


@pytest.mark.parametrize("shape, axis", SHAPES)
def test_sums_and_extremes(shape, axis, full) -> None:
    a = RANDOM.normal(1, 1, shape).astype(np.float32)
    for t, b in [
        (fogo.tensor(a, device=full), a),
        (fogo.tensor(a.T, device=full).transpose(0, -1) if a.ndim == 2 else None, a),
        (fogo.tensor(a, device=full)[::-1], a[::-1]),
    ]:
        if t is None:
            continue
        true = b.sum(axis, dtype=np.float64)
        np.testing.assert_allclose(t.sum(axis).numpy(), true, rtol=2e-6)
        assert (t.max(axis).numpy() == b.max(axis)).all()
        assert (t.min(axis).numpy() == b.min(axis)).all()


@pytest.mark.parametrize("dtype", ["int32", "int8", "uint16", "float16", "bool"])
def test_other_dtypes(dtype: str, gpu: fogo.Device) -> None:
    a = RANDOM.integers(0, 2, (3, 20011)).astype(dtype)
    a[1] = 1
    t = fogo.tensor(a, device=gpu)
    if dtype == "bool":
        assert t.all(1).tolist() == [False, True, False]
        assert t.any(1).tolist() == [True, True, True]
        assert t.all().item() is False
    elif dtype == "float16":
        true = a.astype(np.float64).sum(1)
        assert np.abs(t.sum(1).numpy() - true).max() <= 8  # halves near 10,000
    else:
        assert t.sum(1).tolist() == a.sum(1, dtype=np.int64).tolist()
        assert t.max(1).tolist() == [1, 1, 1]


def test_nan_and_infinities_pass_the_stages(full: fogo.Device) -> None:
    a = RANDOM.normal(0, 1, 50000).astype(np.float32)
    a[777] = math.nan
    t = fogo.tensor(a, device=full)
    assert math.isnan(t.sum().item()) and math.isnan(t.max().item())
    a[777] = math.inf
    t = fogo.tensor(a, device=full)
    assert t.sum().item() == math.inf and t.max().item() == math.inf
    assert t.min().item() == a.min()


def test_a_long_sum_is_split_and_no_thread_sums_it_alone(full: fogo.Device) -> None:
    x = fogo.ones(1 << 20, device=full)
    full.sync()
    before = full.backend.gpu.stats()["dispatches"]
    assert x.sum().item() == 1 << 20
    assert full.backend.gpu.stats()["dispatches"] - before == 2
    assert parts((1 << 20,), (0,)) == 128
    assert parts((60,), (0,)) is None  # too short
    assert parts((1 << 14, 1 << 10), (1,)) == 1  # enough groups as it is
    assert parts((1 << 20, 4), (0,)) > 100  # columns, too


def parts(shape: tuple[int, ...], axes: tuple[int, ...]) -> int | None:
    """Among how many groups each result of a reduction is shared."""
    kept = tuple([n for a, n in enumerate(shape) if a not in axes])
    out = Aval(kept, fogo.float32)
    tile = reduce.choose([Layout(shape)], [fogo.float32], axes, out, Caps())
    return tile[3] if tile else None


def test_gradients_through_the_stages(full: fogo.Device) -> None:
    a = RANDOM.normal(0, 1, (2, 9001)).astype(np.float32)
    x = fogo.tensor(a, device=full.autodiff()).requires_grad_()
    grads = (x * x).sum().backward()
    np.testing.assert_allclose(grads[x].numpy(), 2 * a, rtol=1e-6)
