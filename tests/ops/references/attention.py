"""References of fogo.ops.attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from tests.ops.rows import ref


def attention(
    q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False, softcap: float | None = None,
) -> Any:  # fmt: skip
    """By the definition; rows without a pair give zeros."""
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    if enable_gqa:
        k, v = [np.repeat(t, q.shape[-3] // t.shape[-3], -3) for t in (k, v)]
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * scale
    if softcap is not None:
        scores = softcap * np.tanh(scores / softcap)
    if is_causal:
        mask = np.tril(np.ones(scores.shape[-2:], bool))
    if mask is not None and mask.dtype == bool:
        scores = np.where(mask, scores, -np.inf)
    elif mask is not None:
        scores = scores + mask
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(top == -np.inf, 0, top))
    total = weights.sum(-1, keepdims=True)
    return np.matmul(weights / np.where(total == 0, 1, total), v)


def capped(
    q: Any, k: Any, v: Any, mask: Any, causal: bool, scale: float, cap: float
) -> Any:
    """PyTorch has no cap of the scores."""
    scores = cap * torch.tanh(q @ k.mT * scale / cap)
    if causal:
        seen = torch.ones(scores.shape[-2:]).tril().bool()
        scores = scores.masked_fill(~seen, -torch.inf)
    if mask is not None:
        scores = scores + mask
    return scores.softmax(-1) @ v


def torch_attention(
    q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False, softcap: float | None = None,
) -> Any:  # fmt: skip
    """PyTorch's own, by the path that can be differentiated twice."""
    if softcap is not None:
        return capped(q, k, v, mask, is_causal, scale or q.shape[-1] ** -0.5, softcap)
    if mask is not None and not mask.is_floating_point():
        mask = mask.bool()
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=is_causal, scale=scale,
            enable_gqa=enable_gqa,
        )  # fmt: skip


ref(
    "scaled_dot_product_attention",
    numpy=attention,
    torch=torch_attention,
    accepts="float",
    factor=8.0,
    why="sums of products of sums of products",
)
