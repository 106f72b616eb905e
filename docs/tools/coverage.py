"""Writes docs/coverage.md: every name of Burn's, ours, who runs it, and its test.

    python -m docs.tools.coverage             # the page, from what the tests said last
    python -m docs.tools.coverage --run       # asks the tests of rows without outcomes
    python -m docs.tools.coverage --run --all # asks them all again

Outcomes are kept in docs/coverage/outcomes.json, by the tests' selection. A change of
rows asks for a run of what is new; tests/docs/ sees to it that the page is up to date.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable

import pytest

from docs.tools import rows as data
from docs.tools.rows import FOLDER, Name, Row
from docs.tools.trial import BACKENDS, HOST, Trial

PAGE = FOLDER.parent / "coverage.md"
OUTCOMES = FOLDER / "outcomes.json"
ROOT = FOLDER.parents[1]
MARKS = {True: "✓", False: "–"}
Outcomes = dict[str, list[str]]

HEAD = """\
# Coverage: Burn's names

Every name of Burn's tensor, autodiff, nn, optim and module interfaces, and what
answers it in fogo. ✓: a test of it ran on that backend; the test is the argument of
`python -m pytest`. What computes nothing is the same on every backend. Names that other
parts of the project bring are marked *later*. This page is written by `python -m
docs.tools.coverage` from the lists in `docs/coverage/` and the outcomes of the tests.
"""


def outcomes() -> Outcomes:
    """Read what the tests said last."""
    found: Outcomes = json.loads(OUTCOMES.read_text()) if OUTCOMES.exists() else {}
    return found


def ask(wanted: Iterable[Row], per: int) -> tuple[Outcomes, set[str]]:
    """Run tests of rows on every backend; returns outcomes, and what failed."""
    wanted = list(wanted)
    os.environ["FOGO_SAMPLE"] = "1"  # every test is there; one case each is enough
    trial = Trial(wanted, per)
    paths = sorted({p for row in wanted for p in row.paths()})
    here = [str(ROOT / p) for p in paths if (ROOT / p).exists()]
    pytest.main(
        ["-q", "-p", "no:cacheprovider", "--tb=line", f"--rootdir={ROOT}", *here],
        plugins=[trial],
    )
    return {test: trial.outcome(test) for test in trial.tests}, trial.failed


def collected(found: list[Row], said: Outcomes) -> list[str]:
    """Return a line for each row whose tests are no longer those that were asked."""
    trial = Trial(found, 0)
    paths = sorted({p for row in found for p in row.paths()})
    here = [str(ROOT / p) for p in paths if (ROOT / p).exists()]
    quiet = ["-qq", "--collect-only", "--no-header", "--no-summary"]
    pytest.main([*quiet, "-p", "no:cacheprovider", *here], plugins=[trial])
    lines = []
    for row in found:
        there, ran = trial.found.get(row.test, set()), set(said.get(row.test, []))
        if not there or (HOST not in there and not ran <= there):
            lines.append(f"{row.name}: {row.test}: ran on {ran}, selects {there}")
    return lines


def page(names: list[Name], found: list[Row], said: Outcomes) -> str:
    """Write the page."""
    table, body = data.by_name(found), list[str]()
    for section in dict.fromkeys(n.section for n in names):
        body += [f"\n## {section}\n", _row("Burn", "fogo", *BACKENDS, "test"), _rule()]
        for name in (n for n in names if n.section == section):
            body += _lines_of(name, table.get(name.name, []), said)
    summary = _summary(names, table, said)
    return "\n".join([HEAD, *summary, *body, *_extras(names, found, said), ""])


def _lines_of(name: Name, answers: list[Row], said: Outcomes) -> list[str]:
    if answers:
        return [_line(name.name, row, said) for row in answers]
    why = f"*later: {name.later}*" if name.later else "**missing**"
    return [_row(_code(name.name), why, *("" for _ in BACKENDS), "")]


def missing(names: list[Name], found: list[Row]) -> list[str]:
    """Return the names that nothing answers, though they are for now."""
    table = data.by_name(found)
    return [n.name for n in names if n.name not in table and not n.later]


def backends(row: Row, said: Outcomes) -> list[str]:
    """Return the backends that a row's tests ran on."""
    ran = said.get(row.test, [])
    return list(BACKENDS) if ran == [HOST] else [b for b in BACKENDS if b in ran]


def _summary(
    names: list[Name], table: dict[str, list[Row]], said: Outcomes
) -> list[str]:
    later = [n for n in names if n.later and n.name not in table]
    needless = [n for n in names if _needless(table.get(n.name, []))]
    wanted = [n for n in names if n not in later and n not in needless]
    lost = [n.name for n in wanted if n.name not in table]
    lines = [
        f"{len(names)} names: {len(wanted)} for now, {len(wanted) - len(lost)} of them "
        f"answered; {len(needless)} that Python does not need; {len(later)} later.\n",
        _row("backend", "names whose test ran", "of those for now"),
        "|---|---|---|",
    ]
    for backend in BACKENDS:
        ran = [n for n in wanted if backend in _ran(table.get(n.name, []), said)]
        share = 100 * len(ran) / max(len(wanted), 1)
        lines.append(_row(backend, str(len(ran)), f"{share:.1f} %"))
    return [*lines, f"\nMissing: {', '.join(map(_code, lost)) or 'nothing'}."]


def _needless(answers: list[Row]) -> bool:
    return bool(answers) and all(row.needless for row in answers)


def _ran(answers: list[Row], said: Outcomes) -> set[str]:
    return {b for row in answers for b in backends(row, said)}


def _extras(names: list[Name], found: list[Row], said: Outcomes) -> list[str]:
    known = {n.name for n in names}
    rest = [row for row in found if not known.intersection(row.answers())]
    if not rest:
        return []
    lines = ["\n## Beyond Burn\n", _row("", "fogo", *BACKENDS, "test"), _rule()]
    return lines + [_line(row.title, row, said) for row in rest]


def _line(name: str, row: Row, said: Outcomes) -> str:
    ran = backends(row, said)
    if row.needless:
        ours = "*" + row.ours.removeprefix("none:").strip() + "*"
    else:
        ours = row.ours
    marks = [MARKS[b in ran] for b in BACKENDS]
    return _row(_code(name), ours, *marks, _code(row.test.replace("tests/", "", 1)))


def _row(*cells: str) -> str:
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def _rule() -> str:
    return "|---|---|" + ":-:|" * len(BACKENDS) + "---|"


def _code(text: str) -> str:
    return f"`{text}`"


def main() -> int:
    """Read the command line, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--run", action="store_true", help="ask tests without outcome")
    parser.add_argument("--all", action="store_true", help="ask every test again")
    parser.add_argument("--per", type=int, default=1, help="tests a row and backend")
    parser.add_argument("--collect", action="store_true", help="check selections only")
    chosen = parser.parse_args()
    if chosen.collect:
        wrong = collected(data.rows(), outcomes())
        print(*wrong, sep="\n")
        return 1 if wrong else 0
    found, said, failed = data.rows(), outcomes(), set[str]()
    tests = {row.test for row in found}
    said = {test: ran for test, ran in said.items() if test in tests}
    wanted = [r for r in found if chosen.all or not said.get(r.test)]
    if chosen.run and wanted:
        new, failed = ask(wanted, chosen.per)
        said = {t: r for t, r in {**said, **new}.items() if r}
        OUTCOMES.write_text(json.dumps(said, indent=0, sort_keys=True) + "\n")
    names = data.names()
    PAGE.write_text(page(names, found, said))
    print(*problems(names, found, said), sep="\n")
    return 1 if failed else 0


def problems(names: list[Name], found: list[Row], said: Outcomes) -> list[str]:
    """Return a line for each name, row and test that is wanting."""
    lines = [f"missing: {name}" for name in missing(names, found)]
    for row in found:
        if not said.get(row.test):
            lines.append(f"no test ran: {row.file}: {row.name}: {row.test}")
        if (lost := data.unresolved(row.ours)) is not None:
            lines.append(f"not in fogo: {row.file}: {row.name}: {lost}")
    return lines


if __name__ == "__main__":
    raise SystemExit(main())
