"""References of fogo.ops.creation: what is made from nothing, on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from fogo.ops.define import Sample
from tests.ops.rows import ref

KINDS = ("bool", "int32", "int64", "uint8", "float16", "float32", "float64")
NUMBERS = KINDS[1:]
X = ((3, 4), -3.0, 3.0)
SHAPES = ((3, 4), (), (0, 2), (5,))


def made(name: str, numpy: Any, samples: Any, **rules: Any) -> None:
    """A row of a function whose dtype is an option: the sample gets each in turn."""
    ref(name, numpy=numpy, samples=samples, creates=True, typed=True, **rules)


for name, like in (("zeros", np.zeros), ("ones", np.ones), ("empty", np.zeros)):
    made(
        name,
        like,
        [Sample(shape=s) for s in SHAPES],
        args=("shape",),
        dtypes=KINDS,
    )
made(
    "full",
    np.full,
    [Sample(shape=s, fill_value=1) for s in SHAPES],
    args=("shape", "fill_value"),
    dtypes=KINDS,
)
made(
    "arange",
    np.arange,
    (
        Sample(start=5),
        Sample(start=2, stop=9),
        Sample(start=2, stop=9, step=3),
        Sample(start=7, stop=1, step=-2),
        Sample(start=3, stop=3),
    ),
    args=("start", "stop", "step"),
    dtypes=[k for k in NUMBERS if k != "uint8"],
)
made(
    "linspace",
    np.linspace,
    (
        Sample(start=-1.0, stop=2.0, num=7),
        Sample(start=0.0, stop=1.0, num=1),
        Sample(start=0.0, stop=1.0, num=0),
        Sample(start=3.0, stop=1.0, num=4, endpoint=False),
    ),
    args=("start", "stop", "num"),
    dtypes=("float16", "float32", "float64"),
)
made(
    "eye",
    lambda n, m=None, k=0, dtype=None: np.eye(n, m, k, dtype),
    (
        Sample(n_rows=3),
        Sample(n_rows=2, n_cols=4),
        Sample(n_rows=3, n_cols=3, k=-1),
        Sample(n_rows=0),
    ),
    args=("n_rows", "n_cols", "k"),
    dtypes=KINDS,
)
LIKE = (Sample(X), Sample(((), -1.0, 1.0)), Sample(((0, 2), -1.0, 1.0)))
ref("zeros_like", numpy=np.zeros_like, samples=LIKE)
ref("empty_like", numpy=np.zeros_like, samples=LIKE)
ref("ones_like", numpy=np.ones_like, samples=LIKE)
ref(
    "full_like",
    numpy=np.full_like,
    args=("fill_value",),
    samples=(Sample(X, fill_value=1), Sample(((0, 2), -1.0, 1.0), fill_value=1)),
)
CORNERS = (Sample(X), Sample(X, k=1), Sample(((2, 3, 3), -3.0, 3.0), k=-1))
ref("tril", numpy=np.tril, torch=lambda x, k=0: torch.tril(x, k), samples=CORNERS)
ref("triu", numpy=np.triu, torch=lambda x, k=0: torch.triu(x, k), samples=CORNERS)
