"""Distances as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..ops import distance as F
from .module import Module

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along an axis of x1 and x2.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([[1.0, 0.0]]), fogo.tensor([[2.0, 0.0]])
        >>> nn.CosineSimilarity()(x, y).tolist()
        [1.0]
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        self.dim = dim
        self.eps = eps

    def forward(self, x1: T, x2: Tensor) -> T:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)

    def extra_repr(self) -> str:
        return "dim=%d, eps=%g" % (self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of `x1 - x2 + eps` along the last axis.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x = fogo.tensor([[3.0, 4.0]])
        >>> nn.PairwiseDistance(eps=0.0)(x, fogo.zeros(1, 2)).tolist()
        [5.0]
    """

    def __init__(
        self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
    ) -> None:
        self.p = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: T, x2: Tensor) -> T:
        return F.pairwise_distance(x1, x2, self.p, self.eps, self.keepdim)

    def extra_repr(self) -> str:
        return "p=%g, eps=%g" % (self.p, self.eps)
