"""Distances between vectors, and the normalisation by neighbouring channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import normalize_axis
from .define import Sample
from .elementwise import abs as _abs
from .elementwise import maximum
from .unfold import sliding_windows

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def cosine_similarity(x1: T, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> T:
    """Return the cosine of the angle between vectors along an axis; both broadcast.

    `sum(x1 * x2) / (max(|x1|, eps) * max(|x2|, eps))`. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, 0.0]])
        >>> fogo.cosine_similarity(x, fogo.tensor([[0.0, 2.0]])).tolist()
        [0.0]
    """
    product = x1 * x2
    axis = normalize_axis("cosine_similarity", dim, product.ndim)
    lengths = [
        maximum(x.square().expand(product.shape).sum(axis), eps * eps)
        for x in (x1, x2)
    ]  # fmt: skip
    return product.sum(axis) * (lengths[0].rsqrt() * lengths[1].rsqrt())


def pairwise_distance(
    x1: T, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> T:
    """Return the p-norm of `x1 - x2 + eps` along the last axis; both broadcast.

    p: a positive number, or float("inf") for the largest. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[3.0, 4.0]])
        >>> fogo.pairwise_distance(x, fogo.zeros(1, 2), eps=0.0).tolist()
        [5.0]
    """
    if not p > 0:
        raise ShapeError("pairwise_distance: p is above 0; given %s" % p)
    away = x1 - x2 + eps
    if p == float("inf"):
        return _abs(away).max(-1, keepdim)
    if p == 2:
        return away.square().sum(-1, keepdim).sqrt()
    if p == 1:
        return _abs(away).sum(-1, keepdim)
    return (_abs(away) ** float(p)).sum(-1, keepdim) ** (1.0 / p)


def normalize(x: T, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> T:
    """Return vectors along an axis divided by their p-norm, which is at least eps.

    p: a positive number, or float("inf"). Raises: ShapeError.

    Example:
        >>> import fogo
        >>> y = fogo.normalize(fogo.tensor([3.0, 4.0]), dim=0)
        >>> [round(v, 3) for v in y.tolist()]
        [0.6, 0.8]
    """
    if not p > 0:
        raise ShapeError("normalize: p is above 0; given %s" % p)
    axis = normalize_axis("normalize", dim, x.ndim)
    if p == float("inf"):
        length = _abs(x).max(axis, True)
    elif p == 1:
        length = _abs(x).sum(axis, True)
    elif p == 2:
        length = maximum(x.square().sum(axis, True), eps * eps).sqrt()
    else:
        length = (_abs(x) ** float(p)).sum(axis, True) ** (1.0 / p)
    return x / maximum(length, eps)


def local_response_norm(
    x: T, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> T:
    """Return `x / (k + alpha * mean of x * x over size channels around) ** beta`.

    Channels beyond the ends count as zeros. Shapes: x [N, C, ...] -> x's. Raises:
    ShapeError. Krizhevsky et al. 2012, with PyTorch's mean.

    Example:
        >>> import fogo
        >>> x = fogo.ones(1, 1, 2)
        >>> fogo.local_response_norm(x, 1, alpha=1.0, beta=1.0).tolist()
        [[[0.5, 0.5]]]
    """
    if x.ndim < 3 or size < 1:
        raise ShapeError(
            "local_response_norm: x is [N, C, ...S] and size positive; given x=%s, "
            "size=%d" % (list(x.shape), size)
        )
    widths = [(0, 0)] * x.ndim
    widths[1] = (size // 2, (size - 1) // 2)
    around = sliding_windows(x.square().pad(widths), 1, size).mean(-1)
    return x / (around * alpha + k) ** beta


_A, _B = ((3, 4), -2.0, 2.0), ((3, 4), -2.0, 2.0)

SAMPLES = {
    "cosine_similarity": (
        Sample(_A, _B),
        Sample(((2, 3, 4), -2.0, 2.0), ((3, 1), -2.0, 2.0), dim=-1),
    ),
    "pairwise_distance": (
        Sample(_A, _B),
        Sample(_A, ((4,), -2.0, 2.0), p=1.0, keepdim=True),
        Sample(_A, _B, p=3.0),
    ),
    "normalize": (
        Sample(_A),
        Sample(_A, p=1.0, dim=0),
        Sample(_A, p=3.0),
    ),
    "local_response_norm": (
        Sample(((2, 5, 3), -2.0, 2.0), size=3, alpha=0.5),
        Sample(((1, 4, 2, 2), -2.0, 2.0), size=2, alpha=0.3, beta=0.5, k=2.0),
    ),
}

__all__ = ["cosine_similarity", "local_response_norm", "normalize", "pairwise_distance"]
NOT_METHODS = __all__
