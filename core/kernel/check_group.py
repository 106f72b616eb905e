"""Runs the threads of one workgroup, as generators, between their meeting points."""

from __future__ import annotations

from array import array

from ..dtypes import float64
from .check_code import BARRIERS, TILES
from .check_memory import fit
from .group import Barrier, MatrixDeclare, MatrixLoad, MatrixMultiply, Subgroup

DONE = "done"


class Group:
    """The threads of a workgroup at one point of the kernel's shape.

    waiting[t] is what thread t waits at, (site, value, argument), or DONE.
    """

    def __init__(self, run, thread, point, params):
        self.run = run
        self.sites = run.code.sites
        count = run.kernel.threads or 1
        self.lanes = min(run.lanes, count)
        self.threads = [
            thread(point, params, t, t % self.lanes, self.lanes) for t in range(count)
        ]
        self.waiting = [None] * count
        self.tiles = {}  # (subgroup, name) -> elements of a matrix tile
        for t in range(count):
            self.advance(t, None)

    def advance(self, t, answer):
        """Let a thread run to the next place where it waits."""
        try:
            self.waiting[t] = self.threads[t].send(answer)
        except StopIteration:
            self.waiting[t] = DONE

    def finish(self):
        """Run to the end, or until the threads wait for each other in vain."""
        while True:
            moved = False
            for first in range(0, len(self.threads), self.lanes):
                moved = self._subgroup(first) or moved
            if moved:
                continue
            if self.waiting[0] is DONE and self._alike(0, len(self.threads)):
                return
            if not self._barrier():
                return

    def _alike(self, first, last):
        """Say whether these threads wait at one place."""
        place = self.waiting[first]
        site = None if place is DONE else place[0]
        for t in range(first, last):
            other = self.waiting[t]
            if (None if other is DONE else other[0]) != site:
                return False
        return True

    def _barrier(self):
        """All threads pass a barrier; False where they cannot."""
        if not self._alike(0, len(self.threads)):
            self._stuck()
            return False
        site = self.waiting[0][0]
        statement = self.sites[site]
        storage = isinstance(statement, Barrier) and statement.storage
        self.run.pass_barrier(storage)
        answers = [None] * len(self.threads)
        if not isinstance(statement, Barrier):
            memory = self.run.memories[statement.array.name]
            for t, (_, index, _) in enumerate(self.waiting):
                if index != self.waiting[0][1]:
                    self.run.log.add(
                        "divergent", site, memory,
                        "a uniform load at different places of %s" % memory.name,
                    )  # fmt: skip
                answers[t] = memory.load(index, site, t)
            self.run.pass_barrier(False)
        for t, answer in enumerate(answers):
            self.advance(t, answer)
        return True

    def _stuck(self):
        """Some threads wait where the others do not come by."""
        sites = []
        for w in self.waiting:
            site = None if w is DONE else w[0]
            if site not in sites:
                sites.append(site)
        waits = [s for s in sites if s is not None]
        meets = [s for s in waits if isinstance(self.sites[s], BARRIERS)] or waits
        others = [s for s in sites if s != meets[0] and s is not None]
        if others:
            text = "some threads of the group wait here, the others elsewhere"
        else:
            text = "some threads of the group wait here, the others have ended"
        other = others[0] if others else None
        self.run.log.add("divergent", meets[0], None, text, other)

    # Subgroups.

    def _subgroup(self, first):
        """Let a subgroup go on that waits as a whole at one of its statements."""
        last = min(first + self.lanes, len(self.threads))
        if self.waiting[first] is DONE or not self._alike(first, last):
            return False
        site = self.waiting[first][0]
        statement = self.sites[site]
        if isinstance(statement, BARRIERS):
            return False
        answers = [None] * (last - first)
        if isinstance(statement, Subgroup):
            values = [self.waiting[t][1] for t in range(first, last)]
            args = [self.waiting[t][2] for t in range(first, last)]
            answers = combine(statement, values, args)
        elif isinstance(statement, TILES):
            self._tile(statement, site, first)
        for t in range(first, last):
            self.advance(t, answers[t - first])
        return True

    def _tile(self, s, site, first):
        thread = len(self.threads) + first // self.lanes  # the subgroup as a whole
        index, stride = self.waiting[first][1:]
        if isinstance(s, MatrixDeclare):
            size = s.matrix.rows * s.matrix.cols
            self.tiles[(first, s.matrix.name)] = [0.0] * size
        elif isinstance(s, MatrixMultiply):
            names = (s.acc, s.left, s.right)
            multiply(names, [self.tiles[(first, m.name)] for m in names])
        else:
            m = s.matrix
            tile = self.tiles[(first, m.name)]
            memory = self.run.memories[s.array.name]
            across = isinstance(s, MatrixLoad) and s.transposed
            for r in range(m.rows):
                for c in range(m.cols):
                    at = index + (c * stride + r if across else r * stride + c)
                    if isinstance(s, MatrixLoad):
                        tile[r * m.cols + c] = memory.load(at, site, thread)
                    else:
                        memory.store(at, tile[r * m.cols + c], site, thread)


def multiply(matrices, tiles):
    """acc += left @ right, rounded to the accumulator's dtype once an element."""
    acc, left, right = tiles
    rows, inner, cols = matrices[1].rows, matrices[1].cols, matrices[2].cols
    rounded = array("d" if matrices[0].dtype is float64 else "f", (0.0,))
    for r in range(rows):
        for c in range(cols):
            total = acc[r * cols + c]
            for i in range(inner):
                total += left[r * inner + i] * right[i * cols + c]
            rounded[0] = total
            acc[r * cols + c] = rounded[0]


FOLD = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def combine(statement, values, args):
    """The answer of a subgroup operation for each lane."""
    op, n = statement.op, len(values)
    dtype = statement.value.dtype
    if op in ("any", "all"):
        yes = [v for v in values if v]
        return [len(yes) == n if op == "all" else bool(yes)] * n
    if op == "first":
        return [values[0]] * n
    if op[:7] == "shuffle":
        return shuffle(op, values, args, dtype)
    if op in ("exclusive_add", "inclusive_add"):
        out, total = [], 0.0 if dtype.is_float else 0
        for v in values:
            out.append(total)
            total = fit(total + v, dtype)
            if op[0] == "i":
                out[-1] = total
        return out
    total = values[0]
    for v in values[1:]:
        total = fit(FOLD[op](total, v), dtype)
    return [total] * n


def shuffle(op, values, args, dtype):
    """Values of other lanes; anything where there is no such lane."""
    out = []
    for lane, arg in enumerate(args):
        place = {
            "shuffle": arg, "shuffle_xor": lane ^ arg,
            "shuffle_up": lane - arg, "shuffle_down": lane + arg,
        }[op]  # fmt: skip
        there = 0 <= place < len(values)
        nothing = float("nan") if dtype.is_float else 0
        out.append(values[place] if there else nothing)
    return out
