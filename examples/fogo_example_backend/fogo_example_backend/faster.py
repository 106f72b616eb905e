"""An op in place of fogo's own: running sums on the device "python".

A function receives the backend, handles (`buffer`, `layout`, `shape`, `dtype`), the
op's attributes and what its outputs will be like. It returns new handles, or None to
leave a call to fogo.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any


def cumsum(backend: Any, inputs: Any, attrs: Any, outs: Any) -> Any:
    """Sum up one line of integers by `itertools`; leave all else to fogo."""
    (x,), (axis,) = inputs, attrs
    if len(x.shape) != 1 or axis != 0 or x.dtype.name != "int64":
        return None
    line = memoryview(backend.contiguous(x).buffer)[: x.shape[0]]
    wrapped = [(n + 2**63) % 2**64 - 2**63 for n in accumulate(line)]
    return (backend.upload(wrapped, x.shape, x.dtype),)


OPS = {"cumsum": cumsum}
