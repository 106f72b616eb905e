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
    """Return `x - y`. Shapes broadcast, dtypes promote.

    Example:
        >>> import fogo
        >>> fogo.sub(fogo.tensor([5, 6]), 1).tolist()
        [4, 5]
    """
    return E("sub", x, y)


@elementwise("mul", _TWO, accepts="numeric")
def mul(x: T, y: Tensor | float) -> T:
    """Return `x * y`. Shapes broadcast, dtypes promote.

    Example:
        >>> import fogo
        >>> fogo.mul(fogo.tensor([2, 3]), 4).tolist()
        [8, 12]
    """
    return E("mul", x, y)


@elementwise("div", (WIDE, (0.5, 3.0)), accepts="float", to_float=True)
def div(x: T, y: Tensor | float) -> T:
    """Return `x / y`; integers become float32 first.

    Example:
        >>> import fogo
        >>> fogo.div(fogo.tensor([7.0]), 2).tolist()
        [3.5]
    """
    return E("div", x, y)


@elementwise("floor_divide", (WIDE, (0.5, 3.0)), accepts="numeric")
def floor_divide(x: T, y: Tensor | float) -> T:
    """Return `floor(x / y)`; 0 where an integer is divided by zero.

    Example:
        >>> import fogo
        >>> fogo.floor_divide(fogo.tensor([7, -7]), 2).tolist()
        [3, -4]
    """
    return E("floordiv", x, y)


@elementwise("remainder", (WIDE, (0.5, 3.0)), accepts="numeric")
def remainder(x: T, y: Tensor | float) -> T:
    """Return the remainder of `x / y`, with the sign of `y` (Python's `%`).

    Example:
        >>> import fogo
        >>> fogo.remainder(fogo.tensor([7, -7]), 3).tolist()
        [1, 2]
    """
    return E("mod", x, y)


@elementwise("pow", ((0.2, 3.0), (-2.0, 2.0)), accepts="numeric")
def pow(x: T, y: Tensor | float) -> T:
    """Return `x ** y`; a negative integer power of an integer is truncated.

    Example:
        >>> import fogo
        >>> fogo.pow(fogo.tensor([2.0, 3.0]), 2).tolist()
        [4.0, 9.0]
    """
    return E("pow", x, y)


@elementwise("maximum", _TWO, accepts="numeric")
def maximum(x: T, y: Tensor | float) -> T:
    """Return the larger of each pair; nan where either is nan.

    Example:
        >>> import fogo
        >>> fogo.maximum(fogo.tensor([1.0, 5.0]), fogo.tensor([3.0, 2.0])).tolist()
        [3.0, 5.0]
    """
    return E("max", x, y)


@elementwise("minimum", _TWO, accepts="numeric")
def minimum(x: T, y: Tensor | float) -> T:
    """Return the smaller of each pair; nan where either is nan.

    Example:
        >>> import fogo
        >>> fogo.minimum(fogo.tensor([1.0, 5.0]), fogo.tensor([3.0, 2.0])).tolist()
        [1.0, 2.0]
    """
    return E("min", x, y)


@elementwise("atan2", _TWO, accepts="float", to_float=True)
def atan2(y: T, x: Tensor | float) -> T:
    """Return the angle of the point (x, y) in radians, in [-pi, pi].

    Example:
        >>> import fogo
        >>> fogo.atan2(fogo.tensor([0.0, 0.0]), fogo.tensor([1.0, 2.0])).tolist()
        [0.0, 0.0]
    """
    return E("atan2", y, x)


@elementwise("neg", accepts="numeric")
def neg(x: T) -> T:
    """Return `-x`.

    Example:
        >>> import fogo
        >>> fogo.neg(fogo.tensor([1.0, -2.0])).tolist()
        [-1.0, 2.0]
    """
    return E("neg", x)


@elementwise("abs", accepts="numeric")
def abs(x: T) -> T:
    """Return `|x|`.

    Example:
        >>> import fogo
        >>> fogo.abs(fogo.tensor([-1.5, 2.0])).tolist()
        [1.5, 2.0]
    """
    return E("abs", x)


@elementwise("sign", accepts="numeric")
def sign(x: T) -> T:
    """Return -1, 0 or 1 by the sign of x; nan stays nan.

    Example:
        >>> import fogo
        >>> fogo.sign(fogo.tensor([-3.0, 0.0, 2.0])).tolist()
        [-1.0, 0.0, 1.0]
    """
    return E("sign", x)


@elementwise("square", accepts="numeric")
def square(x: T) -> T:
    """Return `x * x`.

    Example:
        >>> import fogo
        >>> fogo.square(fogo.tensor([3.0])).tolist()
        [9.0]
    """
    return x * x


@elementwise("reciprocal", ((0.5, 3.0),), accepts="float", to_float=True)
def reciprocal(x: T) -> T:
    """Return `1 / x`.

    Example:
        >>> import fogo
        >>> fogo.reciprocal(fogo.tensor([4.0])).tolist()
        [0.25]
    """
    return 1.0 / x


def _whole(g, x):
    return (None,)


@elementwise("floor", accepts="numeric", derivative=_whole)
def floor(x: T) -> T:
    """Return the largest whole number not above x; integers are that themselves.

    Example:
        >>> import fogo
        >>> fogo.floor(fogo.tensor([1.2, -1.2])).tolist()
        [1.0, -2.0]
    """
    return E("floor", x)


@elementwise("ceil", accepts="numeric", derivative=_whole)
def ceil(x: T) -> T:
    """Return the smallest whole number not below x.

    Example:
        >>> import fogo
        >>> fogo.ceil(fogo.tensor([1.2, -1.2])).tolist()
        [2.0, -1.0]
    """
    return E("ceil", x)


@elementwise("trunc", accepts="numeric", derivative=_whole)
def trunc(x: T) -> T:
    """Return x without its fraction.

    Example:
        >>> import fogo
        >>> fogo.trunc(fogo.tensor([1.7, -1.7])).tolist()
        [1.0, -1.0]
    """
    return E("trunc", x)


@elementwise("round", accepts="numeric", derivative=_whole)
def round(x: T) -> T:
    """Return the nearest whole number, halves to even.

    Example:
        >>> import fogo
        >>> fogo.round(fogo.tensor([0.5, 1.5, 2.6])).tolist()
        [0.0, 2.0, 3.0]
    """
    return E("round", x)


@elementwise("isnan", accepts="float", to_float=True)
def isnan(x: T) -> T:
    """Say where x is nan. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.isnan(fogo.tensor([1.0, float("nan")])).tolist()
        [False, True]
    """
    return E("isnan", x)


@elementwise("isinf", accepts="float", to_float=True)
def isinf(x: T) -> T:
    """Say where x is inf or -inf. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.isinf(fogo.tensor([1.0, float("inf")])).tolist()
        [False, True]
    """
    return E("isinf", x)


@elementwise("isfinite", accepts="float", to_float=True)
def isfinite(x: T) -> T:
    """Say where x is neither nan nor infinite. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.isfinite(fogo.tensor([1.0, float("inf")])).tolist()
        [True, False]
    """
    return E("isfinite", x)


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
    """Bring x into [min, max]; either bound may be None.

    Example:
        >>> import fogo
        >>> fogo.clamp(fogo.tensor([-2.0, 0.5, 2.0]), -1.0, 1.0).tolist()
        [-1.0, 0.5, 1.0]
    """
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

    Example:
        >>> import fogo
        >>> fogo.tensor([1.7, -1.7]).astype("int32").tolist()
        [1, -1]
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
    """Return x laid out row-major: a copy only where it is not so already.

    Example:
        >>> import fogo
        >>> fogo.tensor([[1, 2], [3, 4]]).transpose().contiguous().tolist()
        [[1, 3], [2, 4]]
    """
    from ..dispatch import call

    return call(COPY, (x,))


# The names of the array API standard, and PyTorch's.
subtract = sub
multiply = mul
divide = div
negative = neg
absolute = abs
clamp = clip

__all__ = [
    "abs", "absolute", "add", "astype", "atan2", "ceil", "clamp", "clip", "contiguous",
    "div", "divide", "floor", "floor_divide", "isfinite", "isinf", "isnan", "maximum",
    "minimum", "mul", "multiply", "neg", "negative", "pow", "reciprocal", "remainder",
    "round", "sign", "square", "sub", "subtract", "trunc", "where",
]  # fmt: skip
NOT_METHODS = ()
