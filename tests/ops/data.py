"""Numbers and layouts for the cases of the grid.

Values are odd multiples of 1/128: exact in every float dtype and in JSON, never 0,
never a half, so that no case stands on the edge of a step unless it means to.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

STEP = 128
FLOATS = ("float16", "float32", "float64")
JUNK = 77.0  # what lies in the gaps of a strided base: it must never be read


def kind(dtype: str) -> str:
    """Return "float", "int", "uint" or "bool"."""
    return dtype.rstrip("0123456789")


class Draw:
    """Draws values without repeating one in a case, as long as the range allows."""

    def __init__(self, name: str) -> None:
        self.random = np.random.default_rng(zlib.crc32(name.encode()))
        self.used: set[float] = set()

    def array(self, shape: Sequence[int], low: Any, high: Any, dtype: str) -> Any:
        """Return an array in [low, high] in the dtype."""
        count = math.prod(shape)
        if kind(dtype) == "float":
            values = self._floats(count, low, high)
        else:
            values = self._integers(count, low, high, dtype)
        return np.array(values, dtype).reshape(tuple(shape))

    def _floats(self, count: int, low: float, high: float) -> list[float]:
        first, last = math.ceil((low * STEP - 1) / 2), math.floor((high * STEP - 1) / 2)
        pool = [(2 * i + 1) / STEP for i in range(first, last + 1)]
        fresh = [v for v in pool if v not in self.used]
        again = count > len(fresh)
        chosen = self.random.choice(pool if again else fresh, count, replace=again)
        self.used.update(chosen.tolist())
        return chosen.tolist()

    def _integers(self, count: int, low: Any, high: Any, dtype: str) -> list[int]:
        first, last = math.ceil(low), math.floor(high)
        if kind(dtype) == "uint":
            first = max(first, 0)
        if kind(dtype) == "bool":
            first, last = 0, 1
        return self.random.integers(first, max(last, first) + 1, count).tolist()


def tensor(array: Any, layout: str = "plain") -> dict[str, Any]:
    """Describe an input of a case whose values are `array`, laid out in some way."""
    base, moves = LAYOUTS[layout](array)
    spec = {
        "dtype": str(array.dtype),
        "shape": list(base.shape),
        "values": encode(base),
    }
    if moves:
        spec["moves"] = moves
    return spec


def encode(array: Any) -> list[Any]:
    """Return a flat list for JSON: floats as short as they stay exact in the dtype."""
    flat = np.asarray(array).reshape(-1)
    if flat.dtype.kind == "b":
        return [bool(v) for v in flat]
    if flat.dtype.kind in "iu":
        return [int(v) for v in flat]
    digits = {"float16": 5, "float32": 9}.get(str(flat.dtype), 17)
    return [_number(float(v), digits) for v in flat]


def _number(value: float, digits: int) -> float | str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    short = float(f"{value:.{digits}g}")
    return value if digits == 17 else short


def _plain(array: Any) -> tuple[Any, list[Any]]:
    return array, []


def _transposed(array: Any) -> tuple[Any, list[Any]]:
    if array.ndim < 2:
        return _plain(array)
    order = list(range(array.ndim))[::-1]
    return np.ascontiguousarray(array.transpose(order)), [["permute", order]]


def _stepped(array: Any) -> tuple[Any, list[Any]]:
    """Every second element of a larger base, backwards, from an offset."""
    junk = 1 if array.dtype.kind == "b" else JUNK
    base = np.full([2 * n + 1 for n in array.shape], junk, array.dtype)
    starts = [max(2 * n - 1, 0) for n in array.shape]
    places = [np.arange(s, s - 2 * n, -2) for s, n in zip(starts, array.shape)]
    base[np.ix_(*places)] = array
    steps = [-2] * array.ndim
    return base, [["strided_slice", starts, steps, list(array.shape)]]


def _expanded(array: Any) -> tuple[Any, list[Any]]:
    """The first axis repeats one row; the caller sees that all rows are equal."""
    return array[:1], [["expand", list(array.shape)]]


LAYOUTS = {
    "plain": _plain,
    "transposed": _transposed,
    "stepped": _stepped,
    "expanded": _expanded,
}


def specials(dtype: str, limit: float | None = None) -> Any:
    """Return the values at which ops go wrong: NaN, infinities, zeros, extremes."""
    if kind(dtype) == "float":
        info = np.finfo(dtype)
        big = float(info.max) if limit is None else limit
        # 2**-k: normal in the dtype, and its square too where the dtype allows.
        tiny = {"float16": 2.0**-14, "float32": 2.0**-60}.get(dtype, 2.0**-500)
        values = [
            math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5,
            big, -big, tiny, -tiny,
        ]  # fmt: skip
        return np.array(values, dtype)
    if kind(dtype) == "bool":
        return np.array([False, True])
    integers = np.iinfo(dtype)
    near = [integers.min, integers.min + 1, integers.max - 1, integers.max]
    values = near + [0, 1, 2, 3, 7, -1, -2, -7]
    kept = sorted({v for v in values if integers.min <= v <= integers.max})
    return np.array(kept, dtype)
