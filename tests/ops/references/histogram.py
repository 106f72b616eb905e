"""References of fogo.ops.histogram: NumPy's functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.rows import ref

WHOLE = ("int8", "int32", "int64", "uint8", "uint32")
READ = "the size of the result is read"


def bincount(x: Any, minlength: int = 0, length: Any = None) -> Any:
    kept = x[x >= 0].astype("int64")
    found = np.bincount(kept, None, minlength if length is None else length)
    return found[:length]


def histc(x: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    bounds = None if min == max == 0 else (min, max)
    return np.histogram(x, bins, bounds)[0].astype("float64")


def histogram(x: Any, bins: Any = 10, **o: Any) -> Any:
    hist, edges = np.histogram(x, bins, **o)
    return hist.astype("float64"), edges


ref(
    "bincount",
    numpy=bincount,
    dtypes=WHOLE,
    out=lambda dtype: "int",
    samples=None,
    host=True,
    why=READ,
)
ref("histc", numpy=histc, casts=True, out=lambda d: d if "float" in d else "float32")
ref("histogram", numpy=histogram, casts=True)
ref(
    "bucketize",
    numpy=lambda x, edges, right=False: np.searchsorted(
        edges, x, "right" if right else "left"
    ),
    out="int",
    accepts="numeric",
)
