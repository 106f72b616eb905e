"""More activations: quiet softmax, gates, shrinking, and leaks drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..expr import where as _where
from ..shapes import normalize_axis
from .activation import _along, _softmax_grad, hardshrink, leaky_relu, silu, softshrink
from .activation import threshold as _threshold
from .define import WIDE, Sample, define_op, elementwise
from .elementwise import maximum, where
from .record import same

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_X = ((3, 5, 2), -3.0, 3.0)


def _quiet(x, axis):
    top = maximum(x.max(axis, True), 0.0)
    shifted = (x - top).exp()
    return shifted / (shifted.sum(axis, True) + (-top).exp())


QUIET = define_op(
    "quiet_softmax", infer=same, attrs=("axis",), decompose=_quiet, accepts="float",
    grad=_softmax_grad, saves="o",
    samples=(Sample(_X), Sample(_X, axis=1), Sample(((4,), -3.0, 3.0), axis=0)),
)  # fmt: skip


def quiet_softmax(x: T, axis: int = -1) -> T:
    """Return `exp(x) / (1 + sum(exp(x)))`: weights that may all be small.

    Raises: ShapeError for an axis out of range. Miller, "Attention is off by one",
    2023.

    Example:
        >>> import fogo
        >>> fogo.quiet_softmax(fogo.tensor([0.0])).tolist()
        [0.5]
    """
    return _along(QUIET, x, axis)


def swiglu(x: T, axis: int = -1) -> T:
    """Cut an axis in halves a and b; return `silu(a) * b`.

    Shapes: [..., 2M, ...] -> [..., M, ...]. Raises: ShapeError for an odd size.
    Shazeer 2020.

    Example:
        >>> import fogo
        >>> fogo.swiglu(fogo.tensor([0.0, 3.0])).tolist()
        [0.0]
    """
    place = normalize_axis("swiglu", axis, x.ndim)
    n = x.shape[place]
    if n % 2:
        raise ShapeError(
            "swiglu: the axis must have an even size; given size %d of shape %s"
            % (n, list(x.shape))
        )
    return silu(x.narrow(place, 0, n // 2)) * x.narrow(place, n // 2, n // 2)


def thresholded_relu(x: T, alpha: float = 1.0) -> T:
    """Return x where it is above `alpha`, else 0.

    Example:
        >>> import fogo
        >>> fogo.thresholded_relu(fogo.tensor([0.5, 2.0])).tolist()
        [0.0, 2.0]
    """
    return _threshold(x, alpha, 0)


@elementwise("shrink", (WIDE, (0.3, 1.0), (0.1, 0.5)), accepts="float", to_float=True)
def _shrink(x, size, bias):
    return _where(x > size, x - bias, _where(x < -size, x + bias, 0.0))


def shrink(x: T, lambd: float = 0.5, bias: float = 0.0) -> T:
    """Return x moved towards 0 by `bias`, and 0 where |x| is at most `lambd`.

    Example:
        >>> import fogo
        >>> fogo.shrink(fogo.tensor([-2.0, 0.2, 3.0]), bias=1.0).tolist()
        [-1.0, 0.0, 2.0]
    """
    return _shrink(x, lambd, bias)


def rrelu(
    x: T, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> T:
    """`leaky_relu` with slopes drawn evenly from [lower, upper] for each element.

    Outside training the slope is their mean. Raises: ShapeError for lower > upper.

    Example:
        >>> import fogo
        >>> fogo.rrelu(fogo.tensor([-4.0, 2.0]), 0.25, 0.75).tolist()
        [-2.0, 2.0]
    """
    from ..random import uniform

    if lower > upper:
        raise ShapeError(
            "rrelu: lower is at most upper; given lower=%g, upper=%g" % (lower, upper)
        )
    if not training:
        return leaky_relu(x, (lower + upper) / 2.0)
    slopes = uniform(lower, upper, x.shape, x.dtype, x.device.base())
    return where(x >= 0, x, x * slopes)


# Burn's and ONNX's spellings.
hard_shrink = hardshrink
soft_shrink = softshrink

SAMPLES = {
    "swiglu": (Sample(((3, 4), -3.0, 3.0)), Sample(((4, 3), -3.0, 3.0), axis=0)),
    "thresholded_relu": (Sample(_X), Sample(_X, alpha=0.5)),
    "shrink": (Sample(_X), Sample(_X, lambd=1.0, bias=0.5)),
    "rrelu": (Sample(_X), Sample(_X, lower=0.1, upper=0.2)),
}

__all__ = [
    "hard_shrink", "quiet_softmax", "rrelu", "shrink", "soft_shrink", "swiglu",
    "thresholded_relu",
]  # fmt: skip
NOT_METHODS = __all__
