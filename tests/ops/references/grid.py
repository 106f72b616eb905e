"""References of fogo.ops.grid: one place after the other, for NumPy and PyTorch.

PyTorch's own grid_sample has no second derivative; tests/parity_torch compares with it.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.rows import ref


def number(x: Any) -> float:
    """A Python number, without history."""
    return float(x.detach() if isinstance(x, torch.Tensor) else x)


def reflected(x: Any, low: float, high: float) -> Any:
    if high == low:
        return 0.0 * x
    while not low <= number(x) <= high:
        x = 2 * low - x if number(x) < low else 2 * high - x
    return x


def padded(x: Any, n: int, padding: str, align: bool) -> Any:
    if padding == "zeros":
        return x
    if padding == "reflection":
        x = reflected(x, 0.0, n - 1.0) if align else reflected(x, -0.5, n - 0.5)
    if not 0 < number(x) < n - 1:
        return 0.0 * x + min(max(number(x), 0.0), n - 1.0)
    return x


def cubic(d: Any) -> Any:
    a = -0.75
    if number(d) <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a


def taps(x: Any, n: int, mode: str, padding: str, align: bool) -> list[tuple[int, Any]]:
    """[(place, weight)] of one coordinate along an axis of n."""
    if mode == "bicubic":
        base = math.floor(number(x))
        places = range(base - 1, base + 3)
        weights = [cubic(x - p if p <= base else p - x) for p in places]
        return [
            (round(number(padded(float(p), n, padding, align))), w)
            for p, w in zip(places, weights)
        ]
    x = padded(x, n, padding, align)
    if mode == "nearest":
        return [(round(number(x)), 1.0)]
    base = math.floor(number(x))
    return [(base, 1 - (x - base)), (base + 1, x - base)]


def read(plane: Any, each: list[Any]) -> Any:
    """The weighted sum of a plane's elements; nothing lies outside."""
    total = 0.0
    for combination in itertools.product(*each):
        at = tuple(p for p, _ in combination)
        if all(0 <= p < n for p, n in zip(at, plane.shape)):
            value = plane[at]
            for _, w in combination:
                value = value * w
            total = total + value
    return total


def grid_sample(lib: Any) -> Any:
    def call(
        x: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
        align_corners: bool = False,
    ) -> Any:  # fmt: skip
        sizes, outs = x.shape[2:], grid.shape[1:-1]
        flat = grid.reshape(x.shape[0], -1, len(sizes))
        found = []
        for n in range(x.shape[0]):
            points = []
            for point in flat[n]:
                each = []
                for v, size in zip([point[i] for i in range(len(sizes))][::-1], sizes):
                    real = ((v + 1) * size - 1) / 2
                    if align_corners:
                        real = (v + 1) / 2 * (size - 1)
                    each.append(taps(real, size, mode, padding_mode, align_corners))
                points.append(each)
            for c in range(x.shape[1]):
                found.extend(
                    [read(x[n, c], each) + 0.0 * x[0].sum() for each in points]
                )
        return lib.stack(found).reshape(*x.shape[:2], *outs)

    return call


def affine_grid(theta: Any, size: Any, align_corners: bool = False) -> Any:
    outs, rank = tuple(size[2:]), len(size) - 2
    out = np.empty((size[0], *outs, rank))
    for at in np.ndindex(*outs):
        point = []
        for i, n in zip(at[::-1], outs[::-1]):
            edge = -1 + 2 * i / (n - 1) if n > 1 else 0.0
            point.append(edge if align_corners else (2 * i + 1) / n - 1)
        out[(slice(None), *at)] = theta @ np.array([*point, 1.0])
    return out


ref(
    "grid_sample",
    numpy=grid_sample(np),
    torch=grid_sample(torch),
    accepts="float",
    factor=16.0,
    why="places and weights are computed in the dtype of the grid",
)
ref(
    "affine_grid",
    numpy=affine_grid,
    torch=lambda theta, size, **o: F.affine_grid(theta, list(size), **o),
    args=("size",),
    accepts="float",
    factor=4.0,
    why="a sum of products",
)
