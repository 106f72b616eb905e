"""The few best of long lines: most elements fall to one comparison.

Each thread finds the best of its own elements. Of these the group takes the one whose
number is `keep`: at least `keep` elements are as good. What is as good is collected and
sorted: no more than `keep` threads have any, so the room for it is known.
"""

from __future__ import annotations

from ..dtypes import int32, uint32
from ..expr import INDEX, literal
from ..expr import call as E
from ..expr import where as _where
from ..ops.record import Op
from ..ops.sort import bits
from .bitonic import NOWHERE, Pairs, chunks, power_of_two, read_pair, sooner
from .keys import LAST

MOST = 64  # best elements that are found this way
ROOM = 1024  # pairs: half of the shared memory that every device has


def shape(n, keep):
    """(threads of a group, elements of a thread) for lines of n."""
    threads = max(64, power_of_two(2 * keep))
    per = min(32, ROOM // power_of_two(keep))
    while threads < 256 and threads * per < n:
        threads *= 2
    while per > 4 and threads * per >= 2 * n:
        per //= 2
    return threads, per


def _best(k, x, order, out, axis, descending, threads, per, keep):
    """out[…, chunk * keep + i, …] = the place of the chunk's best number i, or -1."""
    c, first, most = chunks(k, out, axis, keep, threads)
    start = k.let(c[axis] * (threads * per) + k.local)
    pairs = []
    for i in range(per):
        at = k.let(start + i * threads)
        pairs.append(read_pair(k, x, order, c, axis, at, descending))
    room = Pairs(k, max(power_of_two(keep * per), threads), threads)
    limit = _limit(k, room, pairs, keep)
    room.sort(rounds=_collected(k, room, pairs, limit))
    room.write(out, lambda i: c[:axis] + (i,) + c[axis + 1 :], first, most)


def _limit(k, room, pairs, keep):
    """The pair that is number `keep` of the threads' best."""
    key, place = k.cell(pairs[0][0]), k.cell(pairs[0][1])
    for pair in pairs[1:]:
        with k.when(sooner(pair, (key, place))):
            key.set(pair[0])
            place.set(pair[1])
    room.keys[k.local] = key
    room.places[k.local] = place
    room.sort(room.threads)
    return room.keys[keep - 1], room.places[keep - 1]


def _collected(k, room, pairs, limit):
    """Fill the room with what is as good as the limit: 2**(what it returns) at most."""
    tally, count = k.shared(uint32, 1), k.shared(uint32, 1)
    with k.when(E("eq", k.local, 0)):
        k.atomic("store", tally, 0, 0)
    k.barrier()
    for pair in pairs:
        with k.when(~sooner(limit, pair) & (pair[1] < NOWHERE)):
            at = k.let(k.index(k.atomic("add", tally, 0, 1)))
            room.keys[at] = pair[0]
            room.places[at] = pair[1]
    k.barrier()
    with k.when(E("eq", k.local, 0)):
        count[0] = k.atomic("load", tally, 0)
    found = k.index(k.uniform_load(count))
    for turn in range(0, room.count, room.threads):
        i = k.let(k.local + turn)
        with k.when(i >= found):
            room.keys[i] = literal(LAST, uint32)
            room.places[i] = literal(NOWHERE, int32)
    rounds = literal(0, INDEX)
    for i in range(bits(room.count) - 2):
        rounds = rounds + _where(found > (1 << i), literal(1, INDEX), 0)
    return k.let(rounds)


def _chunk_kernel(k, x, out, *attrs):
    _best(k, x, None, out, *attrs)


def _again_kernel(k, x, order, out, *attrs):
    _best(k, x, order, out, *attrs)


_ATTRS = ("axis", "descending", "threads", "per", "keep")
BEST = Op("best_chunks", kernel=_chunk_kernel, attrs=_ATTRS)
BEST_AGAIN = Op("best_again", kernel=_again_kernel, attrs=_ATTRS)
