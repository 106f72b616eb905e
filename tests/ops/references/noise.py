"""References of fogo.ops.noise, by the device's first draws after the seed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from fogo.ops.define import Sample
from tests.ops.references.random import SEED, threefry, uniform
from tests.ops.rows import ref

FLOOR = -1.0507009873554805 * 1.6732632423543772


def chosen(x: Any, keep: Any, kept: Any, dropped: Any) -> Any:
    """`kept` where the mask holds, for either library."""
    if isinstance(x, torch.Tensor):
        mask = torch.tensor(np.broadcast_to(keep, x.shape).copy())
        return torch.where(mask, kept, torch.tensor(dropped, dtype=x.dtype))
    return np.where(keep, kept, dropped)


def channels(rank: int) -> Any:
    def call(x: Any, p: float = 0.5, training: bool = True) -> Any:
        if not training or p == 0:
            return x * 1
        keep = uniform((*x.shape[: x.ndim - rank], *[1] * rank)) < 1 - p
        return chosen(x, keep, x / (1 - p if p < 1 else 1), 0.0)

    return call


def alpha(whole: bool) -> Any:
    def call(x: Any, p: float = 0.5, training: bool = True) -> Any:
        if not training or p in (0, 1):
            return x * (0 if training and p else 1)
        shape = x.shape if whole else (*x.shape[:2], *[1] * (x.ndim - 2))
        keep = uniform(shape) < 1 - p
        a = ((1 - p) * (1 + p * FLOOR**2)) ** -0.5
        b = -a * p * FLOOR
        return chosen(x, keep, x * a + b, FLOOR * a + b)

    return call


def gaussian(x: Any, std: float = 1.0, training: bool = True) -> Any:
    if not training or std == 0:
        return x * 1
    count = math.prod(x.shape)
    counters = np.arange(count, dtype="uint32")
    draws = []
    for draw in (0, 1):
        bits = threefry((SEED, 0), counters, np.full(count, draw, "uint32"))[0]
        draws.append((bits >> np.uint32(8)).reshape(tuple(x.shape)) / float(1 << 24))
    noise = np.sqrt(-2 * np.log(1 - draws[0])) * np.cos(2 * np.pi * draws[1])
    return x + (torch.tensor(noise) if isinstance(x, torch.Tensor) else noise) * std


def x(*shape: int) -> Any:
    return (shape, -2.0, 2.0)


def rows(*shapes: Any) -> list[Sample]:
    first = shapes[0]
    return [
        *[Sample(x(*shape)) for shape in shapes],
        Sample(x(*first), p=0.25),
        Sample(x(*first), p=1.0),
        Sample(x(*first), training=False),
    ]


SHAPES: list[Any] = [(2, 6, 3), (2, 6, 2, 2), (1, 6, 2, 1, 2)]
for rank in (1, 2, 3):
    own = SHAPES[rank - 1]
    function = channels(rank)
    ref(f"dropout{rank}d", numpy=function, torch=function, accepts="float", seed=SEED,
        samples=rows(own, own[1:]))  # fmt: skip
ref("alpha_dropout", numpy=alpha(True), torch=alpha(True), accepts="float", seed=SEED,
    samples=rows((3, 5)))  # fmt: skip
ref("feature_alpha_dropout", numpy=alpha(False), torch=alpha(False), accepts="float",
    seed=SEED, samples=rows((2, 6, 3)))  # fmt: skip
ref(
    "gaussian_noise",
    numpy=gaussian,
    torch=gaussian,
    seed=SEED,
    samples=[Sample(x(3, 5)), Sample(x(4), std=0.5), Sample(x(4), training=False)],
    dtypes=("float16", "float32"),
    factor=4.0,
    why="normal numbers are made in float32, also for float64",
)
