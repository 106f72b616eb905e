"""Sorting on the GPU: short lines in shared memory, long ones by radix.

Everything yields positions; the values are gathered by them. Stable: equal elements
keep their order, so that the first of them count as the largest in a `topk`.
"""

from __future__ import annotations

from ..ops.record import Aval
from ..shapes import size
from . import Candidate, best
from .bitonic import AGAIN, CHUNKS, MOST, PAIRS, power_of_two
from .radix import argsort

SHORT = 32  # lines up to here are ranked by counting: one small kernel
FEW = 256  # a top-k larger than this is a sort


def candidates(op, inputs, attrs, outs, caps):
    """Offer kernels for `argsort`, `sort_pairs` and `topk_places`."""
    x = inputs[0]
    if x.dtype.bits == 64:  # keys have 32 bits
        return []
    if op.name != "topk_places":
        axis, descending, dtype = attrs
        if x.shape[axis] <= SHORT or size(x.shape) == 0:
            return []
        both = op.name == "sort_pairs"
        return [sorting(x, axis, descending, dtype, caps, values=both)]
    keep, axis, descending, dtype = attrs
    if keep == 0 or size(x.shape) == 0:
        return []
    if keep > FEW and x.shape[axis] > MOST:
        return []
    return [_best(x, keep, axis, descending, dtype)]


def sorting(x, axis, descending, dtype, caps, bits=None, values=False):
    """A Candidate for the positions that sort `x` (shape and dtype matter).

    bits: how many of a long line's keys count; values: they come first.
    """
    n = x.shape[axis]
    if n <= MOST:
        form = (axis, descending, power_of_two(n), n)
        return Candidate("sort in shared memory", PAIRS if values else CHUNKS, form)
    room = caps.limits.get("maxComputeWorkgroupStorageSize", 16384)
    per = 16 if room >= 24576 and n > 65536 else 8

    def run(backend, inputs, outs):
        x = inputs[0]
        return argsort(backend, x, axis, descending, dtype, per, bits, values)

    return Candidate("radix sort", run=run)


def _best(x, keep, axis, descending, dtype):
    """The best of each stretch, then the best of those, until one stretch is left."""
    x = Aval(x.shape, x.dtype)  # candidates are kept: they may not hold a buffer
    n = x.shape[axis]
    first, again, count, form = _stage(n, keep)
    if n <= count:
        return Candidate("best of a line", first, (axis, descending) + form)

    def run(backend, inputs, outs):
        stretches = (n + count - 1) // count
        kept = _kept(x, axis, stretches * keep, dtype)
        order = backend.run(first, inputs, (axis, descending) + form, (kept,))
        while stretches > 1:
            left = stretches * keep
            _, _, many, then = _stage(left, keep)
            stretches = (left + many - 1) // many
            kept = _kept(x, axis, stretches * keep, dtype)
            given = tuple(inputs) + tuple(order)
            order = backend.run(again, given, (axis, descending) + then, (kept,))
        return order

    return Candidate("best of stretches", run=run)


def _stage(n, keep):
    """(op, op for later stages, elements of a stretch, its form) for lines of n."""
    if keep <= best.MOST:
        threads, per = best.shape(n, keep)
        return best.BEST, best.BEST_AGAIN, threads * per, (threads, per, keep)
    count = min(MOST, power_of_two(n))
    return CHUNKS, AGAIN, count, (count, keep)


def _kept(x, axis, n, dtype):
    return Aval(x.shape[:axis] + (n,) + x.shape[axis + 1 :], dtype)
