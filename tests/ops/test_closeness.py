"""Comparisons and replacements where nan and infinities are."""

from __future__ import annotations

import math

import fogo
from tests.shared.check import equal

NAN, INF = math.nan, math.inf


def test_isclose_of_what_is_no_number(device: fogo.Device) -> None:
    x = fogo.tensor([NAN, INF, -INF, INF, 1.0, NAN], device=device)
    y = fogo.tensor([NAN, INF, INF, 1.0, INF, 1.0], device=device)
    equal(fogo.isclose(x, y), [False, True, False, False, False, False])
    equal(fogo.isclose(x, y, equal_nan=True), [True, True] + [False] * 4)
    assert not bool(fogo.allclose(x, x)) and bool(fogo.allclose(x, x, equal_nan=True))
    equal(fogo.isclose(x, INF), [False, True, False, True, False, False])


def test_isclose_of_integers_and_numbers(device: fogo.Device) -> None:
    x = fogo.tensor([1, 2, -3], device=device)
    equal(x.isclose(1.5, rtol=0.0, atol=0.5), [True, True, False])
    equal(x.isclose(fogo.tensor([1.0, 2.5, -3.0], device=device)), [True, False, True])


def test_nan_to_num(device: fogo.Device) -> None:
    x = fogo.tensor([NAN, INF, -INF, 2.0], device=device)
    equal(fogo.nan_to_num(x), [0.0, 3.4028234663852886e38, -3.4028234663852886e38, 2.0])
    equal(fogo.nan_to_num(x, 1.0, 2.0, 3.0), [1.0, 2.0, 3.0, 2.0])
    equal(fogo.isposinf(x), [False, True, False, False])
    equal(fogo.isneginf(x), [False, False, True, False])


def test_contains_nan(device: fogo.Device) -> None:
    assert bool(fogo.tensor([1.0, NAN], device=device).contains_nan())
    assert not bool(fogo.tensor([1.0, INF], device=device).contains_nan())
