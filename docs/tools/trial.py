"""Finds the tests that rows of the coverage page name, and runs some on each backend.

A plug-in for pytest. A test with the `device` fixture says its backend; of others it
is observed which backends execute ops, so that nothing has to be believed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Any

import pytest

from docs.tools.rows import Row
from fogo.backend.base import RawBackend

BACKENDS = ("python", "numpy", "wasm", "webgpu")
HOST = "host"  # a test that executes no op: the same with every backend


def backend_of(item: pytest.Item) -> str | None:
    """Return the backend that a test names: None if none, "" for variants of one."""
    callspec = getattr(item, "callspec", None)
    name = None if callspec is None else callspec.params.get("device")
    return name if name is None or name in BACKENDS else ""


class Trial:
    """Keeps `per` tests of each row and backend, and the outcomes of their runs."""

    def __init__(self, rows: Iterable[Row], per: int = 1) -> None:
        self.tests = list(dict.fromkeys(row.test for row in rows))
        self.rows = {row.test: row for row in rows}
        self.per = per
        self.found: dict[str, set[str]] = {}  # test -> backends it selects, or HOST
        self.passed: dict[str, set[str]] = defaultdict(set)  # nodeid -> backends
        self.failed: set[str] = set()
        self.chosen: dict[str, list[str]] = defaultdict(list)  # test -> nodeids

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Choose; what no row names is left out."""
        files: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in items:
            if backend_of(item) != "":
                files[item.nodeid.split("::")[0]].append(item)
        lists = {file: Names(inside) for file, inside in files.items()}
        kept: dict[str, pytest.Item] = {}
        for test in self.tests:
            row, groups = self.rows[test], defaultdict(list)
            for file, names in lists.items():
                if row.within(file):
                    for item in names.of(row):
                        groups[backend_of(item) or HOST].append(item)
            self.found[test] = set(groups)
            for group in groups.values():
                for item in sorted(group, key=_plainness)[: self.per]:
                    kept[item.nodeid] = item
                    self.chosen[test].append(item.nodeid)
        items[:] = [item for item in items if item.nodeid in kept]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """Note who executed ops, where the test does not say."""
        named = backend_of(item)
        with Watch() as seen:
            result = yield
        self.passed[item.nodeid] = {named} if named else seen or {HOST}
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Forget what failed or was skipped."""
        if not report.passed:
            self.passed.pop(report.nodeid, None)
            if report.failed:
                self.failed.add(report.nodeid)

    def outcome(self, test: str) -> list[str]:
        """Return the backends that ran a row's tests, none of which failed."""
        chosen = self.chosen[test]
        if self.failed.intersection(chosen):
            return []
        seen = set().union(*(self.passed.get(nodeid, set()) for nodeid in chosen))
        return [b for b in (*BACKENDS, HOST) if b in seen]


class Names:
    """The names of a file's tests, as one text: a search takes no loop over them."""

    def __init__(self, items: list[pytest.Item]) -> None:
        self.items = items
        self.names = [item.nodeid.rsplit("/", 1)[-1].lower() for item in items]
        self.text = "\n".join(self.names)
        ends = accumulate(len(name) + 1 for name in self.names)
        self.starts = [0, *ends]

    def of(self, row: Row) -> Iterator[pytest.Item]:
        """Yield the tests that a row chooses."""
        for i in self._places(row.sure_word()):
            if row.chooses(self.names[i]):
                yield self.items[i]

    def _places(self, word: str) -> Iterator[int]:
        at = self.text.find(word)
        while 0 <= at < len(self.text):
            i = bisect_right(self.starts, at) - 1
            yield i
            at = self.text.find(word, self.starts[i + 1])


def _plainness(item: pytest.Item) -> tuple[bool, int, str]:
    return "float32" not in item.nodeid, len(item.nodeid), item.nodeid


class Watch:
    """Which raw backends execute ops inside of a `with`: a set of names."""

    def __enter__(self) -> set[str]:
        self.seen: set[str] = set()
        self.kept = [(c, c.__dict__["execute"]) for c in _raw_backends()]
        for kind, execute in self.kept:
            kind.execute = self._around(execute)
        return self.seen

    def _around(self, execute: Callable[..., Any]) -> Callable[..., Any]:
        def noted(backend: Any, *args: Any) -> Any:
            if backend.name in BACKENDS:
                self.seen.add(backend.name)
            return execute(backend, *args)

        return noted

    def __exit__(self, *_: object) -> None:
        for kind, execute in self.kept:
            kind.execute = execute


def _raw_backends() -> list[Any]:
    kinds: list[Any] = [RawBackend]
    found = []
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if "execute" in kind.__dict__:
            found.append(kind)
    return found
