"""Initialisers: their distributions, PyTorch's gains, equal bits on every device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import nn
from fogo.nn import init

UNIFORM = [
    ("uniform_", dict(a=-0.5, b=2.0)),
    ("xavier_uniform_", dict(gain=2.0)),
    ("kaiming_uniform_", dict(a=0.3, mode="fan_out")),
    ("kaiming_uniform_", dict(nonlinearity="relu")),
]
NORMAL = [
    ("normal_", dict(mean=1.0, std=0.5)),
    ("xavier_normal_", {}),
    ("kaiming_normal_", dict(mode="fan_out", nonlinearity="tanh")),
]


@pytest.mark.parametrize(("name", "options"), UNIFORM + NORMAL)
def test_distribution(name: str, options: dict[str, Any], device: fogo.Device) -> None:
    """Mean, deviation and extremes are those of PyTorch's draw of as many numbers."""
    shape = (40, 30, 3, 2)
    torch.manual_seed(3)
    fogo.manual_seed(3)
    theirs = getattr(torch.nn.init, name)(torch.empty(shape), **options).numpy()
    tensor = fogo.zeros(shape, device=device)
    assert getattr(init, name)(tensor, **options) is tensor
    ours = tensor.numpy()
    assert abs(ours.mean() - theirs.mean()) < 0.05 * theirs.std()
    assert abs(ours.std() / theirs.std() - 1) < 0.03
    if (name, options) in UNIFORM:
        spread = theirs.max() - theirs.min()
        assert abs(ours.max() - theirs.max()) < 0.01 * spread
        assert abs(ours.min() - theirs.min()) < 0.01 * spread
    else:
        assert np.mean(np.abs(ours - ours.mean()) > 2 * ours.std()) < 0.06


@pytest.mark.parametrize(
    "name", ["linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"]
)
def test_gain(name: str) -> None:
    assert init.calculate_gain(name) == torch.nn.init.calculate_gain(name)
    if name == "leaky_relu":
        wanted = torch.nn.init.calculate_gain(name, 0.2)
        assert init.calculate_gain(name, 0.2) == wanted


def test_wrong_uses() -> None:
    x = fogo.zeros(3, device="python")
    with pytest.raises(fogo.ShapeError, match="2 or more axes; given shape"):
        init.xavier_uniform_(x)
    with pytest.raises(fogo.ShapeError, match="must be one of .*relu.*'swish'"):
        init.kaiming_uniform_(x.reshape(3, 1), nonlinearity="swish")
    with pytest.raises(fogo.ShapeError, match='"fan_in" or "fan_out"; given'):
        init.kaiming_normal_(x.reshape(3, 1), mode="fan")


DEFAULTS: list[tuple[str, dict[str, Any]]] = [
    ("Linear", dict(in_features=50, out_features=60)),
    ("Conv2d", dict(in_channels=8, out_channels=40, kernel_size=3, groups=2)),
    ("Conv1d", dict(in_channels=20, out_channels=30, kernel_size=5)),
    (
        "ConvTranspose2d",
        dict(in_channels=12, out_channels=10, kernel_size=3, groups=2),
    ),
]


@pytest.mark.parametrize(("name", "options"), DEFAULTS)
def test_layers_start_as_in_pytorch(name: str, options: dict[str, Any]) -> None:
    """Weight and bias are uniform within PyTorch's own bounds."""
    fogo.manual_seed(1)
    ours = getattr(nn, name)(**options, device="numpy")
    theirs = getattr(torch.nn, name)(**options)
    bound = max(p.abs().max().item() for p in theirs.parameters())
    for p in ours.parameters():
        values = np.abs(p.numpy())
        assert values.max() < bound * 1.02
        if p.size > 500:
            assert values.max() > bound * 0.97
            assert abs(values.mean() / bound - 0.5) < 0.05


def test_models_start_from_equal_bits(device: fogo.Device) -> None:
    """The same seed makes the same model, to the bit, on every device."""
    bits = []
    for where in (device, fogo.device("python")):
        fogo.manual_seed(11)
        net = nn.Sequential(
            nn.Conv2d(1, 4, 3, device=where),
            nn.Linear(7, 5, device=where),
            nn.Embedding(5, 3, device=where),
        )
        bits.append({n: t.tolist() for n, t in net.state_dict().items()})
    assert bits[0] == bits[1]
