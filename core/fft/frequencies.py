"""What belongs to the numbers of a transform, and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dtypes import DEFAULT_FLOAT
from ..dtypes import dtype as lookup
from ..errors import DTypeError, FogoError
from ..ops.creation import arange
from ..shapes import normalize_axes
from .transforms import given

if TYPE_CHECKING:
    from ..dtypes import DType
    from ..tensor import Tensor


def fftfreq(n: int, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the frequencies of a transform of n numbers that lie d apart.

    Shape: [n]: 0, 1, …, then the negative ones, over n * d. Dtype: float32.
    Raises: FogoError unless n is at least 1; DTypeError unless dtype is of floats.

    Example:
        >>> import fogo
        >>> fogo.fft.fftfreq(4).tolist()
        [0.0, 0.25, -0.5, -0.25]
    """
    kind = _check("fft.fftfreq", n, d, dtype)
    half = (n + 1) // 2
    at = arange(n, device=device)
    at = at - (at >= half).astype(at.dtype) * n
    return at.astype(kind) * (1.0 / (n * d))


def rfftfreq(
    n: int, *, d: float = 1.0, dtype: Any = None, device: Any = None
) -> Tensor:
    """Return the frequencies of `rfft`: [n // 2 + 1]; see `fftfreq`.

    Example:
        >>> import fogo
        >>> fogo.fft.rfftfreq(4).tolist()
        [0.0, 0.25, 0.5]
    """
    kind = _check("fft.rfftfreq", n, d, dtype)
    at = arange(n // 2 + 1, device=device)
    return at.astype(kind) * (1.0 / (n * d))


def _check(name: str, n: int, d: float, dtype: Any) -> DType:
    kind = DEFAULT_FLOAT if dtype is None else lookup(dtype)
    if kind.kind != "float":
        raise DTypeError(
            "%s: frequencies are floats; given dtype=%s; leave it out, or use float32"
            % (name, kind.name)
        )
    if not isinstance(n, int) or n < 1 or not d:
        raise FogoError(
            "%s: n is a whole number of at least 1, d is not 0; given %r, %r"
            % (name, n, d)
        )
    return kind


def fftshift(x: Tensor, *, axes: Any = None) -> Tensor:
    """Return a transform with frequency 0 in the middle of some axes (all of them).

    Example:
        >>> import fogo
        >>> fogo.fft.fftshift(fogo.arange(5)).tolist()
        [3, 4, 0, 1, 2]
    """
    for axis in normalize_axes("fft.fftshift", axes, given("fft.fftshift", x).ndim):
        x = x.roll(x.shape[axis] // 2, axis)
    return x


def ifftshift(x: Tensor, *, axes: Any = None) -> Tensor:
    """Return what `fftshift` has shifted in its first order.

    Example:
        >>> import fogo
        >>> fogo.fft.ifftshift(fogo.tensor([3, 4, 0, 1, 2])).tolist()
        [0, 1, 2, 3, 4]
    """
    for axis in normalize_axes("fft.ifftshift", axes, given("fft.ifftshift", x).ndim):
        x = x.roll(-(x.shape[axis] // 2), axis)
    return x
