"""The linter, the formatter and the type checker find nothing."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.farm import farm, in_repository
from tests.support.runtimes import ROOT


def tool(*arguments: str, **environment: str) -> None:
    """Run a tool of this environment in the repository; it must have no complaint."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, in_repository(done.stdout + done.stderr)


def test_ruff_finds_nothing() -> None:
    tool("ruff", "check", ".")


def test_ruff_would_format_nothing() -> None:
    tool("ruff", "format", "--diff", ".")


def test_mypy_finds_nothing() -> None:
    packages = ("-p", "fogo", "-p", "tests.support", "-p", "docs.tools")
    tool("mypy", *packages, MYPYPATH=f"{farm()}:{ROOT}")
