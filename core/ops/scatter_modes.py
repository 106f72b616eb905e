"""Scatters that multiply, take extremes or means, each with its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..expr import call as E
from ..shapes import normalize_axis
from .closeness import LARGEST
from .define import Sample, define_op
from .elementwise import where
from .index import (
    TAKE_ALONG,
    _call,
    _cropped,
    _indices,
    _Scatter,
    _spare,
    _values,
    _zeros,
    scatter,
    scatter_add,
)
from .record import same

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_INF = float("inf")
MODES = ("sum", "prod", "mean", "amax", "amin")


class _Combine(_Scatter):
    """The kernels of a scatter whose values meet in a binary primitive."""

    def __init__(self, primitive):
        _Scatter.__init__(self, True, True)
        self.primitive = primitive

    def _join(self, old, v):
        return E(self.primitive, old, v)


def _read(ctx, x):
    """What lies where each index points: 0 where it points nowhere."""
    return _call(TAKE_ALONG, (x, ctx.inputs[1]), ctx.attrs)


def _extreme_grad(ctx):
    """The gradient goes to all that reach the extreme, in equal shares."""
    x, index, values = ctx.inputs
    (out,) = ctx.outputs
    hit = (x == out).astype(out.dtype)
    reach = (values == _read(ctx, out)).astype(out.dtype)
    count = scatter_add(hit, ctx.attrs[0], index, reach)
    share = ctx.g[0] / count
    return share * hit, None, _read(ctx, share) * reach


def _product_grad(ctx):
    """The product of all the others: right with one zero among them too."""
    x, index, values = ctx.inputs
    (out,) = ctx.outputs
    (axis,) = ctx.attrs
    (g,) = ctx.g
    ones = g.device.constant(1, g.dtype)
    dx = dv = None
    if ctx.needs[0]:
        dx = g * _call(PROD, (ones.expand(x.shape), index, values), ctx.attrs)
    if ctx.needs[2]:
        zero, none = x == 0, values == 0
        zeros = scatter_add(zero.astype(g.dtype), axis, index, none.astype(g.dtype))
        rest = (where(zero, 1.0, x), index, where(none, 1.0, values))
        alone = where(zeros == 1, _call(PROD, rest, ctx.attrs), 0.0)
        quotient = _read(ctx, out) / where(none, 1.0, values)
        dv = _read(ctx, g) * where(none, _read(ctx, alone), quotient)
    return dx, None, dv


def _op(name, primitive, grad):
    kernels = _Combine(primitive)
    return define_op(
        name, infer=same, attrs=("axis",), kernel=kernels.parallel,
        serial=kernels.serial, grad=grad, accepts="numeric",
    )  # fmt: skip


PROD = _op("prod_along_axis", "mul", _product_grad)
AMAX = _op("amax_along_axis", "max", _extreme_grad)
AMIN = _op("amin_along_axis", "min", _extreme_grad)
_OPS = {"prod": PROD, "amax": AMAX, "amin": AMIN}


def _neutral(mode, dtype):
    """What leaves the other values as they are."""
    if mode in ("sum", "mean", "prod"):
        return 1 if mode == "prod" else 0
    least = -_INF if dtype.name in LARGEST else dtype.min
    most = _INF if dtype.name in LARGEST else dtype.max
    return least if mode == "amax" else most


def scatter_reduce(
    x: T,
    axis: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    include_self: bool = True,
) -> T:
    """Return x with the elements of `src` joined to those that the index names.

    reduce: "sum", "prod", "mean", "amax", "amin", over src's elements of one place and
    x's own, unless include_self is False. Shapes: as in `scatter`. Out of range is
    dropped. Gradients reach x and src; equal extremes share theirs.
    Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> index, src = fogo.tensor([0, 0, 1]), fogo.tensor([2.0, 3.0, 4.0])
        >>> fogo.scatter_reduce(fogo.ones(3), 0, index, src, "prod").tolist()
        [6.0, 4.0, 1.0]
    """
    if reduce not in MODES:
        raise ShapeError(
            "scatter_reduce: reduce is one of %s; given %r" % (", ".join(MODES), reduce)
        )
    PROD.check(x.dtype)
    index, place = _cropped("scatter_reduce", x, axis, index)
    src = _fitted(x, index, src)
    if not include_self:
        touched = scatter((x != x) & False, place, index, True)
        start = where(touched, _neutral(reduce, x.dtype), x)
    else:
        start = x
    if reduce in _OPS:
        return _call(_OPS[reduce], (start, index, src), (place,))
    total = scatter_add(start, place, index, src)
    return total if reduce == "sum" else _averaged(total, x, index, place, include_self)


def _fitted(x, index, src):
    """src in x's dtype and the shape of the index."""
    src = _values(x, src)
    if src.ndim == 0:
        return src.expand(index.shape)
    if src.ndim != x.ndim or (src.ndim and min(_spare(src, index)) < 0):
        raise ShapeError(
            "scatter_reduce: src covers the index; given src=%s, index=%s"
            % (list(src.shape), list(index.shape))
        )
    if src.shape == index.shape:
        return src
    return src.strided_slice([0] * x.ndim, [1] * x.ndim, index.shape)


def _averaged(total, x, index, axis, include_self):
    ones = x.device.constant(1, x.dtype)
    count = scatter_add(_zeros(x, x.shape), axis, index, ones.expand(index.shape))
    count = count + 1 if include_self else count.maximum(1)
    return total / count if x.dtype.is_float else total // count


def index_reduce(
    x: T,
    axis: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    include_self: bool = True,
) -> T:
    """`scatter_reduce` with one index for whole slices of an axis.

    Shapes: x [..., N, ...], index [K], source [..., K, ...]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, y, z = fogo.ones((3,)), fogo.tensor([0, 0]), fogo.tensor([2.0, 3.0])
        >>> fogo.index_reduce(x, 0, y, z, "prod").tolist()
        [6.0, 1.0, 1.0]
    """
    index = _indices("index_reduce", x, index)
    place = normalize_axis("index_reduce", axis, x.ndim)
    shape = [1] * x.ndim
    shape[place] = index.size
    wide = x.shape[:place] + (index.size,) + x.shape[place + 1 :]
    return scatter_reduce(
        x, place, index.reshape(shape).expand(wide), source, reduce, include_self
    )


_X = ((3, 5, 2), -3.0, 3.0)
_HERE = (
    ((3, 4, 2), -5, 4, "int32"), ((3, 4, 2), -3.0, 3.0)
)  # fmt: skip
_SMALL = (((2, 4, 1), 0, 4, "int32"), ((3, 4, 2), -3.0, 3.0))
_MANY = (((6, 5), 0, 2, "int32"), ((6, 5), -3.0, 3.0))


def _samples(*inputs, **options):
    return tuple([Sample(*inputs, reduce=mode, **options) for mode in MODES])


SAMPLES = {
    "scatter_reduce": _samples(_X, *_HERE, axis=1)
    + _samples(((3, 5), -3.0, 3.0), *_MANY, axis=0)
    + _samples(_X, *_SMALL, axis=1, include_self=False)
    + (Sample(((3, 0), -1, 1), ((2, 0), 0, 2, "int32"), ((2, 0), -1, 1),
              axis=0, reduce="amax"),),
    "index_reduce": _samples(
        ((3, 5), -3.0, 3.0), ((6,), 0, 2, "int32"), ((6, 5), -3.0, 3.0), axis=0
    ),
}  # fmt: skip

__all__ = ["index_reduce", "scatter_reduce"]
NOT_METHODS = ()
