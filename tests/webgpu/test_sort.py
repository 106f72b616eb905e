"""Sorting on the GPU: in shared memory, by radix, and the best few."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fogo

RANDOM = np.random.default_rng(4)
SHAPES = [
    ((257,), 0), ((2048,), 0), ((2049,), 0), ((4097,), 0), ((70000,), 0),
    ((5, 300), 1), ((300, 5), 0), ((3, 5001), 1), ((5001, 3), 0),
]  # fmt: skip
DTYPES = [
    "float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool",
]  # fmt: skip


def data(shape: tuple[int, ...], dtype: str) -> Any:
    """Numbers of the whole range, many of them equal; floats with all that is odd."""
    if dtype == "bool":
        return RANDOM.integers(0, 2, shape).astype(bool)
    if not dtype.startswith("float"):
        info = np.iinfo(dtype)
        a = RANDOM.integers(info.min, info.max, shape, dtype, endpoint=True)
        a.flat[::3] = a.flat[0]
        return a
    a = RANDOM.normal(0, 1, shape).astype(dtype)
    a.flat[::7], a.flat[::5], a.flat[::10] = math.nan, 0.0, -0.0
    a.flat[3], a.flat[4] = math.inf, -math.inf
    return a


def order(a: Any, axis: int, descending: bool) -> Any:
    """NumPy's stable order; nan is the largest, equal ones keep their order."""
    if not descending:
        return np.argsort(a, axis, kind="stable")
    back = np.argsort(np.flip(a, axis), axis, kind="stable")
    return a.shape[axis] - 1 - np.flip(back, axis)


@pytest.mark.parametrize("shape, axis", SHAPES)
@pytest.mark.parametrize("descending", [False, True])
def test_argsort(shape: Any, axis: int, descending: bool, full: fogo.Device) -> None:
    a = data(shape, "float32")
    got = fogo.argsort(fogo.tensor(a, device=full), axis, descending=descending)
    assert (got.numpy() == order(a, axis, descending)).all()


@pytest.mark.parametrize("shape, axis", [((300, 5), 0), ((5001,), 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(shape: Any, axis: int, dtype: str, gpu: fogo.Device) -> None:
    a = data(shape, dtype)
    t = fogo.tensor(a, device=gpu)
    for descending in (False, True):
        values, places = fogo.sort_pairs(t, axis, descending=descending)
        true = order(a, axis, descending)
        assert (places.numpy() == true).all()
        want = np.take_along_axis(a, true, axis)
        assert np.array_equal(values.numpy(), want, equal_nan=dtype[0] == "f")


def test_a_million(full: fogo.Device) -> None:
    a = RANDOM.normal(0, 1, 1 << 20).astype(np.float32)
    values, places = fogo.sort_pairs(fogo.tensor(a, device=full))
    true = np.argsort(a, kind="stable")
    assert (places.numpy() == true).all() and (values.numpy() == a[true]).all()


def test_views(gpu: fogo.Device) -> None:
    a = RANDOM.integers(-50, 50, (60, 90)).astype(np.int32)
    t = fogo.tensor(a, device=gpu)
    assert (fogo.argsort(t.T, 1).numpy() == order(a.T, 1, False)).all()
    assert (fogo.argsort(t[::-1, 5:], 0).numpy() == order(a[::-1, 5:], 0, False)).all()
    long = fogo.tensor(np.tile(a, (40, 1)), device=gpu)[::-1, ::3]
    true = order(np.tile(a, (40, 1))[::-1, ::3], 0, True)
    assert (fogo.argsort(long, 0, descending=True).numpy() == true).all()


@pytest.mark.parametrize("shape, axis", [*SHAPES, ((300000,), 0)])
@pytest.mark.parametrize("k", [1, 5, 200])
def test_topk(shape: Any, axis: int, k: int, full: fogo.Device) -> None:
    a = data(shape, "float32")
    t = fogo.tensor(a, device=full)
    for largest in (False, True):
        values, places = fogo.topk(t, k, axis, largest=largest)
        true = np.take(order(a, axis, largest), np.arange(k), axis)
        assert (places.numpy() == true).all()
        want = np.take_along_axis(a, true, axis)
        assert np.array_equal(values.numpy(), want, equal_nan=True)


@pytest.mark.parametrize("n, k", [(5000, 0), (5000, 5000), (3000, 1000), (1025, 1)])
def test_topk_at_its_ends(n: int, k: int, gpu: fogo.Device) -> None:
    a = data((n,), "float16")
    places = fogo.topk(fogo.tensor(a, device=gpu), k)[1]
    assert (places.numpy() == order(a, 0, True)[:k]).all()


def test_topk_where_stretches_hold_fewer(full: fogo.Device) -> None:
    """The last stretch has 2 elements, all of which are among the best 4."""
    a = np.zeros(2050, np.float32)
    a[2048:], a[0] = 5.0, 7.0
    values, places = fogo.topk(fogo.tensor(a, device=full), 4)
    assert places.tolist() == [0, 2048, 2049, 1]
    assert values.tolist() == [7.0, 5.0, 5.0, 0.0]


@pytest.mark.parametrize("shape", [(0,), (1,), (0, 3000), (3000, 0), (3000, 1)])
def test_empty_and_single(shape: tuple[int, ...], full: fogo.Device) -> None:
    t = fogo.ones(*shape, device=full)
    for axis in range(len(shape)):
        assert (
            fogo.argsort(t, axis).numpy() == order(np.ones(shape), axis, False)
        ).all()


def test_two_runs_are_equal_and_nothing_is_read(gpu: fogo.Device) -> None:
    t = fogo.tensor(data((3, 5000), "float32"), device=gpu)
    reads, uploads = gpu.backend.reads, gpu.backend.uploads
    first, second = fogo.sort_pairs(t, 1), fogo.sort_pairs(t, 1)
    best = fogo.topk(t, 3, 1)
    assert (gpu.backend.reads, gpu.backend.uploads) == (reads, uploads)
    assert first[1].tolist() == second[1].tolist()
    assert best[1].shape == (3, 3)


def test_gradients(full: fogo.Device) -> None:
    a = RANDOM.normal(0, 1, 3000).astype(np.float32)
    g = RANDOM.normal(0, 1, 3000).astype(np.float32)
    x = fogo.tensor(a, device=full.autodiff()).requires_grad_()
    grad = (fogo.sort(x) * fogo.tensor(g, device=x.device)).sum().backward()[x]
    true = np.empty(3000, np.float32)
    true[np.argsort(a)] = g
    assert (grad.numpy() == true).all()
    grad = (fogo.topk(x, 3)[0] ** 2).sum().backward()[x]
    best = np.argsort(-a)[:3]
    true = np.zeros(3000, np.float32)
    true[best] = 2 * a[best]
    assert np.allclose(grad.numpy(), true)
