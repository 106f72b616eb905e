"""The 8x8 digits of scikit-learn's wheel, as rows of numbers; no package installed."""

from __future__ import annotations

import gzip

from fogo.data import package_file

PACKAGE = "scikit-learn==1.9.1"
MEMBER = "sklearn/datasets/data/digits.csv.gz"
SHA256 = "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22"


def load_digits8(rows: int) -> list[list[int]]:
    """Return the first rows: 64 pixels from 0 to 16, then the label.

    Raises DownloadError when pip cannot fetch the wheel.
    """
    path = package_file(PACKAGE, MEMBER, SHA256, notify=lambda text: None)
    lines = gzip.decompress(path.read_bytes()).decode().split()[:rows]
    return [[int(value) for value in line.split(",")] for line in lines]
