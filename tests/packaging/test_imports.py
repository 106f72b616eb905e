"""Imports point one way: core knows no device, and nothing points at native but core's
device table, by name and only when asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.runtimes import ROOT

APART = ("webgpu", "wasm", "web", "native")
MAY_IMPORT = {
    "core": (),
    "webgpu": ("core",),
    "wasm": ("core",),
    "web": ("core", "webgpu", "wasm"),
    "native": ("core", "webgpu", "wasm"),
}
# Rooms named as text, and loaded when asked for: the table of devices, the command
# that serves the page, the memory of arrays, and the list of what a wheel packs.
BY_NAME = {
    "core/device.py", "core/cli/mnist.py", "core/exchange.py", "web/wheel.py",
}  # fmt: skip


def room_of(name: str) -> str | None:
    """Return the room of a dotted name: "fogo.web.x" -> "web", "os" -> None."""
    parts = name.split(".")
    if parts[0] != "fogo":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in APART else "core"


def package_of(file: Path) -> list[str]:
    parts = list(file.relative_to(ROOT).parent.parts)
    return ["fogo", *(parts[1:] if parts[0] == "core" else parts)]


def imported(source: str, base: list[str]) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) for each import, in functions too, and by string."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = base[: len(base) - node.level + 1] if node.level else []
            if node.module:
                origin = [*origin, node.module]
            yield from ((node.lineno, ".".join([*origin, a.name])) for a in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.startswith("fogo.") and " " not in node.value:
                yield node.lineno, node.value


def wrong(file: Path, room: str) -> list[str]:
    """Return a line for each import that the rules forbid."""
    found = []
    where = file.relative_to(ROOT).as_posix()
    for line, name in imported(file.read_text(), package_of(file)):
        target = room_of(name)
        allowed = target in (None, "core", room) or target in MAY_IMPORT[room]
        if not allowed and where not in BY_NAME:
            found.append(f"{where}:{line} imports {name}")
    return found


@pytest.mark.parametrize("room", list(MAY_IMPORT))
def test_imports_keep_their_direction(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    problems = [p for f in files for p in wrong(f, room)]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    "source",
    [
        "import fogo.native",
        "from fogo import web",
        "from . import web",
        "from .webgpu.x import y",
        "def f(): __import__('fogo.wasm.z')",
    ],
)
def test_the_rules_see_every_way_to_import(source: str) -> None:
    rooms = {room_of(name) for _, name in imported(source, ["fogo"])}
    assert rooms & set(APART)
