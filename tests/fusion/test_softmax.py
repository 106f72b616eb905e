"""Softmax takes shortcuts in a fused kernel: its values, also where nan and inf are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo

DRAWN = np.random.default_rng(3)


def soft(x: Any) -> tuple[Any, Any]:
    """softmax and log_softmax over the last axis, in float64."""
    x = x.astype("float64")
    with np.errstate(all="ignore"):
        gap = x - x.max(-1, keepdims=True)
        total = np.exp(gap).sum(-1, keepdims=True)
        return np.exp(gap) / total, gap - np.log(total)


@pytest.mark.parametrize("columns", [5, 64, 300, 4096])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_nan_and_inf(fused: fogo.Device, columns: int, dtype: str) -> None:
    if fused.name == "python" and columns > 300:
        columns = 301
    x = (DRAWN.normal(size=(8, columns)) * 30).astype(dtype)
    x[1, 2] = x[2, -1] = x[3, 0] = np.nan
    x[3, columns // 2] = np.nan
    x[4, 0], x[5, 1] = np.inf, -np.inf
    x[6], x[7, 1:] = -np.inf, -np.inf
    parts, logs = soft(x)
    given = fogo.tensor(x, device=fused) * 1.0
    rtol, atol = (3e-6, 1e-5) if dtype == "float32" else (2e-3, 1e-3)
    np.testing.assert_allclose(given.softmax(-1).numpy(), parts, rtol=rtol, atol=1e-7)
    found = given.log_softmax(-1).numpy()
    np.testing.assert_allclose(found, logs, rtol=rtol, atol=atol)
    assert not given.softmax(-1)[7, 1:].numpy().any()  # what is masked is 0


def test_exponentials_down_to_the_smallest_number(fused: fogo.Device) -> None:
    x = np.zeros((4000, 2), "float32")
    x[:, 1] = np.linspace(-87.3, 0, 4000)
    found = (fogo.tensor(x, device=fused) * 1.0).softmax(-1).numpy()
    np.testing.assert_allclose(found, soft(x)[0], rtol=5e-7)


def test_what_is_no_softmax_keeps_its_nan(fused: fogo.Device) -> None:
    """The largest element goes elsewhere, too, or the sum divides something else."""
    x = DRAWN.normal(size=(3, 40)).astype("float32")
    x[1, 3] = np.nan
    given = fogo.tensor(x, device=fused)
    top = given.max(-1, True)
    power = (given - top).exp()
    mine = x.astype("float64") - x.max(-1, keepdims=True)
    np.testing.assert_allclose((power + 1.0).numpy(), np.exp(mine) + 1, rtol=1e-5)
    part = power / power.sum(-1, True)
    total = part * 0.5 + top
    wanted = soft(x)[0] * 0.5 + x.max(-1, keepdims=True)
    np.testing.assert_allclose(total.numpy(), wanted, rtol=1e-5)
    kept = (given - given.max(-1, True)).exp()
    share = kept / kept.sum(-1, True)
    np.testing.assert_allclose(share.numpy(), soft(x)[0], rtol=1e-5)
    np.testing.assert_allclose(kept.numpy(), np.exp(mine), rtol=1e-5)


def test_gradients(fused: fogo.Device) -> None:
    x = DRAWN.normal(size=(6, 50)).astype("float32")
    g = DRAWN.normal(size=(6, 50)).astype("float32")
    device = fused.autodiff()
    given = fogo.tensor(x, device=device).requires_grad_()
    for log in (False, True):
        out = given.log_softmax(-1) if log else given.softmax(-1)
        found = (out * fogo.tensor(g, device=device)).sum().backward()[given]
        p = soft(x)[0]
        wanted = p * (g - (p * g).sum(-1, keepdims=True))
        if log:
            wanted = g - p * g.sum(-1, keepdims=True, dtype="float64")
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-5)
