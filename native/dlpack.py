"""Host memory that tensors and NumPy share: what DLPack goes through on the CPU."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from fogo.backend.base import Handle
from fogo.dtypes import ALL, BY_NAME
from fogo.shapes import Layout

from .numpy_backend import Numpy


def show(handle: Any) -> Any:
    """Return a handle's elements as an array on its memory, or None where that fails.

    Elements that are repeated by a stride of 0 are not shown: who writes to one would
    write to others.
    """
    buffer, layout = getattr(handle, "buffer", None), getattr(handle, "layout", None)
    if not isinstance(buffer, (np.ndarray, array)) or layout is None:
        return None
    kind = np.dtype(handle.dtype.name)
    if 0 in layout.shape:
        return np.empty(layout.shape, kind)
    if [n for n, s in zip(layout.shape, layout.strides) if n > 1 and s == 0]:
        return None
    flat = np.frombuffer(buffer, kind) if isinstance(buffer, array) else buffer
    step = kind.itemsize
    strides = tuple([s * step for s in layout.strides])
    return np.ndarray(layout.shape, kind, flat, layout.offset * step, strides)


def adopt(backend: Any, given: Any) -> Any:
    """Return a handle of the NumPy backend on an array's own memory, or None."""
    if not isinstance(backend, Numpy) or not isinstance(given, np.ndarray):
        return None
    dtype = BY_NAME.get(str(given.dtype))
    if dtype not in ALL or not given.dtype.isnative or not given.flags.aligned:
        return None
    if given.flags.c_contiguous:
        return Handle(given.reshape(-1), Layout(given.shape), dtype)
    return _strided(given, dtype)


def _strided(given, dtype):
    """A view with any strides of whole elements: its memory as one flat array."""
    step = given.itemsize
    if [s for s in given.strides if s % step] or 0 in given.shape:
        return None
    strides = [s // step for s in given.strides]
    offset = 0
    corner = []
    for n, s in zip(given.shape, strides):
        corner.append(n - 1 if s < 0 else 0)
        offset += (n - 1) * -s if s < 0 else 0
    span = 1
    for n, s in zip(given.shape, strides):
        span += (n - 1) * abs(s)
    first = given[tuple([slice(c, c + 1) for c in corner])]
    flat = np.lib.stride_tricks.as_strided(first, (span,), (step,))
    return Handle(flat, Layout(given.shape, tuple(strides), offset), dtype)
