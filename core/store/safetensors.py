"""safetensors files: our own reader and writer, for every Python fogo runs on.

bfloat16 is read and written as it is; what computes with it takes float32.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..device import device as _device
from ..dtypes import DType
from ..dtypes import dtype as _dtype
from ..errors import DTypeError, FormatError
from ..storage import pack, unpack
from ..tensor import Tensor
from .header import BY_DTYPE, Entry, header_length, parse_header, write_header

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..device import Device

CHUNK = 1 << 20


class SafetensorsFile:
    """An open file: names, shapes and dtypes at once, tensors as they are asked for.

    A mapping name -> tensor, so that `model.load_state_dict(file)` holds one tensor at
    a time; `file.entries` has `shape`, `dtype` and byte range of each without loading.
    Use it in `with`, or call `close()`.

    Example:
        >>> import fogo
        >>> import io
        >>> data = io.BytesIO(fogo.store.dump_bytes({"x": fogo.ones(2)}))
        >>> file = fogo.store.SafetensorsFile(data)
        >>> file.keys(), file.entries["x"].shape, file.load("x").tolist()
        (['x'], (2,), [1.0, 1.0])
    """

    def __init__(
        self,
        source: Any,
        device: Device | str | None = None,
        name: str | None = None,
    ) -> None:
        self.source = source
        self.name = name
        self.device = device
        total = source.seek(0, 2)
        source.seek(0)
        length = header_length(source.read(8), total, name)
        header = parse_header(source.read(length), total, name)
        self.entries = header.entries
        self.metadata = header.metadata
        self.start = header.start

    def keys(self) -> list[str]:
        """List the names, in the order of the data."""
        return list(self.entries.keys())

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, name: str) -> Tensor:
        return self.load(name)

    def load(self, name: str, device: Device | str | None = None) -> Tensor:
        """Read one tensor; raises FormatError for a name that is not there."""
        entry = self.entries.get(name)
        if entry is None:
            raise FormatError(
                "safetensors: no such tensor; given %r; there are %d: %s"
                % (name, len(self.entries), ", ".join(self.keys()[:12])),
                file=self.name, key=name,
            )  # fmt: skip
        return _upload(entry, self._read(entry), _device(device or self.device))

    def _read(self, entry: Entry) -> bytearray:
        first = self.start + entry.begin
        self.source.seek(first)
        data = bytearray(entry.end - entry.begin)
        view = memoryview(data)
        at = 0
        while at < len(data):
            n = self.source.readinto(view[at : at + CHUNK])
            if not n:
                raise FormatError(
                    "safetensors: the file ended while it was read; given %d of %d "
                    "bytes" % (at, len(data)),
                    file=self.name, key=entry.name, offset=first + at,
                )  # fmt: skip
            at += n
        return data

    def load_all(self) -> dict[str, Tensor]:
        """Read every tensor into an ordered mapping."""
        return OrderedDict([(name, self.load(name)) for name in self.keys()])

    def close(self) -> None:
        """Close the file."""
        self.source.close()

    def __enter__(self) -> SafetensorsFile:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        lines = [
            "  %s: %s%s" % (e.name, e.dtype.name, list(e.shape))
            for e in self.entries.values()
        ]
        return "\n".join(["SafetensorsFile(%r)" % self.name] + lines)


def _upload(entry: Entry, data: bytearray, where: Device) -> Tensor:
    where.base().backend.check_dtype(entry.dtype)
    values = array(entry.dtype.code, data)
    handle = where.backend.upload(values, entry.shape, entry.dtype)
    return where.tensor_class(handle, where)


class _Memory:
    """Bytes as a file that can be read; io.BytesIO would copy them."""

    def __init__(self, data: Any) -> None:
        self.data = memoryview(data)
        self.at = 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self.at = offset + (len(self.data) if whence == 2 else 0)
        return self.at

    def read(self, count: int) -> bytes:
        found = bytes(self.data[self.at : self.at + count])
        self.at += len(found)
        return found

    def readinto(self, view: Any) -> int:
        found = self.data[self.at : self.at + len(view)]
        view[: len(found)] = found
        self.at += len(found)
        return len(found)

    def close(self) -> None:
        pass


def open_safetensors(path: Any, device: Device | str | None = None) -> SafetensorsFile:
    """Open a file (a path, or an object with read, readinto and seek) and check it.

    Every size and offset is checked before any tensor is allocated.
    Raises: FormatError with file, key and byte offset; OSError for a missing file.

    Example:
        >>> import fogo
        >>> fogo.store.save_safetensors("saved.safetensors", {"x": fogo.ones(2)})
        >>> file = fogo.store.open_safetensors("saved.safetensors")
        >>> file.keys(), file["x"].tolist()
        (['x'], [1.0, 1.0])
        >>> file.close()
    """
    if hasattr(path, "readinto"):
        return SafetensorsFile(path, device)
    name = str(path)
    source = open(name, "rb")
    try:
        return SafetensorsFile(source, device, name)
    except BaseException:
        source.close()
        raise


def load_safetensors(
    path: Any, device: Device | str | None = None
) -> dict[str, Tensor]:
    """Read all tensors of a file into an ordered mapping name -> tensor.

    Raises: FormatError with file, key and byte offset; OSError for a missing file;
    DTypeError for a dtype that the device does not hold (load it on "cpu").

    Example:
        >>> import fogo
        >>> fogo.store.save_safetensors("saved.safetensors", {"x": fogo.ones(2)})
        >>> fogo.store.load_safetensors("saved.safetensors")["x"].tolist()
        [1.0, 1.0]
    """
    with open_safetensors(path, device) as file:
        return file.load_all()


def load_bytes(
    data: bytes | bytearray | memoryview, device: Device | str | None = None
) -> dict[str, Tensor]:
    """`load_safetensors` of bytes in memory.

    Example:
        >>> import fogo
        >>> data = fogo.store.dump_bytes({"x": fogo.ones(2)})
        >>> fogo.store.load_bytes(data)["x"].tolist()
        [1.0, 1.0]
    """
    return SafetensorsFile(_Memory(data), device).load_all()


class _Plan:
    """What will be written: entries in order, and how each tensor becomes bytes."""

    def __init__(self, tensors: Mapping[str, Tensor], cast: DType | str | None) -> None:
        target = None if cast is None else _dtype(cast)
        if target is not None and not target.is_float:
            raise DTypeError(
                "save_safetensors: cast takes a float dtype; given %s" % target.name
            )
        self.tensors: list[Tensor] = []
        self.targets: list[DType] = []
        self.entries: list[Entry] = []
        chosen = [self._item(n, tensors[n], target) for n in tensors.keys()]
        at = 0
        # Wide ones first: so every tensor begins at a multiple of its element's size.
        for size in (8, 4, 2, 1):
            for name, t, kind in chosen:
                if kind.itemsize == size:
                    end = at + t.size * size
                    code = BY_DTYPE[kind.name]
                    self.entries.append(Entry(name, code, t.shape, at, end))
                    self.tensors.append(t)
                    self.targets.append(kind)
                    at = end

    def _item(
        self, name: str, t: Any, target: DType | None
    ) -> tuple[str, Tensor, DType]:
        if not isinstance(name, str) or name == "__metadata__":
            raise FormatError(
                "save_safetensors: names are texts other than __metadata__; given %r"
                % (name,)
            )
        if not isinstance(t, Tensor):
            raise FormatError(
                "save_safetensors: values are tensors; given %s" % type(t), key=name
            )
        kind = t.dtype if target is None or not t.dtype.is_float else target
        if kind in t.device.base().backend.holds:
            t = t.detach().astype(kind)
        return name, t, kind

    def by_device(self) -> list[tuple[Device, list[int]]]:
        """Places of the tensors of each device: each is read with one wait."""
        groups: list[tuple[Device, list[int]]] = []
        for i, t in enumerate(self.tensors):
            for where, places in groups:
                if where is t.device:
                    places.append(i)
                    break
            else:
                groups.append((t.device, [i]))
        return groups

    def handles(self, places: list[int]) -> list[Any]:
        return [self.tensors[i]._handle for i in places]

    def data(self, place: int, buffer: Any) -> bytes:
        """The bytes of one tensor, cast here where its device could not."""
        t, target = self.tensors[place], self.targets[place]
        if t.dtype is not target:
            values = unpack(buffer, t.dtype)
            buffer = pack("save_safetensors", values, target)
        return bytes(buffer)


def _pieces(
    plan: _Plan, found: dict[int, Any], metadata: Mapping[str, str] | None
) -> list[bytes]:
    pieces = [write_header(plan.entries, metadata)]
    for i in range(len(plan.entries)):
        pieces.append(plan.data(i, found.pop(i)))
    return pieces


def _gather(
    tensors: Mapping[str, Tensor],
    metadata: Mapping[str, str] | None,
    cast: DType | str | None,
) -> list[bytes]:
    plan = _Plan(tensors, cast)
    found: dict[int, Any] = {}
    for where, places in plan.by_device():
        for i, buffer in zip(places, where.backend.read(plan.handles(places))):
            found[i] = buffer
    return _pieces(plan, found, metadata)


def dump_bytes(
    tensors: Mapping[str, Tensor],
    metadata: Mapping[str, str] | None = None,
    cast: DType | str | None = None,
) -> bytes:
    """Return the bytes of a safetensors file; see `save_safetensors`.

    Example:
        >>> import fogo
        >>> data = dump_bytes({"x": fogo.ones(2)})
        >>> load_bytes(data)["x"].tolist()
        [1.0, 1.0]
    """
    return b"".join(_gather(tensors, metadata, cast))


async def dump_bytes_async(
    tensors: Mapping[str, Tensor],
    metadata: Mapping[str, str] | None = None,
    cast: DType | str | None = None,
) -> bytes:
    """`dump_bytes` for platforms where a thread cannot wait for the device.

    Example:
        >>> import fogo
        >>> import asyncio
        >>> data = asyncio.run(fogo.store.dump_bytes_async({"x": fogo.ones(2)}))
        >>> fogo.store.load_bytes(data)["x"].tolist()
        [1.0, 1.0]
    """
    plan = _Plan(tensors, cast)
    found: dict[int, Any] = {}
    for where, places in plan.by_device():
        buffers = await where.backend.read_async(plan.handles(places))
        for i, buffer in zip(places, buffers):
            found[i] = buffer
    return b"".join(_pieces(plan, found, metadata))


def save_safetensors(
    path: Any,
    tensors: Mapping[str, Tensor],
    metadata: Mapping[str, str] | None = None,
    cast: DType | str | None = None,
) -> None:
    """Write a mapping name -> tensor (a `state_dict()`) to a path or an open file.

    cast: the float dtype to store floats in ("float16" halves a model); loading it
    with `load_state_dict` brings back the model's own. A path is written beside and
    renamed, so that a file is never half written.
    Raises: OSError where the folder cannot be written, FormatError for what is not a
    tensor. Tensors of 8 bytes an element come first in the file, then 4, 2, 1.

    Example:
        >>> import fogo
        >>> fogo.store.save_safetensors("saved.safetensors", {"x": fogo.ones(2)})
        >>> fogo.store.load_safetensors("saved.safetensors")["x"].tolist()
        [1.0, 1.0]
    """
    if not hasattr(tensors, "keys"):
        raise FormatError(
            "save_safetensors: takes (path, tensors), tensors by their names; given %s "
            "for the tensors" % type(tensors)
        )
    if hasattr(path, "write"):
        for piece in _gather(tensors, metadata, cast):
            path.write(piece)
        return
    name = str(path)
    with _Beside(name) as out:
        for piece in _gather(tensors, metadata, cast):
            out.write(piece)


class _Beside:
    """A file written under another name, and renamed when all went well.

    It is opened before the tensors are read: an unwritable folder is known at once.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.partial = name + ".partial"

    def __enter__(self) -> Any:
        self.file = open(self.partial, "wb")
        return self.file

    def __exit__(self, kind: Any, *error: Any) -> None:
        import os

        self.file.close()
        if kind is not None:
            os.remove(self.partial)
            return
        rename = getattr(os, "replace", os.rename)
        try:
            rename(self.partial, self.name)
        except OSError:
            os.remove(self.partial)
            raise
