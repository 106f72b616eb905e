"""Programs that write new values where the old ones lie.

At its end a program copies what it has computed to the homes of variables. Where the
kernel that computes it is the last to read the old value, and reads only the element
that it writes, it may as well write there: one binding for both, and no copy.
"""

from __future__ import annotations

from array import array

from ..kernel.ir import Kernel, Load, Loop, Store
from .gpu import COPY, RUN


class Command:
    """One RUN or COPY of a program: its words, the ids of its buffers, its plan."""

    def __init__(self, words, plan=None):
        self.words = words
        self.plan = plan
        self.shares = {}
        run = words[0] == RUN
        self.ids = list(words[3 : 3 + words[2]] if run else (words[1], words[3]))

    def writes(self, id):
        """Say whether it may write to a buffer."""
        if self.words[0] == COPY:
            return self.ids[1] == id
        if self.plan is None:
            return id in self.ids
        bound = self.plan.kernel.bindings()
        if len(bound) != len(self.ids):
            return id in self.ids
        written = {}
        for a in self.plan.kernel.arrays:
            if a.written:
                written[self.plan.kernel.shares.get(a.position, a.position)] = True
        return bool([p for p, i in zip(bound, self.ids) if i == id and p in written])

    def rename(self, old, new):
        """Another buffer in place of one."""
        self.ids = [new if i == old else i for i in self.ids]

    def all(self, backend):
        """Its words, as they are now."""
        words = self.words
        if words[0] == COPY:
            words[1], words[3] = self.ids
            return words
        kernel, ids = words[1], self.ids
        if self.shares:
            kernel = backend.shared(self.plan, self.shares)
            if kernel is None:
                return None
            ids = [i for p, i in enumerate(ids) if p not in self.shares]
        head = array("i", [RUN, kernel, len(ids)] + ids)
        return head + words[3 + words[2] :]


def in_place(backend, commands, free):
    """Return the words of a program, or None for those it had.

    free: ids of buffers that nobody shows.
    """
    at = len(commands) - 1
    while at >= 0:
        if commands[at].words[0] == COPY and _absorbed(commands, at, free):
            del commands[at]
        at -= 1
    words = array("i")
    for command in commands:
        found = command.all(backend)
        if found is None:
            return None
        words.extend(found)
    return words


def _absorbed(commands, at, free):
    """Let the kernel that makes what is copied write to where it goes, if it can."""
    _, source, begin, home, place, count = commands[at].words
    if begin or place or source == home or source not in free:
        return False
    maker = at - 1
    while maker >= 0 and not commands[maker].writes(source):
        maker -= 1
    later = commands[maker + 1 : at]
    rest = commands[at + 1 :]
    if maker < 0 or [c for c in later + rest if home in c.ids]:
        return False
    if [c for c in rest if source in c.ids]:
        return False
    if not _shared(commands[maker], source, home, count):
        return False
    for c in later:
        c.rename(source, home)
    return True


def _shared(maker, source, home, count):
    """Give a RUN's output the binding of an input, where that is right."""
    plan, ids = maker.plan, maker.ids
    if plan is None or plan.kernel.shares or plan.kernel.threads:
        return False
    if ids.count(source) != 1 or ids.count(home) != 1 or plan.points != count:
        return False
    old, new = ids.index(home), ids.index(source)
    a, b = plan.kernel.arrays[old], plan.kernel.arrays[new]
    if a.written or not b.written or a.dtype is not b.dtype or a.dtype.bits != 32:
        return False
    if not own_elements(plan, a, b):
        return False
    maker.shares[new] = old
    return True


def own_elements(plan, old, new):
    """Say whether point number i reads of `old` element i alone, and then writes
    element i of `new`."""
    coords = plan.kernel.coords
    if len(coords) != 1:
        return False
    stored = False
    for statement, looped in _accesses(plan.kernel.body, False):
        touched = getattr(statement, "array", None)
        if touched is not old and touched is not new:
            continue
        if looped or type(statement) not in (Load, Store):
            return False
        if not _same(statement.index, coords[0], plan.points):
            return False
        if touched is old and stored:
            return False
        stored = stored or touched is new
    return stored


def _same(index, coord, points):
    """Say whether an index is the number of the point."""
    if points == 1:
        return index.op == "const" and index.args[0] == 0
    return index.op == "var" == coord.op and index.args[0] == coord.args[0]


def sharing(kernel, shares):
    """A kernel like another whose outputs lie over some of its inputs."""
    made = Kernel(kernel.name)
    for name in kernel.__dict__:
        setattr(made, name, kernel.__dict__[name])
    made.shares = dict(shares)
    return made


def _accesses(body, looped):
    """(statement, whether it is in a loop) of a kernel, in order."""
    found = []
    for s in body:
        found.append((s, looped))
        for part in (getattr(s, "body", ()), getattr(s, "orelse", ())):
            found.extend(_accesses(part, looped or type(s) is Loop))
    return found
