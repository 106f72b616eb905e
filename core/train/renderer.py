"""What a training run shows of itself, whoever shows it."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

from .curve import draw_curve

# Shares of one are shown as percentages.
_PERCENT = ("accuracy",)


class Renderer:
    """Follows a training run; this base shows nothing. A dashboard is a subclass.

    The run calls `start` once, `step` after each batch, `epoch` after each epoch,
    `message` whenever there is something to say, `close` at the end, come what may.

    >>> with Renderer() as quiet:
    ...     quiet.start("training", epochs=1, steps=1)
    ...     quiet.step({"loss": 0.5})
    """

    def start(self, title: str, *, epochs: int, steps: int) -> None:
        """Begin a run of `epochs` epochs of `steps` batches."""

    def step(self, metrics: dict[str, float]) -> None:
        """Tell of one more batch; `metrics` may be empty."""

    def epoch(self, metrics: dict[str, float]) -> None:
        """Tell of one more epoch, with what was measured after it."""

    def message(self, text: str) -> None:
        """Say something."""

    def close(self) -> None:
        """End; calling it again does nothing."""

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class PlainRenderer(Renderer):
    """Writes a line for each epoch and the accuracy's curve at the end.

    >>> import io
    >>> out = io.StringIO()
    >>> plain = PlainRenderer(out)
    >>> plain.start("training", epochs=2, steps=10)
    >>> plain.epoch({"loss": 0.5, "accuracy": 0.9})
    >>> print(out.getvalue().splitlines()[1].split("  ")[:3])
    ['epoch 1/2', 'loss 0.5000', 'accuracy 90.0 %']
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        self.epochs = 0
        self.curve: list[float] = []
        self._begun = time.monotonic()
        self._done = 0

    def start(self, title: str, *, epochs: int, steps: int) -> None:
        self.epochs = epochs
        self.curve, self._done, self._begun = [], 0, time.monotonic()
        runs = "epoch" if epochs == 1 else "epochs"
        self.message(f"{title}: {epochs} {runs} of {steps} batches")

    def epoch(self, metrics: dict[str, float]) -> None:
        self._done += 1
        took = time.monotonic() - self._begun
        left = took / self._done * (self.epochs - self._done)
        parts = [f"epoch {self._done}/{self.epochs}", *spell(metrics)]
        self.message("  ".join(parts + [f"{took:.0f} s, {left:.0f} s left"]))
        if "accuracy" in metrics:
            self.curve.append(metrics["accuracy"])

    def message(self, text: str) -> None:
        print(text, file=self.stream, flush=True)

    def close(self) -> None:
        if len(self.curve) > 1:
            self.message("\n".join(draw_curve(self.curve, "validation accuracy")))
        self.curve = []


def spell(metrics: dict[str, float]) -> list[str]:
    """Write metrics for people: shares in per cent, the rest to four places.

    >>> spell({"loss": 0.25, "accuracy": 0.981})
    ['loss 0.2500', 'accuracy 98.1 %']
    """
    return [
        f"{name} {value:.1%}".replace("%", " %")
        if name in _PERCENT
        else f"{name} {value:.4f}"
        for name, value in metrics.items()
    ]


def make_renderer(stream: TextIO | None = None) -> Renderer:
    """Choose: a live display where rich is installed and a person looks, else lines.

    Example:
        >>> import fogo
        >>> import io
        >>> type(fogo.train.make_renderer(io.StringIO())).__name__
        'PlainRenderer'
    """
    out = stream or sys.stdout
    if not out.isatty():
        return PlainRenderer(out)
    try:
        from .live import RichRenderer
    except ImportError:
        return PlainRenderer(out)
    return RichRenderer(out)
