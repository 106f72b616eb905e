"""Gradients of pooling by bounded loops: against windows laid out one by one."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import fogo

RANDOM = np.random.default_rng(6)
FORMS = [(2, 2, 0), (3, 2, 1), (3, 3, 1), (2, 3, 0), (3, 1, 1), (5, 2, 2)]


def windows(n: int, kernel: int, stride: int, padding: int) -> list[list[int]]:
    """The places of each window that lie in the input."""
    count = (n + 2 * padding - kernel) // stride + 1
    return [
        [i for i in range(o * stride - padding, o * stride - padding + kernel)
         if 0 <= i < n]
        for o in range(count)
    ]  # fmt: skip


def gradients(a: Any, g: Any, kernel: int, stride: int, padding: int) -> Any:
    """Gradients of max pooling (first of the largest) and of average pooling."""
    most, mean = np.zeros(a.shape), np.zeros(a.shape)
    high = windows(a.shape[2], kernel, stride, padding)
    wide = windows(a.shape[3], kernel, stride, padding)
    for (i, ys), (j, xs) in product(enumerate(high), enumerate(wide)):
        for n, c in product(range(a.shape[0]), range(a.shape[1])):
            part = a[n, c][np.ix_(ys, xs)]
            y, x = np.unravel_index(part.argmax(), part.shape)
            most[n, c, ys[y], xs[x]] += g[n, c, i, j]
            mean[n, c][np.ix_(ys, xs)] += g[n, c, i, j] / kernel**2
    return most, mean


@pytest.mark.parametrize("kernel, stride, padding", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_gradients(
    kernel: int, stride: int, padding: int, dtype: str, gpu: Any
) -> None:
    a = RANDOM.permutation(2 * 3 * 11 * 14).reshape(2, 3, 11, 14).astype(dtype)
    x = fogo.tensor(a, device=gpu.autodiff()).requires_grad_()
    tolerance = 1e-6 if dtype == "float32" else 1e-2
    for pool, which in ((fogo.max_pool2d, 0), (fogo.avg_pool2d, 1)):
        y = pool(x, kernel, stride, padding)
        g = RANDOM.integers(-4, 5, y.shape).astype(dtype)
        grad = y.backward(fogo.tensor(g, device=gpu))[x].numpy()
        true = gradients(a, g.astype(np.float64), kernel, stride, padding)[which]
        assert np.abs(grad - true).max() <= tolerance * 10


def test_an_empty_batch(full: fogo.Device) -> None:
    x = fogo.ones(0, 3, 8, 8, device=full.autodiff()).requires_grad_()
    grad = fogo.max_pool2d(x, 2).sum().backward()[x]
    assert grad.shape == (0, 3, 8, 8)
