"""MicroPython assembles the very bytes that CPython does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fogo.native.micropython.stage import stage
from tests.support import runtimes

PROGRAM = Path(__file__).with_name("modules.py")


def output(command: list[str], **environment: str) -> list[str]:
    done = subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_modules_are_equal(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    runtimes.need("micropython", runtimes.why_absent("micropython"))
    request.node.user_properties.append(("device", "micropython"))
    stage(tmp_path, "page")
    here = output([sys.executable, str(PROGRAM)])
    command = [str(runtimes.micropython_path()), "-X", "heapsize=32m", str(PROGRAM)]
    assert output(command, MICROPYPATH=str(tmp_path)) == here
    assert len(here) == 10
