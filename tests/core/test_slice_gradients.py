"""Gradients of several slices of one tensor, beside PyTorch; their arrangement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo.ops.paste import FEW, arrange

X = np.random.default_rng(7).uniform(-2, 2, (6, 8, 5)).astype("float32")


def total(parts: Any) -> Any:
    found = 0.0
    for i, part in enumerate(parts):
        found = found + (part ** (2 + i % 2) * (1.0 + i)).sum()
    return found


CASES: dict[str, Callable[[Any], Any]] = {
    "one": lambda x: total([x[1:-1, 2:5]]),
    "cut": lambda x: total([x[:, :3], x[:, 3:5], x[:, 5:]]),
    "gaps": lambda x: total([x[:, 6:7], x[:, 1:3], x[:, 4]]),
    "numbers": lambda x: total([x[i, j] for i in range(6) for j in range(8)]),
    "pinwheel": lambda x: total([x[:3, :4], x[3:, 2:], x[3:, :2], x[:3, 4:]]),
    "steps": lambda x: total([x[::2], x[1::2, ::3], x[1::2, 1::3]]),
    "overlap": lambda x: total([x[1:], x[:4], x, x[2:5, 1:]]),
    "windows": lambda x: total([x[:, j : j + 3] for j in range(6)]),
    "none": lambda x: total([x[:, 3:3], x[:, :4]]),
}


@pytest.mark.parametrize("name", CASES)
def test_gradient_and_its_gradient(name: str, device: fogo.Device) -> None:
    where = device.autodiff().autodiff()
    x = fogo.tensor(X, device=where).requires_grad_()
    t = torch.tensor(X, dtype=torch.float64, requires_grad=True)
    first = CASES[name](x).backward()[x]
    (wanted,) = torch.autograd.grad(CASES[name](t), t, create_graph=True)
    np.testing.assert_allclose(
        first.numpy(), wanted.detach().numpy(), rtol=1e-5, atol=1e-5
    )
    second = (first * first).sum().backward()[x]
    (wanted,) = torch.autograd.grad((wanted * wanted).sum(), t)
    np.testing.assert_allclose(second.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-4)


def test_slices_that_run_backwards(device: fogo.Device) -> None:
    x = fogo.tensor(X, device=device.autodiff()).requires_grad_()
    w = X[:, ::-1].copy()
    back = x.flip(1)
    loss = (back[:, :3] * fogo.tensor(w[:, :3], device=x.device)).sum()
    loss = loss + (back[:, 3:] * fogo.tensor(w[:, 3:], device=x.device)).sum()
    loss = loss + (x[::-1, :, ::-2] * 2.0).sum() + (x[::-1, :, 3::-2] * 3.0).sum()
    wanted = X.copy()
    wanted[:, :, ::-2] += 2.0
    wanted[:, :, 3::-2] += 3.0
    np.testing.assert_allclose(loss.backward()[x].numpy(), wanted, rtol=1e-6)


def box(key: tuple[slice, ...], shape: tuple[int, ...]) -> Any:
    spans = [range(n)[s] for n, s in zip(shape, key)]
    starts = tuple(r.start for r in spans)
    return starts, tuple(r.step for r in spans), tuple(len(r) for r in spans)


def test_slabs_are_joined_in_their_order() -> None:
    shape = (4, 9)
    boxes = [box((slice(None), s), shape) for s in (slice(6, 9), slice(0, 2))]
    assert arrange(shape, boxes) == [(1, [1, 0])]


def test_others_are_pasted_a_few_at_a_time() -> None:
    shape = (8, 8)
    cells = [(slice(i, i + 1), slice(i, i + 1)) for i in range(8)]
    plan = arrange(shape, [box(key, shape) for key in cells])
    assert [axis for axis, _ in plan] == [None, None]
    assert len(plan[0][1]) == FEW
    assert sorted(plan[0][1] + plan[1][1]) == list(range(8))


def test_what_overlaps_is_kept_apart() -> None:
    shape = (10,)
    spans = (slice(0, 6), slice(5, 10), slice(6, 10), slice(0, 5), slice(0, 10, 3))
    plan = arrange(shape, [box((s,), shape) for s in spans])
    for _, numbers in plan:
        filled = np.zeros(shape, int)
        for n in numbers:
            filled[spans[n]] += 1
        assert filled.max() == 1
    assert len(plan) == 3
