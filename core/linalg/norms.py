"""Norms, powers and products of matrices and vectors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import FogoError, ShapeError
from ..ops.elementwise import maximum
from ..ops.elementwise import where as choose
from ..shapes import normalize_axes
from .batch import floats, identity, matrices
from .solving import inv, solve
from .spectral import svdvals

if TYPE_CHECKING:
    from ..tensor import Tensor

INF = float("inf")


def vector_norm(
    x: Tensor, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> Tensor:
    """Return the norm over some axes, taken as one vector (all, by default).

    ord: any number: (sum of |x| ** ord) ** (1 / ord); inf the largest, -inf the
    smallest, 0 the count of what is not 0. The gradient at 0 is 0.

    Example:
        >>> import fogo
        >>> fogo.linalg.vector_norm(fogo.tensor([3.0, -4.0])).item()
        5.0
    """
    floats("vector_norm", x)
    if ord is None or isinstance(ord, str):
        raise FogoError(
            "linalg.vector_norm: ord is a number; given %r; matrices have "
            "matrix_norm" % (ord,)
        )
    axes = tuple(range(x.ndim)) if axis is None else axis
    size = x.abs() if x.dtype.is_complex or ord != 2 else x
    if ord == INF:
        return size.max(axes, keepdims) if axes != () else size
    if ord == -INF:
        return size.min(axes, keepdims) if axes != () else size
    if ord == 0:
        return (size != 0).astype(size.dtype).sum(axes, keepdims)
    if ord == 1:
        return size.sum(axes, keepdims)
    if ord == 2:
        return _root(size.square().sum(axes, keepdims), 0.5)
    return _root((size ** float(ord)).sum(axes, keepdims), 1.0 / ord)


def _root(x: Tensor, power: float) -> Tensor:
    """Return x ** power with gradient 0 (not infinity) at 0."""
    some = x > 0.0
    safe = choose(some, x, 1.0)
    root = safe.sqrt() if power == 0.5 else safe**power
    at_zero = 0.0 if power > 0 else INF
    return choose(some | (x != x), choose(some, root, x), at_zero).astype(x.dtype)


def matrix_norm(x: Tensor, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """Return the norm of each matrix, over the last two axes.

    ord: "fro" (root of the sum of squares), "nuc" (sum of singular values), 1 and -1
    (largest and least sum of a column's sizes), inf and -inf (of a row's), 2 and -2
    (largest and least singular value).

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, -2.0], [3.0, 4.0]])
        >>> fogo.linalg.matrix_norm(x, ord=1).item()
        6.0
    """
    matrices("matrix_norm", x)
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in ("nuc", 2, -2):
        s = svdvals(x)
        if ord == "nuc":  # an empty matrix has one: 0
            made = s.sum(-1)
        else:
            made = s.max(-1) if ord == 2 else s.min(-1)
    elif ord in (1, -1, INF, -INF):
        sums = x.abs().sum(-2 if abs(ord) == 1 else -1)
        made = sums.max(-1) if ord > 0 else sums.min(-1)
    else:
        raise FogoError(
            "linalg.matrix_norm: ord is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf; given "
            "%r" % (ord,)
        )
    return made.reshape(made.shape + (1, 1)) if keepdims else made


def norm(
    x: Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False
) -> Tensor:
    """Return a norm as `numpy.linalg.norm` does: of vectors or of matrices.

    Without `ord`, the root of the sum of squares; with it, one axis (or a tensor of
    one axis) means vectors, two mean matrices.

    Example:
        >>> import fogo
        >>> fogo.linalg.norm(fogo.tensor([[1.0, 2.0], [2.0, 4.0]])).item()
        5.0
    """
    if ord is None:
        return vector_norm(x, axis=axis, keepdims=keepdims)
    axes = normalize_axes("linalg.norm", axis, x.ndim)
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=ord)
    if len(axes) != 2:
        raise ShapeError(
            "linalg.norm: with ord, one axis or two; given %s of shape %s"
            % (axis, list(x.shape))
        )
    made = matrix_norm(x.moveaxis(axes, (-2, -1)), ord=ord)
    if not keepdims:
        return made
    return made.reshape([1 if i in axes else n for i, n in enumerate(x.shape)])


def matrix_power(x: Tensor, n: int) -> Tensor:
    """Return the n-th power of each matrix; a negative n is of the inverse.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, 1.0], [0.0, 1.0]])
        >>> fogo.linalg.matrix_power(x, 5).tolist()
        [[1.0, 5.0], [0.0, 1.0]]
    """
    matrices("matrix_power", x, square=True)
    if not isinstance(n, int):
        raise FogoError("linalg.matrix_power: n is a whole number; given %r" % (n,))
    if n < 0:
        x, n = inv(x), -n
    made = None
    while n:
        if n & 1:
            made = x if made is None else made @ x
        n >>= 1
        x = x @ x if n else x
    if made is None:
        return identity(x, x.shape[-1]).broadcast_to(x.shape)
    return made


def multi_dot(arrays: list[Tensor]) -> Tensor:
    """Return the product of two or more matrices, in the order of fewest operations.

    The first and the last may be vectors.

    Example:
        >>> import fogo
        >>> a, b = fogo.ones((10, 1)), fogo.ones((1, 10))
        >>> fogo.linalg.multi_dot([a, b, a]).shape
        (10, 1)
    """
    if len(arrays) < 2:
        raise FogoError(
            "linalg.multi_dot: at least two matrices; given %d" % len(arrays)
        )
    first, last = arrays[0].ndim == 1, arrays[-1].ndim == 1
    parts = list(arrays)
    parts[0] = parts[0].reshape((1, -1)) if first else parts[0]
    parts[-1] = parts[-1].reshape((-1, 1)) if last else parts[-1]
    made = _product(parts, _splits([p.shape[0] for p in parts] + [parts[-1].shape[1]]))
    if first and last:
        return made[0, 0]
    return made[0] if first else made[:, 0] if last else made


def _splits(sizes: list[int]) -> Any:
    """Return where to split each chain: the textbook's matrix chain (Cormen, 15.2)."""
    n = len(sizes) - 1
    cost = {(i, i): 0 for i in range(n)}
    best = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            found = None
            for at in range(i, j):
                made = cost[i, at] + cost[at + 1, j]
                made += sizes[i] * sizes[at + 1] * sizes[j + 1]
                if found is None or made < found:
                    found, best[i, j] = made, at
            cost[i, j] = found or 0
    return best


def _product(parts: list[Tensor], best: Any, i: int = 0, j: int = -1) -> Tensor:
    j = len(parts) - 1 if j < 0 else j
    if i == j:
        return parts[i]
    at = best[i, j]
    return _product(parts, best, i, at) @ _product(parts, best, at + 1, j)


_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0,
    40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip


def matrix_exp(x: Tensor) -> Tensor:
    """Return the exponential of each matrix: Padé's approximation of order 13.

    Higham, "The scaling and squaring method for the matrix exponential revisited",
    2005. Reads one number from the device, which says how often to square.

    Example:
        >>> import fogo
        >>> e = fogo.linalg.matrix_exp(fogo.tensor([[0.0, 1.0], [0.0, 0.0]]))
        >>> [[round(v, 4) for v in row] for row in e.tolist()]
        [[1.0, 1.0], [0.0, 1.0]]
    """
    matrices("matrix_exp", x, square=True)
    if not x.size:
        return x + 0.0
    size = matrix_norm(x.detach(), ord=1).max().item()
    if not size < 1e30:
        return x * float("nan")
    times = max(0, math.ceil(math.log2(size / 5.4))) if size > 0 else 0
    made = _pade(x * 0.5**times)
    for _ in range(times):
        made = made @ made
    return made


def _pade(x: Tensor) -> Tensor:
    b = [c / _PADE[0] for c in _PADE]
    one = identity(x, x.shape[-1])
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    odd = x6 @ (x6 * b[13] + x4 * b[11] + x2 * b[9])
    odd = x @ (odd + x6 * b[7] + x4 * b[5] + x2 * b[3] + one * b[1])
    even = x6 @ (x6 * b[12] + x4 * b[10] + x2 * b[8])
    even = even + x6 * b[6] + x4 * b[4] + x2 * b[2] + one * b[0]
    return solve(even - odd, even + odd)


def vector_normalize(
    x: Tensor, *, axis: Any = -1, ord: Any = 2, eps: float = 1e-12
) -> Tensor:
    """Return vectors divided by their norm, or by eps where that is smaller.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([3.0, 4.0])
        >>> [round(v, 4) for v in fogo.linalg.vector_normalize(x).tolist()]
        [0.6, 0.8]
    """
    return x / maximum(vector_norm(x, axis=axis, keepdims=True, ord=ord), float(eps))
