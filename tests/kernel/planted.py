"""Kernels with one bug each, marked `# BUG`, and the same kernels without it.

Every function takes `fixed`: Python decides while tracing which of the two it is.
A race has two places: the other one is marked `# WITH`.
"""

from __future__ import annotations

from fogo.dtypes import float32, int32
from fogo.expr import call, cast


def neighbour(k, x, out, fixed):
    """The difference to the next element: the last one has none."""
    (i,) = k.grid(out.shape)
    if fixed:
        after = x[call("min", i + 1, x.shape[0] - 1)]
    else:
        after = x[i + 1]  # BUG
    out[i] = after - x[i]


def tail(k, x, out, fixed):
    """Four elements a thread: the last thread has fewer."""
    (i,) = k.grid(((x.shape[0] + 3) // 4,))
    for j in range(4):
        place = i * 4 + j
        if fixed:
            with k.when(place < x.shape[0]):
                out[place] = x[place]
        else:
            value = x[call("min", place, x.shape[0] - 1)]
            out[place] = value  # BUG


def halo(k, x, out, fixed):
    """A tile with a neighbour on each side, in shared memory made too small."""
    (tile,) = k.groups(((x.shape[0] + 15) // 16,), 16)
    row = k.shared(float32, 18 if fixed else 17)
    last = x.shape[0] - 1
    first = call("max", tile * 16 + k.local - 1, 0)
    row[k.local] = x[call("min", first, last)]
    with k.when(k.local < 2):
        spare = x[call("min", tile * 16 + k.local + 15, last)]
        row[k.local + 16] = spare  # BUG
    k.barrier()
    here = tile * 16 + k.local
    with k.when(here <= last):
        left = row[k.local]
        right = row[call("min", k.local + 2, row.size - 1)]
        out[here] = left + right


def reversal(k, x, out, fixed):
    """Threads read what others wrote, at once."""
    (g,) = k.groups((1,), 32)
    line = k.shared(float32, 32)
    line[k.local] = x[k.local]  # WITH
    if fixed:
        k.barrier()
    out[k.local] = line[31 - k.local]  # BUG


def tree(k, x, out, fixed):
    """A tree of sums whose steps do not wait for each other."""
    (row,) = k.groups(out.shape, 32)
    parts = k.shared(float32, 32)
    parts[k.local] = x[row, k.local]
    k.barrier()
    for half in (16, 8, 4, 2, 1):
        with k.when(k.local < half):
            other = parts[k.local + half]  # BUG
            parts[k.local] = parts[k.local] + other  # WITH BUG
        if fixed:
            k.barrier()
    with k.when(k.local == 0):
        out[row] = parts[0]


def tiles(k, x, out, fixed):
    """A tile is loaded while slow threads still read the one before."""
    (g,) = k.groups((1,), 16)
    tile = k.shared(float32, 16)
    total = k.cell(0.0, float32)
    with k.loop(x.shape[0]) as t:
        tile[k.local] = x[t, k.local]  # WITH
        k.barrier()
        with k.loop(16) as j:
            total.set(total + tile[j])  # BUG
        if fixed:
            k.barrier()
    with k.when(k.local == 0):
        out[0] = total


def histogram(k, x, out, fixed):
    """Points of the grid add to the same elements of a buffer, one at a time."""
    (i,) = k.groups(out.shape, 1)
    (g,) = k.coords
    total = k.shared(int32, 1)
    with k.when(k.local == 0):
        total[0] = 0
    k.barrier()
    with k.loop(x.shape[0]) as j:
        hit = cast(x[j] == cast(g, int32), int32)
        total[0] = total[0] + hit
    k.barrier()
    if fixed:
        out[i] = total[0]
    else:
        out[0] = total[0]  # BUG


def first_part(k, x, out, fixed):
    """Half of the shared memory is never filled."""
    (g,) = k.groups((1,), 16)
    line = k.shared(float32, 32)
    line[k.local] = x[k.local]
    if fixed:
        line[k.local + 16] = x[k.local + 16]
    k.barrier()
    out[k.local] = line[k.local] + line[k.local + 16]  # BUG


def running(k, x, out, fixed):
    """An output that is added to before anything was stored there."""
    (i,) = k.grid(out.shape)
    if fixed:
        out[i] = 0.0
    with k.loop(x.shape[1]) as j:
        out[i] = out[i] + x[i, j]  # BUG


def branch(k, x, out, fixed):
    """A value bound in a branch and used behind it."""
    (i,) = k.grid(out.shape)
    if fixed:
        value = k.cell(0.0, float32)
        with k.when(x[i] > 0.0):
            value.set(x[i] * 2.0)
    else:
        with k.when(x[i] > 0.0):
            value = k.let(x[i] * 2.0)
    out[i] = value  # BUG


def guarded(k, x, out, fixed):
    """A barrier that the threads beyond the end do not reach."""
    (g,) = k.groups((1,), 32)
    line = k.shared(float32, 32)
    n = x.shape[0]
    line[k.local] = x[call("min", k.local, n - 1)]
    if fixed:
        k.barrier()
    with k.when(k.local < n):
        if not fixed:
            k.barrier()  # BUG
        out[k.local] = line[k.local]


def unequal(k, x, out, fixed):
    """A loop with a barrier that takes threads a different number of turns."""
    (g,) = k.groups((1,), 16)
    line = k.shared(float32, 16)
    line[k.local] = x[k.local]
    k.barrier()
    start = 0 if fixed else k.local
    with k.loop(16, start, 8):
        with k.when(k.local >= 8):
            line[k.local] = line[k.local] + 1.0
        k.barrier()  # BUG
    out[k.local] = line[k.local]


def by_data(k, x, out, fixed):
    """A barrier under a condition that the data make: equal here, but who knows."""
    (g,) = k.groups((1,), 16)
    line = k.shared(float32, 16)
    line[k.local] = x[k.local]
    k.barrier()
    if fixed:
        chosen = k.uniform_load(line, 0)
    else:
        chosen = line[0]
    with k.when(chosen > 0.0):
        k.barrier()  # BUG
        line[k.local] = line[k.local] * 2.0
    out[k.local] = line[k.local]
