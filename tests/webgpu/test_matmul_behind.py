"""Work that Fusion puts behind products by tiles, as on a GPU with processors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo.fast import matmul
from fogo.fast.matmul_tile import Tile
from fogo.ops.record import Aval
from tests.webgpu.tuned import raw

RANDOM = np.random.default_rng(11)
# Whole tiles; no multiples of anything; fewer rows than a thread has.
SHAPES = [(128, 40, 64), (77, 45, 91), (70, 44, 92), (17, 20, 68), (3, 24, 40)]
TILES = [t for t, _ in matmul.TILES]


@pytest.fixture
def hard(full: fogo.Device, monkeypatch: pytest.MonkeyPatch) -> fogo.Device:
    """A device that fuses, and takes tiles for all products."""
    backend = raw(full)
    monkeypatch.setattr(backend.fast.caps, "software", False)
    monkeypatch.setattr(backend.fast, "chosen", {})
    monkeypatch.setattr(matmul, "_thin", lambda *a: [])
    monkeypatch.setattr(matmul, "splits", lambda *a: [1])
    fused: Any = fogo.device("webgpu")
    monkeypatch.setattr(fused.backend, "plans", {})  # made for the device as it is
    return fused


def drawn(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("shape", SHAPES)
def test_products_with_work_behind(
    shape: Any, tile: Any, hard: fogo.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Tile(*tile).fits(raw(hard).fast.caps.limits):
        tile = (64, 64, 8, 8, 4, 1, 8, 8)
    monkeypatch.setattr(matmul, "TILES", ((tile, 0.5),))
    m, k, n = shape
    x, y, bias, r, q = (
        drawn(m, k), drawn(k, n), drawn(n), drawn(m, n), drawn(m, n),
    )  # fmt: skip
    tx, ty, tb, tr, tq = [fogo.tensor(a, device=hard) for a in (x, y, bias, r, q)]
    line = tx @ ty + tb  # kept, too
    got = line * tq + tr
    true = x.astype("f8") @ y.astype("f8") + bias
    np.testing.assert_allclose(got.numpy(), true * q + r, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(line.numpy(), true, rtol=1e-4, atol=1e-4)


def test_a_batch_with_a_residual_of_one_row(hard: fogo.Device) -> None:
    x, y, r = drawn(3, 66, 24), drawn(3, 24, 68), drawn(3, 1, 68)
    tx, ty, tr = [fogo.tensor(a, device=hard) for a in (x, y, r)]
    true = x.astype("f8") @ y.astype("f8") + r
    np.testing.assert_allclose((tx @ ty + tr).numpy(), true, rtol=1e-4, atol=1e-4)


class Plain:
    """What the choice looks at, of a row-major matrix."""

    def __init__(self, *shape: int) -> None:
        from fogo.shapes import Layout

        self.shape = shape
        self.layout = Layout(shape)


@pytest.mark.parametrize(
    ("rows", "wanted"), [(8192, "tile 128x128"), (512, None)], ids=["many", "few"]
)
def test_a_tile_that_would_lose_a_group(
    rows: int, wanted: str | None, hard: fogo.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three groups of 128 threads fill the registers: not with work behind them."""
    caps = raw(hard).fast.caps
    limits = dict(caps.limits, maxComputeWorkgroupStorageSize=49152)
    monkeypatch.setattr(caps, "limits", limits)
    out = Aval((rows, 2048), fogo.float32)
    shape = matmul.Shape(Plain(rows, 512), Plain(512, 2048), out)
    found = [c for c in matmul._tiles(shape, caps, out) if "tile 64x128" in c.name]
    assert found
    behind = found[0].behind
    assert behind is None if wanted is None else behind.name.startswith(wanted)
    other = [c for c in matmul._tiles(shape, caps, out) if "tile 128x128" in c.name]
    assert other[0].behind is None
