"""Wheel, sdist and editable installs work, are small, and import lightly."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sysconfig
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.packaging.conftest import Run, pip_install
from tests.support.runtimes import ROOT

Note = Callable[[str, object], None]
# 333 kB, 240 of tuned kernels, Fusion, CUDA, the checker, and 330 of the API's breadth.
WHEEL_LIMIT = 1_000_000
OWN_LIBRARY = ("fogo.native.", "fogo.train.live")
THIRD_PARTY = {"cupy", "numpy", "rich", "torch", "wasmtime", "wgpu"}
# Imports every module; prints those that imported and what the others lacked.
IMPORT_ALL = """
import json, pkgutil, sys, fogo
done, lacking = ["fogo"], {}
for module in pkgutil.walk_packages(fogo.__path__, "fogo.", lambda name: None):
    if module.name.endswith("__main__") or ".shims." in module.name:
        continue
    try:
        __import__(module.name)
    except ModuleNotFoundError as error:
        lacking[module.name] = error.name
    else:
        done.append(module.name)
loaded = sorted({n.split(".")[0] for n in sys.modules})
print(json.dumps([fogo.__file__, done, lacking, loaded]))
"""


def source_modules() -> int:
    """Return how many modules the repository has."""
    tops = ("core", "webgpu", "wasm", "web", "native")
    files = [f for top in tops for f in (ROOT / top).rglob("*.py")]
    return sum(f.name != "__main__.py" and f.parent.name != "shims" for f in files)


def test_modules_of_the_wheel_import_without_any_other_package(
    wheel: Path, fresh_venv: Path, run: Run
) -> None:
    pip_install(run, fresh_venv, wheel)
    file, done, lacking, loaded = json.loads(run(fresh_venv, "-c", IMPORT_ALL))
    assert "site-packages" in file
    assert len(done) + len(lacking) == source_modules()
    assert not THIRD_PARTY & set(loaded)
    # Only what exists for one library may need it: the NumPy backend, say.
    for module, package in lacking.items():
        assert module.startswith(OWN_LIBRARY), (module, package)
        assert package in THIRD_PARTY, (module, package)


def test_every_module_of_the_wheel_imports_with_its_dependencies(
    wheel: Path, fresh_venv: Path, run: Run
) -> None:
    pip_install(run, fresh_venv, wheel)
    borrow_packages(fresh_venv, run)
    file, done, lacking, _ = json.loads(run(fresh_venv, "-c", IMPORT_ALL))
    assert str(fresh_venv.parent.parent) in file
    optional = {"cupy", "wasmtime"}
    assert set(lacking.values()) <= optional, lacking
    assert len(done) + len(lacking) == source_modules()


def test_wheel_is_small_pure_and_has_the_pages(
    wheel: Path, record_property: Note
) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    assert wheel.stat().st_size < WHEEL_LIMIT
    record_property("note", f"wheel: {wheel.stat().st_size / 1000:.0f} kB")
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
    borrow_packages(fresh_venv, run)
    setting = f"--config-settings=editable_mode={mode}"
    pip_install(run, fresh_venv, setting, "-e", tree)
    where = (
        "import fogo, fogo.web, fogo.native; print(fogo.__file__, fogo.web.__file__)"
    )
    answer = run(fresh_venv, "-c", where)
    assert answer.count(str(tree)) == 2


def copy_tree(target: Path) -> None:
    """Copy what the build reads, so that a test leaves no trace in the repository."""
    skip = shutil.ignore_patterns("__pycache__", "node_modules", "*.egg-info")
    for top in ("core", "webgpu", "wasm", "web", "native"):
        shutil.copytree(ROOT / top, target / top, ignore=skip)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, target / name)


def borrow_packages(python: Path, run: Run) -> None:
    """Let a fresh environment see this one's packages, after its own."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    theirs = Path(run(python, "-c", code).strip())
    ours = Path(sysconfig.get_path("purelib"))
    (theirs / "zz-borrowed.pth").write_text(f"{ours}\n")


def test_import_is_light_and_quick(
    wheel: Path, fresh_venv: Path, run: Run, record_property: Note
) -> None:
    pip_install(run, fresh_venv, wheel)
    loads = "import sys, fogo; print(sorted(n for n in sys.modules if '.' not in n))"
    modules = run(fresh_venv, "-c", loads)
    assert "'fogo'" in modules
    assert "numpy" not in modules
    assert "wgpu" not in modules
    bare = median_ms(fresh_venv, "pass")
    fogo = median_ms(fresh_venv, "import fogo")
    cost = f"import fogo: {fogo - bare:.1f} ms beyond the bare interpreter's {bare:.1f}"
    record_property("note", cost)


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
