"""The live display: a progress bar and the validation curve, drawn with rich."""

from __future__ import annotations

import sys
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from .curve import draw_curve
from .renderer import Renderer, spell


class RichRenderer(Renderer):
    """Shows a bar with loss, accuracy and time left, over the accuracy's curve."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.console = Console(file=stream or sys.stdout, highlight=False)
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=18),
            TextColumn("{task.fields[metrics]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self.console,
        )
        self.curve: list[float] = []
        self._live: Live | None = None
        self._latest: dict[str, float] = {}
        self._epoch, self._epochs = 0, 0

    def start(self, title: str, *, epochs: int, steps: int) -> None:
        self.close()
        self.curve, self._latest = [], {}
        self._epoch, self._epochs = 0, epochs
        self.message(title)
        self._task = self.progress.add_task(
            f"epoch 1/{epochs}", total=epochs * steps, metrics=""
        )
        self._live = Live(self._picture(), console=self.console, refresh_per_second=8)
        self._live.start()

    def step(self, metrics: dict[str, float]) -> None:
        self._latest.update(metrics)
        text = "  ".join(spell(self._latest))
        self.progress.update(self._task, advance=1, metrics=text)

    def epoch(self, metrics: dict[str, float]) -> None:
        self._epoch += 1
        self._latest.update(metrics)
        if "accuracy" in metrics:
            self.curve.append(metrics["accuracy"])
        now = min(self._epoch + 1, self._epochs)
        self.progress.update(
            self._task,
            description=f"epoch {now}/{self._epochs}",
            metrics="  ".join(spell(self._latest)),
        )
        if self._live:
            self._live.update(self._picture())

    def message(self, text: str) -> None:
        self.console.print(text, markup=False)

    def close(self) -> None:
        if self._live:
            self._live.update(self._picture(), refresh=True)
            self._live.stop()
            self._live = None

    def _picture(self) -> Group:
        if len(self.curve) < 2:
            return Group(self.progress)
        head, *rows = draw_curve(self.curve, "validation accuracy")
        drawing = Text("\n".join(rows), style="cyan")
        return Group(self.progress, Text(head, style="bold"), drawing)
