"""Comparisons, and the bits of integers and bools: formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..expr import call as E
from .define import WIDE, elementwise

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_TWO = (WIDE, WIDE)


@elementwise("less", _TWO, accepts="numeric")
def less(x: T, y: Tensor | float) -> T:
    """Say where `x < y`. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.less(fogo.tensor([1, 2]), 2).tolist()
        [True, False]
    """
    return E("lt", x, y)


@elementwise("less_equal", _TWO, accepts="numeric")
def less_equal(x: T, y: Tensor | float) -> T:
    """Say where `x <= y`. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.less_equal(fogo.tensor([1, 2]), 1).tolist()
        [True, False]
    """
    return E("le", x, y)


@elementwise("greater", _TWO, accepts="numeric")
def greater(x: T, y: Tensor | float) -> T:
    """Say where `x > y`. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.greater(fogo.tensor([1, 2]), 1).tolist()
        [False, True]
    """
    return E("gt", x, y)


@elementwise("greater_equal", _TWO, accepts="numeric")
def greater_equal(x: T, y: Tensor | float) -> T:
    """Say where `x >= y`. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.greater_equal(fogo.tensor([1, 2]), 2).tolist()
        [False, True]
    """
    return E("ge", x, y)


@elementwise("equal", _TWO)
def equal(x: T, y: Tensor | float) -> T:
    """Say where `x == y`. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.equal(fogo.tensor([1, 2]), fogo.tensor([1, 3])).tolist()
        [True, False]
    """
    return E("eq", x, y)


@elementwise("not_equal", _TWO)
def not_equal(x: T, y: Tensor | float) -> T:
    """Say where `x != y`. Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.not_equal(fogo.tensor([1, 2]), fogo.tensor([1, 3])).tolist()
        [False, True]
    """
    return E("ne", x, y)


@elementwise("bitwise_and", _TWO, accepts="integer or bool")
def bitwise_and(x: T, y: Tensor | int) -> T:
    """Return `x & y` of integers, or of bools.

    Example:
        >>> import fogo
        >>> fogo.bitwise_and(fogo.tensor([6]), fogo.tensor([3])).tolist()
        [2]
    """
    return E("and", x, y)


@elementwise("bitwise_or", _TWO, accepts="integer or bool")
def bitwise_or(x: T, y: Tensor | int) -> T:
    """Return `x | y` of integers, or of bools.

    Example:
        >>> import fogo
        >>> fogo.bitwise_or(fogo.tensor([6]), fogo.tensor([3])).tolist()
        [7]
    """
    return E("or", x, y)


@elementwise("bitwise_xor", _TWO, accepts="integer or bool")
def bitwise_xor(x: T, y: Tensor | int) -> T:
    """Return `x ^ y` of integers, or of bools.

    Example:
        >>> import fogo
        >>> fogo.bitwise_xor(fogo.tensor([6]), fogo.tensor([3])).tolist()
        [5]
    """
    return E("xor", x, y)


@elementwise("bitwise_not", accepts="integer or bool")
def bitwise_not(x: T) -> T:
    """Return `~x` of integers, or `not x` of bools.

    Example:
        >>> import fogo
        >>> fogo.bitwise_invert(fogo.tensor([0, 5])).tolist()
        [-1, -6]
    """
    return E("not", x)


@elementwise("bitwise_left_shift", (WIDE, (0, 5)), accepts="integer")
def bitwise_left_shift(x: T, y: Tensor | int) -> T:
    """Return `x << y`; bits shifted out are lost.

    Example:
        >>> import fogo
        >>> fogo.bitwise_left_shift(fogo.tensor([1]), fogo.tensor([3])).tolist()
        [8]
    """
    return E("shl", x, y)


@elementwise("bitwise_right_shift", (WIDE, (0, 5)), accepts="integer")
def bitwise_right_shift(x: T, y: Tensor | int) -> T:
    """Return `x >> y`; the sign is kept.

    Example:
        >>> import fogo
        >>> fogo.bitwise_right_shift(fogo.tensor([8]), fogo.tensor([2])).tolist()
        [2]
    """
    return E("shr", x, y)


def _truth(x):
    """A tensor or a number as bools."""
    return x.astype("bool", False) if hasattr(x, "astype") else x != 0


def logical_and(x: T, y: Tensor | float) -> T:
    """Say where both are true (not 0). Dtype: bool.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([True, True]), fogo.tensor([True, False])
        >>> fogo.logical_and(x, y).tolist()
        [True, False]
    """
    return bitwise_and(_truth(x), _truth(y))


def logical_or(x: T, y: Tensor | float) -> T:
    """Say where one of them, or both, are true (not 0). Dtype: bool.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([True, False]), fogo.tensor([False, False])
        >>> fogo.logical_or(x, y).tolist()
        [True, False]
    """
    return bitwise_or(_truth(x), _truth(y))


def logical_xor(x: T, y: Tensor | float) -> T:
    """Say where just one of them is true (not 0). Dtype: bool.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([True, True]), fogo.tensor([True, False])
        >>> fogo.logical_xor(x, y).tolist()
        [False, True]
    """
    return bitwise_xor(_truth(x), _truth(y))


def logical_not(x: T) -> T:
    """Say where x is false (0). Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.logical_not(fogo.tensor([True, False])).tolist()
        [False, True]
    """
    return bitwise_not(_truth(x))


bitwise_invert = bitwise_not

__all__ = [
    "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "equal", "greater", "greater_equal", "less",
    "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor",
    "not_equal",
]  # fmt: skip
NOT_METHODS = ()
