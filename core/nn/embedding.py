"""Embedding tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..errors import ShapeError
from ..ops.index import embedding
from .init import symmetric
from .module import Module
from .parameter import Parameter
from .sizes import positive

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor


class Embedding(Module):
    """Look up rows of a table: integers [...], weight [V, E] -> [..., E].

    The table starts uniform with variance 1 (PyTorch draws normals of variance 1;
    uniforms start from equal bits on every device). The row `padding_idx` starts as
    zeros and has no gradient.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Embedding(10, 4)(fogo.tensor([[1, 2, 9]])).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        positive(
            "Embedding", num_embeddings=num_embeddings, embedding_dim=embedding_dim
        )
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ShapeError(
                    "Embedding: padding_idx must be one of the %d rows; given %d"
                    % (num_embeddings, padding_idx)
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        shape = (num_embeddings, embedding_dim)
        weight = symmetric(shape, math.sqrt(3.0), dtype, device)
        if padding_idx is not None:
            weight[padding_idx] = 0.0
        self.weight = Parameter(weight)

    def forward(self, index: Tensor) -> Tensor:
        return embedding(index, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        text = "%d, %d" % (self.num_embeddings, self.embedding_dim)
        if self.padding_idx is not None:
            text += ", padding_idx=%d" % self.padding_idx
        return text
