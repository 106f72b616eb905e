"""Printed WebAssembly against NumPy and Python's integers: ops, dtypes, casts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.dispatch import call as run_op
from fogo.dtypes import INTS
from fogo.expr import bitcast, call, cast
from fogo.ops.record import Op

COUNTER = itertools.count()


def formula(device: fogo.Device, function: Callable[..., Any], *tensors: Any) -> Any:
    """Run a formula as an op of its own on tensors of one shape."""
    op = Op(f"test_formula_{next(COUNTER)}", formula=function)
    return run_op(op, tensors)


def wrap(value: int, dtype: Any) -> int:
    """An integer as a dtype of its width keeps it."""
    value &= (1 << dtype.bits) - 1
    return value - (1 << dtype.bits) if value > dtype.max else value


def edges(dtype: Any) -> list[int]:
    """The values of an integer dtype at which arithmetic goes wrong."""
    near = [dtype.min, dtype.min + 1, dtype.max, dtype.max - 1, 0, 1, 2, 3, 7, 100]
    return near + ([-1, -2, -3, -7] if dtype.kind == "int" else [])


INTEGER: dict[str, Callable[[int, int, Any], int]] = {
    "add": lambda a, b, d: a + b,
    "sub": lambda a, b, d: a - b,
    "mul": lambda a, b, d: a * b,
    "floordiv": lambda a, b, d: a // b if b else 0,
    "mod": lambda a, b, d: a % b if b else 0,
    "min": lambda a, b, d: min(a, b),
    "max": lambda a, b, d: max(a, b),
    "and": lambda a, b, d: a & b,
    "or": lambda a, b, d: a | b,
    "xor": lambda a, b, d: a ^ b,
    "shl": lambda a, b, d: a << b if 0 <= b < d.bits else 0,
    "shr": lambda a, b, d: a >> b if 0 <= b < d.bits else (-1 if a < 0 else 0),
}
UNARY: dict[str, Callable[[int, Any], int]] = {
    "neg": lambda a, d: -a,
    "abs": lambda a, d: abs(a),
    "not": lambda a, d: ~a,
    "sign": lambda a, d: (a > 0) - (a < 0),
}


@pytest.mark.parametrize("dtype", INTS, ids=lambda d: d.name)
@pytest.mark.parametrize("name", list(INTEGER))
def test_integers_at_their_edges(name: str, dtype: Any, wasm: fogo.Device) -> None:
    pairs = list(itertools.product(edges(dtype), repeat=2))
    a = fogo.tensor([p[0] for p in pairs], dtype=dtype, device=wasm)
    b = fogo.tensor([p[1] for p in pairs], dtype=dtype, device=wasm)
    found = formula(wasm, lambda x, y: call(name, x, y), a, b).tolist()
    assert found == [wrap(INTEGER[name](x, y, dtype), dtype) for x, y in pairs]


@pytest.mark.parametrize("dtype", INTS, ids=lambda d: d.name)
@pytest.mark.parametrize("name", ["floordiv", "mod", "shl", "shr"])
def test_integers_by_a_literal(name: str, dtype: Any, wasm: fogo.Device) -> None:
    """Literal divisors and counts are printed another way."""
    values = edges(dtype)
    a = fogo.tensor(values, dtype=dtype, device=wasm)
    for b in [v for v in (0, 1, 2, 8, 3, 7, 100, -1, -3) if dtype.min <= v]:
        found = formula(wasm, lambda x, b=b: call(name, x, b), a).tolist()
        assert found == [wrap(INTEGER[name](v, b, dtype), dtype) for v in values], b


@pytest.mark.parametrize("dtype", INTS, ids=lambda d: d.name)
@pytest.mark.parametrize("name", list(UNARY))
def test_integers_of_one_operand(name: str, dtype: Any, wasm: fogo.Device) -> None:
    values = edges(dtype)
    a = fogo.tensor(values, dtype=dtype, device=wasm)
    found = formula(wasm, lambda x: call(name, x), a).tolist()
    assert found == [wrap(UNARY[name](v, dtype), dtype) for v in values]


@pytest.mark.parametrize("dtype", INTS, ids=lambda d: d.name)
@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_integers_compare_by_their_sign(
    name: str, dtype: Any, wasm: fogo.Device
) -> None:
    pairs = list(itertools.product(edges(dtype), repeat=2))
    a = fogo.tensor([p[0] for p in pairs], dtype=dtype, device=wasm)
    b = fogo.tensor([p[1] for p in pairs], dtype=dtype, device=wasm)
    found = formula(wasm, lambda x, y: call(name, x, y), a, b).tolist()
    assert found == [getattr(x, f"__{name}__")(y) for x, y in pairs]


FLOATS = ["float16", "float32", "float64"]
NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 3.5, -0.1, 7.3, 1000.7, -59999.0,
           1e-7, math.inf, -math.inf, math.nan]  # fmt: skip
FLOATING: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "min": np.minimum, "max": np.maximum, "mod": np.remainder,
    "floordiv": np.floor_divide, "lt": np.less, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
ROUNDING: dict[str, Callable[[Any], Any]] = {
    "neg": np.negative, "abs": np.abs, "sqrt": np.sqrt, "floor": np.floor,
    "ceil": np.ceil, "trunc": np.trunc, "round": np.rint, "sign": np.sign,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
}  # fmt: skip


def tensor(values: Any, dtype: str, device: fogo.Device) -> Any:
    return fogo.tensor([float(v) for v in values], dtype=dtype, device=device)


def rounded(values: Any, dtype: str) -> Any:
    """What a dtype holds of float64 results; bools stay."""
    if values.dtype == bool:
        return values
    with np.errstate(over="ignore"):
        return values.astype(dtype).astype("float64")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", list(FLOATING))
def test_floats_of_two_operands(name: str, dtype: str, wasm: fogo.Device) -> None:
    pairs = np.array(list(itertools.product(NUMBERS, repeat=2))).astype(dtype)
    a, b = pairs.T.astype("float64")
    if name == "floordiv":  # NumPy gives nan for what Python gives 0 or -1
        keep = np.isfinite(a) & np.isfinite(b)
        a, b = a[keep], b[keep]
    with np.errstate(all="ignore"):
        expected = rounded(FLOATING[name](a, b), dtype)
    x, y = tensor(a, dtype, wasm), tensor(b, dtype, wasm)
    found = np.array(formula(wasm, lambda p, q: call(name, p, q), x, y).tolist())
    if name == "mod":  # the sign of a divisor that is infinite: as Python has it
        expected = np.where(np.isinf(b) & np.isfinite(a), found, expected)
    np.testing.assert_allclose(found, expected, {"float16": 1e-3}.get(dtype, 1e-7))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", list(ROUNDING))
def test_floats_of_one_operand(name: str, dtype: str, wasm: fogo.Device) -> None:
    a = np.array(NUMBERS).astype(dtype).astype("float64")
    with np.errstate(all="ignore"):
        expected = rounded(ROUNDING[name](a), dtype)
    found = formula(wasm, lambda p: call(name, p), tensor(a, dtype, wasm)).tolist()
    np.testing.assert_array_equal(found, expected)


def test_remainders_are_exact(wasm: fogo.Device) -> None:
    """Quotients beyond 2**53, and divisors below the normal numbers."""
    a = [1e300, 1.7e308, 5.3, 1e17, 1.0, 3e-310, -1e22, 2.0**53 + 2]
    b = [3.7, 7e-324, 0.7, 3.0, 5e-324, 7e-320, 0.1, -3.0]
    x, y = tensor(a, "float64", wasm), tensor(b, "float64", wasm)
    assert (x % y).tolist() == [p % q for p, q in zip(a, b)]


ALL = ["bool", *[d.name for d in INTS], *FLOATS]


def converted(value: float, target: str) -> Any:
    """What a cast gives: integers wrap and truncate, nan and infinities are 0."""
    if target == "bool":
        return value != 0
    if target.startswith("float"):
        with np.errstate(over="ignore"):
            return float(np.array(value).astype(target))
    whole = math.trunc(value) if math.isfinite(value) else 0
    return wrap(whole, fogo.dtype(target))


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_casts(source: str, target: str, wasm: fogo.Device) -> None:
    if source == "bool":
        values: list[Any] = [True, False]
    elif source in FLOATS:
        raw = [*NUMBERS, 300.9, -1.5, 40000.2, 70000.0, 3e9, -3e9, 1e18]
        values = rounded(np.array(raw), source).tolist()
    else:
        values = edges(fogo.dtype(source))
    x = fogo.tensor(values, dtype=source, device=wasm)
    found = x.astype(target).tolist()
    expected = [converted(v, target) for v in values]
    np.testing.assert_array_equal(found, expected)


def test_float16_rounds_as_numpy_does(wasm: fogo.Device) -> None:
    """Every float16, the points between neighbours, and numbers close to those."""
    every = np.arange(1 << 16, dtype="u2").view("f2")
    x = fogo.tensor(every.view("u2").tolist(), dtype="uint16", device=wasm)
    as_float = formula(wasm, lambda v: bitcast(v, fogo.float16), x).astype("float32")
    np.testing.assert_array_equal(as_float.numpy(), every.astype("f4"))
    finite = np.sort(every[np.isfinite(every)].astype("f8"))
    middle = (finite[1:] + finite[:-1]) / 2
    wide = np.concatenate([middle, np.nextafter(middle, 1e9), middle * (1 - 1e-9)])
    wide = np.concatenate([wide, [65519.9, 65520.0, 1e9, -1e9, 1e-9, np.inf, np.nan]])
    with np.errstate(over="ignore"):
        expected = wide.astype("f2")
    found = fogo.tensor(wide, dtype="float64", device=wasm).astype("float16")
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize(
    ("source", "target"),
    [("float32", "uint32"), ("float32", "int32"), ("float64", "int64"),
     ("float64", "uint64"), ("float16", "uint16"), ("int8", "uint8"),
     ("uint32", "float32"), ("int64", "float64"), ("uint16", "int16")],
)  # fmt: skip
def test_bitcasts(source: str, target: str, wasm: fogo.Device) -> None:
    values = np.random.default_rng(0).integers(0, 256, 512, "u1").view(source)
    values = values[~np.isnan(values)] if source.startswith("float") else values
    if target.startswith("float"):
        values = values[~np.isnan(values.view(target))]
    x = fogo.tensor(values, dtype=source, device=wasm)
    found = formula(wasm, lambda v: bitcast(v, fogo.dtype(target)), x).numpy()
    np.testing.assert_array_equal(found, values.view(target))


@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "erf", "atan", "log1p"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_are_right_to_a_unit(
    name: str, dtype: str, wasm: fogo.Device
) -> None:
    """float32 is computed in float64: right to little more than half a unit."""
    x = np.random.default_rng(1).uniform(0.01, 20, 20000).astype(dtype)
    expected = np.array([getattr(math, name)(float(v)) for v in x])
    found = getattr(fogo.tensor(x, device=wasm), name)().numpy().astype("float64")
    units = np.abs(found - expected) / np.spacing(np.abs(expected).astype(dtype))
    assert units.max() <= (0.51 if dtype == "float32" else 3)


def test_powers(wasm: fogo.Device) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.uniform(0.01, 50, 5000), rng.uniform(-40, 40, 5000)
    x, y = tensor(a, "float64", wasm), tensor(b, "float64", wasm)
    np.testing.assert_allclose((x**y).numpy(), a**b, 1e-15)
    for n in (-1.0, 2.0, 3.0, 4.0, 0.5, -2.0):
        np.testing.assert_allclose((x**n).numpy(), a**n, 1e-15)
    small = fogo.tensor([3, -2, 7, 0, 1, -1], dtype="int32", device=wasm)
    times = fogo.tensor([4, 31, 0, 0, -2, -3], dtype="int32", device=wasm)
    assert (small**times).tolist() == [81, -(2**31), 1, 1, 1, -1]


def test_where_takes_nothing_from_the_other_side(wasm: fogo.Device) -> None:
    """A costly side is skipped, a cheap one discarded: the values are the same."""
    x = np.linspace(-2, 2, 41)

    def both(v: Any) -> Any:
        shared = v * v + 1.0
        heavy = call("log", shared) * call("exp", v) + shared
        return fogo.expr.where(v > 0.0, heavy, shared * 2.0)

    found = formula(wasm, both, tensor(x, "float64", wasm)).numpy()
    shared = x * x + 1
    expected = np.where(x > 0, np.log(shared) * np.exp(x) + shared, shared * 2)
    np.testing.assert_allclose(found, expected, 1e-15)


def test_a_cast_in_the_middle_rounds(wasm: fogo.Device) -> None:
    x = np.random.default_rng(3).uniform(-3, 3, 500)

    def through(v: Any) -> Any:
        return cast(cast(v * 1.1, fogo.float32), fogo.float64) - v

    found = formula(wasm, through, tensor(x, "float64", wasm)).numpy()
    np.testing.assert_array_equal(found, (x * 1.1).astype("f4").astype("f8") - x)
