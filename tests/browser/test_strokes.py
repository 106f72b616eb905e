"""From strokes to MNIST's 28 × 28: what the page's JavaScript makes of drawings."""

from __future__ import annotations

import pytest

from tests.browser.drawings import DRAWINGS

PENS = {"fine": 0.035, "medium": 0.06, "broad": 0.1}
RASTERISE = """async ([strokes, width]) => {
  const { rasterise } = await import("./strokes.js");
  return [...rasterise(strokes, width)];
}"""


@pytest.fixture
def rasterise(gpu_page):
    """strokes, width -> 28 rows of 28 values."""

    def run(strokes, width):
        flat = gpu_page.evaluate(RASTERISE, [strokes, width])
        return [flat[row * 28 : row * 28 + 28] for row in range(28)]

    return run


def centre(rows):
    total = sum(map(sum, rows))
    across = sum(x * ink for row in rows for x, ink in enumerate(row))
    down = sum(y * ink for y, row in enumerate(rows) for ink in row)
    return across / total, down / total


@pytest.mark.parametrize("drawing", DRAWINGS[::4], ids=lambda d: f"{d.digit} {d.name}")
def test_mnists_frame(rasterise, drawing):
    """Centre of mass at pixel 14, a box of 20 (and a grey rim), ink from 0 to 1."""
    rows = rasterise(drawing.strokes(), PENS[drawing.pen])
    assert centre(rows) == pytest.approx((14, 14), abs=0.1)
    inked = [y for y, row in enumerate(rows) if max(row) > 0.3]
    columns = [x for x in range(28) if max(row[x] for row in rows) > 0.3]
    longest = max(inked[-1] - inked[0], columns[-1] - columns[0]) + 1
    assert 19 <= longest <= 22
    assert max(map(max, rows)) == 1 and min(map(min, rows)) == 0


def test_place_and_scale_do_not_matter(rasterise):
    strokes = DRAWINGS[7].strokes()
    moved = [[(x * 0.4 + 0.1, y * 0.4 + 0.5) for x, y in s] for s in strokes]
    here = sum(rasterise(strokes, 0.06), [])
    there = sum(rasterise(moved, 0.06 * 0.4), [])
    assert there == pytest.approx(here, abs=1e-3)


def test_pens_are_brought_to_mnists_width(rasterise):
    strokes = DRAWINGS[3].strokes()
    thin, thick = (sum(map(sum, rasterise(strokes, w))) for w in (0.001, 0.5))
    assert 20 < thin < thick < 2 * thin


def test_a_dot_and_nothing(rasterise):
    dot = rasterise([[(0.3, 0.7)]], 0.06)
    assert dot[14][14] == 1 and centre(dot) == pytest.approx((14, 14), abs=0.1)
    assert sum(map(sum, dot)) < 12
    assert rasterise([], 0.06) == [[0] * 28] * 28
    assert rasterise([[]], 0.06) == [[0] * 28] * 28


def test_it_is_fast(gpu_page):
    """Once for each frame while a hand draws: 1,000 points in a few milliseconds."""
    took = gpu_page.evaluate("""async () => {
      const { rasterise } = await import("./strokes.js");
      const { cos, sin } = Math;
      const point = (_, i) => [0.5 + 0.4 * cos(i / 40), 0.5 + 0.3 * sin(i / 9)];
      const strokes = [Array.from({ length: 1000 }, point)];
      const times = [];
      for (let i = 0; i < 40; i++) {
        const start = performance.now();
        rasterise(strokes, 0.06);
        times.push(performance.now() - start);
      }
      return Math.min(...times);
    }""")
    print(f"{took:.2f} ms for 1,000 points")
    assert took < 5
