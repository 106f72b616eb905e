"""Results in two parts: `x.sort().values`, or `values, indices = x.sort()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from typing import NamedTuple

    class Placed(NamedTuple, Generic[T]):
        values: T
        indices: T

    class Extremes(NamedTuple, Generic[T]):
        min: T
        max: T

    class Histogram(NamedTuple, Generic[T]):
        hist: T
        edges: T

else:
    from collections import namedtuple

    Placed = namedtuple("Placed", ("values", "indices"))
    Extremes = namedtuple("Extremes", ("min", "max"))
    Histogram = namedtuple("Histogram", ("hist", "edges"))

__all__ = []
NOT_METHODS = ()
