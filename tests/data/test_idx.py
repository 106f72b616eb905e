"""IDX files made by hand: good ones, cut ones, and ones that claim too much."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest

from fogo.data.idx import read_idx
from fogo.errors import FormatError


def header(code: int, *sizes: int) -> bytes:
    return bytes([0, 0, code, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes)


GOOD = header(8, 2, 3) + bytes([1, 2, 3, 4, 5, 255])


def write(folder: Path, data: bytes, name: str = "some-idx") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_plain_and_gzipped_read_alike(tmp_path: Path) -> None:
    plain = read_idx(write(tmp_path, GOOD))
    packed = read_idx(write(tmp_path, gzip.compress(GOOD), "some.gz"))
    assert plain == packed
    assert plain == ((2, 3), "B", bytes([1, 2, 3, 4, 5, 255]))


@pytest.mark.parametrize(
    ("code", "letter", "values"),
    [
        (0x09, "b", [-128, 127]),
        (0x0B, "h", [-32768, 7]),
        (0x0C, "i", [-(2**31), 9]),
        (0x0D, "f", [0.5, -2.0]),
        (0x0E, "d", [0.1, 1e300]),
    ],
)
def test_every_type(
    tmp_path: Path, code: int, letter: str, values: list[float]
) -> None:
    body = struct.pack(f">2{letter}", *values)
    found = read_idx(write(tmp_path, header(code, 2) + body))
    assert found.code == letter
    assert list(struct.unpack(f">2{letter}", found.data)) == values


def test_no_items_and_no_axes(tmp_path: Path) -> None:
    assert read_idx(write(tmp_path, header(8, 0, 28, 28))).data == b""
    assert read_idx(write(tmp_path, header(8) + b"\x05")) == ((), "B", b"\x05")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("keep", range(len(GOOD)))
def test_a_cut_anywhere_is_a_format_error(
    tmp_path: Path, keep: int, packed: bool
) -> None:
    data = gzip.compress(GOOD[:keep]) if packed else GOOD[:keep]
    with pytest.raises(FormatError) as caught:
        read_idx(write(tmp_path, data))
    assert caught.value.file == str(tmp_path / "some-idx")
    assert caught.value.offset in (keep, 4)  # where it ends, or the sizes that lie
    assert "offset=" in str(caught.value)


def test_the_offset_is_where_the_data_ends(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"4 of 6 bytes are there.*offset=16"):
        read_idx(write(tmp_path, gzip.compress(GOOD[:-2])))


@pytest.mark.parametrize("cut", [1, 5, 8, 12])
def test_cut_gzip_is_a_format_error(tmp_path: Path, cut: int) -> None:
    with pytest.raises(FormatError, match="gzip data is damaged"):
        read_idx(write(tmp_path, gzip.compress(GOOD)[:-cut]))


def test_damaged_gzip_is_a_format_error(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(GOOD))
    packed[-6] ^= 0xFF  # its checksum
    with pytest.raises(FormatError, match="gzip data is damaged"):
        read_idx(write(tmp_path, bytes(packed)))


@pytest.mark.parametrize("packed", [False, True])
def test_a_claim_of_2_to_the_60_allocates_nothing(tmp_path: Path, packed: bool) -> None:
    data = header(8, 2**20, 2**20, 2**20) + bytes(100)
    path = write(tmp_path, gzip.compress(data) if packed else data)
    with pytest.raises(FormatError, match=f"claims .* = {2**60} bytes") as caught:
        read_idx(path)
    assert caught.value.offset == 4


def test_data_that_goes_on(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="goes on after") as caught:
        read_idx(write(tmp_path, GOOD + b"\0"))
    assert caught.value.offset == len(GOOD)


@pytest.mark.parametrize("magic", ["01000801", "00000701", "504b0304"])
def test_another_kind_of_file(tmp_path: Path, magic: str) -> None:
    with pytest.raises(FormatError, match="check that this is the right file"):
        read_idx(write(tmp_path, bytes.fromhex(magic) + bytes(8)))


def test_zero_axes_that_multiply_to_nothing_still_check_the_length(
    tmp_path: Path,
) -> None:
    with pytest.raises(FormatError, match="goes on"):
        read_idx(write(tmp_path, header(8, 2**31, 0) + b"x"))
