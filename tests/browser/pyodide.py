"""Run Python programs on Pyodide in a Chromium worker, with WebGPU at hand.

    with serving(tmp_path) as place:
        python = Pyodide(browser, place)
        result = python.run("import fogo; print(fogo.__name__); [1, 2]")
        assert result.value == [1, 2] and result.printed == ["fogo"]

Programs run by `runPythonAsync`: they may `await` at top level, the value of their
last expression comes back (through JSON), `fogo` is installed from our own wheel.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fogo.web.assets import PYODIDE_FILES, pyodide_folder
from fogo.web.server import Server
from fogo.web.wheel import pack

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RUNNER = Path(__file__).with_name("runner.js")

START = """async () => {
  const worker = new Worker("./runner.js", { type: "module" });
  const next = () => new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
  });
  window.ask = (message) => { const reply = next(); worker.postMessage(message);
    return reply; };
  window.stop = () => worker.terminate();
  return next();
}"""


@dataclass(frozen=True)
class Place:
    """Where a page can start Pyodide, and the address of our wheel."""

    url: str
    wheel: str


@dataclass(frozen=True)
class Result:
    """What a program gave: the value of its last expression, and what it printed."""

    value: Any
    printed: list[str]

    def json_lines(self) -> list[Any]:
        """The printed lines that are JSON objects, parsed."""
        return [json.loads(line) for line in self.printed if line.startswith("{")]


class ProgramError(AssertionError):
    """A program that raised: the Python traceback, after what it had printed."""


@contextmanager
def serving(folder: Path) -> Iterator[Place]:
    """Serve `folder`, filled with Pyodide, the runner and our wheel."""
    source = pyodide_folder(print)
    (folder / "pyodide").mkdir(parents=True)
    for name in PYODIDE_FILES:
        shutil.copyfile(source / name, folder / "pyodide" / name)
    shutil.copy(RUNNER, folder)
    (folder / "index.html").write_text("<!doctype html><title>runner</title>")
    wheel = pack(folder)
    server = Server(folder, port=0).start()
    try:
        yield Place(server.url, server.url + wheel.name)
    finally:
        server.stop()


class Pyodide:
    """One page with one worker in which Python has started."""

    def __init__(self, browser: Browser, place: Place) -> None:
        self._page = browser.new_page()
        self._page.goto(place.url)
        self._page.evaluate(START)
        self._ask({"wheel": place.wheel})

    def run(
        self,
        program: str,
        files: Mapping[str, bytes] | None = None,
        timeout_s: float = 300,
    ) -> Result:
        """Run a program after writing `files` (absolute path -> bytes).

        Raises ProgramError if it raises, TimeoutError if it takes too long.
        """
        packed = {
            path: base64.b64encode(data).decode()
            for path, data in (files or {}).items()
        }
        return self._ask({"program": program, "files": packed}, timeout_s)

    def close(self) -> None:
        """Stop the worker and close the page."""
        self._page.close()

    def _ask(self, message: dict[str, Any], timeout_s: float = 60) -> Result:
        # The reply is raced in the page: evaluate() itself would wait for ever.
        reply = self._page.evaluate(
            """([message, ms]) => Promise.race([ask(message),
                 new Promise((done) => setTimeout(done, ms, null))])""",
            [message, timeout_s * 1000],
        )
        if reply is None:
            self.close()
            raise TimeoutError(f"the program ran longer than {timeout_s:g} s")
        if not reply["ok"]:
            raise ProgramError("\n".join([*reply["printed"], reply["error"]]))
        return Result(json.loads(reply["value"] or "null"), reply["printed"])
