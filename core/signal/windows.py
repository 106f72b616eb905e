"""Windows: what frames of a signal are multiplied with before a transform."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..dtypes import DEFAULT_FLOAT
from ..errors import FogoError
from ..ops.creation import arange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor


def _cosines(
    name: str, n: int, periodic: bool, factors: Sequence[float], dtype: Any, device: Any
) -> Tensor:
    """Return the sum of factors[i] cos(2 pi i t / whole) for t = 0 … n - 1."""
    if not isinstance(n, int) or n < 0:
        raise FogoError("%s: a length is a whole number; given %r" % (name, n))
    whole = n if periodic else n - 1
    kind = dtype or DEFAULT_FLOAT
    angle = arange(n, device=device).astype(kind) * (2.0 * math.pi / max(whole, 1))
    made = angle * 0.0 + (factors[0] if n != 1 else 1.0)
    for i, factor in enumerate(factors[1:] if n != 1 else (), 1):
        made = made + (angle * float(i)).cos() * factor
    return made


def hann_window(
    n: int, periodic: bool = True, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Return Hann's window, 0.5 - 0.5 cos(2 pi t / n): float32 [n].

    periodic: for a transform; False gives the symmetric window, for filters.

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.signal.hann_window(4).tolist()]
        [0.0, 0.5, 1.0, 0.5]
    """
    return _cosines("hann_window", n, periodic, (0.5, -0.5), dtype, device)


def hamming_window(
    n: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """Return Hamming's window, alpha - beta cos(2 pi t / n): see `hann_window`.

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.signal.hamming_window(4).tolist()]
        [0.08, 0.54, 1.0, 0.54]
    """
    return _cosines("hamming_window", n, periodic, (alpha, -beta), dtype, device)


def blackman_window(
    n: int, periodic: bool = True, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Return Blackman's window, of two cosines: see `hann_window`.

    Example:
        >>> import fogo
        >>> [round(v, 4) + 0.0 for v in fogo.signal.blackman_window(4).tolist()]
        [0.0, 0.34, 1.0, 0.34]
    """
    return _cosines("blackman_window", n, periodic, (0.42, -0.5, 0.08), dtype, device)


def bartlett_window(
    n: int, periodic: bool = True, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Return a triangle: 1 - |2 t / n - 1|: see `hann_window`.

    Example:
        >>> import fogo
        >>> fogo.signal.bartlett_window(4).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    ones = _cosines("bartlett_window", n, periodic, (1.0,), dtype, device)
    if n < 2:
        return ones
    whole = n if periodic else n - 1
    t = arange(n, device=device).astype(ones.dtype) * (2.0 / whole)
    return ones - (t - 1.0).abs()
