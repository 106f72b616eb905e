"""References of fogo.ops.select."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref


def masked_select(x: Any, mask: Any) -> Any:
    wide, chosen = np.broadcast_arrays(x, mask)
    return wide[chosen]


def masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    out, chosen = x.copy(), np.broadcast_to(mask, x.shape)
    out[chosen] = source[: chosen.sum()]
    return out


ref("masked_select", numpy=masked_select, torch=torch.masked_select)
ref(
    "masked_scatter",
    numpy=masked_scatter,
    torch=lambda x, mask, source: x.masked_scatter(mask, source),
    accepts="any",
)
ref(
    "nonzero",
    numpy=np.nonzero,
    out="int",
    accepts="any",
    host=True,
    why="the size of the result is read",
)
