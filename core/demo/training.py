"""Trains the demo's network and writes its weights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..data import Augment, DataLoader, ImageDataset, MnistDataset
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
    """The weights' file, and what was measured on the way."""

    weights: Path
    history: History


def train_mnist(
    device: Device,
    weights: Path,
    *,
    epochs: int | None = None,
    seed: int = 0,
    data: tuple[ImageDataset, ImageDataset] | None = None,
    renderer: Renderer | None = None,
) -> Trained:
    """Train MnistNet on a device and write `weights` (safetensors, float16).

    `data`: digits to train on and digits held out; by default MNIST's, or 5,000 of
    its digits where no mirror can be reached.
    Interrupted by Ctrl-C, it leaves what it has beside `weights`, named `…-part`.
    """
    from .. import manual_seed
    from ..nn import CrossEntropyLoss
    from ..optim import AdamW, CosineAnnealingLR

    shown = renderer or Renderer()
    digits, held_out = data or (
        MnistDataset("train", augment=Augment(), notify=shown.message),
        MnistDataset("test", notify=shown.message),
    )
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
    return Trained(weights, history)
