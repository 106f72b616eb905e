"""Sorting what fits one group's shared memory: bitonic merges of (key, place) pairs.

Pairs are never equal, so the order of equal keys is that of their places.
"""

from __future__ import annotations

from ..dtypes import int32, uint32
from ..expr import call as E
from ..expr import cast, literal
from ..expr import where as _where
from ..ops.record import Op
from .keys import LAST, key_of

MOST = 2048  # pairs that fit the 16 KiB every device has
_NOWHERE = 0x7FFFFFFF  # the place of a pair that is not there


class Pairs:
    """`count` pairs in shared memory, a power of two."""

    def __init__(self, k, count, threads):
        self.k = k
        self.count = count
        self.threads = threads
        self.keys = k.shared(uint32, count)
        self.places = k.shared(int32, count)
        self.me = k.let(cast(k.local, uint32))

    def fill(self, pair):
        """`pair(i)` gives (key, place, whether it is there) for number i."""
        k = self.k
        for turn in range(0, self.count, self.threads):
            i = k.let(k.local + turn)
            key, place, there = pair(i)
            self.keys[i] = _where(there, key, literal(LAST, uint32))
            self.places[i] = _where(there, place, literal(_NOWHERE, int32))

    def sort(self):
        """Sort all pairs; it ends with a barrier."""
        k = self.k
        rounds = self.count.bit_length() - 1
        with k.loop(rounds) as wide:
            with k.loop(wide + 1) as narrow:
                k.barrier()
                shift = k.let(cast(wide - narrow, uint32))
                apart = k.let(E("shl", literal(1, uint32), shift))
                for turn in range(0, self.count // 2, self.threads):
                    self._exchange(self.me + turn, cast(wide, uint32), shift, apart)
        k.barrier()

    def _exchange(self, number, wide, shift, apart):
        """Put the pair number `number` of this step in order."""
        k = self.k
        within = E("and", number, apart - 1)
        low = k.let(E("or", E("shl", number - within, 1), within))
        high = k.let(low + apart)
        up = E("eq", E("and", E("shr", low, wide + 1), 1), 0)
        a, b = self.keys[k.index(low)], self.keys[k.index(high)]
        i, j = self.places[k.index(low)], self.places[k.index(high)]
        after = (a > b) | (E("eq", a, b) & (i > j))
        with k.when(E("eq", after, up)):
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
                gone = E("eq", place, _NOWHERE)
                out[at(first + i)] = _where(gone, literal(-1, int32), place)


def _replaced(c, axis, i):
    return c[:axis] + (i,) + c[axis + 1 :]


def _chunk_kernel(k, x, out, axis, descending, count, keep):
    """Sort each `count` elements of a line; store the first `keep` places of each."""
    shape = out.shape[:axis] + ((out.shape[axis] + (keep - 1)) // keep,)
    c = k.groups(shape + out.shape[axis + 1 :], threads_for(count))
    first = k.let(c[axis] * count)
    n = x.shape[axis]
    pairs = Pairs(k, count, threads_for(count))

    def pair(i):
        place = k.let(first + i)
        there = k.let(place < n)
        value = x[_replaced(c, axis, k.let(E("min", place, n - 1)))]
        return key_of(value, descending), cast(place, int32), there

    pairs.fill(pair)
    pairs.sort()
    start = k.let(c[axis] * keep)
    most = k.let(E("min", out.shape[axis] - start, keep))
    pairs.write(out, lambda i: _replaced(c, axis, i), start, most)


def _again_kernel(k, x, order, out, axis, descending, count, keep):
    """The same for the elements that `order` names; -1 names none."""
    shape = out.shape[:axis] + ((out.shape[axis] + (keep - 1)) // keep,)
    c = k.groups(shape + out.shape[axis + 1 :], threads_for(count))
    first = k.let(c[axis] * count)
    n = order.shape[axis]
    pairs = Pairs(k, count, threads_for(count))

    def pair(i):
        at = k.let(first + i)
        place = order[_replaced(c, axis, k.let(E("min", at, n - 1)))]
        there = k.let((at < n) & (place >= 0))
        inside = k.let(E("max", k.index(place), 0))
        value = x[_replaced(c, axis, inside)]
        return key_of(value, descending), place, there

    pairs.fill(pair)
    pairs.sort()
    start = k.let(c[axis] * keep)
    most = k.let(E("min", out.shape[axis] - start, keep))
    pairs.write(out, lambda i: _replaced(c, axis, i), start, most)


def threads_for(count):
    """Threads of a group for that many pairs."""
    return min(256, max(count // 2, 1))


_ATTRS = ("axis", "descending", "count", "keep")
CHUNKS = Op("sort_chunks", kernel=_chunk_kernel, attrs=_ATTRS)
AGAIN = Op("sort_again", kernel=_again_kernel, attrs=_ATTRS)


def power_of_two(n):
    """The least power of two from n on, at least 2."""
    count = 2
    while count < n:
        count *= 2
    return count
