"""References of fogo.ops.sampling: the first draws of a seeded stream."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.references.random import SEED, threefry
from tests.ops.rows import ref


def draw(shape: Any, number: int) -> Any:
    """The bits of the stream's draw of this number."""
    counters = np.arange(math.prod(shape), dtype="uint32")
    each = np.full(counters.shape, number, "uint32")
    return threefry((SEED, 0), counters, each)[0].reshape(tuple(shape))


def uniform(shape: Any, number: int) -> Any:
    return (draw(shape, number) >> np.uint32(8)) / float(1 << 24)


def normal(x: Any) -> Any:
    """Box and Muller's transform of the first two draws."""
    u, v = 1.0 - uniform(x.shape, 0), uniform(x.shape, 1)
    return np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * v)


def integers(x: Any, low: int, high: Any = None) -> Any:
    low, high = (0, low) if high is None else (low, high)
    return draw(x.shape, 0) % np.uint32(high - low) + low


FLOATS = ("float16", "float32", "float64")
ref("rand_like", numpy=lambda x: uniform(x.shape, 0), seed=SEED, dtypes=FLOATS)
ref(
    "randn_like",
    numpy=normal,
    seed=SEED,
    dtypes=("float16", "float32"),
    factor=4.0,
    why="the cosine of a rounded angle",
)
ref(
    "randint_like",
    numpy=integers,
    seed=SEED,
    out="same",
    dtypes=("int8", "int32", "uint8", "uint32", "float32"),
)
ref(
    "multinomial",
    numpy=lambda x, num_samples, **o: np.zeros((*x.shape[:-1], num_samples), "int64"),
    out="int",
    host=True,  # the first draw of a device uploads its seed
    dtypes=FLOATS,
)
