"""How far two trainings are apart."""

from __future__ import annotations

from collections.abc import Sequence

Gradients = Sequence[tuple[str, Sequence[float]]]


def worst_loss(found: Sequence[float], expected: Sequence[float]) -> float:
    """Return the largest relative difference of losses at the same step."""
    assert len(found) == len(expected)
    return max(abs(a - b) / abs(b) for a, b in zip(found, expected))


def worst_gradient(found: Gradients, expected: Gradients) -> float:
    """Return the largest difference relative to the largest element of its tensor."""
    assert [name for name, _ in found] == [name for name, _ in expected]
    worst = 0.0
    for (_, a), (_, b) in zip(found, expected):
        assert len(a) == len(b)
        scale = max(abs(value) for value in b)
        worst = max(worst, max(abs(x - y) for x, y in zip(a, b)) / scale)
    return worst
