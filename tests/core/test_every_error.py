"""No message of the core is without a row in tests/shared/test_errors.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import fogo
from tests.shared import test_errors

CORE = Path(fogo.__file__).parent
# What belongs to files, layers, data or a page is tested where it lives.
FOLDERS = ("", "ops", "backend")
CLASSES = ("ShapeError", "DTypeError", "DeviceError", "AutodiffError")
# Cannot be reached with one device on one thread; tested where the device is faked.
ELSEWHERE = {
    "gradcheck: ": "tests/autodiff/test_gradcheck.py, where float64 is held",
    "argument the tensor must be real": "tests/array_api/test_complex.py",
    "complex numbers have no": "tests/array_api/test_complex.py, on NumPy",
    "take abs() or real() first": "tests/array_api/test_complex.py, on NumPy",
    "copy=False needs memory": "tests/array_api/test_exchange.py",
    "copy=False shares memory": "tests/array_api/test_exchange.py",
    "has no backend yet": "every listed backend exists",
    "size of the result must be read": "tests/core/test_wrong_uses.py",
    "values must be read from": "tests/core/test_testing.py",
    "the plug-in %s": "tests/core/test_plugins.py",
    "must count its memory": "tests/core/test_memory.py",
    "clock must move": "tests/core/test_profile.py",
    "does not hold": "tests/shared/test_dtypes.py, on devices that hold less",
}


def raised() -> Iterator[tuple[str, int, str]]:
    """Yield (file, line, message with its % places) for each error raised."""
    for folder in FOLDERS:
        for file in sorted((CORE / folder).glob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                text = message(node)
                if text is not None and not text.startswith("internal:"):
                    yield file.name, getattr(node, "lineno", 0), text


def message(node: ast.AST) -> str | None:
    """The literal that an error is raised with, or None."""
    if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
        return None
    call = node.exc
    if not isinstance(call.func, ast.Name) or call.func.id not in CLASSES:
        return None
    literals = [
        n.value
        for n in ast.walk(call.args[0])
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    return max(literals, key=len) if literals else None


def pattern(text: str) -> re.Pattern[str]:
    """A message's literal as a pattern: each % place stands for anything."""
    parts = re.split(r"%[-.0-9]*[a-z]", text)
    return re.compile(".*".join(re.escape(p) for p in parts), re.DOTALL)


def messages() -> list[str]:
    """Every message that the rows of the shared tests bring about."""
    device = fogo.device("python")
    found = []
    for kind, _, wrong in test_errors.ALL:
        try:
            wrong(device)
        except kind as error:
            found.append(str(error))
    return found


def test_every_message_has_a_row() -> None:
    seen = messages()
    sites = list(raised())
    assert len(sites) > 100
    missing = [
        f"{file}:{line}: {text}"
        for file, line, text in sites
        if not any(pattern(text).search(m) for m in seen)
        and not any(part in text for part in ELSEWHERE)
        and "internal:" not in text
    ]
    assert not missing, "\n".join(missing)


def test_messages_say_what_was_given() -> None:
    """`op: the rule; what was given`: at least those three parts."""
    for text in messages():
        assert re.match(r"[a-z_0-9]+: \S", text), text
