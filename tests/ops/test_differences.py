"""Gradients beside central differences of the device's own forward, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from tests.ops import grid
from tests.ops.rows import load
from tests.shared import cases
from tests.support import sampling

STEP = 1e-5
DIFFERENTIABLE = [
    name
    for name, row in load().items()
    if row.torch is not None and "float64" in row.dtypes
]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradient(
    name: str, device: fogo.Device, request: pytest.FixtureRequest
) -> None:
    """<grad, v> = (L(x + h v) - L(x - h v)) / 2h in a random direction v."""
    if fogo.float64 not in device.backend.holds:
        with pytest.raises(fogo.DTypeError, match="float64"):
            fogo.zeros(1, dtype="float64", device=device)
        return
    exact = [c for c in grid.cases(name, "float64") if in_doubles(c)]
    smooth = [c for c in exact if c.get("second")]
    smooth = smooth or [c for c in exact if c.get("grads")]
    assert smooth, f"{name}: no case has a gradient"
    chosen = smooth if sampling.fraction() == 1 else smooth[:1]
    for case in chosen:
        analytic, numeric = both(case, device)
        bound = 1e-6 * (1 + abs(numeric))
        assert abs(analytic - numeric) <= bound, (case["id"], analytic, numeric)
    count = ("cases", (device.name, len(chosen)))
    request.node.user_properties.append(count)


def in_doubles(case: Any) -> bool:
    """A difference of two numbers rounded to fewer digits says nothing."""
    dtypes = [out["dtype"] for out in case["outputs"]]
    return not {"float16", "float32"} & set(dtypes)


def both(case: Any, device: fogo.Device) -> tuple[float, float]:
    """The derivative along a direction: by backward, and by differences."""
    inputs = [cases.build(spec, device) for spec in case["inputs"]]
    random = np.random.default_rng(7)
    moves = [
        random.uniform(-1, 1, x.shape)
        if isinstance(x, fogo.Tensor) and x.dtype.is_float
        else None
        for x in inputs
    ]
    leaves = cases.tracked(inputs, device.autodiff())
    cases.restart(case, device)
    total = cases.loss(cases.call(case, leaves, device.autodiff()))
    if total is None:
        return 0.0, 0.0
    grads = total.backward()
    analytic = 0.0
    for x, v in zip(leaves, moves):
        g = grads.get(x) if v is not None else None
        if g is not None:
            analytic += float((g.numpy() * v).sum())
    ahead, behind = (at(case, device, inputs, moves, h) for h in (STEP, -STEP))
    return analytic, (ahead - behind) / (2 * STEP)


def at(
    case: Any, device: fogo.Device, inputs: list[Any], moves: list[Any], step: float
) -> float:
    """The loss at x + step * v: only results that carry a gradient count."""
    moved = [
        x if v is None else x + fogo.tensor(v * step, device=device)
        for x, v in zip(inputs, moves)
    ]
    tracked = cases.tracked(moved, device.autodiff())
    cases.restart(case, device)
    return cases.loss(cases.call(case, tracked, device.autodiff())).item()
