"""Random tensors like another, and draws from given probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import DTypeError, ShapeError
from .arrays import repeat
from .define import Sample
from .scan import cumsum

if TYPE_CHECKING:
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def rand_like(x: Tensor, dtype: DType | None = None) -> Tensor:
    """Return uniform numbers in [0, 1) of x's shape, dtype and device.

    Example:
        >>> import fogo
        >>> fogo.rand_like(fogo.zeros((2, 3))).shape
        (2, 3)
    """
    from ..random import rand

    return rand(x.shape, dtype=dtype or x.dtype, device=x.device)


def randn_like(x: Tensor, dtype: DType | None = None) -> Tensor:
    """Return standard normal numbers of x's shape, dtype and device.

    Example:
        >>> import fogo
        >>> fogo.randn_like(fogo.zeros((2, 3))).shape
        (2, 3)
    """
    from ..random import randn

    return randn(x.shape, dtype=dtype or x.dtype, device=x.device)


def randint_like(
    x: Tensor, low: int, high: int | None = None, dtype: DType | None = None
) -> Tensor:
    """Return integers in [low, high) (or [0, low)) of x's shape, dtype and device.

    Example:
        >>> import fogo
        >>> fogo.randint_like(fogo.zeros((2, 3)), 0, 10).shape
        (2, 3)
    """
    from ..random import randint

    if high is None:
        low, high = 0, low
    return randint(low, high, x.shape, dtype or x.dtype, x.device)


def multinomial(x: Tensor, num_samples: int, replacement: bool = False) -> Tensor:
    """Return places drawn with the probabilities (or weights) of the last axis.

    Shapes: [..., K] -> [..., num_samples]. Dtype: the default integer. Without
    replacement no place comes twice (those of weight 0 last, if there are too few
    others): the largest of weight / exponential number, after Efraimidis and Spirakis.
    Raises: ShapeError for no places, or more samples than places; DTypeError.

    Example:
        >>> import fogo
        >>> weights = fogo.tensor([0.0, 1.0, 0.0])
        >>> fogo.multinomial(weights, 2, replacement=True).tolist()
        [1, 1]
    """
    from ..random import rand

    if not x.dtype.is_float:
        raise DTypeError(
            "multinomial: weights are floats; given %s; cast them with .astype(...)"
            % x.dtype.name
        )
    k = x.shape[-1] if x.ndim else 0
    if k == 0 or not 0 < num_samples or (num_samples > k and not replacement):
        raise ShapeError(
            "multinomial: at least one sample, and no more than places without "
            "replacement; given num_samples=%d for %s" % (num_samples, list(x.shape))
        )
    x = x.detach()
    if not replacement:
        noise = rand(x.shape, device=x.device).clip(1e-38, 1.0).log().neg()
        return (x / noise.maximum(1e-38)).topk(num_samples, -1)[1]
    total = cumsum(x, -1)
    lead = x.shape[:-1]
    drawn = rand(lead + (num_samples,), device=x.device).astype(x.dtype)
    drawn = drawn * total.narrow(-1, k - 1, 1)
    below = total.unsqueeze(-2) <= drawn.unsqueeze(-1)
    place = below.astype(x.device.default_int).sum(-1)
    # Rounding may reach the total: the last place that has a weight.
    last = (x > 0).astype(place.dtype).flip(-1).argmax(-1, True)
    return place.minimum(last * -1 + (k - 1))


repeat_interleave = repeat

_M = ((3, 4), -3.0, 3.0)
_SURE = ((3, 1), 0.5, 1.0)  # one place: what is drawn is known
SAMPLES = {
    "rand_like": (Sample(_M),),
    "randn_like": (Sample(_M),),
    "randint_like": (Sample(_M, low=2, high=9), Sample(_M, low=5)),
    "multinomial": (
        Sample(_SURE, num_samples=1),
        Sample(_SURE, num_samples=3, replacement=True),
    ),
}

__all__ = [
    "multinomial", "rand_like", "randint_like", "randn_like", "repeat_interleave",
]  # fmt: skip
NOT_METHODS = ()
