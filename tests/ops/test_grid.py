"""The grid: every function x dtype x backend, forward, backward and twice backward."""

from __future__ import annotations

import pytest

import fogo
from tests.ops import grid
from tests.ops.rows import load
from tests.shared import cases

IDS = grid.ids()


@pytest.mark.parametrize(("name", "dtype"), IDS, ids=[f"{n}-{d}" for n, d in IDS])
def test_function(
    name: str, dtype: str, device: fogo.Device, request: pytest.FixtureRequest
) -> None:
    kept = grid.kept(name, dtype)
    assert kept, f"{name}: no case for {dtype}: its row or record needs samples"
    request.node.user_properties.append(("cases", (device.name, len(kept))))
    problems = []
    for case in kept:
        try:
            cases.run(case, device)
        except AssertionError as error:
            problems.append(str(error))
        except Exception as error:
            problems.append(f"{case['id']}: {type(error).__name__}: {error}")
    assert not problems, "\n".join(problems)


REFUSED = [(n, d) for n, row in load().items() for d in row.refused()]


@pytest.mark.parametrize(
    ("name", "dtype"), REFUSED, ids=[f"{n}-{d}" for n, d in REFUSED]
)
def test_other_dtypes_are_refused(name: str, dtype: str) -> None:
    """The rule runs before any backend: one device suffices."""
    row = load()[name]
    device = fogo.device("python")
    if row.elementwise:
        count = len(row.samples)
        inputs = [fogo.tensor([1], dtype=dtype, device=device)] * count
        call = [inputs, (), {}]
    else:
        sample = row.samples[0]
        options = dict(sample.options)
        args = [options.pop(n) for n in row.args if n in options]
        inputs = [
            fogo.zeros(shape, dtype=own[0] if own else dtype, device=device)
            for shape, low, high, *own in sample.inputs
        ]
        call = [[inputs] if row.listed else inputs, args, options]
    with pytest.raises(fogo.DTypeError, match="dtype must be|hold"):
        getattr(fogo, name)(*call[0], *call[1], **call[2])
