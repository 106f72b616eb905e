"""A folder in which `fogo` lies as one tree of links, for tools that read sources.

mypy does not follow the import hook of an editable install; it does follow this:
    MYPYPATH=build/farm mypy -p fogo
"""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.runtimes import ROOT

FARM = ROOT / "build" / "farm"
APART = ("webgpu", "wasm", "web", "native")


def farm(target: Path = FARM) -> Path:
    """Make or renew the links below `target`; return it."""
    package = target / "fogo"
    package.mkdir(parents=True, exist_ok=True)
    wanted = {p.name: p for p in (ROOT / "core").iterdir() if p.name[0] not in "._"}
    for name in ("__init__.py", "__init__.pyi"):
        wanted[name] = ROOT / "core" / name
    wanted.update({name: ROOT / name for name in APART})
    for old in package.iterdir():
        if old.name not in wanted:
            old.unlink()
    for name, place in wanted.items():
        link = package / name
        if not link.is_symlink():
            link.symlink_to(os.path.relpath(place, package))
    return target


def in_repository(text: str) -> str:
    """Return a tool's output with paths of the farm turned back into ours."""
    prefix = f"{FARM.relative_to(ROOT)}/fogo/"
    for name in APART:
        text = text.replace(f"{prefix}{name}/", f"{name}/")
    return text.replace(prefix, "core/")
