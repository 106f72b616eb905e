"""References of the random ops: Threefry-2x32 in NumPy, after the authors' paper."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fogo.ops.define import Sample
from tests.ops.rows import ref

SEED = 20240607
ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)


def threefry(key: tuple[int, int], x0: Any, x1: Any) -> tuple[Any, Any]:
    """Encrypt counters: 20 rounds, a key added after every fourth."""
    with np.errstate(over="ignore"):
        keys = [np.uint32(key[0]), np.uint32(key[1])]
        keys.append(keys[0] ^ keys[1] ^ np.uint32(0x1BD11BDA))
        x0, x1 = x0 + keys[0], x1 + keys[1]
        for i in range(20):
            r = ROTATIONS[i % 8]
            x0 = x0 + x1
            x1 = (x1 << np.uint32(r)) | (x1 >> np.uint32(32 - r))
            x1 = x1 ^ x0
            if i % 4 == 3:
                n = i // 4 + 1
                x0 = x0 + keys[n % 3]
                x1 = x1 + keys[(n + 1) % 3] + np.uint32(n)
    return x0, x1


def first_draw(shape: Any) -> Any:
    """What a device seeded with SEED draws first: word 0 of block (i, 0)."""
    count = math.prod(shape)
    counters = np.arange(count, dtype="uint32")
    bits = threefry((SEED, 0), counters, np.zeros(count, "uint32"))[0]
    return bits.reshape(tuple(shape))


def uniform(shape: Any) -> Any:
    """The first uniform numbers in [0, 1): 24 of the bits each."""
    return (first_draw(shape) >> np.uint32(8)) / float(1 << 24)


ref(
    "random_bits",
    numpy=first_draw,
    samples=[Sample(shape=s) for s in ((3, 4), (), (0, 2), (37,))],
    args=("shape",),
    creates=True,
    seed=SEED,
    dtypes=("uint32",),
)
