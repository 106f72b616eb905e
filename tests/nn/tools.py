"""Helpers of tests of layers: tensors of numbers, and a comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

import fogo
from fogo import nn
from tests.nn.against_torch import uniform


def on(device: fogo.Device, *shape: int, seed: int = 0) -> Any:
    return fogo.tensor(uniform(*shape, seed=seed).tolist(), device=device)


def same(actual: Any, wanted: Any, atol: float = 1e-5) -> None:
    wanted = wanted.numpy() if isinstance(wanted, fogo.Tensor) else np.asarray(wanted)
    assert tuple(actual.shape) == wanted.shape
    np.testing.assert_allclose(actual.numpy(), wanted, atol=atol)


def weights(layer: Any) -> list[Any]:
    """The parameters as arrays of float64."""
    return [p.numpy().astype(np.float64) for p in layer.parameters()]


def small() -> Any:
    """A network of two layers and a norm."""
    return nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2))


def count_of(name: str, call: Any) -> int:
    """How often an op runs in a call on NumPy; all ops for the name "*"."""
    found = []
    device = fogo.device("numpy")
    before = device.backend.execute

    def execute(op: Any, *rest: Any) -> Any:
        found.append(op.name)
        return before(op, *rest)

    device.backend.execute = execute
    try:
        call()
    finally:
        del device.backend.execute
    return len(found) if name == "*" else found.count(name)
