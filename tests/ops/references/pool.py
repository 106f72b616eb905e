"""References of fogo.ops.pool: one window after the other in NumPy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import torch.nn.functional as F

from tests.ops.references.conv import each
from tests.ops.rows import ref

MEAN = "a sum of many terms"


def count(n: int, k: int, s: int, p: int, d: int, ceil_mode: bool) -> int:
    """Number of windows; the last must begin inside the input or its left padding."""
    room = n + 2 * p - d * (k - 1) - 1
    outs = (math.ceil(room / s) if ceil_mode else room // s) + 1
    return outs - 1 if ceil_mode and (outs - 1) * s >= n + p else outs


def windows(
    sizes: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Any:
    """Number of windows for each axis, and per window the places it sees."""
    rank = len(sizes)
    kernel, padding = each(kernel, rank), each(padding, rank)
    stride = kernel if stride is None else each(stride, rank)
    dilation = each(dilation, rank)
    rows = list(zip(sizes, kernel, stride, padding, dilation))
    outs = [count(*row, ceil_mode) for row in rows]
    seen = []
    for at in itertools.product(*[range(o) for o in outs]):
        axes = [
            [o * s - p + t * d for t in range(k)]
            for o, (n, k, s, p, d) in zip(at, rows)
        ]
        seen.append(axes)
    return outs, seen, rows


def split(x: Any, rank: int) -> tuple[Any, Any]:
    """x as planes [M, ...S], and the shape of M."""
    lead = x.shape[: x.ndim - rank]
    return x.reshape(math.prod(lead), *x.shape[x.ndim - rank :]), lead


def max_pool(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, rank: int | None = None,
) -> Any:  # fmt: skip
    rank = rank or len(kernel_size)
    planes, lead = split(x, rank)
    sizes = planes.shape[1:]
    outs, seen, _ = windows(sizes, kernel_size, stride, padding, dilation, ceil_mode)
    values, places = [], []
    for axes in seen:
        inside = [
            at
            for at in itertools.product(*axes)
            if all(0 <= i < n for i, n in zip(at, sizes))
        ]
        flat = [int(np.ravel_multi_index(at, sizes)) for at in inside]
        found = planes.reshape(len(planes), math.prod(sizes))[:, flat]
        best = np.argmax(found, 1)
        values.append(found[np.arange(len(planes)), best])
        places.append(np.array(flat, "int64")[best])
    shape = (*lead, *outs)
    return [np.stack(v, 1).reshape(shape) for v in (values, places)]


def avg_pool(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    ceil_mode: bool = False, count_include_pad: bool = True,
    divisor_override: int | None = None, rank: int | None = None,
) -> Any:  # fmt: skip
    rank = rank or len(kernel_size)
    planes, lead = split(x, rank)
    sizes = planes.shape[1:]
    outs, seen, rows = windows(sizes, kernel_size, stride, padding, 1, ceil_mode)
    means = []
    for axes in seen:
        inside = [[i for i in a if 0 <= i < n] for a, n in zip(axes, sizes)]
        seen_places = (slice(None), *np.ix_(*inside))
        total = planes[seen_places].sum(tuple(range(1, rank + 1)))
        room = inside
        if count_include_pad:
            ends = [n + p for n, _, _, p, _ in rows]
            room = [[i for i in a if i < end] for a, end in zip(axes, ends)]
        divisor = divisor_override or math.prod(len(a) for a in room)
        means.append(total / divisor)
    return np.stack(means, 1).reshape(*lead, *outs)


def adaptive(rank: int | None) -> Any:
    def call(x: Any, output_size: Any) -> Any:
        sizes = each(output_size, rank or 1) if rank else tuple(output_size)
        for i, outs in enumerate(sizes):
            axis = x.ndim - len(sizes) + i
            n = x.shape[axis]
            outs = n if outs is None else outs
            parts = [
                x.take(range(j * n // outs, -(-(j + 1) * n // outs)), axis).mean(axis)
                for j in range(outs)
            ]
            x = np.stack(parts, axis)
        return x

    return call


def of_rank(function: Any, rank: int, first: bool = False) -> Any:
    """The reference of a function that has its rank in its name."""

    def call(x: Any, kernel_size: Any, **options: Any) -> Any:
        result = function(x, kernel_size, rank=rank, **options)
        return result[0] if first else result

    return call


MAX = (F.max_pool1d, F.max_pool2d, F.max_pool3d)
AVG = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)
ADAPTIVE = (F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d)

ref(
    "max_pool",
    numpy=max_pool,
    torch=lambda x, kernel_size, **o: MAX[len(kernel_size) - 1](x, kernel_size, **o),
    args=("kernel_size",),
    out=("same", "int"),
)
ref(
    "avg_pool",
    numpy=avg_pool,
    torch=lambda x, kernel_size, **o: AVG[len(kernel_size) - 1](x, kernel_size, **o),
    args=("kernel_size",),
    factor=4.0,
    why=MEAN,
)
ref(
    "adaptive_avg_pool",
    numpy=adaptive(None),
    torch=lambda x, output_size: ADAPTIVE[len(output_size) - 1](x, output_size),
    args=("output_size",),
    accepts="float",
    factor=4.0,
    why=MEAN,
)
for rank in (1, 2, 3):
    ref(
        f"max_pool{rank}d",
        numpy=of_rank(max_pool, rank, True),
        torch=MAX[rank - 1],
        args=("kernel_size",),
        accepts="numeric",
    )
    ref(
        f"avg_pool{rank}d",
        numpy=of_rank(avg_pool, rank),
        torch=AVG[rank - 1],
        args=("kernel_size",),
        accepts="float",
        factor=4.0,
        why=MEAN,
    )
    ref(
        f"adaptive_avg_pool{rank}d",
        numpy=adaptive(rank),
        torch=ADAPTIVE[rank - 1],
        args=("output_size",),
        accepts="float",
        factor=4.0,
        why=MEAN,
    )
ref(
    "global_avg_pool",
    numpy=lambda x: x.mean(tuple(range(2, x.ndim)), keepdims=True),
    torch=lambda x: x.mean(tuple(range(2, x.ndim)), True),
    accepts="float",
    factor=4.0,
    why=MEAN,
)
ref(
    "global_max_pool",
    numpy=lambda x: x.max(tuple(range(2, x.ndim)), keepdims=True),
    torch=lambda x: x.amax(tuple(range(2, x.ndim)), True),
    accepts="numeric",
)
