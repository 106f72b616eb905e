"""Get what the site needs from others: Pyodide from npm, micropip from pip.

Each is fetched once, by the registry's own client, into a cache.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fogo.data.cache import cache_dir
from fogo.errors import FogoError

if TYPE_CHECKING:
    from collections.abc import Callable

PYODIDE = "314.0.7"
PYODIDE_PYTHON = "3.14"
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
    "package.json",
)
MICROPIP = "0.11.1"


class AssetError(FogoError, OSError):
    """Something the site needs that could not be fetched."""


def cache_folder() -> Path:
    """The folder where what the site needs is kept, in fogo's cache."""
    return cache_dir() / "web"


def pyodide_folder(say: Callable[[str], object]) -> Path:
    """The folder of Pyodide's npm package: an installed one, else a fetched one.

    Looks in FOGO_NODE_MODULES, in node_modules and tests/node_modules here, and in
    the cache; then runs `npm pack`. Raises AssetError without npm or network.
    """
    cached = cache_folder() / f"pyodide-{PYODIDE}"
    modules = [os.environ.get("FOGO_NODE_MODULES")]
    modules += ["node_modules", "tests/node_modules"]
    places = [Path(place) / "pyodide" for place in modules if place]
    for place in places + [cached]:
        if _is_pyodide(place):
            return place
    say(f"fetching Pyodide {PYODIDE} (npm, 6 MB)")
    npm = shutil.which("npm")
    if npm is None:
        raise AssetError(
            f"build_site: Pyodide {PYODIDE} comes from npm; there is no npm here; "
            "install Node.js, or use --cdn to load Pyodide from its public CDN"
        )
    with _work_folder(cached.parent) as work:
        _call([npm, "pack", "--silent", f"pyodide@{PYODIDE}"], work, "Pyodide")
        _unpack(next(Path(work).glob("*.tgz")), Path(work) / "out")
        _move(Path(work) / "out", cached)
    return cached


def micropip_wheel(say: Callable[[str], object]) -> Path:
    """The wheel of micropip, fetched by pip on first use.

    Raises AssetError, with what pip said, if it cannot be had.
    """
    name = f"micropip-{MICROPIP}-py3-none-any.whl"
    cached = cache_folder() / name
    if cached.is_file():
        return cached
    say(f"fetching micropip {MICROPIP} (pip, 0.1 MB)")
    with _work_folder(cached.parent) as work:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        pip += ["--only-binary=:all:", "--python-version", PYODIDE_PYTHON]
        pip += ["--disable-pip-version-check", "--dest", ".", f"micropip=={MICROPIP}"]
        _call(pip, work, "micropip")
        _move(Path(work) / name, cached)
    return cached


def _is_pyodide(folder: Path) -> bool:
    try:
        package = json.loads((folder / "package.json").read_text())
    except (OSError, ValueError):
        return False
    whole = all((folder / name).is_file() for name in PYODIDE_FILES)
    return whole and package.get("version") == PYODIDE


def _work_folder(parent: Path) -> tempfile.TemporaryDirectory[str]:
    try:
        parent.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(dir=parent)
    except OSError as error:
        raise AssetError(
            f"build_site: the cache must be writable; {error}; "
            "set FOGO_CACHE to a folder that is"
        ) from None


def _call(command: list[str], folder: str, what: str) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace"
    )
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise AssetError(
            f"build_site: {what} could not be fetched; `{' '.join(command[:4])} …` "
            f"said: {' / '.join(said[-3:])}; check the network, or use --cdn"
        )


def _unpack(archive: Path, out: Path) -> None:
    """Take the files we need out of an npm package, each by its exact name."""
    out.mkdir()
    with tarfile.open(archive) as tar:
        for name in PYODIDE_FILES:
            file = tar.extractfile(f"package/{name}")
            if file is None:
                raise AssetError(f"build_site: {archive.name} has no file {name}")
            with file, open(out / name, "wb") as to:
                shutil.copyfileobj(file, to)


def _move(made: Path, cached: Path) -> None:
    try:
        made.rename(cached)
    except OSError:
        # Another build was faster, or a broken folder is in the way.
        if cached.is_file() or _is_pyodide(cached):
            return
        shutil.rmtree(cached, ignore_errors=True)
        made.rename(cached)
