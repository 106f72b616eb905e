"""Training agrees across devices, and with PyTorch in float64 from the same start."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import pytest

import fogo
from fogo.data import DownloadError
from tests.parity import digits8
from tests.parity.compare import worst_gradient, worst_loss
from tests.parity.data import load_digits8

OPTIMISERS = ("sgd", "adam")
TOLERANCE = 1e-5


@cache
def digits() -> list[list[int]]:
    try:
        return load_digits8(digits8.ROWS)
    except DownloadError as error:
        pytest.skip(f"the 8x8 digits cannot be fetched: {error}")


@cache
def losses(device: str, optimiser: str) -> list[float]:
    return asyncio.run(digits8.losses(device, optimiser, digits()))


@cache
def gradients(device: str) -> list[tuple[str, list[float]]]:
    return asyncio.run(digits8.gradients(device, digits()))


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_the_loss_falls_by_half(device: fogo.Device, optimiser: str) -> None:
    found = losses(device.name, optimiser)
    assert len(found) == 50
    assert sum(found[-5:]) / 5 < found[0] / 2


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_losses_agree(device: fogo.Device, optimiser: str) -> None:
    found, reference = losses(device.name, optimiser), losses("numpy", optimiser)
    worst = worst_loss(found, reference)
    print(f"{device.name} {optimiser}: {worst:.1e} from numpy")
    assert worst < TOLERANCE


def test_gradients_agree(device: fogo.Device) -> None:
    worst = worst_gradient(gradients(device.name), gradients("numpy"))
    print(f"{device.name}: {worst:.1e} from numpy")
    assert worst < TOLERANCE


@cache
def torch_run(optimiser: str) -> tuple[list[float], list[tuple[str, list[float]]]]:
    """Train the same network in PyTorch, in float64, from fogo's own start."""
    torch = pytest.importorskip("torch")
    layers = torch.nn
    net = layers.Sequential(
        layers.Conv2d(1, 8, 3, padding=1), layers.ReLU(), layers.MaxPool2d(2),
        layers.Conv2d(8, 16, 3, padding=1), layers.ReLU(), layers.Flatten(),
        layers.Linear(256, 10),
    ).double()  # fmt: skip
    start, _ = digits8.build("python")
    with torch.no_grad():
        for mine, theirs in zip(start.parameters(), net.parameters()):
            theirs.copy_(torch.tensor(mine.tolist(), dtype=torch.float64))
    return _torch_losses(torch, net, optimiser)


def _torch_losses(
    torch: Any, net: Any, optimiser: str
) -> tuple[list[float], list[tuple[str, list[float]]]]:
    if optimiser == "sgd":
        steps = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    else:
        steps = torch.optim.Adam(net.parameters(), lr=1e-3)
    rows = torch.tensor(digits(), dtype=torch.float64)
    found, first = [], []
    for batch in rows.split(digits8.BATCH):
        images = batch[:, :64].reshape(-1, 1, 8, 8) / 4
        loss = torch.nn.functional.cross_entropy(net(images), batch[:, 64].long())
        steps.zero_grad()
        loss.backward()
        first = first or [(n, p.grad.flatten().tolist()) for n, p in _named(net)]
        steps.step()
        found.append(loss.item())
    return found, first


def _named(net: Any) -> list[tuple[str, Any]]:
    names = [name for name, _ in digits8.build("python")[0].named_parameters()]
    return list(zip(names, net.parameters()))


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_losses_are_those_of_pytorch(optimiser: str) -> None:
    expected, _ = torch_run(optimiser)
    worst = worst_loss(losses("numpy", optimiser), expected)
    print(f"numpy {optimiser}: {worst:.1e} from PyTorch in float64")
    assert worst < TOLERANCE


def test_gradients_are_those_of_pytorch() -> None:
    _, expected = torch_run("sgd")
    assert worst_gradient(gradients("numpy"), expected) < TOLERANCE
