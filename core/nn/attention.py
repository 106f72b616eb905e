"""`MultiheadAttention`: PyTorch's, by the fused attention op where it can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ShapeError
from ..ops.matmul import matmul
from ..ops.movement import concat, narrow
from .attention_parts import attend, merged, oriented, triangle, wider
from .init import symmetric
from .linear import Linear
from .module import Module
from .parameter import Parameter
from .sizes import positive

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor
    from .attention_parts import KVCache


class MultiheadAttention(Module):
    """Let each query mix the values of keys that fit it, in several heads.

    Shapes: query [L, N, E], key [S, N, kdim], value [S, N, vdim] ([N, L, E] and so on
    with batch_first; without N too) -> ([L, N, E], weights [N, L, S] or None).
    key_padding_mask [N, S], attn_mask [L, S] or [N * heads, L, S]: True or -inf keeps
    away. is_causal: queries see no later key (with a cache: none after their place).
    A query that sees nothing gets zeros. add_zero_attn (or quiet_softmax, its other
    name) lets a query choose to see nothing. Weights are PyTorch's: in_proj_weight,
    in_proj_bias, out_proj. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> mha = nn.MultiheadAttention(8, 2, batch_first=True)
        >>> x = fogo.ones(3, 5, 8)
        >>> out, weights = mha(x, x, x)
        >>> out.shape, weights.shape
        ((3, 5, 8), (3, 5, 5))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
        *,
        quiet_softmax: bool = False,
    ) -> None:
        positive("MultiheadAttention", embed_dim=embed_dim, num_heads=num_heads)
        if embed_dim % num_heads:
            raise ShapeError(
                "MultiheadAttention: embed_dim divides by num_heads; given %d and %d"
                % (embed_dim, num_heads)
            )
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn or quiet_softmax
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._make(bias, add_bias_kv, device, dtype)

    def _make(self, bias, add_bias_kv, device, dtype):
        e = self.embed_dim

        def drawn(rows, columns):  # Xavier's uniform
            bound = (6.0 / (rows + columns)) ** 0.5
            return Parameter(symmetric((rows, columns), bound, dtype, device))

        self.in_proj_weight = self.in_proj_bias = self.bias_k = self.bias_v = None
        if self.kdim == self.vdim == e:
            self.in_proj_weight = drawn(3 * e, e)
        else:
            self.q_proj_weight = drawn(e, e)
            self.k_proj_weight = drawn(e, self.kdim)
            self.v_proj_weight = drawn(e, self.vdim)
        if bias:
            zeros = symmetric((3 * e,), 0.0, dtype, device)
            self.in_proj_bias = Parameter(zeros)
        self.out_proj = Linear(e, e, bias, device=device, dtype=dtype)
        if bias:
            self.out_proj.bias.assign(self.out_proj.bias.detach() * 0.0)
        if add_bias_kv:
            bound = (6.0 / (1 + e)) ** 0.5
            shape = (1, 1, e)
            self.bias_k = Parameter(symmetric(shape, bound, dtype, device))
            self.bias_v = Parameter(symmetric(shape, bound, dtype, device))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Module.__call__(self, *args, **kwargs)

    def _projected(self, q, k, v):
        """Queries, keys and values of all heads: as few products as can be."""
        e, bias = self.embed_dim, self.in_proj_bias
        if self.in_proj_weight is None:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
            made = [matmul(x, w.transpose()) for x, w in zip((q, k, v), weights)]
            if bias is None:
                return made
            return [y + narrow(bias, 0, i * e, e) for i, y in enumerate(made)]
        found = []
        for x, first, count in _runs(q, k, v):
            weight = narrow(self.in_proj_weight, 0, first * e, count * e)
            y = matmul(x, weight.transpose())
            if bias is not None:
                y = y + narrow(bias, 0, first * e, count * e)
            found += [narrow(y, -1, i * e, e) for i in range(count)]
        return found

    def _heads(self, x):
        """[N, T, E] -> [N, K, T, D]."""
        shape = x.shape[:2] + (self.num_heads, self.head_dim)
        return x.reshape(shape).swapaxes(1, 2)

    def _extended(self, k, v, masks):
        """Keys that are always there: the learnt ones, and one of zeros."""
        n = k.shape[0]
        if self.bias_k is not None:
            more = [self._heads(b.expand((n, 1, self.embed_dim)))
                    for b in (self.bias_k, self.bias_v)]  # fmt: skip
            k, v = concat([k, more[0]], 2), concat([v, more[1]], 2)
            masks = [wider(m) for m in masks]
        if self.add_zero_attn:
            none = k.device.constant(0.0, k.dtype).expand(k.shape[:2] + (1,)
                                                          + k.shape[3:])  # fmt: skip
            k, v = concat([k, none], 2), concat([v, none], 2)
            masks = [wider(m) for m in masks]
        return k, v, masks

    def _masks(self, key_padding_mask, attn_mask, shape):
        n, queries, keys = shape
        if key_padding_mask is not None:
            if key_padding_mask.shape != (n, keys):
                raise ShapeError(
                    "MultiheadAttention: key_padding_mask is [N, S] = %s; given %s"
                    % ([n, keys], list(key_padding_mask.shape))
                )
            key_padding_mask = key_padding_mask.reshape((n, 1, 1, keys))
        if attn_mask is not None and attn_mask.ndim == 3:
            if attn_mask.shape[0] != n * self.num_heads:
                raise ShapeError(
                    "MultiheadAttention: attn_mask is [L, S] or [N * heads, L, S] = %s"
                    "; given %s" % ([n * self.num_heads, queries, keys],
                                    list(attn_mask.shape))
                )  # fmt: skip
            attn_mask = attn_mask.reshape((n, self.num_heads) + attn_mask.shape[1:])
        return [key_padding_mask, attn_mask]

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
        *,
        cache: KVCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Return (output, weights or None); a cache gets the new keys and values."""
        batched = query.ndim == 3
        parts = oriented([query, key, value], batched, self.batch_first)
        if key_padding_mask is not None and not batched:
            key_padding_mask = key_padding_mask.unsqueeze(0)
        q, k, v = [self._heads(x) for x in self._projected(*parts)]
        if cache is not None:
            k, v = cache.append(k, v)
        masks = (key_padding_mask, attn_mask)
        out, weights = self._answers(q, k, v, masks, is_causal, need_weights)
        out = oriented([out], batched, self.batch_first, back=True)[0]
        if weights is None:
            return out, None
        if average_attn_weights:
            weights = weights.mean(1)
        return out, weights if batched else weights.squeeze(0)

    def of_cache(
        self, query: Tensor, cache: KVCache, key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """Return what the queries get of the keys and values of a cache as they are."""
        x = oriented([query], True, self.batch_first)[0]
        if self.in_proj_weight is None:
            q = matmul(x, self.q_proj_weight.transpose())
        else:
            weight = narrow(self.in_proj_weight, 0, 0, self.embed_dim)
            q = matmul(x, weight.transpose())
        if self.in_proj_bias is not None:
            q = q + narrow(self.in_proj_bias, 0, 0, self.embed_dim)
        masks = (key_padding_mask, None)
        known = cache.keys, cache.values
        out, _ = self._answers(self._heads(q), *known, masks, False, False)
        return oriented([out], True, self.batch_first, back=True)[0]

    def _answers(self, q, k, v, masks, is_causal, need_weights):
        """(output [N, L, E], weights [N, K, L, S] or None) of projected heads."""
        shape = (q.shape[0], q.shape[2], k.shape[2])
        masks = self._masks(*masks, shape)
        simple = shape[1] == shape[2] and masks[0] is None
        if is_causal and (not simple or self._grows()):
            masks[1] = triangle(q, k.shape[2])
            simple = False
        k, v, masks = self._extended(k, v, masks)
        causal = is_causal and simple
        mask = None if causal else merged(masks)
        drop = self.dropout if self.training else 0.0
        out, weights = attend(q, k, v, mask, causal, drop, need_weights)
        out = out.swapaxes(1, 2).reshape((shape[0], shape[1], self.embed_dim))
        return self.out_proj(out), weights if need_weights else None

    def _grows(self):
        return self.bias_k is not None or self.add_zero_attn

    def extra_repr(self) -> str:
        text = "%d, num_heads=%d" % (self.embed_dim, self.num_heads)
        if self.dropout:
            text += ", dropout=%g" % self.dropout
        return text + (", batch_first=True" if self.batch_first else "")


def _runs(q, k, v):
    """(tensor, first place, how many places) of equal neighbours among q, k, v."""
    if q is k and k is v:
        return [(q, 0, 3)]
    if k is v:
        return [(q, 0, 1), (k, 1, 2)]
    return [(q, 0, 1), (k, 1, 1), (v, 2, 1)]
