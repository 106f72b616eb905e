"""Datasets of equal-sized images kept as bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from ..errors import ShapeError

# Takes the bytes of N images and a source of chance; gives bytes of the same length.
Transform = Callable[[bytes, random.Random], bytes]


class ImageDataset:
    """N images of uint8 pixels and their labels; items are (bytes, label).

    Shapes: `images` holds N x C x H x W bytes for `shape` (C, H, W), `labels` N of
    them. `augment` changes the pixels of the batches that a DataLoader makes, never
    the items themselves.

    >>> pair = ImageDataset(bytes([1, 2, 3, 4]), bytes([0, 1]), (1, 1, 2))
    >>> pair[1]
    (b'\\x03\\x04', 1)
    """

    def __init__(
        self,
        images: bytes,
        labels: bytes | Sequence[int],
        shape: tuple[int, int, int],
        *,
        augment: Transform | None = None,
    ) -> None:
        self.area = shape[0] * shape[1] * shape[2]
        if len(images) != self.area * len(labels):
            raise ShapeError(
                f"ImageDataset: {len(labels)} labels and images of {list(shape)} need "
                f"{self.area * len(labels)} bytes of pixels; {len(images)} are given"
            )
        self.images = images
        self.labels = labels
        self.shape = shape
        self.augment = augment

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[bytes, int]:
        if not -len(self) <= index < len(self):
            raise IndexError(
                f"{type(self).__name__}: index must be below {len(self)}; {index=}"
            )
        at = index % len(self) * self.area
        return self.images[at : at + self.area], self.labels[index]

    def gather(
        self, indices: Sequence[int], rng: random.Random
    ) -> tuple[bytes, list[int]]:
        """Join the pixels and labels of some images, augmented if that is asked for."""
        area = self.area
        pixels = b"".join([self.images[i * area : (i + 1) * area] for i in indices])
        if self.augment:
            pixels = self.augment(pixels, rng)
        return pixels, [self.labels[i] for i in indices]
