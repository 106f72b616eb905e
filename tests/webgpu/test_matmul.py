"""Every kernel for matrix products, on shapes that fit its tiles and that do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo.fast import Caps, matmul
from fogo.fast.matmul_tile import Tile
from fogo.fast.matmul_total import TOTAL
from fogo.fast.matmul_units import units
from fogo.kernel.check import check
from fogo.ops.matmul import MATMUL
from fogo.ops.record import Aval
from fogo.shapes import Layout
from fogo.webgpu.gpu import PORTABLE
from tests.webgpu.tuned import compute, handle, hardware, raw

RANDOM = np.random.default_rng(5)
LAYOUTS = [(False, False), (False, True), (True, False), (True, True)]
# Whole tiles; nothing a multiple of four; k and one side multiples of four.
SHAPES = [(128, 32, 64), (77, 45, 91), (70, 44, 92)]


def products(
    device: fogo.Device, x: np.ndarray, y: np.ndarray, swapped: Any, software: bool
) -> Any:
    """(candidate, its result, the true product) for each candidate."""
    backend = raw(device)
    inputs = handle(backend, x, swapped[0]), handle(backend, y, swapped[1])
    true = x.astype(np.float64) @ y.astype(np.float64)
    out = Aval(true.shape, inputs[0].dtype)
    found = matmul.candidates(MATMUL, inputs, (), (out,), hardware(backend, software))
    for candidate in found:
        yield candidate, compute(backend, candidate, inputs, out), true


def agree(device: fogo.Device, x: np.ndarray, y: np.ndarray, swapped: Any = (0, 0),
          software: bool = False, most: int = 99) -> None:  # fmt: skip
    """Compare the first `most` candidates with float64; at least one is there."""
    bound = 2e-6 if x.dtype == np.float32 else 2e-3
    size = np.abs(x).astype(np.float64) @ np.abs(y).astype(np.float64) + 1e-30
    count = 0
    for candidate, got, true in products(device, x, y, swapped, software):
        assert (np.abs(got - true) / size).max() < bound, candidate
        count += 1
        if count == most:
            break
    assert count


def random(*shape: int, dtype: str = "float32") -> np.ndarray:
    return RANDOM.normal(0, 1, shape).astype(dtype)


@pytest.mark.parametrize("swapped", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_tiles_on_every_layout(shape: Any, swapped: Any, full: fogo.Device) -> None:
    m, k, n = shape
    most = 99 if shape == SHAPES[1] and swapped == (False, False) else 2
    agree(full, random(m, k), random(k, n), swapped, most=most)


@pytest.mark.parametrize("swapped", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_registers_on_every_layout(shape: Any, swapped: Any, full: fogo.Device) -> None:
    m, k, n = shape
    agree(full, random(m, k), random(k, n), swapped, software=True)


@pytest.mark.parametrize("swapped", LAYOUTS)
@pytest.mark.parametrize("shape", [(1, 300, 68), (65, 300, 3), (1, 7, 1), (5, 1, 90)])
def test_few_rows_or_columns(shape: Any, swapped: Any, full: fogo.Device) -> None:
    m, k, n = shape
    agree(full, random(m, k), random(k, n), swapped)
    agree(full, random(m, k), random(k, n), swapped, software=True, most=1)


@pytest.mark.parametrize("software", [False, True])
def test_batches(software: bool, full: fogo.Device) -> None:
    agree(full, random(2, 3, 40, 24), random(2, 3, 24, 36), software=software, most=2)
    agree(full, random(5, 33, 8), random(5, 8, 7), (0, 1), software=software, most=2)
    agree(full, random(6, 1, 64), random(6, 64, 20), software=software, most=2)


def test_batches_that_are_broadcast(full: fogo.Device) -> None:
    x, y = random(3, 1, 40, 24), random(2, 24, 36)
    got = fogo.matmul(fogo.tensor(x, device=full), fogo.tensor(y, device=full))
    np.testing.assert_allclose(got.numpy(), x @ y, rtol=1e-4, atol=1e-5)


def test_a_long_sum_is_split_in_parts(full: fogo.Device) -> None:
    x, y = random(40, 5003), random(5003, 36)
    names = []
    for candidate, got, true in products(full, x, y, (False, False), False):
        names.append(candidate.name)
        np.testing.assert_allclose(got, true, rtol=1e-4, atol=2e-3)
    assert "split" in names[0]


@pytest.mark.parametrize("split", [5, 6])
def test_parts_that_are_shorter_or_empty(split: int, full: fogo.Device) -> None:
    """13 turns of the loop: five parts have 3, 3, 3, 3 and 1; the last of six none."""
    x, y = random(64, 208), random(208, 128)
    backend = raw(full)
    inputs = handle(backend, x), handle(backend, y)
    sizes = matmul.Shape(*inputs, Aval((64, 128), fogo.float32))
    numbers = (64, 128, 8, 8, 8, 3, 8, 8)
    assert matmul.even(208, Tile(*numbers).turn, split) == (split == 5)
    out = Aval((64, 128), fogo.float32)
    made = matmul._tile(sizes, numbers, split, out)
    got = compute(backend, made, inputs, out)
    np.testing.assert_allclose(got, x.astype(np.float64) @ y, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(3, 5, 7), (2, 3, 8), (129, 4)])
@pytest.mark.parametrize("count", [2, 8, 9, 40, 130])
def test_parts_are_added_up(count: int, shape: Any) -> None:
    """By fours and one by one; few parts, and so many that threads share a result."""
    parts = random(count, *shape)
    width = 1 if shape[-1] % 4 else 4
    report = check(TOTAL.kernel, [fogo.tensor(parts, device="python")],
                   (count, width), [(shape, "float32")])  # fmt: skip
    assert report.problems == []
    true = parts.astype(np.float64).sum(0)
    got = np.array(report.outputs[0].tolist())
    np.testing.assert_allclose(got, true, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(40, 30, 32), (64, 32, 64), (1, 128, 40)])
def test_half_precision(shape: Any, full: fogo.Device) -> None:
    if not raw(full).half:
        pytest.skip("this device has no shader-f16")
    m, k, n = shape
    agree(full, random(m, k, dtype="float16"), random(k, n, dtype="float16"), most=3)


def test_half_precision_and_integers_without_kernels_of_their_own(
    portable: fogo.Device,
) -> None:
    x, y = random(9, 30, dtype="float16"), random(30, 7, dtype="float16")
    got = fogo.matmul(fogo.tensor(x, device=portable), fogo.tensor(y, device=portable))
    true = x.astype(np.float64) @ y.astype(np.float64)
    np.testing.assert_allclose(got.numpy(), true, rtol=2e-3, atol=4e-3)
    a = RANDOM.integers(-9, 9, (9, 30)).astype(np.int32)
    b = RANDOM.integers(-9, 9, (30, 7)).astype(np.int32)
    got = fogo.matmul(fogo.tensor(a, device=portable), fogo.tensor(b, device=portable))
    assert (got.numpy() == a @ b).all()


def test_nothing_to_add_gives_zeros(full: fogo.Device) -> None:
    empty = fogo.zeros((3, 0), device=full), fogo.zeros((0, 4), device=full)
    assert (empty[0] @ empty[1]).tolist() == [[0.0] * 4] * 3
    assert (empty[1] @ fogo.zeros((4, 5), device=full)).shape == (0, 5)


def test_infinities_do_not_leak_from_beyond_the_edge(full: fogo.Device) -> None:
    x, y = random(50, 21), random(21, 37)
    x[49], y[:, 36] = np.inf, np.nan
    with np.errstate(invalid="ignore"):
        found = list(products(full, x, y, (False, False), False))
    for candidate, got, _ in found:
        assert np.isfinite(got[:49, :36]).all(), candidate


def test_small_devices_get_small_tiles(portable: fogo.Device) -> None:
    caps = hardware(raw(portable))
    assert caps.limits["maxComputeWorkgroupStorageSize"] == 16384
    agree(portable, random(130, 40), random(40, 131))
    x = handle(raw(portable), random(512, 512))
    out = Aval((512, 512), fogo.float32)
    for c in matmul.candidates(MATMUL, (x, x), (), (out,), caps):
        assert Tile(*(c.attrs or c.stages[0][1])[0]).shared_bytes() <= 16384


def test_large_products_take_large_tiles() -> None:
    """On a GPU the size of an H200: the largest tile; few tiles: smaller, or split."""
    limits = dict(PORTABLE, maxComputeWorkgroupStorageSize=49152)
    caps = Caps((), limits)

    def first(m: int, k: int, n: int) -> str:
        inputs = _Laid((m, k)), _Laid((k, n))
        out = Aval((m, n), fogo.float32)
        return matmul.candidates(MATMUL, inputs, (), (out,), caps)[0].name

    assert first(4096, 4096, 4096).startswith("tile 128x128")
    assert "128x128" not in first(512, 512, 512)
    assert "split" in first(64, 16384, 64)
    assert first(1, 4096, 4096).startswith("columns")
    # 64, 48 and 16 tiles, of which 132 processors hold two each: 4 * 64 = 256 of 264;
    # 11 * 48 = 528 = 4 * 132; 16 * 16 = 256. 1024 tiles are enough as they are.
    assert first(2048, 8192, 512) == "tile 128x128x8 8x8/3 split 4"
    assert first(1536, 8192, 512) == "tile 128x128x8 8x8/3 split 11"
    assert first(512, 8192, 512) == "tile 128x128x8 8x8/3 split 16"
    assert first(8192, 512, 2048) == "tile 128x128x8 8x8/3"
    # A turn of that loop is 16 of k; where half of one is left over, another's is 8.
    assert first(4096, 4104, 4096).endswith("/1")


class _Laid:
    """An operand that is only a layout."""

    def __init__(self, shape: tuple[int, ...], dtype: Any = fogo.float32) -> None:
        self.dtype = dtype
        self.shape = shape
        self.layout = Layout(shape)


def test_matrix_units_are_taken_where_they_are() -> None:
    """By feature and configuration, float16 alone; the tile of threads is behind."""
    limits = dict(PORTABLE, maxComputeWorkgroupStorageSize=49152)
    unit = ("float16", "float32", 16, 8, 16)
    half = _Laid((512, 512), fogo.float16)
    out = Aval((512, 512), fogo.float16)

    def names(*, features: Any, matrices: Any, x: _Laid = half) -> list[str]:
        caps = Caps(features, limits, False, matrices)
        found = matmul.candidates(MATMUL, (x, x), (), (out,), caps)
        return [c.name.split(" ")[0] for c in found]

    both = ("shader-f16", "matrix")
    assert names(features=both, matrices=(unit,))[0] == "units"
    assert "tile" in names(features=both, matrices=(unit,))
    assert "units" not in names(features=("shader-f16",), matrices=(unit,))
    assert "units" not in names(
        features=both, matrices=(("int8", "int32", 16, 16, 32),)
    )
    assert "units" not in names(features=both, matrices=(unit,), x=_Laid((512, 512)))


def test_the_checking_interpreter_passes_them() -> None:
    """Small tiles with edges: no access outside, no race, nothing uninitialised."""
    x = fogo.tensor(random(18, 21), device="python")
    y = fogo.tensor(random(21, 19), device="python")
    scalars = (("k", 1), ("o", 1))
    edges = (False, False, False, False)
    for stages in (0, 1, 2, 3):
        tile = (16, 16, 4, 4, 4, stages, 8, 2)
        report = check(matmul.tiled, [x, y], (tile, scalars, edges, 1, 1),
                       [((18, 19), "float32")])  # fmt: skip
        assert report.problems == []
        true = np.array(x.tolist()) @ np.array(y.tolist())
        got = np.array(report.outputs[0].tolist())
        np.testing.assert_allclose(got, true, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("swapped", LAYOUTS)
def test_matrix_units_in_the_checking_interpreter(swapped: Any) -> None:
    """No GPU here has them: the interpreter does; sides by fours, then edges."""
    for m, k, n in ((32, 32, 32), (28, 20, 36)):
        a, b = random(m, k, dtype="float16"), random(k, n, dtype="float16")
        x = fogo.tensor(a.T.copy() if swapped[0] else a, device="python")
        y = fogo.tensor(b.T.copy() if swapped[1] else b, device="python")
        x, y = x.transpose() if swapped[0] else x, y.transpose() if swapped[1] else y
        sides = ("o" if swapped[0] else "k", 4), ("k" if swapped[1] else "o", 4)
        tile = (32, 32, 16, 16, 16, (16, 16, 16))
        whole = m == 32
        report = check(units, [x, y], (tile, sides, (whole, whole, whole, True), 1),
                       [((m, n), "float16")])  # fmt: skip
        assert report.problems == []
        true = a.astype(np.float64) @ b.astype(np.float64)
        got = np.array(report.outputs[0].tolist())
        np.testing.assert_allclose(got, true, rtol=2e-3, atol=1e-2)
