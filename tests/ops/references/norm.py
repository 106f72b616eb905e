"""References of fogo.ops.norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from fogo.ops.define import Sample
from tests.ops.references.random import uniform
from tests.ops.rows import ref

WHY = "differences from a mean of many terms, divided by their spread"
SEED = 20240607


def standardize(x: Any, axis: Any = None, eps: float = 1e-5) -> Any:
    """For NumPy and PyTorch: (x - mean) / sqrt(var + eps), mean, variance."""
    axes = tuple(range(x.ndim)) if axis is None else axis
    keep = {"keepdim" if isinstance(x, torch.Tensor) else "keepdims": True}
    mean = x.mean(axes, **keep)
    var = ((x - mean) ** 2).mean(axes, **keep)
    return (x - mean) / (var + eps) ** 0.5, mean, var


def affine(y: Any, weight: Any, bias: Any) -> Any:
    around = (1, -1, *[1] * (y.ndim - 2))
    y = y if weight is None else y * weight.reshape(around)
    return y if bias is None else y + bias.reshape(around)


def batch_norm(
    x: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None,
    bias: Any = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """The new running statistics carry no gradient: they are detached in PyTorch."""
    around = (1, -1, *[1] * (x.ndim - 2))
    if not training:
        mean, var = running_mean.reshape(around), running_var.reshape(around)
        y = affine((x - mean) / (var + eps) ** 0.5, weight, bias)
        return y, running_mean, running_var
    y, mean, var = standardize(x, tuple(a for a in range(x.ndim) if a != 1), eps)
    count = x.shape[0] * int(np.prod(x.shape[2:]))
    new = []
    for old, found, factor in (
        (running_mean, mean, 1.0), (running_var, var, count / (count - 1))
    ):  # fmt: skip
        if isinstance(old, torch.Tensor):
            old, found = old.detach(), found.detach()
        new.append(old * (1 - momentum) + found.reshape(-1) * (momentum * factor))
    return affine(y, weight, bias), new[0], new[1]


def instance_norm(x: Any, eps: float = 1e-5) -> Any:
    return standardize(x, tuple(range(2, x.ndim)), eps)[0]


def group_norm(
    x: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    cut = x.reshape(x.shape[0], num_groups, -1)
    return affine(standardize(cut, 2, eps)[0].reshape(x.shape), weight, bias)


def last(x: Any, shape: Any) -> tuple[int, ...]:
    n = 1 if isinstance(shape, int) else len(shape)
    return tuple(range(x.ndim - n, x.ndim))


def layer_norm(
    x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    y = standardize(x, last(x, shape), eps)[0]
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def rms_norm(x: Any, shape: Any, weight: Any = None, eps: float = 1e-6) -> Any:
    keep = {"keepdim" if isinstance(x, torch.Tensor) else "keepdims": True}
    mean = (x * x).mean(last(x, shape), **keep)
    y = x / (mean + eps) ** 0.5
    return y if weight is None else y * weight


def dropout(x: Any, p: float = 0.5, training: bool = True) -> Any:
    """By the device's first draw after the seed."""
    if not training or p == 0:
        return x * 1
    keep = uniform(x.shape) < 1 - p
    if isinstance(x, torch.Tensor):
        keep = torch.tensor(keep)
        return torch.where(keep, x / (1 - p if p < 1 else 1), torch.zeros(()).double())
    return np.where(keep, x / (1 - p if p < 1 else 1), 0.0)


def torch_layer_norm(x: Any, shape: Any, *rest: Any, **options: Any) -> Any:
    shape = (shape,) if isinstance(shape, int) else shape
    return F.layer_norm(x, shape, *rest, **options)


X = ((3, 4, 5), -3.0, 3.0)
C = ((4,), 0.5, 1.5)
L = ((5,), 0.5, 1.5)
COMMON: Any = {"accepts": "float", "factor": 16.0, "why": WHY}

ref("standardize", numpy=standardize, torch=standardize, factor=16.0, why=WHY)
ref("batch_norm", numpy=batch_norm, torch=batch_norm, **COMMON)
ref("instance_norm", numpy=instance_norm, torch=F.instance_norm, **COMMON)
ref(
    "group_norm",
    numpy=group_norm,
    torch=lambda x, num_groups, *rest, **o: F.group_norm(x, num_groups, *rest, **o),
    args=("num_groups",),
    at=1,
    samples=(
        Sample(X, num_groups=2),
        Sample(X, C, C, num_groups=4),
        Sample(((2, 4, 3, 3), -3.0, 3.0), num_groups=4, eps=0.1),
    ),
    **COMMON,
)
ref(
    "layer_norm",
    numpy=layer_norm,
    torch=torch_layer_norm,
    args=("normalized_shape",),
    at=1,
    samples=(
        Sample(X, normalized_shape=5),
        Sample(X, L, L, normalized_shape=5),
        Sample(X, normalized_shape=(4, 5), eps=0.1),
    ),
    **COMMON,
)
ref(
    "rms_norm",
    numpy=rms_norm,
    torch=rms_norm,
    args=("normalized_shape",),
    at=1,
    samples=(
        Sample(X, normalized_shape=5),
        Sample(X, L, normalized_shape=5),
        Sample(X, normalized_shape=(4, 5), eps=0.1),
    ),
    **COMMON,
)
ref(
    "dropout",
    numpy=dropout,
    torch=dropout,
    accepts="float",
    seed=SEED,
    samples=(
        Sample(X),
        Sample(X, p=0.25),
        Sample(X, p=1.0),
        Sample(X, p=0.0),
        Sample(X, training=False),
    ),
)
