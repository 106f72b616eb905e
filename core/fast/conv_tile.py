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

from ..expr import call, cast, literal, where
from .matmul_kernels import load
from .matmul_tile import Product, Side, Tile, place_tile


def count(sizes):
    """The product of sizes: Python ints or Exprs."""
    total = 1
    for n in sizes:
        total = n * total
    return total


def unravel(k, index, sizes):
    """Coordinates of element `index` of a shape, row-major; the first is unbounded."""
    out = []
    for n in reversed(sizes[1:]):
        rest = k.let(index // n)
        out.append(k.let(index - rest * n))
        index = rest
    return [index] + list(reversed(out))


class Depth:
    """What a place along k stands for: a channel of the group, and a tap."""

    def __init__(self, k, channels, taps, by_tap):
        self.k = k
        self.channels = channels
        self.taps = taps
        self.by_tap = by_tap
        self.known = {}  # id of an index -> (it, what it stands for)

    def begin(self, at):
        """A step begins: with `by_tap` it is of one tap."""
        if id(at) in self.known:
            return
        self.known = {id(at): (at, None)}
        if self.by_tap:
            tap = self.k.let(at // self.channels)
            self.skipped = self.k.let(tap * self.channels)
            self.tap = unravel(self.k, tap, self.taps)

    def split(self, kk):
        """(channel, tap) of one place."""
        if self.by_tap:
            return kk - self.skipped, self.tap
        found = self.known.get(id(kk))
        if found is None:
            channel = self.k.let(kk // count(self.taps))
            rest = self.k.let(kk - channel * count(self.taps))
            found = (kk, (channel, unravel(self.k, rest, self.taps)))
            self.known[id(kk)] = found
        return found[1]


class Windows:
    """Finds the elements of a picture under the taps, 0 outside; remembers them."""

    def __init__(self, k, array, find):
        self.k = k
        self.array = array
        self.find = find  # (place along an axis, tap, axis) -> (index, condition)
        self.known = {}

    def read(self, lead, places, taps):
        key = (id(places), id(taps))
        found = self.known.get(key)
        if found is None:
            found = self._find(places, taps) + (places, taps)
            self.known[key] = found
        at, inside = found[:2]
        value = self.array[lead + at]
        return value if inside is None else where(inside, value, 0.0)

    def _find(self, places, taps):
        at, inside = [], None
        for axis, (place, tap) in enumerate(zip(places, taps)):
            index, here = self.find(place, tap, axis)
            at.append(index)
            if here is not None:
                inside = here if inside is None else inside & here
        if inside is not None:
            inside = self.k.let(inside)
            at = [where(inside, i, 0) for i in at]
        return tuple([self.k.let(i) for i in at]), inside


def under(k, array, padding, dilation):
    """Find in the input: from the first place of a window (places are moved up by
    the padding) to that of a tap."""

    def find(place, tap, axis):
        before, after = padding[axis]
        size = array.shape[axis + 2]
        at = k.let(place + tap * dilation[axis] - before)
        inside = at >= 0 if before > 0 else None
        if after > 0:
            below = at < size
            inside = below if inside is None else inside & below
        return at, inside

    return find


def behind(k, array, stride, reach):
    """Find in the output: what a tap, counted from the last one, took from a place.

    reach: per axis (dilation, places ahead of the first output, a multiple of stride).
    """

    def find(place, tap, axis):
        step, (dilation, ahead) = stride[axis], reach[axis]
        at = k.let(place + tap * dilation)
        out = at if step == 1 else k.let(at // step)
        index = out - ahead // step
        inside = (index >= 0) & (index < array.shape[axis + 2])
        if step > 1:
            inside = inside & call("eq", out * step, at)
        return index, inside

    return find


class _Frame:
    """What the three kernels share: the grid, the tile, and this group's channels."""

    def __init__(self, k, tile, groups, m, n, rows, lead=()):
        self.k = k
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


def forward(
    k, x, w, out, stride, padding, dilation, groups, taps, tile, by_tap, flat, exact,
    whole, rows,
):  # fmt: skip
    """out[n, o, p] = sum of x[n, c, place under p and a tap] * w[o, c, tap]."""
    rank = len(taps)
    mine, channels = out.shape[1] // groups, w.shape[1]
    f = _Frame(k, tile, groups, mine, out.shape[0] * count(out.shape[2:]), rows)
    depth = Depth(k, channels, taps, by_tap)
    windows = Windows(k, x, under(k, x, padding, dilation))

    def weights(o, kk):
        if flat and hasattr(w, "flat_index"):
            at = (kk,) + (0,) * rank if count(taps) == 1 else (0,) * rank + (kk,)
            return load(w, (o,) + at, 4, -1)
        one, tap = depth.split(kk)
        return [w[(o, one) + tuple(tap)]]

    def column(o):
        n, *at = unravel(k, f.across(exact[1])(o), (0,) + tuple(out.shape[2:]))
        return n, [k.let(p * s) for p, s in zip(at, stride)]

    def pixels(place, kk):
        one, tap = depth.split(kk)
        channel = k.let(f.group * channels + one)
        return [windows.read((place[0], channel), place[1], tap)]

    def begin(at):
        depth.begin(at)
        windows.known = {}

    width = 4 if flat and hasattr(w, "flat_index") else 1
    lowest = f.down(exact[0])
    left = Side(
        "k", width, lambda o: k.let(f.group * mine + lowest(o)), weights, begin=begin
    )
    right = Side("o", 1, column, pixels, begin=begin)
    product = Product(k, f.tile)
    product.run(left, right, literal(0, f.n.dtype), channels * count(taps), exact[2])
    _put_places(f, product, out, mine, exact, whole)


def to_input(
    k, g, w, out, size, stride, padding, dilation, groups, taps, tile, by_tap, flat,
    exact, whole, rows,
):  # fmt: skip
    """The gradient by x: each place gathers from the outputs whose windows hold it."""
    mine, count_out = w.shape[1], g.shape[1] // groups
    f = _Frame(k, tile, groups, mine, out.shape[0] * count(out.shape[2:]), rows)
    depth = Depth(k, count_out, taps, by_tap)
    reach, shift = _reach(taps, stride, padding, dilation)
    windows = Windows(k, g, behind(k, g, stride, reach))

    def weights(c, kk):
        one, tap = depth.split(kk)
        real = tuple([n - 1 - t for n, t in zip(taps, tap)])
        return [w[(f.group * count_out + one, c) + real]]

    def column(o):
        n, *at = unravel(k, f.across(exact[1])(o), (0,) + tuple(out.shape[2:]))
        return n, [k.let(p + s) for p, s in zip(at, shift)]

    def pixels(place, kk):
        one, tap = depth.split(kk)
        channel = k.let(f.group * count_out + one)
        return [windows.read((place[0], channel), place[1], tap)]

    def begin(at):
        depth.begin(at)
        windows.known = {}

    lowest = f.down(exact[0])
    left = Side("k", 1, lambda o: k.let(lowest(o)), weights, begin=begin)
    right = Side("o", 1, column, pixels, begin=begin)
    product = Product(k, f.tile)
    product.run(left, right, literal(0, f.n.dtype), count_out * count(taps), exact[2])
    _put_places(f, product, out, mine, exact, whole)


def _reach(taps, stride, padding, dilation):
    """Per axis (dilation, multiple of stride that keeps places positive), and what to
    add to a place so that counting taps from the last one adds their dilation."""
    reach, shift = [], []
    for n, s, (before, _), d in zip(taps, stride, padding, dilation):
        ahead = ((n - 1) * d + s - 1) // s * s
        reach.append((d, ahead))
        shift.append(before + ahead - (n - 1) * d)
    return reach, shift


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
        step = f.tile.k * split
        part = k.let((depth + (step - 1)) // step * f.tile.k)
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
