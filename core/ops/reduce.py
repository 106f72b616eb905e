"""Reductions over axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bfloat16, bool_, float32
from ..errors import DTypeError, ShapeError
from ..expr import call as E
from ..shapes import normalize_axes, reduced, size
from .define import Sample, define_op
from .record import Aval

if TYPE_CHECKING:
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_SAMPLES = (
    Sample(((3, 5, 2), -3.0, 3.0)),
    Sample(((3, 5, 2), -3.0, 3.0), axis=1),
    Sample(((3, 5, 2), -3.0, 3.0), axis=(0, -1), keepdims=True),
)


def _infer(avals, attrs):
    return (Aval(reduced(avals[0].shape, attrs[0], False), avals[0].dtype),)


def _spread(ctx, g):
    """Broadcast a reduced tensor back over the axes that went away."""
    x = ctx.inputs[0]
    kept = reduced(x.shape, ctx.attrs[0], True)
    return g.reshape(kept).expand(x.shape)


def _extreme_grad(ctx):
    """The gradient goes to the extreme elements, shared among equals (as PyTorch)."""
    x = ctx.inputs[0]
    hit = x == _spread(ctx, ctx.outputs[0])
    count = sum(hit.astype(x.dtype), ctx.attrs[0])
    return (_spread(ctx, ctx.g[0] / count) * hit.astype(x.dtype),)


def _prod_grad(ctx):
    """The product of all the others, also where factors are zero."""
    from .complex_ import conj
    from .scan import exclusive_products

    others = conj(exclusive_products(ctx.inputs[0], ctx.attrs[0]))
    return (_spread(ctx, ctx.g[0]) * others,)


def _lowest(dtype):
    return -float("inf") if dtype.is_float else (0 if dtype.is_bool else dtype.min)


def _highest(dtype):
    return float("inf") if dtype.is_float else (1 if dtype.is_bool else dtype.max)


def _reduction(name, combine, neutral, **rules):
    return define_op(
        name, infer=_infer, attrs=("axes",), combine=(combine, neutral), **rules
    )


SUM = _reduction(
    "sum", "add", lambda d: 0, saves="", samples=_SAMPLES, accepts="numeric",
    grad=lambda ctx: (_spread(ctx, ctx.g[0]),), complex=True,
)  # fmt: skip
PROD = _reduction(
    "prod", "mul", lambda d: 1, saves="i", samples=_SAMPLES, accepts="numeric",
    grad=_prod_grad, complex=True,
)  # fmt: skip
MAX = _reduction(
    "max", "max", _lowest, samples=_SAMPLES, accepts="numeric", grad=_extreme_grad
)
MIN = _reduction(
    "min", "min", _highest, samples=_SAMPLES, accepts="numeric", grad=_extreme_grad
)
ALL = _reduction("all", "and", lambda d: True, samples=_SAMPLES, accepts="bool")
ANY = _reduction("any", "or", lambda d: False, samples=_SAMPLES, accepts="bool")


def _run(op, x, axis, keepdims):
    from ..dispatch import call, wrap

    if x.dtype is bfloat16:
        x = x.astype(float32)
    op.check(x.dtype)
    axes = normalize_axes(op.name, axis, x.ndim)
    if not axes:
        return wrap(x._handle, x.device)
    out = call(op, (x,), (axes,))
    return out.reshape(reduced(x.shape, axes, True)) if keepdims else out


def _accumulator(x, dtype):
    """Sums and products of bools and small integers are taken in the default int."""
    if dtype is not None:
        return x.astype(dtype)
    wide = x.device.default_int
    if x.dtype.is_bool or (x.dtype.is_int and x.dtype.bits < wide.bits):
        from ..dtypes import BY_NAME

        unsigned = x.dtype.kind == "uint"
        return x.astype(BY_NAME["uint%d" % wide.bits] if unsigned else wide)
    return x


def sum(
    x: T,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    dtype: DType | None = None,
) -> T:
    """Return the sum over `axis` (all axes if None).

    Dtype: that of x; bools and small integers are summed in the default integer.
    Raises: ShapeError for an axis out of range.

    Example:
        >>> import fogo
        >>> fogo.sum(fogo.tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0).tolist()
        [4.0, 6.0]
    """
    return _run(SUM, _accumulator(x, dtype), axis, keepdims)


def prod(
    x: T,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    dtype: DType | None = None,
) -> T:
    """Return the product over `axis`; dtypes as in `sum`.

    Example:
        >>> import fogo
        >>> fogo.prod(fogo.tensor([[1, 5], [3, 2]]), 1).tolist()
        [5, 6]
    """
    return _run(PROD, _accumulator(x, dtype), axis, keepdims)


def _not_empty(name, x, axis):
    axes = normalize_axes(name, axis, x.ndim)
    if size([x.shape[a] for a in axes]) == 0 and x.ndim:
        raise ShapeError(
            "%s: needs at least one element along the axes; given shape %s, axes %s"
            % (name, list(x.shape), axes)
        )


def max(x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> T:
    """Return the largest element over `axis`; nan if there is one.

    Raises: ShapeError where there is no element to choose.

    Example:
        >>> import fogo
        >>> fogo.amax(fogo.tensor([[1, 5], [3, 2]]), 1).tolist()
        [5, 3]
    """
    _not_empty("max", x, axis)
    return _run(MAX, x, axis, keepdims)


def min(x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> T:
    """Return the smallest element over `axis`; nan if there is one.

    Example:
        >>> import fogo
        >>> fogo.amin(fogo.tensor([[1, 5], [3, 2]]), 1).tolist()
        [1, 2]
    """
    _not_empty("min", x, axis)
    return _run(MIN, x, axis, keepdims)


def all(x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> T:
    """Say whether every element over `axis` is true (non-zero). Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.all(fogo.tensor([[True, False], [True, True]]), 1).tolist()
        [False, True]
    """
    return _run(ALL, x.astype(bool_), axis, keepdims)


def any(x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> T:
    """Say whether some element over `axis` is true (non-zero). Dtype: bool.

    Example:
        >>> import fogo
        >>> fogo.any(fogo.tensor([[True, False], [False, False]]), 1).tolist()
        [True, False]
    """
    return _run(ANY, x.astype(bool_), axis, keepdims)


def _float(x):
    from ..dtypes import DEFAULT_FLOAT

    return x if x.dtype.inexact else x.astype(DEFAULT_FLOAT)


def _real(op, x):
    if x.dtype.is_complex:
        raise DTypeError(
            "%s: real numbers only; given %s; take abs() or real() first"
            % (op, x.dtype.name)
        )
    return _float(x)


def mean(x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> T:
    """Return the arithmetic mean over `axis`; integers become float32.

    nan where there is no element. Raises: ShapeError for an axis out of range.

    Example:
        >>> import fogo
        >>> fogo.mean(fogo.tensor([1.0, 2.0, 6.0])).item()
        3.0
    """
    x = _float(x)
    axes = normalize_axes("mean", axis, x.ndim)
    count = size([x.shape[a] for a in axes])
    return sum(x, axis, keepdims) / float(count)


def var(
    x: T,
    axis: int | tuple[int, ...] | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
) -> T:
    """Return the variance over `axis`, divided by `n - correction`.

    The default correction 0 is the array API's; PyTorch's default is 1.

    Example:
        >>> import fogo
        >>> fogo.var(fogo.tensor([1.0, 3.0])).tolist()
        1.0
    """
    x = _real("var", x)
    axes = normalize_axes("var", axis, x.ndim)
    count = size([x.shape[a] for a in axes])
    centred = x - mean(x, axis, True)
    total = sum(centred * centred, axis, keepdims)
    left = count - correction
    return total / (float(left) if left > 0 else 0.0)


def std(
    x: T,
    axis: int | tuple[int, ...] | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
) -> T:
    """Return the standard deviation over `axis`; see `var`.

    Example:
        >>> import fogo
        >>> fogo.std(fogo.tensor([1.0, 3.0])).tolist()
        1.0
    """
    return var(x, axis, correction, keepdims).sqrt()


def _arg_infer(avals, attrs):
    axis, dtype = attrs
    return (Aval(reduced(avals[0].shape, (axis,), False), dtype),)


def _arg_kernel(better):
    """The first position whose value beats all before it; nan beats everything."""

    def kernel(k, x, out, axis, dtype):
        c = k.grid(out.shape)
        best = k.cell(x[_at(c, axis, 0)])
        place = k.cell(0, dtype)
        with k.loop(x.shape[axis], 1) as j:
            v = x[_at(c, axis, j)]
            wins = better(v, best)
            if x.dtype.is_float:
                nan = E("isnan", v)
                wins = (wins | nan) & ~E("isnan", best)
            with k.when(wins):
                best.set(v)
                place.set(j)
        out[c] = place

    return kernel


def _at(c, axis, j):
    return tuple(c[:axis]) + (j,) + tuple(c[axis:])


def _arg_op(name, better):
    return define_op(
        name, infer=_arg_infer, attrs=("axis", "dtype"), kernel=_arg_kernel(better),
        diff=(False,), accepts="numeric",
        samples=(
            Sample(((3, 5, 2), -3.0, 3.0)),
            Sample(((3, 5, 2), -3.0, 3.0), axis=1),
            Sample(((3, 5), -3.0, 3.0), axis=-1, keepdims=True),
        ),
    )  # fmt: skip


ARGMAX = _arg_op("argmax", lambda v, best: v > best)
ARGMIN = _arg_op("argmin", lambda v, best: v < best)


def _arg(op, x, axis, keepdims):
    from ..dispatch import call

    op.check(x.dtype)
    _not_empty(op.name, x, axis)
    rank = x.ndim
    if axis is None or rank == 0:
        flat = call(op, (x.reshape((-1,)),), (0, x.device.default_int))
        return flat.reshape((1,) * rank) if keepdims else flat
    axes = normalize_axes(op.name, axis, rank)
    out = call(op, (x,), (axes[0], x.device.default_int))
    return out.reshape(reduced(x.shape, axes, True)) if keepdims else out


def count_nonzero(
    x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> T:
    """Return how many elements over `axis` are not 0. Dtype: the default integer.

    Raises: ShapeError for an axis out of range.

    Example:
        >>> import fogo
        >>> fogo.count_nonzero(fogo.tensor([[0, 2], [3, 4]]), axis=1).tolist()
        [1, 2]
    """
    return sum(x.astype(bool_), axis, keepdims)


def argmax(x: T, axis: int | None = None, keepdims: bool = False) -> T:
    """Return the position of the (first) largest element. Dtype: default integer.

    Example:
        >>> import fogo
        >>> fogo.argmax(fogo.tensor([[1, 5], [3, 2]]), 1).tolist()
        [1, 0]
    """
    return _arg(ARGMAX, x, axis, keepdims)


def argmin(x: T, axis: int | None = None, keepdims: bool = False) -> T:
    """Return the position of the (first) smallest element. Dtype: default integer.

    Example:
        >>> import fogo
        >>> fogo.argmin(fogo.tensor([[1, 5], [3, 2]]), 1).tolist()
        [0, 1]
    """
    return _arg(ARGMIN, x, axis, keepdims)


amax = max
amin = min

__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "max", "mean",
    "min", "prod", "std", "sum", "var",
]  # fmt: skip
NOT_METHODS = ()
