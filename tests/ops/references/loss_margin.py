"""References of fogo.ops.loss_margin: loops and formulas, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.references.activation import softplus
from tests.ops.references.loss import reduced
from tests.ops.rows import ref

WHY = "a sum of many terms"


def hinge(x: Any, t: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    t = np.asarray(t)
    low = np.where(t != 1, np.maximum(margin - x, 0), 0)
    return reduced(np.where(t != -1, x, 0) + low, reduction)


def ranking(
    a: Any, b: Any, t: Any, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    return reduced(np.maximum(-t * (a - b) + margin, 0), reduction)


def soft(x: Any, t: Any, reduction: str = "mean") -> Any:
    return reduced(softplus(-t * x, threshold=np.inf), reduction)


def multilabel_soft(x: Any, t: Any, weight: Any = 1.0, reduction: str = "mean") -> Any:
    loss = t * softplus(-x, threshold=np.inf) + (1 - t) * softplus(x, threshold=np.inf)
    return reduced((loss * weight).mean(-1), reduction)


def torch_multilabel_soft(
    x: Any, t: Any, weight: Any = None, reduction: str = "mean"
) -> Any:
    """By its formula: PyTorch's own has no gradient by the weight."""
    loss = t * F.softplus(-x) + (1 - t) * F.softplus(x)
    loss = loss if weight is None else loss * weight
    return reduced(loss.mean(-1), reduction)


def multi(
    x: Any, t: Any, p: int = 1, margin: float = 1.0, reduction: str = "mean"
) -> Any:
    rows, places = np.atleast_2d(x), np.atleast_1d(t)
    out = []
    for row, place in zip(rows, places, strict=True):
        others = np.delete(row, place)
        gaps = np.maximum(margin - row[place] + others, 0)
        out.append((gaps**p).sum() / row.size)
    loss = np.array(out)
    return reduced(loss if x.ndim == 2 else loss[0], reduction)


def torch_multi(
    x: Any, t: Any, p: int = 1, margin: float = 1.0, reduction: str = "mean"
) -> Any:
    """By its formula: PyTorch's own has no second derivative."""
    places = t.long().unsqueeze(-1)
    gaps = torch.relu(margin - x.gather(-1, places) + x) ** p
    others = torch.ones_like(x).scatter(-1, places, 0.0)
    return reduced((gaps * others).mean(-1), reduction)


def multilabel(x: Any, t: Any, reduction: str = "mean") -> Any:
    rows, lists = np.atleast_2d(x), np.atleast_2d(t)
    out = []
    for row, listed in zip(rows, lists, strict=True):
        wanted: list[int] = []
        for place in listed:
            if place < 0:
                break
            wanted.append(int(place))
        others = [i for i in range(row.size) if i not in wanted]
        gaps = [max(0.0, 1 - (row[j] - row[i])) for j in wanted for i in others]
        out.append(sum(gaps) / row.size)
    loss = np.array(out)
    return reduced(loss if x.ndim == 2 else loss[0], reduction)


def torch_multilabel(x: Any, t: Any, reduction: str = "mean") -> Any:
    """By its formula, pair by pair: PyTorch's own has no second derivative."""
    rows, lists = torch.atleast_2d(x), torch.atleast_2d(t)
    out = []
    for row, listed in zip(rows, lists, strict=True):
        known = listed.tolist()
        wanted = known[: known.index(-1)] if -1 in known else known
        others = [i for i in range(len(row)) if i not in wanted]
        gaps = [torch.relu(1 - (row[j] - row[i])) for j in wanted for i in others]
        out.append(sum(gaps, row.sum() * 0) / len(row))
    loss = torch.stack(out)
    return reduced(loss if x.ndim == 2 else loss[0], reduction)


def cosine(a: Any, b: Any, t: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    cos = (a * b).sum(-1) / lengths
    far = np.where(t == -1, np.maximum(cos - margin, 0), 0)
    return reduced(np.where(t == 1, 1 - cos, 0) + far, reduction)


def triplet(
    a: Any, b: Any, c: Any, margin: float = 1.0, p: float = 2.0,
    eps: float = 1e-6, swap: bool = False, reduction: str = "mean",
) -> Any:  # fmt: skip
    def distance(u: Any, v: Any) -> Any:
        return (np.abs(u - v + eps) ** p).sum(-1) ** (1 / p)

    far = distance(a, c)
    if swap:
        far = np.minimum(far, distance(b, c))
    return reduced(np.maximum(distance(a, b) - far + margin, 0), reduction)


ROWS: tuple[tuple[str, Any, Any], ...] = (
    ("hinge_embedding_loss", hinge, F.hinge_embedding_loss),
    ("margin_ranking_loss", ranking, F.margin_ranking_loss),
    ("soft_margin_loss", soft, lambda x, t, reduction="mean": reduced(
        F.softplus(-t * x), reduction)),
    ("multilabel_soft_margin_loss", multilabel_soft, torch_multilabel_soft),
    ("multi_margin_loss", multi, torch_multi),
    ("multilabel_margin_loss", multilabel, torch_multilabel),
    ("cosine_embedding_loss", cosine, F.cosine_embedding_loss),
    ("triplet_margin_loss", triplet, F.triplet_margin_loss),
    ("triplet_margin_with_distance_loss", triplet,
     F.triplet_margin_with_distance_loss),
)  # fmt: skip
for name, numpy, theirs in ROWS:
    ref(
        name,
        numpy=numpy,
        torch=theirs,
        accepts="float",
        out="same",
        factor=16.0,
        why=WHY,
        dtypes=("float32", "float64") if "triplet" in name else None,
    )
