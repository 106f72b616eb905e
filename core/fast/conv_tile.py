"""Convolutions as products of matrices that are never made (implicit GEMM).

A workgroup computes a tile as in matmul_tile: down are channels of the result, across
are its places (of all pictures) or the weights of a channel, and k runs over channels
and taps, or over places. All ranks, strides, paddings, dilations and groups.

taps   spatial sizes of the weight
by_tap k goes tap by tap (the channels of a group are a multiple of the tile's k), so
       that windows are found once a step; else channel by channel
flat   the weight's elements of one output channel lie side by side, four at a time
exact  (m, n, k) are multiples of the tile's sizes
whole  four places of the output may be stored at once
"""

from __future__ import annotations

from ..expr import call, cast, literal
from .conv_windows import Depth, Windows, behind, count, reach_of, under, unravel
from .matmul_kernels import load
from .matmul_tile import Product, Side, Tile, place_tile


class _Frame:
    """What the three kernels share: the grid, the tile, and this group's channels."""

    def __init__(self, k, tile, groups, m, n, rows, lead=()):
        self.k = k
        k.trusted = True  # places and taps are clamped, windows masked
        self.tile = tile = Tile(*tile)
        self.m, self.n = m, n
        down = (m + (tile.m - 1)) // tile.m
        across = (n + (tile.n - 1)) // tile.n
        c = k.groups(lead + (groups, down * across), tile.threads)
        self.lead, self.group = c[: len(lead)], c[len(lead)]
        i, j = place_tile(k, c[-1], down, across, rows)
        self.row, self.column = k.let(i * tile.m), k.let(j * tile.n)

    def at(self, first, size, exact):
        """`locate` by number, kept inside the matrix."""

        def locate(o):
            return first + o if exact else call("min", first + o, size - 1)

        return locate

    def down(self, exact):
        return self.at(self.row, self.m, exact)

    def across(self, exact):
        return self.at(self.column, self.n, exact)

    def left(self, weights, depth, windows, width, exact):
        """The Side of the weights."""
        row = self.down(exact[0])
        begin = _begin(depth, windows)
        return Side("k", width, lambda o: self.k.let(row(o)), weights, begin=begin)

    def right(self, first, depth, windows, out, exact):
        """The Side of the pictures; `first` moves a place of the output to where its
        window begins."""
        k = self.k
        column = self.across(exact[1])

        def locate(o):
            n, *at = unravel(k, column(o), (0,) + tuple(out.shape[2:]))
            return n, first(at)

        def read(place, kk):
            one, tap = depth.split(kk)
            channel = k.let(self.group * depth.channels + one)
            return [windows.read((place[0], channel), place[1], tap)]

        return Side("o", 1, locate, read, begin=_begin(depth, windows))

    def results(self, product, exact, put):
        """Call put(row, first column, cells, number) for what lies inside, by fours."""
        k = self.k
        columns = [k.let(self.column + c) for c in product.columns()]
        for r, cells in product.rows():
            row = k.let(self.row + r)
            if exact[0]:
                self._line(row, cells, columns, put)
                continue
            with k.when(row < self.m):
                self._line(row, cells, columns, put)

    def _line(self, row, cells, columns, put):
        for j, column in enumerate(columns):
            put(row, column, cells[4 * j : 4 * j + 4], j)


def _begin(depth, windows):
    def begin(at):
        depth.begin(at)
        windows.known = {}

    return begin


def forward(
    k, x, w, out, stride, padding, dilation, groups, taps, tile, by_tap, flat, exact,
    whole, rows,
):  # fmt: skip
    """out[n, o, p] = sum of x[n, c, place under p and a tap] * w[o, c, tap]."""
    mine = out.shape[1] // groups
    f = _Frame(k, tile, groups, mine, out.shape[0] * count(out.shape[2:]), rows)
    depth = Depth(k, w.shape[1], taps, by_tap)
    windows = Windows(k, x, under(k, x, padding, dilation))
    four = flat and hasattr(w, "flat_index")

    def weights(o, kk):
        o = f.group * mine + o
        if four:
            zeros = (0,) * len(taps)
            at = (kk,) + zeros if count(taps) == 1 else zeros + (kk,)
            return load(w, (o,) + at, 4, -1)
        one, tap = depth.split(kk)
        return [w[(o, one) + tuple(tap)]]

    def first(at):
        return [k.let(p * s) for p, s in zip(at, stride)]

    left = f.left(weights, depth, windows, 4 if four else 1, exact)
    right = f.right(first, depth, windows, out, exact)
    product = Product(k, f.tile)
    product.run(left, right, literal(0, f.n.dtype), depth.size(), exact[2])
    _put_places(f, product, out, mine, exact, whole)


def to_input(
    k, g, w, out, size, stride, padding, dilation, groups, taps, tile, by_tap, flat,
    exact, whole, rows,
):  # fmt: skip
    """The gradient by x: each place gathers from the outputs whose windows hold it."""
    mine, sources = w.shape[1], g.shape[1] // groups
    f = _Frame(k, tile, groups, mine, out.shape[0] * count(out.shape[2:]), rows)
    depth = Depth(k, sources, taps, by_tap)
    reach, shift = reach_of(taps, stride, padding, dilation)
    windows = Windows(k, g, behind(k, g, stride, reach))

    def weights(c, kk):
        one, tap = depth.split(kk)
        real = tuple([n - 1 - t for n, t in zip(taps, tap)])
        return [w[(f.group * sources + one, c) + real]]

    def first(at):
        return [k.let(p + s) for p, s in zip(at, shift)]

    left = f.left(weights, depth, windows, 1, exact)
    right = f.right(first, depth, windows, out, exact)
    product = Product(k, f.tile)
    product.run(left, right, literal(0, f.n.dtype), depth.size(), exact[2])
    _put_places(f, product, out, mine, exact, whole)


def _put_places(f, product, out, mine, exact, whole):
    """Store results whose columns are places of pictures."""
    k = f.k
    sizes = (0,) + tuple(out.shape[2:])
    places = {}  # number of a column of this thread -> its picture and place
    for j, first in enumerate(product.columns()):
        for i in range(1 if whole else 4):
            places[4 * j + i] = unravel(k, k.let(f.column + first + i), sizes)

    def put(row, column, cells, j):
        channel = k.let(f.group * mine + row)
        for i in range(1 if whole else 4):
            place = places[4 * j + i]
            at = (place[0], channel) + tuple(place[1:])
            with _inside(k, None if exact[1] else column + i, f.n):
                if whole:
                    out.put_wide(at, [cast(c, out.dtype) for c in cells])
                else:
                    out[at] = cast(cells[i], out.dtype)

    f.results(product, exact, put)


class _Always:
    """`with` target for what needs no condition."""

    def __enter__(self):
        return None

    def __exit__(self, *error):
        return None


def _inside(k, at, size):
    return _Always() if at is None else k.when(at < size)


def to_weight(
    k, x, g, out, size, stride, padding, dilation, groups, taps, tile, exact, rows,
    split,
):  # fmt: skip
    """The gradient by w: for each weight a sum over the places of all pictures."""
    lead = out.shape[:1] if split > 1 else ()
    shape = out.shape[1:] if split > 1 else out.shape
    mine, channels = shape[0] // groups, shape[1]
    f = _Frame(k, tile, groups, mine, channels * count(taps), rows, lead)
    depth = x.shape[0] * count(g.shape[2:])
    start, stop = literal(0, f.n.dtype), depth
    if split > 1:
        step = f.tile.turn * split
        part = k.let((depth + (step - 1)) // step * f.tile.turn)
        start = k.let(call("min", f.lead[0] * part, depth))
        stop = k.let(call("min", start + part, depth))
    windows = Windows(k, x, under(k, x, padding, dilation))
    spots = {}  # id of an index along k -> (it, picture, place)

    def spot(kk):
        if id(kk) not in spots:
            n, *at = unravel(k, kk, (0,) + tuple(g.shape[2:]))
            moved = [k.let(p * s) for p, s in zip(at, stride)]
            spots[id(kk)] = (kk, n, tuple(at), moved)
        return spots[id(kk)][1:]

    def grads(o, kk):
        n, at, _ = spot(kk)
        return [g[(n, o) + at]]

    def weight(o):
        channel, *tap = unravel(k, f.across(exact[1])(o), (0,) + tuple(taps))
        return k.let(f.group * channels + channel), tap

    def pixels(place, kk):
        n, _, moved = spot(kk)
        return [windows.read((n, place[0]), moved, place[1])]

    lowest = f.down(exact[0])
    lanes = f.tile.k
    left = Side("k", 1, lambda o: k.let(f.group * mine + lowest(o)), grads, lanes)
    right = Side("k", 1, weight, pixels, lanes)
    product = Product(k, f.tile)
    product.run(left, right, start, stop, exact[2])

    def put(row, column, values, j):
        for i, v in enumerate(values):
            at = k.let(column + i)
            with _inside(k, None if exact[1] else at, f.n):
                channel, *tap = unravel(k, at, (0,) + tuple(taps))
                place = (k.let(f.group * mine + row), channel) + tuple(tap)
                out[f.lead + place] = cast(v, out.dtype)

    f.results(product, exact, put)
