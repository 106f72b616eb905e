"""A graph is freed as it is consumed, and what nobody holds goes at once."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.backend.base import Handle
from fogo.backend.python import Python

MANY = 1 << 18  # elements: a mebibyte of float32, what the numpy device counts


class Counted(Python):
    """Plain Python that knows which of its handles are alive."""

    def __init__(self) -> None:
        super().__init__()
        self.alive: weakref.WeakSet[Any] = weakref.WeakSet()

    def run(self, op: Any, inputs: Any, attrs: Any, outs: Any) -> Any:
        made = super().run(op, inputs, attrs, outs)
        kept = tuple(Seen(h.buffer, h.layout, h.dtype) for h in made)
        self.alive.update(kept)
        return kept


class Seen(Handle):
    """A handle that can be referred to weakly."""

    __slots__ = ("__weakref__",)


@pytest.fixture
def counted() -> fogo.Device:
    return fogo.Device("counted", Counted())


def chain(x: fogo.Tensor, n: int) -> fogo.Tensor:
    for _ in range(n):
        x = x.exp() * 0.5
    return x


def test_nodes_let_go_while_backward_runs(counted: fogo.Device) -> None:
    """In the middle of a backward only the older half of the graph is held."""
    x = fogo.ones(4, device=counted.autodiff()).requires_grad_()
    alive = counted.backend.alive
    middle = chain(x, 20)
    seen: list[int] = []
    middle.register_hook(lambda g: seen.append(len(alive)))
    loss = chain(middle, 20).sum()
    del middle
    gc.collect()
    before = len(alive)
    grads = loss.backward()
    assert before >= 40
    assert seen[0] < before - 15
    assert len(alive) < 10, len(alive)
    assert grads[x] is not None


def test_a_retained_graph_is_held(counted: fogo.Device) -> None:
    x = fogo.ones(4, device=counted.autodiff()).requires_grad_()
    alive = counted.backend.alive
    loss = chain(x, 20).sum()
    before = len(alive)
    loss.backward(retain_graph=True)
    assert len(alive) >= before


def test_a_graph_that_nobody_holds_is_gone(counted: fogo.Device) -> None:
    x = fogo.ones(4, device=counted.autodiff()).requires_grad_()
    alive = counted.backend.alive
    before = len(alive)
    loss = chain(x, 20).sum()
    assert len(alive) >= before + 20
    del loss
    assert len(alive) <= before + 1


def test_segments_keep_their_arguments_only(counted: fogo.Device) -> None:
    x = fogo.ones(4, device=counted.autodiff()).requires_grad_()
    alive = counted.backend.alive
    before = len(alive)
    y = x
    for _ in range(4):
        y = fogo.checkpoint(lambda t: chain(t, 10), y)
    assert len(alive) <= before + 6
    kept = chain(x, 40)
    assert len(alive) >= before + 40
    assert kept.sum().backward()[x].tolist() == y.sum().backward()[x].tolist()


def test_balanced_keeps_products_only(counted: fogo.Device) -> None:
    counts = {}
    for how in (None, "balanced"):
        dev = counted.autodiff(checkpointing=how)
        x = fogo.ones(4, 4, device=dev).requires_grad_()
        w = fogo.full((4, 4), 0.1, device=dev).requires_grad_()
        before = len(counted.backend.alive)
        y = x
        for _ in range(5):
            y = (y @ w).tanh().square().exp().sqrt()
        counts[how] = len(counted.backend.alive) - before
        g = y.sum().backward()[x].tolist()
        counts[how, "g"] = g
    assert counts["balanced"] < counts[None] * 0.6, counts
    np.testing.assert_allclose(counts["balanced", "g"], counts[None, "g"], rtol=1e-5)


@pytest.mark.parametrize("how", ["balanced", "segments"])
def test_less_is_in_use(device: fogo.Device, how: str) -> None:
    """The peak of a step, where the device counts its memory."""
    if device.name not in ("numpy", "webgpu"):
        return
    peaks = []
    for lean in (False, True):
        dev = device.autodiff(
            checkpointing="balanced" if lean and how[0] == "b" else None
        )
        x = fogo.ones(512, MANY // 512, device=dev).requires_grad_()
        device.sync()
        fogo.memory_cleanup(device)
        fogo.memory.reset_peak(device)
        before = fogo.memory_stats(device)["in_use"]
        y = x
        for _ in range(6):
            if lean and how == "segments":
                y = fogo.checkpoint(lambda t: chain(t * 0.1, 4), y)
            else:
                y = chain(y * 0.1, 4)
            device.sync()
        grads = y.sum().backward()
        grads[x].sum().item()
        peaks.append(fogo.memory_stats(device)["peak_in_use"] - before)
        del y, grads
    assert peaks[1] < peaks[0] * 0.7, peaks
