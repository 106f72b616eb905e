"""Counts tests by backend and runtime, for the lines at the end of a run."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

OUTCOMES = ("passed", "failed", "skipped")
Table = dict[str, dict[str, int]]


class Counter:
    """A plug-in that adds up outcomes: of tests with a device, and of other runs.

    A test that runs many under another runtime records it with
    `record_property("counts", (runtime, passed, failed, skipped))`, and a figure
    worth reading at the end with `record_property("note", text)`. One that runs many
    cases on a device says how many with `record_property("cases", (device, number))`.
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.cases: dict[str, int] = defaultdict(int)
        self.table: Table = defaultdict(lambda: dict.fromkeys(OUTCOMES, 0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one finished test."""
        key: str
        value: Any
        for key, value in report.user_properties:
            if key == "counts" and report.when == "call":
                name, numbers = value[0], value[1:]
                for outcome, number in zip(OUTCOMES, numbers, strict=True):
                    self.table[name][outcome] += number
            elif key == "cases" and report.when == "call":
                self.cases[value[0]] += value[1]
            elif key == "note" and report.when == "call":
                self.notes.append(value)
            elif key == "device" and (report.when == "call" or not report.passed):
                self.table[str(value)][report.outcome] += 1

    def ran(self, name: str) -> int:
        """Return how many tests of a backend or runtime really ran."""
        row = self.table.get(name, {})
        return row.get("passed", 0) + row.get("failed", 0)

    def lines(self) -> list[str]:
        """Return the table as text."""
        heads = (*OUTCOMES, "cases") if self.cases else OUTCOMES
        rows = [f"{'':14}" + "".join(f"{o:>10}" for o in heads)]
        for name in sorted(self.table):
            row: dict[str, Any] = {
                **self.table[name],
                "cases": self.cases.get(name, ""),
            }
            rows.append(f"{name:14}" + "".join(f"{row[o]:>10}" for o in heads))
        return rows + self.notes
