"""Chains of views, drawn at random, beside NumPy: layouts, reshapes, and their use."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import fogo
from tests.support import sampling

CHAINS = 30
STEPS = 5
ALL = [f"{sampling.seed()}-{i}" for i in range(CHAINS)]


def permuted(draw: random.Random, shape: Any) -> Any:
    order = draw.sample(range(len(shape)), len(shape))
    return lambda x: x.permute(order), lambda a: a.transpose(order)


def sliced(draw: random.Random, shape: Any) -> Any:
    key = []
    for n in shape:
        step = draw.choice((1, 1, 2, -1, -2, 3))
        bounds = [draw.choice((None, draw.randint(-n - 1, n + 1))) for _ in range(2)]
        key.append(slice(*bounds, step))
    index = tuple(key)
    return lambda x: x[index], lambda a: a[index]


def expanded(draw: random.Random, shape: Any) -> Any:
    target = [draw.choice((2, 3)) if n == 1 else n for n in shape]
    if len(shape) < 4:
        target = [draw.choice((1, 2)), *target]
    return lambda x: x.expand(target), lambda a: np.broadcast_to(a, target)


def reshaped(draw: random.Random, shape: Any) -> Any:
    """The size's factors, shared out anew."""
    size = math.prod(shape)
    target: list[int] = [1] * draw.randint(1, 4)
    rest, factor = size, 2
    while rest > 1:
        if rest % factor:
            factor += 1
            continue
        target[draw.randrange(len(target))] *= factor
        rest //= factor
    if size == 0:
        target[draw.randrange(len(target))] = 0
    return lambda x: x.reshape(target), lambda a: a.reshape(target)


def squeezed(draw: random.Random, shape: Any) -> Any:
    place = draw.randint(0, len(shape))
    return lambda x: x.unsqueeze(place), lambda a: np.expand_dims(a, place)


MOVES = (permuted, sliced, sliced, expanded, reshaped, reshaped, squeezed)


def chain(seed: str, x: Any, a: Any) -> tuple[Any, Any]:
    """The same moves on a tensor and on an array."""
    draw = random.Random(seed)
    for _ in range(STEPS):
        ours, theirs = draw.choice(MOVES)(draw, a.shape)
        x, a = ours(x), theirs(a)
        assert x.shape == a.shape
    return x, a


@pytest.mark.parametrize("seed", ALL)
def test_views(seed: str, device: fogo.Device) -> None:
    start = np.arange(2 * 3 * 4 * 5, dtype="float32").reshape(2, 3, 4, 5)
    x, a = chain(seed, fogo.tensor(start, device=device), start)
    np.testing.assert_array_equal(x.numpy(), a)
    np.testing.assert_array_equal((x * 2 + x).numpy(), a * 3)
    if a.size:
        axis = a.ndim - 1
        np.testing.assert_array_equal(x.max(axis).numpy(), a.max(axis))
        np.testing.assert_allclose(x.sum().item(), a.sum(dtype="float64"), rtol=1e-6)


@pytest.mark.parametrize("seed", ALL)
def test_gradients_of_views(seed: str, device: fogo.Device) -> None:
    """Each element's gradient is the weight of all the places it went to."""
    start = np.arange(2 * 3 * 4 * 5, dtype="float32").reshape(2, 3, 4, 5)
    leaf = fogo.tensor(start, device=device.autodiff()).requires_grad_()
    x, a = chain(seed, leaf, start)
    w = np.arange(a.size, dtype="float32").reshape(a.shape) % 7
    expected = np.zeros(start.size)
    np.add.at(expected, a.reshape(-1).astype(int), w.reshape(-1))
    grads = (x * fogo.tensor(w, device=device)).sum().backward()
    np.testing.assert_array_equal(grads[leaf].numpy().reshape(-1), expected)
