"""Shapes and checks that the functions of `fogo.linalg` share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dtypes import float16
from ..errors import DTypeError, ShapeError
from ..ops.complex_ import conj
from ..ops.complex_ import real as _real
from ..shapes import broadcast, size
from ..tensor import Tensor

if TYPE_CHECKING:
    from ..dtypes import DType

_HALVES = (float16.name, "bfloat16")


def matrices(name: str, x: Tensor, square: bool = False) -> Tensor:
    """Return x where it is matrices of floats; else raise, before any work.

    Raises: ShapeError for fewer than two axes, or where `square` is asked for and they
    differ; DTypeError for integers, bools and half floats.
    """
    floats(name, x)
    if x.ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        raise ShapeError(
            "linalg.%s: the last two axes are %smatrices; given shape %s"
            % (name, "square " if square else "", list(x.shape))
        )
    return x


def floats(name: str, x: Tensor) -> Tensor:
    """Return x where it is of float32, float64 or complex numbers; else raise."""
    if not isinstance(x, Tensor):
        raise DTypeError(
            "linalg.%s: it takes tensors; given %s; write fogo.tensor(...)"
            % (name, type(x).__name__)
        )
    if not x.dtype.inexact or x.dtype.name in _HALVES:
        raise DTypeError(
            "linalg.%s: the dtype is float32, float64 or complex; given %s; cast it "
            "with .astype(fogo.float32)" % (name, x.dtype.name)
        )
    return x


def flat(x: Tensor) -> Tensor:
    """Return the matrices along one leading axis."""
    return x.reshape((size(x.shape[:-2]),) + x.shape[-2:])


def deep(x: Tensor, batch: tuple[int, ...]) -> Tensor:
    """Return what `flat` laid out, with its leading axes again."""
    return x.reshape(batch + x.shape[1:])


def same_batch(name: str, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return both with equal leading axes, broadcast."""
    batch = broadcast("linalg." + name, a.shape[:-2], b.shape[:-2])
    return (
        a.broadcast_to(batch + a.shape[-2:]),
        b.broadcast_to(batch + b.shape[-2:]),
    )


def adjoint(x: Tensor) -> Tensor:
    """Return the transpose, conjugated where it is complex."""
    return conj(x.mT) if x.dtype.is_complex else x.mT


def identity(x: Tensor, n: int) -> Tensor:
    """Return the n by n identity beside x: its dtype and device."""
    from ..ops.creation import eye

    return eye(n, dtype=x.dtype, device=x.device)


def real(x: Tensor) -> Tensor:
    """Return the real part."""
    return _real(x) if x.dtype.is_complex else x


def epsilon(dtype: DType) -> float:
    """Return the distance from 1 to the next number."""
    return 2.0**-52 if dtype.name in ("float64", "complex128") else 2.0**-23
