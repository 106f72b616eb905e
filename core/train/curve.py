"""Draws a curve in a terminal with braille dots: 2 x 4 of them to a character."""

from __future__ import annotations

from collections.abc import Sequence

# The bit of each dot of a braille character, by row and column.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def draw_curve(
    values: Sequence[float], title: str, *, width: int = 48, height: int = 7
) -> list[str]:
    """Return lines of text: the title with the last value, then values as a curve.

    The scale runs from the least value to the greatest, in per cent.

    >>> print("\\n".join(draw_curve([0.5, 0.75, 1.0], "accuracy", width=4, height=2)))
    accuracy 100.0 %, best 100.0 % (epoch 3)
     100.0 ┤⠀⠀⡠⠊
      50.0 ┤⡠⠊
    """
    best = max(range(len(values)), key=lambda i: (values[i], -i))
    low, high = min(values), values[best]
    head = f"{title} {values[-1]:.1%}, best {high:.1%} (epoch {best + 1})"
    rows = _plot(values, low, high, width, height)
    labels = [" " * 6] * height
    labels[-1], labels[0] = f"{100 * low:6.1f}", f"{100 * high:6.1f}"
    return [head.replace("%", " %")] + [
        f"{label} ┤{row}".rstrip("\u2800") for label, row in zip(labels, rows)
    ]


def _plot(
    values: Sequence[float], low: float, high: float, width: int, height: int
) -> list[str]:
    cells = [[0] * width for _ in range(height)]
    across, down = 2 * width - 1, 4 * height - 1
    before: int | None = None
    for x in range(2 * width):
        share = (_at(values, x / across) - low) / ((high - low) or 1)
        y = round((1 - share) * down)
        # Join steep steps, so that the line has no holes.
        first = y if before is None else before + (y > before) - (y < before)
        for dot in range(min(first, y), max(first, y) + 1):
            cells[dot // 4][x // 2] |= _DOTS[dot % 4][x % 2]
        before = y
    return ["".join(chr(0x2800 + bits) for bits in row) for row in cells]


def _at(values: Sequence[float], share: float) -> float:
    """Read between the values, which stand evenly from 0 to 1."""
    place = share * (len(values) - 1)
    left = min(int(place), len(values) - 2) if len(values) > 1 else 0
    right = min(left + 1, len(values) - 1)
    return values[left] + (place - left) * (values[right] - values[left])
