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


def test_bytes_are_of_the_elements_that_are_read(fused: fogo.Device) -> None:
    """A part of a large tensor, a broadcast row, one tensor by two views."""
    large = fogo.tensor(np.ones(1000, "float32"), device=fused)
    row = fogo.tensor(np.ones((1, 6), "float32"), device=fused)
    half = fogo.tensor(np.ones((4, 6), "float16"), device=fused)
    found = fogo.explain(lambda x, y: x[10:34].reshape((4, 6)) * y)(large, row)
    assert sorted(n for _, n in found.kernels[0].reads) == [6 * 4, 24 * 4]
    found = fogo.explain(lambda x: x.astype("float32") + 1.0)(half)
    assert [n for _, n in found.kernels[0].reads] == [24 * 2]
    square = fogo.tensor(np.ones((5, 5), "float32"), device=fused)
    found = fogo.explain(lambda x: x + x.mT)(square)
    assert [n for _, n in found.kernels[0].reads] == [25 * 4]
    found = fogo.explain(lambda x: x[:6].cumsum(0))(large)
    assert [n for _, n in found.kernels[0].reads] == [6 * 4]


def test_a_reason_is_given_once() -> None:
    note = fogo.backend.fusion.explain.KernelNote("two", "one op")
    note.why = [("two", "several ops read it")] * 2
    assert str(note).count("two is written") == 1


def test_what_was_played_has_no_kernels_here(portable: fogo.Device) -> None:
    f = fogo.compile(lambda x: (x * 2.0).sum())
    x = fogo.tensor([1.0, 2.0], device=portable)
    for _ in range(4):
        f(x)
    assert f.plays > 0
    found = fogo.explain(f)(x)
    assert (found.plays, found.result.item()) == (1, 6.0)
    assert str(found).startswith("a call was played from a program")
    assert "explain the function itself" in found.html()
    assert "a program" not in str(fogo.explain(f.function)(x))


def test_a_device_that_does_not_fuse_is_named() -> None:
    x = fogo.tensor([1.0, 2.0], device="python")
    text = str(fogo.explain(lambda x: x + 1.0)(x))
    assert text.startswith("fogo.device('python') does not fuse")


def test_one_is_no_plural_and_only_functions_are_explained(fused: fogo.Device) -> None:
    x = fogo.tensor([1.0, 2.0], device=fused)
    assert str(fogo.explain(lambda x: x * 2.0)(x)).startswith("1 op in 1 kernel\n")
    with pytest.raises(fogo.FogoError, match=r"it takes a function.*explain\(f\)\(x\)"):
        fogo.explain(x)  # type: ignore[arg-type]


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
    assert "Kernel 3: sum" in text and "min-height" not in text
    for kind in ("elementwise", "rows", "reduction", "around an op", "one op"):
        assert "></i> %s</span>" % kind in text
    assert not re.findall(r"(?:src|href)=|https?://", text)
