"""`CrossAttention`: to a context, with shared heads of keys and values if wished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ShapeError
from ..ops.movement import concat
from .attention_parts import attend, merged, wider
from .linear import Linear
from .module import Module
from .sizes import positive

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor
    from .attention_parts import KVCache


class CrossAttention(Module):
    """Attention to a context, with fewer heads of keys than of queries if wished.

    Shapes: query [N, L, d_model], context [N, S, d_context] -> [N, L, d_model].
    n_heads_kv heads of keys and values serve n_heads of queries (Ainslie et al. 2023),
    each of d_head features. context_mask [N, S] and attn_mask [L, S]: True keeps away.
    quiet_softmax lets a query see nothing. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> layer = nn.CrossAttention(8, 6, n_heads=4, n_heads_kv=2)
        >>> layer(fogo.ones(1, 3, 8), fogo.ones(1, 5, 6)).shape
        (1, 3, 8)
    """

    def __init__(
        self,
        d_model: int,
        d_context: int,
        n_heads: int,
        n_heads_kv: int | None = None,
        d_head: int | None = None,
        dropout: float = 0.1,
        *,
        query_bias: bool = True,
        key_bias: bool = True,
        value_bias: bool = True,
        output_bias: bool = True,
        quiet_softmax: bool = False,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        kv = n_heads if n_heads_kv is None else n_heads_kv
        positive("CrossAttention", d_model=d_model, n_heads=n_heads, n_heads_kv=kv)
        if n_heads % kv or (d_head is None and d_model % n_heads):
            raise ShapeError(
                "CrossAttention: n_heads divides by n_heads_kv, and d_model by n_heads "
                "unless d_head is given; given %d, %d, %d" % (n_heads, kv, d_model)
            )
        size = d_model // n_heads if d_head is None else d_head
        self.n_heads, self.n_heads_kv, self.d_head = n_heads, kv, size
        self.dropout = dropout
        self.quiet_softmax = quiet_softmax

        def made(inputs, outputs, bias):
            return Linear(inputs, outputs, bias, device=device, dtype=dtype)

        self.query = made(d_model, n_heads * size, query_bias)
        self.key = made(d_context, kv * size, key_bias)
        self.value = made(d_context, kv * size, value_bias)
        self.output = made(n_heads * size, d_model, output_bias)

    def _keys(self, context, cache):
        """[N, kv, 1, S, D] of both; a cache computes them once for a context."""
        if cache is not None and cache.keys is not None:
            return cache.keys, cache.values
        made = []
        for part in (self.key, self.value):
            x = part(context)
            x = x.reshape(x.shape[:2] + (self.n_heads_kv, self.d_head))
            made.append(x.swapaxes(1, 2).unsqueeze(2))
        return made if cache is None else cache.append(*made)

    def forward(
        self,
        query: Tensor,
        context: Tensor,
        context_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        *,
        cache: KVCache | None = None,
    ) -> Tensor:
        n, length = query.shape[:2]
        k, v = self._keys(context, cache)
        groups = self.n_heads // self.n_heads_kv
        q = self.query(query).reshape((n, length, self.n_heads_kv, groups, self.d_head))
        q = q.permute((0, 2, 3, 1, 4))
        if context_mask is not None:
            context_mask = context_mask.reshape((n, 1, 1, 1, k.shape[-2]))
        masks = [context_mask, attn_mask]
        if self.quiet_softmax:
            none = k.device.constant(0.0, k.dtype)
            none = none.expand(k.shape[:3] + (1, self.d_head))
            k, v = concat([k, none], 3), concat([v, none], 3)
            masks = [wider(m) for m in masks]
        drop = self.dropout if self.training else 0.0
        out, _ = attend(q, k, v, merged(masks), False, drop, False)
        out = out.permute((0, 3, 1, 2, 4)).reshape((n, length, -1))
        return self.output(out)

    def extra_repr(self) -> str:
        return "n_heads=%d, n_heads_kv=%d, d_head=%d" % (
            self.n_heads, self.n_heads_kv, self.d_head,
        )  # fmt: skip
