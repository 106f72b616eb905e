"""Random programs give, captured and played, what they give on NumPy."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import fogo
from tests.fusion.programs import Drawn, Program, Seeded, compare
from tests.fusion.test_programs import SETTINGS, part
from tests.support import sampling

PLAYED = 2000  # programs without Fusion: its kernels are few, and kept
FUSED = 300  # with it each has kernels of its own to compile
CALLS = 5  # of each: three find out what changes, at most; the others are played


class Run:
    """A program as a function: of arguments, and of a tensor that it changes."""

    def __init__(self, program: Program, device: fogo.Device, reads: bool) -> None:
        self.program = program
        self.device = device
        self.reads = reads
        self.found: list[Any] = []
        self.total = fogo.zeros(program.common, device=device)
        device.seed(program.seed)

    def __call__(self, inputs: list[fogo.Tensor]) -> list[fogo.Tensor]:
        first = (inputs[0] + self.total).tanh()
        out = self.program.compute(
            self.device, [first, *inputs[1:]], self.found if self.reads else None
        )
        self.total.assign((out[0].astype("float32").mean() + first).tanh())
        self.total[0] = 0.5
        return [*out, self.total]

    def results(self, function: Any) -> list[list[Any]]:
        """What each call gives: read when all have been made."""
        calls = []
        for number in range(CALLS):
            inputs = self.program.inputs(self.device, number)
            out = function(inputs)
            calls.append([*out[:-1], out[-1].detach()])
        return [[t.numpy() for t in out] for out in calls]


def check(program: Program, device: fogo.Device) -> None:
    plain = Run(program, fogo.device("numpy"), False)
    wanted = plain.results(plain)
    run = Run(program, device, False)
    played = fogo.compile(run)
    for number, out in enumerate(run.results(played)):
        compare(program, out, wanted[number], f"call {number}")
    assert played.plays == CALLS - played.captures >= 2, repr(program)
    played.drop()
    if "read" in program.kinds:
        check_read(program, device, wanted)


def check_read(program: Program, device: fogo.Device, wanted: Any) -> None:
    """With its reads, a program is left to Python, and says so."""
    plain = Run(program, fogo.device("numpy"), True)
    plain.results(plain)
    run = Run(program, device, True)
    played = fogo.compile(run)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for number, out in enumerate(run.results(played)):
            compare(program, out, wanted[number], f"call {number}, which reads")
    compare(program, run.found, plain.found, "what was read")
    assert played.plays == 0 and len(said) == 1, repr(program)


def drawn(data: Any) -> Program:
    return Program(Drawn(lambda n: data.draw(st.integers(0, n - 1))))


@seed(sampling.seed())
@settings(max_examples=part(PLAYED), **SETTINGS)
@given(data=st.data())
def test_played(data: Any, unfused_gpu: fogo.Device) -> None:
    check(drawn(data), unfused_gpu)


@seed(sampling.seed())
@settings(max_examples=part(FUSED), **SETTINGS)
@given(data=st.data())
def test_played_with_fusion(data: Any, fused_gpu: fogo.Device) -> None:
    check(drawn(data), fused_gpu)


@pytest.mark.parametrize("number", range(part(80)))
def test_seeded(number: int, gpu: fogo.Device) -> None:
    """Longer ones, that no shrinking has made small."""
    check(Program(Seeded(7000 + number)), gpu)
