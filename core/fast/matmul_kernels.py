"""Matrix products on GPUs: tiled by shared memory, or by registers alone.

All take x [..., M, K] and y [..., K, N], views as they come, and give out [..., M, N];
sums are float32. `sides` says for x and y how they are read: ("k", 4) by four
neighbours along k, ("o", 1) one by one with neighbouring threads along the other axis.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast, literal
from .matmul_tile import Product, Side, Tile, place_tile


def tiled(k, x, y, out, tile, sides, exact, rows, split):
    """A tile of the output for each workgroup.

    tile    the arguments of Tile
    exact   (m, n, k): which sizes are multiples of the tile's; (…, …, …, True) where
            four columns of the output may be stored at once
    rows    tiles down that are taken together: see place_tile
    split   parts of k, each an element of a first axis of the output (1: no such axis)
    """
    tile = Tile(*tile)
    m, n, depth = out.shape[-2], out.shape[-1], x.shape[-1]
    tiles_m = (m + (tile.m - 1)) // tile.m
    tiles_n = (n + (tile.n - 1)) // tile.n
    c = k.groups(out.shape[:-2] + (tiles_m * tiles_n,), tile.threads)
    lead = c[:-1]
    batch = lead[1:] if split > 1 else lead
    down, across = place_tile(k, c[-1], tiles_m, tiles_n, rows)
    row, column = k.let(down * tile.m), k.let(across * tile.n)
    start, stop = literal(0, depth.dtype), depth
    if split > 1:
        part = k.let((depth + (tile.k * split - 1)) // (tile.k * split) * tile.k)
        start = k.let(lead[0] * part)
        stop = k.let(call("min", start + part, depth))
    left = side_of(k, x, batch, row, m, sides[0], exact[0], False)
    right = side_of(k, y, batch, column, n, sides[1], exact[1], True)
    product = Product(k, tile)
    product.run(left, right, start, stop, exact[2])
    _store(k, out, lead, product, row, column, m, n, exact)


def side_of(k, array, batch, first, size, how, exact, swapped, make=Side):
    """The Side of one matrix; `swapped`: its rows are k."""
    along, width = how
    axis = -1 if (along == "k") != swapped else -2

    def locate(o):
        if exact:
            return k.let(first + o)
        last = width if along == "o" else 1  # of the elements read at once
        return k.let(call("min", first + o, size - last))

    def read(place, kk):
        at = batch + ((kk, place) if swapped else (place, kk))
        return load(array, at, width, axis)

    return make(along, width, locate, read)


def load(array, at, width, axis):
    """`width` elements of an array from `at` on, along its last axis or the other."""
    if width == 1:
        return [array[at]]
    if axis == -1:
        return array.wide(at, width)
    return array.wide(at, width, axis)


def _store(k, out, lead, product, row, column, m, n, exact):
    columns = [k.let(column + c) for c in product.columns()]
    for r, cells in product.rows():
        here = k.let(row + r)

        def line(here=here, cells=cells):
            for j, at in enumerate(columns):
                values = cells[4 * j : 4 * j + 4]
                store(k, out, lead + (here,), at, values, n, exact[1], exact[3])

        if exact[0]:
            line()
        else:
            with k.when(here < m):
                line()


def store(k, out, lead, at, values, n, exact, whole):
    """Write neighbours of a row; exact: all lie in it; whole: at once."""
    values = [cast(v, out.dtype) for v in values]
    if whole:
        if exact:
            out.put_wide(lead + (at,), values)
        else:
            with k.when(at < n):
                out.put_wide(lead + (at,), values)
        return
    for i, v in enumerate(values):
        here = at + i
        if exact:
            out[lead + (here,)] = v
        else:
            with k.when(here < n):
                out[lead + (here,)] = v


def registers(k, x, y, out, rm, rn, sides, exact, unroll):
    """rm by rn results for each thread, and no shared memory: for CPUs that play GPU.

    sides is as in `tiled`, of which only what is read by fours counts; unroll: k at
    once, a multiple of 4 where x is read by fours along k. Sizes not `exact` (m, n,
    whole) read their last row or column again.
    """
    m, n, depth = out.shape[-2], out.shape[-1], x.shape[-1]
    c = k.grid(out.shape[:-2] + ((m + (rm - 1)) // rm, (n + (rn - 1)) // rn))
    batch = c[:-2]
    rows = _places(k, c[-2] * rm, rm, m, exact[0], 1)
    wide_n = 4 if sides[1] == ("o", 4) and rn % 4 == 0 else 1
    columns = _places(k, c[-1] * rn, rn, n, exact[1], wide_n)
    acc = [[k.cell(0.0, float32) for _ in range(rn)] for _ in range(rm)]
    wide_k = sides[0] == ("k", 4) and unroll % 4 == 0

    def steps(kk, count):
        a = _lines(k, x, batch, rows, kk, count, wide_k and count > 1)
        for i in range(count):
            at = k.let(kk + i)
            b = []
            for column in columns:
                b += load(y, batch + (at, column), wide_n, -1)
            for cells, line in zip(acc, a):
                for cell, v in zip(cells, b):
                    cell.set(cell + line[i] * cast(v, float32))

    whole = k.let(depth // unroll * unroll)
    with k.loop(whole, 0, unroll) as kk:
        steps(kk, unroll)
    if unroll > 1:
        with k.loop(depth, whole) as kk:
            steps(kk, 1)
    for i, cells in enumerate(acc):
        row = c[-2] * rm + i

        def line(row=row, cells=cells):
            for j in range(0, rn, 4 if exact[2] else 1):
                values = cells[j : j + (4 if exact[2] else 1)]
                at = k.let(c[-1] * rn + j)
                store(k, out, batch + (k.let(row),), at, values, n, exact[1], exact[2])

        if exact[0]:
            line()
        else:
            with k.when(row < m):
                line()


def _places(k, first, count, size, exact, width):
    out = []
    for i in range(0, count, width):
        at = first + i
        out.append(k.let(at if exact else call("min", at, size - width)))
    return out


def _lines(k, x, batch, rows, kk, count, wide):
    """x at `count` places from kk on, for each row."""
    out = []
    for row in rows:
        line = []
        for i in range(0, count, 4 if wide else 1):
            line += load(x, batch + (row, kk + i), 4 if wide else 1, -1)
        out.append([cast(v, float32) for v in line])
    return out
