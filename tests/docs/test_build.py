"""The documentation builds without a warning, and asks nothing of other sites."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import fogo
from docs.tools import build, public, render
from tests.support import runtimes


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = importlib.util.find_spec("zensical") is not None
    if not there and not runtimes.expected():
        pytest.skip("zensical: not installed; pip install 'fogo[docs]'")
    return build.build(tmp_path_factory.mktemp("docs"))


def test_every_page_is_there(site: Path) -> None:
    pages = {
        p.relative_to(site).with_suffix("").as_posix() for p in site.rglob("*.html")
    }
    mine = {p.stem for p in build.DOCS.glob("*.md")}
    rooms = {f"api/{room.path}" for room in public.rooms()}
    assert mine | rooms <= pages
    text = (site / "api/ops/curves.html").read_text()
    assert 'id="fogo.sqrt"' in text and "the square root; nan below 0" in text


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text()
        fetched = re.findall(r'<(?:script|img|iframe)[^>]* src="(https?:[^"]*)"', text)
        fetched += re.findall(r'<link[^>]* href="(https?:[^"]*)"', text)
        assert not fetched, page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import", style.read_text()), style


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[here](page.md#top) [there](gone.md) `x[0](y)` [far](https://a.b)")
    assert build.broken([page]) == ["page.md: gone.md"]


def test_every_public_name_is_on_a_page() -> None:
    """Of the main namespace and of each of its rooms."""
    shown = {name for room in public.rooms() for name, _ in room.names}
    wanted = set(fogo._HOMES) | set(fogo.__all__) | set(fogo.ops.names())
    assert {f"fogo.{name}" for name in wanted} <= shown
    for room in ("nn", "optim", "linalg", "fft", "signal", "func"):
        names = public.public(getattr(fogo, room))
        assert names and {f"fogo.{room}.{name}" for name in names} <= shown


def test_docstrings_become_markdown() -> None:
    def f(x: int, y: str = "a, b") -> float:
        """Say so.

        Shapes: x [N]. Raises: ShapeError.

        left   a column
        right  another

        Example:
            >>> 1 + 1
            2

            >>> 3
            3
        """
        return 0.0

    text = "\n".join(render.entry("fogo.f", f))
    assert "f(x: int, y: str = 'a, b') -> float" in text
    assert "**Shapes:** x [N]" in text
    assert "```text\nleft   a column\nright  another\n```" in text
    assert "```pycon\n>>> 1 + 1\n2\n\n>>> 3\n3\n```" in text
    assert list(render._split("a: int, b: tuple[int, int] = (1, 2), c='x, y'")) == [
        "a: int", "b: tuple[int, int] = (1, 2)", "c='x, y'",
    ]  # fmt: skip


def test_help_builds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        build.main(["--help"])
    assert left.value.code == 0 and "build/docs" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
