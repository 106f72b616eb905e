"""Elementwise operations: each body is the scalar formula, read by every backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bfloat16, float32, uint16, uint32
from ..errors import DTypeError
from ..expr import bitcast
from ..expr import call as E
from ..expr import cast as _cast
from ..expr import literal as _literal
from ..expr import where as _where
from .define import WIDE, elementwise
from .record import Aval, Op, register

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_TWO = (WIDE, WIDE)
_POSITIVE = ((0.1, 4.0),)
_UNIT = ((-0.9, 0.9),)


@elementwise("add", _TWO, accepts="numeric")
def add(x: T, y: Tensor | float) -> T:
    """Return `x + y`. Shapes broadcast, dtypes promote.

    Example:
        >>> import fogo
        >>> fogo.add(fogo.tensor([1.0, 2.0]), 1.0).tolist()
        [2.0, 3.0]
    """
    return E("add", x, y)


@elementwise("sub", _TWO, accepts="numeric")
def sub(x: T, y: Tensor | float) -> T:
    """Return `x - y`. Shapes broadcast, dtypes promote."""
    return E("sub", x, y)


@elementwise("mul", _TWO, accepts="numeric")
def mul(x: T, y: Tensor | float) -> T:
    """Return `x * y`. Shapes broadcast, dtypes promote."""
    return E("mul", x, y)


@elementwise("div", (WIDE, (0.5, 3.0)), accepts="float", to_float=True)
def div(x: T, y: Tensor | float) -> T:
    """Return `x / y`; integers become float32 first."""
    return E("div", x, y)


@elementwise("floor_divide", (WIDE, (0.5, 3.0)), accepts="numeric")
def floor_divide(x: T, y: Tensor | float) -> T:
    """Return `floor(x / y)`; 0 where an integer is divided by zero."""
    return E("floordiv", x, y)


@elementwise("remainder", (WIDE, (0.5, 3.0)), accepts="numeric")
def remainder(x: T, y: Tensor | float) -> T:
    """Return the remainder of `x / y`, with the sign of `y` (Python's `%`)."""
    return E("mod", x, y)


@elementwise("pow", ((0.2, 3.0), (-2.0, 2.0)), accepts="numeric")
def pow(x: T, y: Tensor | float) -> T:
    """Return `x ** y`; a negative integer power of an integer is truncated."""
    return E("pow", x, y)


@elementwise("maximum", _TWO, accepts="numeric")
def maximum(x: T, y: Tensor | float) -> T:
    """Return the larger of each pair; nan where either is nan."""
    return E("max", x, y)


@elementwise("minimum", _TWO, accepts="numeric")
def minimum(x: T, y: Tensor | float) -> T:
    """Return the smaller of each pair; nan where either is nan."""
    return E("min", x, y)


@elementwise("atan2", _TWO, accepts="float", to_float=True)
def atan2(y: T, x: Tensor | float) -> T:
    """Return the angle of the point (x, y) in radians, in [-pi, pi]."""
    return E("atan2", y, x)


@elementwise("neg", accepts="numeric")
def neg(x: T) -> T:
    """Return `-x`."""
    return E("neg", x)


@elementwise("abs", accepts="numeric")
def abs(x: T) -> T:
    """Return `|x|`."""
    return E("abs", x)


@elementwise("sign", accepts="numeric")
def sign(x: T) -> T:
    """Return -1, 0 or 1 by the sign of x; nan stays nan."""
    return E("sign", x)


@elementwise("square", accepts="numeric")
def square(x: T) -> T:
    """Return `x * x`."""
    return x * x


@elementwise("reciprocal", ((0.5, 3.0),), accepts="float", to_float=True)
def reciprocal(x: T) -> T:
    """Return `1 / x`."""
    return 1.0 / x


@elementwise("exp", accepts="float", to_float=True)
def exp(x: T) -> T:
    """Return e to the power x."""
    return E("exp", x)


@elementwise("expm1", accepts="float", to_float=True)
def expm1(x: T) -> T:
    """Return `exp(x) - 1`, exact also for small x."""
    return E("expm1", x)


@elementwise("log", _POSITIVE, accepts="float", to_float=True)
def log(x: T) -> T:
    """Return the natural logarithm; -inf at 0, nan below."""
    return E("log", x)


@elementwise("log1p", ((-0.9, 4.0),), accepts="float", to_float=True)
def log1p(x: T) -> T:
    """Return `log(1 + x)`, exact also for small x."""
    return E("log1p", x)


@elementwise("log2", _POSITIVE, accepts="float", to_float=True)
def log2(x: T) -> T:
    """Return the logarithm to base 2."""
    return E("log2", x)


@elementwise("log10", _POSITIVE, accepts="float", to_float=True)
def log10(x: T) -> T:
    """Return the logarithm to base 10."""
    return E("log10", x)


@elementwise("sqrt", _POSITIVE, accepts="float", to_float=True)
def sqrt(x: T) -> T:
    """Return the square root; nan below 0."""
    return E("sqrt", x)


@elementwise("rsqrt", _POSITIVE, accepts="float", to_float=True)
def rsqrt(x: T) -> T:
    """Return `1 / sqrt(x)`."""
    return 1.0 / E("sqrt", x)


@elementwise("sin", accepts="float", to_float=True)
def sin(x: T) -> T:
    """Return the sine of x in radians."""
    return E("sin", x)


@elementwise("cos", accepts="float", to_float=True)
def cos(x: T) -> T:
    """Return the cosine of x in radians."""
    return E("cos", x)


@elementwise("tan", _UNIT, accepts="float", to_float=True)
def tan(x: T) -> T:
    """Return the tangent of x in radians."""
    return E("tan", x)


@elementwise("asin", _UNIT, accepts="float", to_float=True)
def asin(x: T) -> T:
    """Return the arcsine, in radians."""
    return E("asin", x)


@elementwise("acos", _UNIT, accepts="float", to_float=True)
def acos(x: T) -> T:
    """Return the arccosine, in radians."""
    return E("acos", x)


@elementwise("atan", accepts="float", to_float=True)
def atan(x: T) -> T:
    """Return the arctangent, in radians."""
    return E("atan", x)


@elementwise("sinh", accepts="float", to_float=True)
def sinh(x: T) -> T:
    """Return the hyperbolic sine."""
    return E("sinh", x)


@elementwise("cosh", accepts="float", to_float=True)
def cosh(x: T) -> T:
    """Return the hyperbolic cosine."""
    return E("cosh", x)


@elementwise("tanh", accepts="float", to_float=True)
def tanh(x: T) -> T:
    """Return the hyperbolic tangent."""
    return E("tanh", x)


@elementwise("asinh", accepts="float", to_float=True)
def asinh(x: T) -> T:
    """Return the inverse hyperbolic sine."""
    return E("asinh", x)


@elementwise("acosh", ((1.1, 4.0),), accepts="float", to_float=True)
def acosh(x: T) -> T:
    """Return the inverse hyperbolic cosine; nan below 1."""
    return E("acosh", x)


@elementwise("atanh", _UNIT, accepts="float", to_float=True)
def atanh(x: T) -> T:
    """Return the inverse hyperbolic tangent."""
    return E("atanh", x)


@elementwise("erf", accepts="float", to_float=True)
def erf(x: T) -> T:
    """Return the error function, 2/sqrt(pi) times the integral of exp(-t^2)."""
    return E("erf", x)


def _whole(g, x):
    return (None,)


@elementwise("floor", accepts="numeric", derivative=_whole)
def floor(x: T) -> T:
    """Return the largest whole number not above x; integers are that themselves."""
    return E("floor", x)


@elementwise("ceil", accepts="numeric", derivative=_whole)
def ceil(x: T) -> T:
    """Return the smallest whole number not below x."""
    return E("ceil", x)


@elementwise("trunc", accepts="numeric", derivative=_whole)
def trunc(x: T) -> T:
    """Return x without its fraction."""
    return E("trunc", x)


@elementwise("round", accepts="numeric", derivative=_whole)
def round(x: T) -> T:
    """Return the nearest whole number, halves to even."""
    return E("round", x)


@elementwise("isnan", accepts="float", to_float=True)
def isnan(x: T) -> T:
    """Say where x is nan. Dtype: bool."""
    return E("isnan", x)


@elementwise("isinf", accepts="float", to_float=True)
def isinf(x: T) -> T:
    """Say where x is inf or -inf. Dtype: bool."""
    return E("isinf", x)


@elementwise("isfinite", accepts="float", to_float=True)
def isfinite(x: T) -> T:
    """Say where x is neither nan nor infinite. Dtype: bool."""
    return E("isfinite", x)


@elementwise("less", _TWO, accepts="numeric")
def less(x: T, y: Tensor | float) -> T:
    """Say where `x < y`. Dtype: bool."""
    return E("lt", x, y)


@elementwise("less_equal", _TWO, accepts="numeric")
def less_equal(x: T, y: Tensor | float) -> T:
    """Say where `x <= y`. Dtype: bool."""
    return E("le", x, y)


@elementwise("greater", _TWO, accepts="numeric")
def greater(x: T, y: Tensor | float) -> T:
    """Say where `x > y`. Dtype: bool."""
    return E("gt", x, y)


@elementwise("greater_equal", _TWO, accepts="numeric")
def greater_equal(x: T, y: Tensor | float) -> T:
    """Say where `x >= y`. Dtype: bool."""
    return E("ge", x, y)


@elementwise("equal", _TWO)
def equal(x: T, y: Tensor | float) -> T:
    """Say where `x == y`. Dtype: bool."""
    return E("eq", x, y)


@elementwise("not_equal", _TWO)
def not_equal(x: T, y: Tensor | float) -> T:
    """Say where `x != y`. Dtype: bool."""
    return E("ne", x, y)


@elementwise("bitwise_and", _TWO, accepts="integer or bool")
def bitwise_and(x: T, y: Tensor | int) -> T:
    """Return `x & y` of integers, or of bools."""
    return E("and", x, y)


@elementwise("bitwise_or", _TWO, accepts="integer or bool")
def bitwise_or(x: T, y: Tensor | int) -> T:
    """Return `x | y` of integers, or of bools."""
    return E("or", x, y)


@elementwise("bitwise_xor", _TWO, accepts="integer or bool")
def bitwise_xor(x: T, y: Tensor | int) -> T:
    """Return `x ^ y` of integers, or of bools."""
    return E("xor", x, y)


@elementwise("bitwise_not", accepts="integer or bool")
def bitwise_not(x: T) -> T:
    """Return `~x` of integers, or `not x` of bools."""
    return E("not", x)


@elementwise("bitwise_left_shift", (WIDE, (0, 5)), accepts="integer")
def bitwise_left_shift(x: T, y: Tensor | int) -> T:
    """Return `x << y`; bits shifted out are lost."""
    return E("shl", x, y)


@elementwise("bitwise_right_shift", (WIDE, (0, 5)), accepts="integer")
def bitwise_right_shift(x: T, y: Tensor | int) -> T:
    """Return `x >> y`; the sign is kept."""
    return E("shr", x, y)


@elementwise("where", ((0, 1), WIDE, WIDE), promote_from=1)
def where(condition: T, x: Tensor | float, y: Tensor | float) -> T:
    """Choose `x` where the condition holds, else `y`. All three broadcast.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([1.0, -2.0])
        >>> fogo.where(x > 0, x, 0.0).tolist()
        [1.0, 0.0]
    """
    return _where(condition, x, y)


@elementwise("clip", (WIDE, (-2.0, -1.0), (1.0, 2.0)), accepts="numeric")
def _clip(x, low, high):
    return E("min", E("max", x, low), high)


def clip(x: T, min: float | None = None, max: float | None = None) -> T:
    """Bring x into [min, max]; either bound may be None."""
    if min is None and max is None:
        return contiguous(x)
    if min is None:
        return minimum(x, max)
    return maximum(x, min) if max is None else _clip(x, min, max)


COPY = register(Op("copy", formula=lambda x: _cast(x, x.dtype)))
_CASTS: dict[DType, Op] = {}


def astype(
    x: T,
    dtype: DType | str,
    copy: bool = True,
    device: Device | str | None = None,
) -> T:
    """Convert to another dtype, and to another device.

    Floats are truncated to integers; numbers become bools by `!= 0`. Where nothing
    changes, copy=False gives x itself, else a tensor of its own with the same values.
    Raises: DTypeError when the device does not hold the dtype, or for complex numbers
    that would lose their imaginary part.
    """
    from ..device import device as lookup_device
    from ..dispatch import call, wrap
    from ..dtypes import dtype as lookup

    target = lookup(dtype)
    if target is x.dtype and (device is None or lookup_device(device) is x.device):
        return wrap(x._handle, x.device) if copy else x
    if x.dtype.is_complex and not (target.is_complex or target.is_bool):
        raise DTypeError(
            "astype: complex numbers have no place in %s; given %s; take abs(), real() "
            "or imag() first" % (target.name, x.dtype.name)
        )
    if device is not None:
        x = _moved(x, lookup_device(device), target)
    if target is x.dtype:
        return x
    if target is bfloat16 or x.dtype is bfloat16:
        return _brain(x, target)
    x.device.base().backend.check_dtype(target)
    return call(cast_op(target), (x,))


def _moved(x, where, target):
    """x on another device; converted first where only this one holds its dtype."""
    if x.dtype not in where.base().backend.holds:
        return x.astype(target).to(where)
    return x.to(where)


def _brain(x, target):
    """To or from bfloat16, by way of float32."""
    from ..dispatch import call

    if target is bfloat16:
        return call(NARROW, (x.astype(float32),))
    return call(WIDEN, (x,)).astype(target)


def _bits(x):
    """The 16 bits of a bfloat16; kernels see them as they are."""
    return x if x.dtype is uint16 else bitcast(x, uint16)


def _narrow(x):
    """The bits of the nearest bfloat16, halves to even; nan stays one."""
    bits = bitcast(x, uint32)
    near = (bits + ((bits >> 16) & 1) + 0x7FFF) >> 16
    none = E("gt", bits & 0x7FFFFFFF, _literal(0x7F800000, uint32))
    return _cast(_where(none, _literal(0x7FC0, uint32), near), uint16)


def _as_brain(avals, attrs):
    return (Aval(avals[0].shape, bfloat16),)


def _as_wide(avals, attrs):
    return (Aval(avals[0].shape, float32),)


NARROW = register(
    Op("narrow_bfloat16", formula=_narrow, infer=_as_brain, saves="",
       grad=lambda ctx: (ctx.g[0].astype(float32),))
)  # fmt: skip
NARROW.bits = Op("narrow_bits", formula=_narrow)  # what Fusion records for it
WIDEN = register(
    Op("widen_bfloat16", infer=_as_wide, saves="",
       formula=lambda x: bitcast(_cast(_bits(x), uint32) << 16, float32),
       grad=lambda ctx: (ctx.g[0].astype(bfloat16),))
)  # fmt: skip


def cast_op(target):
    """The op that converts to `target` (one for each dtype, so that its name says)."""
    op = _CASTS.get(target)
    if op is None:
        op = Op("cast_" + target.name, formula=lambda x: _cast(x, target))
        _CASTS[target] = register(op)
    return op


def contiguous(x: T) -> T:
    """Return x laid out row-major: a copy only where it is not so already."""
    from ..dispatch import call

    return call(COPY, (x,))


def _truth(x):
    """A tensor or a number as bools."""
    return x.astype("bool", False) if hasattr(x, "astype") else x != 0


def logical_and(x: T, y: Tensor | float) -> T:
    """Say where both are true (not 0). Dtype: bool."""
    return bitwise_and(_truth(x), _truth(y))


def logical_or(x: T, y: Tensor | float) -> T:
    """Say where one of them, or both, are true (not 0). Dtype: bool."""
    return bitwise_or(_truth(x), _truth(y))


def logical_xor(x: T, y: Tensor | float) -> T:
    """Say where just one of them is true (not 0). Dtype: bool."""
    return bitwise_xor(_truth(x), _truth(y))


def logical_not(x: T) -> T:
    """Say where x is false (0). Dtype: bool."""
    return bitwise_not(_truth(x))


# The names of the array API standard, and PyTorch's.
subtract = sub
multiply = mul
divide = div
negative = neg
absolute = abs
bitwise_invert = bitwise_not
clamp = clip

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "asin", "asinh", "astype", "atan",
    "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_left_shift",
    "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil", "clamp",
    "clip", "contiguous", "cos", "cosh", "div", "divide", "equal", "erf", "exp",
    "expm1", "floor", "floor_divide", "greater", "greater_equal", "isfinite", "isinf",
    "isnan", "less", "less_equal", "log", "log10", "log1p", "log2", "logical_and",
    "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mul", "multiply",
    "neg", "negative", "not_equal", "pow", "reciprocal", "remainder", "round", "rsqrt",
    "sign", "sin", "sinh", "sqrt", "square", "sub", "subtract", "tan", "tanh", "trunc",
    "where",
]  # fmt: skip
NOT_METHODS = ()
