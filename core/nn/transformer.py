"""Transformers (Vaswani et al. 2017): PyTorch's stacks, and inference token by token.

`forward_autoregressive_inference(x, cache)` takes the new tokens only: what was given
before is in the cache. The results are those of one causal pass over all tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ShapeError
from ..ops.activation import relu
from .container import ModuleList
from .module import Module
from .norm import LayerNorm
from .transformer_layers import (
    LayerCache,
    TransformerDecoderLayer,
    TransformerEncoderLayer,
)

if TYPE_CHECKING:
    from ..tensor import Tensor


class TransformerCache:
    """The caches of a stack's layers: made by `new_cache()`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> encoder = nn.TransformerEncoder(layer, 2).eval()
        >>> cache = encoder.new_cache()
        >>> for _ in range(3):
        ...     y = encoder.forward_autoregressive_inference(fogo.ones(1, 1, 8), cache)
        >>> y.shape, len(cache)
        ((1, 1, 8), 3)
    """

    def __init__(self, layers: int) -> None:
        self.layers = [LayerCache() for _ in range(layers)]

    def reset(self) -> None:
        """Forget all tokens and the memory."""
        for layer in self.layers:
            layer.own.reset()
            layer.memory.reset()

    def __len__(self) -> int:
        """The number of tokens seen."""
        return len(self.layers[0].own) if self.layers else 0


class _Stack(Module):
    layers: ModuleList

    def _build(self, layer, num_layers, norm):
        self.layers = ModuleList([layer.fork() for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def new_cache(self) -> TransformerCache:
        """Return an empty cache for `forward_autoregressive_inference`."""
        return TransformerCache(self.num_layers)

    def _through(self, x, step, cache):
        for i, layer in enumerate(self.layers):
            x = step(layer, x, None if cache is None else cache.layers[i])
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """A stack of copies of an encoder layer, and a last norm if given.

    Shapes: as the layer. is_causal: no token sees a later one.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> layer = nn.TransformerEncoderLayer(8, 2, 16)
        >>> nn.TransformerEncoder(layer, 2)(fogo.ones(5, 3, 8), is_causal=True).shape
        (5, 3, 8)
    """

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
    ) -> None:
        self._build(encoder_layer, num_layers, norm)

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        causal = bool(is_causal)
        return self._through(
            src, lambda f, x, _: f(x, mask, src_key_padding_mask, causal), None
        )

    def forward_autoregressive_inference(
        self, src: Tensor, cache: TransformerCache
    ) -> Tensor:
        """Return the outputs of new tokens, which see all before them.

        Shapes: src [new, N, E] ([N, new, E] with batch_first) -> the same.
        """
        return self._through(src, lambda f, x, c: f(x, is_causal=True, cache=c), cache)


class TransformerDecoder(_Stack):
    """A stack of copies of a decoder layer, and a last norm if given.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2)
        >>> decoder(fogo.ones(5, 3, 8), fogo.ones(4, 3, 8)).shape
        (5, 3, 8)
    """

    def __init__(
        self,
        decoder_layer: TransformerDecoderLayer,
        num_layers: int,
        norm: Module | None = None,
    ) -> None:
        self._build(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        causal = bool(tgt_is_causal), memory_is_causal
        return self._through(
            tgt, lambda f, x, _: f(x, memory, *masks, *causal), None
        )  # fmt: skip

    def forward_autoregressive_inference(
        self,
        tgt: Tensor,
        memory: Tensor,
        cache: TransformerCache,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        """Return the outputs of new tokens; the memory is looked at the first time.

        Shapes: tgt [new, N, E] -> the same.
        """

        def step(layer, x, known):
            return layer(
                x, memory, memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=True, cache=known,
            )  # fmt: skip

        return self._through(tgt, step, cache)


class Transformer(Module):
    """An encoder and a decoder that looks at what it gives.

    Shapes: src [S, N, E], tgt [T, N, E] (with batch_first [N, …, E]) -> [T, N, E].
    Raises: ShapeError.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> model = nn.Transformer(8, 2, 1, 1, 16)
        >>> model(fogo.ones(5, 3, 8), fogo.ones(4, 3, 8), tgt_is_causal=True).shape
        (4, 3, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        from .init import xavier_uniform_

        self.d_model = d_model
        self.batch_first = batch_first
        where = dict(device=device, dtype=dtype)
        shared = (d_model, nhead, dim_feedforward, dropout, activation,
                  layer_norm_eps, batch_first, norm_first, bias)  # fmt: skip

        def norm():
            return LayerNorm(d_model, layer_norm_eps, bias=bias, **where)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*shared, **where), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*shared, **where), num_decoder_layers, norm()
        )
        for p in self.parameters():
            if p.ndim > 1:
                xavier_uniform_(p)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ShapeError(
                "Transformer: src and tgt end in d_model=%d; given %s and %s"
                % (self.d_model, list(src.shape), list(tgt.shape))
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
            memory_key_padding_mask, tgt_is_causal, memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None) -> Tensor:
        """Return [sz, sz] numbers: -inf where a key comes after its query, else 0.

        Example:
            >>> from fogo import nn
            >>> nn.Transformer.generate_square_subsequent_mask(2).tolist()
            [[0.0, -inf], [0.0, 0.0]]
        """
        from ..ops.elementwise import where
        from .attention_parts import LOWEST, generate_autoregressive_mask

        return where(generate_autoregressive_mask(sz, device=device), LOWEST, 0.0)
