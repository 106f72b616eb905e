"""The wheel, built once from the source distribution, and a venv that has only it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.runtimes import ROOT

Run = Callable[..., str]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a command away from the repository; return what it printed, or fail."""
    away = tmp_path_factory.mktemp("away")

    def call(*command: str | Path) -> str:
        env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        done = subprocess.run(
            [str(c) for c in command],
            cwd=away,
            env=env,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return call


@pytest.fixture(scope="session")
def distributions(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist from the tree and the wheel from the sdist; return the folder."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="session")
def wheel(distributions: Path) -> Path:
    """Return the built wheel."""
    (found,) = distributions.glob("*.whl")
    return found


@pytest.fixture
def fresh_venv(tmp_path: Path) -> Path:
    """Return the Python of a new, empty environment."""
    venv.create(tmp_path / "venv", with_pip=False)
    return tmp_path / "venv" / "bin" / "python"


def pip_install(run: Run, python: Path, *what: str | Path) -> None:
    """Install into another environment with this one's pip, without dependencies."""
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet")
    run(*pip, "--no-deps", "--no-index", "--no-build-isolation", *what)
