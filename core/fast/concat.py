"""Joining many tensors: by one kernel, or by copies where kernels bind few buffers.

Where only axes of size 1 come before the joined one, every part is one piece of the
result, and a command copies it. Copies take a host's time each; a kernel that binds
all parts takes it once, but browsers allow eight buffers a kernel.
"""

from __future__ import annotations

from ..backend.base import Handle
from ..ops.movement import CONCAT
from ..shapes import Layout, is_contiguous, size
from . import Candidate

LARGE = 4 << 20  # bytes: kernels copy such parts several times as fast
BOUND = 128  # parts of one kernel at most: each point looks for its own


def candidates(op, inputs, attrs, outs, caps):
    """Offer one kernel or copies for `concat_many`; parts by eights are the rest."""
    if len(inputs) < min(caps.limits["maxStorageBuffersPerShaderStage"], BOUND):
        return [Candidate("one kernel", CONCAT, attrs)]
    if size(outs[0].shape[: attrs[0]]) != 1:
        return []
    strewn = 0
    for x in inputs:
        nbytes = size(x.shape) * x.dtype.itemsize
        if nbytes % 4 or nbytes >= LARGE:
            return []
        strewn += not _is_dense(x)
    if strewn * 2 > len(inputs):
        return []  # most would need a kernel each, to begin with
    return [Candidate("copies", run=_copies)]


def _copies(backend, inputs, outs):
    out = outs[0]
    buffer = backend.allocate(size(out.shape), out.dtype)
    at = 0
    for x in inputs:
        nwords = size(x.shape) * x.dtype.itemsize // 4
        if nwords:
            x = _dense(backend, x)
            start = x.layout.offset * x.dtype.itemsize // 4
            backend.copy(x.buffer, start, buffer, at, nwords)
            at += nwords
    return (Handle(buffer, Layout(out.shape), out.dtype),)


def _dense(backend, x):
    """x, or a copy of it, row-major from a whole word on."""
    return x if _is_dense(x) else backend.contiguous(x)


def _is_dense(x):
    layout = x.layout
    whole = layout.offset * x.dtype.itemsize % 4 == 0
    return whole and is_contiguous(layout.shape, layout.strides)
