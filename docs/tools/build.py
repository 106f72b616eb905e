"""Builds the documentation: `python -m docs.tools.build [folder]`.

The pages of docs/ and those of the API, made from docstrings, are laid beside each
other in a folder, and the generator makes a site of them. A warning of the generator, a
link or a file that is not there: no site.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from docs.tools import render
from docs.tools.public import Room, rooms

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
PAGES = "pages"
CONFIG = "mkdocs.yml"  # JSON is YAML


def lay_out(folder: Path) -> list[Path]:
    """Write every page and the generator's settings; returns the pages."""
    shutil.rmtree(folder / PAGES, ignore_errors=True)
    pages = folder / PAGES
    for file in [*DOCS.glob("*.md"), *DOCS.glob("images/*")]:
        _write(pages / file.relative_to(DOCS), file.read_bytes())
    found = list(rooms())
    for room in found:
        _write(pages / _path(room), render.page(room).encode())
    settings = tomllib.loads((DOCS / "site.toml").read_text())
    settings |= {"docs_dir": PAGES, "site_dir": "site"}
    settings["nav"] += [*_unlisted(settings["nav"]), {"API": _navigation(found)}]
    _write(folder / CONFIG, json.dumps(settings, indent=1).encode())
    return sorted(pages.rglob("*.md"))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _path(room: Room) -> str:
    return f"api/{room.path}.md"


def _unlisted(nav: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the pages of docs/ that the settings do not place, by their headings."""
    listed = {path for entry in nav for path in entry.values()}
    files = [f for f in sorted(DOCS.glob("*.md")) if f.name not in listed]
    return [{f.read_text().split("\n")[0].lstrip("# "): f.name} for f in files]


def _navigation(found: list[Room]) -> list[Any]:
    """Group the pages of the API by folder."""
    groups: dict[str, list[dict[str, str]]] = {}
    for room in found:
        group = room.path.partition("/")[0]
        groups.setdefault(group, []).append({room.title.split(": ")[-1]: _path(room)})
    return [
        inside[0] if len(inside) == 1 else {group: inside}
        for group, inside in groups.items()
    ]


def broken(pages: list[Path]) -> list[str]:
    """Return the links of pages to files that are not there."""
    found = []
    for page in pages:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            place, _, _ = target.partition("#")
            if "://" not in target and place and not (page.parent / place).exists():
                found.append(f"{page.name}: {target}")
    return found


def build(folder: Path) -> Path:
    """Build the site in `folder`; returns the folder of its pages."""
    folder.mkdir(parents=True, exist_ok=True)
    lost = broken(lay_out(folder))
    if lost:
        raise SystemExit("docs: links must lead somewhere; " + "; ".join(lost))
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run([*command, "-f", str(folder / CONFIG)], cwd=folder)
    if done.returncode:
        raise SystemExit(done.returncode)
    return folder / "site"


def main(arguments: list[str]) -> None:
    """Build from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m docs.tools.build", description="Build the documentation's site."
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, default=ROOT / "build" / "docs",
        help="where to (default: build/docs); the site is FOLDER/site",
    )  # fmt: skip
    print(build(parser.parse_args(arguments).folder))


if __name__ == "__main__":
    main(sys.argv[1:])
