"""What a scan carries along its line, and how two neighbouring stretches join.

A state has parts (`dtypes`); `lift` makes one of the inputs at a place, `join` puts two
together (the earlier first), `result` gives the values to store. Joining is
associative, so a line may be cut anywhere. Small dtypes are computed in 32 bits; the
store brings them back.
"""

from __future__ import annotations

from ..dtypes import float32, int32, uint32
from ..expr import bitcast, cast, literal
from ..expr import call as E
from ..expr import where as _where

_EXPONENTS = 0x7F800000
_FAR = 1 << 28  # an exponent past every float32, from which none comes back


def wide(dtype):
    """The dtype of 32 bits, or of 64, that computes a dtype."""
    if dtype.bits == 64:
        return dtype
    if dtype.is_float:
        return float32
    return uint32 if dtype.kind == "uint" else int32


class Running:
    """Sums of all numbers, and products of integers."""

    inputs = 1

    def __init__(self, name, neutral, dtype):
        self.name = name
        self.dtypes = (wide(dtype),)
        self.neutral = (neutral,)

    def lift(self, values, place):
        return values

    def join(self, a, b):
        return (E(self.name, a[0], b[0]),)

    def result(self, parts):
        return parts


class Products:
    """Products of floats as m * 2**e: a stretch neither overflows nor vanishes."""

    inputs = 1
    dtypes = (float32, int32)
    neutral = (1, 0)

    def lift(self, values, place):
        return self.scaled(values[0], literal(0, int32))

    def join(self, a, b):
        far = E("min", E("max", a[1] + b[1], -_FAR), _FAR)
        return self.scaled(a[0] * b[0], far)

    def scaled(self, m, e):
        """(m, e) with m in [1, 2); 0, inf and nan stay as they are."""
        bits = bitcast(m, int32)
        field = E("and", E("shr", bits, 23), 255)
        usual = (field > 0) & (field < 255)
        one = E("or", E("and", bits, ~_EXPONENTS), 127 << 23)
        return (
            _where(usual, bitcast(one, float32), m),
            _where(usual, e + field - 127, e),
        )

    def result(self, parts):
        m, e = parts
        e = E("min", E("max", e, -252), 254)
        half = E("shr", e, 1)
        return (m * _power(half) * _power(e - half),)


def _power(e):
    """2**e for e in [-126, 127]."""
    return bitcast(E("shl", e + 127, 23), float32)


class Extreme:
    """The best so far and its place: of equal ones the last; a nan stays."""

    inputs = 1
    neutral = (0, -1)

    def __init__(self, better, dtype):
        self.better = better
        self.dtypes = (wide(dtype), int32)

    def lift(self, values, place):
        return (values[0], cast(place, int32))

    def join(self, a, b):
        wins = E(self.better, b[0], a[0]) | (a[1] < 0)
        if a[0].dtype.is_float:
            wins = wins | E("isnan", b[0])
        wins = wins & (b[1] >= 0)
        return (_where(wins, b[0], a[0]), _where(wins, b[1], a[1]))

    def result(self, parts):
        return parts


class Linear:
    """h -> a*h + b. A stretch entered with 0 gives b, whatever became of a."""

    inputs = 2
    neutral = (1, 0)

    def __init__(self, dtype):
        self.dtypes = (wide(dtype), wide(dtype))

    def lift(self, values, place):
        return values

    def join(self, a, b):
        entered = a[1] * b[0] + b[1]
        if a[1].dtype.is_float:
            entered = _where(E("eq", a[1], 0), b[1], entered)
        return (a[0] * b[0], entered)

    def result(self, parts):
        return (parts[1],)


def state(kind, dtype):
    """The state of a scan by the name of its op."""
    if kind in ("cumsum", "long_cumsum"):
        return Running("add", 0, dtype)
    if kind == "cumprod":
        return Products() if dtype.is_float else Running("mul", 1, dtype)
    if kind == "linear_scan":
        return Linear(dtype)
    return Extreme("ge" if kind == "cummax" else "le", dtype)
