"""Elementwise functions of the array API standard that look into floats.

The sign of a zero or a nan, the next float, lengths and sums of exponentials that do
not overflow on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import float16, float32, float64, int32, int64
from ..expr import bitcast, literal
from ..expr import call as E
from ..expr import cast as _cast
from ..expr import where as _where
from .define import WIDE, Sample, elementwise

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_TWO = (WIDE, WIDE)
_LN2 = 0.6931471805599453


@elementwise("positive", accepts="numeric")
def positive(x: T) -> T:
    """Return `+x`: the same values, as a tensor of its own.

    Example:
        >>> import fogo
        >>> fogo.positive(fogo.tensor([1, -2])).tolist()
        [1, -2]
    """
    return x


def _bits(x):
    """The bits of a float as a signed integer (of float16: those of its float32)."""
    wide = float64 if x.dtype is float64 else float32
    return bitcast(_cast(x, wide), int64 if wide is float64 else int32)


def _signed(x):
    return _bits(x) < 0


@elementwise("signbit", accepts="float", to_float=True)
def signbit(x: T) -> T:
    """Say where the sign is set: of numbers below 0, of -0.0, of a nan with a sign.

    Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.signbit(fogo.tensor([0.0, -0.0, -3.0])).tolist()
        [False, True, True]
    """
    return _signed(x)


def _copysign_slope(g, x, y):
    turned = E("xor", _signed(x), _signed(y))
    return _where(E("eq", x, 0.0), 0.0, _where(turned, -g, g)), None


@elementwise(
    "copysign", _TWO, accepts="float", to_float=True, derivative=_copysign_slope
)
def copysign(x: T, y: Tensor | float) -> T:
    """Return `|x|` with the sign of y, also of a zero. Shapes broadcast.

    Example:
        >>> import fogo
        >>> fogo.copysign(fogo.tensor([1.0, -2.0]), -0.0).tolist()
        [-1.0, -2.0]
    """
    return _where(E("xor", _signed(x), _signed(y)), -x, x)


def _length(x, y):
    a, b = E("abs", x), E("abs", y)
    big = E("max", a, b)
    share = E("min", a, b) / _where(E("eq", big, 0.0), 1.0, big)
    length = big * E("sqrt", share * share + 1.0)
    return _where(E("or", E("isinf", x), E("isinf", y)), float("inf"), length)


def _hypot_slope(g, x, y):
    length = _length(x, y)
    return g * (x / length), g * (y / length)


@elementwise("hypot", _TWO, accepts="float", to_float=True, derivative=_hypot_slope)
def hypot(x: T, y: Tensor | float) -> T:
    """Return `sqrt(x*x + y*y)`, whose squares do not overflow. Shapes broadcast.

    Infinite where x or y is, also beside a nan.

    Example:
        >>> import fogo
        >>> fogo.hypot(fogo.tensor([3.0]), fogo.tensor([4.0])).tolist()
        [5.0]
    """
    return _length(x, y)


def _logaddexp_slope(g, x, y):
    return g / (E("exp", y - x) + 1.0), g / (E("exp", x - y) + 1.0)


@elementwise(
    "logaddexp", _TWO, accepts="float", to_float=True, derivative=_logaddexp_slope
)
def logaddexp(x: T, y: Tensor | float) -> T:
    """Return `log(exp(x) + exp(y))` without overflow. Shapes broadcast.

    Example:
        >>> import fogo
        >>> fogo.logaddexp(fogo.tensor([1000.0]), -1000.0).tolist()
        [1000.0]
    """
    same = E("eq", x, y)  # also of infinities, whose difference is nan
    gap = _where(same, 0.0, -E("abs", x - y))
    return E("max", x, y) + _where(same, _LN2, E("log1p", E("exp", gap)))


def _stepped(x, outwards):
    """The float beside x != 0, farther from 0 or nearer to it."""
    if x.dtype is float16:
        return _stepped_half(x, outwards)
    bits = _bits(x)
    one = literal(1, bits.dtype)
    return bitcast(bits + _where(outwards, one, -one), x.dtype)


def _stepped_half(x, outwards):
    """By arithmetic: the spacing is 2^-10 of the power of two at or below |x|."""
    wide = _cast(x, float32)
    size = E("abs", wide)
    power = bitcast(E("and", _bits(size), 0x7F800000), float32)
    inwards = E("and", ~outwards, E("and", E("eq", size, power), power > 2.0**-14))
    spacing = E("max", power, 2.0**-14) * 2.0**-10
    spacing = _where(inwards, spacing * 0.5, spacing)
    moved = size + _where(outwards, spacing, -spacing)
    moved = _where(E("isinf", size), 65504.0, moved)
    return _cast(_where(wide < 0.0, -moved, moved), float16)


def _smallest(dtype):
    return {float16: 2.0**-24, float32: 2.0**-149}.get(dtype, 5e-324)


def _no_slope(g, x, y):
    return None, None


@elementwise("next_float", _TWO, accepts="float", to_float=True, derivative=_no_slope)
def _next_float(x, y):
    up = x < y
    zero = E("eq", x, 0.0)
    safe = _where(zero, 1.0, x)
    stepped = _stepped(safe, E("eq", up, safe > 0.0))
    least = literal(_smallest(x.dtype), x.dtype)
    stepped = _where(zero, _where(up, least, -least), stepped)
    odd = E("or", E("isnan", x), E("isnan", y))
    return _where(odd, x + y, _where(E("eq", x, y), y, stepped))


def nextafter(x: T, y: Tensor | float) -> T:
    """Return the float beside x in the direction of y; y where they are equal.

    Beside 0 lie subnormal numbers, which GPUs may flush to 0. No gradient.

    Example:
        >>> import fogo
        >>> fogo.nextafter(fogo.tensor([1.0]), 2.0).item() - 1.0 == 2.0**-23
        True
    """
    return _next_float(x, y)


# Samples of the functions that are compositions of other ops.
SAMPLES = {"nextafter": (Sample(((3, 5), -3.0, 3.0), ((3, 5), -3.0, 3.0)),)}

__all__ = ["copysign", "hypot", "logaddexp", "nextafter", "positive", "signbit"]
NOT_METHODS = ()
