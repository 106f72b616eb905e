"""Functions that printed modules call: written in the kernel language, once.

A module gets only those that it uses. Transcendentals come from kernel/approx.py in
float64, also for float32, whose results are then right to half a unit. Here are the
exact remainder, integer powers and the conversions of float16.
"""

from __future__ import annotations

from fogo.dtypes import float32, float64, int64, uint32, uint64
from fogo.expr import INDEX, bitcast, call, cast, literal, where
from fogo.kernel import approx

INF = float("inf")
_SMALLEST_HALF = 6.103515625e-05  # the smallest normal float16


def _abs(x):
    return call("abs", x)


def _both(a, b):
    return call("and", a, b)


def _exponent(x):
    """The biased exponent of |x|, as an index."""
    return cast((bitcast(x, int64) >> 52) & 0x7FF, INDEX)


def mod(k, x, y):
    """The exact remainder, with the sign of y: long division in binary."""
    a, b = k.let(_abs(x)), k.let(_abs(y))
    rest = k.cell(a)
    fits = _both(_both(b > 0.0, a < INF), a >= b)
    with k.when(fits):
        _divide(k, rest, a, b)
    rest = where(x < 0.0, -rest, rest)
    other = _both(rest != 0.0, call("xor", x < 0.0, y < 0.0))
    rest = where(rest == 0.0, _zero(y), where(other, rest + y, rest))
    valid = _both(_both(y != 0.0, y == y), a < INF)
    return where(valid, rest, literal(approx.NAN, float64))


def _zero(x):
    """0 with the sign of x."""
    return where(bitcast(x, int64) < 0, literal(-0.0, float64), 0.0)


def _divide(k, rest, a, b):
    """Take b, doubled as often as it fits into a, and halved again, off `rest`."""
    least = where(b < 2.2250738585072014e-308, literal(-52, INDEX), _exponent(b))
    count = k.let(_exponent(a) - least + 2)
    step = k.cell(b)
    half = k.let(a * 0.5)
    with k.loop(count):
        with k.when(step <= half):
            step.set(step + step)
    with k.loop(count):
        with k.when(_both(rest >= step, step >= b)):
            rest.set(rest - step)
        step.set(step * 0.5)


def floordiv(k, x, y):
    """The whole quotient below x/y, from the exact remainder."""
    size = _abs(y)
    same = call("or", x == 0.0, call("eq", x > 0.0, y > 0.0))
    endless = where(same, _zero(x / y), -1.0)
    quotient = call("round", (x - call("mod", x, y)) / y)
    quotient = where(quotient == 0.0, _zero(x / y), quotient)
    finite = _both(size == INF, _abs(x) < INF)
    return where(y == 0.0, x / y, where(finite, endless, quotient))


def _power(k, a, b):
    """a**b by squaring, wrapping, with b's bits read as unsigned."""
    result = k.cell(1, int64)
    base = k.cell(a)
    left = k.cell(bitcast(b, uint64))
    with k.loop(64):
        with k.when((left & 1) != 0):
            result.set(result * base)
        base.set(base * base)
        left.set(left >> 1)
    return result


def uint_pow(k, a, b):
    """a**b of unsigned integers."""
    return _power(k, a, b)


def int_pow(k, a, b):
    """a**b; a negative power is 0 but for a = 1 and a = -1."""
    unit = where((b & 1) != 0, a, 1)
    inverse = where(call("or", a == 1, a == -1), unit, 0)
    return where(b < 0, inverse, _power(k, a, b))


def half(k, x):
    """x rounded to what float16 can hold, halves to even."""
    a = _abs(x)
    size = call("max", a, _SMALLEST_HALF)
    power = bitcast(bitcast(size, int64) & 0x7FF0000000000000, float64)
    rounded = call("round", a / power * 1024.0) * (power * 0.0009765625)
    rounded = where(a >= 65520.0, INF, rounded)
    return where(x < 0.0, -rounded, rounded)


def half_bits(k, x):
    """The bits of float16 nearest to x."""
    rounded = k.let(call("half", x))
    a = k.let(_abs(rounded))
    bits = bitcast(cast(a, float32), uint32)
    normal = (bits >> 13) - (112 << 10)
    small = cast(a * 16777216.0, uint32)
    value = where(a < _SMALLEST_HALF, small, where(a == INF, 0x7C00, normal))
    value = where(a == a, value, 0x7E00)
    return where(bitcast(x, int64) < 0, value | 0x8000, value)


def half_value(k, bits):
    """The float32 that float16 bits stand for."""
    size = (bits & 0x7FFF) << 13
    special = bitcast(size | 0x7F800000, float32)
    usual = bitcast(size, float32) * 5.192296858534828e33  # 2**112
    value = where((bits & 0x7FFF) >= 0x7C00, special, usual)
    return bitcast(bitcast(value, uint32) | ((bits & 0x8000) << 16), float32)


# name -> (function of a kernel and its parameters, their dtypes, the result's dtype)
FUNCTIONS = {
    "mod": (mod, (float64, float64), float64),
    "floordiv": (floordiv, (float64, float64), float64),
    "int_pow": (int_pow, (int64, int64), int64),
    "uint_pow": (uint_pow, (int64, int64), int64),
    "half": (half, (float64,), float64),
    "half_bits": (half_bits, (float64,), uint32),
    "half_value": (half_value, (uint32,), float32),
}


def find(name):
    """Return (function, dtypes of its parameters, dtype of its result)."""
    found = FUNCTIONS.get(name)
    if found is not None:
        return found
    if name == "quick_pow":
        formula, params, result = approx.quick_pow, (float64, float64), float64
    else:
        formula, params, result = approx.find(name, float64)

    def expand(k, *args):
        return formula(*args)

    return expand, params, result
