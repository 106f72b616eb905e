"""The stubs are fresh, and a type checker tells right programs from wrong ones."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import fogo
from fogo.cli.stubs import Signature, forms, main, retyped, stubs
from tests.support.farm import farm
from tests.support.runtimes import ROOT

PROGRAMS = Path(__file__).parent / "programs"


def complaints(program: Path, tmp_path: Path) -> dict[int, str]:
    """Return what mypy --strict says of a program: line -> error code."""
    command = ("-m", "mypy", "--strict", "--no-error-summary", "--config-file=")
    done = subprocess.run(
        [sys.executable, *command, "--cache-dir", str(ROOT / ".mypy_cache"), program],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(farm())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    own = [x for x in done.stdout.splitlines() if x.startswith(str(program))]
    found = re.findall(r":(\d+): error: .*\[([a-z-]+)\]", "\n".join(own))
    return {int(line): code for line, code in found}


def expected(program: Path) -> dict[int, str]:
    """Return the complaints that a program's marks ask for."""
    lines = enumerate(program.read_text().splitlines(), 1)
    marks = [(n, re.search(r"# E: ([a-z-]+)", text)) for n, text in lines]
    return {n: mark.group(1) for n, mark in marks if mark}


@pytest.mark.parametrize("name", ["right", "mixed", "wrong", "kernels"])
def test_the_type_checker_knows(name: str, tmp_path: Path) -> None:
    program = PROGRAMS / f"{name}.py"
    assert complaints(program, tmp_path) == expected(program)


def test_the_wrong_program_has_marks() -> None:
    assert len(expected(PROGRAMS / "wrong.py")) == 10


@pytest.mark.parametrize("name", ["right", "mixed"])
def test_what_it_accepts_runs(name: str) -> None:
    space = runpy.run_path(str(PROGRAMS / f"{name}.py"))
    if name == "right":
        space["main"]()
    else:
        assert all(isinstance(x, fogo.Tracked) for x in space["both"])
        assert all(len(g) for g in space["gradients"]())
        assert type(space["untouched"](space["plain"])) is fogo.Tensor


def test_stubs_are_fresh() -> None:
    stale = [p.name for p, text in stubs().items() if p.read_text() != text]
    assert not stale, f"run `python -m fogo.cli.stubs`: {stale}"


def test_check_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    before = {p: p.stat().st_mtime_ns for p in stubs()}
    assert main(["--check"]) == 0
    assert {p: p.stat().st_mtime_ns for p in stubs()} == before
    assert capsys.readouterr().out == ""


def sample(x: T, y: Tensor | float, n: int = 2) -> tuple[T, T]:  # type: ignore[name-defined]  # noqa: F821
    """Do nothing."""
    raise NotImplementedError


def test_further_tensors_make_overloads() -> None:
    signature = Signature("sample", sample)
    assert list(forms(signature, True)) == [
        "def sample(self, y: Tracked, n: _int = 2) -> tuple[Tracked, Tracked]",
        "def sample(self, y: Tensor | _float, n: _int = 2) -> tuple[Self, Self]",
    ]
    assert list(forms(signature, False)) == [
        "def sample(x: Tensor, y: Tracked, n: int = 2) -> tuple[Tracked, Tracked]",
        "def sample(x: T, y: Tensor | float, n: int = 2) -> tuple[T, T]",
    ]


def test_an_annotation_is_needed() -> None:
    with pytest.raises(TypeError, match="bare: parameter x has no annotation"):
        Signature("bare", lambda x: x)


def test_names_are_replaced_whole() -> None:
    assert retyped("dict[T, Type]", {"T": "Self"}) == "dict[Self, Type]"
