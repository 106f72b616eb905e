"""Gather and scatter: elements by integer index, on the device, in a fixed order.

An index counts from the end where it is negative. Out of range there is no element:
reading gives 0 and writing is dropped, on every backend (a GPU cannot raise). Where
two indices are equal, the last write wins, and sums add up in the order of the index:
no atomics, so the same numbers come out every time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bfloat16, bool_, float16, float32
from ..errors import DTypeError, ShapeError
from ..expr import INDEX, cast, literal
from ..expr import where as _where
from ..shapes import broadcast, normalize_axis
from .creation import arange
from .define import Sample, define_op
from .elementwise import where
from .record import Aval, same

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_X = ((3, 5, 2), -3.0, 3.0)


def _call(op, tensors, attrs):
    from ..dispatch import call

    return call(op, tensors, attrs)


def _zeros(like, shape):
    return like.device.constant(0, like.dtype).expand(shape)


def _replaced(c, axis, j):
    return c[:axis] + (j,) + c[axis + 1 :]


def _wrapped(k, value, n):
    """A loaded index, counted from the front."""
    i = k.let(k.index(value))
    return i if value.dtype.kind == "uint" else k.let(_where(i < 0, i + n, i))


def _read(k, x, c, axis, i, out):
    """out at this point = x[… i …], or 0 where there is no such element."""
    branch = k.when((i >= 0) & (i < x.shape[axis]))
    with branch:
        out[c] = x[_replaced(c, axis, i)]
    with k.otherwise(branch.value):
        out[c] = literal(0, out.dtype)


def _take_infer(avals, attrs):
    x, index = avals
    axis = attrs[0]
    return (Aval(x.shape[:axis] + index.shape + x.shape[axis + 1 :], x.dtype),)


def _take_kernel(k, x, index, out, axis):
    c = k.grid(out.shape)
    _read(k, x, c, axis, _wrapped(k, index[c[axis]], x.shape[axis]), out)


def _take_grad(ctx):
    x, index = ctx.inputs
    g = _summable(ctx.g[0])
    made = add_at(_zeros(g, x.shape), index, g, ctx.attrs[0])
    return made.astype(x.dtype), None


def _summable(g):
    """A gradient that can be added up: bfloat16 is only stored."""
    return g.astype(float32) if g.dtype is bfloat16 else g


TAKE = define_op(
    "take", infer=_take_infer, attrs=("axis",), kernel=_take_kernel, grad=_take_grad,
    saves="i",
    samples=(
        Sample(_X, ((4,), -5, 4, "int32"), axis=1),
        Sample(_X, ((2, 3), 0, 2, "int32"), axis=0),
        Sample(((5,), -3.0, 3.0), ((), 0, 4, "int32")),
        Sample(((3, 5), -3.0, 3.0), ((4,), -15, 14, "int32"), axis=None),
        Sample(((3, 0), -3.0, 3.0), ((2,), 0, 2, "int32"), axis=0),
        Sample(_X, ((0,), 0, 1, "int32"), axis=-1),
    ),
)  # fmt: skip


def _indices(name, x, index):
    """An index tensor beside x: lists are sent to the device, dtypes checked."""
    from ..tensor import Tensor, tensor

    if not isinstance(index, Tensor):
        index = tensor(index, device=x.device.base())
    if not index.dtype.is_int:
        raise DTypeError(
            "%s: an index holds integers; given %s; cast it with .astype('int32')"
            % (name, index.dtype.name)
        )
    return index


def take(x: T, indices: Tensor, axis: int | None = None) -> T:
    """Return the elements (or slices of an axis) that an index tensor names.

    Shapes: x [..., N, ...], indices [...I] -> [..., ...I, ...]; without an axis x
    counts as flat. Negative indices count from the end; out of range reads as 0.
    Raises: DTypeError unless the index holds integers, ShapeError for a bad axis.

    Example:
        >>> import fogo
        >>> fogo.take(fogo.tensor([1.0, 2.0, 3.0]), fogo.tensor([2, 0, -1])).tolist()
        [3.0, 1.0, 3.0]
    """
    index = _indices("take", x, indices)
    if axis is None:
        x, axis = x.reshape((-1,)), 0
    place = normalize_axis("take", axis, x.ndim)
    if index.ndim == 1:
        return _call(TAKE, (x, index), (place,))
    out = _call(TAKE, (x, index.reshape((-1,))), (place,))
    return out.reshape(x.shape[:place] + index.shape + x.shape[place + 1 :])


def index_select(x: T, axis: int, index: Tensor) -> T:
    """`take` with PyTorch's name and order of arguments.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[1, 2], [3, 4]]), fogo.tensor([1])
        >>> fogo.index_select(x, 1, y).tolist()
        [[2], [4]]
    """
    return take(x, index, axis)


def embedding(index: Tensor, weight: T, padding_idx: int | None = None) -> T:
    """Return the row of `weight` for each index; the row `padding_idx` learns nothing.

    Shapes: index [...], weight [V, E] -> [..., E]. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> fogo.embedding(fogo.tensor([[1, 0]]), fogo.ones(2, 3)).shape
        (1, 2, 3)
    """
    if weight.ndim != 2:
        raise ShapeError(
            "embedding: the weight is a table [V, E]; given %s" % list(weight.shape)
        )
    out = take(weight, index, 0)
    if padding_idx is None or not weight.requires_grad:
        return out
    row = padding_idx + weight.shape[0] if padding_idx < 0 else padding_idx
    return where((index == row).unsqueeze(-1), out.detach(), out)


def _along_infer(avals, attrs):
    return (Aval(avals[1].shape, avals[0].dtype),)


def _along_kernel(k, x, index, out, axis):
    c = k.grid(out.shape)
    _read(k, x, c, axis, _wrapped(k, index[c], x.shape[axis]), out)


def _along_grad(ctx):
    x, index = ctx.inputs
    g = _summable(ctx.g[0])
    made = _call(ADD_ALONG, (_zeros(g, x.shape), index, g), ctx.attrs)
    return made.astype(x.dtype), None


TAKE_ALONG = define_op(
    "take_along_axis", infer=_along_infer, attrs=("axis",), kernel=_along_kernel,
    grad=_along_grad, saves="i",
    samples=(
        Sample(_X, ((3, 4, 2), -5, 4, "int32"), axis=1),
        Sample(((3, 5), -3.0, 3.0), ((3, 2), 0, 4, "int32")),
        Sample(((5,), -3.0, 3.0), ((3,), 0, 4, "int32"), axis=0),
        Sample(((3, 0), -3.0, 3.0), ((2, 0), 0, 2, "int32"), axis=0),
    ),
)  # fmt: skip


def _aligned(name, x, index, values, axis):
    """Broadcast all but the axis, as NumPy does; returns (x, index, values, axis)."""
    index = _indices(name, x, index)
    place = normalize_axis(name, axis, x.ndim)
    if index.ndim != x.ndim:
        raise ShapeError(
            "%s: the index has as many axes as x; given index=%s for x=%s; use take"
            % (name, list(index.shape), list(x.shape))
        )
    rest = broadcast(name, _without(x.shape, place), _without(index.shape, place))
    shape = rest[:place] + (index.shape[place],) + rest[place:]
    wide = rest[:place] + (x.shape[place],) + rest[place:]
    if values is not None:
        values = _values(x, values).expand(shape)
    return x.expand(wide), index.expand(shape), values, place


def _without(shape, axis):
    return tuple(shape[:axis]) + tuple(shape[axis + 1 :])


def _values(x, values):
    from ..tensor import Tensor

    if not isinstance(values, Tensor):
        return x.device.constant(values, x.dtype)
    return values.astype(x.dtype)


def take_along_axis(x: T, indices: Tensor, axis: int = -1) -> T:
    """Return `x[…, indices[…, j, …], …]`: an index of its own for every other place.

    Shapes: x [..., N, ...], indices [..., M, ...] -> [..., M, ...]; the other axes
    broadcast. Out of range reads as 0. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> fogo.take_along_axis(x, fogo.tensor([[1], [0]])).tolist()
        [[2.0], [3.0]]
    """
    x, index, _, place = _aligned("take_along_axis", x, indices, None, axis)
    return _call(TAKE_ALONG, (x, index), (place,))


def _cropped(name, x, axis, index):
    """PyTorch's rule: the index may be smaller than x on the other axes."""
    index = _indices(name, x, index)
    place = normalize_axis(name, axis, x.ndim)
    fits = index.ndim == x.ndim
    for a in range(x.ndim if fits else 0):
        fits = fits and (a == place or index.shape[a] <= x.shape[a])
    if not fits:
        raise ShapeError(
            "%s: the index has x's axes, none longer but axis %d; given index=%s for "
            "x=%s" % (name, place, list(index.shape), list(x.shape))
        )
    return index, place


def gather(x: T, axis: int, index: Tensor) -> T:
    """`take_along_axis` as in PyTorch: the index may be smaller on the other axes.

    Shapes: x [..., N, ...], index [..., M, ...] -> index's. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[1, 2], [3, 4]]), fogo.tensor([[1], [0]])
        >>> fogo.gather(x, 1, y).tolist()
        [[2], [3]]
    """
    index, place = _cropped("gather", x, axis, index)
    return _call(TAKE_ALONG, (x, index), (place,))


def _wide(dtype):
    return float32 if dtype is float16 else dtype


class _Scatter:
    """The kernels of one scatter: add up or put, by a whole index or one for an axis.

    `parallel` has a point for each element of the result, which looks through all
    indices; `serial` one for each line, which follows the indices: less work.
    """

    def __init__(self, add, whole):
        self.add = add
        self.whole = whole

    def _join(self, old, v):
        return old + v if self.add else v

    def _row(self, k, x, index, at, axis):
        value = index[at] if self.whole else index[at[axis]]
        return _wrapped(k, value, x.shape[axis])

    def _count(self, k, c, index, axis):
        """How many indices concern this line: none where the index is too small."""
        if not self.whole:
            return index.shape[0]
        inside = literal(True, bool_)
        for a in range(len(c)):
            if a != axis:
                inside = inside & (c[a] < index.shape[a])
        return k.let(_where(inside, index.shape[axis], literal(0, INDEX)))

    def parallel(self, k, x, index, values, out, axis):
        c = k.grid(out.shape)
        found = k.cell(x[c], _wide(x.dtype))
        with k.loop(self._count(k, c, index, axis)) as j:
            at = _replaced(c, axis, j)
            with k.when(self._row(k, x, index, at, axis) == c[axis]):
                v = cast(values[at], found.dtype)
                found.set(self._join(found, v))
        out[c] = found

    def serial(self, k, x, index, values, out, axis):
        rest = k.grid(_without(out.shape, axis))
        line = rest[:axis] + (0,) + rest[axis:]
        with k.loop(x.shape[axis]) as i:
            at = _replaced(line, axis, i)
            out[at] = x[at]
        with k.loop(self._count(k, line, index, axis)) as j:
            at = _replaced(line, axis, j)
            row = self._row(k, x, index, at, axis)
            with k.when((row >= 0) & (row < x.shape[axis])):
                to = _replaced(line, axis, row)
                v = values[at]
                out[to] = self._join(out[to], v)


def _scatter_op(name, add, whole, samples):
    kernels = _Scatter(add, whole)

    def grad(ctx):
        (g,) = ctx.g
        index = ctx.inputs[1]
        read = TAKE_ALONG if whole else TAKE
        dx = dv = None
        if ctx.needs[0]:
            zeros = _zeros(g, ctx.inputs[2].shape)
            dx = g if add else _call(ctx_op, (g, index, zeros), ctx.attrs)
        if ctx.needs[2]:
            dv = _call(read, (g, index), ctx.attrs)
            if not add:
                dv = where(_winners(ctx_op, read, ctx), dv, 0.0)
        return dx, None, dv

    ctx_op = define_op(
        name, infer=same, attrs=("axis",), kernel=kernels.parallel,
        serial=kernels.serial, grad=grad, saves="i", samples=samples,
        accepts="numeric" if add else "any", complex=True,
    )  # fmt: skip
    return ctx_op


def _winners(op, read, ctx):
    """Say which values were written last, and so are in the result."""
    x, index, values = ctx.inputs
    n = values.shape[ctx.attrs[0]]
    lead = (1,) * ctx.attrs[0]
    turn = arange(n, device=x.device)
    turn = turn.reshape(lead + (n,) + (1,) * (len(values.shape) - len(lead) - 1))
    turn = turn.expand(values.shape)
    board = x.device.constant(-1, turn.dtype).expand(x.shape)
    board = _call(op, (board, index, turn), ctx.attrs)
    return _call(read, (board, index), ctx.attrs) == turn


_ROWS = (
    Sample(_X, ((4,), -5, 4, "int32"), ((3, 4, 2), -3.0, 3.0), axis=1),
    Sample(((3, 5), -3.0, 3.0), ((6,), 0, 2, "int32"), ((6, 5), -3.0, 3.0), axis=0),
    Sample(((3, 0), -3.0, 3.0), ((2,), 0, 2, "int32"), ((2, 0), -3.0, 3.0), axis=0),
)
_WHOLE = (
    Sample(_X, ((3, 4, 2), -5, 4, "int32"), ((3, 4, 2), -3.0, 3.0), axis=1),
    Sample(((3, 5), -3.0, 3.0), ((6, 5), 0, 2, "int32"), ((6, 5), -3.0, 3.0), axis=0),
    Sample(((5,), -3.0, 3.0), ((7,), 0, 4, "int32"), ((), -3.0, 3.0), axis=0),
)
ADD_AT = _scatter_op("add_at", True, False, _ROWS)
PUT_AT = _scatter_op("put_at", False, False, _ROWS)
ADD_ALONG = _scatter_op("add_along_axis", True, True, _WHOLE)
PUT_ALONG = _scatter_op("put_along_axis", False, True, _WHOLE)


def _rows(op, x, index, values, axis):
    op.check(x.dtype)
    index = _indices(op.name, x, index)
    place = normalize_axis(op.name, axis, x.ndim)
    shape = x.shape[:place] + index.shape + x.shape[place + 1 :]
    values = _values(x, values).expand(shape)
    if index.ndim != 1:
        flat = x.shape[:place] + (index.size,) + x.shape[place + 1 :]
        index, values = index.reshape((-1,)), values.reshape(flat)
    return _call(op, (x, index, values), (place,))


def add_at(x: T, index: Tensor, values: Tensor | float, axis: int = 0) -> T:
    """Return x with `values` added to the slices that an index names; all add up.

    Shapes: x [..., N, ...], index [...I], values (broadcast to) [..., ...I, ...].
    Out of range is dropped. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> fogo.add_at(fogo.zeros(3), fogo.tensor([0, 2, 2]), 1.0).tolist()
        [1.0, 0.0, 2.0]
    """
    return _rows(ADD_AT, x, index, values, axis)


def put_at(x: T, index: Tensor, values: Tensor | float, axis: int = 0) -> T:
    """Return x with the slices that an index names replaced; the last one wins."""
    return _rows(PUT_AT, x, index, values, axis)


def put(x: T, index: Tensor, values: Tensor | float) -> T:
    """Return x with `values` (broadcast) at flat positions; the last one wins."""
    return put_at(x.reshape((-1,)), index, values).reshape(x.shape)


def index_add(x: T, axis: int, index: Tensor, values: Tensor, alpha: float = 1.0) -> T:
    """`add_at` with PyTorch's name and order of arguments; values times alpha.

    Example:
        >>> import fogo
        >>> x, y, z = fogo.zeros((3,)), fogo.tensor([0, 0, 2]), fogo.ones((3,))
        >>> fogo.index_add(x, 0, y, z).tolist()
        [2.0, 0.0, 1.0]
    """
    return add_at(x, index, values if alpha == 1 else values * alpha, axis)


def index_copy(x: T, axis: int, index: Tensor, values: Tensor) -> T:
    """`put_at` with PyTorch's name and order of arguments.

    Example:
        >>> import fogo
        >>> x, y, z = fogo.zeros((3,)), fogo.tensor([2, 0]), fogo.tensor([5.0, 6.0])
        >>> fogo.index_copy(x, 0, y, z).tolist()
        [6.0, 0.0, 5.0]
    """
    return put_at(x, index, values, axis)


def add_along_axis(x: T, index: Tensor, values: Tensor | float, axis: int = -1) -> T:
    """Return x with `values` added at `x[…, index[…, j, …], …]`; all add up.

    Shapes: x [..., N, ...], index and values [..., M, ...]; the other axes broadcast.
    """
    ADD_ALONG.check(x.dtype)
    x, index, values, axis = _aligned("add_along_axis", x, index, values, axis)
    return _call(ADD_ALONG, (x, index, values), (axis,))


def put_along_axis(x: T, index: Tensor, values: Tensor | float, axis: int = -1) -> T:
    """Return x with `values` at `x[…, index[…, j, …], …]`; the last one wins.

    Example:
        >>> import fogo
        >>> x, y = fogo.zeros((2, 2)), fogo.tensor([[1], [0]])
        >>> fogo.put_along_axis(x, y, 5.0).tolist()
        [[0.0, 5.0], [5.0, 0.0]]
    """
    x, index, values, axis = _aligned("put_along_axis", x, index, values, axis)
    return _call(PUT_ALONG, (x, index, values), (axis,))


def _scatter(op, name, x, axis, index, src):
    op.check(x.dtype)
    index, place = _cropped(name, x, axis, index)
    src = _values(x, src)
    if src.shape != index.shape:
        if src.ndim == 0:
            src = src.expand(index.shape)
        elif src.ndim != x.ndim or min(_spare(src, index)) < 0:
            raise ShapeError(
                "%s: src covers the index; given src=%s, index=%s"
                % (name, list(src.shape), list(index.shape))
            )
        else:
            src = src.strided_slice([0] * x.ndim, [1] * x.ndim, index.shape)
    return _call(op, (x, index, src), (place,))


def _spare(src, index):
    return [a - b for a, b in zip(src.shape, index.shape)]


def scatter(x: T, axis: int, index: Tensor, src: Tensor | float) -> T:
    """`put_along_axis` as in PyTorch: index and src may be smaller, or src a number.

    Example:
        >>> import fogo
        >>> x, y, z = fogo.zeros((3,)), fogo.tensor([2, 0]), fogo.tensor([5.0, 6.0])
        >>> fogo.scatter(x, 0, y, z).tolist()
        [6.0, 0.0, 5.0]
    """
    return _scatter(PUT_ALONG, "scatter", x, axis, index, src)


def scatter_add(x: T, axis: int, index: Tensor, src: Tensor | float) -> T:
    """`add_along_axis` as in PyTorch: index and src may be smaller than x.

    Example:
        >>> import fogo
        >>> x, y, z = fogo.zeros((3,)), fogo.tensor([2, 2]), fogo.tensor([5.0, 6.0])
        >>> fogo.scatter_add(x, 0, y, z).tolist()
        [0.0, 0.0, 11.0]
    """
    return _scatter(ADD_ALONG, "scatter_add", x, axis, index, src)


def masked_fill(x: T, mask: Tensor, value: Tensor | float) -> T:
    """Return x with `value` where the mask holds; all broadcast.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([1.0, 2.0]), fogo.tensor([True, False])
        >>> fogo.masked_fill(x, y, 0.0).tolist()
        [0.0, 2.0]
    """
    return where(mask, value, x)


def one_hot(index: Tensor, num_classes: int, dtype: str | None = None) -> Tensor:
    """Return 1 at each index along a new last axis, 0 elsewhere.

    Shapes: [...] -> [..., num_classes]. Dtype: the default integer, or as given. An
    index out of [0, num_classes) gives zeros. Raises: DTypeError for floats.

    Example:
        >>> import fogo
        >>> fogo.one_hot(fogo.tensor([1, 0]), 3).tolist()
        [[0, 1, 0], [1, 0, 0]]
    """
    index = _indices("one_hot", index, index)
    hot = index.unsqueeze(-1) == arange(num_classes, dtype=index.dtype,
                                        device=index.device)  # fmt: skip
    return hot.astype(index.device.default_int if dtype is None else dtype)


# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "embedding": (Sample(((2, 3), 0, 4, "int32"), ((5, 4), -3.0, 3.0)),),
    "put": (
        Sample(_X, ((4,), -30, 29, "int32"), ((4,), -3.0, 3.0)),
        Sample(_X, ((2, 2), 0, 29, "int32"), ((), -3.0, 3.0)),
    ),
    "masked_fill": (
        Sample(_X, ((5, 1), 0, 1, "bool"), ((), -3.0, 3.0)),
        Sample(_X, ((3, 5, 2), 0, 1, "bool"), ((), -3.0, 3.0)),
    ),
    "one_hot": (
        Sample(((3, 2), 0, 3, "int32"), num_classes=4),
        Sample(((0,), 0, 3, "int32"), num_classes=4),
    ),
}

__all__ = [
    "add_along_axis", "add_at", "embedding", "gather", "index_add", "index_copy",
    "index_select", "masked_fill", "one_hot", "put", "put_along_axis", "put_at",
    "scatter", "scatter_add", "take", "take_along_axis",
]  # fmt: skip
NOT_METHODS = ("embedding", "one_hot")
