"""Factorisations: Cholesky, LU and QR, and systems of triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dispatch import call
from ..dtypes import int32
from ..errors import AutodiffError, FogoError, ShapeError
from ..ops.creation import tril, triu
from ..ops.define import define_op
from ..ops.index import take_along_axis
from ..ops.movement import concat
from ..ops.record import Aval
from .batch import adjoint, deep, flat, identity, matrices, same_batch
from .kernels import cholesky as _cholesky_kernel
from .kernels import householder as _householder
from .kernels import lu as _lu_kernel
from .kernels import triangular as _triangular_kernel
from .results import LUParts, QRParts

if TYPE_CHECKING:
    from ..tensor import Tensor


def _same(avals, attrs):
    return (Aval(avals[0].shape, avals[0].dtype),)


# Cholesky.


def _half(x: Tensor) -> Tensor:
    """Return the lower triangle with half of the diagonal."""
    return tril(x) - x * identity(x, x.shape[-1]) * 0.5


def _cholesky_grad(ctx: Any) -> Any:
    """Murray, "Differentiation of the Cholesky decomposition", 2016, equation 10."""
    low = ctx.outputs[0]
    inner = _half(adjoint(low) @ tril(ctx.g[0]))
    outer = call(TRIANGULAR, (adjoint(low), inner), (True, False))
    outer = adjoint(call(TRIANGULAR, (adjoint(low), adjoint(outer)), (True, False)))
    return ((outer + adjoint(outer)) * 0.5,)


CHOLESKY = define_op(
    "cholesky", infer=_same, kernel=_cholesky_kernel, grad=_cholesky_grad, saves="o",
    accepts="float", complex=True, cost="compute",
)  # fmt: skip


def cholesky(x: Tensor, *, upper: bool = False) -> Tensor:
    """Return the lower triangle L of x = L Lᵀ (upper: of x = Lᵀ L), batched.

    x: [..., n, n], symmetric (Hermitian) and positive definite; only its lower
    triangle is read. Where a matrix is not positive definite, the result has nan.
    Raises: ShapeError unless square; DTypeError unless float32, float64 or complex.

    Example:
        >>> import fogo
        >>> fogo.linalg.cholesky(fogo.tensor([[4.0, 2.0], [2.0, 5.0]])).tolist()
        [[2.0, 0.0], [1.0, 2.0]]
    """
    matrices("cholesky", x, square=True)
    made = deep(call(CHOLESKY, (flat(x),)), x.shape[:-2])
    return adjoint(made) if upper else made


# Triangles.


def _triangular_infer(avals, attrs):
    return (Aval(avals[1].shape, avals[1].dtype),)


def _triangular_grad(ctx: Any) -> Any:
    upper, unit = ctx.attrs
    a, x = ctx.inputs[0], ctx.outputs[0]
    by_rhs = call(TRIANGULAR, (adjoint(a), ctx.g[0]), (not upper, unit))
    by_a = -by_rhs @ adjoint(x)
    shift = 1 if unit else 0
    return (triu(by_a, shift) if upper else tril(by_a, -shift)), by_rhs


TRIANGULAR = define_op(
    "solve_triangular", infer=_triangular_infer, attrs=("upper", "unit"),
    kernel=_triangular_kernel, grad=_triangular_grad, accepts="float", complex=True,
    cost="compute",
)  # fmt: skip


def solve_triangular(
    a: Tensor, b: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """Return X of A X = B (left=False: of X A = B), where A is a triangle.

    a: [..., n, n], of which only one triangle is read, without its diagonal where
    `unitriangular`; b: [..., n, k]; leading axes broadcast.
    Raises: ShapeError for shapes that do not fit.

    Example:
        >>> import fogo
        >>> a = fogo.tensor([[2.0, 0.0], [1.0, 4.0]])
        >>> b = fogo.tensor([[2.0], [9.0]])
        >>> fogo.linalg.solve_triangular(a, b, upper=False).tolist()
        [[1.0], [2.0]]
    """
    name = "solve_triangular"
    matrices(name, a, square=True)
    matrices(name, b)
    if not left:
        a, b, upper = a.mT, b.mT, not upper
    if a.shape[-1] != b.shape[-2]:
        raise ShapeError(
            "linalg.solve_triangular: the sides must be of one length; given shapes "
            "%s and %s" % (list(a.shape), list(b.shape))
        )
    a, b = same_batch(name, a, b)
    x = deep(call(TRIANGULAR, (flat(a), flat(b)), (upper, unitriangular)), b.shape[:-2])
    return x if left else x.mT


# LU.


def _lu_infer(avals, attrs):
    x = avals[0]
    batch = x.shape[:1]
    return (
        Aval(x.shape, x.dtype),
        Aval(batch + x.shape[1:2], int32),
        Aval(batch, x.dtype),
    )


def _lu_grad(ctx: Any) -> Any:
    packed, order, _ = ctx.outputs
    g = ctx.g[0]
    if packed.shape[-1] != packed.shape[-2]:
        raise AutodiffError(
            "linalg.lu: gradients are known for square matrices; given shape %s"
            % (list(packed.shape),)
        )
    if g is None:
        return (None,)
    low, up = _lower(packed), triu(packed)
    inner = tril(adjoint(low) @ tril(g, -1), -1) + triu(triu(g) @ adjoint(up))
    inner = call(TRIANGULAR, (adjoint(low), inner), (True, True))
    right = call(TRIANGULAR, (up, adjoint(inner)), (True, False))
    return (_rows(adjoint(right), order.argsort(-1)),)


LU = define_op(
    "lu_factor", infer=_lu_infer, kernel=_lu_kernel, grad=_lu_grad, saves="o",
    diff=(True, False, False), accepts="float", complex=True, cost="compute",
)  # fmt: skip


def _lower(packed: Tensor) -> Tensor:
    """Return the unit lower triangle of a packed LU, [m, min(m, n)]."""
    least = min(packed.shape[-2:])
    left = tril(packed[..., :least], -1)
    ones = tril(triu(left * 0.0 + 1.0))
    return left + ones


def _rows(x: Tensor, order: Tensor) -> Tensor:
    """Return the rows of each matrix in an order of its own."""
    places = order.reshape(order.shape + (1,)).broadcast_to(x.shape)
    return take_along_axis(x, places, -2)


def factored(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return (L and U packed, the rows' order, its sign) of matrices on one axis."""
    return call(LU, (x,))


def lu_factor(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return P A = L U packed in one array, and the order of the rows.

    x: [..., m, n]. The unit diagonal of L is left out; row i of P A is row order[i] of
    A (PyTorch gives the swaps instead). Order: int32 [..., m].

    Example:
        >>> import fogo
        >>> packed, order = fogo.linalg.lu_factor(fogo.tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> packed.tolist(), order.tolist()
        ([[2.0, 2.0], [0.5, 1.0]], [1, 0])
    """
    matrices("lu_factor", x)
    packed, order, _ = factored(flat(x))
    batch = x.shape[:-2]
    return deep(packed, batch), order.reshape(batch + order.shape[1:])


def lu(x: Tensor) -> LUParts:
    """Return P, L, U (by these names too) with x = P L U: partial pivoting, batched.

    x: [..., m, n]; P: [..., m, m], L: [..., m, k], U: [..., k, n], k = min(m, n).

    Example:
        >>> import fogo
        >>> P, L, U = fogo.linalg.lu(fogo.tensor([[1.0, 2.0], [2.0, 2.0]]))
        >>> (P @ L @ U).tolist()
        [[1.0, 2.0], [2.0, 2.0]]
    """
    packed, order = lu_factor(x)
    m = x.shape[-2]
    picked = identity(x, m).broadcast_to(order.shape[:-1] + (m, m))
    rows = _rows(picked, order)
    up = triu(packed[..., : min(x.shape[-2:]), :])
    return LUParts(rows.mT, _lower(packed), up)


# QR.

MODES = ("reduced", "complete", "r")


def _householder_infer(avals, attrs):
    (complete,) = attrs
    x = avals[0]
    b, m, n = x.shape
    least = min(m, n)
    return (
        Aval(x.shape, x.dtype),
        Aval((b, m, m if complete else least), x.dtype),
        Aval((b, m, least), x.dtype),
        Aval((b, least), x.dtype),
    )


def _householder_kernel(k, a, r, q, v, tau, complete):
    _householder(k, a, r, q, v, tau)


HOUSEHOLDER = define_op(
    "householder", infer=_householder_infer, attrs=("complete",), accepts="float",
    kernel=_householder_kernel, diff=(False,) * 4, cost="compute",
)  # fmt: skip


def _qr_infer(avals, attrs):
    q = _householder_infer(avals, attrs)[1]
    b, m, n = avals[0].shape
    return q, Aval((b, q.shape[2], n), q.dtype)


def _qr_of(x: Tensor, complete: bool) -> tuple[Tensor, Tensor]:
    r, q, _, _ = call(HOUSEHOLDER, (x,), (complete,))
    return q, r[:, : q.shape[2]]


def _qr_grad(ctx: Any) -> Any:
    """Of the reduced form; wide matrices by their square part (Roberts, 2020)."""
    q, r = ctx.outputs
    gq, gr = ctx.g
    m, n = q.shape[-2], r.shape[-1]
    if q.shape[-1] > min(m, n):
        raise AutodiffError(
            "linalg.qr: gradients of the complete mode are not known where there are "
            "more rows than columns; given %d and %d; use mode='reduced'" % (m, n)
        )
    gq = q * 0.0 if gq is None else gq
    gr = r * 0.0 if gr is None else gr
    if n <= m:
        return (_tall_grad(q, r, gq, gr),)
    x = ctx.inputs[0]
    rest = gr[..., m:]
    gq = gq + x[..., m:] @ adjoint(rest)
    square = _tall_grad(q, r[..., :m], gq, gr[..., :m])
    return (concat([square, q @ rest], -1),)


def _tall_grad(q: Tensor, r: Tensor, gq: Tensor, gr: Tensor) -> Tensor:
    inner = r @ adjoint(gr) - adjoint(gq) @ q
    low = tril(inner, -1)
    both = low + adjoint(low) + inner * identity(inner, inner.shape[-1])
    left = gq + q @ both
    return adjoint(call(TRIANGULAR, (r, adjoint(left)), (True, False)))


QR = define_op(
    "qr", infer=_qr_infer, attrs=("complete",), decompose=_qr_of, grad=_qr_grad,
    diff=(True, True), accepts="float", complex=True, cost="compute",
)  # fmt: skip


def qr(x: Tensor, *, mode: str = "reduced") -> QRParts:
    """Return Q and R: x = Q R, Q with orthonormal columns, R a triangle; batched.

    Their names are `Q` and `R`. x: [..., m, n]. mode: "reduced" (Q: [..., m, k], R:
    [..., k, n], k = min(m, n)) or "complete" (Q: [..., m, m]); "r" gives an empty Q.
    Raises: FogoError for another mode; ShapeError for fewer than two axes.

    Example:
        >>> import fogo
        >>> q, r = fogo.linalg.qr(fogo.tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> [[round(v, 4) for v in row] for row in (q @ r).tolist()]
        [[3.0, 1.0], [4.0, 2.0]]
    """
    matrices("qr", x)
    if mode not in MODES:
        raise FogoError(
            "linalg.qr: mode is 'reduced', 'complete' or 'r'; given %r" % (mode,)
        )
    q, r = call(QR, (flat(x),), (mode == "complete",))
    batch = x.shape[:-2]
    if mode == "r":
        q = q[:, :0, :0]
    return QRParts(deep(q, batch), deep(r, batch))
