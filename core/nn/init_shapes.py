"""Initialisers that look at the shape: identities, orthogonal rows, sparse columns.

Everything is computed on the tensor's own device, so that a page that must not wait
for its GPU can use them too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..ops.creation import eye, zeros
from ..ops.elementwise import where
from ..ops.matmul import matmul
from ..ops.movement import concat, pad
from ..random import rand, randn

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")

# Giles 2010, "Approximating the erfinv function": near 0, and in the tails.
_NEAR = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
    -0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
)  # fmt: skip
_TAIL = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
    -0.0076224613, 0.00943887047, 1.00167406, 2.83297682,
)  # fmt: skip


def _set(tensor: T, values: Tensor) -> T:
    return tensor.assign(values.astype(tensor.dtype))


def _rank(name: str, tensor: Tensor, low: int, high: int) -> None:
    if not low <= tensor.ndim <= high:
        raise ShapeError(
            "init: %s needs %s axes; given shape %s"
            % (name, low if low == high else "%d to %d" % (low, high), tensor.shape)
        )


def _horner(w, factors):
    total = w * factors[0] + factors[1]
    for factor in factors[2:]:
        total = total * w + factor
    return total


def _inverse_erf(x):
    """To float32's precision."""
    w = -(((1.0 - x) * (1.0 + x)).log())
    tail = where(w < 5.0, 5.0, w).sqrt() - 3.0
    return x * where(w < 5.0, _horner(w - 2.5, _NEAR), _horner(tail, _TAIL))


def _share_below(x: float) -> float:
    """The part of a standard normal distribution that lies below x."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def trunc_normal_(
    tensor: T, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0
) -> T:
    """Fill with normal numbers that lie in [a, b]: the inverse of their distribution.

    Raises: ShapeError for an empty range.

    Example:
        >>> import fogo
        >>> from fogo.nn import init
        >>> x = init.trunc_normal_(fogo.zeros(100), std=3.0)
        >>> bool((x.abs() <= 2.0).all())
        True
    """
    if a >= b:
        raise ShapeError("init: trunc_normal_ needs a < b; given a=%s, b=%s" % (a, b))
    low, high = _share_below((a - mean) / std), _share_below((b - mean) / std)
    u = rand(*tensor.shape, device=tensor.device) * (2.0 * (high - low))
    edge = 1.0 - 2.0**-24  # the largest float32 below 1
    x = _inverse_erf((u + (2.0 * low - 1.0)).clip(-edge, edge))
    return _set(tensor, (x * (std * math.sqrt(2.0)) + mean).clip(a, b))


def eye_(tensor: T) -> T:
    """Fill a matrix with ones on the diagonal, zeros elsewhere.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.init.eye_(nn.Parameter(fogo.zeros((2, 2)))).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    _rank("eye_", tensor, 2, 2)
    rows, columns = tensor.shape
    return _set(tensor, eye(rows, columns, device=tensor.device))


def dirac_(tensor: T, groups: int = 1) -> T:
    """Fill a convolution's weight so that it copies its inputs (in each group).

    Shapes: tensor [O, C, …kernel] of 3 to 5 axes. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> from fogo.nn import init
        >>> init.dirac_(fogo.zeros(2, 2, 3)).tolist()
        [[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    """
    _rank("dirac_", tensor, 3, 5)
    if tensor.shape[0] % groups:
        raise ShapeError(
            "init: dirac_ needs output channels that divide by the groups; given %d "
            "and %d" % (tensor.shape[0], groups)
        )
    one = eye(tensor.shape[0] // groups, tensor.shape[1], device=tensor.device)
    whole = concat([one] * groups, 0)
    kernel = tensor.shape[2:]
    whole = whole.reshape(whole.shape + (1,) * len(kernel))
    around = [(k // 2, k - 1 - k // 2) for k in kernel]
    return _set(tensor, pad(whole, [(0, 0), (0, 0)] + around))


def sparse_(tensor: T, sparsity: float, std: float = 0.01) -> T:
    """Fill a matrix with normal numbers; the part `sparsity` of each column is 0.

    Raises: ShapeError (Martens 2010 says why).

    Example:
        >>> import fogo
        >>> from fogo.nn import init
        >>> x = init.sparse_(fogo.zeros(10, 3), 0.3)
        >>> (x == 0).sum(0).tolist()
        [3, 3, 3]
    """
    _rank("sparse_", tensor, 2, 2)
    x = randn(tensor.shape, device=tensor.device) * float(std)
    order = rand(*tensor.shape, device=tensor.device).argsort(0).argsort(0)
    none = math.ceil(sparsity * tensor.shape[0])
    return _set(tensor, where(order < none, 0.0, x))


def orthogonal_(tensor: T, gain: float = 1.0) -> T:
    """Fill with rows (or columns, if they are fewer) of length gain at right angles.

    Drawn evenly among all such matrices: normal vectors by Gram and Schmidt, each
    twice, which keeps the angles right to the dtype's precision. Axes from the second
    on count as one. Raises: ShapeError below 2 axes (Saxe et al. 2013).

    Example:
        >>> import fogo
        >>> from fogo.nn import init
        >>> x = init.orthogonal_(fogo.zeros(2, 3))
        >>> [[round(v, 3) + 0.0 for v in row] for row in (x @ x.T).tolist()]
        [[1.0, 0.0], [0.0, 1.0]]
    """
    if tensor.ndim < 2:
        raise ShapeError(
            "init: orthogonal_ needs 2 or more axes; given shape %s" % (tensor.shape,)
        )
    if tensor.size == 0:
        return tensor
    rows = tensor.shape[0]
    columns = tensor.size // rows
    drawn = randn(min(rows, columns), max(rows, columns), device=tensor.device)
    found = orthonormal(drawn)
    if rows > columns:
        found = found.transpose()
    return _set(tensor, found.reshape(tensor.shape) * float(gain))


def orthonormal(rows: Tensor) -> Tensor:
    """Return rows of length 1 at right angles that span what the given ones span.

    Shapes: [n, m], n <= m. They are Q of a QR factorisation with positive diagonal.
    """
    n, m = rows.shape
    found = zeros(n, m, dtype=rows.dtype, device=rows.device)
    for i in range(n):
        row = rows[i : i + 1]
        for _ in range(2 if i else 0):
            row = row - matmul(matmul(row, found.transpose()), found)
        found[i : i + 1] = row / row.square().sum().sqrt()
    return found
