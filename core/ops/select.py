"""Selection by a mask: the results whose size depends on the data.

The number of elements is read by the host; all else stays on the device, where element
j is found by halving the running count of the mask. Where a thread cannot wait for the
host to read, the `_async` forms do the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bool_
from ..errors import DeviceError, DTypeError, ShapeError
from ..expr import INDEX, literal
from ..shapes import broadcast
from .creation import arange
from .define import Sample, define_op
from .elementwise import where
from .record import Aval, Op
from .scan import cumsum
from .sort import bits

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _call(op, tensors, attrs):
    from ..dispatch import call

    return call(op, tensors, attrs)


def _select_kernel(k, x, total, out, count, halvings):
    """Element j: the first place where the running count reaches j + 1, or 0."""
    (j,) = k.grid(out.shape)
    low = k.cell(0, INDEX)
    high = k.cell(total.shape[0], INDEX)
    with k.loop(halvings), k.when(low < high):
        half = k.let((low + high) // 2)
        branch = k.when(k.index(total[(half,)]) <= j)
        with branch:
            low.set(half + 1)
        with k.otherwise(branch.value):
            high.set(half)
    found = k.when(low < x.shape[0])
    with found:
        out[(j,)] = x[(low,)]
    with k.otherwise(found.value):
        out[(j,)] = literal(0, out.dtype)


def _spread_kernel(k, values, total, out):
    """Where the count goes up, the value of that number; elsewhere 0."""
    (i,) = k.grid(out.shape)
    here = k.let(k.index(total[(i,)]))
    before = k.cell(0, INDEX)
    with k.when(i > 0):
        before.set(k.index(total[(i - 1,)]))
    counts = (here > before) & (here <= values.shape[0])
    branch = k.when(counts)
    with branch:
        out[(i,)] = values[(here - 1,)]
    with k.otherwise(branch.value):
        out[(i,)] = literal(0, out.dtype)


SELECT = define_op(
    "masked_select", attrs=("count", "halvings"), kernel=_select_kernel, host=True,
    saves="i",
    infer=lambda avals, attrs: (Aval((attrs[0],), avals[0].dtype),),
    grad=lambda ctx: (_call(SPREAD, (ctx.g[0], ctx.inputs[1]), ()), None),
    samples=(
        Sample(((3, 5), -3.0, 3.0), ((3, 5), 0, 1, "bool")),
        Sample(((3, 5), -3.0, 3.0), ((5,), 0, 1, "bool")),
        Sample(((4, 1), -3.0, 3.0), ((4, 2), 0, 1, "bool")),
        Sample(((0, 3), -3.0, 3.0), ((0, 3), 0, 1, "bool")),
    ),
)  # fmt: skip
SPREAD: Op = define_op(
    "masked_spread", kernel=_spread_kernel, saves="i",
    infer=lambda avals, attrs: (Aval(avals[1].shape, avals[0].dtype),),
    grad=lambda ctx: (_selected(ctx.g[0], ctx.inputs[1], ctx.inputs[0].shape[0]), None),
)  # fmt: skip


def _selected(x, total, count):
    """`count` elements of x (flat) by the running count of a mask; 0 past its end."""
    return _call(SELECT, (x, total), (count, bits(x.size)))


def _running_count(mask):
    """How many are true up to each element, in row-major order: [N] integers."""
    return cumsum(mask.reshape((-1,)).astype("int32"), 0)


def _as_mask(name, x, mask):
    """x and mask, broadcast to one shape."""
    if mask.dtype is not bool_:
        raise DTypeError(
            "%s: the mask holds bools; given %s; compare with != 0"
            % (name, mask.dtype.name)
        )
    shape = broadcast(name, x.shape, mask.shape)
    return x.expand(shape), mask.expand(shape)


def _read(name, total):
    """The number of true elements, read by the host."""
    if total.size == 0:
        return 0
    try:
        return int(total[-1].item())
    except DeviceError as error:
        raise DeviceError(
            "%s: the size of the result must be read from the device; given a thread "
            "that cannot wait (%s); use `await fogo.%s_async(...)`"
            % (name, error, name)
        )


async def _read_async(total):
    return 0 if total.size == 0 else int(await total[-1].data_async())


def _take(x, total, count):
    if x.size == 0:
        return x.reshape((0,))
    return _call(SELECT, (x.reshape((-1,)), total), (count, bits(x.size)))


def counted(name, mask):
    """What keeps the elements of [N] tensors where a mask [N] holds; K is read once."""
    total = _running_count(mask)
    count = _read(name, total)
    return lambda x: _take(x, total, count)


def masked_select(x: T, mask: Tensor) -> T:
    """Return the elements where the mask holds, in row-major order: `x[mask]`.

    Shapes: x and mask broadcast -> [K]. The host reads K. Raises: DeviceError where
    this thread cannot wait (use `masked_select_async`), ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([1.0, -2.0, 3.0])
        >>> fogo.masked_select(x, x > 0).tolist()
        [1.0, 3.0]
    """
    x, mask = _as_mask("masked_select", x, mask)
    total = _running_count(mask)
    return _take(x, total, _read("masked_select", total))


async def masked_select_async(x: T, mask: Tensor) -> T:
    """`masked_select` for platforms where a thread cannot wait.

    Example:
        >>> import fogo
        >>> import asyncio
        >>> x = fogo.tensor([1, 5])
        >>> asyncio.run(fogo.masked_select_async(x, x > 2)).tolist()
        [5]
    """
    x, mask = _as_mask("masked_select", x, mask)
    total = _running_count(mask)
    return _take(x, total, await _read_async(total))


def flat_nonzero(x: Tensor) -> Tensor:
    """Return the row-major numbers of the elements that are not 0: [K] integers."""
    total = _running_count(x.astype(bool_))
    count = _read("nonzero", total)
    return _take(arange(x.size, device=x.device.base()), total, count)


def _coordinates(flat, shape):
    """One index tensor per axis from row-major numbers."""
    out = []
    for n in reversed(shape[1:]):
        out.append(flat % n)
        flat = flat // n
    return tuple(reversed(out + [flat]))


def _not_scalar(x):
    if x.ndim == 0:
        raise ShapeError(
            "nonzero: at least one axis; given a 0-d tensor; use bool(x), or reshape it"
        )


def nonzero(x: Tensor) -> tuple[Tensor, ...]:
    """Return where x is not 0: one integer tensor [K] per axis, in row-major order.

    The host reads K. Raises: DeviceError where this thread cannot wait (use
    `nonzero_async`), ShapeError for a 0-d tensor.

    Example:
        >>> import fogo
        >>> rows, columns = fogo.nonzero(fogo.tensor([[0, 5], [7, 0]]))
        >>> rows.tolist(), columns.tolist()
        ([0, 1], [1, 0])
    """
    _not_scalar(x)
    return _coordinates(flat_nonzero(x), x.shape)


async def nonzero_async(x: Tensor) -> tuple[Tensor, ...]:
    """`nonzero` for platforms where a thread cannot wait.

    Example:
        >>> import fogo
        >>> import asyncio
        >>> asyncio.run(fogo.nonzero_async(fogo.tensor([0, 5])))[0].tolist()
        [1]
    """
    _not_scalar(x)
    total = _running_count(x.astype(bool_))
    numbers = arange(x.size, device=x.device.base())
    return _coordinates(_take(numbers, total, await _read_async(total)), x.shape)


def count_true(mask: Tensor) -> int:
    """Return how many elements of a mask are true, as a number read by the host."""
    return _read("masked_select", _running_count(mask))


def masked_scatter(x: T, mask: Tensor, source: Tensor) -> T:
    """Return x with the elements of `source`, in order, where the mask holds.

    Shapes: the mask broadcasts to x, source holds one element for each place (places
    beyond its end get 0). Nothing is read by the host. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, mask = fogo.zeros(3), fogo.tensor([True, False, True])
        >>> fogo.masked_scatter(x, mask, fogo.tensor([5.0, 6.0])).tolist()
        [5.0, 0.0, 6.0]
    """
    wide, mask = _as_mask("masked_scatter", x, mask)
    if wide.shape != x.shape:
        raise ShapeError(
            "masked_scatter: the mask broadcasts to x; given mask=%s for x=%s"
            % (list(mask.shape), list(x.shape))
        )
    if x.size == 0:
        return x
    source = source.astype(x.dtype).reshape((-1,))
    spread = _call(SPREAD, (source, _running_count(mask)), ())
    return where(mask, spread.reshape(x.shape), x)


# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "nonzero": (
        Sample(((3, 5), -1, 1)),
        Sample(((6,), -1, 1)),
        Sample(((2, 0), -1, 1)),
    ),
    "masked_scatter": (
        Sample(((3, 5), -3.0, 3.0), ((3, 5), 0, 1, "bool"), ((15,), -3.0, 3.0)),
        Sample(((3, 5), -3.0, 3.0), ((3, 1), 0, 1, "bool"), ((15,), -3.0, 3.0)),
    ),
}

__all__ = [
    "masked_scatter", "masked_select", "masked_select_async", "nonzero",
    "nonzero_async",
]  # fmt: skip
NOT_METHODS = ()
