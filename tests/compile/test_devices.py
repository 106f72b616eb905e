"""Devices that keep no commands: functions run as ever there, and it is said why."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import fogo
from fogo.backend.fusion.stream import Fusion
from fogo.backend.python import Python
from tests.support import runtimes


class Plays(Python):
    """A GPU by what it has, without captures; its `program` is something else."""

    name = "plays"
    fast = None

    def program(self, kernel: Any) -> Any:
        raise AssertionError("nothing is captured here")


class Tuned:
    """Stands for the choice of tuned kernels."""

    def choose(self, *given: Any) -> None:
        return None


def squares(x: fogo.Tensor) -> fogo.Tensor:
    return x * x.sum().item()


@pytest.mark.parametrize("name", ["python", "numpy", "wasm"])
def test_cpus_run_the_function(name: str) -> None:
    runtimes.need(name, runtimes.why_absent(name))
    device = fogo.device(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = fogo.compile(squares)
        assert f(fogo.tensor([1.0, 2.0], device=device)).tolist() == [3.0, 6.0]
        assert f(fogo.tensor([1.0, 3.0], device=device)).tolist() == [4.0, 12.0]
    assert (f.captures, f.plays) == (0, 0)
    assert f.reason == f"{name} keeps no commands to play again"
    assert f.reason in repr(f)


def test_a_gpu_without_captures_says_so_once() -> None:
    backend = Plays()
    backend.fast = Tuned()  # type: ignore[assignment]
    device = fogo.Device("plays", backend)
    f = fogo.compile(squares)
    said = "compile: squares runs as ever, because plays keeps no commands to play"
    with pytest.warns(RuntimeWarning, match=said) as seen:
        assert f(fogo.tensor([1.0, 2.0], device=device)).tolist() == [3.0, 6.0]
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(fogo.tensor([2.0], device=device)).tolist() == [4.0]
    assert f.captures == 0


def test_what_is_no_capture_is_not_taken_for_one() -> None:
    """The CUDA backend has a method `program`, which compiles a kernel."""
    for backend in (Plays(), Fusion(Plays())):
        device = fogo.Device("plays", backend)
        f = fogo.compile(lambda x: x + 1.0)
        assert f(fogo.ones(2, device=device)).tolist() == [2.0, 2.0]
        assert f.captures == 0


def test_the_cuda_backend_keeps_no_commands() -> None:
    from fogo.compiling import keeps
    from fogo.native.cuda_backend import Cuda

    assert not keeps(Cuda.__new__(Cuda))


def test_arguments_on_several_devices(gpu: fogo.Device) -> None:
    f = fogo.compile(lambda x, y: (x + 1.0, y + 1.0))
    x, y = fogo.ones(2, device=gpu), fogo.ones(2, device="python")
    with pytest.warns(RuntimeWarning, match="several devices: python and webgpu"):
        a, b = f(x, y)
    assert a.tolist() == b.tolist() == [2.0, 2.0]
