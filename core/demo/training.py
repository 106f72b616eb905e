"""Trains the demo's network and writes its weights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..data import Augment, DataLoader, MnistDataset
from ..store import save_safetensors
from ..train import History, Renderer, fit
from .net import MnistNet

if TYPE_CHECKING:
    from ..device import Device

BATCH = 64
# About as many steps as the network goes on gaining from.
STEPS = 1500
LEAST_EPOCHS = 3
LEARNING_RATE = 4e-3
WEIGHT_DECAY = 0.02


class Trained(NamedTuple):
    """The weights' file, what was measured, and the digits' source."""

    weights: Path
    history: History
    source: str


def train_mnist(
    device: Device,
    weights: Path,
    *,
    epochs: int | None = None,
    seed: int = 0,
    renderer: Renderer | None = None,
) -> Trained:
    """Train MnistNet on a device and write `weights` (safetensors, float16).

    The digits are MNIST's, or 5,000 of them where its mirrors cannot be reached.
    Interrupted, it leaves what it has in `weights` beside, named `…-part`.
    """
    from .. import manual_seed
    from ..nn import CrossEntropyLoss
    from ..optim import AdamW, CosineAnnealingLR

    shown = renderer or Renderer()
    digits = MnistDataset("train", augment=Augment(), notify=shown.message)
    held_out = MnistDataset("test", notify=shown.message)
    where = device.autodiff()
    batches = DataLoader(digits, BATCH, seed=seed, drop_last=True, device=where)
    epochs = epochs or max(LEAST_EPOCHS, round(STEPS / len(batches)))
    manual_seed(seed)
    model = MnistNet(device=where)
    steps = epochs * len(batches)
    optimiser = AdamW(
        model, lr=CosineAnnealingLR(LEARNING_RATE, steps), weight_decay=WEIGHT_DECAY
    )
    history = fit(
        model,
        batches,
        optimiser,
        epochs=epochs,
        loss=CrossEntropyLoss(),
        validation=DataLoader(held_out, 500, shuffle=False, device=where),
        renderer=shown,
        checkpoint=weights.with_stem(weights.stem + "-part"),
    )
    save_safetensors(weights, model.state_dict(), cast="float16")
    return Trained(weights, history, digits.source)
