"""fogo.autotune: which kernel is chosen, and how choices are kept."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from typing import Any

import pytest

import fogo
from fogo import autotune
from fogo.errors import DeviceError, FogoError, FormatError
from fogo.fast import Candidate, Caps, Chooser, tuner
from fogo.ops.record import Aval, Op
from fogo.shapes import Layout


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path) -> Iterator[None]:
    """A store of its own, in a cache folder of its own, for each test."""
    monkeypatch.setenv("FOGO_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FOGO_AUTOTUNE", raising=False)
    before = dict(vars(autotune.STORE))
    vars(autotune.STORE).update(vars(autotune.Store()))
    autotune.STORE.generation = before["generation"] + 1
    yield
    vars(autotune.STORE).update(before)
    autotune.STORE.generation += 2


class Bench:
    """A device whose kernels take the seconds that a test says."""

    def __init__(self, seconds: dict[str, float], broken: tuple[str, ...] = ()) -> None:
        self.seconds = seconds
        self.broken = broken
        self.timed: list[str] = []
        self.ready = True
        self.open = False

    def name(self) -> str:
        return "card; driver 1; Gpu"

    def begin(self) -> bool:
        self.open = self.ready
        return self.ready

    def end(self) -> None:
        self.open = False

    def run(self, candidate, handles, outs) -> None:
        assert self.open
        if candidate.name in self.broken:
            raise DeviceError("too much shared memory")

    def wait(self) -> None:
        pass

    def time(self, candidate, handles, outs) -> float:
        assert self.open
        self.timed.append(candidate.name)
        return self.seconds[candidate.name]


OP = Op("work", infer=lambda avals, attrs: avals)


def chooser(bench: Bench, software: bool = False) -> Chooser:
    backend = types.SimpleNamespace(bench=lambda: bench, allocate=lambda n, d: object())
    return Chooser(backend, Caps(software=software))


def offer(*names: str) -> Any:
    """A module of fogo.fast that offers these candidates."""
    found = [Candidate(name, OP) for name in names]
    return types.SimpleNamespace(candidates=lambda *args: found)


def find(made: Chooser, module: Any, *shape: int) -> str:
    out = Aval(shape, fogo.float32)
    h = types.SimpleNamespace(layout=Layout(shape), dtype=fogo.float32)
    return made.find(module, OP, (h,), (), (out,)).name


def test_the_fastest_is_taken_and_measured_once_for_its_class() -> None:
    bench = Bench({"a": 3e-3, "b": 1e-3, "c": 2e-3})
    made = chooser(bench)
    assert find(made, offer("a", "b", "c"), 100, 64) == "b"
    count = len(bench.timed)
    assert find(made, offer("a", "b", "c"), 101, 64) == "b"  # the same class
    assert len(bench.timed) == count and not bench.open
    assert find(made, offer("a", "b", "c"), 300, 64) == "b"
    assert len(bench.timed) > count


def test_the_first_wins_unless_another_is_clearly_faster() -> None:
    assert find(chooser(Bench({"a": 1e-3, "b": 0.99e-3})), offer("a", "b"), 40) == "a"
    assert find(chooser(Bench({"a": 1e-3, "b": 0.9e-3})), offer("a", "b"), 50) == "b"


def test_a_candidate_that_is_much_worse_is_given_up_early() -> None:
    bench = Bench({"a": 1e-3, "b": 9e-3})
    find(chooser(bench), offer("a", "b"), 40)
    assert bench.timed.count("b") == 2 < tuner.FEW <= bench.timed.count("a")


def test_a_candidate_that_the_device_refuses_is_passed_over() -> None:
    bench = Bench({"a": 2e-3, "b": 1e-3, "c": 1.5e-3}, broken=("b",))
    assert find(chooser(bench), offer("a", "b", "c"), 40) == "c"
    bench = Bench({"a": 2e-3, "b": 1e-3}, broken=("a",))
    assert find(chooser(bench), offer("a", "b"), 50) == "b"
    bench = Bench({"a": 2e-3, "b": 1e-3}, broken=("a", "b"))
    assert find(chooser(bench), offer("a", "b"), 60) == "a"  # its error comes in use
    assert not bench.open


def test_time_for_a_key_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(tuner, "KEY_SECONDS", 0.0)
    bench = Bench({"a": 3e-3, "b": 1e-3})
    assert find(chooser(bench), offer("a", "b"), 40) == "a"
    assert set(bench.timed) == {"a"}
    monkeypatch.setattr(tuner, "KEY_SECONDS", 1.0)  # what was left out is made up for
    assert find(chooser(bench), offer("a", "b"), 40) == "b"
    monkeypatch.setattr(tuner, "TOTAL_SECONDS", -1.0)
    bench = Bench({"a": 3e-3, "b": 1e-3})
    assert find(chooser(bench), offer("a", "b"), 50) == "a" and not bench.timed


def test_modes() -> None:
    bench = Bench({"a": 3e-3, "b": 1e-3})
    made = chooser(bench)
    assert autotune.mode("cached") == "cached"
    assert find(made, offer("a", "b"), 40) == "a" and not bench.timed
    autotune.mode("on")
    assert find(made, offer("a", "b"), 40) == "b"
    autotune.mode("cached")
    assert find(made, offer("a", "b"), 40) == "b"
    autotune.mode("off")
    assert find(made, offer("a", "b"), 40) == "a"
    with pytest.raises(FogoError, match="\"off\"; given 'fast'; choose one"):
        autotune.mode("fast")


def test_a_cpu_that_plays_a_gpu_is_not_measured_by_default() -> None:
    bench = Bench({"a": 3e-3, "b": 1e-3})
    assert find(chooser(bench, software=True), offer("a", "b"), 40) == "a"
    autotune.mode("on")
    assert find(chooser(bench, software=True), offer("a", "b"), 40) == "b"


def test_the_environment_chooses_the_mode(monkeypatch) -> None:
    monkeypatch.setenv("FOGO_AUTOTUNE", "off")
    assert autotune.mode() == "off" == autotune.mode_for(False)


def test_a_device_that_cannot_be_waited_for_takes_the_first() -> None:
    bench = Bench({"a": 3e-3, "b": 1e-3})
    bench.ready = False
    made = chooser(bench)
    assert find(made, offer("a", "b"), 40) == "a"
    bench.ready = True
    assert find(made, offer("a", "b"), 40) == "b"  # nothing was remembered


def test_choices_outlive_the_process(tmp_path) -> None:
    find(chooser(Bench({"a": 3e-3, "b": 1e-3})), offer("a", "b"), 40)
    kept = json.loads((tmp_path / "cache" / "autotune.json").read_text())
    assert list(kept["devices"]) == ["card; driver 1; Gpu"]
    vars(autotune.STORE).update(vars(autotune.Store()))
    bench = Bench({})
    assert find(chooser(bench), offer("a", "b"), 40) == "b" and not bench.timed
    bench = Bench({"a": 3e-3, "b": 2e-3, "c": 1e-3})  # a kernel it has not seen
    assert find(chooser(bench), offer("a", "b", "c"), 40) == "c"


def test_what_another_process_has_written_is_kept(tmp_path) -> None:
    mine = chooser(Bench({"a": 3e-3, "b": 1e-3}))
    find(mine, offer("a", "b"), 40)
    path = tmp_path / "cache" / "autotune.json"
    whole = json.loads(path.read_text())
    theirs = {"best": "b", "of": ["a", "b"]}
    whole["devices"]["another card"] = {"matmul": theirs}
    (known,) = [d for d in whole["devices"] if d != "another card"]
    whole["devices"][known]["softmax"] = theirs
    path.write_text(json.dumps(whole))
    find(mine, offer("a", "b"), 80)
    devices = json.loads(path.read_text())["devices"]
    assert devices["another card"] == {"matmul": theirs}
    assert devices[known]["softmax"] == theirs and len(devices[known]) == 3


def test_a_draft_is_not_left_behind(tmp_path) -> None:
    (tmp_path / "cache" / "autotune.json").mkdir(parents=True)
    with pytest.warns(RuntimeWarning):
        find(chooser(Bench({"a": 3e-3, "b": 1e-3})), offer("a", "b"), 40)
    assert [p.name for p in (tmp_path / "cache").iterdir()] == ["autotune.json"]


def test_choices_are_shipped(tmp_path) -> None:
    find(chooser(Bench({"a": 3e-3, "b": 1e-3})), offer("a", "b"), 40)
    path = tmp_path / "with the app" / "tuned.json"
    autotune.save(str(path))
    assert path.read_text() == autotune.export()
    vars(autotune.STORE).update(vars(autotune.Store()))
    autotune.keep_in(lambda: None, lambda text: None)
    assert autotune.load(str(path)) == 1
    bench = Bench({})
    assert find(chooser(bench), offer("a", "b"), 40) == "b" and not bench.timed


def test_loading_reaches_choices_made_before(tmp_path) -> None:
    before = autotune.STORE.generation
    path = tmp_path / "tuned.json"
    autotune.save(str(path))
    autotune.load(str(path))
    assert autotune.STORE.generation > before


HEAD = '{"format": 1, "kernels": 1, "devices": '
DAMAGED = (
    "{", "[]", '{"format": 1}', HEAD + "[3]}",
    HEAD + '{"d": {"k": {"best": "a", "of": []}}}}', "\x00\xff", "[" * 100_000,
)  # fmt: skip


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_cache_is_named_and_passed_over(tmp_path, text) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "autotune.json").write_bytes(text.encode("latin-1"))
    bench = Bench({"a": 3e-3, "b": 1e-3})
    with pytest.warns(RuntimeWarning, match="autotune.json.*measures again"):
        assert find(chooser(bench), offer("a", "b"), 40) == "b"
    with pytest.raises(FormatError, match="bad.json is not .*pass a file of fogo"):
        path = tmp_path / "bad.json"
        path.write_text("{")
        autotune.load(str(path))


def test_the_cache_of_other_kernels_is_empty(monkeypatch, tmp_path) -> None:
    find(chooser(Bench({"a": 3e-3, "b": 1e-3})), offer("a", "b"), 40)
    path = tmp_path / "old.json"
    autotune.save(str(path))
    monkeypatch.setattr(autotune, "KERNELS", autotune.KERNELS + 1)
    assert autotune.load(str(path)) == 0


def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    bench = Bench({"a": 3e-3, "b": 1e-3})
    made = chooser(bench)
    with pytest.warns(RuntimeWarning, match="cannot be written.*not kept"):
        assert find(made, offer("a", "b"), 40) == "b"
    assert find(made, offer("a", "b"), 80) == "b"  # told once


def test_a_host_may_keep_the_cache_itself() -> None:
    shelf: list[str] = []
    autotune.keep_in(lambda: shelf[-1] if shelf else None, shelf.append)
    find(chooser(Bench({"a": 3e-3, "b": 1e-3})), offer("a", "b"), 40)
    assert shelf == [autotune.export()]


def test_classes_of_sizes() -> None:
    sizes = [tuner.bucket(n) for n in (0, 7, 16, 17, 23, 24, 31, 32, 47, 48, 4096)]
    assert sizes == [0, 7, 16, 16, 16, 24, 24, 32, 32, 48, 4096]


def test_how_much_a_layout_reads() -> None:
    assert tuner.extent(Layout((3, 4))) == 12
    assert tuner.extent(Layout((3, 2), (1, 3), 2)) == 2 + 2 + 3 + 1
    assert tuner.extent(Layout((4,), (-1,), 3)) == 4
    assert tuner.extent(Layout((0, 4))) == 1
