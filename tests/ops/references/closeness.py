"""References of fogo.ops.closeness: NumPy's functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref


def wide(x: Any) -> Any:
    """Integers as they are: NumPy's differences would overflow small ones."""
    return x.astype("float64")


def clipped(x: Any) -> Any:
    """The extremes are those of the dtype under test; no sample has an infinity."""
    return np.nan_to_num(x)


ref("isclose", numpy=lambda x, y, **o: np.isclose(wide(x), wide(y), **o), accepts="any")
ref(
    "allclose",
    numpy=lambda x, y, **o: np.array(np.allclose(wide(x), wide(y), **o)),
    accepts="any",
)
ref("isposinf", numpy=lambda x: np.isposinf(wide(x)), accepts="any")
ref("isneginf", numpy=lambda x: np.isneginf(wide(x)), accepts="any")
ref("nan_to_num", numpy=clipped, torch=torch.nan_to_num, accepts="any")
