"""Exponentials, logarithms, roots, trigonometric and hyperbolic functions: formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..expr import call as E
from .define import elementwise

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_POSITIVE = ((0.1, 4.0),)
_UNIT = ((-0.9, 0.9),)


@elementwise("exp", accepts="float", to_float=True)
def exp(x: T) -> T:
    """Return e to the power x.

    Example:
        >>> import fogo
        >>> fogo.exp(fogo.tensor([0.0])).tolist()
        [1.0]
    """
    return E("exp", x)


@elementwise("expm1", accepts="float", to_float=True)
def expm1(x: T) -> T:
    """Return `exp(x) - 1`, exact also for small x.

    Example:
        >>> import fogo
        >>> fogo.expm1(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("expm1", x)


@elementwise("log", _POSITIVE, accepts="float", to_float=True)
def log(x: T) -> T:
    """Return the natural logarithm; -inf at 0, nan below.

    Example:
        >>> import fogo
        >>> fogo.log(fogo.tensor([1.0])).tolist()
        [0.0]
    """
    return E("log", x)


@elementwise("log1p", ((-0.9, 4.0),), accepts="float", to_float=True)
def log1p(x: T) -> T:
    """Return `log(1 + x)`, exact also for small x.

    Example:
        >>> import fogo
        >>> fogo.log1p(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("log1p", x)


@elementwise("log2", _POSITIVE, accepts="float", to_float=True)
def log2(x: T) -> T:
    """Return the logarithm to base 2.

    Example:
        >>> import fogo
        >>> round(fogo.log2(fogo.tensor([8.0])).item(), 4)
        3.0
    """
    return E("log2", x)


@elementwise("log10", _POSITIVE, accepts="float", to_float=True)
def log10(x: T) -> T:
    """Return the logarithm to base 10.

    Example:
        >>> import fogo
        >>> round(fogo.log10(fogo.tensor([100.0])).item(), 4)
        2.0
    """
    return E("log10", x)


@elementwise("sqrt", _POSITIVE, accepts="float", to_float=True)
def sqrt(x: T) -> T:
    """Return the square root; nan below 0.

    Example:
        >>> import fogo
        >>> fogo.sqrt(fogo.tensor([4.0, 9.0])).tolist()
        [2.0, 3.0]
    """
    return E("sqrt", x)


@elementwise("rsqrt", _POSITIVE, accepts="float", to_float=True)
def rsqrt(x: T) -> T:
    """Return `1 / sqrt(x)`.

    Example:
        >>> import fogo
        >>> round(fogo.rsqrt(fogo.tensor([4.0])).item(), 4)
        0.5
    """
    return 1.0 / E("sqrt", x)


@elementwise("sin", accepts="float", to_float=True)
def sin(x: T) -> T:
    """Return the sine of x in radians.

    Example:
        >>> import fogo
        >>> fogo.sin(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("sin", x)


@elementwise("cos", accepts="float", to_float=True)
def cos(x: T) -> T:
    """Return the cosine of x in radians.

    Example:
        >>> import fogo
        >>> fogo.cos(fogo.tensor([0.0])).tolist()
        [1.0]
    """
    return E("cos", x)


@elementwise("tan", _UNIT, accepts="float", to_float=True)
def tan(x: T) -> T:
    """Return the tangent of x in radians.

    Example:
        >>> import fogo
        >>> fogo.tan(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("tan", x)


@elementwise("asin", _UNIT, accepts="float", to_float=True)
def asin(x: T) -> T:
    """Return the arcsine, in radians.

    Example:
        >>> import fogo
        >>> fogo.asin(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("asin", x)


@elementwise("acos", _UNIT, accepts="float", to_float=True)
def acos(x: T) -> T:
    """Return the arccosine, in radians.

    Example:
        >>> import fogo
        >>> fogo.acos(fogo.tensor([1.0])).tolist()
        [0.0]
    """
    return E("acos", x)


@elementwise("atan", accepts="float", to_float=True)
def atan(x: T) -> T:
    """Return the arctangent, in radians.

    Example:
        >>> import fogo
        >>> fogo.atan(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("atan", x)


@elementwise("sinh", accepts="float", to_float=True)
def sinh(x: T) -> T:
    """Return the hyperbolic sine.

    Example:
        >>> import fogo
        >>> fogo.sinh(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("sinh", x)


@elementwise("cosh", accepts="float", to_float=True)
def cosh(x: T) -> T:
    """Return the hyperbolic cosine.

    Example:
        >>> import fogo
        >>> fogo.cosh(fogo.tensor([0.0])).tolist()
        [1.0]
    """
    return E("cosh", x)


@elementwise("tanh", accepts="float", to_float=True)
def tanh(x: T) -> T:
    """Return the hyperbolic tangent.

    Example:
        >>> import fogo
        >>> fogo.tanh(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("tanh", x)


@elementwise("asinh", accepts="float", to_float=True)
def asinh(x: T) -> T:
    """Return the inverse hyperbolic sine.

    Example:
        >>> import fogo
        >>> fogo.asinh(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("asinh", x)


@elementwise("acosh", ((1.1, 4.0),), accepts="float", to_float=True)
def acosh(x: T) -> T:
    """Return the inverse hyperbolic cosine; nan below 1.

    Example:
        >>> import fogo
        >>> fogo.acosh(fogo.tensor([1.0])).tolist()
        [0.0]
    """
    return E("acosh", x)


@elementwise("atanh", _UNIT, accepts="float", to_float=True)
def atanh(x: T) -> T:
    """Return the inverse hyperbolic tangent.

    Example:
        >>> import fogo
        >>> fogo.atanh(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("atanh", x)


@elementwise("erf", accepts="float", to_float=True)
def erf(x: T) -> T:
    """Return the error function, 2/sqrt(pi) times the integral of exp(-t^2).

    Example:
        >>> import fogo
        >>> fogo.erf(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return E("erf", x)


__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp",
    "expm1", "log", "log10", "log1p", "log2", "rsqrt", "sin", "sinh", "sqrt", "tan",
    "tanh",
]  # fmt: skip
NOT_METHODS = ()
