"""References of fogo.ops.loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.references.activation import log_softmax, softplus
from tests.ops.rows import ref

WHY = "a sum of many terms"


def reduced(loss: Any, reduction: str) -> Any:
    if reduction == "none":
        return loss
    if reduction == "batchmean":
        return loss.sum() / loss.shape[0]
    return loss.mean() if reduction == "mean" else loss.sum()


def mse_loss(x: Any, t: Any, reduction: str = "mean") -> Any:
    return reduced((x - t) ** 2, reduction)


def l1_loss(x: Any, t: Any, reduction: str = "mean") -> Any:
    return reduced(np.abs(x - t), reduction)


def smooth_l1_loss(x: Any, t: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    d = np.abs(x - t)
    return reduced(np.where(d < beta, d * d / (2 * beta), d - beta / 2), reduction)


def huber_loss(x: Any, t: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    d = np.abs(x - t)
    near = d * d / 2
    return reduced(np.where(d <= delta, near, delta * (d - delta / 2)), reduction)


def bce(x: Any, t: Any, weight: Any = 1.0, reduction: str = "mean") -> Any:
    low = np.maximum(np.log(x), -100)
    high = np.maximum(np.log1p(-x), -100)
    return reduced(-weight * (t * low + (1 - t) * high), reduction)


def bce_with_logits(
    x: Any, t: Any, weight: Any = 1.0, reduction: str = "mean", pos_weight: Any = 1.0
) -> Any:
    loss = pos_weight * t * softplus(-x, threshold=np.inf)
    loss = loss + (1 - t) * softplus(x, threshold=np.inf)
    return reduced(weight * loss, reduction)


def torch_bce(x: Any, t: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """By its formula: PyTorch's own has no gradient by the target."""
    low = torch.clamp(torch.log(x), min=-100)
    high = torch.clamp(torch.log1p(-x), min=-100)
    loss = -(t * low + (1 - t) * high)
    return reduced(loss if weight is None else weight * loss, reduction)


def torch_bce_with_logits(
    x: Any, t: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = 1.0
) -> Any:
    """By its formula: PyTorch's own has no gradient by pos_weight."""
    loss = pos_weight * t * F.softplus(-x) + (1 - t) * F.softplus(x)
    return reduced(loss if weight is None else weight * loss, reduction)


def kl_div(x: Any, t: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    loss = np.exp(t) * (t - x) if log_target else t * (np.log(t) - x)
    return reduced(loss, reduction)


def torch_kl_div(
    x: Any, t: Any, reduction: str = "mean", log_target: bool = False
) -> Any:
    loss = torch.exp(t) * (t - x) if log_target else t * (torch.log(t) - x)
    return reduced(loss, reduction)


def nll(logs: Any, target: Any, weight: Any, ignore: int, smoothing: float) -> Any:
    """(losses, weights) of every place, for NumPy and PyTorch alike; classes last."""
    classes = logs.shape[-1]
    loss, shares = [], []
    for place in np.ndindex(tuple(target.shape)):
        t = int(target[place])
        if t != ignore:
            row = logs[place]
            even = (weight * row).sum() * (smoothing / classes)
            loss.append(-weight[t] * row[t] * (1 - smoothing) - even)
            shares.append(weight[t])
        else:
            loss.append(logs[place][0] * 0)
            shares.append(weight[0] * 0)
    return loss, shares


def nll_loss(
    x: Any, target: Any, weight: Any = None, ignore_index: int = -100,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """By the formula: PyTorch's own has no gradient by the weight."""
    axis = 0 if x.ndim == 1 else 1
    is_torch = isinstance(x, torch.Tensor)
    logs = torch.movedim(x, axis, -1) if is_torch else np.moveaxis(x, axis, -1)
    if weight is None:
        weight = torch.ones(logs.shape[-1]).double() if is_torch else np.ones(
            logs.shape[-1]
        )  # fmt: skip
    loss, shares = nll(logs, target, weight, ignore_index, label_smoothing)
    stack = torch.stack if is_torch else np.array
    loss, shares = stack(loss).reshape(target.shape), stack(shares)
    return loss.sum() / shares.sum() if reduction == "mean" else reduced(
        loss, reduction
    )  # fmt: skip


def cross_entropy(x: Any, target: Any, weight: Any = None, **options: Any) -> Any:
    axis = 0 if x.ndim == 1 else 1
    is_torch = isinstance(x, torch.Tensor)
    logs = torch.log_softmax(x, axis) if is_torch else log_softmax(x, axis)
    floats = target.is_floating_point() if is_torch else target.dtype.kind == "f"
    if not floats:
        return nll_loss(logs, target, weight, **options)
    smoothing = options.get("label_smoothing", 0.0)
    target = target * (1 - smoothing) + smoothing / x.shape[axis]
    if weight is not None:
        target = target * weight
    return reduced(-(logs * target).sum(axis), options.get("reduction", "mean"))


for name, numpy in (
    ("mse_loss", mse_loss), ("l1_loss", l1_loss), ("smooth_l1_loss", smooth_l1_loss),
    ("huber_loss", huber_loss),
):  # fmt: skip
    ref(
        name,
        numpy=numpy,
        torch=getattr(F, name),
        accepts="float",
        factor=4.0,
        why=WHY,
    )
ref(
    "binary_cross_entropy",
    numpy=bce,
    torch=torch_bce,
    accepts="float",
    factor=8.0,
    why=WHY,
)
ref(
    "binary_cross_entropy_with_logits",
    numpy=bce_with_logits,
    torch=torch_bce_with_logits,
    accepts="float",
    factor=4.0,
    why=WHY,
)
ref(
    "kl_div",
    numpy=kl_div,
    torch=torch_kl_div,
    accepts="float",
    factor=4.0,
    why=WHY,
)
for name, both in (("nll_loss", nll_loss), ("cross_entropy", cross_entropy)):
    ref(
        name,
        numpy=both,
        torch=both,
        accepts="float",
        factor=4.0,
        why=WHY,
    )
