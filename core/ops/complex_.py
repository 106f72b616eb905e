"""Parts of complex numbers. A real number is its own real part and conjugate."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..expr import call as E
from .define import elementwise
from .elementwise import atan2

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


@elementwise("real", accepts="numeric")
def real(x: T) -> T:
    """Return the real part. Dtype: float32 of complex64, float64 of complex128.

    Example:
        >>> import fogo
        >>> fogo.real(fogo.tensor([1 + 2j], device="numpy")).tolist()
        [1.0]
    """
    return E("real", x)


@elementwise("imag", accepts="numeric")
def imag(x: T) -> T:
    """Return the imaginary part; zeros of real numbers. Dtype as of `real`.

    Example:
        >>> import fogo
        >>> fogo.imag(fogo.tensor([1 + 2j], device="numpy")).tolist()
        [2.0]
    """
    return E("imag", x)


@elementwise("conj", accepts="numeric")
def conj(x: T) -> T:
    """Return the complex conjugate.

    Example:
        >>> import fogo
        >>> fogo.conj(fogo.tensor([1 + 2j], device="numpy")).tolist()
        [(1-2j)]
    """
    return E("conj", x)


def angle(x: T) -> T:
    """Return the angle of complex numbers, in [-pi, pi]: pi of real ones below 0.

    Integers become float32.

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.angle(fogo.tensor([1.0, -1.0])).tolist()]
        [0.0, 3.1416]
    """
    return atan2(imag(x), real(x))


__all__ = ["angle", "conj", "imag", "real"]
NOT_METHODS = ()
