"""Planted bugs: the checking interpreter names each by kind and line, and its twin
without the bug passes with the right values."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from fogo.kernel.check import check
from tests.kernel import planted

X = np.arange(1, 41, dtype="float32")
SQUARE = X[:32].reshape(2, 16)
WIDE = np.arange(64, dtype="float32").reshape(2, 32)
COUNTS = np.array([0, 1, 1, 3, 3, 3], "int32")
EDGES = np.concatenate([X[:1], X[:-1]]) + np.concatenate([X[1:], X[-1:]])

# kernel, kind, input, output (what the fixed one must give), float32 unless said
BUGS = [
    (planted.neighbour, "out-of-bounds", X, np.append(np.ones(39), 0)),
    (planted.tail, "out-of-bounds", X[:30], X[:30]),
    (planted.halo, "out-of-bounds", X, EDGES),
    (planted.reversal, "race", X[:32], X[31::-1]),
    (planted.tree, "race", WIDE, WIDE.sum(1)),
    (planted.tiles, "race", SQUARE, [SQUARE.sum()]),
    (planted.histogram, "race", COUNTS, np.array([1, 2, 0, 3], "int32")),
    (planted.first_part, "uninitialised", X[:32], X[:16] + X[16:32]),
    (planted.running, "uninitialised", SQUARE, SQUARE.sum(1)),
    (planted.branch, "uninitialised", X - 20, np.maximum(X - 20, 0) * 2),
    (planted.guarded, "divergent", X[:20], X[:20]),
    (planted.unequal, "divergent", X[:16], X[:16] + 2 * (np.arange(16) >= 8)),
    (planted.by_data, "divergent", X[:16], X[:16] * 2),
]
NAMES = [row[0].__name__ for row in BUGS]


def marked(function, mark):
    """Return the file:line places of a function's lines with a mark."""
    lines, first = inspect.getsourcelines(function)
    file = inspect.getsourcefile(function).replace("\\", "/")
    return [f"{file}:{first + i}" for i, x in enumerate(lines) if mark in x]


def run(function, x, expected, fixed):
    expected = np.asarray(expected)
    dtype = "int32" if expected.dtype == np.int32 else "float32"
    return check(function, [x], (fixed,), outs=[(expected.shape, dtype)])


def test_there_are_enough() -> None:
    kinds = [row[1] for row in BUGS]
    assert len(BUGS) >= 12
    assert min(kinds.count(kind) for kind in set(kinds)) >= 3 and len(set(kinds)) == 4


@pytest.mark.parametrize(("function", "kind", "x", "expected"), BUGS, ids=NAMES)
def test_bug_is_found(function, kind, x, expected) -> None:
    report = run(function, x, expected, False)
    first = report.problems[0]
    places = marked(function, "BUG")
    assert first.kind == kind, report
    assert first.line in places, report
    if kind == "race" and first.other != first.line:
        assert first.other in marked(function, "WITH"), report


@pytest.mark.parametrize(("function", "kind", "x", "expected"), BUGS, ids=NAMES)
def test_twin_passes(function, kind, x, expected) -> None:
    report = run(function, x, expected, True)
    assert not report.problems, report
    assert np.array_equal(report.outputs[0].numpy(), expected)
