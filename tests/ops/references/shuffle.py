"""References of fogo.ops.shuffle: PyTorch's own; element by element in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.rows import ref


def pixel_shuffle(x: Any, upscale_factor: int) -> Any:
    r = upscale_factor
    *lead, c, h, w = x.shape
    out = np.empty((*lead, c // (r * r), h * r, w * r), x.dtype)
    for i in range(r):
        for j in range(r):
            out[..., i::r, j::r] = x[..., i * r + j :: r * r, :, :]
    return out


def pixel_unshuffle(x: Any, downscale_factor: int) -> Any:
    r = downscale_factor
    *lead, c, h, w = x.shape
    out = np.empty((*lead, c * r * r, h // r, w // r), x.dtype)
    for i in range(r):
        for j in range(r):
            out[..., i * r + j :: r * r, :, :] = x[..., i::r, j::r]
    return out


def channel_shuffle(x: Any, groups: int) -> Any:
    each = x.shape[1] // groups
    order = [g * each + i for i in range(each) for g in range(groups)]
    return x[:, order]


def torch_shuffle(x: Any, groups: int) -> Any:
    """By an index: PyTorch's channel_shuffle has no gradient on a CPU."""
    each = x.shape[1] // groups
    order = [g * each + i for i in range(each) for g in range(groups)]
    return x[:, torch.tensor(order)]


ref("pixel_shuffle", numpy=pixel_shuffle, torch=F.pixel_shuffle)
ref("pixel_unshuffle", numpy=pixel_unshuffle, torch=F.pixel_unshuffle)
ref("channel_shuffle", numpy=channel_shuffle, torch=torch_shuffle)
