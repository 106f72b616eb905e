"""Compiled functions without arguments, where another device is open than theirs."""

from __future__ import annotations

import pytest

import fogo
from tests.support import runtimes


@pytest.fixture(params=["numpy", "python"])
def two(request: pytest.FixtureRequest) -> tuple[fogo.Device, fogo.Device]:
    """(a device that keeps no commands, a GPU that is open beside it)."""
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    gpu = fogo.device("webgpu")
    fogo.ones(2, device=gpu).tolist()
    return fogo.device(request.param), gpu


def test_what_runs_beside_an_open_gpu_runs_as_it_is(
    two: tuple[fogo.Device, fogo.Device],
) -> None:
    """It had raised AttributeError: the GPU was asked for memory of the other."""
    place, _ = two
    w = fogo.ones(2, device=place)
    add = fogo.compile(lambda: w.assign(w + 1))
    twice = fogo.compile(lambda: (w * 2).sum())
    for n in range(2, 5):
        add()
        assert w.tolist() == [n, n]
        assert twice().item() == 4 * n


def test_what_runs_on_two_devices_is_not_captured(
    two: tuple[fogo.Device, fogo.Device],
) -> None:
    place, gpu = two
    w, v = fogo.ones(2, device=place), fogo.ones(2, device=gpu)

    def both() -> None:
        w.assign(w + 1)
        v.assign(v + 1)

    step = fogo.compile(both)
    with pytest.warns(RuntimeWarning, match="several devices"):
        step()
    step()
    assert w.tolist() == v.tolist() == [3, 3]
