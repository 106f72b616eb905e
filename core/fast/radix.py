"""Sorting long lines: a stable radix sort, eight bits of the key at a time.

Each pass counts digits in tiles, finds where each tile's digits go, and moves keys and
places there. A tile is first put in order in shared memory, four bits at a time, so
that neighbours go to neighbouring addresses (Satish, Harris, Garland 2009).
"""

from __future__ import annotations

from ..dtypes import int32, uint32
from ..expr import INDEX, cast, literal
from ..expr import call as E
from ..expr import where as _where
from ..ops.record import Aval, Op
from .bitonic import power_of_two
from .keys import LAST, bits_of, key_of, value_of
from .states import Running
from .walk import GroupScan, OneOn, walk

THREADS = 256
DIGITS = 256
FEW = 64  # tiles whose counts each tile adds up itself, which saves a kernel


def argsort(backend, x, axis, descending, dtype, per, bits=None, values=False):
    """Handles of the positions that sort x along an axis, stable: shape of x.

    per: elements a thread takes, 8 or 16; bits: how many of the key count; values: the
    sorted values come first.
    """
    n = x.shape[axis]
    tile = THREADS * per
    tiles = (n + tile - 1) // tile
    threads = min(THREADS, max(32, power_of_two((tiles + 3) // 4)))
    rest = x.shape[:axis] + x.shape[axis + 1 :]
    passes = ((bits or bits_of(x.dtype)) + 7) // 8
    few = tiles <= FEW
    counts = Aval(rest + ((tiles, DIGITS) if few else (DIGITS, tiles)), int32)
    totals = Aval(rest + (DIGITS,), int32)
    padded = rest + (tiles * tile,)
    source = (x,)
    for number in range(passes):
        first, last = number == 0, number == passes - 1
        form = (number * 8, axis, descending, per, few)
        starts = backend.run(COUNT, source[:1], form + (first, n), (counts,))
        if not few:
            starts = backend.run(STARTS, starts, (threads,), (counts, totals))
        outs = (Aval(padded, uint32), Aval(padded, uint32))
        move = FIRST if first else LATER
        if last:
            outs = (Aval(x.shape, dtype),)
            if values:
                outs = (Aval(x.shape, x.dtype),) + outs
                if not first:
                    move, source = FINISH, (x,) + tuple(source)
        given = tuple(source) + tuple(starts)
        source = backend.run(move, given, form + (last, n), outs)
    return source


class Tile:
    """A tile of keys and places in the registers of a group, `per` a thread."""

    def __init__(self, k, c, n, per):
        self.k = k
        self.per = per
        self.line = c[:-1]
        self.first = k.let(c[-1] * (THREADS * per))
        self.n = n  # elements of the line

    def place(self, i):
        """The place on the line of this thread's element i."""
        return self.k.let(self.first + self.k.local * self.per + i)

    def keys(self, x, axis, descending, from_x):
        """The keys of this thread's elements; LAST beyond the line's end."""
        if not from_x:
            return self._wide(x, literal(LAST, uint32))
        out = []
        for i in range(self.per):
            place = self.place(i)
            inside = self.k.let(E("min", place, self.n - 1))
            value = x[self.line[:axis] + (inside,) + self.line[axis:]]
            key = _where(
                place < self.n, key_of(value, descending), literal(LAST, uint32)
            )
            out.append(self.k.let(key))
        return out

    def places(self, order):
        """The places that came with the keys (as bits); at first the elements' own."""
        if order is None:
            return [self.k.let(cast(self.place(i), uint32)) for i in range(self.per)]
        return self._wide(order, literal(0, uint32))

    def _wide(self, array, other):
        out = []
        for i in range(0, self.per, 4):
            place = self.place(i)
            four = array.wide(self.line + (place,))
            for j, v in enumerate(four):
                out.append(self.k.let(_where(place + j < self.n, v, other)))
        return out


def _digit(key, shift, bits):
    return E("and", E("shr", key, shift), (1 << bits) - 1)


class Room:
    """The shared memory in which a tile is put in order."""

    def __init__(self, k, per):
        self.k = k
        self.per = per
        self.me = k.let(cast(k.local, uint32))
        self.words = k.shared(uint32, THREADS * per + THREADS * per // 8)
        self.scan = GroupScan(k, Running("add", 0, uint32), THREADS)

    def at(self, place):
        """Where a place lies: a gap after every eight keeps threads on other banks."""
        return self.k.index(place + E("shr", place, 3))

    def ranks(self, keys, shift):
        """Where each element goes by four bits of its key, stable.

        A thread counts its own digits, two counters a word; scanned in the order of
        (digit, thread) they give the number of elements that go before.
        """
        k, words = self.k, self.words
        k.barrier()  # the words may still be read
        for digit in range(8):
            words[self.at(self.me + digit * THREADS)] = 0
        mine = []
        for key in keys:
            digit = k.let(_digit(key, shift, 4))
            column = k.let(self.at(E("and", digit, 7) * THREADS + self.me))
            half = k.let(E("shl", E("shr", digit, 3), 4))
            word = words[column]
            mine.append((column, half, k.let(_half(word, half))))
            words[column] = word + E("shl", literal(1, uint32), half)
        k.barrier()
        self._scan_counters()
        k.barrier()
        return [k.let(_half(words[column], half) + r) for column, half, r in mine]

    def _scan_counters(self):
        """Each counter becomes the sum of all before it."""
        k, words = self.k, self.words
        places = [self.at(self.me * 8 + i) for i in range(8)]
        found = [words[p] for p in places]
        total = found[0]
        for v in found[1:]:
            total = k.let(total + v)
        ((before, whole),) = self.scan.scan([(total,)])
        # The upper halves (digits 8 to 15) come after all of the lower ones.
        now = k.let(before[0] + E("shl", whole[0], 16))
        for p, v in zip(places, found):
            words[p] = now
            now = k.let(now + v)

    def exchange(self, values, ranks, striped):
        """Send each value to its rank; read back neighbours, or every 256th."""
        k, words = self.k, self.words
        k.barrier()
        for v, r in zip(values, ranks):
            words[self.at(r)] = v
        k.barrier()
        out = []
        for i in range(self.per):
            if striped:
                out.append(words[self.at(self.me + i * THREADS)])
            else:
                out.append(words[self.at(self.me * self.per + i)])
        return out


def _half(word, half):
    return E("and", E("shr", word, half), 0xFFFF)


def _count(k, x, out, shift, axis, descending, per, few, from_x, n):
    """out[line, digit, tile] = how often a digit stands there; few: [tile, digit]."""
    c = k.groups(out.shape[:-2] + (out.shape[-2 if few else -1],), THREADS)
    tile = Tile(k, c, n, per)
    bins = k.shared(uint32, DIGITS)
    k.atomic("store", bins, k.local, 0)
    k.barrier()
    for i, key in enumerate(tile.keys(x, axis, descending, from_x)):
        with k.when(tile.place(i) < n):
            k.atomic("add", bins, k.index(_digit(key, shift, 8)), 1)
    k.barrier()
    found = k.atomic("load", bins, k.local)
    out[c + (k.local,) if few else c[:-1] + (k.local, c[-1])] = found


def _starts(k, counts, starts, totals, threads):
    """Sums of a digit's counts: over the tiles before each, and over all tiles."""
    c = k.groups(totals.shape, threads)
    now = Running("add", 0, int32)
    scan = GroupScan(k, now, threads)
    line = OneOn(k, scan, (counts,), lambda i: c + (i,), False)
    carry = [k.cell(0, int32)]
    walk(k, scan, line, (starts,), (0, counts.shape[-1]), carry)
    with k.when(E("eq", k.local, 0)):
        starts[c + (0,)] = 0
        totals[c] = carry[0]


def _first(k, x, *rest):
    """The first pass: keys come from the values, places are their own."""
    _move(k, x, x, None, rest)


def _later(k, keys, order, *rest):
    _move(k, None, keys, order, rest)


def _finish(k, x, keys, order, *rest):
    """The last pass, with the values of `x` beside their places."""
    _move(k, x, keys, order, rest)


def _move(k, x, keys, order, rest):
    """Put a tile in order and send its elements to where their digits go."""
    shift, axis, descending, per, few, last, n = rest[-7:]
    counts, outs = rest[: 1 if few else 2], rest[1 if few else 2 : -7]
    tiles = counts[0].shape[-2 if few else -1]
    c = k.groups(counts[0].shape[:-2] + (tiles,), THREADS)
    tile = Tile(k, c, n, per)
    keys = tile.keys(keys, axis, descending, order is None)
    places = tile.places(order)
    room = Room(k, per)
    if few:
        start, total = _added(k, counts[0], c, tiles)
    else:
        start, total = (
            counts[0][c[:-1] + (k.local, c[-1])],
            counts[1][c[:-1] + (k.local,)],
        )
    base = _bases(k, room, start, total)
    for half in (0, 1):
        ranks = room.ranks(keys, k.let(shift + 4 * half))
        places = room.exchange(places, ranks, half == 1)
        keys = room.exchange(keys, ranks, half == 1)

    def put(to, key, place):
        if not last:
            outs[0][tile.line + (to,)] = key
            outs[1][tile.line + (to,)] = place
            return
        at = tile.line[:axis] + (to,) + tile.line[axis:]
        outs[-1][at] = place
        if len(outs) == 2:
            outs[0][at] = _value(k, x, tile.line, axis, descending, key, place)

    _send(k, room, tile, keys, places, base, shift, put, last)


def _value(k, x, line, axis, descending, key, place):
    """What a key was made of: from the key, or from x where the key does not tell."""
    value, exact = value_of(key, x.dtype, descending)
    if exact is None:
        return value
    found = k.cell(value)
    with k.when(~exact):
        found.set(x[line[:axis] + (k.let(k.index(place)),) + line[axis:]])
    return found


def _added(k, counts, c, tiles):
    """A digit's counts in the tiles before this one, and in all; a digit a thread."""
    start, total = k.cell(0, int32), k.cell(0, int32)
    with k.loop(tiles, 0, 4) as first:
        found = []
        for i in range(4):  # loads that do not wait for each other
            at = k.let(E("min", first + i, tiles - 1))
            found.append(counts[c[:-1] + (at, k.local)])
        for i, v in enumerate(found):
            v = k.let(_where(first + i < tiles, v, literal(0, int32)))
            total.set(total + v)
            start.set(start + _where(first + i < c[-1], v, literal(0, int32)))
    return start, total


def _bases(k, room, start, total):
    """Where the digits of this tile go, a digit a thread."""
    ((before, _),) = room.scan.scan([(cast(total, uint32),)])
    base = k.shared(uint32, DIGITS)
    base[k.local] = before[0] + cast(start, uint32)
    return base


def _send(k, room, tile, keys, places, base, shift, put, last):
    """Element i of the tile in order goes as far into its digit as it stands in it."""
    first = k.shared(uint32, DIGITS)
    digits = [k.let(k.index(_digit(key, shift, 8))) for key in keys]
    at = [k.let(room.me + i * THREADS) for i in range(tile.per)]
    for i, digit in zip(at, digits):
        left = room.words[room.at(k.let(E("max", i, 1) - 1))]
        new = E("eq", i, 0) | ~E("eq", k.index(_digit(left, shift, 8)), digit)
        with k.when(new):
            first[digit] = i
    k.barrier()
    count = cast(tile.n - tile.first, uint32)
    for i, digit, key, place in zip(at, digits, keys, places):
        branch = k.when(i < count)
        with branch:
            put(k.let(k.index(base[digit] + i - first[digit])), key, place)
        if not last:  # what fills the last tile stays at its end
            with k.otherwise(branch.value):
                put(k.let(tile.first + k.index(i)), key, place)


_FORM = ("shift", "axis", "descending", "per", "few")
_LIVE = (("shift", uint32), ("n", INDEX))
COUNT = Op(
    "radix_count", kernel=_count, attrs=_FORM + ("from_x", "n"), runtime=_LIVE
)  # fmt: skip
STARTS = Op("radix_starts", kernel=_starts, attrs=("threads",))
FIRST = Op("radix_first", kernel=_first, attrs=_FORM + ("last", "n"), runtime=_LIVE)
LATER = Op("radix_later", kernel=_later, attrs=_FORM + ("last", "n"), runtime=_LIVE)
FINISH = Op("radix_finish", kernel=_finish, attrs=_FORM + ("last", "n"), runtime=_LIVE)
