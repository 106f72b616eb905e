"""Sorting on the device: ranks within short runs, then runs merged by pairs.

Every element finds its own place by counting (in a run) or by binary search (in the
run beside its own), so that no thread waits for another. Stable: equal elements keep
their order. A nan counts as larger than every number, as in `max`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bfloat16, float32, scalar_kind
from ..errors import DTypeError, ShapeError
from ..expr import INDEX
from ..expr import call as E
from ..expr import where as _where
from ..shapes import normalize_axis
from .define import Sample, define_op
from .movement import narrow
from .pairs import Placed
from .record import Aval, same

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_RUN = 32  # elements that are ranked by counting before the merging begins


def _call(op, tensors, attrs):
    from ..dispatch import call

    return call(op, tensors, attrs)


def _before(a, b, descending):
    """Whether a sorts strictly before b."""
    if descending:
        a, b = b, a
    before = a < b
    if a.dtype.is_float:
        before = before | (E("isnan", b) & ~E("isnan", a))
    return before


def _replaced(c, axis, i):
    return c[:axis] + (i,) + c[axis + 1 :]


def _least(a, b):
    return E("min", a, b)


def _rank_infer(avals, attrs):
    return (Aval(avals[0].shape, attrs[2]),)


def _rank_kernel(k, x, out, axis, descending, dtype):
    """Write each element's number at its place within its run of _RUN."""
    c = k.grid(out.shape)
    me = c[axis]
    start = k.let(me - me % _RUN) if me.op == "var" else me
    stop = k.let(_least(start + _RUN, x.shape[axis]))
    mine = x[c]
    rank = k.cell(start, INDEX)
    with k.loop(_RUN) as step:
        j = k.let(start + step)
        with k.when(j < stop):
            other = x[_replaced(c, axis, j)]
            first = _before(other, mine, descending)
            tie = ~first & ~_before(mine, other, descending) & (j < me)
            with k.when(first | tie):
                rank.set(rank + 1)
    out[_replaced(c, axis, rank)] = me


RANK_RUNS = define_op(
    "rank_runs", infer=_rank_infer, attrs=("axis", "descending", "dtype"),
    kernel=_rank_kernel, diff=(False,),
)  # fmt: skip


def _merge_infer(avals, attrs):
    return (Aval(avals[1].shape, avals[1].dtype),)


def _merge_kernel(k, x, order, out, axis, descending, width):
    """Each element finds, by halving, how many of the run beside its own go before."""
    c = k.grid(out.shape)
    n = x.shape[axis]
    me = c[axis]
    pair = k.let(me - me % (2 * width))
    middle = k.let(_least(pair + width, n))
    left = k.let(me < middle)
    start = k.let(_where(left, middle, pair))
    low = k.cell(start, INDEX)
    high = k.cell(_where(left, _least(pair + 2 * width, n), middle), INDEX)
    mine_at = order[c]
    mine = x[_replaced(c, axis, k.index(mine_at))]
    with k.loop(bits(width)):
        with k.when(low < high):
            half = k.let((low + high) // 2)
            other_at = order[_replaced(c, axis, half)]
            other = x[_replaced(c, axis, k.index(other_at))]
            # On a tie the left run goes first.
            goes = _where(
                left, _before(other, mine, descending),
                ~_before(mine, other, descending),
            )  # fmt: skip
            branch = k.when(goes)
            with branch:
                low.set(half + 1)
            with k.otherwise(branch.value):
                high.set(half)
    base = _where(left, me, me - middle + pair)
    out[_replaced(c, axis, k.let(base + low - start))] = mine_at


def bits(width):
    """How many halvings a run of `width` takes."""
    n = 1
    while width:
        width >>= 1
        n += 1
    return n


MERGE_RUNS = define_op(
    "merge_runs", infer=_merge_infer, attrs=("axis", "descending", "width"),
    kernel=_merge_kernel, diff=(False,),
)  # fmt: skip


def _in_runs(x, axis, descending, dtype):
    order = _call(RANK_RUNS, (x,), (axis, descending, dtype))
    width = _RUN
    while width < x.shape[axis]:
        order = _call(MERGE_RUNS, (x, order), (axis, descending, width))
        width *= 2
    return order


ARGSORT = define_op(
    "argsort", infer=_rank_infer, attrs=("axis", "descending", "dtype"),
    decompose=_in_runs, diff=(False,),
    samples=(
        Sample(((3, 5, 2), -3.0, 3.0), axis=1),
        Sample(((3, 5), -3.0, 3.0), descending=True),
        Sample(((2, 70), -3.0, 3.0), axis=-1),
        Sample(((150,), -3.0, 3.0), axis=0, descending=True),
        Sample(((2, 0, 3), -3.0, 3.0), axis=1),
    ),
)  # fmt: skip


def argsort(x: T, axis: int = -1, descending: bool = False, stable: bool = True) -> T:
    """Return the positions that would sort x along an axis; equal ones keep order.

    A nan counts as the largest. Dtype: the default integer. `stable` is always so.
    Raises: ShapeError for an axis out of range.

    Example:
        >>> import fogo
        >>> fogo.argsort(fogo.tensor([3.0, 1.0, 2.0])).tolist()
        [1, 2, 0]
    """
    if x.ndim == 0:
        return argsort(x.reshape((1,)), 0).reshape(())
    place = normalize_axis("argsort", axis, x.ndim)
    _ordered("argsort", x)
    if x.dtype.is_bool:
        x = x.astype("uint8")
    elif x.dtype is bfloat16:  # kernels see its bits
        x = x.astype(float32)
    attrs = (place, bool(descending), x.device.default_int)
    return _call(ARGSORT, (x.detach(),), attrs)


def _unsort_kernel(k, x, order, out, axis):
    """Put each element where it came from; every place is in the order once."""
    c = k.grid(out.shape)
    out[_replaced(c, axis, k.let(k.index(order[c])))] = x[c]


UNSORT = define_op(
    "unsort", infer=same, attrs=("axis",), kernel=_unsort_kernel, saves="i",
    grad=lambda ctx: (ctx.g[0].take_along_axis(ctx.inputs[1], ctx.attrs[0]), None),
)  # fmt: skip


def _sort_infer(avals, attrs):
    x = avals[0]
    return Aval(x.shape, x.dtype), Aval(x.shape, attrs[2])


def _sort_parts(x, axis, descending, dtype):
    order = _call(ARGSORT, (x,), (axis, descending, dtype))
    return x.take_along_axis(order, axis), order


SORT_PAIRS = define_op(
    "sort_pairs", infer=_sort_infer, attrs=("axis", "descending", "dtype"),
    decompose=_sort_parts, saves="o", diff=(True, False),
    grad=lambda ctx: (_call(UNSORT, (ctx.g[0], ctx.outputs[1]), ctx.attrs[:1]),),
)  # fmt: skip


def sort(x: T, axis: int = -1, descending: bool = False, stable: bool = True) -> T:
    """Return x sorted along an axis, as the array API does; see also `sort_pairs`.

    A nan counts as the largest; equal elements keep their order. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.sort(fogo.tensor([3.0, 1.0, 2.0])).tolist()
        [1.0, 2.0, 3.0]
    """
    return sort_pairs(x, axis, descending)[0]


def sort_pairs(
    x: T, axis: int = -1, descending: bool = False, stable: bool = True
) -> Placed[T]:
    """Return x sorted along an axis, and the places its elements came from.

    This is PyTorch's `sort`. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> values, places = fogo.sort_pairs(fogo.tensor([3.0, 1.0, 2.0]))
        >>> values.tolist(), places.tolist()
        ([1.0, 2.0, 3.0], [1, 2, 0])
    """
    if x.ndim == 0 or x.dtype.is_bool:
        order = argsort(x, axis, descending)
        kept = x.reshape(()) if x.ndim == 0 else x.take_along_axis(order, axis)
        return Placed(kept, order)
    _ordered("sort", x)
    if x.dtype is bfloat16:
        made = sort_pairs(x.astype(float32), axis, descending)
        return Placed(made[0].astype(bfloat16), made[1])
    place = normalize_axis("sort", axis, x.ndim)
    attrs = (place, bool(descending), x.device.default_int)
    return Placed(*_call(SORT_PAIRS, (x,), attrs))


def _ordered(name, x):
    if x.dtype.is_complex:
        raise DTypeError(
            "%s: complex numbers have no order; given %s; sort by abs() or real()"
            % (name, x.dtype.name)
        )


def _topk_infer(avals, attrs):
    keep, axis, _, dtype = attrs
    shape = avals[0].shape
    return (Aval(shape[:axis] + (keep,) + shape[axis + 1 :], dtype),)


def _topk_sorted(x, keep, axis, descending, dtype):
    order = _call(ARGSORT, (x,), (axis, descending, dtype))
    return narrow(order, axis, 0, keep)


TOPK = define_op(
    "topk_places", infer=_topk_infer, attrs=("keep", "axis", "descending", "dtype"),
    decompose=_topk_sorted, diff=(False,),
)  # fmt: skip


def topk(
    x: T, k: int, axis: int = -1, largest: bool = True, sorted: bool = True
) -> Placed[T]:
    """Return the k largest (or smallest) elements along an axis, and their positions.

    They come in order; of equal ones the first in x are taken. Raises: ShapeError
    unless 0 <= k <= the size of the axis.

    Example:
        >>> import fogo
        >>> fogo.topk(fogo.tensor([3.0, 1.0, 2.0]), 2)[0].tolist()
        [3.0, 2.0]
    """
    place = normalize_axis("topk", axis, x.ndim)
    if not 0 <= k <= x.shape[place]:
        raise ShapeError(
            "topk: k lies in [0, %d], the size of the axis; given k=%d for x=%s"
            % (x.shape[place], k, list(x.shape))
        )
    if x.dtype is bfloat16:
        made = topk(x.astype(float32), k, axis, largest)
        return Placed(made[0].astype(bfloat16), made[1])
    plain = x.astype("uint8") if x.dtype.is_bool else x
    attrs = (k, place, bool(largest), x.device.default_int)
    order = _call(TOPK, (plain.detach(),), attrs)
    return Placed(x.take_along_axis(order, place), order)


def _search_infer(avals, attrs):
    return (Aval(avals[1].shape, attrs[1]),)


def _search_kernel(k, edges, x, out, right, dtype, halvings):
    """How many of the sorted edges go before each element, by halving."""
    c = k.grid(out.shape)
    mine = x[c]
    low = k.cell(0, INDEX)
    high = k.cell(edges.shape[0], INDEX)
    with k.loop(halvings):
        with k.when(low < high):
            half = k.let((low + high) // 2)
            edge = edges[(half,)]
            goes = ~_before(mine, edge, False) if right else _before(edge, mine, False)
            branch = k.when(goes)
            with branch:
                low.set(half + 1)
            with k.otherwise(branch.value):
                high.set(half)
    out[c] = low


SEARCH = define_op(
    "searchsorted", infer=_search_infer, attrs=("right", "dtype", "halvings"),
    kernel=_search_kernel, diff=(False,), accepts="numeric",
)  # fmt: skip


def searchsorted(
    x1: T, x2: Tensor | float, side: str = "left", sorter: Tensor | None = None
) -> T:
    """Return where each element of x2 would go into sorted x1 to keep the order.

    side "left" gives the first such place, "right" the last; `sorter` holds the places
    that sort x1, where it is not sorted. Shapes: x1 [N], x2 [...] -> x2's. Dtype: the
    default integer. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> edges = fogo.tensor([1.0, 2.0, 3.0])
        >>> fogo.searchsorted(edges, fogo.tensor([2.0, 9.0])).tolist()
        [1, 3]
    """
    from ..dtypes import promote
    from ..tensor import Tensor

    if x1.ndim != 1 or side not in ("left", "right"):
        raise ShapeError(
            'searchsorted: x1 is 1-d, side is "left" or "right"; given %s, %r'
            % (list(x1.shape), side)
        )
    if not isinstance(x2, Tensor):
        number = scalar_kind(x2, x1.dtype, x1.device.default_int)
        return searchsorted(x1, x1.device.constant(x2, number), side, sorter)
    if sorter is not None:
        x1 = x1.take(sorter, 0)
    kind = promote(x1.dtype, x2.dtype, "searchsorted")
    SEARCH.check(kind)
    attrs = (side == "right", x2.device.default_int, bits(x1.size))
    return _call(SEARCH, (x1.astype(kind), x2.astype(kind)), attrs)


# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "sort": ARGSORT.samples,
    "sort_pairs": ARGSORT.samples,
    "topk": (
        Sample(((3, 5, 2), -3.0, 3.0), k=2, axis=1),
        Sample(((3, 70), -3.0, 3.0), k=3, largest=False),
        Sample(((4,), -3.0, 3.0), k=0),
    ),
    "searchsorted": (
        Sample(((1,), -1.0, 1.0), ((3, 5), -2.0, 2.0)),
        Sample(((1,), -1.0, 1.0), ((6,), -2.0, 2.0), side="right"),
        Sample(((0,), -1.0, 1.0), ((3, 2), -2.0, 2.0)),
    ),
}

__all__ = ["argsort", "searchsorted", "sort", "sort_pairs", "topk"]
NOT_METHODS = ("searchsorted",)
