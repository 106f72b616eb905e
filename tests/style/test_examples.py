"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.runtimes import ROOT

ROOMS = {"core": "fogo", "webgpu": "fogo.webgpu", "web": "fogo.web"}
ROOMS |= {"wasm": "fogo.wasm", "native": "fogo.native"}


def modules() -> Iterator[str]:
    """Yield the import name of each module that has an example."""
    for top, name in ROOMS.items():
        for file in sorted((ROOT / top).rglob("*.py")):
            if ">>> " in file.read_text() and "shims" not in file.parts:
                parts = file.relative_to(ROOT / top).with_suffix("").parts
                yield ".".join((name, *(p for p in parts if p != "__init__")))


@pytest.mark.parametrize("name", list(modules()))
def test_examples_of(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    assert any(test.examples for test in doctest.DocTestFinder().find(module))
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0
