"""A training loop for classifiers, short enough to copy and change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sized
from typing import TYPE_CHECKING, Any, Protocol

from ..backend.autodiff import no_grad
from ..store import save_safetensors
from .renderer import Renderer

if TYPE_CHECKING:
    from ..nn import Module

# Reading a loss waits for the device: do it no more often than eyes can follow.
_LOOK_S = 0.1


class Batches(Sized, Iterable[Any], Protocol):
    """What a DataLoader is: batches of (inputs, labels), and how many."""


class History:
    """What a run measured: `losses` as often as it looked, `accuracies` by epoch.

    Example:
        >>> import fogo
        >>> history = fogo.train.History()
        >>> history.losses, history.accuracies
        ([], [])
    """

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.accuracies: list[float] = []


def fit(
    model: Module,
    batches: Batches,
    optimiser: Any,
    *,
    epochs: int,
    loss: Callable[[Any, Any], Any],
    schedule: Any = None,
    validation: Batches | None = None,
    renderer: Renderer | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> History:
    """Train `model` on `batches` of (inputs, labels), all on one autodiff device.

    `schedule.step()` is called after each batch; `validation` is measured after each
    epoch. A Ctrl-C is passed on, but first the model is saved to `checkpoint`, and
    the renderer says where.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> device = fogo.device("cpu").autodiff()
        >>> model = nn.Linear(2, 2, device=device)
        >>> x, y = fogo.eye(2, device=device), fogo.tensor([0, 1], device=device)
        >>> sgd, loss = optim.SGD(model, lr=0.5), nn.CrossEntropyLoss()
        >>> history = fogo.train.fit(model, [(x, y)], sgd, epochs=20, loss=loss)
        >>> loss(model(x), y).item() < 0.5
        True
    """
    shown, history = renderer or Renderer(), History()
    shown.start(
        f"training {type(model).__name__} ({model.num_params():,} parameters)",
        epochs=epochs,
        steps=len(batches),
    )
    try:
        for _ in range(epochs):
            _train_epoch(model, batches, optimiser, loss, schedule, shown, history)
            metrics = {}
            if validation is not None:
                history.accuracies.append(measure(model, validation))
                metrics["accuracy"] = history.accuracies[-1]
            shown.epoch(metrics)
    except KeyboardInterrupt:
        shown.close()
        if checkpoint is not None:
            save_safetensors(checkpoint, model.state_dict())
            shown.message(f"stopped; the network so far is in {checkpoint}")
        raise
    return history


def _train_epoch(
    model: Module,
    batches: Batches,
    optimiser: Any,
    loss: Callable[[Any, Any], Any],
    schedule: Any,
    shown: Renderer,
    history: History,
) -> None:
    model.train()
    looked = 0.0
    for inputs, labels in batches:
        value = loss(model(inputs), labels)
        optimiser.step(value.backward())
        if schedule is not None:
            schedule.step()
        metrics = {}
        if time.monotonic() - looked >= _LOOK_S:
            looked = time.monotonic()
            metrics["loss"] = value.item()
            history.losses.append(metrics["loss"])
        shown.step(metrics)


def measure(model: Module, batches: Batches) -> float:
    """Return the share of labels that the model's greatest output names.

    The model is put in inference mode for it, and left in the mode it was in.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> batches = [(fogo.eye(2), fogo.tensor([0, 1]))]
        >>> fogo.train.measure(nn.Identity(), batches)
        1.0
    """
    training, right, total = model.training, 0, 0
    model.eval()
    with no_grad():
        for inputs, labels in batches:
            right += int((model(inputs).argmax(1) == labels).sum().item())
            total += len(labels)
    model.train(training)
    return right / max(total, 1)
