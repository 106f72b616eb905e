"""Composites of the array API standard: grids, repeats, differences, contractions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..dtypes import promote
from ..errors import ShapeError
from ..shapes import broadcast, check_shape, normalize_axis, size
from .complex_ import conj
from .creation import arange
from .define import Sample
from .matmul import matmul
from .movement import concat, expand, moveaxis, narrow, permute, reshape, unsqueeze
from .scan import cumsum
from .sort import searchsorted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def broadcast_arrays(*arrays: T) -> list[T]:
    """Return the tensors expanded to the one shape they broadcast to. Views.

    Raises: ShapeError where they do not broadcast.

    Example:
        >>> import fogo
        >>> a, b = fogo.broadcast_arrays(fogo.zeros(3, 1), fogo.zeros(4))
        >>> a.shape, b.shape
        ((3, 4), (3, 4))
    """
    if not arrays:
        return []
    shape = broadcast("broadcast_arrays", *[a.shape for a in arrays])
    return [expand(a, shape) for a in arrays]


def meshgrid(*arrays: T, indexing: str = "xy") -> list[T]:
    """Return coordinates of the grid that vectors span: one tensor for each of them.

    Shapes: [N0], [N1], [N2], ... -> [N0, N1, N2, ...] each with indexing "ij"; with
    "xy" the first two axes change places. Views. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, y = fogo.meshgrid(fogo.arange(3), fogo.arange(2))
        >>> x.tolist(), y.tolist()
        ([[0, 1, 2], [0, 1, 2]], [[0, 0, 0], [1, 1, 1]])
    """
    if indexing not in ("xy", "ij") or [a for a in arrays if a.ndim > 1]:
        raise ShapeError(
            'meshgrid: vectors, and indexing "xy" or "ij"; given shapes %s, %r'
            % ([list(a.shape) for a in arrays], indexing)
        )
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = [1, 0]
    shape = [arrays[i].size for i in order]
    out = []
    for i, a in enumerate(arrays):
        lying = [1] * len(arrays)
        lying[order.index(i)] = a.size
        out.append(expand(reshape(a, tuple(lying)), tuple(shape)))
    return out


def repeat(x: T, repeats: int | Tensor, axis: int | None = None) -> T:
    """Repeat each element along an axis; without one x counts as flat.

    repeats: a number, or a tensor with one for each element of the axis (or for all);
    the host reads their sum. PyTorch calls this repeat_interleave. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.repeat(fogo.tensor([1, 2]), 2).tolist()
        [1, 1, 2, 2]
        >>> fogo.repeat(fogo.tensor([1, 2]), fogo.tensor([0, 3])).tolist()
        [2, 2, 2]
    """
    from ..tensor import Tensor, tensor

    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    place = normalize_axis("repeat", axis, x.ndim)
    n = x.shape[place]
    if isinstance(repeats, (tuple, list)):
        repeats = tensor(repeats, x.device.default_int, x.device.base())
    if isinstance(repeats, Tensor) and repeats.size == 1 and n != 1:
        repeats = int(repeats.item())
    if not isinstance(repeats, Tensor):
        return _repeat_each(x, int(repeats), place)
    if repeats.shape != (n,):
        raise ShapeError(
            "repeat: one number for all, or one for each element of the axis; given "
            "%s for an axis of size %d" % (list(repeats.shape), n)
        )
    ends = cumsum(repeats.astype(x.device.default_int), 0)
    total = int(ends[-1].item()) if n else 0
    turn = arange(total, dtype=ends.dtype, device=ends.device)
    return x.take(searchsorted(ends, turn, "right"), place)


def _repeat_each(x, count, axis):
    if count < 0:
        raise ShapeError("repeat: the number is not negative; given %d" % count)
    lead, rest = x.shape[: axis + 1], x.shape[axis + 1 :]
    wide = expand(unsqueeze(x, axis + 1), lead + (count,) + rest)
    return reshape(wide, x.shape[:axis] + (x.shape[axis] * count,) + rest)


def tile(x: T, repetitions: Sequence[int]) -> T:
    """Repeat the whole tensor along each axis.

    Example:
        >>> import fogo
        >>> fogo.tile(fogo.tensor([1, 2]), (2,)).tolist()
        [1, 2, 1, 2]
    """
    reps = check_shape("tile", repetitions)
    lead = len(reps) - x.ndim
    if lead > 0:
        x = reshape(x, (1,) * lead + x.shape)
    reps = (1,) * (x.ndim - len(reps)) + reps
    spread = []
    whole = []
    for d, r in zip(x.shape, reps):
        spread.extend([r, d])
        whole.append(r * d)
    inner = []
    for d in x.shape:
        inner.extend([1, d])
    return reshape(expand(reshape(x, tuple(inner)), tuple(spread)), tuple(whole))


def unstack(x: T, axis: int = 0) -> tuple[T, ...]:
    """Return the slices along an axis, which goes away. Views. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> [part.tolist() for part in fogo.unstack(fogo.tensor([[1, 2], [3, 4]]))]
        [[1, 2], [3, 4]]
    """
    place = normalize_axis("unstack", axis, x.ndim)
    shape = x.shape[:place] + x.shape[place + 1 :]
    parts = [narrow(x, place, i, 1) for i in range(x.shape[place])]
    return tuple([reshape(part, shape) for part in parts])


def diff(
    x: T,
    axis: int = -1,
    n: int = 1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> T:
    """Return the n-th differences of neighbours along an axis.

    prepend, append: what goes before and after x along the axis first.
    Raises: ShapeError for a negative n, or for parts that do not join.

    Example:
        >>> import fogo
        >>> fogo.diff(fogo.tensor([1, 4, 9, 16])).tolist()
        [3, 5, 7]
    """
    if n < 0:
        raise ShapeError("diff: the order is not negative; given n=%d" % n)
    place = normalize_axis("diff", axis, x.ndim)
    parts: list[Any] = [part for part in (prepend, x, append) if part is not None]
    x = concat(parts, place)
    for _ in range(n):
        left = max(x.shape[place] - 1, 0)
        after = narrow(x, place, min(1, x.shape[place]), left)
        x = after - narrow(x, place, 0, left)
    return x


def tensordot(x1: T, x2: Tensor, axes: int | Sequence[Sequence[int]] = 2) -> T:
    """Return the sums of products over axes of both tensors.

    axes: how many of the last of x1 and the first of x2; or two lists of as many axes,
    of x1 and of x2. The other axes follow each other. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> fogo.tensordot(fogo.ones(2, 3, 4), fogo.ones(3, 4, 5)).shape
        (2, 5)
    """
    if isinstance(axes, int):
        first = list(range(x1.ndim - axes, x1.ndim))
        second = list(range(axes))
    else:
        first, second = [list(part) for part in axes]
    first = [normalize_axis("tensordot", a, x1.ndim) for a in first]
    second = [normalize_axis("tensordot", a, x2.ndim) for a in second]
    over = [x1.shape[a] for a in first]
    if over != [x2.shape[a] for a in second]:
        raise ShapeError(
            "tensordot: the axes have the same sizes in both; given axes %s of %s and "
            "%s of %s" % (first, list(x1.shape), second, list(x2.shape))
        )
    rows = [a for a in range(x1.ndim) if a not in first]
    columns = [a for a in range(x2.ndim) if a not in second]
    shape = [x1.shape[a] for a in rows] + [x2.shape[a] for a in columns]
    count = size(over)
    left = permute(x1, tuple(rows + first))
    right = permute(x2, tuple(second + columns))
    left = reshape(left, (size([x1.shape[a] for a in rows]), count))
    right = reshape(right, (count, size([x2.shape[a] for a in columns])))
    return reshape(matmul(left, right), tuple(shape))


def vecdot(x1: T, x2: Tensor, axis: int = -1) -> T:
    """Return the inner products of vectors along an axis; the other axes broadcast.

    x1 is conjugated where it is complex. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> fogo.vecdot(x, x).tolist()
        [5.0, 25.0]
    """
    first = normalize_axis("vecdot", axis, x1.ndim)
    second = normalize_axis("vecdot", axis, x2.ndim)
    if x1.shape[first] != x2.shape[second]:
        raise ShapeError(
            "vecdot: vectors have one length; given axis %d of %s and of %s"
            % (axis, list(x1.shape), list(x2.shape))
        )
    kind = promote(x1.dtype, x2.dtype, "vecdot")
    left = conj(moveaxis(x1.astype(kind), first, -1))
    right = moveaxis(x2.astype(kind), second, -1)
    out = matmul(unsqueeze(left, -2), unsqueeze(right, -1))
    return reshape(out, out.shape[:-2])


_X = ((2, 3, 4), -3.0, 3.0)
# Samples of the functions, all compositions of other ops.
SAMPLES = {
    "repeat": (
        Sample(_X, repeats=2, axis=1),
        Sample(((3, 4), -3.0, 3.0), repeats=3),
        Sample(((0, 3), -3.0, 3.0), repeats=2, axis=0),
    ),
    "unstack": (Sample(_X, axis=1), Sample(((2, 0), -3.0, 3.0))),
    "diff": (
        Sample(_X, axis=1),
        Sample(((7,), -3.0, 3.0), n=3),
        Sample(((3,), -3.0, 3.0), n=5),
        Sample(((2, 0), -3.0, 3.0)),
    ),
    "tensordot": (
        Sample(_X, ((3, 4, 5), -3.0, 3.0)),
        Sample(_X, ((5, 3, 2), -3.0, 3.0), axes=((0, 1), (2, 1))),
        Sample(_X, ((2,), -3.0, 3.0), axes=0),
        Sample(((2, 0), -3.0, 3.0), ((0, 3), -3.0, 3.0), axes=1),
    ),
    "vecdot": (
        Sample(_X, ((3, 4), -3.0, 3.0)),
        Sample(((3, 2), -3.0, 3.0), ((4, 3, 1), -3.0, 3.0), axis=-2),
        Sample(((2, 0), -3.0, 3.0), ((2, 0), -3.0, 3.0)),
    ),
    "meshgrid": (
        Sample(((2,), -3.0, 3.0), ((3,), -3.0, 3.0), ((4,), -3.0, 3.0)),
        Sample(((2,), -3.0, 3.0), ((3,), -3.0, 3.0), indexing="ij"),
        Sample(((2,), -3.0, 3.0)),
        Sample(((2,), -3.0, 3.0), ((0,), -3.0, 3.0)),
    ),
    "broadcast_arrays": (
        Sample(((3, 1), -3.0, 3.0), ((4,), -3.0, 3.0)),
        Sample(((), -3.0, 3.0), ((2, 0), -3.0, 3.0)),
    ),
}

__all__ = [
    "broadcast_arrays", "diff", "meshgrid", "repeat", "tensordot", "tile", "unstack",
    "vecdot",
]  # fmt: skip
# A method `repeat` would surprise: PyTorch's tiles.
NOT_METHODS = ("broadcast_arrays", "meshgrid", "repeat")
