"""References of fogo.ops.loss_density, by their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.references.activation import log_softmax, softplus
from tests.ops.references.loss import reduced
from tests.ops.rows import ref

WHY = "a sum of many terms"


def library(x: Any) -> Any:
    """NumPy or PyTorch: most formulas read the same in both."""
    return torch if isinstance(x, torch.Tensor) else np


def lp(x: Any, t: Any, p: float = 2.0, reduction: str = "mean") -> Any:
    return reduced(library(x).abs(x - t) ** p, reduction)


def poisson(
    x: Any, t: Any, log_input: bool = True, full: bool = False,
    eps: float = 1e-8, reduction: str = "mean",
) -> Any:  # fmt: skip
    lib = library(x)
    loss = lib.exp(x) - t * x if log_input else x - t * lib.log(x + eps)
    if full:
        stirling = t * lib.log(t) - t + 0.5 * lib.log(2 * np.pi * t)
        loss = loss + lib.where(t > 1, stirling, 0 * t)
    return reduced(loss, reduction)


def gaussian(
    x: Any, t: Any, var: Any, full: bool = False, reduction: str = "mean"
) -> Any:
    if var.shape == x.shape[:-1]:
        var = var[..., None]
    loss = 0.5 * (np.log(var) + (x - t) ** 2 / var)
    return reduced(loss + (0.5 * np.log(2 * np.pi) if full else 0), reduction)


def sigmoid_focal(
    x: Any, t: Any, alpha: float = 0.25, gamma: float = 2.0, reduction: str = "none"
) -> Any:
    """torchvision's formula."""
    if isinstance(x, torch.Tensor):
        p, plus, minus = torch.sigmoid(x), F.softplus(x), F.softplus(-x)
    else:
        p = 1 / (1 + np.exp(-x))
        plus, minus = softplus(x, threshold=np.inf), softplus(-x, threshold=np.inf)
    hit = p * t + (1 - p) * (1 - t)
    loss = (t * minus + (1 - t) * plus) * (1 - hit) ** gamma
    if alpha >= 0:
        loss = loss * (alpha * t + (1 - alpha) * (1 - t))
    return reduced(loss, reduction)


def focal(
    x: Any, t: Any, weight: Any = None, gamma: float = 2.0,
    ignore_index: int = -100, reduction: str = "mean",
) -> Any:  # fmt: skip
    is_torch = isinstance(x, torch.Tensor)
    logs = torch.log_softmax(x, 1) if is_torch else log_softmax(x, 1)
    losses, shares = [], []
    for row, place in zip(logs, t, strict=True):
        share = 1.0 if weight is None else weight[int(place)]
        share = share * (0.0 if int(place) == ignore_index else 1.0)
        entropy = -row[int(place)]
        hit = library(x).exp(-entropy)
        losses.append(share * entropy * (1 - hit) ** gamma)
        shares.append(share)
    loss = torch.stack(losses) if is_torch else np.array(losses)
    return loss.sum() / sum(shares) if reduction == "mean" else reduced(loss, reduction)


def dice(x: Any, t: Any, smooth: float = 1.0, reduction: str = "mean") -> Any:
    both = 2 * (x * t).sum(-1) + smooth
    return reduced(1 - both / (x.sum(-1) + t.sum(-1) + smooth), reduction)


def unit(x: Any) -> Any:
    return x / (x**2).sum(-1)[..., None] ** 0.5


def info_nce(
    q: Any, k: Any, negatives: Any = None, temperature: float = 0.1,
    reduction: str = "mean",
) -> Any:  # fmt: skip
    """One row at a time: its positive first, then what it must be told from."""
    q, k = unit(q), unit(k)
    losses = []
    for i in range(len(q)):
        if negatives is None:
            others = [k[j] for j in range(len(k)) if j != i]
        else:
            table = negatives if negatives.ndim == 2 else negatives[i]
            others = list(unit(table))
        rows = [(q[i] * row).sum() / temperature for row in [k[i], *others]]
        if isinstance(q, torch.Tensor):
            losses.append(-torch.log_softmax(torch.stack(rows), 0)[0])
        else:
            losses.append(-log_softmax(np.array(rows), 0)[0])
    is_torch = isinstance(q, torch.Tensor)
    return reduced(torch.stack(losses) if is_torch else np.array(losses), reduction)


def gram(x: Any) -> Any:
    flat = x.reshape(x.shape[0], x.shape[1], -1)
    return library(x).einsum("ncx,ndx->ncd", flat, flat) / (
        flat.shape[1] * flat.shape[2]
    )


def gram_loss(x: Any, t: Any, reduction: str = "mean") -> Any:
    return reduced((gram(x) - gram(t)) ** 2, reduction)


ROWS: tuple[tuple[str, Any, Any], ...] = (
    ("lp_loss", lp, lp),
    ("poisson_nll_loss", poisson, poisson),
    ("gaussian_nll_loss", gaussian, F.gaussian_nll_loss),
    ("sigmoid_focal_loss", sigmoid_focal, sigmoid_focal),
    ("focal_loss", focal, focal),
    ("dice_loss", dice, dice),
    ("info_nce_loss", info_nce, info_nce),
    ("gram_matrix", gram, gram),
    ("gram_matrix_loss", gram_loss, gram_loss),
)
for name, numpy, theirs in ROWS:
    ref(
        name, numpy=numpy, torch=theirs, accepts="float", factor=24.0, why=WHY,
        dtypes=("float32", "float64") if "nce" in name or "gram" in name else None,
    )  # fmt: skip
