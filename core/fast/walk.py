"""A group of threads walks along a line, a tile at a time, and knows all before it."""

from __future__ import annotations

from ..expr import call as E
from ..expr import cast, literal
from ..expr import where as _where


def pinned(k, parts):
    """Bind the parts of a state now."""
    return tuple([k.let(p) for p in parts])


class GroupScan:
    """Scans one state a thread over a whole group, through shared memory."""

    def __init__(self, k, state, threads):
        self.k = k
        self.state = state
        self.threads = threads
        self.slots = [k.shared(d, 2 * threads) for d in state.dtypes]
        self.neutral = tuple(
            [literal(v, d) for v, d in zip(state.neutral, state.dtypes)]
        )

    def scan(self, mine):
        """Return (state of all threads before this one, state of all threads).

        All threads of the group must come by; it ends with reads of shared memory.
        """
        k, me, size = self.k, self.k.local, self.threads
        cells = [k.cell(p) for p in mine]
        k.barrier()  # the slots may still be read from before
        self.put(cells, me)
        at, step = 0, 1
        while step < size:
            k.barrier()
            with k.when(me >= step):
                before = self.get(me + (at * size - step))
                for cell, part in zip(
                    cells, pinned(k, self.state.join(before, tuple(cells)))
                ):
                    cell.set(part)
            at = 1 - at
            self.put(cells, me + at * size)
            step *= 2
        k.barrier()
        last = self.get(literal(at * size + size - 1, me.dtype))
        before = self.get(me + (at * size - 1), me > 0)
        return before, last

    def put(self, parts, index):
        for slot, part in zip(self.slots, parts):
            slot[index] = part

    def get(self, index, known=None):
        """The state in a slot; nothing where it is not `known`."""
        k = self.k
        if known is None:
            return tuple([slot[index] for slot in self.slots])
        index = k.let(E("max", index, 0))
        return tuple(
            [k.let(_where(known, slot[index], n))
             for slot, n in zip(self.slots, self.neutral)]
        )  # fmt: skip


class Line:
    """The elements that a thread takes of a line: `per` neighbours from a place on."""

    def __init__(self, k, state, arrays, at, per, wide):
        self.k = k
        self.state = state
        self.arrays = arrays
        self.at = at  # place on the line -> coordinates
        self.per = per
        self.wide = wide

    def load(self, first, stop):
        """States of the elements from `first` on, neutral from `stop` on."""
        k, state = self.k, self.state
        columns = [self._values(a, first, stop) for a in self.arrays]
        out = []
        for i in range(self.per):
            values = [cast(c[i], d) for c, d in zip(columns, state.dtypes)]
            parts = state.lift(tuple(values), first + i)
            inside = k.let(first + i < stop)
            out.append(
                tuple(
                    [k.let(_where(inside, p, literal(n, p.dtype)))
                     for p, n in zip(parts, state.neutral)]
                )
            )  # fmt: skip
        return out

    def _values(self, array, first, stop):
        values = []
        step = 4 if self.wide else 1
        for i in range(0, self.per, step):
            place = self.k.let(E("min", first + i, stop - step))
            if self.wide:
                values.extend(array.wide(self.at(place)))
            else:
                values.append(array[self.at(place)])
        return values

    def store(self, outs, states, first, stop):
        """Write the results of the states to every output."""
        k = self.k
        step = 4 if self.wide else 1
        results = [self.state.result(s) for s in states]
        for i in range(0, self.per, step):
            place = k.let(first + i)
            with k.when(place < stop):
                for j, out in enumerate(outs):
                    if self.wide:
                        four = [r[j] for r in results[i : i + 4]]
                        out.put_wide(self.at(place), [k.let(v) for v in four])
                    else:
                        out[self.at(place)] = results[i][j]


def walk(k, scan, line, outs, span, carry):
    """Scan a stretch (first, stop) of a line, from the state in the cells `carry` on.

    Without outputs it only moves `carry` to the stretch's end.
    """
    state, per = scan.state, line.per
    start, stop = span
    with k.loop(stop, start, scan.threads * per) as tile:
        first = k.let(tile + k.local * per)
        mine = line.load(first, stop)
        total = mine[0]
        for more in mine[1:]:
            total = pinned(k, state.join(total, more))
        before, whole = scan.scan(total)
        if outs:
            now = pinned(k, state.join(tuple(carry), before))
            reached = []
            for one in mine:
                now = pinned(k, state.join(now, one))
                reached.append(now)
            line.store(outs, reached, first, stop)
        for cell, part in zip(carry, pinned(k, state.join(tuple(carry), whole))):
            cell.set(part)


def one_on(k, at):
    """A `Line.store` that puts states one place on: what was before each element."""

    def store(outs, states, first, stop):
        for i, reached in enumerate(states):
            place = k.let(first + i + 1)
            with k.when(place < stop):
                for out, part in zip(outs, reached):
                    out[at(place)] = part

    return store
