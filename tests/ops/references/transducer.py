"""References of fogo.ops.transducer: every path over the lattice, one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref


def paths(frames: int, labels: int) -> Any:
    """All orders of `labels` emissions and frames - 1 steps; the last step is added."""
    steps = frames - 1 + labels
    for said in itertools.combinations(range(steps), labels):
        yield [i in said for i in range(steps)] + [False]


def losses(lib: Any, x: Any, targets: Any, frames: Any, labels: Any, blank: int) -> Any:
    found = []
    for n in range(x.shape[0]):
        total: Any = lib.zeros(())
        for path in paths(int(frames[n]), int(labels[n])):
            t, u, score = 0, 0, 0.0 * x[n, 0, 0, 0]
            for says in path:
                c = int(targets[n, u]) if says else blank
                score = score + x[n, t, u, c]
                t, u = (t, u + 1) if says else (t + 1, u)
            total = total + lib.exp(score)
        found.append(-lib.log(total))
    return lib.stack(found)


def rnnt(lib: Any, log_softmax: Any) -> Any:
    def call(  # no gradient here reaches a bound
        x: Any, targets: Any, frames: Any, labels: Any, blank: int = -1,
        clamp: float = -1.0, reduction: str = "mean", fused_log_softmax: bool = True,
    ) -> Any:  # fmt: skip
        x = log_softmax(x) if fused_log_softmax else x
        loss = losses(lib, x, targets, frames, labels, blank)
        if reduction == "none":
            return loss
        return loss.mean() if reduction == "mean" else loss.sum()

    return call


def log_softmax(x: Any) -> Any:
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


ref(
    "rnnt_loss",
    numpy=rnnt(np, log_softmax),
    torch=rnnt(torch, lambda x: torch.log_softmax(x, -1)),
    accepts="float",
    factor=8.0,
    second=False,
    why="sums over many paths, rounded at each step; its kernel is derived once",
)
