"""Reductions of many elements into few: many threads each take a part, then again.

One thread for each result would leave a GPU idle. While a reduction has few results
over many elements, a stage of partial results is put before it, by one kernel for
every op that has `combine`.
"""

from __future__ import annotations

from ..backend.base import Handle
from ..dtypes import float16, float32
from ..expr import call, cast, literal, where
from ..kernel.lower import reduction_layouts
from ..ops.record import Aval, Op
from ..shapes import Layout

PART = 64  # elements a thread takes, about
AT_ONCE = 4  # elements loaded in one turn of its loop
SHORT = 512  # fewer are left to one thread
THREADS = 1 << 18  # enough threads; with so many results nothing is split


def lanes(points, length):
    """Into how many parts to split each reduction (1: not at all); a power of two."""
    n = 1
    if length < SHORT:
        return n
    while n * 2 * PART <= length and n * 2 * points <= THREADS:
        n *= 2
    return n


def split(backend, op, x, axes, stages):
    """Return a handle of partial results, reduced by `op` over `axes`, or None.

    x is reduced over `axes`; `stages` caches the op of the partial stage per op.
    Returns (handle, axes) of what remains to be reduced.
    """
    length = points = 1
    for a, n in enumerate(x.shape):
        if a in axes:
            length *= n
        else:
            points *= n
    n = lanes(points, length)
    if n < 2:
        return None
    kept = Layout(tuple([d for a, d in enumerate(x.shape) if a not in axes]))
    whole, out = reduction_layouts([x.layout, kept], axes)
    rank = len(out.shape)
    # Neighbouring threads should read neighbouring elements.
    first = whole.strides[-1] != 1
    shape = (n,) + out.shape if first else out.shape + (n,)
    dtype = float32 if x.dtype is float16 else x.dtype
    stage = stages.get(op)
    if stage is None:
        stage = Op(op.name + "_part", kernel=_kernel(op), attrs=("rank", "n", "first"))
        stages[op] = stage
    view = Handle(x.buffer, whole, x.dtype)
    part = backend.run(stage, (view,), (rank, n, first), (Aval(shape, dtype),))[0]
    layout = Layout((n,) + kept.shape if first else kept.shape + (n,))
    return Handle(part.buffer, layout, dtype), (0 if first else len(kept.shape),)


def _kernel(op):
    name, neutral = op.combine

    def kernel(k, x, out, rank, n, first):
        """out[lane, kept] = combine over every n-th element, from the lane on."""
        c = k.grid(out.shape)
        lane = c[0] if first else c[-1]
        point = c[1:] if first else c[:-1]
        total = literal(1, lane.dtype)
        for size in x.shape[rank:]:
            total = total * size
        nothing = literal(neutral(x.dtype), out.dtype)
        acc = k.cell(nothing)
        with k.loop(total, lane, n * AT_ONCE) as j:
            part = nothing
            for i in range(AT_ONCE):  # loads that do not wait for each other
                place = j if i == 0 else k.let(call("min", j + i * n, total - 1))
                at = point + tuple(_unravel(k, place, x.shape[rank:]))
                value = cast(x[at], out.dtype)
                if i:
                    value = where(j + i * n < total, value, nothing)
                part = call(name, part, value) if i else value
            acc.set(call(name, acc, part))
        out[c] = acc

    return kernel


def _unravel(k, j, shape):
    """Coordinates of element j of a shape, row-major."""
    out = []
    for size in reversed(shape[1:]):
        out.append(k.let(j % size))
        j = k.let(j // size)
    return [j] + list(reversed(out))
