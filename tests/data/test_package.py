"""Files out of wheels, with pip kept off every network."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from fogo.data.download import DownloadError
from fogo.data.package import package_file

DATA = b"one,two\n"
DIGEST = hashlib.sha256(DATA).hexdigest()


def make_wheel(folder: Path) -> None:
    """Write the wheel of a package called tinydata, version 1.0, with one data file."""
    info = "tinydata-1.0.dist-info"
    with zipfile.ZipFile(folder / "tinydata-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tinydata/table.csv", DATA)
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tinydata\nVersion: 1.0\n"
        )
        wheel.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let pip find only tinydata, and nothing anywhere else."""
    found = tmp_path / "wheels"
    found.mkdir()
    make_wheel(found)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(found))
    monkeypatch.setenv("FOGO_CACHE", str(tmp_path / "cache"))
    return tmp_path


def take(digest: str = DIGEST, member: str = "tinydata/table.csv") -> Path:
    return package_file("tinydata==1.0", member, digest, notify=lambda text: None)


def test_takes_the_file_and_keeps_it(
    offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = take()
    assert path == offline / "cache/packages/tinydata-1.0/table.csv"
    assert path.read_bytes() == DATA
    monkeypatch.delenv("PIP_FIND_LINKS")  # pip would fail now
    assert take() == path


def test_a_damaged_copy_is_replaced(offline: Path) -> None:
    path = take()
    path.write_bytes(b"?")
    assert take().read_bytes() == DATA


def test_another_content_is_refused(offline: Path) -> None:
    with pytest.raises(DownloadError, match="the package has changed"):
        take("0" * 64)
    assert not (offline / "cache").exists()


def test_a_missing_member_is_named(offline: Path) -> None:
    with pytest.raises(DownloadError, match="has no readable tinydata/nothing"):
        take(member="tinydata/nothing")


def test_pip_that_finds_nothing_is_quoted(offline: Path) -> None:
    with pytest.raises(DownloadError, match="pip did not fetch tinydata==2.0; .*2.0"):
        package_file("tinydata==2.0", "x", DIGEST, notify=lambda text: None)
