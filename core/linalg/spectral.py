"""Eigenvalues and singular values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dispatch import call
from ..dtypes import complex64, complex128, float32, float64
from ..errors import AutodiffError, FogoError
from ..ops.define import define_op
from ..ops.elementwise import where
from ..ops.index import take_along_axis
from ..ops.movement import concat
from ..ops.record import Aval
from .batch import adjoint, deep, flat, identity, matrices
from .factor import QR
from .kernels import jacobi, one_sided
from .results import Eigen, SVDParts

if TYPE_CHECKING:
    from ..dtypes import DType
    from ..tensor import Tensor


def real_of(dtype: DType) -> DType:
    """Return the dtype of a number's absolute value."""
    return {"complex64": float32, "complex128": float64}.get(dtype.name, dtype)


def _columns(x: Tensor, order: Tensor) -> Tensor:
    """Return the columns of each matrix in an order of its own."""
    places = order.reshape((order.shape[0], 1, order.shape[1])).broadcast_to(x.shape)
    return take_along_axis(x, places, 2)


def _gaps(values: Tensor) -> Tensor:
    """Return 1 / (v_j - v_i) off the diagonal, 0 on it."""
    n = values.shape[-1]
    row = values.reshape(values.shape[:-1] + (1, n))
    difference = row - row.mT
    on = identity(values, n) > 0.5
    return where(on, 0.0, 1.0 / where(on, 1.0, difference))


def _scaled(x: Tensor, values: Tensor) -> Tensor:
    """Return x with its columns multiplied."""
    return x * values.reshape(values.shape[:-1] + (1, values.shape[-1]))


# Symmetric matrices.


def _jacobi_infer(avals, attrs):
    x = avals[0]
    square = Aval(x.shape, x.dtype)
    return Aval(x.shape[:2], x.dtype), square, square


JACOBI = define_op(
    "jacobi_eigh", infer=_jacobi_infer, kernel=jacobi, diff=(False,) * 3,
    accepts="float", cost="compute",
)  # fmt: skip


def _eigh_infer(avals, attrs):
    x = avals[0]
    return Aval(x.shape[:2], real_of(x.dtype)), Aval(x.shape, x.dtype)


def _eigh_of(x: Tensor) -> tuple[Tensor, Tensor]:
    values, vectors, _ = call(JACOBI, (x,))
    order = values.argsort(-1)
    return take_along_axis(values, order, 1), _columns(vectors, order)


def _eigh_grad(ctx: Any) -> Any:
    values, v = ctx.outputs
    gw, gv = ctx.g
    inner = v * 0.0
    if gv is not None:
        inner = inner + _gaps(values) * (adjoint(v) @ gv)
    if gw is not None:
        inner = inner + _scaled(identity(v, v.shape[-1]), gw.astype(v.dtype))
    return (v @ inner @ adjoint(v),)


EIGH = define_op(
    "eigh", infer=_eigh_infer, decompose=_eigh_of, grad=_eigh_grad, saves="o",
    diff=(True, True), accepts="float", complex=True, cost="compute",
)  # fmt: skip


def eigh(x: Tensor) -> Eigen:
    """Return eigenvalues, ascending, and eigenvectors of symmetric matrices, batched.

    x: [..., n, n], symmetric (Hermitian); only its lower triangle is read. Returns
    `eigenvalues` [..., n], real, and `eigenvectors` [..., n, n], in columns. Vectors
    are known up to their sign; their gradients are infinite where eigenvalues are
    equal.

    Example:
        >>> import fogo
        >>> w, v = fogo.linalg.eigh(fogo.tensor([[2.0, 1.0], [1.0, 2.0]]))
        >>> [round(value, 4) for value in w.tolist()]
        [1.0, 3.0]
    """
    matrices("eigh", x, square=True)
    values, vectors = call(EIGH, (flat(x),))
    batch = x.shape[:-2]
    return Eigen(values.reshape(batch + values.shape[1:]), deep(vectors, batch))


def eigvalsh(x: Tensor) -> Tensor:
    """Return the eigenvalues of symmetric matrices, ascending: [..., n].

    Example:
        >>> import fogo
        >>> w = fogo.linalg.eigvalsh(fogo.tensor([[2.0, 1.0], [1.0, 2.0]]))
        >>> [round(value, 4) for value in w.tolist()]
        [1.0, 3.0]
    """
    return eigh(x)[0]


# Singular values.


def _one_sided_infer(avals, attrs):
    x = avals[0]
    b, _, n = x.shape
    return Aval(x.shape, x.dtype), Aval((b, n, n), x.dtype)


ONE_SIDED = define_op(
    "jacobi_svd", infer=_one_sided_infer, kernel=one_sided, diff=(False,) * 2,
    accepts="float", cost="compute",
)  # fmt: skip


def _svd_infer(avals, attrs):
    x = avals[0]
    b, m, n = x.shape
    k = min(m, n)
    return (
        Aval((b, m, k), x.dtype),
        Aval((b, k), real_of(x.dtype)),
        Aval((b, k, n), x.dtype),
    )


def _svd_of(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Turn the columns until they are orthogonal; QR makes them of length 1.

    Columns of length 0 get a direction from QR too: U always is orthonormal.
    """
    if x.shape[1] < x.shape[2]:
        v, s, uh = _svd_of(x.mT)
        return uh.mT, s, v.mT
    turned, vectors = call(ONE_SIDED, (x,))
    order = turned.square().sum(1).argsort(-1, descending=True)
    q, r = call(QR, (_columns(turned, order),), (False,))
    on = (r * identity(r, r.shape[-1])).sum(-1)
    sign = where(on < 0.0, -1.0, 1.0).astype(x.dtype)
    return _scaled(q, sign), on.abs(), _columns(vectors, order).mT


def _svd_grad(ctx: Any) -> Any:
    """Townsend, "Differentiating the singular value decomposition", 2016."""
    u, s, vh = ctx.outputs
    if u.dtype.is_complex:
        raise AutodiffError(
            "linalg.svd: gradients are known for real matrices; given %s" % u.dtype.name
        )
    gu, gs, gvh = ctx.g
    v, f = vh.mT, _gaps(s * s)
    inner = _scaled(identity(u, s.shape[1]), s) * 0.0
    outer = None
    if gs is not None:
        inner = inner + _scaled(identity(u, s.shape[1]), gs)
    if gu is not None:
        j = f * (u.mT @ gu)
        inner = inner + _scaled(j + j.mT, s)
        outer = _scaled(gu - u @ (u.mT @ gu), 1.0 / s) @ vh
    if gvh is not None:
        gv = gvh.mT
        k = f * (v.mT @ gv)
        inner = inner + _scaled((k + k.mT).mT, s).mT
        rest = _scaled(u, 1.0 / s) @ (gv - v @ (v.mT @ gv)).mT
        outer = rest if outer is None else outer + rest
    total = u @ inner @ vh
    return (total if outer is None else total + outer,)


SVD = define_op(
    "svd", infer=_svd_infer, decompose=_svd_of, grad=_svd_grad, saves="o",
    diff=(True, True, True), accepts="float", complex=True, cost="compute",
)  # fmt: skip


def svd(x: Tensor, *, full_matrices: bool = True) -> SVDParts:
    """Return U, S, Vh (by these names too): x = U diag(S) Vh, S descending, batched.

    x: [..., m, n]; k = min(m, n). U: [..., m, m], Vh: [..., n, n], or with
    full_matrices=False [..., m, k] and [..., k, n]; S: [..., k], real. Vectors are
    known up to their sign; their gradients are infinite where singular values are
    equal, and none pass through those that only full_matrices adds.

    Example:
        >>> import fogo
        >>> u, s, vh = fogo.linalg.svd(fogo.tensor([[3.0, 0.0], [0.0, -2.0]]))
        >>> [round(value, 4) for value in s.tolist()]
        [3.0, 2.0]
    """
    matrices("svd", x)
    u, s, vh = call(SVD, (flat(x),))
    if full_matrices:
        u = _completed(u)
        vh = _completed(vh.mT).mT
    batch = x.shape[:-2]
    return SVDParts(deep(u, batch), s.reshape(batch + s.shape[1:]), deep(vh, batch))


def _completed(u: Tensor) -> Tensor:
    """Return orthonormal columns with those that are lacking."""
    m, k = u.shape[-2:]
    if m == k:
        return u
    q, _ = call(QR, (u.detach(),), (True,))
    return concat([u, q[..., k:].to(u.device)], -1)


def svdvals(x: Tensor) -> Tensor:
    """Return the singular values, descending: [..., min(m, n)].

    Example:
        >>> import fogo
        >>> s = fogo.linalg.svdvals(fogo.tensor([[3.0, 0.0], [0.0, -2.0]]))
        >>> [round(value, 4) for value in s.tolist()]
        [3.0, 2.0]
    """
    return svd(x, full_matrices=False)[1]


# General matrices.


def _eig_infer(avals, attrs):
    x = avals[0]
    kind = complex128 if real_of(x.dtype) is float64 else complex64
    return Aval(x.shape[:2], kind), Aval(x.shape, kind)


def _eig_of(x: Tensor) -> Any:
    raise FogoError(
        "linalg.eig: eigenvalues of general matrices are NumPy's; given a tensor of "
        "%r; move it with .to('numpy')" % x.device
    )


EIG = define_op(
    "eig", infer=_eig_infer, decompose=_eig_of, diff=(False, False), accepts="float",
    complex=True, host=True, cost="compute",
)  # fmt: skip


def eig(x: Tensor) -> Eigen:
    """Return `eigenvalues` and `eigenvectors` of general matrices, complex, batched.

    x: [..., n, n]. Computed by NumPy: a tensor of another device is read from it, and
    the results are on the "numpy" device, which holds complex numbers. They carry no
    gradient.

    Example:
        >>> import fogo
        >>> w, v = fogo.linalg.eig(fogo.tensor([[0.0, -1.0], [1.0, 0.0]]))
        >>> sorted([round(z.imag, 4) for z in w.tolist()])
        [-1.0, 1.0]
    """
    matrices("eig", x, square=True)
    x = x.detach().to("numpy")
    values, vectors = call(EIG, (flat(x),))
    batch = x.shape[:-2]
    return Eigen(values.reshape(batch + values.shape[1:]), deep(vectors, batch))


def eigvals(x: Tensor) -> Tensor:
    """Return the eigenvalues of general matrices, complex: see `eig`.

    Example:
        >>> import fogo
        >>> w = fogo.linalg.eigvals(fogo.tensor([[0.0, -1.0], [1.0, 0.0]]))
        >>> sorted([round(z.imag, 4) for z in w.tolist()])
        [-1.0, 1.0]
    """
    return eig(x)[0]
