"""Logarithms of running sums of exponentials."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..shapes import normalize_axis
from .define import Sample
from .elementwise import where
from .reduce import _float
from .scan import _shifted, cummax, linear_scan

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def logcumsumexp(x: T, axis: int = -1) -> T:
    """Return `log(cumsum(exp(x)))` along an axis, without overflow.

    The sums run in units of the largest so far: s[i] = s[i-1] * exp(m[i-1] - m[i]) +
    exp(x[i] - m[i]), a linear recurrence. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.logcumsumexp(fogo.tensor([1000.0, 1000.0]), 0)
        >>> (x - 1000.0).tolist()
        [0.0, 0.693...]
    """
    x = _float(x)
    place = normalize_axis("logcumsumexp", axis, x.ndim)
    most = cummax(x.detach(), place)[0]
    most = where(most.isfinite(), most, 0.0)
    fall = (_shifted(most, place, 0.0) - most).minimum(80.0).exp()
    return linear_scan(fall, (x - most).exp(), place).log() + most


_AXES = (
    Sample(((3, 5, 2), -3.0, 3.0), axis=1),
    Sample(((3, 5), -3.0, 3.0)),
    Sample(((6,), -3.0, 3.0), axis=0),
)
SAMPLES = {"logcumsumexp": _AXES}

__all__ = ["logcumsumexp"]
NOT_METHODS = ()
