"""Layers of transformers (Vaswani et al. 2017), as PyTorch has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.activation import gelu, relu
from .attention import MultiheadAttention
from .attention_parts import KVCache
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .norm import LayerNorm
from .rnn_steps import activation as named

if TYPE_CHECKING:
    from ..tensor import Tensor


class LayerCache:
    """What one layer has seen: of its own tokens, and of the memory it looks at."""

    def __init__(self) -> None:
        self.own = KVCache()
        self.memory = KVCache()


class _Layer(Module):
    """The parts that encoder and decoder layers share."""

    self_attn: MultiheadAttention

    def _feed_forward(self, d_model, dim_feedforward, dropout, bias, where):
        self.linear1 = Linear(d_model, dim_feedforward, bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **where)

    def _norms(self, count, d_model, eps, bias, dropout, where):
        for i in range(1, count + 1):
            setattr(self, "norm%d" % i, LayerNorm(d_model, eps, bias=bias, **where))
        for i in range(1, count + 1):
            setattr(self, "dropout%d" % i, Dropout(dropout))

    def _settings(self, activation, norm_first):
        self.norm_first = norm_first
        if activation == "relu":
            activation = relu
        elif activation == "gelu":
            activation = gelu
        self.activation = named(activation, type(self).__name__)

    def _around(self, x, i, part):
        """x + part(x), with norm i before or behind."""
        norm, drop = getattr(self, "norm%d" % i), getattr(self, "dropout%d" % i)
        if self.norm_first:
            return x + drop(part(norm(x)))
        return norm(x + drop(part(x)))

    def _feed(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _look(self, attention, x, memory, mask, padding, causal, cache=None):
        memory = x if memory is None else memory
        return attention(
            x, memory, memory, key_padding_mask=padding, need_weights=False,
            attn_mask=mask, is_causal=causal, cache=cache,
        )[0]  # fmt: skip


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network, each with a sum and a norm.

    Shapes: src [T, N, E] ([N, T, E] with batch_first; or without N) -> the same.
    src_mask [T, T], src_key_padding_mask [N, T]: True or -inf keeps away. activation:
    "relu", "gelu", another function or its name.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.TransformerEncoderLayer(8, 2, 16)(fogo.ones(5, 3, 8)).shape
        (5, 3, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        quiet_softmax: bool = False,
    ) -> None:
        where = dict(device=device, dtype=dtype)
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first,
            quiet_softmax=quiet_softmax, device=device, dtype=dtype,
        )  # fmt: skip
        self._feed_forward(d_model, dim_feedforward, dropout, bias, where)
        self._norms(2, d_model, layer_norm_eps, bias, dropout, where)
        self._settings(activation, norm_first)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
        *,
        cache: LayerCache | None = None,
    ) -> Tensor:
        own = None if cache is None else cache.own

        def look(x):
            return self._look(
                self.self_attn, x, None, src_mask, src_key_padding_mask, is_causal, own
            )

        return self._around(self._around(src, 1, look), 2, self._feed)


class TransformerDecoderLayer(_Layer):
    """As an encoder layer, with attention to a memory in between.

    Shapes: tgt [T, N, E], memory [S, N, E] -> [T, N, E].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> layer = nn.TransformerDecoderLayer(8, 2, 16)
        >>> layer(fogo.ones(5, 3, 8), fogo.ones(4, 3, 8), tgt_is_causal=True).shape
        (5, 3, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        quiet_softmax: bool = False,
    ) -> None:
        where = dict(device=device, dtype=dtype)

        def attention():
            return MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first,
                quiet_softmax=quiet_softmax, **where,
            )  # fmt: skip

        self.self_attn = attention()
        self.multihead_attn = attention()
        self._feed_forward(d_model, dim_feedforward, dropout, bias, where)
        self._norms(3, d_model, layer_norm_eps, bias, dropout, where)
        self._settings(activation, norm_first)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
        *,
        cache: LayerCache | None = None,
    ) -> Tensor:
        own = None if cache is None else cache.own

        def look_back(x):
            return self._look(
                self.self_attn, x, None, tgt_mask, tgt_key_padding_mask, tgt_is_causal,
                own,
            )  # fmt: skip

        def look_over(x):
            known = None if cache is None else cache.memory
            if known is not None and len(known):
                return self.multihead_attn.of_cache(x, known, memory_key_padding_mask)
            return self._look(
                self.multihead_attn, x, memory, memory_mask, memory_key_padding_mask,
                memory_is_causal, known,
            )  # fmt: skip

        x = self._around(tgt, 1, look_back)
        return self._around(self._around(x, 2, look_over), 3, self._feed)
