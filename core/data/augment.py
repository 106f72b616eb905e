"""Random distortions that make a few thousand digits stand for many more.

Every draw comes from the `random.Random` that the caller hands in, so a seed fixes
the result. NumPy is used where it can be imported; the plain Python path computes
the same formulas, slower.
"""

from __future__ import annotations

import math
import random
from typing import Any

from ..errors import ShapeError

Plan = tuple[list[float], list[float], list[float], float]


class Augment:
    """Shift, turn, scale, shear, bend and thicken square grey images.

    Shapes: called with the bytes of N images [N, size, size] -> bytes, same length.
    Lengths are in pixels, `rotate` in degrees; `scale` is the largest relative change
    of size, `stroke` how far strokes may thicken or thin (1 = one pixel each side).

    >>> import random
    >>> blank = bytes(784)
    >>> Augment()(blank, random.Random(0)) == blank
    True
    """

    def __init__(
        self,
        *,
        size: int = 28,
        shift: float = 2.0,
        rotate: float = 15.0,
        scale: float = 0.15,
        shear: float = 0.2,
        bend: float = 1.5,
        stroke: float = 0.6,
    ) -> None:
        self.size = size
        self.shift = shift
        self.rotate = rotate
        self.scale = scale
        self.shear = shear
        self.bend = bend
        self.stroke = stroke
        self._basis = _basis(size)

    def __call__(self, pixels: bytes, rng: random.Random) -> bytes:
        area = self.size * self.size
        if len(pixels) % area:
            raise ShapeError(
                f"Augment: the bytes must be whole {self.size}x{self.size} images; "
                f"{len(pixels)} is no multiple of {area}"
            )
        plans = [self._plan(rng) for _ in range(len(pixels) // area)]
        try:
            import numpy
        except ImportError:
            return self._plain(pixels, plans)
        return self._vectorised(numpy, pixels, plans)

    def _plan(self, rng: random.Random) -> Plan:
        """Draw one image's map (2 rows of 3), its bends along y and x, its stroke."""
        angle = math.radians(rng.uniform(-self.rotate, self.rotate))
        wide = 1 / (1 + rng.uniform(-self.scale, self.scale))
        high = 1 / (1 + rng.uniform(-self.scale, self.scale))
        shear = rng.uniform(-self.shear, self.shear)
        cos, sin = math.cos(angle), math.sin(angle)
        down = rng.uniform(-self.shift, self.shift)
        right = rng.uniform(-self.shift, self.shift)
        rows = [
            high * cos, -high * sin, down,
            wide * (sin + shear * cos), wide * (cos - shear * sin), right,
        ]  # fmt: skip
        bends = [rng.uniform(-self.bend, self.bend) for _ in range(32)]
        return rows, bends[:16], bends[16:], rng.uniform(-self.stroke, self.stroke)

    def _vectorised(self, np: Any, pixels: bytes, plans: list[Plan]) -> bytes:
        count, size = len(plans), self.size
        if not count:
            return b""
        images = np.frombuffer(pixels, np.uint8).reshape(count, size, size)
        images = _thicken_many(np, images.astype(np.float32), [p[3] for p in plans])
        rows = np.array([p[0] for p in plans], np.float32).reshape(count, 6, 1, 1)
        basis = np.array(self._basis, np.float32)
        centre = (size - 1) / 2
        at = np.arange(size, dtype=np.float32) - centre
        y, x = at.reshape(1, size, 1), at.reshape(1, 1, size)
        sources = []
        for axis in (0, 1):
            grid = np.array([p[1 + axis] for p in plans], np.float32)
            bend = basis @ grid.reshape(count, 4, 4) @ basis.T
            a, b, c = rows[:, 3 * axis], rows[:, 3 * axis + 1], rows[:, 3 * axis + 2]
            sources.append(a * y + b * x + c + bend + np.float32(centre))
        moved = _sample_many(np, images, sources[0], sources[1])
        return bytes((moved + np.float32(0.5)).astype(np.uint8).tobytes())

    def _plain(self, pixels: bytes, plans: list[Plan]) -> bytes:
        area = self.size * self.size
        out = bytearray()
        for n, plan in enumerate(plans):
            image = _thicken(pixels[n * area : (n + 1) * area], self.size, plan[3])
            out += self._move(image, plan)
        return bytes(out)

    def _move(self, image: list[float], plan: Plan) -> bytes:
        rows, size, basis = plan[0], self.size, self._basis
        centre = (size - 1) / 2
        bend_y, bend_x = _bend(basis, plan[1]), _bend(basis, plan[2])
        out = bytearray(size * size)
        for i in range(size * size):
            y, x = i // size - centre, i % size - centre
            source_y = rows[0] * y + rows[1] * x + rows[2] + bend_y[i] + centre
            source_x = rows[3] * y + rows[4] * x + rows[5] + bend_x[i] + centre
            out[i] = int(_sample(image, size, source_y, source_x) + 0.5)
        return bytes(out)


def _basis(size: int) -> list[list[float]]:
    """Weigh four control points smoothly at each of `size` places: [size, 4]."""
    rows = []
    for i in range(size):
        at = 3 * i / (size - 1)
        weights = [math.exp(-2 * (at - j) ** 2) for j in range(4)]
        rows.append([w / sum(weights) for w in weights])
    return rows


def _bend(basis: list[list[float]], grid: list[float]) -> list[float]:
    half = [
        [sum(w * grid[4 * j + k] for j, w in enumerate(row)) for k in range(4)]
        for row in basis
    ]
    return [
        sum(h * w for h, w in zip(across, row, strict=True))
        for across in half
        for row in basis
    ]


def _neighbours(i: int, size: int) -> list[int]:
    y, x = divmod(i, size)
    near = [i - size] * (y > 0) + [i + size] * (y < size - 1)
    return near + [i - 1] * (x > 0) + [i + 1] * (x < size - 1)


def _thicken(image: bytes, size: int, amount: float) -> list[float]:
    """Blend an image with its dilation (amount > 0) or erosion (amount < 0)."""
    pick = max if amount > 0 else min
    share = abs(amount)
    out = []
    for i, here in enumerate(image):
        wide = pick(here, *(image[j] for j in _neighbours(i, size)))
        out.append(here + share * (wide - here))
    return out


def _thicken_many(np: Any, images: Any, amounts: list[float]) -> Any:
    share = np.array(amounts, np.float32).reshape(-1, 1, 1)
    wide, thin = images.copy(), images.copy()
    for out, pick in ((wide, np.maximum), (thin, np.minimum)):
        pick(out[:, 1:], images[:, :-1], out=out[:, 1:])
        pick(out[:, :-1], images[:, 1:], out=out[:, :-1])
        pick(out[:, :, 1:], images[:, :, :-1], out=out[:, :, 1:])
        pick(out[:, :, :-1], images[:, :, 1:], out=out[:, :, :-1])
    return images + np.abs(share) * (np.where(share > 0, wide, thin) - images)


def _sample(image: list[float], size: int, y: float, x: float) -> float:
    """Read between the pixels, bilinearly; outside the image it is black."""
    top, left = math.floor(y), math.floor(x)
    low, right = y - top, x - left
    total = 0.0
    for row, weight_y in ((top, 1 - low), (top + 1, low)):
        for column, weight_x in ((left, 1 - right), (left + 1, right)):
            if 0 <= row < size and 0 <= column < size:
                total += weight_y * weight_x * image[row * size + column]
    return total


def _sample_many(np: Any, images: Any, y: Any, x: Any) -> Any:
    """Do the same for [N, size, size] images, through a black margin of one pixel."""
    count, size, _ = images.shape
    wide = size + 2
    padded = np.zeros((count, wide, wide), np.float32)
    padded[:, 1:-1, 1:-1] = images
    y, x = np.clip(y + 1, 0, size + 0.999), np.clip(x + 1, 0, size + 0.999)
    top, left = y.astype(np.int32), x.astype(np.int32)
    low, right = y - top, x - left
    first = np.arange(count, dtype=np.int32).reshape(-1, 1, 1) * (wide * wide)
    at, flat = first + top * wide + left, padded.reshape(-1)
    upper = flat[at] * (1 - right) + flat[at + 1] * right
    lower = flat[at + wide] * (1 - right) + flat[at + wide + 1] * right
    return upper * (1 - low) + lower * low
