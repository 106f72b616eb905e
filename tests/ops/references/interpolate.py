"""References of fogo.ops.interpolate: a matrix of weights for each axis in NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.ops.references.conv import each
from tests.ops.references.pool import adaptive
from tests.ops.rows import ref

FILTERS = {"linear": 1, "cubic": 2, "lanczos": 3}


def family(mode: str) -> str:
    mode = mode.removesuffix("3").removeprefix("bi").removeprefix("tri")
    return mode


def falloff(kind: str, d: float, sharp: float) -> float:
    d = abs(d)
    if kind == "linear":
        return max(0.0, 1.0 - d)
    if kind == "cubic":
        a = sharp
        if d <= 1:
            return (a + 2) * d**3 - (a + 3) * d**2 + 1
        return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0
    return float(np.sinc(d) * np.sinc(d / 3)) if d < 3 else 0.0


def matrix(
    n: int, outs: int, mode: str, align: bool, scale: float | None, antialias: bool
) -> Any:
    """[outs, n]: the weight of each element in each result."""
    kind, table = family(mode), np.zeros((outs, n))
    step = n / outs if scale is None else 1 / scale
    if align:
        step = (n - 1) / (outs - 1) if outs > 1 else 0.0
    for o in range(outs):
        if kind in ("nearest", "nearest-exact"):
            shift = 0.5 if kind == "nearest-exact" else 0.0
            table[o, min(math.floor((o + shift) * step + 1e-9), n - 1)] = 1
            continue
        table[o] = row(n, o, kind, step, align, antialias)
    return table


def row(n: int, o: int, kind: str, step: float, align: bool, antialias: bool) -> Any:
    out, radius = np.zeros(n), FILTERS[kind]
    if antialias:
        wide = max(step, 1.0)
        place = step * (o + 0.5) - 0.5
        for j in range(n):
            out[j] = falloff(kind, (j - place) / wide, -0.5)
        return out / out.sum()
    place = o * step if align else (o + 0.5) * step - 0.5
    base = math.floor(place)
    for j in range(base - radius + 1, base + radius + 1):
        out[min(max(j, 0), n - 1)] += falloff(kind, j - place, -0.75)
    return out / out.sum() if kind == "lanczos" else out


def matrices(
    shape: Any, size: Any, scale_factor: Any, mode: str, align: Any, antialias: bool
) -> Any:
    rank = len(shape) - 2
    scales = scale_factor
    if not isinstance(scales, (tuple, list)):
        scales = (scales,) * rank
    sizes = each(size, rank) if size is not None else [0] * rank
    for n, m, s in zip(shape[2:], sizes, scales):
        outs = m if s is None else math.floor(n * s)
        copied = family(mode) in ("nearest", "linear") or antialias
        if outs == n and copied or outs == 2 * n and mode == "nearest":
            s = None  # PyTorch does not look at it
        yield matrix(n, outs, mode, bool(align), s, antialias)


def interpolate(
    x: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: Any = None, antialias: bool = False,
) -> Any:  # fmt: skip
    if mode == "area":
        return adaptive(x.ndim - 2)(x, size)
    tables = matrices(x.shape, size, scale_factor, mode, align_corners,
                      antialias)  # fmt: skip
    for axis, table in enumerate(tables, 2):
        x = np.moveaxis(np.moveaxis(x, axis, -1) @ table.T, -1, axis)
    return x


def torch_interpolate(x: Any, **options: Any) -> Any:
    """PyTorch's; its lanczos only shrinks, so that the matrices do it here."""
    if options.get("mode") != "lanczos3":
        return F.interpolate(x, **options)
    size, antialias = options["size"], options.get("antialias", False)
    tables = matrices(x.shape, size, None, "lanczos3", False, antialias)
    for axis, table in enumerate(tables, 2):
        x = (x.movedim(axis, -1) @ torch.tensor(table.T)).movedim(-1, axis)
    return x


ref(
    "interpolate",
    numpy=interpolate,
    torch=torch_interpolate,
    accepts="float",
    factor=8.0,
    why="places and weights are computed in the dtype of x",
)
