"""The same training everywhere: a small convnet on 8x8 digits, 50 steps of 16.

Runs unchanged on CPython, Pyodide and MicroPython; needs neither files nor NumPy.
`data` is a list of rows: 64 pixels from 0 to 16, then the label.
"""

from __future__ import annotations

import fogo
from fogo import nn, optim

STEPS = 50
BATCH = 16
ROWS = STEPS * BATCH
SEED = 1


class Digits8(nn.Module):
    """Two convolutions with ReLU, pooling between them, and one linear layer."""

    def __init__(self, device):
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1, device=device)
        self.pool = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1, device=device)
        self.out = nn.Linear(256, 10, device=device)
        # Wide enough a start that 50 steps of Adam at 1e-3 halve the loss.
        for layer in (self.conv1, self.conv2, self.out):
            nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")

    def forward(self, x):
        x = self.pool(self.conv1(x).relu())
        x = self.conv2(x).relu()
        return self.out(x.flatten(1))


def build(device):
    """Return the model on an autodiff device, always from the same seed."""
    where = fogo.device(device).autodiff()
    where.seed(SEED)
    return Digits8(where), where


def batch(data, step, where):
    """Return (images [16, 1, 8, 8] from 0 to 4, labels [16]) of one step."""
    rows = data[step * BATCH : (step + 1) * BATCH]
    pixels = [[value / 4 for value in row[:64]] for row in rows]
    images = fogo.tensor(pixels, dtype="float32", device=where)
    labels = fogo.tensor([row[64] for row in rows], device=where)
    return images.reshape((BATCH, 1, 8, 8)), labels


def optimiser_for(name, model):
    """Return SGD with momentum at 0.05, or Adam at 1e-3."""
    if name == "sgd":
        return optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    return optim.Adam(model.parameters(), lr=1e-3)


async def losses(device, optimiser, data):
    """Train, and return the 50 losses, each before its step."""
    model, where = build(device)
    steps = optimiser_for(optimiser, model)
    found = []
    for step in range(STEPS):
        images, labels = batch(data, step, where)
        loss = nn.CrossEntropyLoss()(model(images), labels)
        found.append(await loss.data_async())
        steps.step(loss.backward())
    return found


async def gradients(device, data):
    """Return [(name, flat list of numbers)] of the first batch's gradients."""
    model, where = build(device)
    images, labels = batch(data, 0, where)
    grads = nn.CrossEntropyLoss()(model(images), labels).backward()
    found = []
    for name, parameter in model.named_parameters():
        found.append((name, await grads[parameter].reshape((-1,)).data_async()))
    return found
