"""Backends from other packages: found by entry points, imported when asked for."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import fogo
from fogo import plugins
from tests.support.runtimes import ROOT

EXAMPLE = ROOT / "examples" / "fogo_example_backend"
USE = """
import json, sys
import fogo
before = [m for m in sys.modules if m.startswith("fogo_example")]
listed = [d for d in fogo.devices() if d[0] == "tally"]
device = fogo.device("tally")
total = (fogo.ones(3, device=device) * 2).sum().item()
asked = "fogo_example_backend.faster" in sys.modules
line = fogo.tensor([3, 4, -9], device="python")
sums = [line.cumsum(0).tolist(), line.reshape(1, 3).cumsum(1).tolist()]
special = fogo.device("python").backend.special
ours = special["cumsum"].__module__
elsewhere = type(fogo.device("python").backend).special
kept = "argsort" in special and "cumsum" not in elsewhere
print(json.dumps([before, listed, total, device.backend.counts["mul"], repr(device),
                  asked, sums, ours, kept, device.backend.table()]))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package in it, as pip puts it there."""
    where = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source")
    for file in EXAMPLE.rglob("*"):  # setuptools leaves its own files beside them
        if file.suffix in (".py", ".toml"):
            place = source / file.relative_to(EXAMPLE)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index"]
    done = subprocess.run(
        [
            *pip,
            "--no-deps",
            "--no-build-isolation",
            "--target",
            str(where),
            str(source),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return where


def test_the_example_package_is_a_device(installed: Path, tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(installed)!r})\n" + USE
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    before, listed, total, muls, shown, asked, sums, ours, kept, table = found
    assert before == []  # importing fogo imports no plug-in
    assert listed == [["tally", "cpu", "plain Python that counts its ops"]]
    assert (total, muls, shown) == (6.0, 1, "fogo.device('tally')")
    assert not asked  # its ops for "python" wait until that is asked for
    assert sums == [[3, 7, -2], [[3, 7, -2]]]
    assert ours == "fogo_example_backend.faster"
    assert ["1", "mul"] in [line.split() for line in table.split("\n")]
    assert kept  # other ops and other instances are as they were


class Entry:
    """An entry point, as importlib.metadata has it."""

    def __init__(self, name: str, load: Any) -> None:
        self.name = name
        self.value = "stranger." + name
        self._load = load

    def load(self) -> Any:
        if isinstance(self._load, Exception):
            raise self._load
        return self._load


class Room:
    """What stands for a plug-in's module."""

    def __init__(self, create: Any = None, probe: Any = None) -> None:
        if create:
            self.create = create
        if probe:
            self.probe = probe


def fails(*args: Any, **options: Any) -> Any:
    raise ValueError("out of order")


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Pretend that packages offer these entry points."""

    def put(*found: Entry) -> None:
        monkeypatch.setattr(plugins, "_FOUND", [{e.name: e for e in found}])
        monkeypatch.setattr(sys.modules["fogo.device"], "DEVICES", {})

    return put


BROKEN = {
    "import": (Entry("odd", ImportError("no such thing")), "importing .*no such thing"),
    "empty": (Entry("odd", Room()), "the plug-in stranger.odd must have create"),
    "create": (Entry("odd", Room(fails, fails)), "create of .*stranger.odd.*out of or"),
    "nothing": (
        Entry("odd", Room(lambda index: None, lambda: None)),
        "create of .*stranger.odd must return a backend; given NoneType",
    ),
    "numbers": (
        Entry("odd", Room(lambda index: 42, lambda: ["cpu"])),
        "create of .*stranger.odd must return a backend; given int",
    ),
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_a_broken_device_is_named_and_nothing_else_is_harmed(
    name: str, offer: Any
) -> None:
    entry, said = BROKEN[name]
    offer(entry)
    with pytest.raises(fogo.DeviceError, match="device: odd is not available; " + said):
        fogo.device("odd")
    (row,) = [d for d in fogo.devices() if d[0] == "odd"]
    assert row[1] == "missing" and "stranger.odd" in row[2]
    assert fogo.ones(2, device="python").tolist() == [1.0, 1.0]


def test_a_device_may_refuse_in_its_own_words(offer: Any) -> None:
    def refuse(*args: Any) -> Any:
        raise fogo.DeviceError("odd: plug it in")

    offer(Entry("odd", Room(refuse, refuse)))
    with pytest.raises(fogo.DeviceError, match="^odd: plug it in$"):
        fogo.device("odd:1")
    assert ("odd", "missing", "odd: plug it in") in fogo.devices()


def test_broken_ops_are_warned_of(offer: Any) -> None:
    offer(Entry("python.odd", ImportError("no such thing")))
    said = "plug-in stranger.python.odd .*cannot be used: no such thing"
    with pytest.warns(RuntimeWarning, match=said):
        device = fogo.device("python")
    assert fogo.ones(2, device=device).tolist() == [1.0, 1.0]


def test_ops_that_are_no_functions_are_warned_of(offer: Any) -> None:
    offer(Entry("python.odd", {"cumsum": 5}))
    with pytest.warns(RuntimeWarning, match="cannot be used: cumsum is no function"):
        device = fogo.device("python")
    assert fogo.cumsum(fogo.ones(2, device=device), 0).tolist() == [1.0, 2.0]


def test_ops_reach_the_backend_below_its_decorators(offer: Any) -> None:
    calls = []

    def cumsum(backend: Any, inputs: Any, attrs: Any, outs: Any) -> None:
        calls.append(backend)

    offer(Entry("numpy.odd", {"cumsum": cumsum}))
    x = fogo.ones(3, device=fogo.device("numpy").autodiff())
    assert x.cumsum(0).tolist() == [1.0, 2.0, 3.0]  # it declined
    assert calls == [fogo.device("numpy").backend]


def test_built_in_devices_keep_their_names(offer: Any) -> None:
    offer(Entry("numpy", Room(fails, fails)), Entry("odd", Room(fails, fails)))
    assert fogo.ones(2, device="numpy").tolist() == [1.0, 1.0]
    assert plugins.kinds() == ["odd"]
    with pytest.raises(fogo.DeviceError, match="no such device; .*wasm.*, odd"):
        fogo.device("nothing")


def test_metadata_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata

    monkeypatch.setattr(importlib.metadata, "entry_points", fails)
    monkeypatch.setattr(plugins, "_FOUND", [])
    with pytest.warns(RuntimeWarning, match="the installed packages .*out of order"):
        assert plugins.entries() == {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plugins.kinds() == []
