"""A line search for L-BFGS: bracket, then close in (Nocedal and Wright, chapter 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ENOUGH = 1e-4  # share of the expected decrease that will do
FLAT = 0.9  # share of the first slope that may be left
MOST = 25  # evaluations


class Point:
    """A place on the line: how far, the loss there, its gradient, its slope."""

    def __init__(self, t: float, loss: float, gradient: Any, slope: float) -> None:
        self.t = t
        self.loss = loss
        self.gradient = gradient
        self.slope = slope


def cubic(a: Point, b: Point, low: float, high: float) -> float:
    """Return the least point of the cubic through two points, within bounds.

    Nocedal and Wright, equation 3.59; the middle where the cubic has no least point.
    """
    if a.t > b.t:
        a, b = b, a
    gap = a.t - b.t
    bend = a.slope + b.slope - 3 * (a.loss - b.loss) / gap if gap else 0.0
    under = bend * bend - a.slope * b.slope
    steep = b.slope - a.slope + 2 * under**0.5 if under >= 0 else 0.0
    if not gap or under < 0 or not steep:
        return (low + high) / 2
    t = b.t - (b.t - a.t) * ((b.slope + under**0.5 - bend) / steep)
    return min(max(t, low), high)


def strong_wolfe(
    at: Callable[[float], Point], start: Point, t: float, size: float, small: float
) -> Point:
    """Return a point that falls enough and is flat enough.

    at(t) evaluates; `size` is the largest number of the direction, `small` the change
    that is none.
    """
    before, now = start, at(t)
    for n in range(1, MOST + 1):
        high = now.loss > start.loss + ENOUGH * now.t * start.slope
        if high or (n > 1 and now.loss >= before.loss):
            return _close_in(at, start, [before, now], MOST - n, size, small)
        if abs(now.slope) <= -FLAT * start.slope:
            return now
        if now.slope >= 0:
            return _close_in(at, start, [before, now], MOST - n, size, small)
        low = now.t + 0.01 * (now.t - before.t)
        further = cubic(before, now, low, now.t * 10)
        before, now = now, at(further)
    return min([start, now], key=_loss)


def _loss(p: Point) -> float:
    return p.loss


def _close_in(
    at: Callable[[float], Point],
    start: Point,
    ends: list[Point],
    tries: int,
    size: float,
    small: float,
) -> Point:
    """Narrow a bracket until a point in it will do, or nothing is left of it."""
    best, worst = ends if ends[0].loss <= ends[1].loss else ends[::-1]
    stuck = False
    for _ in range(tries):
        if abs(best.t - worst.t) * size < small:
            break
        low, high = min(best.t, worst.t), max(best.t, worst.t)
        t = cubic(best, worst, low, high)
        t, stuck = _from_the_edge(t, low, high, stuck)
        now = at(t)
        enough = now.loss <= start.loss + ENOUGH * t * start.slope
        if not enough or now.loss >= best.loss:
            worst = now
        else:
            if abs(now.slope) <= -FLAT * start.slope:
                return now
            if now.slope * (worst.t - best.t) >= 0:
                worst = best
            best = now
        if worst.loss < best.loss:
            best, worst = worst, best
    return best


def _from_the_edge(
    t: float, low: float, high: float, stuck: bool
) -> tuple[float, bool]:
    """Keep a guess off the bracket's edges when it was near one twice."""
    edge = 0.1 * (high - low)
    if min(high - t, t - low) >= edge:
        return t, False
    if stuck or t >= high or t <= low:
        near_high = abs(t - high) < abs(t - low)
        return (high - edge if near_high else low + edge), False
    return t, True
