"""What `fogo.explain` says of kernels, in text and as a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import fogo


def block(x: fogo.Tensor, w: fogo.Tensor) -> fogo.Tensor:
    y = (x @ w).relu()
    y.exp()  # nobody needs it
    return (y * 0.5).cumsum(1).sum()


@pytest.fixture
def found(fused: fogo.Device) -> fogo.backend.fusion.explain.Explanation:
    x = fogo.tensor(np.ones((3, 4), "float32"), device=fused)
    w = fogo.tensor(np.ones((4, 5), "float32"), device=fused)
    return fogo.explain(block)(x, w)


def test_kernels_ops_and_reasons(
    found: fogo.backend.fusion.explain.Explanation,
) -> None:
    assert found.result.item() == pytest.approx(3 * 2 * 15)
    assert (found.ops, found.dead) == (6, 1)
    names = [sorted(n for n, _ in k.ops) for k in found.kernels]
    assert names == [["matmul", "mul", "relu"], ["cumsum"], ["sum"]]
    assert [k.reads[0][0] for k in found.kernels] == [None, 0, 1]
    assert found.kernels[0].writes == [60]
    assert found.kernels[-1].why == [("sum", "its result is still held")]
    text = str(found)
    assert "6 ops in 3 kernels; 1 never run" in text
    assert "matmul[3, 5]" in text and "cumsum" in text


def test_it_says_why_a_result_is_in_memory(fused: fogo.Device) -> None:
    x = fogo.tensor(np.ones((3, 4), "float32"), device=fused)

    def tall(x: fogo.Tensor) -> fogo.Tensor:
        wave = x.sin().exp()
        return wave.cumsum(0) + wave.astype("float16").astype("float32")

    kernels = fogo.explain(tall)(x).kernels
    why = {op: reason for k in kernels for op, reason in k.why}
    assert why["exp"] == "cumsum reads it from memory"
    assert why["cast_float16"] == "it rounds to a narrower dtype"
    assert why["add"] == "its result is still held"


def test_only_the_call_is_explained(fused: fogo.Device) -> None:
    x = fogo.tensor([1.0, 2.0], device=fused) * 3.0
    found = fogo.explain(lambda x: x + 1.0)(x)
    assert [k.name for k in found.kernels] == ["add"]
    assert found.result.tolist() == [4.0, 7.0]
    assert len(fogo.explain(lambda x: x)(x).kernels) == 0


class Checker(HTMLParser):
    """Counts boxes and lines, and sees that every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.counts: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in ("meta", "path", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_stands_alone(
    found: fogo.backend.fusion.explain.Explanation, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    found.save(str(path))
    text = path.read_text(encoding="utf-8")
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert checker.counts["rect"] == 3 and checker.counts["path"] == 2
    assert "prefers-color-scheme: dark" in text
    assert not re.findall(r"(?:src|href)=|https?://", text)
