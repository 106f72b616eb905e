"""The second kernel of a split sum: adds up the parts, always in the same order."""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast
from ..ops.record import Aval, Op
from . import Candidate

PLACES, SLICES = 32, 8  # results of a group, and threads that share one
AT_ONCE = 4  # loads of a thread that do not wait for each other


def _total(k, parts, out, count):
    """out = the sum of `count` parts over their first axis."""
    size = 1
    for n in out.shape:
        size = n * size
    slices = min(SLICES, count)
    groups = (size + (PLACES - 1)) // PLACES
    (group,) = k.groups((groups,), PLACES * slices)
    place = k.let(group * PLACES + k.local % PLACES)
    at = _unravel(k, k.let(call("min", place, size - 1)), out.shape)
    mine = k.let(k.local // PLACES)
    acc = k.cell(0.0, float32)
    for first in range(0, count, slices * AT_ONCE):
        values = []
        for i in range(first, min(first + slices * AT_ONCE, count), slices):
            part = k.let(mine + i)
            if i + slices > count:
                part = k.let(call("min", part, count - 1))
            value = cast(parts[(part,) + at], float32)
            if i + slices > count:
                value = call("where", mine + i < count, value, 0.0)
            values.append(value)
        total = acc
        for v in values:
            total = total + v
        acc.set(total)
    _fold(k, acc, slices)
    with k.when((mine < 1) & (place < size)):
        out[at] = cast(acc, out.dtype)


def _fold(k, acc, slices):
    """Bring the sums of all slices to the first one."""
    if slices == 1:
        return
    shared = k.shared(float32, PLACES * slices)
    shared[k.local] = acc
    k.barrier()
    with k.when(k.local < PLACES):
        total = acc
        for i in range(1, slices):
            total = total + shared[k.local + i * PLACES]
        acc.set(total)


def _unravel(k, index, shape):
    out = []
    for n in reversed(shape[1:]):
        rest = k.let(index // n)
        out.append(k.let(index - rest * n))
        index = rest
    return (index,) + tuple(reversed(out))


TOTAL = Op("matmul_total", kernel=_total, attrs=("count",))


def in_parts(name, op, attrs, split, out):
    """A Candidate of two kernels: sums over parts of k by `op`, then their sum."""
    parts = Aval((split,) + tuple(out.shape), float32)
    last = (TOTAL, (split,), (Aval(out.shape, out.dtype),))
    return Candidate(name, stages=[(op, attrs, (parts,)), last])
