"""References of fogo.ops.sets: NumPy's `unique`, whose values are in order too."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.rows import ref


def unique(x: Any, *parts: str) -> list[Any]:
    """The values, and what `parts` asks for; every nan is a value of its own."""
    asked = {"return_" + part: True for part in parts}
    found = np.unique(x, equal_nan=False, **asked)
    return list(found) if parts else [found]


ref(
    "unique_all",
    numpy=lambda x: unique(x, "index", "inverse", "counts"),
    out=["same", "int", "int", "int"],
    accepts="any",
    host=True,
)
ref(
    "unique_counts",
    numpy=lambda x: unique(x, "counts"),
    out=["same", "int"],
    accepts="any",
    host=True,
)
ref(
    "unique_inverse",
    numpy=lambda x: unique(x, "inverse"),
    out=["same", "int"],
    accepts="any",
    host=True,
)
ref("unique_values", numpy=unique, accepts="any", host=True)
