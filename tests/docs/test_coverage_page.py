"""docs/coverage.md: nothing blank, nothing that no test exercises, and up to date."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from docs.tools import coverage, rows
from tests.support.runtimes import ROOT

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
