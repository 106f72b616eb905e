"""The op grid in Chromium, on WebGPU: all of it, or a share (FOGO_SAMPLE)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.ops import export
from tests.support import sampling

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.pyodide import Pyodide

SHARED = Path(__file__).parents[1] / "shared"
DTYPES = [
    "float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool",
]  # fmt: skip
BATCH = 400

PROGRAM = """
import json, sys, traceback
import fogo, fogo.webgpu
sys.path.insert(0, "/")
from tests.shared import cases
await fogo.webgpu.open_gpu()
device = fogo.device("webgpu")
failures = []
with open("/cases.jsonl") as file:
    for line in file:
        case = json.loads(line)
        try:
            cases.run(case, device)
        except Exception as error:
            said = traceback.format_exception_only(error)[-1].strip()
            failures.append(case["id"] + ": " + said)
failures
"""


def test_every_op_in_the_browser(
    python: Pyodide, record_property: Callable[[str, object], None]
) -> None:
    sample = sampling.fraction()
    lines = list(export.lines(sample, sampling.seed(), dtypes=DTYPES))
    files = {
        f"/tests/shared/{name}.py": (SHARED / f"{name}.py").read_bytes()
        for name in ("cases", "tolerances")
    }
    failures: list[str] = []
    for start in range(0, len(lines), BATCH):
        files["/cases.jsonl"] = "\n".join(lines[start : start + BATCH]).encode()
        failures += python.run(PROGRAM, files, timeout_s=600).value
    passed = len(lines) - len(failures)
    print(f"{passed} of {len(lines)} cases of the op grid pass in Chromium on WebGPU")
    record_property("counts", ("chromium", passed, len(failures), 0))
    assert not failures, f"{len(failures)} failed:\n" + "\n".join(failures[:50])
