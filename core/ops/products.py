"""Products of vectors and matrices, by PyTorch's names for certain ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import broadcast, normalize_axis
from .cutting import roll
from .define import Sample
from .matmul import matmul

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def cross(x: T, other: Tensor, axis: int = -1) -> T:
    """Return the cross products of vectors of three along an axis; both broadcast.

    Raises: ShapeError where the axis has another size.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([1, 0, 0]), fogo.tensor([0, 1, 0])
        >>> fogo.cross(x, y).tolist()
        [0, 0, 1]
    """
    shape = broadcast("cross", x.shape, other.shape)
    place = normalize_axis("cross", axis, len(shape))
    if shape[place] != 3:
        raise ShapeError(
            "cross: vectors of three along the axis; given %s and %s, axis=%d"
            % (list(x.shape), list(other.shape), axis)
        )
    x, y = x.expand(shape), other.expand(shape)
    first = roll(x, -1, place) * roll(y, -2, place)
    return first - roll(x, -2, place) * roll(y, -1, place)


def _ranks(name, x, y, rank_x, rank_y):
    if x.ndim != rank_x or y.ndim != rank_y:
        raise ShapeError(
            "%s: operands of %d and %d axes; given %s and %s; use matmul"
            % (name, rank_x, rank_y, list(x.shape), list(y.shape))
        )
    return matmul(x, y)


def mm(x: T, other: Tensor) -> T:
    """Return the product of two matrices; raises ShapeError for other ranks.

    Example:
        >>> import fogo
        >>> fogo.mm(fogo.ones((2, 3)), fogo.ones((3, 1))).tolist()
        [[3.0], [3.0]]
    """
    return _ranks("mm", x, other, 2, 2)


def bmm(x: T, other: Tensor) -> T:
    """Return the products of two batches of matrices: [B, M, K], [B, K, N].

    Example:
        >>> import fogo
        >>> fogo.bmm(fogo.ones((2, 1, 3)), fogo.ones((2, 3, 1))).tolist()
        [[[3.0]], [[3.0]]]
    """
    return _ranks("bmm", x, other, 3, 3)


def mv(x: T, other: Tensor) -> T:
    """Return the product of a matrix and a vector: [M, K], [K] -> [M].

    Example:
        >>> import fogo
        >>> fogo.mv(fogo.tensor([[1, 2], [3, 4]]), fogo.tensor([1, 1])).tolist()
        [3, 7]
    """
    return _ranks("mv", x, other, 2, 1)


def addmm(x: T, mat1: Tensor, mat2: Tensor, beta: float = 1.0, alpha: float = 1.0) -> T:
    """Return `beta * x + alpha * (mat1 @ mat2)`; x broadcasts.

    Example:
        >>> import fogo
        >>> fogo.addmm(fogo.ones(2), fogo.eye(2), fogo.eye(2), alpha=2.0).tolist()
        [[3.0, 1.0], [1.0, 3.0]]
    """
    product = _ranks("addmm", mat1, mat2, 2, 2)
    if alpha != 1:
        product = product * alpha
    return (x if beta == 1 else x * beta) + product


_M = ((3, 4), -2.0, 2.0)
SAMPLES = {
    "cross": (
        Sample(((4, 3), -2.0, 2.0), ((4, 3), -2.0, 2.0)),
        Sample(((3, 2), -2.0, 2.0), ((3, 1), -2.0, 2.0), axis=0),
    ),
    "mm": (Sample(_M, ((4, 2), -2.0, 2.0)),),
    "bmm": (Sample(((2, 3, 4), -2.0, 2.0), ((2, 4, 2), -2.0, 2.0)),),
    "mv": (Sample(_M, ((4,), -2.0, 2.0)),),
    "addmm": (
        Sample(((2,), -2.0, 2.0), _M, ((4, 2), -2.0, 2.0)),
        Sample(((3, 2), -2.0, 2.0), _M, ((4, 2), -2.0, 2.0), beta=2, alpha=3),
    ),
}

__all__ = ["addmm", "bmm", "cross", "mm", "mv"]
NOT_METHODS = ()
