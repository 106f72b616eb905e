"""Checking and showing the sizes that layers are made with."""

from __future__ import annotations

from ..errors import ShapeError


def positive(layer: str, **sizes: int) -> None:
    """Raise ShapeError where a size of a layer is not a whole number above 0."""
    for name in sizes:
        n = sizes[name]
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise ShapeError(
                "%s: %s must be a whole number above 0; given %r" % (layer, name, n)
            )


def spread(
    layer: str, name: str, value: int | tuple[int, ...], rank: int, low: int = 0
) -> tuple[int, ...]:
    """Return one number for each axis; raises ShapeError for others, or below `low`.

    Example:
        >>> spread("Conv2d", "stride", 2, 2)
        (2, 2)
    """
    sizes = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(sizes) != rank or min(sizes) < low:
        raise ShapeError(
            "%s: %s must be a number, or one for each of %d axes, of at least %d; "
            "given %r" % (layer, name, rank, low, value)
        )
    return sizes


def short(value: int | str | tuple[int, ...]) -> str:
    """Write a size for each axis, or the one that all have.

    Example:
        >>> short((3, 3)), short((3, 1))
        ('3', '(3, 1)')
    """
    if isinstance(value, tuple) and value and min(value) == max(value):
        return str(value[0])
    return repr(value)
