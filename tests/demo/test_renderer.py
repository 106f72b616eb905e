"""What a training run shows: lines, a live display, and the curve."""

from __future__ import annotations

import io
import re

import pytest

from fogo.train.curve import draw_curve
from fogo.train.renderer import PlainRenderer, Renderer, make_renderer


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(renderer: Renderer) -> None:
    with renderer:
        renderer.start("training MnistNet", epochs=3, steps=2)
        for accuracy in (0.5, 0.75, 0.875):
            for _ in range(2):
                renderer.step({"loss": 1 - accuracy})
            renderer.epoch({"accuracy": accuracy})
        renderer.message("saved [bold]x.safetensors")


def test_lines() -> None:
    out = io.StringIO()
    run(PlainRenderer(out))
    lines = out.getvalue().splitlines()
    assert lines[0] == "training MnistNet: 3 epochs of 2 batches"
    for n, share in enumerate(["50.0 %", "75.0 %", "87.5 %"]):
        start = rf"epoch {n + 1}/3  accuracy {share}  \d+ s, \d+ s left"
        assert re.fullmatch(start, lines[n + 1])
    assert lines[4] == "saved [bold]x.safetensors"
    assert lines[5] == "validation accuracy 87.5 %, best 87.5 % (epoch 3)"
    assert len(lines) == 5 + 1 + 7


def test_a_run_without_measurements_draws_no_curve() -> None:
    out = io.StringIO()
    with PlainRenderer(out) as plain:
        plain.start("t", epochs=1, steps=1)
        plain.epoch({"loss": 0.25})
    assert "loss 0.2500" in out.getvalue()
    assert "┤" not in out.getvalue()


def test_live_display() -> None:
    pytest.importorskip("rich")
    out = Terminal()
    renderer = make_renderer(out)
    assert type(renderer).__name__ == "RichRenderer"
    run(renderer)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", out.getvalue())
    assert "epoch 3/3" in text
    assert "loss 0.1250  accuracy 87.5 %" in text
    assert "validation accuracy 87.5 %, best 87.5 % (epoch 3)" in text
    assert "  87.5 ┤" in text and "  50.0 ┤" in text
    assert "saved [bold]x.safetensors" in text
    renderer.close()  # twice does no harm


def test_no_terminal_no_live_display() -> None:
    assert isinstance(make_renderer(io.StringIO()), PlainRenderer)


def test_no_rich_no_live_display(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [n for n in sys.modules if n.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "fogo.train.live", raising=False)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert isinstance(make_renderer(Terminal()), PlainRenderer)


def dots(lines: list[str]) -> list[list[int]]:
    """For each column of dots: the rows (from above) that are set."""
    cells = [re.sub(r".*┤", "", line) for line in lines]
    width = max(map(len, cells))
    columns: list[list[int]] = [[] for _ in range(2 * width)]
    masks = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
    for y, line in enumerate(cells):
        for x, char in enumerate(line):
            for side in (0, 1):
                for dot, mask in enumerate(masks[side]):
                    if (ord(char) - 0x2800) & mask:
                        columns[2 * x + side].append(4 * y + dot)
    return columns


def test_a_rising_line() -> None:
    head, *rows = draw_curve([0.0, 1.0], "share", width=4, height=2)
    assert head == "share 100.0 %, best 100.0 % (epoch 2)"
    assert dots(rows) == [[7], [6], [5], [4], [3], [2], [1], [0]]
    assert [row[:8] for row in rows] == [" 100.0 ┤", "   0.0 ┤"]


def test_a_jump_has_no_holes() -> None:
    _, *rows = draw_curve([0.0, 0.0, 1.0, 1.0], "share", width=3, height=3)
    columns = dots(rows)
    assert columns[0] == [11] and columns[-1] == [0]
    covered = sorted(y for column in columns for y in set(column))
    assert set(covered) == set(range(12))
    for before, after in zip(columns, columns[1:]):
        assert after[0] <= before[0] <= after[-1] + 1  # each goes on from the last


def test_a_flat_line_and_a_single_value() -> None:
    _, *rows = draw_curve([0.5, 0.5], "share", width=2, height=2)
    assert dots(rows) == [[7]] * 4
    head, *rows = draw_curve([0.25], "share", width=2, height=1)
    assert head == "share 25.0 %, best 25.0 % (epoch 1)"
    assert dots(rows) == [[3]] * 4


def test_the_best_is_the_first_of_equals() -> None:
    assert draw_curve([0.1, 0.9, 0.9, 0.2], "share")[0].endswith(
        "best 90.0 % (epoch 2)"
    )
