"""Each fused kernel against the ops that it replaced, on the operands it was given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo.backend.fusion import easier
from fogo.backend.fusion.reference import Checked, Difference, distance
from tests.fusion.programs import Program, Seeded

DRAWN = np.random.default_rng(7)


def wrong(found: list[Difference]) -> list[Difference]:
    """Results farther apart than the order of additions explains."""
    bound = {"float16": 4e-3, "float32": 2e-5}
    return [d for d in found if d.worst > bound.get(d.dtype.name, 0.0)]


@pytest.mark.parametrize("tens", range(6))
def test_programs(tens: int, portable: fogo.Device) -> None:
    with Checked(portable.backend) as checked:
        for number in range(10):
            Program(Seeded(7000 + 10 * tens + number)).run(portable)
    assert len(checked.found) > 60 and not wrong(checked.found)


def test_a_step_of_a_model(portable: fogo.Device) -> None:
    where = portable.autodiff()
    model = fogo.nn.Sequential(
        fogo.nn.Conv2d(1, 4, 3, device=where), fogo.nn.ReLU(), fogo.nn.MaxPool2d(2),
        fogo.nn.Flatten(), fogo.nn.Linear(36, 16, device=where),
        fogo.nn.LayerNorm(16, device=where), fogo.nn.GELU(), fogo.nn.Dropout(0.1),
        fogo.nn.Linear(16, 5, device=where),
    )  # fmt: skip
    optimizer = fogo.optim.AdamW(model.parameters(), lr=0.01)
    x = DRAWN.normal(size=(6, 1, 8, 8)).astype("float32")
    y = DRAWN.integers(0, 5, 6).astype("int32")
    with Checked(portable.backend) as checked:
        for _ in range(3):
            image = fogo.tensor(x, device=where)
            loss = fogo.cross_entropy(model(image), fogo.tensor(y, device=where))
            optimizer.step(loss.backward())
    assert len(checked.found) > 30 and not wrong(checked.found)
    assert np.isfinite(loss.item())


def test_a_step_of_a_transformer(portable: fogo.Device) -> None:
    where = portable.autodiff()
    shapes = ((16, 48), (16, 16), (16, 32), (32, 16), (16,), (16,))
    given = [DRAWN.normal(size=s).astype("float32") * 0.3 for s in shapes]
    weights = [fogo.nn.Parameter(fogo.tensor(x, device=where)) for x in given]
    optimizer = fogo.optim.AdamW(weights, lr=0.01)
    x = fogo.tensor(DRAWN.normal(size=(2, 7, 16)).astype("float32"), device=where)
    with Checked(portable.backend) as checked:
        for _ in range(2):
            optimizer.step((block(x, *weights) - x).square().sum().backward())
    assert len(checked.found) > 20 and not wrong(checked.found)


def block(
    x: Any, qkv: Any, out: Any, up: Any, down: Any, scale: Any, shift: Any
) -> Any:
    """Two heads of written-out attention, and a feed-forward part."""
    y = fogo.layer_norm(x, 16, scale, shift) @ qkv
    q, k, v = [
        y[..., i * 16 : i * 16 + 16].reshape((2, 7, 2, 8)).permute((0, 2, 1, 3))
        for i in range(3)
    ]
    scores = (q @ k.mT) * 8**-0.5
    mixed = (scores.softmax(-1) @ v).permute((0, 2, 1, 3)).reshape((2, 7, 16))
    x = x + mixed @ out
    return x + (fogo.layer_norm(x, 16, scale, shift) @ up).gelu() @ down


def test_a_wrong_kernel_is_found(
    portable: fogo.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def off(dtype: Any) -> Any:
        return lambda x, share: x * share * 1.001

    monkeypatch.setattr("fogo.backend.fusion.rows.shared", off)
    assert easier.shared is not off
    x = fogo.tensor(DRAWN.normal(size=(3, 41)).astype("float32"), device=portable)
    backend = portable.backend
    monkeypatch.setattr(backend, "kernels", {})
    monkeypatch.setattr(backend, "plans", {})
    with Checked(backend) as checked:
        x.softmax(-1).numpy()
    assert [d.op for d in wrong(checked.found)] == ["div"]
    x.exp().numpy()  # and all goes on as before
    assert len(checked.found) == 1


def test_distances() -> None:
    nan, inf = float("nan"), float("inf")
    assert distance([1.0, nan, inf, 4.0], [1.0, nan, inf, 5.0]) == 0.2
    assert distance([1.0], [nan]) == distance([inf], [2.0]) == inf
    assert distance([0, 0], [0, 0]) == 0.0
