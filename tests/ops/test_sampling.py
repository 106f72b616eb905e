"""Draws from probabilities: their shares, and that none comes twice."""

from __future__ import annotations

import numpy as np
import pytest

import fogo

WEIGHTS = [1.0, 0.0, 3.0, 4.0, 2.0]


def test_shares_with_replacement(device: fogo.Device) -> None:
    device.seed(5)
    weights = fogo.tensor([WEIGHTS, WEIGHTS[::-1]], device=device)
    drawn = np.array(fogo.multinomial(weights, 4000, replacement=True).tolist())
    for row, wanted in zip(drawn, (WEIGHTS, WEIGHTS[::-1])):
        shares = np.bincount(row, minlength=5) / 4000
        assert shares == pytest.approx(np.array(wanted) / 10, abs=0.04)
        assert shares[np.array(wanted) == 0] == 0


def test_first_shares_without_replacement(device: fogo.Device) -> None:
    device.seed(6)
    weights = fogo.tensor(WEIGHTS, device=device).expand(2000, 5)
    drawn = np.array(fogo.multinomial(weights, 4).tolist())
    assert all(sorted(row) == [0, 2, 3, 4] for row in drawn.tolist())
    shares = np.bincount(drawn[:, 0], minlength=5) / 2000
    assert shares == pytest.approx(np.array(WEIGHTS) / 10, abs=0.05)


def test_all_places_without_replacement(device: fogo.Device) -> None:
    """Those without weight come last."""
    drawn = fogo.multinomial(fogo.tensor(WEIGHTS, device=device), 5).tolist()
    assert sorted(drawn) == [0, 1, 2, 3, 4] and drawn[-1] == 1
