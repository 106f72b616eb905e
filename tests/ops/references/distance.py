"""References of fogo.ops.distance: the definitions in NumPy, PyTorch's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.rows import ref

WHY = "quotients and roots of sums"


def cosine(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    a, b = np.broadcast_arrays(x1, x2)
    sizes = [np.maximum(np.sqrt((v * v).sum(dim)), eps) for v in (a, b)]
    return (a * b).sum(dim) / (sizes[0] * sizes[1])


def pairwise(
    x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    away = np.abs(x1 - x2 + eps)
    if p == np.inf:
        return away.max(-1, keepdims=keepdim)
    return (away**p).sum(-1, keepdims=keepdim) ** (1 / p)


def normalize(x: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Any:
    return x / np.maximum(np.linalg.norm(x, p, dim, keepdims=True), eps)


def response(
    x: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    out = np.empty_like(x)
    for c in range(x.shape[1]):
        first = c - size // 2
        around = x[:, max(first, 0) : first + size]
        mean = (around * around).sum(1) / size
        out[:, c] = x[:, c] / (k + alpha * mean) ** beta
    return out


def torch_pairwise(x1: Any, x2: Any, **options: Any) -> Any:
    x1, x2 = torch.broadcast_tensors(x1, x2)
    return F.pairwise_distance(x1, x2, **options)


ref("cosine_similarity", numpy=cosine, torch=F.cosine_similarity, accepts="float",
    factor=8.0, why=WHY)  # fmt: skip
ref("pairwise_distance", numpy=pairwise, torch=torch_pairwise, accepts="float",
    factor=8.0, why=WHY)  # fmt: skip
ref("local_response_norm", numpy=response, torch=F.local_response_norm,
    accepts="float", factor=8.0, why=WHY)  # fmt: skip
ref("normalize", numpy=normalize, torch=F.normalize, accepts="float", factor=8.0,
    why=WHY)  # fmt: skip
