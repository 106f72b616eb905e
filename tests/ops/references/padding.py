"""References of fogo.ops.padding: NumPy's pad, and PyTorch's index_select for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref

MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pairs(x: Any, widths: Any) -> Any:
    """NumPy's form from a number or PyTorch's flat one."""
    if isinstance(widths, int):
        return [(widths, widths)] * x.ndim
    if isinstance(widths[0], int):
        flat = [tuple(widths[i : i + 2]) for i in range(0, len(widths), 2)]
        return [(0, 0)] * (x.ndim - len(flat)) + flat[::-1]
    return widths


def pad(x: Any, widths: Any, mode: str = "constant", value: float = 0.0) -> Any:
    if mode == "constant":
        filled = np.array(value).astype(x.dtype)
        return np.pad(x, pairs(x, widths), constant_values=filled)
    return np.pad(x, pairs(x, widths), mode=MODES[mode])  # type: ignore[call-overload]


def torch_pad(x: Any, widths: Any, mode: str = "constant", value: float = 0.0) -> Any:
    """PyTorch pads only some ranks by these modes: take the elements by their place."""
    if mode == "constant":
        flat = [w for pair in reversed(pairs(x, widths)) for w in pair]
        return torch.nn.functional.pad(x, flat, value=float(value))
    places = np.arange(x.numel()).reshape(x.shape)
    taken = torch.tensor(pad(places, widths, mode))
    return x.reshape(-1)[taken]


ref("pad", numpy=pad, torch=torch_pad, accepts="any", args=("widths",))
