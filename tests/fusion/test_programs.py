"""Random programs give the same values fused, unfused and on NumPy."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import fogo
from tests.fusion.programs import KINDS, Drawn, Program, Seeded, compare
from tests.support import sampling

QUICK = 2400  # programs on plain Python, where all are run
SLOW = 400  # on the GPU
SETTINGS = {
    "deadline": None,
    "database": None,
    "suppress_health_check": [
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.large_base_example,
        HealthCheck.data_too_large,
    ],
}


def part(count: int) -> int:
    """How many of the programs this run takes."""
    return max(int(count * sampling.fraction()), 20)


def check(program: Program, device: fogo.Device) -> None:
    wanted = program.run(fogo.device("numpy"))
    compare(program, program.run(device), wanted, "fused beside NumPy")


def drawn(data: Any) -> Program:
    return Program(Drawn(lambda n: data.draw(st.integers(0, n - 1))))


@seed(sampling.seed())
@settings(max_examples=part(QUICK), **SETTINGS)
@given(data=st.data())
def test_on_plain_python(data: Any, fused_python: fogo.Device) -> None:
    check(drawn(data), fused_python)


@seed(sampling.seed())
@settings(max_examples=part(SLOW), **SETTINGS)
@given(data=st.data())
def test_on_a_gpu(data: Any, portable: fogo.Device) -> None:
    check(drawn(data), portable)


@seed(sampling.seed())
@settings(max_examples=part(SLOW), **SETTINGS)
@given(data=st.data())
def test_unfused(data: Any) -> None:
    check(drawn(data), fogo.device("python"))


@pytest.mark.parametrize("number", [102, *range(part(100))])
def test_seeded(number: int, fused: fogo.Device) -> None:
    """Longer ones, that no shrinking has made small; 102 failed once."""
    if fused.name == "python" or number < part(40) or number == 102:
        check(Program(Seeded(number)), fused)


def test_programs_contain_every_kind() -> None:
    """At least a quarter of them each, as counted over many."""
    counts = dict.fromkeys(KINDS, 0)
    for number in range(400):
        for kind in Program(Seeded(number)).kinds:
            counts[kind] += 1
    assert {k: n for k, n in counts.items() if n < 100} == {}
