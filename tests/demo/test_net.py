"""The demo's network: its size, and its logits against PyTorch on every device."""

from __future__ import annotations

import random

import pytest

import fogo
from fogo.demo.net import MnistNet


def test_it_is_small_enough_for_plain_python() -> None:
    net = MnistNet(device="python")
    assert net.num_params() == 21_118 <= 60_000
    places = {"conv1": 14 * 14, "conv2": 7 * 7, "conv3": 4 * 4, "out": 1}
    weights = dict(net.named_parameters())
    work = sum(weights[f"{n}.weight"].size * places[n] for n in places)
    assert work == 359_376 <= 1_000_000


def torch_twin(state: dict[str, fogo.Tensor]):
    """Build the same network in PyTorch, in float64, with the same state."""
    torch = pytest.importorskip("torch")
    layers, parts = torch.nn, []
    for c, o, size, pad in ((1, 12, 5, 2), (12, 24, 3, 1), (24, 48, 3, 1)):
        parts.append(layers.Conv2d(c, o, size, stride=2, padding=pad, bias=False))
        parts += [layers.BatchNorm2d(o), layers.ReLU()]
    twin = layers.Sequential(*parts, layers.Flatten(), layers.Linear(768, 10))
    twin.double().eval()
    names = [
        "conv1",
        "norm1",
        "",
        "conv2",
        "norm2",
        "",
        "conv3",
        "norm3",
        "",
        "",
        "out",
    ]
    with torch.no_grad():
        for name, layer in zip(names, twin):
            for key, target in layer.state_dict().items():
                values = torch.tensor(state[f"{name}.{key}"].tolist())
                target.copy_(values.to(target.dtype))
    return torch, twin


def test_logits_are_those_of_pytorch(device: fogo.Device) -> None:
    fogo.manual_seed(3)
    net = MnistNet(device="python").eval()
    draw = random.Random(3)
    for name, buffer in net.named_buffers():
        if name.endswith(("mean", "var")):
            values = [draw.uniform(0.2, 0.6) for _ in range(buffer.size)]
            buffer.assign(fogo.tensor(values, device="python"))
    picture = [[[[draw.random() for _ in range(28)] for _ in range(28)]]] * 2
    torch, twin = torch_twin(net.state_dict())
    with torch.no_grad():
        expected = twin(torch.tensor(picture, dtype=torch.float64)).tolist()
    net.to(device)
    found = net(fogo.tensor(picture, device=device))
    assert found.shape == (2, 10)
    for row, true in zip(found.tolist(), expected):
        assert row == pytest.approx(true, rel=1e-4, abs=1e-5)
