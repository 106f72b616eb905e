"""approx.py's expansions against Python's math module, over dense ranges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fogo.dtypes import float32, float64
from fogo.kernel import approx, mathfun, tables
from tests.kernel.evaluate import function

# name -> (range, largest error in epsilons of the format, math's own half included)
RANGES = {
    "exp": (-700, 700, 1.5), "expm1": (-30, 700, 2), "log": (0, 50, 1.5),
    "log1p": (-0.99, 10, 1.5), "log2": (0, 50, 1.5), "log10": (0, 50, 2),
    "sin": (-1e3, 1e3, 2), "cos": (-1e3, 1e3, 2), "tan": (-1e3, 1e3, 3),
    "asin": (-1, 1, 3), "acos": (-1, 1, 2), "atan": (-20, 20, 2),
    "sinh": (-80, 80, 3), "cosh": (-80, 80, 3), "tanh": (-10, 10, 3),
    "asinh": (-50, 50, 2), "acosh": (1, 50, 3), "atanh": (-0.999, 0.999, 3),
    "erf": (-6, 6, 2),
}  # fmt: skip
FLOATS = [float64, float32]
IDS = ["float64", "float32"]
SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 5e-324, -1e-310, 1e-30, 700.0, -800.0, 710.0, 1e5,
    -1e22, 1e300, -1.7e308, math.inf, -math.inf, math.nan,
]  # fmt: skip


def dense(name: str, dtype: Any) -> Any:
    """Numbers evenly and by magnitude over a function's range."""
    low, high, _ = RANGES[name]
    if dtype is float32 and name in ("exp", "expm1"):
        low, high = max(low, -87), 88
    rng = np.random.default_rng(0)
    size = np.exp(rng.uniform(-40, math.log(high), 40000))
    x = np.concatenate([rng.uniform(low, high, 40000), size, -size])
    if name == "acosh":
        x = np.concatenate([x, 1 + size])
    x = x.astype(dtype.name)
    return x[(x > low) & (x < high)]


def errors(found: Any, expected: Any, dtype: Any) -> Any:
    """Relative errors in units of the format's epsilon; 0 where both are 0."""
    found = found.astype("float64")
    scale = np.where(expected == 0, 1e-300, np.abs(expected))
    return np.abs(found - expected) / scale / np.finfo(dtype.name).eps


@pytest.mark.parametrize("dtype", FLOATS, ids=IDS)
@pytest.mark.parametrize("name", list(RANGES))
def test_error_of_one_argument(name: str, dtype: Any) -> None:
    x = dense(name, dtype)
    expected = np.array([getattr(math, name)(float(v)) for v in x])
    worst = errors(function(name, dtype, x), expected, dtype).max()
    print(f"{name} {dtype.name}: {worst:.2f} epsilons")
    assert worst < RANGES[name][2]


@pytest.mark.parametrize("dtype", FLOATS, ids=IDS)
def test_error_of_atan2(dtype: Any) -> None:
    rng = np.random.default_rng(1)
    y, x = rng.uniform(-9, 9, (2, 50000)).astype(dtype.name)
    expected = np.arctan2(y.astype("float64"), x.astype("float64"))
    assert errors(function("atan2", dtype, y, x), expected, dtype).max() < 2


@pytest.mark.parametrize("dtype", FLOATS, ids=IDS)
@pytest.mark.parametrize(("largest", "bound"), [(100.0, 3.0), (math.inf, 20.0)])
def test_error_of_pow(dtype: Any, largest: float, bound: float) -> None:
    rng = np.random.default_rng(2)
    x = np.exp(rng.uniform(-30, 30, 50000))
    log = np.where(np.abs(np.log(x)) < 0.01, 1.0, np.log(x))
    limit = 700 if dtype is float64 else 85
    y = np.clip(rng.uniform(-limit, limit, 50000) / log, -largest, largest)
    x, y = x.astype(dtype.name), y.astype(dtype.name)
    expected = np.array([math.pow(float(a), float(b)) for a, b in zip(x, y)])
    assert errors(function("pow", dtype, x, y), expected, dtype).max() < bound


@pytest.mark.parametrize("top", [1e9, 1e15, 1e30, 1e300])
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_large_angles_of_float64(name: str, top: float) -> None:
    x = np.random.default_rng(3).uniform(-top, top, 5000)
    expected = np.array([getattr(math, name)(v) for v in x])
    assert errors(function(name, float64, x), expected, float64).max() < 2.5


def test_the_angle_closest_to_a_multiple_of_half_pi() -> None:
    """6381956970095103 * 2**797: its cosine is known to be -4.68716592425462761e-19."""
    x = np.array([6381956970095103.0 * 2.0**797])
    value = function("cos", float64, x)[0]
    assert abs(value / -4.68716592425462761112e-19 - 1) < 1e-15


@pytest.mark.parametrize("name", list(RANGES))
def test_special_values_are_those_of_mathfun(name: str) -> None:
    expected = [getattr(mathfun, name)(x) for x in SPECIAL]
    found = function(name, float64, np.array(SPECIAL))
    for x, a, b in zip(SPECIAL, found, expected):
        same = a == b or (math.isnan(a) and math.isnan(b))
        assert same or abs(a - b) <= 1e-15 * abs(b), (x, a, b)


@pytest.mark.parametrize("name", ["pow", "atan2"])
def test_special_pairs_are_those_of_mathfun(name: str) -> None:
    points = [*SPECIAL, 3.0, -3.0, -2.0, 1.5, -0.5, 2.0**53 + 2]
    pairs = [(a, b) for a in points for b in points]
    x, y = np.array(pairs).T
    found = function(name, float64, x, y)
    for a, b, value in zip(x, y, found):
        expected = getattr(mathfun, name)(float(a), float(b))
        same = value == expected or (math.isnan(value) and math.isnan(expected))
        assert same or abs(value - expected) <= 1e-14 * abs(expected), (a, b)


def test_every_primitive_that_needs_one_has_an_expansion() -> None:
    from fogo.expr import BINARY, UNARY_FLOAT

    exact = {"sqrt", "floor", "ceil", "trunc", "round"}
    assert {*UNARY_FLOAT, "pow", "atan2"} - exact == set(approx.FUNCTIONS)
    assert {"pow", "atan2"} < set(BINARY)


@pytest.mark.parametrize("wide", [True, False], ids=IDS)
def test_tables_are_what_fit_makes(wide: bool) -> None:
    pytest.importorskip("mpmath")
    from tests.kernel import fit

    made = tables.FLOAT64 if wide else tables.FLOAT32
    for name in fit.POLYNOMIALS:
        kind = made.dtype.name
        fresh = np.array(fit.coefficients(name, wide), kind)
        assert np.array_equal(np.array(made[name], kind), fresh), name
