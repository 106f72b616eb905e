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
    k.trusted = True  # places are clamped, unless `exact` says that all are inside
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
        step = tile.turn * split
        part = k.let((depth + (step - 1)) // step * tile.turn)
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
    """Write the results, in a loop: see `in_turns`."""
    columns = [k.let(column + c) for c in product.columns()]

    def lines(rows):
        placed = []
        for r, cells in rows:
            here = k.let(row + r)
            for j, at in enumerate(columns):
                placed.append((lead + (here, at), cells[4 * j : 4 * j + 4]))
        if exact[0] and exact[1] and exact[3]:
            put_all(out, placed)
            return
        for at, values in placed:
            if exact[0]:
                store(k, out, at[:-1], at[-1], values, n, exact[1], exact[3])
            else:
                with k.when(at[-2] < m):
                    store(k, out, at[:-1], at[-1], values, n, exact[1], exact[3])

    product.in_turns(m, 1 if getattr(out, "reads", 0) > 1 else 2, lines)


def put_all(out, placed):
    """Write fours of neighbours, (coordinates, values) each."""
    typed = [(at, [cast(v, out.dtype) for v in values]) for at, values in placed]
    if hasattr(out, "put_all"):
        out.put_all(typed)
        return
    for at, values in typed:
        out.put_wide(at, values)


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
    left = _Lines(k, x, c[:-2], c[-2] * rm, rm, m, exact[0], sides[0], False)
    right = _Lines(k, y, c[:-2], c[-1] * rn, rn, n, exact[1], sides[1], True)
    acc = [[k.cell(0.0, float32) for _ in range(rn)] for _ in range(rm)]

    def steps(kk, count):
        for a, b in zip(left.get(kk, count), right.get(kk, count)):
            for cells, u in zip(acc, a):
                for cell, v in zip(cells, b):
                    cell.set(cell + u * v)

    whole = k.let(depth // unroll * unroll)
    with k.loop(whole, 0, unroll) as kk:
        steps(kk, unroll)
    if unroll > 1:
        with k.loop(depth, whole) as kk:
            steps(kk, 1)
    batch = c[:-2]
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


class _Lines:
    """Some rows of x or columns of y, as one thread reads them."""

    def __init__(self, k, array, batch, first, count, size, exact, how, swapped):
        self.k, self.array, self.batch, self.swapped = k, array, batch, swapped
        self.along = how[0] if how[1] == 4 else None
        if self.along == "o" and count % 4:
            self.along = None
        self.width = 4 if self.along == "o" else 1
        self.places = []
        for i in range(0, count, self.width):
            at = first + i
            last = size - self.width
            self.places.append(k.let(at if exact else call("min", at, last)))

    def get(self, kk, count):
        """For each of `count` k from kk on, the elements of all lines as float32."""
        if self.along == "k" and count % 4 == 0:
            return self._along_k(kk, count)
        out = []
        for i in range(count):
            here = self.k.let(kk + i)
            line = []
            for place in self.places:
                line += self._load(place, here, self.width, "o")
            out.append(line)
        return out

    def _along_k(self, kk, count):
        out = [[] for _ in range(count)]
        for place in self.places:
            for i in range(0, count, 4):
                for j, v in enumerate(self._load(place, kk + i, 4, "k")):
                    out[i + j].append(v)
        return out

    def _load(self, place, kk, width, along):
        at = self.batch + ((kk, place) if self.swapped else (place, kk))
        axis = -1 if (along == "k") != self.swapped else -2
        return [cast(v, float32) for v in load(self.array, at, width, axis)]
