"""The shared tests and the op grid pass on MicroPython, from unchanged sources."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fogo.native.micropython.stage import compile_errors, stage
from tests.ops import export
from tests.ops import grid as ops_grid
from tests.portable import manifest, runtimes
from tests.support import sampling
from tests.support.runtimes import ROOT, micropython_path, need, why_absent

NEEDS = {"unix": "micropython", "node": "node"}
TIMEOUT_S = 900
SHARE = 0.9  # of the python backend's tests, that must really run there


@pytest.mark.parametrize("tier", ["board", "page"])
def test_every_portable_module_compiles(tier: str, tmp_path: Path) -> None:
    refused = compile_errors(stage(tmp_path, tier))
    assert not refused, "\n".join(f"{f}: {why}" for f, why in refused.items())


@pytest.mark.parametrize("runtime", list(NEEDS))
def test_shared_tests_pass(
    runtime: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    need(NEEDS[runtime], why_absent(NEEDS[runtime]))
    folder = tmp_path / "stage"
    cases = op_cases()
    manifest.lay_out(folder, cases)
    counts = runtimes.run(runtime, folder, TIMEOUT_S)
    numbers = (counts.passed, counts.failed, counts.excluded)
    record_property("counts", (NEEDS[runtime], *numbers))
    shutil.rmtree(folder)
    assert counts.failed == 0, counts.trouble()
    entries = len(manifest.entries())
    assert counts.passed + counts.excluded == len(cases) + entries > 0
    # A sample stands for the whole grid; the tests beside it are never sampled.
    grid = sum(len(ops_grid.cases(*row)) for row in ops_grid.ids())
    total = grid + max(entries, python_tests(request.session))
    portable = grid + entries - counts.excluded
    assert portable >= SHARE * total, f"{portable} of {total} tests run there"
    share = f"{runtime}: {portable} of the python backend's {total} tests are portable"
    record_property("note", share)


def test_the_xor_example_runs_unchanged(tmp_path: Path) -> None:
    need("micropython", why_absent("micropython"))
    stage(tmp_path)
    shutil.copy(ROOT / "examples" / "xor.py", tmp_path)
    done = subprocess.run(
        [str(micropython_path()), "-X", "heapsize=4m", "xor.py"],
        cwd=tmp_path,
        env={"MICROPYPATH": f"{tmp_path}:.frozen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [float(n.split("->")[1]) for n in done.stdout.splitlines() if "->" in n]
    assert answers == pytest.approx([0, 1, 1, 0], abs=0.2), done.stdout


# Rooms load names with their files, at first use; what fails is printed.
LAZY = """
import fogo
for room in ("fft", "func", "linalg", "nn", "optim", "signal"):
    module = getattr(fogo, room)
    for name in module.__all__ if hasattr(module, "__all__") else dir(module):
        try:
            getattr(module, name)
        except (AttributeError, ImportError) as error:
            print(room, name, error)
print(fogo.linalg.eigh(fogo.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist())
"""


def test_every_name_loads(tmp_path: Path) -> None:
    need("micropython", why_absent("micropython"))
    stage(tmp_path)
    (tmp_path / "names.py").write_text(LAZY)
    done = subprocess.run(
        [str(micropython_path()), "-X", "heapsize=64m", "names.py"],
        cwd=tmp_path,
        env={"MICROPYPATH": f"{tmp_path}:.frozen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[1.0, 2.0]\n", done.stdout


def python_tests(session: pytest.Session) -> int:
    """Return how many tests of this session take the python backend's device.

    Those of the op grid are left out: their cases are counted one by one.
    """
    params = [
        getattr(item, "callspec", None)
        for item in session.items
        if item.path.name != "test_grid.py"
    ]
    return sum(p is not None and p.params.get("device") == "python" for p in params)


def op_cases() -> list[str]:
    """Return this run's sample of the op grid as lines of JSON."""
    return list(export.lines(sampling.fraction(), sampling.seed()))
