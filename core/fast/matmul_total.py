"""The second kernel of a split sum: adds up the parts, always in the same order."""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast
from ..ops.record import Aval, Op
from . import Candidate

THREADS = 128  # of a group
ALONE = 8  # parts that a thread adds up itself: their loads are under way at once
SLICES = 8  # threads that share a result, of which there are more parts
AT_ONCE = 8  # loads of a thread that do not wait for each other


def _total(k, parts, out, count, width):
    """out = the sum of `count` parts over their first axis, `width` results a thread.

    width   4 where the last axis is a multiple of it, else 1
    """
    size = 1
    for n in out.shape:
        size = n * size
    slices = 1 if count <= ALONE else SLICES
    places = THREADS // slices * (1 if slices == 1 else 2)
    groups = (size + (places * width - 1)) // (places * width)
    (group,) = k.groups((groups,), places * slices)
    k.trusted = True  # what lies behind the end is clamped, or not stored
    mine, lane = (0, k.local)
    if slices > 1:
        mine, lane = k.let(k.local // places), k.let(k.local % places)
    place = k.let((group * places + lane) * width)
    at = _unravel(k, place, out.shape)
    sums = _sum(k, parts, at, count, width, mine, slices)
    if slices == 1:
        with k.when(place < size):
            _put(out, at, sums)
        return
    shared = k.shared(float32, places * slices * width)
    _keep(shared, k.local * width, sums)
    k.barrier()
    with k.when((mine < 1) & (place < size)):
        for i in range(1, slices):
            more = _again(shared, (lane + i * places) * width, width)
            sums = [a + b for a, b in zip(sums, more)]
        _put(out, at, sums)


def _sum(k, parts, at, count, width, mine, slices):
    """The sums over every slices-th part, from `mine` on."""
    acc = [k.cell(0.0, float32) for _ in range(width)]
    for first in range(0, count, slices * AT_ONCE):
        rows = []
        for i in range(first, min(first + slices * AT_ONCE, count), slices):
            part = k.let(mine + i) if slices > 1 else i
            beyond = slices > 1 and i + slices > count
            here = k.let(call("min", part, count - 1)) if beyond else part
            values = [cast(v, float32) for v in _load(parts, (here,) + at, width)]
            if beyond:
                values = [call("where", part < count, v, 0.0) for v in values]
            rows.append(values)
        for values in rows:
            for cell, v in zip(acc, values):
                cell.set(cell + v)
    return acc


def _load(parts, at, width):
    return parts.wide(at, 4) if width == 4 else [parts[at]]


def _put(out, at, values):
    values = [cast(v, out.dtype) for v in values]
    if len(values) == 4:
        out.put_wide(at, values)
    else:
        out[at] = values[0]


def _keep(shared, at, values):
    if len(values) == 4:
        shared.put_wide(at, values)
    else:
        shared[at] = values[0]


def _again(shared, at, width):
    return shared.wide(at, 4) if width == 4 else [shared[at]]


def _unravel(k, index, shape):
    """The coordinates of a place; of one behind the end, some inside."""
    out = []
    for n in reversed(shape[1:]):
        rest = k.let(index // n)
        out.append(k.let(index - rest * n))
        index = rest
    return (k.let(call("min", index, shape[0] - 1)),) + tuple(reversed(out))


TOTAL = Op("matmul_total", kernel=_total, attrs=("count", "width"))


def in_parts(name, op, attrs, split, out):
    """A Candidate of two kernels: sums over parts of k by `op`, then their sum."""
    parts = Aval((split,) + tuple(out.shape), float32)
    width = 4 if out.shape[-1] % 4 == 0 else 1
    last = (TOTAL, (split, width), (Aval(out.shape, out.dtype),))
    return Candidate(name, stages=[(op, attrs, (parts,)), last])
