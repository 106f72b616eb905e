"""Pack the fogo that is running into a wheel, for micropip to install in a page.

The files are those of this very import, be it a checkout or an installed wheel: no
build tool, no network, and what was tested is what the page gets. Left out is what no
page can use: hosts and backends of desktops (`fogo.native`), and type stubs.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import importlib.util
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOMS = ("fogo", "fogo.webgpu", "fogo.wasm", "fogo.web")
SUFFIXES = (".py", ".js", ".mjs", ".css", ".html", ".svg", ".json")
SKIP = ("__pycache__", "node_modules")
DATE = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes
WHEEL = """Wheel-Version: 1.0
Generator: fogo
Root-Is-Purelib: true
Tag: py3-none-any
"""


def pack(folder: str | os.PathLike[str]) -> Path:
    """Write `fogo-<version>-py3-none-any.whl` into `folder`; return its path."""
    metadata, version = _metadata()
    info = f"fogo-{version}.dist-info"
    path = Path(folder) / f"fogo-{version}-py3-none-any.whl"
    files = {name: source.read_bytes() for name, source in _sources()}
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    record = [_record_line(name, data) for name, data in sorted(files.items())]
    record.append(f"{info}/RECORD,,\n")
    files[f"{info}/RECORD"] = "".join(record).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED)
    return path


def _metadata() -> tuple[str, str]:
    try:
        found = importlib.metadata.distribution("fogo")
        text = found.read_text("METADATA") or found.read_text("PKG-INFO")
        if text:
            return text, found.version
    except importlib.metadata.PackageNotFoundError:
        pass
    # Imported from a folder that was never installed.
    return "Metadata-Version: 2.1\nName: fogo\nVersion: 0\n", "0"


def _sources() -> Iterator[tuple[str, Path]]:
    """Yield (name in the wheel, file) for each shipped file, once."""
    seen = set()
    for room in ROOMS:
        spec = importlib.util.find_spec(room)
        for place in (spec and spec.submodule_search_locations) or ():
            for path in _files(Path(place)):
                within = path.relative_to(place).as_posix()
                name = room.replace(".", "/") + "/" + within
                if name not in seen:
                    seen.add(name)
                    yield name, path


def _files(top: Path) -> Iterator[Path]:
    for folder, inner, names in os.walk(top):
        inner[:] = sorted(d for d in inner if d not in SKIP and d[0] != ".")
        for name in sorted(names):
            if name.endswith(SUFFIXES):
                yield Path(folder) / name


def _record_line(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
    return f"{name},sha256={digest.decode()},{len(data)}\n"
