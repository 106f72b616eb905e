"""Starts a staged folder under each MicroPython runtime and reads its counts."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.support.runtimes import MICROPYTHON_NPM, micropython_path, npm_package

HEAP = "512m"  # compiled kernels stay: thousands of cases need room
PASSED = re.compile(r" ok \d+\.\d+ s$")
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)
HERE = Path(__file__).parent


class Counts(NamedTuple):
    """What a run came to, and all that it printed."""

    passed: int
    failed: int
    excluded: int
    output: str

    def trouble(self) -> str:
        """Return the output without the lines of tests that passed."""
        lines = [n for n in self.output.splitlines() if not PASSED.search(n)]
        return "\n".join(lines)[-20000:]


def unix_command(folder: Path) -> list[str]:
    """Return the command for the Unix binary."""
    code = "from tests.portable.runner import main; main('manifest.jsonl', 'unix')"
    return [str(micropython_path()), "-X", f"heapsize={HEAP}", "-c", code]


def node_command(folder: Path) -> list[str]:
    """Return the command for the WebAssembly build in Node."""
    package = npm_package(MICROPYTHON_NPM)
    library = f"{package}/micropython.mjs"
    return ["node", str(HERE / "node.mjs"), library, str(folder)]


COMMANDS: dict[str, Callable[[Path], list[str]]] = {
    "unix": unix_command,
    "node": node_command,
}


def run(runtime: str, folder: Path, timeout_s: float) -> Counts:
    """Run a staged folder to its end; a run that dies has no counts and raises."""
    log = folder.parent / f"{folder.name}-{runtime}.log"
    with log.open("wb") as out:
        done = subprocess.run(
            COMMANDS[runtime](folder),
            cwd=folder,
            env={"MICROPYPATH": f"{folder}:.frozen", "PATH": "/usr/bin:/bin"},
            stdout=out,
            stderr=subprocess.STDOUT,
            timeout=timeout_s,
            check=False,
        )
    output = log.read_text(errors="replace")
    counts = COUNTS.search(output)
    if counts is None:
        raise AssertionError(
            f"{runtime}: ended with status {done.returncode} and no counts; its last "
            f"lines:\n{output[-2000:]}"
        )
    return Counts(*(int(n) for n in counts.groups()), output)
