"""References of fogo.ops.ctc: every path through the frames, collapsed by hand."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref


def collapse(path: Any, blank: int) -> list[int]:
    """What a path spells: repeats are one, blanks are none."""
    return [c for c, _ in itertools.groupby(path) if c != blank]


def sequences(targets: Any, lengths: Any) -> list[list[int]]:
    """The labels of each sequence, padded or in one row."""
    flat = [int(v) for v in np.asarray(targets).reshape(-1)]
    if np.asarray(targets).ndim == 1:
        ends = np.cumsum(lengths)
        return [flat[e - n : e] for e, n in zip(ends, lengths)]
    return [[int(v) for v in row[:n]] for row, n in zip(targets, lengths)]


def losses(
    lib: Any, x: Any, targets: Any, frames: Any, labels: Any, blank: int
) -> list[Any]:
    """Minus the log of the sum over all paths that spell the labels."""
    found = []
    for n, wanted in enumerate(sequences(targets, labels)):
        total: Any = lib.zeros(())
        for path in itertools.product(range(x.shape[2]), repeat=int(frames[n])):
            if collapse(path, blank) == wanted:
                total = total + lib.exp(sum(x[t, n, c] for t, c in enumerate(path)))
        found.append(-lib.log(total))
    return found


def ctc(lib: Any) -> Any:
    def call(
        x: Any, targets: Any, frames: Any, labels: Any, blank: int = 0,
        reduction: str = "mean", zero_infinity: bool = False,
    ) -> Any:  # fmt: skip
        frames, labels = [np.asarray(v).reshape(-1) for v in (frames, labels)]
        x = x if x.ndim == 3 else x[:, None]
        found = losses(lib, x, targets, frames, labels, blank)
        if zero_infinity:
            found = [v if np.isfinite(float(v)) else 0.0 * x.sum() for v in found]
        loss = lib.stack(found)
        if reduction == "mean":
            shares = [max(int(n), 1) for n in labels]
            return sum(v / n for v, n in zip(found, shares)) / len(found)
        return loss.sum() if reduction == "sum" else loss

    return call


ref(
    "ctc_loss",
    numpy=ctc(np),
    torch=ctc(torch),
    accepts="float",
    factor=8.0,
    second=False,
    why="sums over many paths, rounded at each step; its kernel is derived once",
)
