"""Sorting what fits one group's shared memory: bitonic merges of (key, place) pairs.

Pairs are never equal, so the order of equal keys is that of their places.
"""

from __future__ import annotations

from ..dtypes import int32, uint32
from ..expr import call as E
from ..expr import cast, literal
from ..expr import where as _where
from ..ops.record import Op
from ..ops.sort import bits
from .keys import LAST, key_of

MOST = 2048  # pairs that fit the 16 KiB every device has
NOWHERE = 0x7FFFFFFF  # the place of a pair that is not there


def sooner(a, b):
    """Whether pair a = (key, place) comes before pair b."""
    same = E("eq", a[0], b[0])  # by E: Python may turn `a < cell` round
    return E("lt", a[0], b[0]) | (same & E("lt", a[1], b[1]))


class Pairs:
    """`count` pairs in shared memory, a power of two."""

    def __init__(self, k, count, threads):
        self.k = k
        self.count = count
        self.threads = threads
        self.keys = k.shared(uint32, count)
        self.places = k.shared(int32, count)
        self.me = k.let(cast(k.local, uint32))

    def sort(self, count=None, rounds=None):
        """Sort the first `count` pairs, a power of two; it ends with a barrier.

        rounds: an index, the same for all threads: sort the first 2**rounds instead.
        """
        k = self.k
        half = (count or self.count) // 2
        guard = half if half % self.threads else None
        if rounds is None:
            rounds = bits(half) - 1
        else:
            guard = k.let(cast(E("shr", E("shl", 1, rounds), 1), uint32))
        with k.loop(rounds) as wide:
            with k.loop(wide + 1) as narrow:
                k.barrier()
                shift = k.let(cast(wide - narrow, uint32))
                for turn in range(0, half, self.threads):
                    number = k.let(self.me + turn)
                    if guard is None:
                        self._exchange(number, cast(wide, uint32), shift)
                        continue
                    with k.when(number < guard):
                        self._exchange(number, cast(wide, uint32), shift)
        k.barrier()

    def _exchange(self, number, wide, shift):
        """Put the pair number `number` of this step in order."""
        k = self.k
        apart = k.let(E("shl", literal(1, uint32), shift))
        within = E("and", number, apart - 1)
        low = k.let(E("or", E("shl", number - within, 1), within))
        high = k.let(low + apart)
        up = E("eq", E("and", E("shr", low, wide + 1), 1), 0)
        a, b = self.keys[k.index(low)], self.keys[k.index(high)]
        i, j = self.places[k.index(low)], self.places[k.index(high)]
        with k.when(E("eq", sooner((b, j), (a, i)), up)):
            self.keys[k.index(low)] = b
            self.keys[k.index(high)] = a
            self.places[k.index(low)] = j
            self.places[k.index(high)] = i

    def write(self, out, at, first, most):
        """Store the places of the first `most` pairs from `first` on; -1: not there."""
        k = self.k
        for turn in range(0, self.count, self.threads):
            i = k.let(k.local + turn)
            with k.when(i < most):
                place = self.places[i]
                gone = E("eq", place, NOWHERE)
                out[at(first + i)] = _where(gone, literal(-1, int32), place)


def _replaced(c, axis, i):
    return c[:axis] + (i,) + c[axis + 1 :]


def read_pair(k, x, order, c, axis, at, descending):
    """(key, place) of element `at` of a line, or of the element that order[at] names.

    (LAST, NOWHERE) beyond the end, and where the order says -1.
    """
    n = (x if order is None else order).shape[axis]
    inside = k.let(E("min", at, n - 1))
    there = at < n
    place = cast(at, int32)
    if order is not None:
        place = order[_replaced(c, axis, inside)]
        there = there & (place >= 0)
        inside = k.let(E("max", k.index(place), 0))
    value = x[_replaced(c, axis, inside)]
    there = k.let(there)
    return (
        k.let(_where(there, key_of(value, descending), literal(LAST, uint32))),
        k.let(_where(there, place, literal(NOWHERE, int32))),
    )


def chunks(k, out, axis, keep, threads):
    """A group for every `keep` results; returns (coordinates, first, how many)."""
    count = (out.shape[axis] + (keep - 1)) // keep
    c = k.groups(out.shape[:axis] + (count,) + out.shape[axis + 1 :], threads)
    first = k.let(c[axis] * keep)
    return c, first, k.let(E("min", out.shape[axis] - first, keep))


def _sort(k, x, order, out, axis, descending, count, keep):
    """Sort each `count` elements of a line; store the first `keep` places of each."""
    threads = threads_for(count)
    c, first, most = chunks(k, out, axis, keep, threads)
    start = k.let(c[axis] * count)
    pairs = Pairs(k, count, threads)
    for turn in range(0, count, threads):
        at = k.let(start + k.local + turn)
        pair = read_pair(k, x, order, c, axis, at, descending)
        pairs.keys[k.local + turn] = pair[0]
        pairs.places[k.local + turn] = pair[1]
    pairs.sort()
    pairs.write(out, lambda i: _replaced(c, axis, i), first, most)
    return pairs, c


def _chunk_kernel(k, x, out, *attrs):
    _sort(k, x, None, out, *attrs)


def _pair_kernel(k, x, values, out, axis, descending, count, keep):
    """The same for a whole line, with the values beside their places."""
    pairs, c = _sort(k, x, None, out, axis, descending, count, keep)
    for turn in range(0, count, pairs.threads):
        i = k.let(k.local + turn)
        with k.when(i < out.shape[axis]):
            place = k.let(k.index(pairs.places[i]))
            values[_replaced(c, axis, i)] = x[_replaced(c, axis, place)]


def _again_kernel(k, x, order, out, *attrs):
    _sort(k, x, order, out, *attrs)


def threads_for(count):
    """Threads of a group for that many pairs."""
    return min(256, max(count // 2, 1))


_ATTRS = ("axis", "descending", "count", "keep")
CHUNKS = Op("sort_chunks", kernel=_chunk_kernel, attrs=_ATTRS)
PAIRS = Op("sort_pairs_chunks", kernel=_pair_kernel, attrs=_ATTRS)
AGAIN = Op("sort_again", kernel=_again_kernel, attrs=_ATTRS)


def power_of_two(n):
    """The least power of two from n on, at least 2."""
    count = 2
    while count < n:
        count *= 2
    return count
