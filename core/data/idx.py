"""Reads IDX files, the format MNIST comes in, plain or gzipped."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from pathlib import Path
from typing import IO, NamedTuple

from ..errors import FormatError

# The third byte of the file: a struct code and its size in bytes.
_TYPES = {
    0x08: ("B", 1),
    0x09: ("b", 1),
    0x0B: ("h", 2),
    0x0C: ("i", 4),
    0x0D: ("f", 4),
    0x0E: ("d", 8),
}
# Deflate never packs more than about this many bytes into one.
_DEFLATE_LIMIT = 1040
_CHUNK = 1 << 20
Stream = IO[bytes] | gzip.GzipFile


class Idx(NamedTuple):
    """What an IDX file holds: sizes, struct code, and the bytes (big-endian).

    Example:
        >>> import fogo
        >>> fogo.data.Idx((2,), "B", bytes([1, 2])).shape
        (2,)
    """

    shape: tuple[int, ...]
    code: str
    data: bytes


def read_idx(path: str | os.PathLike[str]) -> Idx:
    """Read an IDX file whole, gzipped or not.

    Nothing is allocated on the header's word: sizes are held against the file first.
    Raises FormatError (file, byte offset) for a header that is no IDX header, for
    data that ends early or goes on, and for damaged gzip data.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "two.idx"
    >>> _ = path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 9]))
    >>> read_idx(path)
    Idx(shape=(2,), code='B', data=b'\\x07\\t')
    """
    path = Path(path)
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        bound = path.stat().st_size * (_DEFLATE_LIMIT if packed else 1)
        stream = gzip.GzipFile(fileobj=raw) if packed else raw
        return _read(stream, path, bound)


def _read(stream: Stream, path: Path, bound: int) -> Idx:
    magic = _exactly(stream, 4, path, 0, "its 4-byte header")
    if magic[:2] != b"\0\0" or magic[2] not in _TYPES:
        raise FormatError(
            "read_idx: an IDX file begins 00 00 and a type (08 to 0e); "
            f"{magic.hex(' ')} stands there; check that this is the right file",
            file=str(path),
            offset=0,
        )
    code, width = _TYPES[magic[2]]
    sizes = _exactly(stream, 4 * magic[3], path, 4, f"the {magic[3]} sizes")
    shape = struct.unpack(f">{magic[3]}I", sizes)
    start, total = 4 + len(sizes), width
    for size in shape:
        total *= size
    if total > bound:
        raise FormatError(
            f"read_idx: the header claims {_spell(shape)} = {total} bytes; the file "
            f"cannot hold more than {bound}; fetch it again",
            file=str(path),
            offset=4,
        )
    data = _exactly(stream, total, path, start, f"the data of {_spell(shape)}")
    if _some(stream, 1, path, start + total):
        raise FormatError(
            f"read_idx: the file goes on after the data of {_spell(shape)}; the header "
            "or the file is wrong; fetch it again",
            file=str(path),
            offset=start + total,
        )
    return Idx(shape, code, data)


def _exactly(stream: Stream, count: int, path: Path, start: int, what: str) -> bytes:
    """Read `count` bytes piece by piece, so that memory grows only with real data."""
    got = bytearray()
    while len(got) < count:
        piece = _some(stream, min(_CHUNK, count - len(got)), path, start + len(got))
        if not piece:
            raise FormatError(
                f"read_idx: the file ends inside {what}; {len(got)} of {count} bytes "
                "are there; fetch it again",
                file=str(path),
                offset=start + len(got),
            )
        got += piece
    return bytes(got)


def _some(stream: Stream, count: int, path: Path, offset: int) -> bytes:
    """Read up to `count` bytes; offsets in a gzipped file count unpacked bytes."""
    try:
        return stream.read(count)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(
            f"read_idx: the gzip data is damaged ({error}); fetch the file again",
            file=str(path),
            offset=offset,
        ) from error


def _spell(shape: tuple[int, ...]) -> str:
    return "x".join(str(size) for size in shape) or "one value"
