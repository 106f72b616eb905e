"""A group of threads walks along a line, a tile at a time, and knows all before it.

A thread takes four neighbours at a time, and `turns` such fours of every tile, so that
threads side by side read side by side and one round of barriers serves all turns.
"""

from __future__ import annotations

from ..expr import call as E
from ..expr import cast, literal
from ..expr import where as _where

FOUR = 4


def pinned(k, parts):
    """Bind the parts of a state now."""
    return tuple([k.let(p) for p in parts])


class GroupScan:
    """Scans `turns` states a thread over a whole group, through shared memory."""

    def __init__(self, k, state, threads, turns=1):
        self.k = k
        self.state = state
        self.threads = threads
        self.turns = turns
        self.slots = [k.shared(d, 2 * threads * turns) for d in state.dtypes]
        self.neutral = tuple(
            [literal(v, d) for v, d in zip(state.neutral, state.dtypes)]
        )

    def scan(self, mine):
        """For each turn: (state of the threads before this one, state of all threads).

        All threads of the group must come by; it ends with reads of shared memory.
        """
        k, me, size = self.k, self.k.local, self.threads
        cells = [[k.cell(p) for p in state] for state in mine]
        k.barrier()  # the slots may still be read from before
        self._put_all(cells, me)
        at, step = 0, 1
        while step < size:
            k.barrier()
            with k.when(me >= step):
                for turn, state in enumerate(cells):
                    before = self._get(me + (self._slot(turn, at) - step))
                    joined = pinned(k, self.state.join(before, tuple(state)))
                    for cell, part in zip(state, joined):
                        cell.set(part)
            at = 1 - at
            self._put_all(cells, me, at)
            step *= 2
        k.barrier()
        return [self._ends(me, self._slot(turn, at)) for turn in range(self.turns)]

    def _slot(self, turn, half):
        return (2 * turn + half) * self.threads

    def _put_all(self, cells, me, half=0):
        for turn, state in enumerate(cells):
            for slot, part in zip(self.slots, state):
                slot[me + self._slot(turn, half)] = part

    def _get(self, index):
        return tuple([slot[index] for slot in self.slots])

    def _ends(self, me, slot):
        """What came before this thread (nothing for the first), and the whole."""
        k = self.k
        before = self._get(k.let(E("max", me, 1) + (slot - 1)))
        before = tuple(
            [k.let(_where(me > 0, b, n)) for b, n in zip(before, self.neutral)]
        )
        return before, self._get(literal(slot + self.threads - 1, me.dtype))


class Line:
    """The elements that a thread takes of a tile of a line: fours, `apart` apart."""

    def __init__(self, k, scan, arrays, at, wide):
        self.k = k
        self.state = scan.state
        self.turns = scan.turns
        self.apart = scan.threads * FOUR
        self.arrays = arrays
        self.at = at  # place on the line -> coordinates
        self.wide = wide

    def load(self, tile, stop):
        """For each turn, the place of its four, and their states: neutral from stop."""
        out = []
        for turn in range(self.turns):
            first = self.k.let(tile + self.k.local * FOUR + turn * self.apart)
            columns = [self._values(a, first, stop) for a in self.arrays]
            out.append((first, columns))
        return [(first, self._lifted(first, stop, c)) for first, c in out]

    def _values(self, array, first, stop):
        if self.wide:
            return array.wide(self.at(self.k.let(E("min", first, stop - FOUR))))
        return [
            array[self.at(self.k.let(E("min", first + i, stop - 1)))]
            for i in range(FOUR)
        ]

    def _lifted(self, first, stop, columns):
        k, state = self.k, self.state
        out = []
        for i in range(FOUR):
            values = [cast(c[i], d) for c, d in zip(columns, state.dtypes)]
            parts = state.lift(tuple(values), first + i)
            inside = k.let(first + i < stop)
            out.append(masked(k, state, inside, parts))
        return out

    def store(self, outs, first, states, stop):
        """Write the results of four states to every output."""
        k = self.k
        results = [self.state.result(s) for s in states]
        if self.wide:
            with k.when(first < stop):
                for j, out in enumerate(outs):
                    out.put_wide(self.at(first), [k.let(r[j]) for r in results])
            return
        for i, result in enumerate(results):
            place = k.let(first + i)
            with k.when(place < stop):
                for out, value in zip(outs, result):
                    out[self.at(place)] = value


class OneOn(Line):
    """A line whose results go one place on: what came before each element."""

    def store(self, outs, first, states, stop):
        for i, reached in enumerate(states):
            place = self.k.let(first + i + 1)
            with self.k.when(place < stop):
                for out, part in zip(outs, reached):
                    out[self.at(place)] = part


def masked(k, state, inside, parts):
    """A state, or nothing where it is not inside."""
    return tuple(
        [k.let(_where(inside, p, literal(n, p.dtype)))
         for p, n in zip(parts, state.neutral)]
    )  # fmt: skip


def walk(k, scan, line, outs, span, carry):
    """Scan a stretch (first, stop) of a line, from the state in the cells `carry` on.

    Without outputs it only moves `carry` to the stretch's end.
    """
    state = scan.state
    start, stop = span
    with k.loop(stop, start, line.apart * line.turns) as tile:
        mine = line.load(tile, stop)
        totals = []
        for _, states in mine:
            total = states[0]
            for more in states[1:]:
                total = pinned(k, state.join(total, more))
            totals.append(total)
        now = tuple([k.let(c) for c in carry])
        for (first, states), (before, whole) in zip(mine, scan.scan(totals)):
            if outs:
                _finish(k, line, outs, first, states, state.join(now, before), stop)
            now = pinned(k, state.join(now, whole))
        for cell, part in zip(carry, now):
            cell.set(part)


def _finish(k, line, outs, first, states, now, stop):
    """Four elements one by one, from the state before them on."""
    now = pinned(k, now)
    reached = []
    for one in states:
        now = pinned(k, line.state.join(now, one))
        reached.append(now)
    line.store(outs, first, reached, stop)
