"""Pieces of the attention kernels: tiles of rows in shared memory, products of them.

A group's threads stand in a grid, `across` by `down`. A product of two tiles gives each
thread a patch: its rows are `down` apart, its columns `across`. Rows in shared
memory are PAD elements longer than the data, so that threads of neighbouring rows use
other banks.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast, where
from ..kernel.lower import aligned

WIDE = 4
PAD = 4
LOWEST = -float("inf")


class Tile:
    """Sizes of an attention kernel.

    across, down   threads of the group's grid
    rows, columns  of a thread's patch of scores
    head, depth    elements of a query or key, and of a value
    wide           for each array whether it is read or written four at a time
    """

    def __init__(self, numbers, wide, head, depth):
        self.across, self.down, self.rows, self.columns = numbers
        self.threads = self.across * self.down
        self.own = self.down * self.rows  # rows of the group
        self.other = self.across * self.columns  # rows it meets at a time
        self.head = head
        self.depth = depth
        step = WIDE * self.across
        self.head_room = (head + step - 1) // step * step
        self.depth_room = (depth + step - 1) // step * step
        self.wide = wide

    def rows_are_shared(self):
        """Whether each thread has four scores of a row at least, going forward."""
        return self.other * self.own >= WIDE * self.threads

    def forward_bytes(self):
        """Shared memory of the forward kernel."""
        longest = max(self.head_room, self.depth_room) + PAD
        words = self.own * (self.head_room + PAD) + self.other * longest
        words += self.own * (self.other + PAD) + self.own + self.threads
        return words * 4

    def backward_bytes(self):
        """Shared memory of the larger backward kernel."""
        length = self.head_room + self.depth_room + 2 * PAD
        words = (self.own + self.other) * length + 2 * self.own * (self.other + PAD)
        return words * 4


def wide_arrays(layouts, dtypes):
    """For each layout whether its rows can be read four at a time."""
    return tuple(
        [aligned(x, WIDE) and d.bits in (16, 32) for x, d in zip(layouts, dtypes)]
    )


class Room:
    """Rows of an array in shared memory, as float32."""

    def __init__(self, k, tile, rows, width):
        self.k = k
        self.tile = tile
        self.rows = rows
        self.width = width
        self.stride = width + PAD
        self.memory = k.shared(float32, rows * self.stride)

    def fill(self, array, batch, first, size, wide):
        """Copy rows from `first` on, `size` elements each; 0 outside of the array."""
        k = self.k
        chunks = self.width // WIDE
        total = self.rows * chunks
        for start in range(0, total, self.tile.threads):
            at = k.let(k.local + start)
            if start + self.tile.threads <= total:
                self._chunk(array, batch, first, size, wide, at, chunks)
            else:
                with k.when(at < total):
                    self._chunk(array, batch, first, size, wide, at, chunks)

    def _chunk(self, array, batch, first, size, wide, at, chunks):
        k = self.k
        row = k.let(at // chunks)
        left = k.let(at % chunks * WIDE)
        source = first + row
        inside = k.let(source < array.shape[-2])
        coords = batch + (k.let(call("min", source, array.shape[-2] - 1)),)
        if wide:
            if size < self.width:
                inside = inside & (left < size)
            values = array.wide(coords + (call("min", left, size - WIDE),), WIDE)
            fits = [inside] * WIDE
        else:
            places = [call("min", left + i, size - 1) for i in range(WIDE)]
            values = [array[coords + (p,)] for p in places]
            fits = [inside & (left + i < size) for i in range(WIDE)]
        values = [where(f, cast(v, float32), 0.0) for f, v in zip(fits, values)]
        self.memory.put_wide(row * self.stride + left, values)

    def wide(self, row, column):
        """Four neighbours of a row."""
        return self.memory.wide(row * self.stride + column, WIDE)


class Grid:
    """A group's place in the problem, and its threads' in the group."""

    def __init__(self, k, tile, lead, length):
        self.k = k
        self.tile = tile
        self.length = length
        blocks = (length + (tile.own - 1)) // tile.own
        c = k.groups(lead + (blocks,), tile.threads)
        self.batch = c[:-1]
        self.first = k.let(c[-1] * tile.own)
        self.x = k.let(k.local % tile.across)
        self.y = k.let(k.local // tile.across)
        self.rows = [k.let(self.y + tile.down * i) for i in range(tile.rows)]

    def row(self, i):
        """The place in the group of row number i of the thread's patch."""
        return self.rows[i]

    def steps(self, count):
        """A count that compilers do not see, lest they unroll its loop whole."""
        return call("min", count, self.length + count)

    def scores(self, left, right):
        """Products of the group's rows with those of another tile: cells, by rows."""
        k, tile = self.k, self.tile
        cells = self.zeros(tile.columns)
        with k.loop(self.steps(left.width // WIDE)) as four:
            e = four * WIDE
            ours = [left.wide(self.row(i), e) for i in range(tile.rows)]
            for j in range(tile.columns):
                theirs = right.wide(self.x + tile.across * j, e)
                for i in range(tile.rows):
                    for a, b in zip(ours[i], theirs):
                        cells[i][j].set(cells[i][j] + a * b)
        return cells

    def zeros(self, columns):
        """A patch of cells, all 0."""
        return [
            [self.k.cell(0.0, float32) for _ in range(columns)]
            for _ in range(self.tile.rows)
        ]

    def put(self, room, patch):
        """Write a patch of scores to shared memory."""
        for i, row in enumerate(patch):
            for j, value in enumerate(row):
                column = self.x + self.tile.across * j
                room.memory[self.row(i) * room.stride + column] = value

    def add_product(self, cells, weights, values):
        """cells += weights @ values, for the columns of this thread."""
        k, tile = self.k, self.tile
        with k.loop(self.steps(weights.width // WIDE)) as four:
            t = four * WIDE
            ours = [weights.wide(self.row(i), t) for i in range(tile.rows)]
            for u in range(WIDE):
                for w in range(len(cells[0]) // WIDE):
                    theirs = values.wide(t + u, self.column(w))
                    for i in range(tile.rows):
                        for z, b in enumerate(theirs):
                            cell = cells[i][w * WIDE + z]
                            cell.set(cell + ours[i][u] * b)

    def column(self, w):
        """Where a thread's columns number 4w to 4w + 3 of a result begin."""
        return self.x * WIDE + WIDE * self.tile.across * w

    def store(self, out, values, size, wide):
        """Store rows of results: a list of columns for each row of the patch."""
        k = self.k
        for i, row in enumerate(values):
            at = k.let(self.first + self.row(i))
            with k.when(at < out.shape[-2]):
                for w in range(len(row) // WIDE):
                    four = row[w * WIDE : w * WIDE + WIDE]
                    self._store(out, self.batch + (at,), w, four, size, wide)

    def _store(self, out, coords, w, four, size, wide):
        k = self.k
        left = k.let(self.column(w))
        whole = WIDE * self.tile.across * (w + 1) <= size
        if whole and wide:
            out.put_wide(coords + (left,), four)
        elif wide:
            with k.when(left < size):
                out.put_wide(coords + (left,), four)
        else:
            for i, value in enumerate(four):
                with k.when(left + i < size):
                    out[coords + (left + i,)] = cast(value, out.dtype)


def score(k, value, scale, mask, at, sizes, causal):
    """A score with its mask, and whether the pair takes part: scaled, or LOWEST.

    at: (batch, query, key); sizes: (queries, keys).
    """
    batch, query, key = at
    fits = (query < sizes[0]) & (key < sizes[1])
    value = value * scale
    if causal:
        fits = fits & (key <= query)
    if mask is not None:
        place = batch + (
            call("min", query, sizes[0] - 1),
            call("min", key, sizes[1] - 1),
        )
        given = mask[place]
        if mask.dtype.is_bool:
            fits = fits & given
        else:
            value = value + cast(given, float32)
    return k.let(where(fits, value, LOWEST))
