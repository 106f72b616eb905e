"""Matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bfloat16, computed, float16, float32, promote
from ..errors import ShapeError
from ..expr import cast
from ..shapes import broadcast, size
from .complex_ import conj
from .define import Sample, define_op
from .record import Aval

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _infer(avals, attrs):
    x, y = avals
    return (Aval(x.shape[:-1] + y.shape[-1:], x.dtype),)


def _kernel(k, x, y, out):
    """One point of the output each: a dot product (float16 adds up in float32)."""
    c = k.grid(out.shape)
    batch, row, col = c[:-2], c[-2], c[-1]
    wide = float32 if x.dtype is float16 else x.dtype
    acc = k.cell(0, wide)
    with k.loop(x.shape[-1]) as j:
        a = cast(x[batch + (row, j)], wide)
        acc.set(acc + a * cast(y[batch + (j, col)], wide))
    out[c] = acc


def _grad(ctx):
    (g,) = ctx.g
    x, y = ctx.inputs
    dx = matmul(g, _adjoint(y)) if ctx.needs[0] else None
    dy = matmul(_adjoint(x), g) if ctx.needs[1] else None
    return dx, dy


def _adjoint(x):
    """The transpose, conjugated where x is complex."""
    return (conj(x) if x.dtype.is_complex else x).transpose()


MATMUL = define_op(
    "matmul", infer=_infer, kernel=_kernel, grad=_grad, saves="i", cost="compute",
    accepts="numeric", complex=True,
    samples=(
        Sample(((3, 4), -2.0, 2.0), ((4, 5), -2.0, 2.0)),
        Sample(((2, 1, 3, 4), -2.0, 2.0), ((3, 4, 2), -2.0, 2.0)),
        Sample(((4,), -2.0, 2.0), ((4,), -2.0, 2.0)),
        Sample(((4,), -2.0, 2.0), ((2, 4, 3), -2.0, 2.0)),
        Sample(((2, 3, 4), -2.0, 2.0), ((4,), -2.0, 2.0)),
        Sample(((3, 0), -2.0, 2.0), ((0, 2), -2.0, 2.0)),
    ),
)  # fmt: skip


def matmul(x: T, y: Tensor) -> T:
    """Return the matrix product over the last two axes; leading axes broadcast.

    Shapes: x [..., M, K], y [..., K, N] -> [..., M, N]; a 1-d operand is a row of x
    or a column of y, and its axis goes away. Raises: ShapeError, DTypeError (bool).

    Example:
        >>> import fogo
        >>> fogo.matmul(fogo.ones(2, 3), fogo.ones(3, 4)).shape
        (2, 4)
    """
    from ..dispatch import call, unify
    from ..tensor import Tensor

    if not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        given = y if isinstance(x, Tensor) else x
        raise ShapeError(
            "matmul: both operands must be tensors; given %s; use * for numbers, "
            "fogo.tensor(...) for arrays" % type(given)
        )
    if x.device is not y.device:
        x, y = unify("matmul", (x, y))
    _check(x, y)
    if x.dtype is not y.dtype or x.dtype is bfloat16:
        kind = computed(promote(x.dtype, y.dtype, "matmul"))
        x, y = x.astype(kind), y.astype(kind)
    MATMUL.check(x.dtype)
    row, column = x.ndim == 1, y.ndim == 1
    if row:
        x = x.unsqueeze(0)
    if column:
        y = y.unsqueeze(1)
    lead = x.shape[:-1]
    fold = x.ndim > 2 and y.ndim == 2  # one product of all rows, not one a batch
    if fold:
        x = x.reshape((size(lead), x.shape[-1]))
    elif x.ndim != 2 or y.ndim != 2:
        lead = broadcast("matmul", x.shape[:-2], y.shape[:-2])
        x = x.expand(lead + x.shape[-2:])
        y = y.expand(lead + y.shape[-2:])
    out = call(MATMUL, (x, y))
    if fold:
        out = out.reshape(lead + y.shape[1:])
    if row:
        out = out.squeeze(-2)
    return out.squeeze(-1) if column else out


def _check(x, y):
    if x.ndim == 0 or y.ndim == 0:
        raise ShapeError(
            "matmul: operands need at least one axis; given x=%s, y=%s; use *"
            % (list(x.shape), list(y.shape))
        )
    inner = y.shape[0] if y.ndim == 1 else y.shape[-2]
    if x.shape[-1] != inner:
        raise ShapeError(
            "matmul: inner sizes must match; given x=%s, y=%s, %d != %d"
            % (list(x.shape), list(y.shape), x.shape[-1], inner)
        )


def dot(x: T, y: Tensor) -> T:
    """Return the inner product of two vectors; raises ShapeError for other ranks.

    Example:
        >>> import fogo
        >>> round(fogo.dot(fogo.tensor([1.0, 2.0]), fogo.tensor([3.0, 4.0])).item(), 4)
        11.0
    """
    if x.ndim != 1 or y.ndim != 1:
        raise ShapeError(
            "dot: two vectors; given x=%s, y=%s; use matmul"
            % (list(x.shape), list(y.shape))
        )
    return matmul(x, y)


def outer(x: T, y: Tensor) -> T:
    """Return the products of every pair: x [N], y [M] -> [N, M].

    Example:
        >>> import fogo
        >>> fogo.outer(fogo.tensor([1, 2]), fogo.tensor([3, 4])).tolist()
        [[3, 4], [6, 8]]
    """
    if x.ndim != 1 or y.ndim != 1:
        raise ShapeError(
            "outer: two vectors; given x=%s, y=%s" % (list(x.shape), list(y.shape))
        )
    return x.unsqueeze(1) * y.unsqueeze(0)


__all__ = ["dot", "matmul", "outer"]
NOT_METHODS = ()
