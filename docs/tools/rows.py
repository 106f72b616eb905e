"""The data of the coverage page: Burn's names, and the rows that answer them.

docs/coverage/names.txt lists the names by section, one a line; `name | later: reason`
for what another part of the project brings. The other files there hold rows: `name |
ours | test`, with several names separated by commas, and the arguments of a pytest
command. `ours` begins with something of fogo, or with `none:` and why Python needs no
such thing.
"""

from __future__ import annotations

import functools
import inspect
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import fogo

FOLDER = Path(__file__).resolve().parents[1] / "coverage"
BEYOND = ("[gap] ", " (lacking)")  # in a row's name: Burn has no such thing


@dataclass(frozen=True)
class Name:
    """A name of Burn's, and why it is not for now (`later`), if so."""

    section: str
    name: str
    later: str = ""


@dataclass(frozen=True)
class Row:
    """What answers a name: an expression of fogo, and the tests that say so."""

    name: str
    ours: str
    test: str
    file: str

    @property
    def needless(self) -> bool:
        """Whether it says why there is nothing to have."""
        return self.ours.startswith("none:")

    @property
    def beyond(self) -> bool:
        """Whether Burn lacks it."""
        return any(mark in self.name for mark in BEYOND)

    @property
    def title(self) -> str:
        """Its name without marks."""
        text = self.name
        for mark in BEYOND:
            text = text.replace(mark, "")
        return text

    def answers(self) -> list[str]:
        """Return Burn's names that it answers: `nn A, B (note)` is A and B."""
        if self.beyond:
            return [self.title]
        plain = re.sub(r" \([^)]*\)$", "", self.name.removeprefix("nn "))
        whole = [self.name, plain, *self.name.split(", "), *plain.split(", ")]
        return list(dict.fromkeys(whole))

    def paths(self) -> list[str]:
        """Return the files and folders of its tests."""
        return _command(self.test)[0]

    def within(self, file: str) -> bool:
        """Say whether it names a file, or a folder that the file is in."""
        return any(
            file == p or file.startswith(p.rstrip("/") + "/") for p in self.paths()
        )

    def chooses(self, text: str) -> bool:
        """Say whether a test is its own, as pytest's -k would: by the lowered name."""
        words = _command(self.test)[1]
        return not words or bool(eval(_condition(words), {"text": text}))

    def sure_word(self) -> str:
        """Return a word that the name of each of its tests has, or ""."""
        words = _command(self.test)[1]
        alone = not re.search(r"\b(or|not)\b", words)
        found = [w for w in _WORD.findall(words) if w != "and"]
        return max(found, key=len).lower() if found and alone else ""


_WORD = re.compile(r"[\w:+\-.\[\]/=]+")


@functools.cache
def _command(text: str) -> tuple[list[str], str]:
    parts = shlex.split(text)
    if "-k" not in parts:
        return parts, ""
    at = parts.index("-k")
    return parts[:at] + parts[at + 2 :], parts[at + 1]


@functools.cache
def _condition(words: str) -> CodeType:
    def found(match: re.Match[str]) -> str:
        word = match[0]
        return word if word in ("and", "or", "not") else f"({word.lower()!r} in text)"

    return compile(_WORD.sub(found, words), words, "eval")


def names() -> list[Name]:
    """Read the names, in order."""
    found, section = [], ""
    for line in _lines("names.txt"):
        if line.startswith("## "):
            section = line[3:]
        elif not line.startswith("#"):
            name, _, later = line.partition(" | later: ")
            found.append(Name(section, name, later))
    return found


def rows() -> list[Row]:
    """Read every row, in the order of files and lines."""
    found = []
    for file in sorted(FOLDER.glob("*.txt")):
        if file.name == "names.txt":
            continue
        for line in _lines(file.name):
            if line.startswith("#"):
                continue
            name, _, rest = line.partition(" | ")
            ours, _, test = rest.rpartition(" | ")
            if not (name and ours and test):
                raise ValueError(f"{file.name}: a row is `name | ours | test`: {line}")
            found.append(Row(name.strip(), ours.strip(), test.strip(), file.name))
    return found


def _lines(name: str) -> list[str]:
    return [line for line in (FOLDER / name).read_text().splitlines() if line.strip()]


def by_name(found: list[Row]) -> dict[str, list[Row]]:
    """Map each name to the rows that answer it."""
    table: dict[str, list[Row]] = {}
    for row in found:
        for name in row.answers():
            table.setdefault(name, []).append(row)
    return table


# A dotted name or a call, with what follows; a bare word counts where it comes first.
_CODE = re.compile(r"[A-Za-z_][\w.]*\w(?:\([^)]*\)?)?|x\[")


def unresolved(ours: str) -> str | None:
    """Return what in a row's `ours` is nowhere in fogo, or None.

    All that looks like code, dotted or called, must be there, and called with arguments
    that it has; where nothing does, the first word.
    """
    if ours.startswith("none:"):
        return None
    words = [m[0] for m in _CODE.finditer(ours)]
    found = [w for w in words if "." in w or "(" in w or w == "x["] or words[:1]
    lost = [w for w in found if w != "x[" and not _resolves(w)]
    return lost[0] if lost else None if found else ours


def _resolves(text: str) -> bool:
    path, _, options = text.partition("(")
    found = _find(path)
    if found is None or not options or not callable(found):
        return found is not None
    keywords = re.findall(r"(\w+)=", options)
    known = inspect.signature(found).parameters
    open_ended = any(p.kind is p.VAR_KEYWORD for p in known.values())
    return open_ended or all(k in known for k in keywords)


def _find(path: str) -> Any:
    first, *more = path.removeprefix("fogo.").split(".")
    tensor = fogo.tensor([1.0], device=fogo.device("cpu").autodiff())
    if first in ("x", "Tensor"):
        first, more = (more or ["shape"])[0], more[1:]
        roots: list[Any] = [tensor]
    elif first in ("F", "init"):
        roots = [fogo.nn.functional if first == "F" else fogo.nn.init]
        first, more = (more or ["relu"])[0], more[1:]
    else:
        roots = [fogo, fogo.nn, fogo.optim, tensor, fogo.Device, fogo.nn.Module]
    for root in roots:
        found = getattr(root, first, None)
        for part in more:
            if found is not None:
                found = getattr(found, part, None)
        if found is not None:
            return found
    return None
