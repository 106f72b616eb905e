"""Every elementwise function beside NumPy in float64: dtypes, values, numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import fogo
from tests.array_api.standard import BINARY, COMPARISONS, ELEMENTWISE, UNARY
from tests.support import sampling

# NumPy's names where they differ from the standard's.
NUMPY = {"conj": "conjugate", "abs": "absolute"}
# Where functions have values; the rest take numbers of both signs.
DOMAINS = {
    "acos": (-0.9, 0.9), "asin": (-0.9, 0.9), "atanh": (-0.9, 0.9), "acosh": (1.1, 4.0),
    "log": (0.1, 4.0), "log10": (0.1, 4.0), "log1p": (-0.9, 4.0), "log2": (0.1, 4.0),
    "sqrt": (0.1, 4.0), "tan": (-1.2, 1.2),
}  # fmt: skip
SECOND = {"bitwise_left_shift": (0, 5), "bitwise_right_shift": (0, 5), "pow": (0, 3)}
SHAPES = ((2, 3), (), (0, 3), (5,))
TOLERANCE = {"float32": 2e-6, "float64": 1e-13, "complex64": 4e-6, "complex128": 1e-13}


def reference(name: str) -> Any:
    return getattr(np, NUMPY.get(name, name))


def numbers(shape: Any, dtype: str, name: str, place: int) -> Any:
    """Small numbers in the domain of a function; never 0 as a second operand."""
    random = np.random.default_rng(len(name) + 10 * place)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.random(shape) < 0.5
    low, high = SECOND.get(name, (-3, 3)) if place else (-9, 9)
    if kind in "iu":
        values = random.integers(max(low, 0) if kind == "u" else low, high, shape)
        return (values + (values == 0) * place * (name not in SECOND)).astype(dtype)
    low, high = DOMAINS.get(name, (-3.0, 3.0))
    if place and name in SECOND:
        low, high = 0.5, 2.0
    if name == "pow" and not place and kind == "f":
        low = 0.1
    values = random.uniform(low, high, shape)
    if kind == "c":
        values = values + 1j * random.uniform(-2, 2, shape)
    return np.asarray(values).astype(dtype)


def wide(array: Any) -> Any:
    kinds = {"f": "float64", "c": "complex128"}
    kind = kinds.get(np.asarray(array).dtype.kind)
    return np.asarray(array) if kind is None else np.asarray(array, kind)


def result_name(dtype: str, rule: str) -> str:
    if rule == "bool":
        return "bool"
    parts = {"complex64": "float32", "complex128": "float64"}
    return parts.get(dtype, dtype) if rule == "real" else dtype


def near(tensor: Any, want: Any, dtype: str, factor: float = 1.0) -> None:
    """Equal shapes, dtypes and values, within what the dtype can tell."""
    assert tensor.dtype.name == dtype
    assert tensor.shape == np.shape(want)
    bound = TOLERANCE.get(dtype, 0.0) * factor
    with np.errstate(all="ignore"):
        want = np.asarray(want).astype(dtype)
    got = tensor.numpy()
    assert np.allclose(got, want, rtol=bound, atol=bound, equal_nan=True), (got, want)


def holds(device: fogo.Device, *names: str) -> bool:
    held = device.base().backend.holds
    return all(fogo.dtype(n) in held for n in names)


CASES = [
    (name, dtype) for name, (_, dtypes, _) in ELEMENTWISE.items() for dtype in dtypes
]


@pytest.mark.parametrize("name", sorted(ELEMENTWISE))
def test_values(name: str, device: fogo.Device) -> None:
    count, dtypes, rule = ELEMENTWISE[name]
    for dtype in dtypes:
        if not holds(device, dtype):
            with pytest.raises(fogo.DTypeError, match=f"does not hold {dtype}; use"):
                fogo.ones(1, dtype=dtype, device=device)
            continue
        for shape in SHAPES:
            if sampling.keep(f"{name}{dtype}{shape}") or shape == (2, 3):
                one(name, count, dtype, rule, shape, device)


def one(
    name: str, count: int, dtype: str, rule: str, shape: Any, device: fogo.Device
) -> None:
    arrays = [numbers(shape, dtype, name, place) for place in range(count)]
    tensors = [fogo.tensor(a, device=device) for a in arrays]
    got = getattr(fogo, name)(*tensors)
    own = name == "nextafter" or arrays[0].dtype.kind in "iub"
    operands = arrays if own else [wide(a) for a in arrays]
    with np.errstate(all="ignore"):
        want = reference(name)(*operands)
    factor = 8.0 if name in ("pow", "expm1", "log1p") or "complex" in dtype else 1.0
    near(got, want, result_name(dtype, rule), factor)


@pytest.mark.parametrize(
    "name", sorted(n for n, rules in ELEMENTWISE.items() if rules[0] == 2)
)
def test_python_numbers(name: str, device: fogo.Device) -> None:
    """A number on either side has the tensor's dtype."""
    for dtype in ELEMENTWISE[name][1]:
        if not holds(device, dtype):
            continue
        array = numbers((3,), dtype, name, 1)
        number: Any = {"b": True, "i": 2, "u": 2, "f": 1.5, "c": 1.5 - 1j}[
            array.dtype.kind
        ]
        x = fogo.tensor(array, device=device)
        rule = ELEMENTWISE[name][2]
        other = np.asarray(number, dtype)
        own = name == "nextafter" or array.dtype.kind in "iub"
        a, b = (array, other) if own else (wide(array), wide(other))
        function = getattr(fogo, name)
        near(function(x, number), reference(name)(a, b), result_name(dtype, rule), 8.0)
        near(function(number, x), reference(name)(b, a), result_name(dtype, rule), 8.0)


def operands(name: str, dtype: str, device: fogo.Device) -> tuple[Any, Any]:
    pair = [numbers((2, 3), dtype, name, place) for place in (0, 1)]
    return tuple(fogo.tensor(a, device=device) for a in pair)  # type: ignore[return-value]


def test_operators(device: fogo.Device) -> None:
    """Each operator, reflected and in place too, is its function."""
    for operator, name in {**BINARY, **COMPARISONS}.items():
        for dtype in ELEMENTWISE[name][1]:
            if not holds(device, dtype):
                continue
            x, y = operands(name, dtype, device)
            want = getattr(fogo, name)(x, y)
            equal(getattr(x, f"__{operator}__")(y), want)
            if operator in BINARY:
                equal(getattr(y, f"__r{operator}__")(x), want)
    for operator, name in UNARY.items():
        for dtype in ELEMENTWISE[name][1]:
            if holds(device, dtype):
                x, _ = operands(name, dtype, device)
                equal(getattr(x, operator)(), getattr(fogo, name)(x))


def equal(got: Any, want: Any) -> None:
    assert got.dtype is want.dtype
    assert np.array_equal(got.numpy(), want.numpy(), equal_nan=want.dtype.inexact)


def test_operators_in_place(device: fogo.Device) -> None:
    x = fogo.tensor([6, 5], dtype="int32", device=device)
    y = fogo.tensor([2, 3], dtype="int32", device=device)
    names = {}
    for operator in ("+", "-", "*", "//", "%", "**", "&", "|", "^", "<<", ">>"):
        space = {"x": x, "y": y}
        exec(f"x {operator}= y", space)
        names[operator] = space["x"].tolist()
    assert names == {
        "+": [8, 8], "-": [4, 2], "*": [12, 15], "//": [3, 1], "%": [0, 2],
        "**": [36, 125], "&": [2, 1], "|": [6, 7], "^": [4, 6], "<<": [24, 40],
        ">>": [1, 0],
    }  # fmt: skip
    f = fogo.tensor([6.0], device=device)
    f /= 2
    m = fogo.ones(2, 2, device=device)
    m @= m
    assert (f.tolist(), m.tolist()) == ([3.0], [[2.0, 2.0], [2.0, 2.0]])
    assert x.tolist() == [6, 5]


SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30]


@pytest.mark.parametrize(
    "name", sorted(n for n, rules in ELEMENTWISE.items() if "float32" in rules[1])
)
def test_special_values(name: str, device: fogo.Device) -> None:
    """NaN, infinities, zeros with signs, extremes: those that the standard lists."""
    count = ELEMENTWISE[name][0]
    rows = np.array(SPECIAL, "float32")
    arrays = [g.reshape(-1) for g in np.meshgrid(*[rows] * count)]
    got = getattr(fogo, name)(*[fogo.tensor(a, device=device) for a in arrays])
    own = name == "nextafter"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = reference(name)(*[a if own else a.astype("float64") for a in arrays])
        want = want.astype(got.dtype.name)
    if device.base().name.startswith("webgpu"):  # GPUs may flush subnormal numbers
        small = np.abs(want) < 1.2e-38 if want.dtype.kind == "f" else False
        want, values = np.where(small, 0, want), np.where(small, 0, got.numpy())
    else:
        values = got.numpy()
    good = np.isclose(values, want, rtol=2e-5, atol=1e-6, equal_nan=True)
    bad = [(*p, g, w) for *p, g, w in zip(*arrays, values, want)]
    assert good.all(), [row for row, ok in zip(bad, good) if not ok]


def test_signs_of_zeros(device: fogo.Device) -> None:
    zeros = fogo.tensor([0.0, -0.0], device=device)
    for name in ("sqrt", "sin", "floor", "ceil", "trunc", "round", "positive", "tanh"):
        got = getattr(fogo, name)(zeros)
        assert fogo.signbit(got).tolist() == [False, True], name
    assert fogo.signbit(-zeros).tolist() == [True, False]
    assert fogo.signbit(abs(zeros)).tolist() == [False, False]
    halves = fogo.tensor([0.5, -0.5, 1.5, -1.5, 2.5], device=device)
    assert fogo.round(halves).tolist() == [0.0, 0.0, 2.0, -2.0, 2.0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nextafter_steps(dtype: str, device: fogo.Device) -> None:
    if not holds(device, dtype):
        return
    values = [1.0, -1.0, 3.0, 2.0**-14, -(2.0**-14), 0.5, 65504.0, np.inf, -np.inf]
    a, b = [g.reshape(-1) for g in np.meshgrid(*[np.array(values, dtype)] * 2)]
    got = fogo.nextafter(fogo.tensor(a, device=device), fogo.tensor(b, device=device))
    with np.errstate(all="ignore"):
        assert np.array_equal(got.numpy(), np.nextafter(a, b))


def test_copysign_and_signbit_see_nan_s_sign(device: fogo.Device) -> None:
    x = fogo.tensor(np.array([1.0, -2.0, 0.0], "float32"), device=device)
    y = fogo.tensor(np.array([-0.0, 0.0, -1.0], "float32"), device=device)
    assert fogo.copysign(x, y).tolist() == [-1.0, 2.0, -0.0]
    assert fogo.signbit(fogo.copysign(x, y)).tolist() == [True, False, True]


ZEROS = [0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 2.5, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize(
    "name",
    ("add", "copysign", "divide", "floor_divide", "multiply", "remainder", "atan2"),
)
def test_signs_of_zeros_of_two(name: str, device: fogo.Device) -> None:
    a, b = [g.reshape(-1) for g in np.meshgrid(*[np.array(ZEROS, "float32")] * 2)]
    got = getattr(fogo, name)(*[fogo.tensor(x, device=device) for x in (a, b)]).numpy()
    with np.errstate(all="ignore"):
        want = reference(name)(a, b)
    zero = want == 0
    assert np.array_equal(got == 0, zero)
    assert np.array_equal(np.signbit(got[zero]), np.signbit(want[zero]))
