"""Counting with weights, given edges, in coroutines, and what is left out."""

from __future__ import annotations

import numpy as np
import pytest

import fogo
from tests.shared.check import close, equal

DATA = [0.0, 0.5, 1.0, 2.5, 3.0, -1.0, 9.0, 2.0]


def test_weights(device: fogo.Device) -> None:
    x = fogo.tensor([1, 3, 1], device=device)
    w = fogo.tensor([0.5, 2.0, 0.25], device=device)
    found = fogo.bincount(x, w)
    equal(found, [0.0, 0.75, 0.0, 2.0])
    assert found.dtype is fogo.float32


async def test_bincount_in_a_coroutine(device: fogo.Device) -> None:
    x = fogo.tensor([1, 3, 1], device=device)
    found = await fogo.bincount_async(x, minlength=6)
    assert await found.data_async() == [0, 2, 0, 1, 0, 0]


def test_a_given_length_reads_nothing(device: fogo.Device) -> None:
    x = fogo.tensor([1, 3, 1, -1], device=device)
    backend = device.base().backend
    before = backend.uploads, backend.reads
    found = fogo.bincount(x, length=2)
    assert (backend.uploads, backend.reads) == before
    equal(found, [0, 2])


@pytest.mark.parametrize("edges", [[0.0, 1.0, 2.5, 3.0], [-5.0, 0.0, 0.25]])
def test_given_edges(edges: list[float], device: fogo.Device) -> None:
    x = fogo.tensor(DATA, device=device)
    given = fogo.tensor(edges, device=device)
    found = fogo.histogram(x, given)
    equal(found.hist, np.histogram(DATA, edges)[0].astype(float))
    equal(found.edges, edges)
    w = fogo.arange(8, device=device).astype("float32")
    weighted = np.histogram(DATA, edges, weights=np.arange(8.0))[0]
    equal(fogo.histogram(x, given, weight=w).hist, weighted)


def test_equal_values_lie_in_the_middle(device: fogo.Device) -> None:
    x = fogo.full((3,), 2.0, device=device)
    equal(fogo.histc(x, 2), [0.0, 3.0])
    hist, edges = fogo.histogram(x, 2)
    equal(hist, [0.0, 3.0])
    close(edges, [1.0, 2.0, 3.0])


def test_nan_is_left_out(device: fogo.Device) -> None:
    x = fogo.tensor([float("nan"), 1.0, float("inf")], device=device)
    equal(fogo.histc(x, 2, 0.0, 2.0), [0.0, 1.0])
    equal(fogo.histogram(x, 2, (0.0, 2.0)).hist, [0.0, 1.0])
