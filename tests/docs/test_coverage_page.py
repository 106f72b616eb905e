"""docs/coverage.md: nothing blank, nothing that no test exercises, and up to date."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from docs.tools import coverage, rows, trial
from tests.support.runtimes import ROOT

pytest_plugins = ["pytester"]
ROWS = rows.rows()
NAMES = rows.names()


def test_every_name_has_an_answer() -> None:
    assert not coverage.missing(NAMES, ROWS)


def test_no_name_comes_twice() -> None:
    names = [n.name for n in NAMES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.file}-{r.name}")
def test_what_answers_is_there(row: rows.Row) -> None:
    assert rows.unresolved(row.ours) is None


def test_what_is_not_there_is_found() -> None:
    for lost in (
        "nn.Nothing",
        "fogo.exp(nothing=1)",
        "fogo.exp, fogo.nothing",
        "words",
    ):
        assert rows.unresolved(lost) is not None, lost
    for there in (
        "nn.Linear(bias=False)",
        "x.exp()",
        "fogo.exp, as always",
        "none: so",
    ):
        assert rows.unresolved(there) is None, there


SELECTIONS = {
    "": ["exp", "log", "Exp"],
    " -k exp": ["exp", "Exp"],
    " -k 'exp and not numpy'": ["Exp"],
    " -k 'x and g'": ["log"],
    " -k 'test_y or log'": ["log", "Exp"],
    " -k t.py": ["exp", "log", "Exp"],
    " -k sin": [],
}


@pytest.mark.parametrize("words", SELECTIONS)
def test_rows_select_as_pytest_does(words: str, pytester: pytest.Pytester) -> None:
    """One selection, by ours and by pytest's own -k."""
    names = {"exp": "x[numpy-exp]", "log": "x[numpy-log]", "Exp": "y[Exp]"}
    pytester.makepyfile(
        t="""
        import pytest
        @pytest.mark.parametrize("v", [1, 2], ids=["numpy-exp", "numpy-log"])
        def test_x(v): pass
        @pytest.mark.parametrize("v", [1], ids=["Exp"])
        def test_y(v): pass
        """
    )

    def chosen(*options: str) -> list[pytest.Item]:
        run = pytester.inline_run("--collect-only", "t.py", *options)
        items: list[pytest.Item] = run.getcall("pytest_collection_finish").session.items
        return items

    row = rows.Row("name", "ours", "t.py" + words, "file")
    ours = [item.nodeid for item in trial.Names(chosen()).of(row)]
    theirs = chosen(*shlex.split(words))
    wanted = [f"t.py::test_{names[key]}" for key in SELECTIONS[words]]
    assert ours == [item.nodeid for item in theirs] == wanted


def test_the_page_is_up_to_date() -> None:
    page = coverage.page(NAMES, ROWS, coverage.outcomes())
    assert coverage.PAGE.read_text() == page, "run `python -m docs.tools.coverage`"


def test_every_row_has_a_test_that_passed() -> None:
    said = coverage.outcomes()
    lost = [f"{row.name}: {row.test}" for row in ROWS if not said.get(row.test)]
    assert not lost, "run `python -m docs.tools.coverage --run`"


def test_every_row_selects_tests_on_its_backends() -> None:
    """The tests are still there: collected once, by a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "docs.tools.coverage", "--collect"],
        cwd=ROOT,
        env={**os.environ, "FOGO_SAMPLE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
