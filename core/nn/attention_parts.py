"""What attention layers share: masks, caches, and the attention itself.

Where nobody asks for the weights, `fogo.scaled_dot_product_attention` does it all:
unless some are dropped, the scores of all pairs are never held.
Masks have PyTorch's meaning: True, or -inf, keeps a query from seeing a key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dtypes import bool_
from ..ops.activation import softmax
from ..ops.attention import scaled_dot_product_attention
from ..ops.creation import arange
from ..ops.elementwise import where
from ..ops.matmul import matmul
from ..ops.movement import concat
from ..ops.norm import dropout
from ..tensor import tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..device import Device
    from ..tensor import Tensor

LOWEST = -float("inf")


def generate_autoregressive_mask(
    seq_length: int,
    batch_size: int | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return which keys each query must not see: those after it.

    Shapes: bools [L, L], or [N, L, L] for a batch.

    Example:
        >>> from fogo import nn
        >>> nn.generate_autoregressive_mask(2).tolist()
        [[False, True], [False, False]]
    """
    rows = arange(seq_length, device=device)
    mask = rows.unsqueeze(1) < rows
    if batch_size is None:
        return mask
    return mask.unsqueeze(0).expand((batch_size, seq_length, seq_length))


def generate_padding_mask(
    pad_token: int,
    tokens_list: Sequence[Sequence[int]],
    max_length: int | None = None,
    length: int | None = None,
    device: Device | str | None = None,
) -> tuple[Tensor, Tensor]:
    """Return lists of tokens as one tensor, and which of its places are padding.

    max_length cuts longer lists; length also pads all to it. Shapes: [N, L] both.

    Example:
        >>> from fogo import nn
        >>> tokens, mask = nn.generate_padding_mask(0, [[5, 6], [7]])
        >>> tokens.tolist(), mask.tolist()
        ([[5, 6], [7, 0]], [[False, False], [False, True]])
    """
    longest = max([len(row) for row in tokens_list]) if length is None else length
    if max_length is not None:
        longest = min(longest, max_length)
    rows, marks = [], []
    for given in tokens_list:
        row = list(given)[:longest]
        missing = longest - len(row)
        marks.append([token == pad_token for token in row] + [True] * missing)
        rows.append(row + [pad_token] * missing)
    return tensor(rows, device=device), tensor(marks, device=device)


class KVCache:
    """Keys and values of what has been seen, [N, K, T, D]: it grows by `append`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> cache = nn.KVCache()
        >>> k, v = cache.append(fogo.ones(1, 2, 3, 4), fogo.ones(1, 2, 3, 4))
        >>> k, v = cache.append(fogo.ones(1, 2, 1, 4), fogo.ones(1, 2, 1, 4))
        >>> k.shape, len(cache)
        ((1, 2, 4, 4), 4)
    """

    def __init__(self) -> None:
        self.keys: Any = None
        self.values: Any = None

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Add keys and values at the end; return all."""
        if self.keys is not None:
            keys = concat([self.keys, keys], -2)
            values = concat([self.values, values], -2)
        self.keys, self.values = keys, values
        return keys, values

    def reset(self) -> None:
        """Forget everything."""
        self.keys = self.values = None

    def __len__(self) -> int:
        return 0 if self.keys is None else int(self.keys.shape[-2])


def attend(
    q: Tensor, k: Tensor, v: Tensor, mask: Any, causal: bool, drop: float, weigh: bool
) -> tuple[Tensor, Any]:
    """Return (mix of the values, weights or None); mask: True is seen, or numbers."""
    if not (weigh or drop):
        return scaled_dot_product_attention(q, k, v, mask, is_causal=causal), None
    scores = matmul(q, k.transpose()) * (q.shape[-1] ** -0.5)
    if causal:
        mask = ~triangle(q, k.shape[-2])
    blind = None
    if mask is not None:
        if mask.dtype is bool_:
            scores = where(mask, scores, LOWEST)
        else:
            scores = scores + mask
        blind = (scores == LOWEST).all(-1, True)
        scores = where(blind, 0.0, scores)
    weights = softmax(scores, -1)
    if blind is not None:  # nothing to see: zeros, as the fused op has it
        weights = where(blind, 0.0, weights)
    weights = dropout(weights, drop, True) if drop else weights
    return matmul(weights, v), weights


def triangle(x: Tensor, keys: int) -> Tensor:
    """True where a key comes after its query; the last query sees every key."""
    base, queries = x.device.base(), x.shape[-2]
    rows = arange(queries, device=base).unsqueeze(1) + (keys - queries)
    return rows < arange(keys, device=base)


def merged(blocked: list[Any]) -> Any:
    """One mask for `attend` of several with PyTorch's meaning, or None."""
    given = [m for m in blocked if m is not None]
    if not given:
        return None
    if not [m for m in given if m.dtype is not bool_]:
        total = given[0]
        for mask in given[1:]:
            total = total | mask
        return ~total
    total = None
    for mask in given:
        if mask.dtype is bool_:
            mask = where(mask, LOWEST, 0.0)
        total = mask if total is None else total + mask
    return total


def oriented(tensors, batched, batch_first, back=False):
    """Each with the batch in front (or back as it was); one tensor stays one."""
    made = []
    for i, x in enumerate(tensors):
        known = [j for j in range(i) if tensors[j] is x]
        if known:
            made.append(made[known[0]])
        elif not batched:
            made.append(x.squeeze(0) if back else x.unsqueeze(0))
        else:
            made.append(x if batch_first else x.swapaxes(0, 1))
    return made


def wider(mask):
    """A mask with one more key, which everybody sees."""
    if mask is None:
        return None
    free = mask.device.constant(0, mask.dtype) if mask.dtype is not bool_ else (
        mask.device.constant(False, mask.dtype)
    )  # fmt: skip
    return concat([mask, free.expand(mask.shape[:-1] + (1,))], -1)
