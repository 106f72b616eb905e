"""The examples of kernels: right on every device, and clean in the interpreter."""

from __future__ import annotations

import importlib.util
import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.kernel.check import check
from tests.support.runtimes import ROOT


def example(name: str) -> ModuleType:
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(
        name, ROOT / "examples" / f"{name}.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def linear() -> ModuleType:
    return example("fused_linear_gelu")


@pytest.fixture(scope="module")
def wgsl() -> ModuleType:
    return example("wgsl_op")


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.5, shape).astype(np.float32)


def gelu(z: np.ndarray) -> np.ndarray:
    erf = np.vectorize(math.erf)
    return 0.5 * z * (1 + erf(z / math.sqrt(2)))


@pytest.mark.parametrize("shape", [(1, 1, 1), (33, 31, 9), (40, 70, 17)])
def test_linear_gelu_is_right(
    shape: Any, device: fogo.Device, linear: ModuleType
) -> None:
    m, n, depth = shape
    arrays = normal(1, m, depth), normal(2, depth, n), normal(3, n)
    got = linear.linear_gelu(*[fogo.tensor(a, device=device) for a in arrays])
    x, w, b = [a.astype(np.float64) for a in arrays]
    np.testing.assert_allclose(got.numpy(), gelu(x @ w + b), rtol=1e-4, atol=1e-5)


def test_linear_gelu_differentiates(device: fogo.Device, linear: ModuleType) -> None:
    """Against fogo's own ops, and difference quotients."""
    found = linear.differences(device.autodiff())
    assert set(found) >= {"value", "x", "w", "b", "differences by w"}
    for what, value in found.items():
        assert value < (1e-3 if "differences" in what else 1e-5), (what, value)


@pytest.mark.parametrize("name", ["forward", "input_grad", "weight_grad", "bias_grad"])
def test_linear_gelu_passes_the_interpreter(name: str, linear: ModuleType) -> None:
    op = getattr(linear, name)
    m, n, depth = 35, 33, 10
    z, x, w, b = normal(1, m, n), normal(2, m, depth), normal(3, depth, n), normal(4, n)
    arrays = {
        "forward": (x, w, b), "input_grad": (z, z, w), "weight_grad": (z, z, x),
        "bias_grad": (z, z),
    }[name]  # fmt: skip
    check(op, [fogo.tensor(a, device="python") for a in arrays]).raise_problems()


def test_the_op_in_wgsl(device: fogo.Device, wgsl: ModuleType) -> None:
    a, weights = normal(5, 7, 130), normal(6, 7, 130)
    x = fogo.tensor(a, device=device.autodiff()).requires_grad_()
    y = wgsl.rms(x)
    wide = a.astype(np.float64)
    r = 1 / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y.numpy(), wide * r, rtol=1e-4)
    found = y.backward(fogo.tensor(weights, device=device))[x]
    mean = (weights * wide).mean(1, keepdims=True)
    np.testing.assert_allclose(
        found.numpy(), r * weights - wide * r**3 * mean, rtol=1e-3, atol=1e-5
    )


@pytest.mark.parametrize("name", ["fused_linear_gelu", "wgsl_op"])
def test_they_run_as_programs(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [name, "numpy"])
    example(name).main()
    assert "e-0" in capsys.readouterr().out
