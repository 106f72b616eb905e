"""Pieces of the attention kernels: their sizes, and products of rows.

A group's threads stand in a grid, `across` by `down`. A product of rows with rows gives
each thread a patch of scores, neighbours both ways; a product of scores with rows gives
it the same rows, and columns by fours. All operands are read by fours: a patch of 8 by
4 takes 12 such reads for 128 multiply-adds.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import INDEX, call, cast, literal, where
from ..kernel.lower import aligned
from .attention_room import WIDE

WARP = 32  # threads that run in lockstep, on most GPUs
LOWEST = -float("inf")


class Tile:
    """Sizes of an attention kernel.

    across, down   threads of the group's grid
    rows, columns  of a thread's patch of scores
    steps          fours that a turn of a product's loop takes
    head, depth    elements of a query or key, and of a value
    wide           for each array whether it is read or written four at a time
    even           whether all tiles are whole
    kept           whether the queries' gradient keeps its queries in shared memory
    """

    def __init__(self, numbers, wide, even, head, depth, kept=False):
        self.across, self.down, self.rows, self.columns = numbers[:4]
        self.steps = numbers[4]
        self.threads = self.across * self.down
        self.own = self.down * self.rows  # rows of a group
        self.other = self.across * self.columns  # rows it meets at a time
        self.head, self.depth = head, depth
        step = WIDE * self.across
        self.head_room = (head + step - 1) // step * step
        self.depth_room = (depth + step - 1) // step * step
        self.wide = wide
        self.even = even
        self.kept = kept

    def forward_words(self):
        """Shared memory of the forward kernel: queries; keys, then weights; values."""
        return (
            self.own * self.head_room,
            max(self.other * self.head_room, self.own * self.other),
            max(self.other * self.depth_room, self.across * (self.own + WIDE)),
        )

    def backward_words(self, of_queries=False):
        """... of a backward kernel: what is the group's; heads and depths it meets."""
        head, depth = self.head_room, self.depth_room
        ours = self.own * max(head, depth, self.other)
        if of_queries:
            kept = self.own * head if self.kept else 0
            return (ours, self.other * max(head, depth), kept)
        return (ours, self.other * head, self.other * depth)


def wide_arrays(layouts, dtypes):
    """For each layout whether its rows can be read four at a time."""
    return tuple(
        [aligned(x, WIDE) and d.bits in (16, 32) for x, d in zip(layouts, dtypes)]
    )


class _Once:
    """A loop of one turn."""

    def __enter__(self):
        return literal(0, INDEX)

    def __exit__(self, *error):
        pass


class Grid:
    """A group's place in the problem, and its threads' in the group.

    last_first: later rows are more work, so they come first.
    """

    def __init__(self, k, tile, lead, length, last_first=False):
        self.k = k
        self.tile = tile
        self.length = length
        tiles = (length + (tile.own - 1)) // tile.own
        c = k.groups(lead + (tiles,), tile.threads)
        self.batch = c[:-1]
        self.first = k.let((tiles - 1 - c[-1] if last_first else c[-1]) * tile.own)
        self.x, self.y = _position(k, tile)
        self.row = k.let(self.y * tile.rows)  # the patch's first, in the group
        self.column = k.let(self.x * tile.columns)

    def turns(self, count, step):
        """A loop by steps, of a count that compilers do not see, lest they unroll it;
        a single step is none."""
        if count == step:
            return _Once()
        return self.k.loop(call("min", count, self.length + count), 0, step)

    def steps(self, chunks):
        """How many chunks a turn of a product's loop takes."""
        steps = self.tile.steps
        while chunks % steps:
            steps //= 2
        return steps

    def scores(self, left, right):
        """Products of the group's rows with those of another tile: cells, by rows."""
        k, tile = self.k, self.tile
        cells = self.zeros(tile.columns)
        (down, turn), (along, swap) = left.first(self.y), right.first(self.x)
        steps = self.steps(left.chunks)
        with self.turns(left.chunks, steps) as first:
            for step in range(steps):
                a = k.let(down + ((first + step) ^ turn))
                b = k.let(along + ((first + step) ^ swap))
                ours = [left.chunk(a + i * left.chunks) for i in range(tile.rows)]
                for j in range(tile.columns):
                    theirs = right.chunk(b + j * right.chunks)
                    for z in range(WIDE):
                        for i in range(tile.rows):
                            cell = cells[i][j]
                            cell.set(cell + ours[i][z] * theirs[z])
        return cells

    def zeros(self, columns):
        """A patch of cells, all 0."""
        return [
            [self.k.cell(0.0, float32) for _ in range(columns)]
            for _ in range(self.tile.rows)
        ]

    def put(self, room, patch):
        """Write a patch of scores to shared memory."""
        down, turn = room.first(self.y)
        n = min(WIDE, self.tile.columns)
        for w in range(self.tile.columns // n):
            place = self.k.let(self.column + w * n)
            left = down + (place // WIDE ^ turn)
            at = self.k.let(left * WIDE + (place % WIDE if n < WIDE else 0))
            for i, row in enumerate(patch):
                values = row[w * n : w * n + n]
                here = at + i * (room.chunks * WIDE)
                if n == 1:
                    room.memory[here] = values[0]
                else:
                    room.memory.put_wide(here, values)

    def add_product(self, cells, weights, values):
        """cells += weights @ values, for the columns of this thread."""
        k, tile = self.k, self.tile
        down, turn = weights.first(self.y)
        steps = self.steps(weights.chunks)
        with self.turns(weights.chunks, steps) as first:
            for step in range(steps):
                t = k.let(first + step)
                a = k.let(down + (t ^ turn))
                ours = [weights.chunk(a + i * weights.chunks) for i in range(tile.rows)]
                for u, at in enumerate(self._lines(values, t)):
                    for w in range(len(cells[0]) // WIDE):
                        theirs = values.chunk(at + w * tile.across)
                        for z in range(WIDE):
                            for i in range(tile.rows):
                                cell = cells[i][w * WIDE + z]
                                cell.set(cell + ours[i][u] * theirs[z])

    def _lines(self, values, t):
        """Where this thread's columns are in rows 4 t to 4 t + 3, in chunks."""
        k, each = self.k, values.each
        at = t * (WIDE * values.chunks)
        if each % WIDE == 0:
            swap = values.swap(t // (each // WIDE) if each > WIDE else t)
            at = k.let(at + (self.x ^ swap))
            return [at + u * values.chunks for u in range(WIDE)]
        out = []
        for u in range(WIDE):
            swap = values.swap(t * (WIDE // each) + u // each)
            out.append(k.let(at + u * values.chunks + (self.x ^ swap)))
        return out

    def store(self, out, values, size, wide):
        """Store rows of results: a list of columns for each row of the patch."""
        k = self.k
        for i, row in enumerate(values):
            at = k.let(self.first + self.row + i)
            with k.when(self.tile.even or at < out.shape[-2]):
                for w in range(len(row) // WIDE):
                    four = row[w * WIDE : w * WIDE + WIDE]
                    self._store(out, self.batch + (at,), w, four, size, wide)

    def _store(self, out, coords, w, four, size, wide):
        k, across = self.k, self.tile.across
        left = k.let((self.x + across * w) * WIDE)
        whole = WIDE * across * (w + 1) <= size
        if whole and wide:
            out.put_wide(coords + (left,), four)
        elif wide:
            with k.when(left < size):
                out.put_wide(coords + (left,), four)
        else:
            for i, value in enumerate(four):
                with k.when(left + i < size):
                    out[coords + (left + i,)] = cast(value, out.dtype)


def _position(k, tile):
    """This thread's place across and down.

    A warp is 8 by 4 threads, in an order by which its neighbours, or those next but
    one, read the same: shared memory then answers 16 threads at once, in place of 8.
    """
    if tile.across % 8 or tile.down % 4:
        return k.let(k.local % tile.across), k.let(k.local // tile.across)
    lane, warp, many = k.let(k.local % WARP), k.let(k.local // WARP), tile.across // 8
    x = lane % 2 + lane // 4 % 4 * 2 + warp % many * 8
    y = lane // 2 % 2 + lane // 16 * 2 + warp // many * 4
    return k.let(x), k.let(y)


def score(k, value, scale, mask, at, sizes, causal, even):
    """A score with its mask, and whether the pair takes part: scaled, or LOWEST.

    at: (batch, query, key); sizes: (queries, keys), of which both may have an end
    within the tile, unless it is `even`.
    """
    batch, query, key = at
    fits = []
    if not even:
        fits += [query < sizes[0], key < sizes[1]]
    if causal:
        fits.append(key <= query)
    if scale is not None:
        value = value * scale
    if mask is not None:
        place = batch + (
            call("min", query, sizes[0] - 1),
            call("min", key, sizes[1] - 1),
        )
        given = mask[place]
        if mask.dtype.is_bool:
            fits.append(given)
        else:
            value = value + cast(given, float32)
    if not fits:
        return k.let(value)
    all_of = fits[0]
    for c in fits[1:]:
        all_of = all_of & c
    return k.let(where(all_of, value, LOWEST))
