"""Every kernel fogo ships, through the checking interpreter: no problem, right values.

The ops grid runs on a backend that checks (with what a GPU would be given), then the
programs of shipped.py with each candidate of each tuned kernel, then those with Fusion.
"""

from __future__ import annotations

import pytest

from fogo import fast
from fogo.backend.fusion.stream import Fusion
from fogo.backend.python import Python
from fogo.device import Device
from fogo.fast import Chooser
from fogo.kernel.check import watched
from fogo.kernel.check_backend import Checking
from fogo.native.cuda_backend import Cuda, First
from tests.kernel.shipped import CALLS, PORTABLE, Call, Each
from tests.ops import grid
from tests.shared import cases
from tests.support import sampling

FAST_SHARE = 1 / 3  # of the programs, when the whole suite runs on a sample


class CheckingGpu(Checking):
    """Checks, and takes the kernels that a GPU would; see `Each` for all of them."""

    def __init__(self, chooser: type[Chooser]) -> None:
        Checking.__init__(self)
        self.fast = chooser(self, PORTABLE)

    def run(self, op, inputs, attrs, outs):
        return watched(Cuda.run, self, op, inputs, attrs, outs)

    def compose(self, op, inputs, attrs, outs):
        return watched(Cuda.compose, self, op, inputs, attrs, outs)

    def copy(self, source, offset, target, to, nwords):
        words = memoryview(source).cast("B")[offset * 4 : (offset + nwords) * 4]
        memoryview(target).cast("B")[to * 4 : (to + nwords) * 4] = words


def grid_names() -> list[tuple[str, list[str]]]:
    """Return each function of the grid with its dtypes."""
    names: dict[str, list[str]] = {}
    for name, dtype in grid.ids():
        names.setdefault(name, []).append(dtype)
    return list(names.items())


GRID = grid_names()


@pytest.mark.parametrize(("name", "dtypes"), GRID, ids=[n for n, _ in GRID])
def test_grid(name: str, dtypes: list[str]) -> None:
    backend = Checking()
    device = Device("check", backend)
    share = min(sampling.fraction(), 0.25)  # special values and layouts by turns
    for dtype in dtypes:
        for case in grid.chosen(name, dtype, share, sampling.seed()):
            cases.run(case, device)
            assert not backend.problems, f"{case['id']}: {backend.problems}"
    assert backend.checked or name in ("zeros", "ones", "full", "empty")


def chosen() -> list[Call]:
    """Return this run's programs: all, or a share by the seed."""
    share = 1.0 if sampling.fraction() == 1 else FAST_SHARE
    return [c for c in CALLS if grid.draw(sampling.seed(), c.name) < share]


@pytest.mark.parametrize("call", chosen(), ids=lambda c: c.name)
def test_candidates(call: Call) -> None:
    backend = CheckingGpu(Each)
    call.check(Device("check", backend))
    assert not backend.problems, "\n".join(map(repr, backend.problems))
    assert not backend.fast.problems, "\n".join(backend.fast.problems)


@pytest.mark.parametrize("call", chosen(), ids=lambda c: c.name)
def test_fused(call: Call) -> None:
    """What Fusion makes of a program passes, too."""
    backend = CheckingGpu(First)
    watched(call.check, Device("check", Fusion(backend)))
    assert backend.checked or call.name == "concat"  # which copies
    assert not backend.problems, "\n".join(map(repr, backend.problems))


class Noting(Python):
    """Writes down which ops come along that have candidates."""

    special: dict = {}

    def __init__(self) -> None:
        Python.__init__(self)
        self.reached: set[str] = set()

    def execute(self, op, inputs, attrs, outs):
        kind = "reduce" if op.combine else "pointwise" if op.formula else op.name
        self.reached.add(kind)
        return Python.execute(self, op, inputs, attrs, outs)


def test_programs_reach_all_that_is_tuned() -> None:
    backend = Noting()
    device = Device("python", backend)
    for call in CALLS:
        if call.dtype == "float32":
            call.check(device)
    missing = [name for name in fast.TABLE if name not in backend.reached]
    assert not missing
