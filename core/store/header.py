"""The header of a safetensors file: parsed and checked before anything is allocated.

A file is 8 bytes of little-endian header length, a JSON header, then the data. The
header maps each name to {"dtype", "shape", "data_offsets": [begin, end]}, and
"__metadata__" to a map of texts; the offsets must cover the data, without gap or
overlap.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..dtypes import BY_NAME, DType
from ..errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMIT = 100_000_000  # bytes of header, as the reference implementation has it

# The format's names and ours.
CODES = {
    "BOOL": "bool",
    "I8": "int8",
    "I16": "int16",
    "I32": "int32",
    "I64": "int64",
    "U8": "uint8",
    "U16": "uint16",
    "U32": "uint32",
    "U64": "uint64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
}
BY_DTYPE = {CODES[code]: code for code in CODES}


class Entry:
    """One tensor of a file: name, dtype it loads as, shape, place in the data."""

    def __init__(
        self, name: str, code: str, shape: tuple[int, ...], begin: int, end: int
    ) -> None:
        self.name = name
        self.code = code
        self.dtype: DType = BY_NAME[CODES[code]]
        self.itemsize = self.dtype.itemsize
        self.shape = shape
        self.begin = begin
        self.end = end

    def __repr__(self) -> str:
        return "%s %s%s" % (self.name, self.code, list(self.shape))


class Header:
    """Entries by name, in the order of the data; metadata; where the data begins."""

    def __init__(
        self, entries: dict[str, Entry], metadata: dict[str, str], start: int
    ) -> None:
        self.entries = entries
        self.metadata = metadata
        self.start = start


def header_length(head: bytes, total: int, file: str | None) -> int:
    """Return the length of the JSON, from the first 8 bytes of `total`."""
    if len(head) < 8:
        raise FormatError(
            "safetensors: a file begins with the 8 bytes of its header's length; given "
            "%d bytes; is it cut off?" % total,
            file=file, offset=0,
        )  # fmt: skip
    n = int.from_bytes(head, "little")
    if n > LIMIT or n > total - 8:
        raise FormatError(
            "safetensors: the header must fit into the file and into %d bytes; given a "
            "length of %d in a file of %d bytes; it is cut off or no safetensors file"
            % (LIMIT, n, total),
            file=file, offset=0,
        )  # fmt: skip
    return n


def parse_header(text: bytes, total: int, file: str | None) -> Header:
    """Check the JSON of a file of `total` bytes and return the Header."""
    found = _json(text, file)
    metadata = _metadata(found.pop("__metadata__", None), file)
    entries = [_entry(name, found[name], file) for name in found]
    start = 8 + len(text)
    _cover(entries, total - start, start, file)
    return Header(
        OrderedDict([(e.name, e) for e in sorted(entries, key=_place)]), metadata, start
    )


def _place(entry: Entry) -> tuple[int, int, str]:
    return (entry.begin, entry.end, entry.name)


def _json(text: bytes, file: str | None) -> dict[str, Any]:
    try:
        found = json.loads(str(text, "utf-8"))
    except (ValueError, RuntimeError) as error:  # Runtime: nested too deep
        raise FormatError(
            "safetensors: the header must be JSON; %s" % error, file=file, offset=8
        )
    if not isinstance(found, dict):
        raise FormatError(
            "safetensors: the header must be a JSON object; given %s"
            % type(found).__name__,
            file=file, offset=8,
        )  # fmt: skip
    return found


def _metadata(found: Any, file: str | None) -> dict[str, str]:
    if found is None:
        return {}
    good = isinstance(found, dict)
    for key in found if good else ():
        good = good and isinstance(found[key], str)
    if not good:
        raise FormatError(
            "safetensors: the metadata must map texts to texts; given %r" % (found,),
            file=file, key="__metadata__", offset=8,
        )  # fmt: skip
    return found


def _entry(name: str, found: Any, file: str | None) -> Entry:
    wanted = ["data_offsets", "dtype", "shape"]
    if not isinstance(found, dict) or sorted(found) != wanted:
        raise FormatError(
            "safetensors: a tensor has dtype, shape and data_offsets; given %r"
            % (found,),
            file=file, key=name, offset=8,
        )  # fmt: skip
    code = found["dtype"]
    if not isinstance(code, str) or code not in CODES:
        raise FormatError(
            "safetensors: the dtype must be one of %s; given %r; convert the "
            "file where it was made" % (", ".join(sorted(CODES)), code),
            file=file, key=name, offset=8,
        )  # fmt: skip
    shape = _naturals(found["shape"], "shape", name, file)
    offsets = _naturals(found["data_offsets"], "data_offsets", name, file)
    if len(offsets) != 2 or offsets[0] > offsets[1]:
        raise FormatError(
            "safetensors: data_offsets must be [begin, end]; given %s" % list(offsets),
            file=file, key=name, offset=8,
        )  # fmt: skip
    entry = Entry(name, code, shape, offsets[0], offsets[1])
    _sizes_agree(entry, file)
    return entry


def _naturals(found: Any, what: str, name: str, file: str | None) -> tuple[int, ...]:
    good = isinstance(found, list)
    for n in found if good else ():
        good = good and isinstance(n, int) and not isinstance(n, bool) and n >= 0
    if not good:
        raise FormatError(
            "safetensors: %s must be a list of whole numbers; given %r" % (what, found),
            file=file, key=name, offset=8,
        )  # fmt: skip
    return tuple(found)


def _countable(entry: Entry, file: str | None) -> None:
    """Refuse axes beside an empty one that no machine could count."""
    count = 1
    for n in entry.shape if 0 in entry.shape else ():
        count *= n or 1
        if count >= 1 << 48:
            raise FormatError(
                "safetensors: an empty tensor's axes must be below 2**48 together; "
                "given shape %s" % list(entry.shape),
                file=file, key=entry.name, offset=8,
            )  # fmt: skip


def _sizes_agree(entry: Entry, file: str | None) -> None:
    _countable(entry, file)
    room = entry.end - entry.begin
    needed = 0 if 0 in entry.shape else entry.itemsize
    for n in entry.shape:
        if needed > room:  # enough: a long shape would make a very long number
            break
        needed *= n
    if room != needed:
        raise FormatError(
            "safetensors: shape and data_offsets must agree; given shape %s of %s, but "
            "%d bytes of data [%d, %d]"
            % (list(entry.shape), entry.code, room, entry.begin, entry.end),
            file=file, key=entry.name, offset=8,
        )  # fmt: skip


def _cover(entries: list[Entry], size: int, start: int, file: str | None) -> None:
    """The tensors must fill the data exactly: no gap, no overlap, nothing after."""
    at = 0
    for entry in sorted(entries, key=_place):
        if entry.end > size:
            raise FormatError(
                "safetensors: a tensor must lie in the file; given data_offsets [%d, "
                "%d] of %d bytes of data; the file is cut off"
                % (entry.begin, entry.end, size),
                file=file, key=entry.name, offset=start + size,
            )  # fmt: skip
        if entry.begin != at:
            what = "a gap" if entry.begin > at else "an overlap"
            raise FormatError(
                "safetensors: tensors must follow one another; given %s: begin %d "
                "after end %d" % (what, entry.begin, at),
                file=file, key=entry.name, offset=start + at,
            )  # fmt: skip
        at = entry.end
    if at != size:
        raise FormatError(
            "safetensors: the tensors must fill the data; given %d bytes after the last"
            % (size - at),
            file=file, offset=start + at,
        )  # fmt: skip


def write_header(entries: list[Entry], metadata: Mapping[str, str] | None) -> bytes:
    """Return length and JSON, padded with spaces so that the data begins at 8 n."""
    parts = []
    if metadata:
        pairs = [_pair(k, json.dumps(metadata[k])) for k in sorted(metadata)]
        parts.append('"__metadata__":{%s}' % ",".join(pairs))
    for e in entries:
        shape = ",".join([str(n) for n in e.shape])
        body = '{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}' % (
            e.code, shape, e.begin, e.end,
        )  # fmt: skip
        parts.append(_pair(e.name, body))
    text = ("{%s}" % ",".join(parts)).encode("utf-8")
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _pair(key: str, value: str) -> str:
    return json.dumps(key) + ":" + value
