"""Build the demo's static site: our page, Python for the browser, wheel, weights.

What it gathers is kept in a cache, so that a second build asks no registry. The
site is written beside its folder and renamed, so that a failed build leaves the
old one as it was.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fogo.demo.net import MnistNet
from fogo.errors import FogoError
from fogo.store import load_safetensors
from fogo.web.assets import PYODIDE, PYODIDE_FILES, micropip_wheel, pyodide_folder
from fogo.web.wheel import pack

if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[str], object]

STATIC = Path(__file__).parent / "static"
MANIFEST = "site.json"
FORMAT = 1
CDN = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"


class SiteError(FogoError, OSError):
    """A site that cannot be built: its folder or its weights."""


def build_site(
    out_dir: str | os.PathLike[str],
    weights_path: str | os.PathLike[str],
    *,
    cdn: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write the demo's site into `out_dir` and return its path.

    With `cdn` the page takes Pyodide from its public CDN instead of a local copy.
    `progress` is told in words what is being done. Raises SiteError if the folder
    cannot be written, holds something else, or there are no weights; FormatError if
    they are not the network's; AssetError if Pyodide or micropip cannot be had.
    """
    out = Path(out_dir).absolute()
    say = progress or _silent
    weights = _check_weights(Path(weights_path))
    check_target(out)
    new = _folder_beside(out)
    try:
        _fill(new, weights, cdn, say)
        _replace(out, new)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    say(f"site in {out}")
    return out


def _silent(text: str) -> None:
    pass


def _check_weights(path: Path) -> Path:
    if not path.is_file():
        raise SiteError(
            f"build_site: the weights must be a file; weights={path}; "
            "train them with `fogo demo mnist`"
        )
    # What the page would refuse is refused here, while somebody can do something.
    net = MnistNet(device="python")
    net.load_state_dict(load_safetensors(path, "python"))
    return path


def check_target(out: Path) -> None:
    """Raise SiteError unless `out` is a place where `build_site` may write a site."""
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise SiteError(
            "build_site: the folder must be new, empty, or a site built before; "
            f"{out} holds other files; give another folder"
        )
    if out.exists() and not out.is_dir():
        raise SiteError(
            f"build_site: the target must be a folder; {out} is a file; "
            "give another folder"
        )


def _folder_beside(out: Path) -> Path:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.exists() and not os.access(out, os.W_OK):
            raise PermissionError(f"no permission to replace {out}")
        new = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
        new.chmod(0o755)
        return new
    except OSError as error:
        raise SiteError(
            f"build_site: the folder must be writable; {error}; "
            "give another folder, or free space in this one"
        ) from None


def _fill(new: Path, weights: Path, cdn: bool, say: Progress) -> None:
    shutil.copytree(STATIC, new, dirs_exist_ok=True)
    say("packing our wheel")
    manifest = {
        "format": FORMAT,
        "wheel": pack(new).name,
        "weights": "weights.safetensors",
        "pyodide": {"version": PYODIDE, "url": CDN if cdn else "./pyodide/"},
        "micropip": "micropip",
    }
    shutil.copyfile(weights, new / "weights.safetensors")
    if not cdn:
        manifest["micropip"] = "./pyodide/" + _add_pyodide(new / "pyodide", say).name
    manifest["bytes"] = {
        path.name: path.stat().st_size for path in sorted(new.rglob("*.*"))
    }
    (new / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")


def _add_pyodide(folder: Path, say: Progress) -> Path:
    folder.mkdir()
    source = pyodide_folder(say)
    for name in PYODIDE_FILES:
        shutil.copyfile(source / name, folder / name)
    return Path(shutil.copy(micropip_wheel(say), folder))


def _replace(out: Path, new: Path) -> None:
    try:
        if out.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
            out.rename(old / "old")
            new.rename(out)
            shutil.rmtree(old, ignore_errors=True)
        else:
            new.rename(out)
    except OSError as error:
        raise SiteError(
            f"build_site: the folder could not be replaced; {error}; "
            "close what uses it, or give another folder"
        ) from None
