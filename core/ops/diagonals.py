"""Diagonals of two axes, and their sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import normalize_axis
from .define import Sample

if TYPE_CHECKING:
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def diagonal(x: T, offset: int = 0, axis1: int = -2, axis2: int = -1) -> T:
    """Return the diagonal of two axes, as a new last axis.

    Shapes: [..., R, C] -> [..., K]. Raises: ShapeError for one axis given twice.

    Example:
        >>> import fogo
        >>> fogo.diagonal(fogo.tensor([[1, 2], [3, 4]])).tolist()
        [1, 4]
    """
    a = normalize_axis("diagonal", axis1, x.ndim)
    b = normalize_axis("diagonal", axis2, x.ndim)
    if a == b:
        raise ShapeError("diagonal: two different axes; given %d twice" % axis1)
    x = x.moveaxis((a, b), (-2, -1))
    rows, cols = x.shape[-2:]
    top, left = max(-offset, 0), max(offset, 0)
    count = max(min(rows - top, cols - left), 0)
    flat = x.reshape(x.shape[:-2] + (rows * cols,))
    lead = x.ndim - 2
    starts = [0] * lead + [top * cols + left if count else 0]
    steps = [1] * lead + [cols + 1]
    return flat.strided_slice(starts, steps, x.shape[:-2] + (count,))


def trace(
    x: T,
    offset: int = 0,
    axis1: int = -2,
    axis2: int = -1,
    *,
    dtype: DType | None = None,
) -> T:
    """Return the sum of the diagonal of two axes; dtype: as in `sum`.

    Example:
        >>> import fogo
        >>> round(fogo.trace(fogo.tensor([[1, 2], [3, 4]])).item(), 4)
        5
    """
    return diagonal(x, offset, axis1, axis2).sum(-1, dtype=dtype)


SAMPLES = {
    "diagonal": (
        Sample(((3, 4, 5), -3.0, 3.0)),
        Sample(((3, 4, 5), -3.0, 3.0), offset=-1),
        Sample(((3, 4, 5), -3.0, 3.0), offset=2, axis1=0, axis2=2),
        Sample(((3, 4), -3.0, 3.0), offset=7),
    ),
    "trace": (Sample(((2, 4, 4), -3.0, 3.0)), Sample(((3, 4), -3.0, 3.0), offset=1)),
}

__all__ = ["diagonal", "trace"]
NOT_METHODS = ()
