"""Padding: constant, reflected, replicated and circular, of any axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from . import movement
from .define import Sample
from .movement import concat, expand, flip, narrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_M = ((3, 4), -3.0, 3.0)
MODES = ("constant", "reflect", "replicate", "circular")
_OTHER_NAMES = {"edge": "replicate", "wrap": "circular"}  # NumPy's


def pad(
    x: T,
    widths: Sequence[Sequence[int]] | Sequence[int] | int,
    mode: str = "constant",
    value: float = 0.0,
) -> T:
    """Add elements around x.

    widths: `(before, after)` for each axis, as in NumPy; one number for all; or
    PyTorch's flat `(left, right, top, bottom, …)`, which starts at the last axis.
    mode: "constant" gives `value`; "reflect" mirrors x without its edge, "replicate"
    ("edge") repeats the edge, "circular" ("wrap") goes on at the other end.
    Raises: ShapeError for widths that are negative, do not fit the axes, or are more
    than x can fill by reflecting (size - 1) or going round (size).

    Example:
        >>> import fogo
        >>> x = fogo.tensor([1, 2, 3])
        >>> fogo.pad(x, (2, 1), mode="reflect").tolist()
        [3, 2, 1, 2, 3, 2]
        >>> fogo.pad(x, ((1, 2),)).tolist()
        [0, 1, 2, 3, 0, 0]
    """
    mode = _OTHER_NAMES.get(mode, mode)
    if mode not in MODES:
        raise ShapeError(
            "pad: the mode is one of %s; given %r" % (", ".join(MODES), mode)
        )
    pairs = _pairs(x, widths)
    if mode == "constant":
        return movement.pad(x, pairs, value)
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            _check(x, axis, mode, max(before, after))
            x = _around(x, axis, mode, before, after)
    return x


def _pairs(x, widths):
    """One (before, after) for each axis, whatever form was given."""
    if isinstance(widths, int):
        widths = [(widths, widths)] * x.ndim
    widths = list(widths)
    if not widths or isinstance(widths[0], int):
        if len(widths) % 2 or len(widths) > 2 * x.ndim:
            raise ShapeError(
                "pad: flat widths are pairs, from the last axis on; given %s for shape "
                "%s" % (widths, list(x.shape))
            )
        given = [widths[i : i + 2] for i in range(0, len(widths), 2)]
        widths = [(0, 0)] * (x.ndim - len(given)) + given[::-1]
    if len(widths) != x.ndim or [w for w in widths if min(w) < 0]:
        raise ShapeError(
            "pad: one pair of non-negative widths per axis; given %s for shape %s"
            % (widths, list(x.shape))
        )
    return [tuple(w) for w in widths]


def _check(x, axis, mode, most):
    n = x.shape[axis]
    room = {"reflect": n - 1, "circular": n}.get(mode, most if n else 0)
    if most > room:
        raise ShapeError(
            "pad: %s fills at most %d on a side of axis %d; given %d for shape %s"
            % (mode, max(room, 0), axis, most, list(x.shape))
        )


def _around(x, axis, mode, before, after):
    n = x.shape[axis]
    if mode == "replicate":
        ends = _spread(x, axis, 0, before), _spread(x, axis, n - 1, after)
    elif mode == "reflect":
        ends = (
            flip(narrow(x, axis, 1, before), axis),
            flip(narrow(x, axis, n - 1 - after, after), axis),
        )
    else:
        ends = narrow(x, axis, n - before, before), narrow(x, axis, 0, after)
    parts = [ends[0]] * (before > 0) + [x] + [ends[1]] * (after > 0)
    return concat(parts, axis)


def _spread(x, axis, at, count):
    shape = x.shape[:axis] + (count,) + x.shape[axis + 1 :]
    return expand(narrow(x, axis, at, 1), shape)


SAMPLES = {
    "pad": (
        Sample(_M, widths=((1, 0), (0, 2))),
        Sample(_M, widths=((0, 0), (2, 1)), value=1),
        Sample(((0, 2), -1.0, 1.0), widths=((1, 1), (0, 0))),
        Sample(_M, widths=1),
        Sample(_M, widths=(2, 1)),
        Sample(_M, widths=((2, 1), (0, 3)), mode="reflect"),
        Sample(_M, widths=(3, 0, 1, 2), mode="reflect"),
        Sample(_M, widths=((5, 1), (0, 2)), mode="replicate"),
        Sample(_M, widths=((3, 1), (0, 4)), mode="circular"),
    ),
}

__all__ = ["pad"]
NOT_METHODS = ()
