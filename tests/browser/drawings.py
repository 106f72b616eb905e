"""Thirty hand-made digits as pen strokes: what the demo page must recognise.

They were drawn (and committed) before any model was trained, three for each
digit, in the ways people write them: a 1 with and without flag, a 7 with and
without bar, a 4 open and closed. Never train on them, never tune to them.

Each digit is written down as the few points a hand aims at, on a grid of 100 by
100 with y downwards. `curve` runs smoothly through its points, `lines` goes
straight from one to the next. `Drawing.strokes()` places them on the canvas, as
fractions of its side, so that a test can move a mouse along them on any screen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
Stroke = list[Point]

STEPS = 8  # mouse positions between two aimed-at points of a curve


def lines(*points: Point) -> Stroke:
    """Go straight from point to point, with mouse positions on the way."""
    path = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(points):
        for i in range(1, STEPS + 1):
            t = i / STEPS
            path.append((x0 + (x1 - x0) * t, y0 + (y1 - y0) * t))
    return path


def curve(*points: Point) -> Stroke:
    """Run smoothly through the points (a Catmull-Rom spline)."""
    padded = (points[0], *points, points[-1])
    path = [points[0]]
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:]):
        for i in range(1, STEPS + 1):
            t = i / STEPS
            path.append(
                (_spline(a[0], b[0], c[0], d[0], t), _spline(a[1], b[1], c[1], d[1], t))
            )
    return path


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    bend = (2 * a - 5 * b + 4 * c - d) * t + (3 * b - a - 3 * c + d) * t * t
    return b + 0.5 * t * (c - a + bend)


@dataclass(frozen=True)
class Drawing:
    """One digit: its strokes, the pen, and where and how large it is drawn.

    `centre` and `size` (width, height) are fractions of the canvas side, `slant`
    leans the digit to the right (degrees), `pen` is one of the page's pens.
    """

    digit: int
    name: str
    paths: Sequence[Stroke]
    pen: str = "medium"
    centre: Point = (0.5, 0.5)
    size: Point = (0.45, 0.65)
    slant: float = 0.0

    def strokes(self) -> list[Stroke]:
        """The strokes on the canvas: points as fractions of its side."""
        lean = math.tan(math.radians(self.slant))
        return [[self._place(x, y, lean) for x, y in path] for path in self.paths]

    def _place(self, x: float, y: float, lean: float) -> Point:
        across = (x - 50) / 100 * self.size[0]
        down = (y - 50) / 100 * self.size[1]
        return (self.centre[0] + across - down * lean, self.centre[1] + down)


# fmt: off
DRAWINGS = [
    # 0: a round one, a narrow one left a little open, one with an overshooting end.
    Drawing(0, "round", [curve(
        (52, 2), (22, 12), (3, 45), (14, 82), (48, 99), (82, 84), (97, 48), (82, 13),
        (50, 2))]),
    Drawing(0, "narrow, open", [curve(
        (64, 6), (30, 14), (8, 52), (18, 92), (52, 97), (86, 68), (93, 30), (74, 4))],
        pen="fine", centre=(0.44, 0.52), size=(0.34, 0.68), slant=10),
    Drawing(0, "overshooting", [curve(
        (60, 8), (28, 8), (5, 40), (12, 78), (45, 97), (82, 82), (97, 45), (78, 14),
        (48, 6), (30, 18))],
        pen="broad", centre=(0.6, 0.42), size=(0.38, 0.42)),

    # 1: a plain stick, one with a flag, one with flag and foot.
    Drawing(1, "stick", [lines((52, 0), (49, 100))],
            centre=(0.3, 0.5), size=(0.3, 0.8)),
    Drawing(1, "flag", [lines((18, 26), (56, 2), (54, 98))],
            pen="fine", centre=(0.56, 0.48), size=(0.3, 0.7), slant=4),
    Drawing(1, "flag and foot", [lines((24, 24), (52, 0), (50, 96)),
                                 lines((18, 98), (84, 97))],
            pen="broad", centre=(0.45, 0.55), size=(0.34, 0.55)),

    # 2: a swan's neck, one with a loop at the foot, an angular one.
    Drawing(2, "swan", [curve((8, 28), (22, 8), (52, 1), (82, 14), (84, 38), (58, 66),
                              (28, 86), (6, 98)) + lines((6, 98), (96, 97))],
            centre=(0.3, 0.34), size=(0.28, 0.38)),
    Drawing(2, "loop", [curve(
        (10, 26), (30, 5), (62, 3), (84, 22), (74, 50), (44, 78), (16, 94), (8, 82),
        (24, 74), (48, 86), (74, 98), (98, 90))],
        pen="fine", centre=(0.53, 0.5), size=(0.5, 0.62), slant=6),
    Drawing(2, "angular", [lines((12, 16), (40, 3), (78, 6), (90, 24), (80, 42),
                                 (10, 98), (94, 99))],
            pen="broad", centre=(0.4, 0.44), size=(0.42, 0.5)),

    # 3: two bows, one with a flat top, one with a small loop in the waist.
    Drawing(3, "bows", [curve((10, 14), (38, 1), (76, 8), (82, 30), (62, 44), (38, 48))
                        + curve((38, 48), (70, 52), (94, 70), (80, 92), (44, 100),
                                (6, 88))]),
    Drawing(3, "flat top", [lines((12, 4), (84, 3), (46, 40)) + curve(
        (46, 40), (76, 46), (92, 68), (76, 92), (42, 99), (10, 90))],
        pen="fine", centre=(0.47, 0.53), size=(0.44, 0.7)),
    Drawing(3, "waist loop", [curve(
        (14, 16), (44, 2), (80, 12), (80, 34), (52, 48), (36, 50), (42, 43), (66, 50),
        (92, 72), (74, 95), (36, 98), (8, 84))],
        pen="broad", centre=(0.58, 0.56), size=(0.4, 0.56), slant=5),

    # 4: open at the top, closed, and open with a long slanting stem.
    Drawing(4, "open", [lines((20, 4), (12, 56), (92, 54)), lines((72, 8), (68, 99))],
            size=(0.6, 0.8)),
    Drawing(4, "closed", [lines((72, 99), (72, 2), (6, 68), (98, 67))],
            pen="fine", centre=(0.52, 0.47), size=(0.46, 0.66)),
    Drawing(4, "long stem", [curve((26, 6), (18, 28), (10, 52)) + lines(
        (10, 52), (50, 52), (90, 46)), lines((80, 0), (66, 50), (58, 99))],
        pen="broad", centre=(0.46, 0.5), size=(0.5, 0.7), slant=3),

    # 5: hat drawn apart, one stroke, and an angular one.
    Drawing(5, "hat apart", [lines((24, 6), (20, 46)) + curve(
        (20, 46), (52, 38), (86, 52), (90, 78), (62, 98), (28, 98), (6, 88)),
        lines((24, 5), (88, 4))],
        centre=(0.68, 0.62), size=(0.26, 0.38)),
    Drawing(5, "one stroke", [lines((90, 3), (30, 5), (22, 44)) + curve(
        (22, 44), (50, 40), (82, 54), (84, 82), (52, 99), (10, 92))],
        pen="fine", centre=(0.55, 0.5), size=(0.42, 0.64), slant=8),
    Drawing(5, "angular", [lines((84, 2), (18, 4), (16, 42), (60, 42)) + curve(
        (60, 42), (88, 58), (86, 84), (58, 99), (10, 95))],
        pen="broad", centre=(0.5, 0.43), size=(0.4, 0.54)),

    # 6: a curl, a straight back with a small bowl, one large loop.
    Drawing(6, "curl", [curve(
        (74, 4), (42, 18), (16, 48), (8, 76), (26, 97), (62, 98), (90, 80), (80, 56),
        (50, 50), (22, 64), (12, 78))]),
    Drawing(6, "straight back", [lines((62, 0), (24, 52)) + curve(
        (24, 52), (12, 80), (34, 99), (68, 92), (80, 70), (60, 54), (34, 60),
        (18, 76))],
        pen="fine", centre=(0.5, 0.5), size=(0.44, 0.72)),
    Drawing(6, "large loop", [curve(
        (86, 8), (58, 2), (26, 20), (6, 58), (16, 90), (50, 100), (84, 86), (90, 60),
        (64, 42), (30, 48), (10, 68))],
        pen="broad", centre=(0.42, 0.57), size=(0.42, 0.52)),

    # 7: plain, with a bar, with a serif and a bent stem.
    Drawing(7, "plain", [lines((6, 4), (92, 3), (38, 98))], size=(0.6, 0.78)),
    Drawing(7, "bar", [lines((8, 6), (90, 4), (44, 99)), lines((28, 52), (84, 48))],
            pen="fine", centre=(0.54, 0.52), size=(0.46, 0.68)),
    Drawing(7, "serif, bent", [lines((8, 22), (10, 6), (88, 6)) + curve(
        (88, 6), (66, 34), (52, 64), (48, 99))],
        pen="broad", centre=(0.57, 0.46), size=(0.4, 0.56)),

    # 8: one crossing stroke, two rings, a slanting one left open at the top.
    Drawing(8, "crossing", [curve(
        (78, 14), (48, 1), (18, 14), (22, 34), (52, 48), (84, 66), (86, 88), (52, 100),
        (14, 88), (18, 66), (50, 48), (80, 32), (78, 14))],
        centre=(0.34, 0.64), size=(0.24, 0.4)),
    Drawing(8, "two rings", [curve(
        (50, 2), (24, 10), (18, 28), (48, 46), (80, 30), (76, 10), (50, 2)), curve(
        (48, 46), (16, 58), (8, 80), (46, 99), (90, 82), (84, 58), (48, 46))],
        pen="fine", centre=(0.46, 0.48), size=(0.42, 0.7)),
    Drawing(8, "open top", [curve(
        (88, 10), (56, 2), (26, 14), (28, 36), (58, 54), (80, 74), (66, 96), (34, 98),
        (14, 82), (28, 62), (60, 42), (86, 22))],
        pen="broad", centre=(0.52, 0.5), size=(0.46, 0.62), slant=6),

    # 9: straight stem, curled stem, one slanting stroke.
    Drawing(9, "straight stem", [curve(
        (82, 20), (54, 2), (20, 12), (10, 36), (32, 54), (64, 46), (82, 22)) + lines(
        (82, 22), (76, 99))]),
    Drawing(9, "curled stem", [curve(
        (84, 22), (58, 3), (24, 10), (12, 34), (34, 52), (66, 44), (84, 22), (86, 58),
        (70, 90), (38, 99), (12, 88))],
        pen="fine", centre=(0.5, 0.53), size=(0.42, 0.68)),
    Drawing(9, "slanting", [curve(
        (78, 16), (48, 2), (16, 18), (14, 42), (42, 54), (74, 38), (80, 14), (76, 46),
        (66, 74), (56, 100))],
        pen="broad", centre=(0.44, 0.45), size=(0.4, 0.6), slant=8),
]
# fmt: on
