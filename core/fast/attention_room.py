"""Rows of arrays in shared memory, and how they get there: for attention."""

from __future__ import annotations

from ..dtypes import float32
from ..expr import INDEX, call, cast, literal, where

WIDE = 4
BANKS = 8  # reads by fours that shared memory answers at once
FETCH = 8  # fours that a thread has under way at once, at most
EARLY = 4  # ... while it computes


class Room:
    """Rows in shared memory, as float32, by chunks of four elements.

    `each` neighbouring rows are one thread's. Threads that stand side by side read the
    same chunk of their rows at once: its place depends on the thread, so that they
    meet different banks.
    """

    def __init__(self, grid, memory, rows, width, each):
        self.grid = grid
        self.memory = memory
        self.rows = rows
        self.chunks = width // WIDE
        self.each = each
        self.mask = min(BANKS, grid.tile.across, self.chunks & -self.chunks) - 1
        self.share = rows * self.chunks // grid.tile.threads  # fours a thread copies
        self.spots = None

    def swap(self, thread):
        """What to exchange chunks by, in the rows of a thread."""
        return thread & self.mask if self.mask else literal(0, INDEX)

    def first(self, thread):
        """(where a thread's rows begin, in chunks; its `swap`)."""
        k = self.grid.k
        return k.let(thread * (self.each * self.chunks)), k.let(self.swap(thread))

    def chunk(self, at):
        """The four elements of a chunk."""
        return self.memory.wide(at * WIDE)

    def fill(self, source, first):
        """Copy rows of a Source from `first` on."""
        threads = self.grid.tile.threads
        some = self.share
        while some > FETCH:
            some = (some + 1) // 2
        if self.share % some:
            some = 1
        with self.grid.turns(self.share * threads, some * threads) as start:
            spots = [self._spot(start, i * threads) for i in range(some)]
            found = [source.read(first + row, chunk) for row, chunk in spots]
            self._put(spots, found)

    def fetch(self, source, first):
        """The values that this thread copies: few enough to be under way at once."""
        return [source.read(first + row, chunk) for row, chunk in self._spots()]

    def put(self, values):
        """Write what was fetched."""
        self._put(self._spots(), values)

    def _spots(self):
        if self.spots is None:
            threads = self.grid.tile.threads
            zero = literal(0, INDEX)
            self.spots = [self._spot(zero, i * threads) for i in range(self.share)]
        return self.spots

    def _spot(self, start, more):
        """(row, chunk) that this thread copies, of those from a place on."""
        k, chunks = self.grid.k, self.chunks
        if self.grid.tile.threads % chunks == 0:
            row = k.local // chunks + start // chunks + more // chunks
            return k.let(row), k.let(k.local % chunks)
        at = k.let(k.local + start + more)
        return k.let(at // chunks), k.let(at % chunks)

    def _put(self, spots, found):
        for (row, chunk), values in zip(spots, found):
            place = row * self.chunks + (chunk ^ self.swap(row // self.each))
            self.memory.put_wide(self.grid.k.let(place * WIDE), values)


class Source:
    """An array whose rows are copied, 0 outside of it.

    sizes: elements of a row, and with those that fill it up; wide: four are read at
    once; factor: what all are multiplied by, or None.
    """

    def __init__(self, grid, array, sizes, wide, factor=None):
        self.grid = grid
        self.array = array
        self.size = sizes[0]
        self.whole = sizes[0] == sizes[1]
        self.wide = wide
        self.factor = factor

    def read(self, row, chunk):
        """The four values of a chunk of a row."""
        values = self._load(row, chunk * WIDE)
        if self.factor is not None:
            values = [v * self.factor for v in values]
        return [self.grid.k.let(v) for v in values]

    def _load(self, source, left):
        k, array, size = self.grid.k, self.array, self.size
        fits = []
        if not self.grid.tile.even:
            fits.append(k.let(source < array.shape[-2]))
            source = call("min", source, array.shape[-2] - 1)
        coords = self.grid.batch + (k.let(source),)
        left = k.let(left)
        if self.wide:
            if not self.whole:
                fits.append(left < size)
            at = left if self.whole else call("min", left, size - WIDE)
            values = array.wide(coords + (at,), WIDE)
            return [_where(fits, v) for v in values]
        out = []
        for i in range(WIDE):
            value = array[coords + (call("min", left + i, size - 1),)]
            out.append(_where(fits + [left + i < size], value))
        return out


class Ahead:
    """Copies of rows that are under way while something else is computed."""

    def __init__(self, room, source):
        self.room, self.source = room, source
        self.early = room.share <= EARLY
        self.cells = None
        self.values = None

    def begin(self, first):
        """Start before a loop, where few registers are needed for it."""
        if self.early:
            k = self.room.grid.k
            self.cells = [
                [k.cell(v) for v in values]
                for values in self.room.fetch(self.source, first)
            ]

    def next(self, first, more):
        """Start for the loop's next turn, if there is one: if `more`."""
        if self.early:
            with self.room.grid.k.when(more):
                found = self.room.fetch(self.source, first)
                for cells, values in zip(self.cells, found):
                    for cell, v in zip(cells, values):
                        cell.set(v)

    def start(self, first):
        """Start in the same turn."""
        if self.early:
            self.values = self.room.fetch(self.source, first)

    def put(self, first):
        """Write them to shared memory."""
        if not self.early:
            self.room.fill(self.source, first)
        else:
            self.room.put(self.values or self.cells)


def _where(conditions, value):
    """A value as float32; 0 where a condition does not hold."""
    value = cast(value, float32)
    if not conditions:
        return value
    fits = conditions[0]
    for c in conditions[1:]:
        fits = fits & c
    return where(fits, value, 0.0)
