"""Captured programs of recurrent layers, attention, and modules with hooks or LoRA."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo import nn, optim


def numbers(device: fogo.Device, *shape: int) -> Any:
    x = np.random.default_rng(sum(shape)).uniform(-1, 1, shape)
    return fogo.tensor(x.tolist(), dtype="float32", device=device)


def plain(f: Any) -> Any:
    return f


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "Transformer"])
def test_training_is_the_same_compiled(kind: str, device: fogo.Device) -> None:
    """Three steps of Adam, as they are and as a program: equal losses and weights."""
    dev = device.autodiff()
    x = numbers(device, 4, 2, 6).to(dev)
    found = []
    for wrap in (plain, fogo.compile):
        fogo.manual_seed(5)
        if kind == "Transformer":
            layer = nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0)
            model: Any = nn.TransformerEncoder(layer, 1)
        else:
            model = getattr(nn, kind)(6, 4, num_layers=2)
        model.to(dev)
        optimiser = optim.Adam(model.parameters(), lr=0.01)

        def step(batch: Any, model: Any = model, optimiser: Any = optimiser) -> Any:
            shown = model(batch)
            shown = shown[0] if isinstance(shown, tuple) else shown
            loss = shown.square().mean()
            optimiser.step(loss.backward())
            return loss.detach()

        run = wrap(step)
        losses = [run(x).item() for _ in range(4)]
        found.append((losses, [p.tolist() for p in model.parameters()]))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=2e-5)
    for a, b in zip(found[0][1], found[1][1], strict=True):
        np.testing.assert_allclose(a, b, atol=3e-5)


def test_a_hook_that_comes_later_counts(device: fogo.Device) -> None:
    layer = nn.Linear(2, 2).to(device)
    run = fogo.compile(lambda x: layer(x))
    x = numbers(device, 3, 2)
    first = run(x).tolist()
    assert run(x).tolist() == first
    with layer.register_forward_hook(lambda m, args, out: out * 0.0):
        assert run(x).tolist() == [[0.0, 0.0]] * 3
    np.testing.assert_allclose(run(x).tolist(), first, rtol=1e-6)


def test_adapters_learn_in_a_program(device: fogo.Device) -> None:
    dev = device.autodiff()
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).to(dev)
    frozen = net[0].weight.tolist()
    net.apply_lora(nn.LoRA(rank=2))
    held = [p for p in net.parameters() if p.wants_grad]
    optimiser = optim.SGD(held, lr=0.5)
    x = numbers(device, 8, 3).to(dev)

    @fogo.compile
    def step(batch: Any) -> Any:
        loss = (net(batch) - 1.0).square().mean()
        optimiser.step(loss.backward())
        return loss.detach()

    losses = [step(x).item() for _ in range(8)]
    assert losses[-1] < 0.5 * losses[0]
    assert net[0].parametrizations.weight.original.tolist() == frozen
