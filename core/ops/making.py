"""More tensors from little: diagonals, places of triangles, masks, choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import normalize_axis, size
from .creation import _place, arange, fill, full, linspace
from .define import Sample
from .diagonals import diagonal
from .elementwise import where
from .index import _indices
from .movement import concat, expand, moveaxis, reshape, stack
from .select import _coordinates, _running_count, _take
from .shaping import diagonal_scatter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def logspace(
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return `steps` powers of base, their exponents evenly spaced from start to end.

    Example:
        >>> import fogo
        >>> fogo.logspace(0, 3, 4, base=2.0).tolist()
        [1.0, 2.0, 4.0, 8.0]
    """
    where_ = _place(device)
    powers = linspace(start, end, steps, dtype, where_)
    return full((1,), float(base), powers.dtype, where_).expand(powers.shape) ** powers


def _triangle_places(rows, cols, offset, upper, device):
    """Coordinates of a triangle, [2, K]: K follows from the sizes."""
    count = 0
    for r in range(rows):
        below = min(max(r + offset + (0 if upper else 1), 0), cols)
        count += cols - below if upper else below
    base = _place(device).base()
    if count == 0:
        return fill((2, 0), 0, base.default_int, base)
    row = arange(rows, device=base).reshape((rows, 1))
    col = arange(cols, device=base).reshape((1, cols))
    inside = col - row >= offset if upper else col - row <= offset
    flat = _take(arange(rows * cols, device=base), _running_count(inside), count)
    return stack(_coordinates(flat, (rows, cols)), 0)


def tril_indices(
    rows: int, cols: int, offset: int = 0, device: Device | str | None = None
) -> Tensor:
    """Return the places of the lower triangle of a matrix, row by row: [2, K] integers.

    offset: the diagonal up to which it goes. Nothing is read by the host.

    Example:
        >>> import fogo
        >>> fogo.tril_indices(2, 2).tolist()
        [[0, 1, 1], [0, 0, 1]]
    """
    return _triangle_places(rows, cols, offset, False, device)


def triu_indices(
    rows: int, cols: int, offset: int = 0, device: Device | str | None = None
) -> Tensor:
    """Return the places of the upper triangle of a matrix, row by row: [2, K].

    Example:
        >>> import fogo
        >>> fogo.triu_indices(2, 2).tolist()
        [[0, 0, 1], [0, 1, 1]]
    """
    return _triangle_places(rows, cols, offset, True, device)


def diag_embed(x: T, offset: int = 0, axis1: int = -2, axis2: int = -1) -> T:
    """Return matrices with the last axis of x on a diagonal, 0 elsewhere.

    Shapes: [..., K] -> [..., N, N] with N = K + |offset|; the new axes are axis1 and
    axis2. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.diag_embed(fogo.tensor([1, 2])).tolist()
        [[1, 0], [0, 2]]
    """
    if x.ndim == 0:
        raise ShapeError("diag_embed: at least one axis; given a 0-d tensor")
    n = x.shape[-1] + abs(offset)
    a = normalize_axis("diag_embed", axis1, x.ndim + 1)
    b = normalize_axis("diag_embed", axis2, x.ndim + 1)
    zeros = x.device.constant(0, x.dtype).expand(x.shape[:-1] + (n, n))
    return moveaxis(diagonal_scatter(zeros, x, offset, -2, -1), (-2, -1), (a, b))


def diag(x: T, offset: int = 0) -> T:
    """Return a matrix with the vector x on a diagonal, or the diagonal of a matrix.

    Raises: ShapeError for other ranks.

    Example:
        >>> import fogo
        >>> fogo.diag(fogo.tensor([1, 2])).tolist()
        [[1, 0], [0, 2]]
    """
    if x.ndim == 1:
        return diag_embed(x, offset)
    if x.ndim != 2:
        raise ShapeError(
            "diag: a vector or a matrix; given %s; use diagonal or diag_embed"
            % list(x.shape)
        )
    return diagonal(x, offset)


def diagflat(x: T, offset: int = 0) -> T:
    """Return a matrix with all elements of x on a diagonal.

    Example:
        >>> import fogo
        >>> fogo.diagflat(fogo.tensor([1, 2])).tolist()
        [[1, 0], [0, 2]]
    """
    return diag_embed(reshape(x, (-1,)), offset)


def block_diag(*tensors: T) -> T:
    """Return the matrices along a diagonal of one matrix, 0 elsewhere.

    Vectors count as rows, 0-d tensors as [1, 1]. Raises: ShapeError for other ranks.

    Example:
        >>> import fogo
        >>> fogo.block_diag(fogo.tensor([[1]]), fogo.tensor([[2, 3]])).tolist()
        [[1, 0, 0], [0, 2, 3]]
    """
    from .stacking import atleast_2d

    blocks = [atleast_2d(x) for x in tensors]
    for x in blocks:
        if x.ndim > 2:
            raise ShapeError("block_diag: matrices; given %s" % list(x.shape))
    width, at, rows = sum([x.shape[1] for x in blocks]), 0, []
    for x in blocks:
        rows.append(x.pad(((0, 0), (at, width - at - x.shape[1]))))
        at += x.shape[1]
    return concat(rows, 0)


def cartesian_prod(*tensors: T) -> T:
    """Return every choice of one element from each vector: [N1 * … * Nk, k].

    One vector alone stays as it is. Raises: ShapeError for other ranks.

    Example:
        >>> import fogo
        >>> fogo.cartesian_prod(fogo.tensor([1, 2]), fogo.tensor([3, 4])).tolist()
        [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    for x in tensors:
        if x.ndim != 1:
            raise ShapeError("cartesian_prod: vectors; given %s" % list(x.shape))
    if len(tensors) == 1:
        return tensors[0]
    shape = tuple([x.size for x in tensors])
    columns = []
    for i, x in enumerate(tensors):
        lying = [1] * len(shape)
        lying[i] = x.size
        columns.append(reshape(expand(reshape(x, lying), shape), (size(shape),)))
    return stack(columns, 1)


def one_hot_fill(
    index: Tensor,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    axis: int = -1,
    dtype: DType | str = "float32",
) -> Tensor:
    """Return `on_value` at each index along a new axis, `off_value` elsewhere.

    Shapes: [...] -> [..., num_classes, ...] with the new axis at `axis`. Negative
    indices count from the end; one out of range gives `off_value` only.

    Example:
        >>> import fogo
        >>> fogo.one_hot_fill(fogo.tensor([1, -1]), 3, 5.0, -1.0).tolist()
        [[-1.0, 5.0, -1.0], [-1.0, -1.0, 5.0]]
    """
    index = _indices("one_hot_fill", index, index)
    place = normalize_axis("one_hot_fill", axis, index.ndim + 1)
    if index.dtype.kind == "int":
        index = where(index < 0, index + num_classes, index)
    classes = arange(num_classes, dtype=index.dtype, device=index.device)
    hot = moveaxis(index.unsqueeze(-1) == classes, -1, place)
    values = full((), on_value, dtype, index.device)
    return where(hot, values, off_value)


def tril_mask(
    shape: Sequence[int], offset: int = 0, device: Device | str | None = None
) -> Tensor:
    """Return bools [..., R, C]: false in the lower triangle, true above it.

    Burn's: what a causal mask hides. Raises: ShapeError for fewer than two axes.

    Example:
        >>> import fogo
        >>> fogo.tril_mask((2, 2)).tolist()
        [[False, True], [False, False]]
    """
    return _mask("tril_mask", shape, device, lambda d: d > offset)


def triu_mask(
    shape: Sequence[int], offset: int = 0, device: Device | str | None = None
) -> Tensor:
    """Return bools [..., R, C]: false in the upper triangle, true below it.

    Example:
        >>> import fogo
        >>> fogo.triu_mask((2, 2)).tolist()
        [[False, False], [True, False]]
    """
    return _mask("triu_mask", shape, device, lambda d: d < offset)


def diag_mask(
    shape: Sequence[int], offset: int = 0, device: Device | str | None = None
) -> Tensor:
    """Return bools [..., R, C]: false on a diagonal, true elsewhere.

    Example:
        >>> import fogo
        >>> fogo.diag_mask((2, 2)).tolist()
        [[False, True], [True, False]]
    """
    return _mask("diag_mask", shape, device, lambda d: d != offset)


def _mask(name, shape, device, hidden):
    if len(shape) < 2:
        raise ShapeError("%s: at least two axes; given shape %s" % (name, list(shape)))
    base = _place(device)
    row = arange(shape[-2], device=base).reshape((shape[-2], 1))
    col = arange(shape[-1], device=base).reshape((1, shape[-1]))
    return hidden(col - row).expand(tuple(shape))


_V = ((4,), -3.0, 3.0)
_M = ((3, 4), -3.0, 3.0)
_TRIANGLES = (
    Sample(rows=3, cols=4), Sample(rows=4, cols=3, offset=-1),
    Sample(rows=3, cols=3, offset=1), Sample(rows=2, cols=2, offset=-3),
    Sample(rows=2, cols=3, offset=3),
)  # fmt: skip
_MASKS = (Sample(shape=(3, 4)), Sample(shape=(2, 3, 3), offset=1))
SAMPLES = {
    "logspace": (
        Sample(start=0, end=3, steps=4),
        Sample(start=-1.0, end=1.0, steps=5, base=2.0),
    ),
    "tril_indices": _TRIANGLES,
    "triu_indices": _TRIANGLES,
    "diag_embed": (
        Sample(_M),
        Sample(((2, 3), -3.0, 3.0), offset=1),
        Sample(((2, 3), -3.0, 3.0), offset=-2, axis1=0, axis2=2),
    ),
    "diag": (Sample(_V), Sample(_V, offset=-1), Sample(_M, offset=1), Sample(_M)),
    "diagflat": (Sample(((2, 2), -3.0, 3.0)), Sample(_V, offset=2)),
    "block_diag": (Sample(_M, ((2, 2), -3.0, 3.0), _V, ((), -3.0, 3.0)), Sample(_M)),
    "cartesian_prod": (
        Sample(_V, ((2,), -3.0, 3.0), ((3,), -3.0, 3.0)), Sample(_V),
    ),
    "one_hot_fill": (
        Sample(((3, 2), -4, 3, "int32"), num_classes=4),
        Sample(((3,), 0, 5, "int32"), num_classes=4, on_value=2.5, off_value=-1.0),
        Sample(((3, 2), 0, 3, "int32"), num_classes=4, axis=1),
    ),
    "tril_mask": _MASKS,
    "triu_mask": _MASKS,
    "diag_mask": _MASKS,
}  # fmt: skip

__all__ = [
    "block_diag", "cartesian_prod", "diag", "diag_embed", "diag_mask", "diagflat",
    "logspace", "one_hot_fill", "tril_indices", "tril_mask",
    "triu_indices", "triu_mask",
]  # fmt: skip
NOT_METHODS = (
    "block_diag", "cartesian_prod", "diag_mask", "logspace", "one_hot_fill",
    "tril_indices", "tril_mask", "triu_indices", "triu_mask",
)  # fmt: skip
