"""References of fogo.ops.pool_more: one window after the other in NumPy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import torch.nn.functional as F

from tests.ops.references.conv import each
from tests.ops.references.pool import count, split
from tests.ops.rows import ref

ADAPTIVE = (F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d)


def adaptive(rank: int | None, both: bool = False) -> Any:
    def call(x: Any, output_size: Any) -> Any:
        dims = rank or len(output_size)
        planes, lead = split(x, dims)
        sizes = planes.shape[1:]
        outs = [n if m is None else m for n, m in zip(sizes, each(output_size, dims))]
        values, places = [], []
        for at in itertools.product(*[range(m) for m in outs]):
            cut = [
                range(j * n // m, -(-(j + 1) * n // m))
                for j, n, m in zip(at, sizes, outs)
            ]
            flat = [
                int(np.ravel_multi_index(p, sizes)) for p in itertools.product(*cut)
            ]
            seen = planes.reshape(len(planes), -1)[:, flat]
            best = np.argmax(seen, 1)
            values.append(seen[np.arange(len(planes)), best])
            places.append(np.array(flat)[best])
        shape = (*lead, *outs)
        found = [np.stack(v, 1).reshape(shape) for v in (values, places)]
        return found if both else found[0]

    return call


def lp_pool(rank: int) -> Any:
    def call(
        x: Any, norm_type: float, kernel_size: Any, stride: Any = None,
        ceil_mode: bool = False,
    ) -> Any:  # fmt: skip
        planes, lead = split(x, rank)
        kernel = each(kernel_size, rank)
        step = kernel if stride is None else each(stride, rank)
        outs = [
            count(n, k, s, 0, 1, ceil_mode)
            for n, k, s in zip(planes.shape[1:], kernel, step)
        ]
        found = []
        for at in itertools.product(*[range(m) for m in outs]):
            cut = [slice(o * s, o * s + k) for o, s, k in zip(at, step, kernel)]
            part = planes[(slice(None), *cut)].reshape(len(planes), -1)
            found.append((part**norm_type).sum(1) ** (1 / norm_type))
        return np.stack(found, 1).reshape(*lead, *outs)

    return call


def unpool(rank: int) -> Any:
    def call(x: Any, indices: Any, kernel_size: Any, output_size: Any = None) -> Any:
        kernel = each(kernel_size, rank)
        sizes = output_size or [n * k for n, k in zip(x.shape[-rank:], kernel)]
        planes, lead = split(x, rank)
        out = np.zeros((len(planes), math.prod(sizes)), x.dtype)
        places = indices.reshape(len(planes), -1)
        for i, plane in enumerate(planes.reshape(len(planes), -1)):
            out[i, places[i]] = plane
        return out.reshape(*lead, *sizes)

    return call


MAX = dict(args=("output_size",), accepts="numeric")
ref(
    "adaptive_max_pool",
    numpy=adaptive(None, True),
    torch=lambda x, output_size: ADAPTIVE[len(output_size) - 1](x, output_size),
    out=["same", "int"],
    **MAX,
)
UNPOOL = (F.max_unpool1d, F.max_unpool2d, F.max_unpool3d)
LP = (F.lp_pool1d, F.lp_pool2d, F.lp_pool3d)
for rank in (1, 2, 3):
    ref(
        f"adaptive_max_pool{rank}d",
        numpy=adaptive(rank),
        torch=ADAPTIVE[rank - 1],
        **MAX,
    )
    ref(
        f"lp_pool{rank}d",
        numpy=lp_pool(rank),
        torch=LP[rank - 1],
        args=("norm_type", "kernel_size"),
        accepts="float",
        factor=8.0,
        why="a root of a sum of powers",
    )
    ref(
        f"max_unpool{rank}d",
        numpy=unpool(rank),
        torch=UNPOOL[rank - 1],
        args=("kernel_size",),
    )
