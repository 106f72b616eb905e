"""Bags of rows of an embedding table: sums, means or maxima without the rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import ShapeError
from ..ops.creation import arange, zeros
from ..ops.elementwise import where
from ..ops.index import take
from ..ops.movement import narrow
from .embedding import place_of
from .init import symmetric
from .module import Module
from .parameter import Parameter
from .sizes import positive

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor


class EmbeddingBag(Module):
    """Look up rows of a table and join those of a bag: by "sum", "mean" or "max".

    Shapes: input [B, L]: a bag a row; or [n] with offsets [B], where bags begin ->
    [B, E]. per_sample_weights (of input's shape; for "sum" only) scale the rows. What
    equals padding_idx does not count; an empty bag gives zeros. include_last_offset:
    the last offset is the end, not a bag. The maximum of bags of one row of indices
    holds [B, n, E] numbers for a moment. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> bag = nn.EmbeddingBag(10, 3, mode="sum")
        >>> bag(fogo.tensor([1, 2, 4, 5]), fogo.tensor([0, 3])).shape
        (2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        mode: str = "mean",
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        positive(
            "EmbeddingBag", num_embeddings=num_embeddings, embedding_dim=embedding_dim
        )
        if mode not in ("sum", "mean", "max"):
            raise ShapeError(
                'EmbeddingBag: mode is "sum", "mean" or "max"; given %r' % (mode,)
            )
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.mode = mode
        self.include_last_offset = include_last_offset
        self.padding_idx = place_of("EmbeddingBag", padding_idx, num_embeddings)
        shape = (num_embeddings, embedding_dim)
        weight = symmetric(shape, math.sqrt(3.0), dtype, device)
        if self.padding_idx is not None:
            weight[self.padding_idx] = 0.0
        self.weight = Parameter(weight)

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        self._check(input, offsets, per_sample_weights)
        rows = take(self.weight, input, 0)
        counts = self._counts(input)
        if per_sample_weights is not None:
            rows = rows * per_sample_weights.unsqueeze(-1)
        if offsets is None:
            return self._join(rows, counts, 1)
        if self.include_last_offset:
            offsets = narrow(offsets, 0, 0, offsets.shape[0] - 1)
        places = arange(input.shape[0], device=input.device.base())
        begun = (places.unsqueeze(1) >= offsets.astype(places.dtype)).astype("int32")
        bags = begun.sum(1) - 1
        if self.mode == "max":
            numbers = arange(offsets.shape[0], device=bags.device.base())
            inside = numbers.unsqueeze(1) == bags.astype(numbers.dtype)
            return self._join(rows.unsqueeze(0), inside & counts, 1)
        share = counts.astype(rows.dtype).unsqueeze(-1)
        none = zeros(offsets.shape[0], self.embedding_dim, dtype=rows.dtype,
                     device=rows.device)  # fmt: skip
        total = none.index_add(0, bags, rows * share)
        if self.mode == "sum":
            return total
        number = narrow(none, 1, 0, 1).index_add(0, bags, share)
        return total / where(number < 1.0, 1.0, number)

    def _counts(self, input: Any) -> Any:
        """Which indices count."""
        if self.padding_idx is None:
            return input == input
        return input != self.padding_idx

    def _join(self, rows, counts, axis):
        counts = counts.unsqueeze(-1)
        some = counts.any(axis)
        if self.mode == "max":
            least = where(counts, rows, -float("inf"))
            return where(some, least.max(axis), 0.0)
        total = where(counts, rows, 0.0).sum(axis)
        if self.mode == "sum":
            return total
        number = counts.astype(rows.dtype).sum(axis)
        return total / where(some, number, 1.0)

    def _check(self, input, offsets, weights):
        wanted = 2 if offsets is None else 1
        if input.ndim != wanted:
            raise ShapeError(
                "EmbeddingBag: input is [B, L], or [n] with offsets [B]; given %s and "
                "%s" % (list(input.shape), offsets and list(offsets.shape))
            )
        if weights is not None and (
            self.mode != "sum" or weights.shape != input.shape
        ):  # fmt: skip
            raise ShapeError(
                'EmbeddingBag: per_sample_weights need mode "sum" and the shape of '
                "input; given %r, %s for %s"
                % (self.mode, list(weights.shape), list(input.shape))
            )

    def extra_repr(self) -> str:
        return "%d, %d, mode=%r" % (
            self.num_embeddings, self.embedding_dim, self.mode,
        )  # fmt: skip
