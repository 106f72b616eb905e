"""Comparisons within a tolerance, and numbers in place of what is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import DEFAULT_FLOAT, float64
from .define import Sample
from .elementwise import where
from .reduce import all

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_INF = float("inf")
# The largest finite number of each float dtype.
LARGEST = {
    "float16": 65504.0,
    "float32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
}
_PAIR = (((3, 5), -3.0, 3.0), ((3, 5), -3.0, 3.0))


def isclose(
    x: T,
    other: Tensor | float,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> T:
    """Say where `|x - other| <= atol + rtol * |other|`. Dtype: bool.

    Infinities are close where equal; nan to nothing, or to nan with `equal_nan`.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([1.0, 2.0])
        >>> fogo.isclose(x, fogo.tensor([1.000001, 2.1])).tolist()
        [True, False]
    """
    x, y = _floats(x, other)
    near = ((x - y).abs() <= y.abs() * rtol + atol) & y.isfinite()
    same = near | (x == y)
    return same | (x.isnan() & y.isnan()) if equal_nan else same


def _floats(x, other):
    """Both as float tensors: integers as the widest that the device has."""
    from ..tensor import Tensor

    wide = DEFAULT_FLOAT
    if float64 in x.device.base().backend.holds:
        wide = float64
    if not x.dtype.is_float:
        x = x.astype(wide)
    if not isinstance(other, Tensor):
        return x, x.device.constant(float(other), x.dtype)
    return x, other if other.dtype.is_float else other.astype(wide)


def allclose(
    x: T,
    other: Tensor | float,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> T:
    """Say whether all elements are close; see `isclose`. A 0-d bool tensor.

    Example:
        >>> import fogo
        >>> bool(fogo.allclose(fogo.ones(2), 1.0))
        True
    """
    return all(isclose(x, other, rtol, atol, equal_nan))


def isposinf(x: T) -> T:
    """Say where x is inf. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.isposinf(fogo.tensor([1.0, float("inf")])).tolist()
        [False, True]
    """
    return x.equal(_INF) if x.dtype.is_float else (x != x)


def isneginf(x: T) -> T:
    """Say where x is -inf. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.isneginf(fogo.tensor([1.0, float("-inf")])).tolist()
        [False, True]
    """
    return x.equal(-_INF) if x.dtype.is_float else (x != x)


def nan_to_num(
    x: T, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> T:
    """Return x with numbers for nan, inf and -inf: 0 and the dtype's extremes.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([float("nan"), float("inf"), 1.0])
        >>> fogo.nan_to_num(x, posinf=9.0).tolist()
        [0.0, 9.0, 1.0]
    """
    if not x.dtype.is_float:
        return x.reshape(x.shape)
    most = LARGEST[x.dtype.name]
    x = where(x.isnan(), nan, x)
    x = where(x.equal(_INF), most if posinf is None else posinf, x)
    return where(x.equal(-_INF), -most if neginf is None else neginf, x)


SAMPLES = {
    "isclose": (
        Sample(*_PAIR),
        Sample(*_PAIR, rtol=0.5, atol=0.25),
        Sample(((3, 5), -3.0, 3.0), ((5,), -3.0, 3.0), rtol=0.5),
    ),
    "allclose": (Sample(*_PAIR), Sample(*_PAIR, rtol=0.0, atol=20.0)),
    "isposinf": (Sample(((3, 5), -3.0, 3.0)),),
    "isneginf": (Sample(((3, 5), -3.0, 3.0)),),
    "nan_to_num": (Sample(((3, 5), -3.0, 3.0)),),
}

__all__ = ["allclose", "isclose", "isneginf", "isposinf", "nan_to_num"]
NOT_METHODS = ()
