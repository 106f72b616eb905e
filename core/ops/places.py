"""Reading and writing at lists of places: PyTorch's index_put, ONNX's GatherND."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import size
from .define import Sample
from .elementwise import where
from .index import _indices, _values, add_at, put_at, take, take_along_axis
from .movement import expand, reshape, stack
from .scatter_modes import index_reduce
from .select import nonzero, nonzero_async

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_X = ((3, 5, 2), -3.0, 3.0)
_NAMES = {"mul": "prod", "max": "amax", "min": "amin"}  # ONNX's


def _rows(name, x, index):
    """(flat index, sizes it names): x's first axes by the last axis of the index."""
    index = _indices(name, x, index)
    depth = index.shape[-1] if index.ndim else 0
    if not 0 < depth <= x.ndim:
        raise ShapeError(
            "%s: the last axis of the index holds one number for each of x's first "
            "axes; given index=%s for x=%s" % (name, list(index.shape), list(x.shape))
        )
    sizes = x.shape[:depth]
    total = size(sizes)
    flat = valid = None
    for i, n in enumerate(sizes):
        part = index.narrow(-1, i, 1).squeeze(-1).astype(x.device.default_int)
        part = where(part < 0, part + n, part)
        inside = (part >= 0) & (part < n)
        valid = inside if valid is None else valid & inside
        flat = part if flat is None else flat * n + part
    return where(valid, flat, total), sizes


def gather_nd(x: T, index: Tensor) -> T:
    """Return what lies at places: the last axis of the index holds their coordinates.

    Shapes: x [N1, …, Nk, …R], index [..., k] -> [..., …R]. Negative coordinates count
    from the end; out of range reads as 0. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1, 2], [3, 4]])
        >>> fogo.gather_nd(x, fogo.tensor([[0, 1], [1, 0]])).tolist()
        [2, 3]
    """
    flat, sizes = _rows("gather_nd", x, index)
    return take(reshape(x, (size(sizes),) + x.shape[len(sizes) :]), flat, 0)


def scatter_nd(
    x: T, index: Tensor, values: Tensor | float, reduce: str | None = None
) -> T:
    """Return x with values put (or joined) at places; see `gather_nd`.

    reduce: None puts (of equal places the last), else "sum", "prod", "amax", "amin",
    "mean" ("add", "mul", "max", "min"). Shapes: values (broadcast to) [..., …R].
    Out of range is dropped. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> places = fogo.tensor([[1], [1]])
        >>> values = fogo.tensor([2.0, 3.0])
        >>> fogo.scatter_nd(fogo.ones(3), places, values, "sum").tolist()
        [1.0, 6.0, 1.0]
    """
    flat, sizes = _rows("scatter_nd", x, index)
    rest = x.shape[len(sizes) :]
    rows = reshape(x, (size(sizes),) + rest)
    laid = expand(_values(x, values), flat.shape + rest)
    if reduce in (None, "sum", "add"):
        out = (put_at if reduce is None else add_at)(rows, flat, laid, 0)
    else:
        line, lying = reshape(flat, (-1,)), reshape(laid, (-1,) + rest)
        out = index_reduce(rows, 0, line, lying, _NAMES.get(str(reduce), str(reduce)))
    return reshape(out, x.shape)


def index_put(
    x: T,
    indices: Sequence[Tensor | None] | Tensor,
    values: Tensor | float,
    accumulate: bool = False,
) -> T:
    """Return x with `values` at `x[indices]`; with accumulate, added to what is there.

    indices: one index tensor (or mask) for each axis, None for a whole one; they
    broadcast. One tensor alone is for the first axis. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> rows, cols = fogo.tensor([0, 0]), fogo.tensor([1, 1])
        >>> fogo.index_put(fogo.zeros(2, 2), (rows, cols), 1.0, True).tolist()
        [[0.0, 2.0], [0.0, 0.0]]
    """
    from ..indexing import Plan, Rows, _value, _Whole, setitem
    from ..tensor import Tensor

    if isinstance(indices, Tensor):
        indices = (indices,)
    key = tuple([_Whole if i is None else i for i in indices])
    if not accumulate:
        return setitem(x, key, values)
    rows = Rows(Plan(x, key), x.shape)
    added = rows.values(_value(x, values))
    return rows.lay_back(add_at(rows.lay(x), rows.index, added, 0))


def index_fill(x: T, axis: int, index: Tensor, value: Tensor | float) -> T:
    """Return x with one value in the slices of an axis that an index [K] names.

    Example:
        >>> import fogo
        >>> fogo.index_fill(fogo.zeros((3,)), 0, fogo.tensor([2, 0]), 5.0).tolist()
        [5.0, 0.0, 5.0]
    """
    return put_at(x, index, value, axis)


def argwhere(x: Tensor) -> Tensor:
    """Return where x is not 0, one place a row: [K, axes] integers.

    The host reads K. Raises: DeviceError where this thread cannot wait (use
    `argwhere_async`), ShapeError for a 0-d tensor.

    Example:
        >>> import fogo
        >>> fogo.argwhere(fogo.tensor([[0, 5], [7, 0]])).tolist()
        [[0, 1], [1, 0]]
    """
    return stack(nonzero(x), 1)


async def argwhere_async(x: Tensor) -> Tensor:
    """`argwhere` for platforms where a thread cannot wait.

    Example:
        >>> import fogo
        >>> import asyncio
        >>> asyncio.run(fogo.argwhere_async(fogo.tensor([0, 5]))).tolist()
        [[1]]
    """
    return stack(await nonzero_async(x), 1)


def take_along_dim(x: T, index: Tensor, dim: int | None = None) -> T:
    """`take_along_axis` with PyTorch's name; without an axis both count as flat.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[1, 2], [3, 4]]), fogo.tensor([[1], [0]])
        >>> fogo.take_along_dim(x, y, 1).tolist()
        [[2], [3]]
    """
    if dim is None:
        return take_along_axis(x.reshape((-1,)), index.reshape((-1,)), 0)
    return take_along_axis(x, index, dim)


_PLACES = ((4, 2), -3, 4, "int32")
SAMPLES = {
    "gather_nd": (
        Sample(_X, _PLACES),
        Sample(_X, ((2, 2, 3), 0, 1, "int32")),
        Sample(_X, ((3, 1), 0, 2, "int32")),
    ),
    "scatter_nd": (
        Sample(_X, _PLACES, ((4, 2), -3.0, 3.0)),
        Sample(_X, _PLACES, ((2,), -3.0, 3.0), reduce="sum"),
        Sample(_X, _PLACES, ((4, 2), -3.0, 3.0), reduce="mul"),
        Sample(_X, ((2, 2, 3), 0, 1, "int32"), ((2, 2), -3.0, 3.0), reduce="max"),
        Sample(_X, ((3, 1), 0, 2, "int32"), ((3, 5, 2), -3.0, 3.0), reduce="amin"),
    ),
    "index_put": (
        Sample(_X, ((4,), -3, 2, "int32"), ((4, 5, 2), -3.0, 3.0)),
        Sample(_X, ((2, 2), 0, 1, "int32"), ((5, 1), -3.0, 3.0), accumulate=True),
    ),
    "index_fill": (Sample(_X, ((3,), -5, 4, "int32"), axis=1, value=2),),
    "argwhere": (Sample(((3, 5), -1, 1)), Sample(((2, 0), -1, 1))),
    "take_along_dim": (
        Sample(_X, ((3, 4, 2), 0, 4, "int32"), dim=1),
        Sample(_X, ((7,), 0, 29, "int32")),
    ),
}  # fmt: skip

__all__ = [
    "argwhere", "argwhere_async", "gather_nd", "index_fill", "index_put", "scatter_nd",
    "take_along_dim",
]  # fmt: skip
NOT_METHODS = ()
