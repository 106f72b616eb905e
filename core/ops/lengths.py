"""Distances between all rows of two matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from .define import Sample
from .elementwise import where

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_INF = float("inf")


def length(x: T, p: float, axis: int, keepdims: bool = False) -> T:
    """The p-norm along an axis; its gradient is 0, not nan, where all are 0."""
    size = x.abs()
    if p == _INF:
        return size.max(axis, keepdims)
    if p == 0:
        return x.not_equal(0).astype(x.dtype).sum(axis, keepdims)
    if p == 1:
        return size.sum(axis, keepdims)
    zero = x.equal(0)
    inside = where(zero, 1.0, size)
    powers = where(zero, 0.0, inside.square() if p == 2 else inside**p)
    total = powers.sum(axis, keepdims)
    none = total.equal(0)
    total = where(none, 1.0, total)
    return where(none, 0.0, total.sqrt() if p == 2 else total ** (1.0 / p))


def _check(name, p):
    if p < 0:
        raise ShapeError("%s: p is not negative; given %s" % (name, p))


def cdist(x1: T, x2: Tensor, p: float = 2.0) -> T:
    """Return the p-norms of the differences of every two rows.

    Shapes: x1 [..., P, M], x2 [..., R, M] -> [..., P, R]; leading axes broadcast. The
    differences are formed, not products: exact for near rows, P * R * M numbers.
    Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[0.0, 0.0], [3.0, 4.0]])
        >>> fogo.cdist(x, x).tolist()
        [[0.0, 5.0], [5.0, 0.0]]
    """
    _check("cdist", p)
    if x1.ndim < 2 or x2.ndim < 2 or x1.shape[-1] != x2.shape[-1]:
        raise ShapeError(
            "cdist: matrices with rows of one length; given %s and %s"
            % (list(x1.shape), list(x2.shape))
        )
    return length(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


_ROWS = (((3, 4), -3.0, 3.0), ((2, 4), -3.0, 3.0))
SAMPLES = {
    "cdist": (
        Sample(*_ROWS),
        Sample(*_ROWS, p=1.0),
        Sample(*_ROWS, p=3.0),
        Sample(((2, 1, 3, 4), -3.0, 3.0), ((5, 2, 4), -3.0, 3.0)),
    ),
}

__all__ = ["cdist"]
NOT_METHODS = __all__
