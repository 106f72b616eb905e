"""Cutting and joining by NumPy's and PyTorch's names: hsplit, vstack and their kin."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import normalize_axis
from .cutting import split
from .define import Sample
from .movement import concat, narrow, reshape, unsqueeze

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_X = ((2, 3, 4), -3.0, 3.0)
_TWO = (_X, ((2, 3, 4), -3.0, 3.0))


def tensor_split(
    x: T, indices_or_sections: int | Sequence[int], axis: int = 0
) -> list[T]:
    """Cut an axis into a number of parts, or before the indices that are listed.

    The first parts are one longer where the axis does not divide evenly.
    Raises: ShapeError for a number of parts below 1.

    Example:
        >>> import fogo
        >>> [part.size for part in fogo.tensor_split(fogo.arange(7), 3)]
        [3, 2, 2]
    """
    place = normalize_axis("tensor_split", axis, x.ndim)
    n = x.shape[place]
    if not isinstance(indices_or_sections, int):
        cuts = [min(max(c + n if c < 0 else c, 0), n) for c in indices_or_sections]
        bounds = [0] + cuts + [n]
        pairs = zip(bounds, bounds[1:])
        return [narrow(x, place, a, max(b - a, 0)) for a, b in pairs]
    parts = indices_or_sections
    if parts < 1:
        raise ShapeError(
            "tensor_split: the number of parts is positive; given %d" % parts
        )
    sizes = [n // parts + (1 if i < n % parts else 0) for i in range(parts)]
    return split(x, sizes, place)


def _named_split(name, x, how, axis):
    if x.ndim <= axis:
        raise ShapeError(
            "%s: needs an axis %d; given shape %s" % (name, axis, list(x.shape))
        )
    return tensor_split(x, how, axis)


def hsplit(x: T, indices_or_sections: int | Sequence[int]) -> list[T]:
    """`tensor_split` along axis 1 (axis 0 of a vector).

    Example:
        >>> import fogo
        >>> [c.tolist() for c in fogo.hsplit(fogo.arange(4), 2)]
        [[0, 1], [2, 3]]
    """
    return _named_split("hsplit", x, indices_or_sections, 1 if x.ndim > 1 else 0)


def vsplit(x: T, indices_or_sections: int | Sequence[int]) -> list[T]:
    """`tensor_split` along axis 0 of at least a matrix.

    Example:
        >>> import fogo
        >>> [c.shape for c in fogo.vsplit(fogo.zeros((4, 1)), 2)]
        [(2, 1), (2, 1)]
    """
    if x.ndim < 2:
        raise ShapeError("vsplit: at least two axes; given %s" % list(x.shape))
    return _named_split("vsplit", x, indices_or_sections, 0)


def dsplit(x: T, indices_or_sections: int | Sequence[int]) -> list[T]:
    """`tensor_split` along axis 2.

    Example:
        >>> import fogo
        >>> [c.shape for c in fogo.dsplit(fogo.zeros((1, 1, 4)), 2)]
        [(1, 1, 2), (1, 1, 2)]
    """
    return _named_split("dsplit", x, indices_or_sections, 2)


def split_with_sizes(x: T, sizes: Sequence[int], axis: int = 0) -> list[T]:
    """Cut x along an axis into parts of these sizes: `split` with a list.

    Example:
        >>> import fogo
        >>> [c.tolist() for c in fogo.split_with_sizes(fogo.arange(5), (1, 4))]
        [[0], [1, 2, 3, 4]]
    """
    return split(x, list(sizes), axis)


def atleast_1d(x: T) -> T:
    """Return x with at least one axis.

    Example:
        >>> import fogo
        >>> fogo.atleast_1d(fogo.tensor(3)).tolist()
        [3]
    """
    return x if x.ndim else reshape(x, (1,))


def atleast_2d(x: T) -> T:
    """Return x with at least two axes; new ones come in front.

    Example:
        >>> import fogo
        >>> fogo.atleast_2d(fogo.tensor([3])).tolist()
        [[3]]
    """
    return x if x.ndim > 1 else reshape(x, (1, x.size))


def atleast_3d(x: T) -> T:
    """Return x with at least three axes: [M, N] -> [M, N, 1], [N] -> [1, N, 1].

    Example:
        >>> import fogo
        >>> fogo.atleast_3d(fogo.tensor([3])).shape
        (1, 1, 1)
    """
    return x if x.ndim > 2 else unsqueeze(atleast_2d(x), -1)


def hstack(tensors: Sequence[T]) -> T:
    """Join tensors along axis 1 (axis 0 of vectors).

    Example:
        >>> import fogo
        >>> fogo.hstack([fogo.tensor([1]), fogo.tensor([2])]).tolist()
        [1, 2]
    """
    parts = [atleast_1d(x) for x in tensors]
    return concat(parts, 0 if parts and parts[0].ndim == 1 else 1)


def vstack(tensors: Sequence[T]) -> T:
    """Join tensors along axis 0; vectors are rows.

    Example:
        >>> import fogo
        >>> fogo.row_stack([fogo.tensor([1]), fogo.tensor([2])]).tolist()
        [[1], [2]]
    """
    return concat([atleast_2d(x) for x in tensors], 0)


def dstack(tensors: Sequence[T]) -> T:
    """Join tensors along axis 2; see `atleast_3d`.

    Example:
        >>> import fogo
        >>> fogo.dstack([fogo.tensor([1]), fogo.tensor([2])]).tolist()
        [[[1, 2]]]
    """
    return concat([atleast_3d(x) for x in tensors], 2)


def column_stack(tensors: Sequence[T]) -> T:
    """Join tensors along axis 1; vectors are columns.

    Example:
        >>> import fogo
        >>> fogo.column_stack([fogo.tensor([1, 2]), fogo.tensor([3, 4])]).tolist()
        [[1, 3], [2, 4]]
    """
    return concat([x if x.ndim > 1 else reshape(x, (x.size, 1)) for x in tensors], 1)


row_stack = vstack

SAMPLES = {
    "tensor_split": (
        Sample(((7, 2), -3.0, 3.0), indices_or_sections=3),
        Sample(((2, 7), -3.0, 3.0), indices_or_sections=(1, -2, 9), axis=1),
        Sample(((7,), -3.0, 3.0), indices_or_sections=(5, 3)),
    ),
    "hsplit": (
        Sample(((2, 4), -3.0, 3.0), indices_or_sections=2),
        Sample(((5,), -3.0, 3.0), indices_or_sections=(2,)),
    ),
    "vsplit": (Sample(((4, 2), -3.0, 3.0), indices_or_sections=2),),
    "dsplit": (Sample(_X, indices_or_sections=2),),
    "split_with_sizes": (Sample(_X, sizes=(1, 3), axis=2),),
    "atleast_1d": (Sample(((), -3.0, 3.0)), Sample(_X)),
    "atleast_2d": (Sample(((4,), -3.0, 3.0)), Sample(_X)),
    "atleast_3d": tuple(
        [Sample((shape, -3.0, 3.0)) for shape in ((), (4,), (3, 4), (2, 3, 4))]
    ),
    "hstack": (Sample(*_TWO), Sample(((3,), -3.0, 3.0), ((2,), -3.0, 3.0))),
    "vstack": (Sample(*_TWO), Sample(((3,), -3.0, 3.0), ((3,), -3.0, 3.0))),
    "dstack": (Sample(*_TWO), Sample(((3,), -3.0, 3.0), ((3,), -3.0, 3.0))),
    "column_stack": (Sample(((3,), -3.0, 3.0), ((3, 2), -3.0, 3.0)),),
}

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "column_stack", "dsplit", "dstack",
    "hsplit", "hstack", "row_stack", "split_with_sizes", "tensor_split", "vsplit",
    "vstack",
]  # fmt: skip
NOT_METHODS = ("column_stack", "dstack", "hstack", "row_stack", "vstack")
