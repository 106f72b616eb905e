"""Scans by groups of threads: lines, stretches of long lines, strips side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fogo

RANDOM = np.random.default_rng(3)
# One group a line; a line in stretches (with and without whole vectors); strips.
LINES = [((300,), 0), ((4097,), 0), ((5, 1000), 1), ((7, 260, 3), 1)]
STRETCHES = [((70000,), 0), ((70001,), 0), ((1000000,), 0), ((3, 9001), 1)]
STRIPS = [((900, 40), 0), ((2, 1500, 64), 1)]
SHAPES = [*LINES, *STRETCHES, *STRIPS]


def normals(shape: tuple[int, ...]) -> Any:
    """float32 normal numbers."""
    return RANDOM.normal(0, 1, shape).astype(np.float32)


def near(got: fogo.Tensor, true: Any, tolerance: float) -> None:
    """Compare with float64 values, relative to the largest."""
    scale = max(np.abs(true).max(), 1.0)
    assert np.abs(got.numpy() - true).max() <= tolerance * scale


@pytest.mark.parametrize("shape, axis", SHAPES)
def test_cumsum(shape: tuple[int, ...], axis: int, full: fogo.Device) -> None:
    a = normals(shape)
    true = a.cumsum(axis, dtype=np.float64)
    near(fogo.cumsum(fogo.tensor(a, device=full), axis), true, 2e-6)
    back = fogo.tensor(np.flip(a, axis), device=full)
    near(fogo.cumsum(fogo.flip(back, axis), axis), true, 2e-6)


@pytest.mark.parametrize("shape, axis", [LINES[2], STRETCHES[1], STRIPS[0]])
def test_cumprod(shape: tuple[int, ...], axis: int, full: fogo.Device) -> None:
    a = np.exp(normals(shape) * 1e-2).astype(np.float32)
    a[::3] *= -1
    got = fogo.cumprod(fogo.tensor(a, device=full), axis)
    true = a.astype(np.float64).cumprod(axis)
    assert (np.abs(got.numpy() - true) <= 1e-3 * np.abs(true)).all()


@pytest.mark.parametrize("shape, axis", [LINES[3], STRETCHES[3], STRIPS[1]])
@pytest.mark.parametrize("least", [False, True])
def test_extremes_and_their_places(shape, axis, least, full) -> None:  # type: ignore
    a = np.round(normals(shape) * 4)  # of equal ones the last counts
    scan = fogo.cummin if least else fogo.cummax
    values, places = scan(fogo.tensor(a, device=full), axis)
    best = (np.minimum if least else np.maximum).accumulate(a, axis)
    assert (values.numpy() == best).all()
    index = np.arange(shape[axis]).reshape([-1] + [1] * (len(shape) - axis - 1))
    last = np.maximum.accumulate(np.where(a == best, index, -1), axis)
    assert (places.numpy() == last).all()


@pytest.mark.parametrize("shape, axis", [LINES[1], STRETCHES[3], STRIPS[0]])
def test_linear_scan(shape: tuple[int, ...], axis: int, full: fogo.Device) -> None:
    a, b = RANDOM.uniform(-1, 1, shape).astype(np.float32), normals(shape)
    got = fogo.linear_scan(
        fogo.tensor(a, device=full), fogo.tensor(b, device=full), axis
    )
    near(got, recurrence(a, b, axis), 1e-6)


def recurrence(a: Any, b: Any, axis: int) -> Any:
    """h[i] = a[i] h[i-1] + b[i] in float64."""
    a, b = np.moveaxis(a, axis, 0).astype(np.float64), np.moveaxis(b, axis, 0)
    out, h = [], np.zeros(b.shape[1:])
    for x, y in zip(a, b):
        h = x * h + y
        out.append(h)
    return np.moveaxis(np.array(out), 0, axis)


@pytest.mark.parametrize("shape, axis", [LINES[0], STRETCHES[0], STRIPS[0]])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int8", "uint16", "float16"])
def test_other_dtypes(shape: Any, axis: int, dtype: str, gpu: fogo.Device) -> None:
    if dtype == "float16":
        a = RANDOM.integers(0, 2, shape) * (RANDOM.uniform(0, 1, shape) < 0.01)
        a = a.astype(dtype)
        true: Any = a.cumsum(axis, dtype=np.float64)  # whole numbers below 2,048
    else:
        info = np.iinfo(dtype)
        a = RANDOM.integers(info.min, info.max, shape, dtype, endpoint=True)
        true = a.cumsum(axis, dtype=dtype)  # wraps, as ours does
    got = fogo.cumsum(fogo.tensor(a, device=gpu), axis, dtype=dtype)
    assert got.dtype.name == dtype
    assert (got.numpy() == true).all()


@pytest.mark.parametrize("shape, axis", [LINES[1], STRETCHES[0], STRIPS[0]])
def test_integer_products_wrap(shape: Any, axis: int, full: fogo.Device) -> None:
    a = RANDOM.choice(np.array([-3, -1, 1, 5], dtype=np.int32), shape)
    got = fogo.cumprod(fogo.tensor(a, device=full), axis, dtype="int32")
    assert (got.numpy() == a.cumprod(axis, dtype=np.int32)).all()


@pytest.mark.parametrize("n", [4097, 70000])
def test_nan_and_infinities(n: int, full: fogo.Device) -> None:
    a = np.ones(n, np.float32)
    a[n // 2], a[n - 5] = math.inf, -math.inf
    t = fogo.tensor(a, device=full)
    with np.errstate(invalid="ignore"):
        assert np.array_equal(fogo.cumsum(t, 0).numpy(), a.cumsum(), equal_nan=True)
    assert (fogo.cummin(t, 0)[0].numpy() == np.minimum.accumulate(a)).all()
    a[n // 3] = math.nan
    values, places = fogo.cummax(fogo.tensor(a, device=full), 0)
    assert np.isnan(values.numpy()[n // 3 :]).all()
    assert (places.numpy()[n // 3 :] == n // 3).all()
    assert (places.numpy()[: n // 3] == np.arange(n // 3)).all()


def test_products_that_leave_the_range_by_blocks(full: fogo.Device) -> None:
    """0 before a stretch whose own product overflows stays 0, as step by step."""
    a = np.full(70000, 100.0, np.float32)
    a[0] = 0.0
    assert (fogo.cumprod(fogo.tensor(a, device=full), 0).numpy() == 0).all()
    a[0] = 1e-30
    got = fogo.cumprod(fogo.tensor(a, device=full), 0).numpy()
    assert math.isclose(got[10], 1e-10, rel_tol=1e-5) and math.isinf(got[-1])


def test_a_recurrence_at_rest_stays_at_rest(full: fogo.Device) -> None:
    a = np.full(70000, 100.0, np.float32)
    zero = fogo.zeros(70000, device=full)
    assert (fogo.linear_scan(fogo.tensor(a, device=full), zero).numpy() == 0).all()


@pytest.mark.parametrize("shape", [(0,), (1,), (0, 70000), (70000, 0), (1, 1)])
def test_empty_and_single(shape: tuple[int, ...], full: fogo.Device) -> None:
    t = fogo.ones(*shape, device=full)
    for axis in range(len(shape)):
        assert (fogo.cumsum(t, axis).numpy() == np.ones(shape).cumsum(axis)).all()
        assert fogo.cummax(t, axis)[1].shape == shape


def test_two_runs_are_equal_and_nothing_is_read(gpu: fogo.Device) -> None:
    t = fogo.tensor(normals((3, 70000)), device=gpu)
    reads, uploads = gpu.backend.reads, gpu.backend.uploads
    first, second = fogo.cumsum(t, 1), fogo.cumsum(t, 1)
    assert (gpu.backend.reads, gpu.backend.uploads) == (reads, uploads)
    assert first.numpy().tobytes() == second.numpy().tobytes()


def test_gradients_of_long_lines(full: fogo.Device) -> None:
    a, g = normals((5000,)), normals((5000,))
    x = fogo.tensor(a, device=full.autodiff()).requires_grad_()
    up = fogo.tensor(g, device=x.device)
    grad = (fogo.cumsum(x, 0) * up).sum().backward()[x]
    near(grad, g[::-1].cumsum(dtype=np.float64)[::-1], 1e-6)
    grad = (fogo.cummax(x, 0)[0] * up).sum().backward()[x]
    true = np.zeros(5000)
    best = np.maximum.accumulate(a)
    np.add.at(true, np.searchsorted(best, best, "left"), g.astype(np.float64))
    near(grad, true, 1e-6)
