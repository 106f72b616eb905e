"""Augmentation: repeatable, alike with and without NumPy, and what each part does."""

from __future__ import annotations

import random
import sys

import pytest

from fogo.data.augment import Augment
from fogo.errors import ShapeError

STILL = {"shift": 0, "rotate": 0, "scale": 0, "shear": 0, "bend": 0, "stroke": 0}
PLAIN_OR_NOT = pytest.mark.parametrize("plain", [False, True])


def blob(*spots: tuple[int, int]) -> bytes:
    pixels = bytearray(784)
    for row, column in spots:
        pixels[28 * row + column] = 255
    return bytes(pixels)


def centre(pixels: bytes) -> tuple[float, float]:
    ink = sum(pixels)
    rows = sum(i // 28 * v for i, v in enumerate(pixels)) / ink
    return rows, sum(i % 28 * v for i, v in enumerate(pixels)) / ink


def without_numpy(monkeypatch: pytest.MonkeyPatch, plain: bool) -> None:
    if plain:
        monkeypatch.setitem(sys.modules, "numpy", None)


def test_plain_python_and_numpy_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    rng = random.Random(3)
    images = b"".join(
        blob(*[(rng.randrange(28), rng.randrange(28)) for _ in range(60)])
        for _ in range(20)
    )
    fast = Augment()(images, random.Random(1))
    without_numpy(monkeypatch, True)
    slow = Augment()(images, random.Random(1))
    # float32 against float64: a rounding may fall on the other side.
    assert max(abs(a - b) for a, b in zip(fast, slow)) <= 1
    assert sum(a != b for a, b in zip(fast, slow)) < len(images) / 500
    assert fast != images


@PLAIN_OR_NOT
def test_the_seed_fixes_it(monkeypatch: pytest.MonkeyPatch, plain: bool) -> None:
    without_numpy(monkeypatch, plain)
    images = blob((5, 5), (14, 14), (20, 9)) * 3
    one = Augment()(images, random.Random("a"))
    assert Augment()(images, random.Random("a")) == one
    assert Augment()(images, random.Random("b")) != one
    assert len({one[:784], one[784:1568], one[1568:]}) == 3


@PLAIN_OR_NOT
def test_nothing_asked_nothing_changed(
    monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    without_numpy(monkeypatch, plain)
    images = bytes(range(256)) * 49  # 16 images
    assert Augment(**STILL)(images, random.Random(0)) == images
    assert Augment()(b"", random.Random(0)) == b""


@PLAIN_OR_NOT
def test_shift_moves_by_up_to_its_pixels(
    monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    without_numpy(monkeypatch, plain)
    images = blob((14, 14)) * 50
    moved = Augment(**{**STILL, "shift": 3})(images, random.Random(0))
    centres = [centre(moved[i : i + 784]) for i in range(0, len(moved), 784)]
    for axis in (0, 1):
        places = [c[axis] - 14 for c in centres]
        assert -3 <= min(places) < -2 and 2 < max(places) <= 3


@PLAIN_OR_NOT
def test_rotate_keeps_distances_and_scale_changes_them(
    monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    without_numpy(monkeypatch, plain)
    # A wide bar through the centre: its spread along the bar tells its length.
    bar = blob(*[(r, c) for r in (13, 14) for c in range(6, 22)])

    def spreads(pixels: bytes) -> tuple[float, float]:
        y, x = centre(pixels)
        ink = sum(pixels)
        down = sum((i // 28 - y) ** 2 * v for i, v in enumerate(pixels)) / ink
        return down, sum((i % 28 - x) ** 2 * v for i, v in enumerate(pixels)) / ink

    flat = sum(spreads(bar))
    turned = Augment(**{**STILL, "rotate": 90})(bar * 20, random.Random(1))
    parts = [turned[i : i + 784] for i in range(0, len(turned), 784)]
    assert max(spreads(p)[0] for p in parts) > 0.9 * flat  # one stands upright
    assert all(abs(sum(spreads(p)) / flat - 1) < 0.06 for p in parts)
    scaled = Augment(**{**STILL, "scale": 0.3})(bar * 20, random.Random(1))
    sizes = [spreads(scaled[i : i + 784])[1] / flat for i in range(0, 15680, 784)]
    assert 0.45 < min(sizes) < 0.7 and 1.3 < max(sizes) < 1.75  # 0.7² to 1.3²


@PLAIN_OR_NOT
def test_stroke_thickens_or_thins(monkeypatch: pytest.MonkeyPatch, plain: bool) -> None:
    without_numpy(monkeypatch, plain)
    bar = blob(*[(r, c) for r in (13, 14, 15) for c in range(6, 22)])
    changed = Augment(**{**STILL, "stroke": 1})(bar * 20, random.Random(0))
    ink = [sum(changed[i : i + 784]) / sum(bar) for i in range(0, len(changed), 784)]
    # One pixel each side makes 48 pixels 86; thinning by one leaves 14.
    assert 14 / 48 <= min(ink) < 0.8 and 1.2 < max(ink) <= 86 / 48


def test_part_of_an_image_is_refused() -> None:
    with pytest.raises(ShapeError, match="785 is no multiple of 784"):
        Augment()(bytes(785), random.Random(0))
