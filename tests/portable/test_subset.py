"""Portable modules import only each other and what MicroPython has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from fogo.native.micropython.tiers import modules

# Standard modules of both runtimes, and our shims.
STANDARD = set(
    "__future__ array asyncio cmath collections gc hashlib io js json math os random "
    "re struct sys time typing uctypes".split()
)
# What a function may import where it is there: as `Tensor.numpy()` does.
OPTIONAL = {"numpy", "pyodide"}
FORBIDDEN_CALLS = {"slice", "vars"}


def is_guarded(node: ast.AST) -> bool:
    """Tell whether a block is for the type checker, or tries an import."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.Try):
        return any("ImportError" in ast.unparse(h) for h in node.handlers)
    return False


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield every node that must run: not those in a guarded block."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not is_guarded(child):
            yield from nodes(child)


def origins(node: ast.AST, package: list[str]) -> list[str]:
    """Return the modules an import statement names, ours with a leading "fogo."."""
    if isinstance(node, ast.Import):
        return [a.name for a in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    if not node.level:
        return [node.module or ""]
    base = package[: len(package) - node.level + 1]
    if node.module:
        return [".".join([*base, node.module])]
    return [".".join([*base, a.name]) for a in node.names]


def is_portable(name: str, tier: set[str]) -> bool:
    """Tell whether a module is of the tier; a package's attribute counts as its own."""
    if not name.startswith("fogo"):
        return name in STANDARD or name.split(".")[0] in OPTIONAL
    path = "/".join(name.split(".")[1:])
    options = (f"{path}.py", f"{path}/__init__.py".lstrip("/"))
    parent = "/".join([*path.split("/")[:-1], "__init__.py"])
    return any(o in tier for o in options) or parent in tier


def problems(path: str, file: Path, tier: set[str]) -> list[str]:
    package = ["fogo", *path.split("/")[:-1]]
    found = []
    for node in nodes(ast.parse(file.read_text(), str(file))):
        line = getattr(node, "lineno", 0)
        for name in origins(node, package):
            if not is_portable(name, tier):
                found.append(f"{path}:{line} imports {name}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in FORBIDDEN_CALLS:
                found.append(f"{path}:{line} calls {node.func.id}()")
    return found


@pytest.mark.parametrize("tier", ["board", "page"])
def test_portable_modules_stay_among_themselves(tier: str) -> None:
    files = modules(tier)
    found = [p for path, f in files.items() for p in problems(path, f, set(files))]
    assert not found, "\n".join(found)


def test_the_check_sees_what_it_must(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "from __future__ import annotations\n"
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import numpy\n"
        "def f():\n    import functools\n    return slice(1)\n"
        "from .data import mnist\n"
    )
    names = [p.split(" ", 1)[1] for p in problems("ops/bad.py", bad, {"ops/bad.py"})]
    assert names == ["imports functools", "calls slice()", "imports fogo.ops.data"]
