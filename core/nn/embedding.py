"""Embedding tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import ShapeError
from ..ops.creation import zeros
from ..ops.elementwise import where
from ..ops.index import embedding
from .init import symmetric
from .module import Module
from .parameter import Parameter
from .sizes import positive

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor


def place_of(layer: str, padding_idx: int | None, rows: int) -> int | None:
    """The row that stands for padding, counted from 0; raises ShapeError for none."""
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise ShapeError(
            "%s: padding_idx must be one of the %d rows; given %d"
            % (layer, rows, padding_idx)
        )
    return padding_idx % rows


class Embedding(Module):
    """Look up rows of a table: integers [...], weight [V, E] -> [..., E].

    The table starts uniform with variance 1 (PyTorch draws normals of variance 1;
    uniforms start from equal bits on every device). The row `padding_idx` starts as
    zeros and has no gradient. max_norm: rows that are looked up are first shortened to
    this norm_type-norm, in the table itself.

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
        max_norm: float | None = None,
        norm_type: float = 2.0,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        positive(
            "Embedding", num_embeddings=num_embeddings, embedding_dim=embedding_dim
        )
        padding_idx = place_of("Embedding", padding_idx, num_embeddings)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        shape = (num_embeddings, embedding_dim)
        weight = symmetric(shape, math.sqrt(3.0), dtype, device)
        if padding_idx is not None:
            weight[padding_idx] = 0.0
        self.weight = Parameter(weight)

    @staticmethod
    def from_pretrained(
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
    ) -> Embedding:
        """Return a layer with a given table [V, E], frozen unless told otherwise."""
        rows, features = embeddings.shape
        made = Embedding(rows, features, padding_idx, max_norm, norm_type)
        made.weight = Parameter(embeddings.detach(), not freeze)
        return made

    def forward(self, index: Tensor) -> Tensor:
        if self.max_norm is not None:
            self._shorten(index)
        return embedding(index, self.weight, self.padding_idx)

    def _shorten(self, index: Any) -> None:
        """PyTorch's embedding_renorm_: only rows that are looked up change."""
        table: Any = self.weight.detach()
        p = float(self.norm_type)
        length = (table.abs() ** p).sum(1, True) ** (1.0 / p)
        none = zeros(self.num_embeddings, 1, dtype=table.dtype, device=table.device)
        flat = index.reshape((-1,))
        seen = none.index_add(0, flat, none[0:1].expand((flat.shape[0], 1)) + 1.0)
        long = (length > self.max_norm) & (seen > 0.0)
        scale = where(long, self.max_norm / (length + 1e-7), 1.0)
        self.weight.assign(table * scale)

    def extra_repr(self) -> str:
        text = "%d, %d" % (self.num_embeddings, self.embedding_dim)
        if self.padding_idx is not None:
            text += ", padding_idx=%d" % self.padding_idx
        return text
