"""The gamma function's logarithm and its derivative, as formulas.

Stirling's series far enough from 0, recurrences and reflections before that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import float64
from ..expr import call as E
from ..expr import literal
from ..expr import where as _where
from .define import elementwise
from .special import _INF, PI, _polynomial, _single

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
# Bernoulli's numbers B2, B4, …: Stirling's series.
_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510,
)  # fmt: skip


def _shifted(x):
    """(y, z, shift): x reflected to y >= 1/2, and where Stirling's series is exact."""
    shift, terms = (8, 8) if x.dtype is float64 else (3, 5)
    y = _where(x < 0.5, 1.0 - x, x)
    near = y < float(shift)
    z = _where(near, y + float(shift), y)
    steps = [_where(near, y, 1.0) + float(i) for i in range(shift)]
    return near, z, steps, terms


@elementwise(
    "lgamma", ((0.2, 6.0),), accepts="float", to_float=True, saves="i",
    grad=lambda ctx: (ctx.g[0] * digamma(ctx.inputs[0]),),
)  # fmt: skip
def lgamma(x: T) -> T:
    """Return the logarithm of |Gamma(x)|; inf at 0 and the negative integers.

    Example:
        >>> import fogo
        >>> round(fogo.lgamma(fogo.tensor(5.0)).exp().item(), 3)
        24.0
    """
    return _single(_lgamma, x)


def _lgamma(x):
    near, z, steps, terms = _shifted(x)
    product = steps[0]
    for step in steps[1:]:
        product = product * step
    series = [b / ((2 * i + 1) * (2 * i + 2)) for i, b in enumerate(_BERNOULLI)]
    inverse = 1.0 / z
    total = (z - 0.5) * (E("log", z) - 1.0) + 0.4189385332046727
    total = total + inverse * _polynomial(series[:terms], inverse * inverse)
    total = total - _where(near, E("log", product), 0.0)
    rest = x - E("round", x)
    sine = E("abs", E("sin", rest * PI))
    pole = E("eq", rest, 0.0) | E("isinf", x)
    other = 1.1447298858494002 - E("log", _where(pole, 1.0, sine)) - total
    return _where(x < 0.5, _where(pole, _INF, other), total)


@elementwise("digamma", ((0.2, 6.0),), accepts="float", to_float=True)
def digamma(x: T) -> T:
    """Return the derivative of `lgamma`; nan at the negative integers, ∓inf at ±0.

    Example:
        >>> import fogo
        >>> round(fogo.digamma(fogo.tensor([1.0])).item(), 4)
        -0.5772
    """
    return _single(_digamma, x)


def _digamma(x):
    near, z, steps, terms = _shifted(x)
    total = literal(0.0, x.dtype)
    for step in steps:
        total = total + 1.0 / step
    series = [b / (2 * i + 2) for i, b in enumerate(_BERNOULLI)]
    square = 1.0 / (z * z)
    value = E("log", z) - 0.5 / z - square * _polynomial(series[:terms], square)
    value = value - _where(near, total, 0.0)
    rest = _where(E("abs", x) < 0.5, x, x - E("round", x))
    pole = E("eq", rest, 0.0) & (x < 0.0)
    zero = E("eq", x, 0.0)  # its sign counts
    turn = PI / E("tan", _where(pole | zero | (x >= 0.5), 0.25, rest) * PI)
    turn = _where(zero, 1.0 / _where(zero, x, 1.0), turn)
    return _where(x < 0.5, _where(pole, float("nan"), value - turn), value)


__all__ = ["digamma", "lgamma"]
NOT_METHODS = ()
