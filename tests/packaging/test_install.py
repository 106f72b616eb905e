"""Wheel, sdist and editable installs work, are small, and import lightly."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.packaging.conftest import Run, pip_install
from tests.support.runtimes import ROOT

WHEEL_LIMIT = 400_000
# Runs in a bare environment: imports every module and prints how many there were.
IMPORT_ALL = """
import pkgutil, sys, fogo
names = ["fogo"]
def failed(name):
    raise ImportError(name)
for module in pkgutil.walk_packages(fogo.__path__, "fogo.", failed):
    if not module.name.endswith("__main__") and ".shims." not in module.name:
        __import__(module.name)
        names.append(module.name)
third_party = {"numpy", "wgpu", "rich", "torch", "cupy"} & set(sys.modules)
assert not third_party, third_party
print(len(names), "modules of", fogo.__file__)
"""


def source_modules() -> int:
    tops = ("core", "webgpu", "wasm", "web", "native")
    files = [f for top in tops for f in (ROOT / top).rglob("*.py")]
    return sum(f.name != "__main__.py" and f.parent.name != "shims" for f in files)


def test_every_module_of_the_wheel_imports_alone(
    wheel: Path, fresh_venv: Path, run: Run
) -> None:
    pip_install(run, fresh_venv, wheel)
    answer = run(fresh_venv, "-c", IMPORT_ALL)
    assert int(answer.split()[0]) == source_modules(), answer
    assert "site-packages" in answer


def test_wheel_is_small_pure_and_has_the_pages(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    assert wheel.stat().st_size < WHEEL_LIMIT
    inside = set(zipfile.ZipFile(wheel).namelist())
    for top in ("webgpu", "wasm", "web", "native"):
        for file in (ROOT / top).rglob("*"):
            if file.suffix in (".html", ".css", ".js", ".mjs", ".svg"):
                assert f"fogo/{file.relative_to(ROOT)}" in inside
    assert "fogo/py.typed" in inside


def test_sdist_has_what_the_wheel_has(distributions: Path, wheel: Path) -> None:
    # The wheel was built from it; what matters is that the build needed nothing else.
    (sdist,) = distributions.glob("*.tar.gz")
    assert sdist.stat().st_size > 0.5 * wheel.stat().st_size


@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_editable_install(
    mode: str, fresh_venv: Path, run: Run, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    copy_tree(tree)
    home = run(fresh_venv, "-c", "import site; print(site.getsitepackages()[0])")
    borrow_setuptools(Path(home.strip()))
    setting = f"--config-settings=editable_mode={mode}"
    pip_install(run, fresh_venv, setting, "-e", tree)
    where = (
        "import fogo, fogo.web, fogo.native; print(fogo.__file__, fogo.web.__file__)"
    )
    answer = run(fresh_venv, "-c", where)
    assert answer.count(str(tree)) == 2


def copy_tree(target: Path) -> None:
    """Copy what the build reads, so that a test leaves no trace in the repository."""
    import shutil

    skip = shutil.ignore_patterns("__pycache__", "node_modules", "*.egg-info")
    for top in ("core", "webgpu", "wasm", "web", "native"):
        shutil.copytree(ROOT / top, target / top, ignore=skip)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, target / name)


def borrow_setuptools(site: Path) -> None:
    """Let a bare environment build with this one's setuptools."""
    import setuptools

    here = Path(setuptools.__file__).parents[1]
    (site / "borrowed.pth").write_text(f"{here}\n")


def test_import_is_light_and_quick(wheel: Path, fresh_venv: Path, run: Run) -> None:
    pip_install(run, fresh_venv, wheel)
    loads = "import sys, fogo; print(sorted(n for n in sys.modules if '.' not in n))"
    modules = run(fresh_venv, "-c", loads)
    assert "'fogo'" in modules
    assert "numpy" not in modules
    assert "wgpu" not in modules
    bare = median_ms(fresh_venv, "pass")
    fogo = median_ms(fresh_venv, "import fogo")
    print(f"import fogo: {fogo - bare:.1f} ms beyond the bare interpreter's {bare:.1f}")


def median_ms(python: Path, code: str) -> float:
    """Return the median wall time of ten runs of a one-line program, in ms."""
    times = []
    for _ in range(10):
        start = time.perf_counter()
        subprocess.run([python, "-c", code], check=True)
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def test_the_command_is_installed(wheel: Path, fresh_venv: Path, run: Run) -> None:
    pip_install(run, fresh_venv, wheel)
    command = fresh_venv.parent / "fogo"
    assert "fogo" in run(command, "--help")
    assert sys.version_info >= (3, 11)
