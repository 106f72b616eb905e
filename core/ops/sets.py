"""The values of a tensor, each once: by sorting, on the device.

The host reads how many there are. Each nan is a value of its own. Complex numbers go by
their real part, then by the imaginary one.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bool_
from .complex_ import imag, real
from .creation import arange, full
from .define import Sample
from .movement import concat, narrow, reshape
from .scan import cumsum
from .select import counted
from .sort import argsort

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")

UniqueAllResult = namedtuple(
    "UniqueAllResult", ("values", "indices", "inverse_indices", "counts")
)
UniqueCountsResult = namedtuple("UniqueCountsResult", ("values", "counts"))
UniqueInverseResult = namedtuple("UniqueInverseResult", ("values", "inverse_indices"))


class _Sorted:
    """The elements in order, where each value begins, and how to keep those places."""

    def __init__(self, x):
        self.shape = x.shape
        flat = reshape(x, (-1,))
        self.order = _order(flat)
        self.line = flat.take(self.order, 0)
        self.device = x.device.base()
        self.first = _beginnings(self.line)
        self.keep = counted("unique", self.first)

    def values(self):
        return self.keep(self.line)

    def indices(self):
        return self.keep(self.order)

    def inverse(self):
        """The number of its value for each element: scattered from the sorted line."""
        number = cumsum(self.first.astype(self.order.dtype), 0) - 1
        blank = number * 0
        return reshape(blank.put_at(self.order, number), self.shape)

    def counts(self):
        """How far it is from where a value begins to where the next one does."""
        n = self.line.size
        begins = self.keep(arange(n, dtype=self.order.dtype, device=self.device))
        if n == 0:
            return begins
        end = full(1, n, dtype=begins.dtype, device=self.device)
        ends = concat([narrow(begins, 0, 1, begins.size - 1), end])
        return ends - begins


def _order(flat):
    if not flat.dtype.is_complex:
        return argsort(flat, 0)
    order = argsort(imag(flat), 0)
    return order.take(argsort(real(flat).take(order, 0), 0), 0)


def _beginnings(line):
    """Where an element differs from the one before it; the first does."""
    n = line.size
    if n == 0:
        return line.astype(bool_)
    changed = narrow(line, 0, 1, n - 1) != narrow(line, 0, 0, n - 1)
    return concat([full(1, True, device=line.device), changed])


def unique_all(x: Tensor) -> UniqueAllResult:
    """Return (values, indices, inverse_indices, counts): each value of x once.

    Shapes: values, indices (where each is first, in x as flat) and counts [K];
    inverse_indices x's, such that `values[inverse_indices]` is x. Values are in order.
    Raises: DeviceError where this thread cannot wait for the host to read K.

    Example:
        >>> import fogo
        >>> [part.tolist() for part in fogo.unique_all(fogo.tensor([3, 1, 3]))]
        [[1, 3], [1, 0], [1, 0, 1], [1, 2]]
    """
    found = _Sorted(x.detach())
    return UniqueAllResult(
        found.values(), found.indices(), found.inverse(), found.counts()
    )


def unique_counts(x: Tensor) -> UniqueCountsResult:
    """Return (values, counts): each value of x once, and how often it is there.

    Example:
        >>> import fogo
        >>> fogo.unique_counts(fogo.tensor([3, 1, 3])).counts.tolist()
        [1, 2]
    """
    found = _Sorted(x.detach())
    return UniqueCountsResult(found.values(), found.counts())


def unique_inverse(x: Tensor) -> UniqueInverseResult:
    """Return (values, inverse_indices): `values[inverse_indices]` is x.

    Example:
        >>> import fogo
        >>> fogo.unique_inverse(fogo.tensor([3, 1, 3])).inverse_indices.tolist()
        [1, 0, 1]
    """
    found = _Sorted(x.detach())
    return UniqueInverseResult(found.values(), found.inverse())


def unique_values(x: Tensor) -> Tensor:
    """Return each value of x once, in order; see `unique_all`.

    Example:
        >>> import fogo
        >>> fogo.unique_values(fogo.tensor([3, 1, 3])).tolist()
        [1, 3]
    """
    return _Sorted(x.detach()).values()


_SAMPLES = (
    Sample(((3, 5), -2, 2)),
    Sample(((9,), -1, 1)),
    Sample(((), -1, 1)),
    Sample(((2, 0), -1, 1)),
)
# Samples of the functions, all compositions of other ops.
SAMPLES = {
    "unique_all": _SAMPLES,
    "unique_counts": _SAMPLES,
    "unique_inverse": _SAMPLES,
    "unique_values": _SAMPLES,
}

__all__ = ["unique_all", "unique_counts", "unique_inverse", "unique_values"]
NOT_METHODS = __all__
