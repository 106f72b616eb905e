"""Joining many tensors: by one kernel, or by copies where kernels bind few buffers.

Where only axes of size 1 come before the joined one, every part is one piece of the
result, and a command copies it. Copies take a host's time each; a kernel that binds
all parts takes it once, but browsers allow eight buffers a kernel. Where the last axis
is not the joined one, a thread may copy four neighbours at once.
"""

from __future__ import annotations

from ..backend.base import Handle
from ..expr import INDEX, literal
from ..kernel.lower import aligned
from ..ops.movement import CONCAT
from ..ops.record import Op
from ..shapes import Layout, is_contiguous, size
from . import Candidate

LARGE = 4 << 20  # bytes: kernels copy such parts several times as fast
BOUND = 128  # parts of one kernel at most: each point looks for its own
WIDE = 4  # elements of one load


def _wide_kernel(k, *args):
    """out = the parts side by side, four neighbours a point."""
    axis = args[-1]
    parts, out = args[:-2], args[-2]
    c = k.grid(out.shape[:-1] + (out.shape[-1] // WIDE,))
    at = c[:-1] + (c[-1] * WIDE,)
    start = literal(0, INDEX)
    for x in parts:
        j = at[axis] - start
        start = start + x.shape[axis]
        with k.when((j >= 0) & (at[axis] < start)):
            out.put_wide(at, x.wide(at[:axis] + (j,) + at[axis + 1 :], WIDE))


CONCAT_WIDE = Op("concat_wide", kernel=_wide_kernel, attrs=("axis",))


def _is_wide(inputs, axis):
    """Say whether every part can be read four at a time along the last axis."""
    if axis == len(inputs[0].shape) - 1:
        return False
    for x in inputs:
        if x.dtype.bits != 32 or not aligned(x.layout, WIDE):
            return False
    return True


def candidates(op, inputs, attrs, outs, caps):
    """Offer one kernel or copies for `concat_many`; parts by eights are the rest."""
    if op is CONCAT:
        wide = _is_wide(inputs, attrs[0])
        return [Candidate("wide", CONCAT_WIDE, attrs)] if wide else []
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
