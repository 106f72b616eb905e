"""A right program: a user's own module, trained by its gradients."""

from __future__ import annotations

from typing import TypeVar

import fogo
from fogo import nn, optim

T = TypeVar("T", bound=fogo.Tensor)


class Net(nn.Module):
    """Two layers, a normalisation by hand, and a weight of its own."""

    def __init__(self) -> None:
        self.hidden = nn.Linear(4, 8)
        self.scale = nn.Parameter(fogo.ones(8))
        self.out = nn.Linear(8, 2)

    def forward(self, x: T) -> T:
        h = self.hidden(x).relu()
        h = (h - h.mean(-1, keepdims=True)) * self.scale
        return self.out.forward(h)


def train(model: Net, device: fogo.AutodiffDevice) -> float:
    """One step; the loss is tracked because the data is."""
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    x = fogo.randn(3, 4, device=device)
    target = fogo.tensor([0, 1, 1], device=device)
    loss: fogo.Tracked = fogo.cross_entropy(model.forward(x), target)
    grads: fogo.Gradients = loss.backward()
    gradient: fogo.Tensor = grads[model.scale]
    optimizer.step(grads)
    plain: fogo.Tensor = model.forward(fogo.ones(1, 4)).softmax(-1)
    return float(loss.item() + plain[0, 1].item() + gradient.sum().item())


def main() -> None:
    """Make it all on one device."""
    device = fogo.device("cpu").autodiff()
    train(Net().to(device), device)
