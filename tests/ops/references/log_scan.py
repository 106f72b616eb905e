"""Reference of fogo.ops.log_scan."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref


def running(x: Any, axis: int = -1) -> Any:
    return np.logaddexp.accumulate(x, axis)


ref(
    "logcumsumexp",
    numpy=running,
    torch=lambda x, axis=-1: torch.logcumsumexp(x, axis),
    casts=True,
    factor=8.0,
    why="many roundings in a row",
)
