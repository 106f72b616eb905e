"""Lists the shared tests and lays them out, beside fogo, for a MicroPython runtime."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path

from fogo.native.micropython.stage import stage

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT / "tests" / "shared"
RUNNER = ("runner.py", "exclusions.py")


def functions(file: Path) -> list[tuple[str, bool]]:
    """Return (name, takes the device) for each test of a shared file, in order.

    Raises ValueError where a test asks for what only pytest has.
    """
    found = []
    for node in ast.parse(file.read_text(), str(file)).body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not node.name.startswith("test_"):
            continue
        names = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
        if names not in ([], ["device"]) or node.decorator_list:
            raise ValueError(
                f"{file.name}:{node.lineno}: {node.name}: a shared test takes `device` "
                "or nothing and has no decorator, so that it runs without pytest"
            )
        found.append((node.name, names == ["device"]))
    return found


def entries() -> list[tuple[str, str, str, bool]]:
    """Return a manifest row ("test", module, function, takes device) for each test."""
    rows = []
    for file in sorted(SHARED.rglob("test_*.py")):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for name, device in functions(file):
            rows.append(("test", module, name, device))
    return rows


def lay_out(target: Path, cases: list[str], tier: str = "board") -> Path:
    """Stage fogo, the shared tests and a manifest in `target`; return the manifest.

    `cases` are lines of JSON, each with an "id", for tests/shared/cases.py to run.
    """
    stage(target, tier)
    for file in SHARED.rglob("*.py"):
        _copy(file, target)
    for name in RUNNER:
        _copy(ROOT / "tests" / "portable" / name, target)
    rows: list[object] = list(entries())
    if cases:
        (target / "cases.jsonl").write_text("".join(c + "\n" for c in cases))
        rows.append(("cases", "cases.jsonl"))
    manifest = target / "manifest.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return manifest


def _copy(file: Path, target: Path) -> None:
    place = target / file.relative_to(ROOT)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, place)
