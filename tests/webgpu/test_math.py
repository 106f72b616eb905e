"""Our WGSL mathematics against float64: error bounds, edges, integer arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import fogo
from fogo.kernel import mathfun
from fogo.webgpu.wgsl_math import ULP

F = np.float32
COUNT = 1 << 17
LEAST, MOST = 1.2e-38, 3.4e38
RANDOM = np.random.default_rng(5)


def dense(low: float, high: float) -> np.ndarray:
    return RANDOM.uniform(low, high, COUNT).astype(F)


def wide(low: float, high: float) -> np.ndarray:
    """Magnitudes spread evenly over the exponents, of either sign."""
    size = np.exp(RANDOM.uniform(math.log(low), math.log(high), COUNT))
    return (size * RANDOM.choice([-1, 1], COUNT)).astype(F)


def above(low: float, high: float) -> np.ndarray:
    return np.abs(wide(low, high))


ALL = [dense(-7, 7), wide(LEAST, MOST)]
RANGES = {
    "exp": [dense(-87, 88.7), wide(1e-30, 80)],
    "expm1": [dense(-20, 88), dense(-2, 2), wide(1e-30, 80)],
    "log": [above(LEAST, MOST), dense(0.5, 2), dense(0.999, 1.001)],
    "log2": [above(LEAST, MOST), dense(0.5, 2), dense(0.999, 1.001)],
    "log10": [above(LEAST, MOST), dense(0.5, 2), dense(0.999, 1.001)],
    "log1p": [dense(-0.999999, 4), above(1e-30, MOST), -above(1e-30, 0.999)],
    "sqrt": [above(LEAST, MOST)],
    "sin": [*ALL, dense(-6100, 6100)],
    "cos": [*ALL, dense(-6100, 6100)],
    "tan": [*ALL, dense(-6100, 6100)],
    "asin": [dense(-1, 1), wide(1e-30, 1), 1 - above(1e-7, 1)],
    "acos": [dense(-1, 1), wide(1e-30, 1), 1 - above(1e-7, 1)],
    "atan": ALL,
    "sinh": [dense(-88, 88), dense(-3, 3), wide(1e-30, 80)],
    "cosh": [dense(-88, 88), dense(-3, 3)],
    "tanh": [*ALL, dense(-1, 1)],
    "asinh": ALL,
    "acosh": [dense(1, 10), 1 + above(1e-7, 1), above(1, MOST)],
    "atanh": [dense(-1, 1), wide(1e-30, 1), 1 - above(1e-7, 1)],
    "erf": [*ALL, dense(-1, 1)],
    "pow": [
        (above(1e-30, 1e30), dense(-3, 3)),
        (dense(0.2, 3), dense(-60, 60)),
        (1 + wide(1e-7, 0.1), wide(1, 1e6)),
        (wide(1e-7, 1e7), RANDOM.integers(-5, 6, COUNT).astype(F)),
    ],
    "atan2": [(dense(-4, 4), dense(-4, 4)), (wide(1e-30, 1e30), wide(1e-30, 1e30))],
}


def ulps(got: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Distances in units of the last place; 0 where the result is not normal."""
    normal = (np.abs(true) > LEAST) & (np.abs(true) < MOST)
    true = np.where(normal, true, 1.0)
    _, exponent = np.frexp(true)
    given = np.where(normal, np.nan_to_num(got.astype(np.float64), nan=np.inf), 1.0)
    return np.abs(given - true) / np.ldexp(1.0, exponent - 24)


@pytest.mark.parametrize("name", list(RANGES))
def test_error_stays_below_the_stated_bound(name: str, full: fogo.Device) -> None:
    worst = 0.0
    for sample in RANGES[name]:
        arrays = sample if isinstance(sample, tuple) else (sample,)
        doubles = [torch.from_numpy(a.astype(np.float64)) for a in arrays]
        true = getattr(torch, name)(*doubles).numpy()
        got = getattr(fogo, name)(*[fogo.tensor(a, device=full) for a in arrays])
        error = ulps(got.numpy(), true)
        worst = max(worst, float(error.max()))
        at = [float(a[error.argmax()]) for a in arrays]
        assert error.max() <= ULP[name], f"{error.max():.2f} ulp at {at}"
    print(f"{name}: {worst:.2f} ulp")


EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, -2.5, 1e-30, -1e-30,
    1e30, -1e30, 3.4e38, -3.4e38, 16777216.0, 8388607.5, -7.25, 100.0, -100.0, 89.0,
    1e-7, -1e-7, math.inf, -math.inf, math.nan,
]  # fmt: skip
EDGES = [float(F(v)) for v in EDGES]
UNARY = [
    "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf",
    "floor", "ceil", "trunc", "round", "abs", "sign", "isnan", "isinf", "isfinite",
]  # fmt: skip
BINARY = {
    "div": "div",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "pow": "pow",
    "maximum": "max",
    "minimum": "min",
    "atan2": "atan2",
}


def agree(got: float | bool, true: float | bool) -> bool:
    """Tell whether a float32 is the true value, up to 4e-7 and flushed subnormals."""
    if isinstance(true, bool):
        return got is true
    with np.errstate(over="ignore"):
        true = float(F(true))
    if math.isnan(true) or math.isinf(true) or math.isinf(got):
        return got == true or (math.isnan(got) and math.isnan(true))
    return abs(got - true) <= 4e-7 * abs(true) + LEAST


@pytest.mark.parametrize("name", UNARY)
def test_edges_of_one_operand(name: str, full: fogo.Device) -> None:
    got = getattr(fogo, name)(fogo.tensor(EDGES, device=full)).tolist()
    true = [getattr(mathfun, name)(v) for v in EDGES]
    wrong = [(v, g, t) for v, g, t in zip(EDGES, got, true) if not agree(g, t)]
    assert not wrong


@pytest.mark.parametrize("name", list(BINARY))
def test_edges_of_two_operands(name: str, full: fogo.Device) -> None:
    pairs = [(a, b) for a in EDGES for b in EDGES]
    columns = [fogo.tensor(list(c), device=full) for c in zip(*pairs)]
    got = getattr(fogo, name)(*columns).tolist()
    true = [getattr(mathfun, BINARY[name])(a, b) for a, b in pairs]
    wrong = [(p, g, t) for p, g, t in zip(pairs, got, true) if not agree(g, t)]
    assert not wrong


def test_comparisons_with_nan(full: fogo.Device) -> None:
    a, b = np.meshgrid(np.array(EDGES, F), np.array(EDGES, F))
    x, y = fogo.tensor(a, device=full), fogo.tensor(b, device=full)
    for ours, theirs in [
        (x < y, a < b), (x <= y, a <= b), (x > y, a > b), (x >= y, a >= b),
        (x == y, a == b), (x != y, a != b),
    ]:  # fmt: skip
        assert (ours.numpy() == theirs).all()


def test_remainder_is_exact(full: fogo.Device) -> None:
    a, b = wide(1e-30, 1e30), wide(1e-6, 1e6)
    true = np.mod(a.astype(np.float64), b.astype(np.float64))
    got = fogo.remainder(fogo.tensor(a, device=full), fogo.tensor(b, device=full))
    assert ulps(got.numpy(), true).max() <= 0.5


def test_subnormal_arguments_of_logarithms(full: fogo.Device) -> None:
    """A subnormal's bits say what it is, whether or not the GPU computes with them."""
    bits = np.array([1, 2, 12345, 0x7FFFFF], np.uint32)
    got = fogo.log(fogo.tensor(bits.view(F), device=full)).numpy()
    np.testing.assert_allclose(got, np.log(bits.view(F).astype(np.float64)), rtol=1e-6)


INTS = ["int8", "int16", "int32", "uint8", "uint16", "uint32"]


def corners(dtype: str) -> np.ndarray:
    info = np.iinfo(dtype)
    some = [info.min, info.min + 1, -7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 31, 33]
    kept = [v for v in [*some, info.max - 1, info.max] if info.min <= v <= info.max]
    return np.array(kept, dtype)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", ["floordiv", "mod", "pow", "shl", "shr", "mul"])
def test_integers_wrap_and_floor(name: str, dtype: str, gpu: fogo.Device) -> None:
    """Python's integers, brought into range, are the reference."""
    a, b = np.meshgrid(corners(dtype), corners(dtype))
    bits = np.iinfo(dtype).bits
    functions = {
        "floordiv": (fogo.floor_divide, lambda p, q: p // q if q else 0),
        "mod": (fogo.remainder, lambda p, q: p % q if q else 0),
        "pow": (fogo.pow, power),
        "shl": (fogo.bitwise_left_shift, lambda p, q: shifted(p, q, bits)),
        "shr": (fogo.bitwise_right_shift, lambda p, q: p >> (q % 64 if q >= 0 else 63)),
        "mul": (fogo.mul, lambda p, q: p * q),
    }
    ours, true = functions[name]
    got = ours(fogo.tensor(a, device=gpu), fogo.tensor(b, device=gpu)).numpy()
    expected = np.vectorize(lambda p, q: wrap(true(int(p), int(q)), dtype))(a, b)
    if name == "shr":  # huge counts take every bit
        expected = np.where(b.astype(np.int64) >= 64, np.where(a < 0, -1, 0), expected)
    assert (got == expected.astype(dtype)).all()


def power(a: int, b: int) -> int:
    if b < 0:
        return 0 if abs(a) != 1 else a ** (b % 2)
    return pow(a, b, 1 << 64) if a >= 0 else (-1) ** (b % 2) * pow(-a, b, 1 << 64)


def shifted(a: int, n: int, bits: int) -> int:
    return a << n if 0 <= n < bits else 0


def wrap(value: int, dtype: str) -> int:
    info = np.iinfo(dtype)
    return (value - info.min) % (1 << info.bits) + info.min
