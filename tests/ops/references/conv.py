"""References of fogo.ops.conv: loops over the taps in NumPy, torch.nn.functional."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.rows import ref

WHY = "a sum of products"


def each(value: Any, rank: int) -> tuple[Any, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def pairs(padding: Any, kernel: Any, dilation: Any) -> list[tuple[int, int]]:
    """(before, after) for each axis."""
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    if padding == "same":
        room = [d * (k - 1) for k, d in zip(kernel, dilation)]
        return [(r // 2, r - r // 2) for r in room]
    return [(p, p) for p in each(padding, len(kernel))]


def windows(sizes: Any, outs: Any, stride: Any, dilation: Any, kernel: Any) -> Any:
    """For each tap: its place, and the slices of the padded input it meets."""
    for tap in itertools.product(*[range(k) for k in kernel]):
        cut = [
            slice(t * d, t * d + s * (o - 1) + 1, s)
            for t, d, s, o in zip(tap, dilation, stride, outs)
        ]
        yield tap, (slice(None), slice(None), *cut)


def settings(rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    stride, dilation = each(stride, rank), each(dilation, rank)
    return stride, pairs(padding, kernel, dilation), dilation


def padded(x: Any, widths: Any) -> Any:
    return np.pad(x, [(0, 0), (0, 0), *widths])


def outputs(sizes: Any, kernel: Any, stride: Any, widths: Any, dilation: Any) -> Any:
    return [
        (n + a + b - d * (k - 1) - 1) // s + 1
        for n, k, s, (a, b), d in zip(sizes, kernel, stride, widths, dilation)
    ]


def with_bias(out: Any, bias: Any) -> Any:
    return out if bias is None else out + bias.reshape(-1, *[1] * (out.ndim - 2))


def conv(
    x: Any, w: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    rank, kernel = w.ndim - 2, w.shape[2:]
    if x.ndim == rank + 1:
        return conv(x[None], w, bias, stride, padding, dilation, groups)[0]
    stride, widths, dilation = settings(rank, kernel, stride, padding, dilation)
    outs = outputs(x.shape[2:], kernel, stride, widths, dilation)
    out = np.zeros((x.shape[0], w.shape[0], *outs), x.dtype)
    wide = padded(x, widths)
    c, o = w.shape[1], w.shape[0] // groups
    for tap, cut in windows(x.shape[2:], outs, stride, dilation, kernel):
        seen = wide[cut]
        for g in range(groups):
            part = w[g * o : (g + 1) * o, :][(..., *tap)]
            mixed = np.einsum("nc...,oc->no...", seen[:, g * c : (g + 1) * c], part)
            out[:, g * o : (g + 1) * o] += mixed
    return with_bias(out, bias)


def conv_input_grad(
    g: Any, w: Any, size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    rank, kernel = w.ndim - 2, w.shape[2:]
    stride, widths, dilation = settings(rank, kernel, stride, padding, dilation)
    room = [
        max(n + a + b, s * (o - 1) + d * (k - 1) + 1)
        for n, (a, b), s, o, d, k in zip(
            size, widths, stride, g.shape[2:], dilation, kernel
        )
    ]
    c, o = w.shape[1], w.shape[0] // groups
    wide = np.zeros((g.shape[0], c * groups, *room), g.dtype)
    for tap, cut in windows(size, g.shape[2:], stride, dilation, kernel):
        for i in range(groups):
            part = w[i * o : (i + 1) * o, :][(..., *tap)]
            mixed = np.einsum("no...,oc->nc...", g[:, i * o : (i + 1) * o], part)
            wide[(cut[0], slice(i * c, (i + 1) * c), *cut[2:])] += mixed
    inside = [slice(a, a + n) for n, (a, _) in zip(size, widths)]
    return wide[(slice(None), slice(None), *inside)]


def conv_weight_grad(
    x: Any, g: Any, size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    rank = len(size)
    stride, widths, dilation = settings(rank, size, stride, padding, dilation)
    wide = padded(x, widths)
    c, o = x.shape[1] // groups, g.shape[1] // groups
    out = np.zeros((g.shape[1], c, *size), x.dtype)
    for tap, cut in windows(x.shape[2:], g.shape[2:], stride, dilation, size):
        seen = wide[cut].reshape(x.shape[0], x.shape[1], -1)
        flat = g.reshape(g.shape[0], g.shape[1], -1)
        for i in range(groups):
            a, b = slice(i * o, (i + 1) * o), slice(i * c, (i + 1) * c)
            out[(a, slice(None), *tap)] = np.einsum(
                "nol,ncl->oc", flat[:, a], seen[:, b]
            )
    return out


def conv_transpose(
    x: Any, w: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    rank = w.ndim - 2
    if x.ndim == rank + 1:
        return conv_transpose(
            x[None], w, bias, stride, padding, output_padding, groups, dilation
        )[0]
    strides, widths, dilations = settings(rank, w.shape[2:], stride, padding, dilation)
    size = [
        (n - 1) * s - a - b + d * (k - 1) + 1 + extra
        for n, s, (a, b), d, k, extra in zip(
            x.shape[2:], strides, widths, dilations, w.shape[2:],
            each(output_padding, rank),
        )
    ]  # fmt: skip
    return with_bias(
        conv_input_grad(x, w, size, stride, padding, dilation, groups), bias
    )


def torch_conv(x: Any, w: Any, *rest: Any, **options: Any) -> Any:
    """Of any rank; PyTorch fails on a bias without channels: one of zeros serves."""
    function = (F.conv1d, F.conv2d, F.conv3d)[w.ndim - 3]
    if w.shape[1] == 0:
        x = torch.zeros(x.shape[0], 1, *x.shape[2:], dtype=x.dtype)
        w = torch.zeros(w.shape[0], 1, *w.shape[2:], dtype=w.dtype)
    return function(x, w, *rest, **options)


def torch_input_grad(g: Any, w: Any, size: Any, groups: int = 1, **options: Any) -> Any:
    x = torch.zeros(g.shape[0], w.shape[1] * groups, *size, dtype=torch.float64)
    y = torch_conv(x.requires_grad_(), w, groups=groups, **options)
    return torch.autograd.grad(y, x, g, create_graph=True)[0]


def torch_weight_grad(
    x: Any, g: Any, size: Any, groups: int = 1, **options: Any
) -> Any:
    w = torch.zeros(g.shape[1], x.shape[1] // groups, *size, dtype=torch.float64)
    y = torch_conv(x, w.requires_grad_(), groups=groups, **options)
    return torch.autograd.grad(y, w, g, create_graph=True)[0]


for name in ("conv", "conv1d", "conv2d", "conv3d"):
    ref(name, numpy=conv, torch=torch_conv, accepts="numeric", factor=4.0, why=WHY)
ref(
    "conv_input_grad",
    numpy=conv_input_grad,
    torch=torch_input_grad,
    args=("size",),
    accepts="numeric",
    factor=4.0,
    why=WHY,
)
ref(
    "conv_weight_grad",
    numpy=conv_weight_grad,
    torch=torch_weight_grad,
    args=("size",),
    accepts="numeric",
    factor=4.0,
    why=WHY,
)
for rank in (1, 2, 3):
    ref(
        f"conv_transpose{rank}d",
        numpy=conv_transpose,
        torch=getattr(F, f"conv_transpose{rank}d"),
        accepts="numeric",
        factor=4.0,
        why=WHY,
    )
