"""Kernels of workgroups in Chromium: its WGSL compiler takes them, and they compute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.browser.pyodide import Pyodide

SHARED = Path(__file__).parents[1] / "shared"
PROGRAM = """
import sys, traceback
import fogo, fogo.webgpu
sys.path.insert(0, "/")
from tests.shared import test_kernels
await fogo.webgpu.open_gpu()
device = fogo.device("webgpu")
failures, passed = [], []
for name in dir(test_kernels):
    if name.startswith("test_"):
        try:
            getattr(test_kernels, name)(device)
            passed.append(name)
        except Exception as error:
            failures.append(name + ": " + traceback.format_exc()[-1500:])
[passed, failures]
"""


def test_every_kernel_of_the_shared_tests(python: Pyodide) -> None:
    files = {
        f"/tests/shared/{name}.py": (SHARED / f"{name}.py").read_bytes()
        for name in ("check", "test_kernels")
    }
    passed, failures = python.run(PROGRAM, files).value
    assert not failures, "\n".join(failures)
    assert len(passed) > 10
