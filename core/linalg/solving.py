"""Systems of equations, inverses, determinants, ranks and least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dispatch import call
from ..errors import FogoError, ShapeError
from ..ops.define import define_op
from ..ops.elementwise import where
from ..ops.record import Aval
from ..tensor import Tensor
from .batch import adjoint, deep, epsilon, flat, floats, identity, matrices, same_batch
from .factor import LU, TRIANGULAR, _rows
from .results import LeastSquares, Slogdet
from .spectral import real_of, svd, svdvals

if TYPE_CHECKING:
    pass

# Solving.


def _solve_infer(avals, attrs):
    return (Aval(avals[1].shape, avals[1].dtype),)


def _solve_of(a: Tensor, b: Tensor) -> Tensor:
    packed, order, _ = call(LU, (a,))
    y = call(TRIANGULAR, (packed, _rows(b, order)), (False, True))
    return call(TRIANGULAR, (packed, y), (True, False))


def _solve_grad(ctx: Any) -> Any:
    x = ctx.outputs[0]
    by_b = call(SOLVE, (adjoint(ctx.inputs[0]), ctx.g[0]))
    return -by_b @ adjoint(x), by_b


SOLVE = define_op(
    "solve", infer=_solve_infer, decompose=_solve_of, grad=_solve_grad,
    accepts="float", complex=True, cost="compute",
)  # fmt: skip


def solve(a: Tensor, b: Tensor) -> Tensor:
    """Return x of a x = b, batched.

    a: [..., n, n]; b: [n] or [..., n, k]; leading axes broadcast. By LU with partial
    pivoting; a singular matrix gives infinities or nan.
    Raises: ShapeError for shapes that do not fit.

    Example:
        >>> import fogo
        >>> a = fogo.tensor([[2.0, 1.0], [1.0, 3.0]])
        >>> fogo.linalg.solve(a, fogo.tensor([3.0, 4.0])).tolist()
        [1.0, 1.0]
    """
    matrices("solve", a, square=True)
    floats("solve", b)
    if b.ndim == 1:
        return solve(a, b.reshape((-1, 1)))[..., 0]
    matrices("solve", b)
    if a.shape[-1] != b.shape[-2]:
        raise ShapeError(
            "linalg.solve: the sides must be of one length; given shapes %s and %s"
            % (list(a.shape), list(b.shape))
        )
    a, b = same_batch("solve", a, b)
    if a.dtype is not b.dtype:
        from ..dtypes import promote

        kind = promote(a.dtype, b.dtype)
        a, b = a.astype(kind), b.astype(kind)
    return deep(call(SOLVE, (flat(a), flat(b))), b.shape[:-2])


def inv(x: Tensor) -> Tensor:
    """Return the inverse of each matrix: [..., n, n]; see `solve`.

    Example:
        >>> import fogo
        >>> fogo.linalg.inv(fogo.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    matrices("inv", x, square=True)
    return solve(x, identity(x, x.shape[-1]).broadcast_to(x.shape))


def cholesky_solve(b: Tensor, factor: Tensor, *, upper: bool = False) -> Tensor:
    """Return X of A X = b from the Cholesky factor of A (PyTorch's order).

    b: [..., n, k]; factor: [..., n, n], lower unless `upper`.

    Example:
        >>> import fogo
        >>> low = fogo.tensor([[2.0, 0.0], [1.0, 2.0]])
        >>> fogo.linalg.cholesky_solve(fogo.tensor([[6.0], [7.0]]), low).tolist()
        [[1.0], [1.0]]
    """
    from .factor import solve_triangular

    low = adjoint(factor) if upper else factor
    y = solve_triangular(low, b, upper=False)
    return solve_triangular(adjoint(low), y, upper=True)


# Determinants.


def _det_infer(avals, attrs):
    return (Aval(avals[0].shape[:1], avals[0].dtype),)


def _diagonal(x: Tensor) -> Tensor:
    return (x * identity(x, x.shape[-1])).sum(-1)


def _det_of(x: Tensor) -> Tensor:
    packed, _, sign = call(LU, (x,))
    return sign * _diagonal(packed).prod(-1)


def _inverse_adjoint(x: Tensor) -> Tensor:
    one = identity(x, x.shape[-1]).broadcast_to(x.shape)
    return call(SOLVE, (adjoint(x), one))


def _det_grad(ctx: Any) -> Any:
    x, det = ctx.inputs[0], ctx.outputs[0]
    scale = ctx.g[0] * (adjoint_number(det))
    return (_inverse_adjoint(x) * scale.reshape(scale.shape + (1, 1)),)


def adjoint_number(x: Tensor) -> Tensor:
    """Return the conjugate of complex numbers, real ones as they are."""
    from ..ops.complex_ import conj

    return conj(x) if x.dtype.is_complex else x


DET = define_op(
    "det", infer=_det_infer, decompose=_det_of, grad=_det_grad, accepts="float",
    complex=True, cost="compute",
)  # fmt: skip


def det(x: Tensor) -> Tensor:
    """Return the determinant of each matrix: [...], of [..., n, n].

    Its gradient is det(x) inv(x)ᵀ, which is not finite for a singular matrix.

    Example:
        >>> import fogo
        >>> fogo.linalg.det(fogo.tensor([[2.0, 1.0], [1.0, 3.0]])).item()
        5.0
    """
    matrices("det", x, square=True)
    return call(DET, (flat(x),)).reshape(x.shape[:-2])


def _slogdet_infer(avals, attrs):
    x = avals[0]
    return Aval(x.shape[:1], x.dtype), Aval(x.shape[:1], real_of(x.dtype))


def _slogdet_of(x: Tensor) -> tuple[Tensor, Tensor]:
    packed, _, sign = call(LU, (x,))
    on = _diagonal(packed)
    size = on.abs()
    if x.dtype.is_complex:
        unit = on / where(size > 0.0, size, 1.0).astype(on.dtype)
    else:
        unit = on.sign()
    return sign * unit.prod(-1), size.log().sum(-1)


def _slogdet_grad(ctx: Any) -> Any:
    x, g = ctx.inputs[0], ctx.g[1]
    if g is None:
        return (None,)
    return (_inverse_adjoint(x) * g.reshape(g.shape + (1, 1)).astype(x.dtype),)


SLOGDET = define_op(
    "slogdet", infer=_slogdet_infer, decompose=_slogdet_of, grad=_slogdet_grad,
    saves="i", diff=(False, True), accepts="float", complex=True, cost="compute",
)  # fmt: skip


def slogdet(x: Tensor) -> Slogdet:
    """Return the sign of the determinant and the logarithm of its size: both [...].

    Their names are `sign` and `logabsdet`. A singular matrix has sign 0 and logarithm
    -inf.

    Example:
        >>> import fogo
        >>> sign, log = fogo.linalg.slogdet(fogo.tensor([[0.0, 2.0], [1.0, 0.0]]))
        >>> sign.item(), round(log.item(), 4)
        (-1.0, 0.6931)
    """
    matrices("slogdet", x, square=True)
    sign, log = call(SLOGDET, (flat(x),))
    return Slogdet(sign.reshape(x.shape[:-2]), log.reshape(x.shape[:-2]))


# By singular values.


def _limit(s: Tensor, x: Tensor, rtol: Any) -> Tensor:
    """Return the size below which a singular value is nothing: [..., 1]."""
    if rtol is None:
        rtol = max(x.shape[-2:]) * epsilon(x.dtype)
    if isinstance(rtol, Tensor):
        rtol = rtol.reshape(rtol.shape + (1,))
    return s[..., :1] * rtol


def pinv(x: Tensor, *, rtol: Any = None) -> Tensor:
    """Return the pseudo-inverse (Moore and Penrose) of each matrix: [..., n, m].

    rtol: the share of the largest singular value below which others count as 0: a
    number or one a matrix; None: max(m, n) times the dtype's epsilon.

    Example:
        >>> import fogo
        >>> p = fogo.linalg.pinv(fogo.tensor([[2.0, 0.0], [0.0, 0.0]]))
        >>> [[round(v, 4) + 0.0 for v in row] for row in p.tolist()]
        [[0.5, 0.0], [0.0, 0.0]]
    """
    matrices("pinv", x)
    if 0 in x.shape[-2:]:
        return x.mT + 0.0
    u, s, vh = svd(x, full_matrices=False)
    keep = s > _limit(s, x, rtol)
    turned = where(keep, 1.0 / where(keep, s, 1.0), 0.0).astype(s.dtype)
    scaled = adjoint(vh) * turned.reshape(s.shape[:-1] + (1, s.shape[-1]))
    return scaled @ adjoint(u)


def matrix_rank(x: Tensor, *, rtol: Any = None) -> Tensor:
    """Return the number of singular values that are not 0: integers [...]; see `pinv`.

    Dtype: the device's default integer.

    Example:
        >>> import fogo
        >>> fogo.linalg.matrix_rank(fogo.ones((2, 2))).item()
        1
    """
    matrices("matrix_rank", x)
    kind = x.device.default_int
    if 0 in x.shape[-2:]:
        return x.sum((-2, -1)).abs().astype(kind)
    s = svdvals(x)
    return (s > _limit(s, x, rtol)).astype(kind).sum(-1).astype(kind)


def cond(x: Tensor, p: Any = None) -> Tensor:
    """Return the condition number of each matrix: norm(x) times norm(inv(x)).

    p: None or 2 for the ratio of the largest and least singular values, -2 for its
    inverse, or an `ord` of `matrix_norm`.

    Example:
        >>> import fogo
        >>> round(fogo.linalg.cond(fogo.tensor([[4.0, 0.0], [0.0, 2.0]])).item(), 4)
        2.0
    """
    from .norms import matrix_norm

    matrices("cond", x)
    if p in (None, 2, -2):
        s = svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return matrix_norm(x, ord=p) * matrix_norm(inv(x), ord=p)


def lstsq(a: Tensor, b: Tensor, *, rcond: float | None = None) -> LeastSquares:
    """Return the x of least |a x - b|, the residuals, the rank, the singular values.

    a: [..., m, n]; b: [m] or [..., m, k]. By the pseudo-inverse: of all solutions, the
    shortest. residuals: the sums of squares [..., k], empty unless m > n and the rank
    is n everywhere (then they are of no use); rcond: see `pinv`.

    Example:
        >>> import fogo
        >>> a = fogo.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> x = fogo.linalg.lstsq(a, fogo.tensor([1.0, 3.0, 5.0]))[0]
        >>> [round(v, 4) for v in x.tolist()]
        [1.0, 2.0]
    """
    matrices("lstsq", a)
    if rcond is not None and not rcond >= 0:
        raise FogoError("linalg.lstsq: rcond is at least 0; given %r" % (rcond,))
    floats("lstsq", b)
    if b.ndim == 1:
        x, residuals, rank, s = lstsq(a, b.reshape((-1, 1)), rcond=rcond)
        return LeastSquares(x[..., 0], residuals, rank, s)
    if a.shape[-2] != b.shape[-2]:
        raise ShapeError(
            "linalg.lstsq: a and b have equally many rows; given shapes %s and %s"
            % (list(a.shape), list(b.shape))
        )
    x = pinv(a, rtol=rcond) @ b
    s = svdvals(a)
    rank = matrix_rank(a, rtol=rcond)
    residuals = (a @ x - b).abs().square().sum(-2)
    if a.shape[-2] <= a.shape[-1]:
        residuals = residuals[..., :0]
    return LeastSquares(x, residuals, rank, s)
