"""fogo beside PyTorch: outputs and gradients of the cases of every room here.

Each case runs in each of its dtypes that the backend holds. FOGO_SAMPLE takes a part.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import fogo
from tests.parity_torch.case import Case, check, floats
from tests.support import sampling

HERE = Path(__file__).parent
TOOLS = ("case", "tolerance", "test_parity")


def rooms() -> list[str]:
    """Names of the files here that have CASES."""
    return [f.stem for f in sorted(HERE.glob("[a-z]*.py")) if f.stem not in TOOLS]


def cases() -> list[tuple[str, Case]]:
    """(id, case) of every room; an id comes once."""
    found = []
    for room in rooms():
        module = importlib.import_module(f"tests.parity_torch.{room}")
        found += [
            (f"{room}-{c.name}", c)
            for c in getattr(module, "CASES", [])
            if isinstance(c, Case)
        ]
    names = [name for name, _ in found]
    assert len(names) == len(set(names)), "two cases of one name"
    return found


ALL = cases()
KEPT = [(name, case) for name, case in ALL if sampling.keep(name)]


@pytest.mark.parametrize("case", [c for _, c in KEPT], ids=[n for n, _ in KEPT])
def test_parity(
    case: Case, device: fogo.Device, request: pytest.FixtureRequest
) -> None:
    backend = request.node.callspec.params["device"]
    held = [d.name for d in device.backend.holds]
    tried = [d for d in case.dtypes if d in held]
    assert tried, f"{backend} holds none of {case.dtypes}"
    for dtype in tried:
        check(case, device, backend, dtype)


def test_there_are_enough() -> None:
    """The figure that docs/coverage.md quotes cannot shrink unseen."""
    assert len(ALL) >= 1500


def test_what_differs_fails(device: fogo.Device) -> None:
    """Another function, another weight's gradient, another shape: each is seen."""
    x = [floats(3, 4)]

    def off(lib: Any, f: Any, y: Any) -> Any:
        return f(y) * (1.0001 if lib.ours else 1.0)

    def cut(lib: Any, f: Any, y: Any) -> Any:
        return f(y.detach() if lib.ours else y) + y * 0.0

    for wrong in (
        Case("other", lambda lib: lib.nn.ReLU() if lib.ours else lib.nn.GELU(), x),
        Case("off", lambda lib: lib.nn.Linear(4, 2), x, off),
        Case("cut", lambda lib: lib.nn.Tanh(), x, cut),
        Case("shape", lambda lib: lib.nn.Flatten(0 if lib.ours else 1), x),
    ):
        with pytest.raises(AssertionError):
            check(wrong, device, "python", "float32")
