"""The memories of the checking interpreter: each knows who touched what, and when.

An access belongs to a group, a thread of it, and an epoch: the number of barriers so
far. Two accesses to an element race unless they are of one thread, or of one group in
different epochs, or both only read, or both are atomic. A matrix tile is moved by a
whole subgroup: its accesses carry a thread number of their own.
"""

from __future__ import annotations

from array import array

from ..dtypes import float16, float64
from . import mathfun

MANY = -1  # in place of a group or a thread: several of them
NOBODY = (None, 0, 0, 0, False)  # group, thread, epoch, site, atomic
GRANULE = 64  # bytes: buffers are padded to whole ones


def fit(value, dtype):
    """A number brought to its dtype: rounded, or wrapped as hardware does."""
    if dtype.is_float:
        rounded = array("d" if dtype is float64 else "f", (value,))
        return rounded[0]
    if dtype.is_bool:
        return value
    value &= (1 << dtype.bits) - 1
    above = dtype.kind == "int" and value >> (dtype.bits - 1)
    return value - (1 << dtype.bits) if above else value


class Values:
    """Typed storage: a flat array, read and written as Python numbers."""

    def __init__(self, storage, dtype):
        self.storage = storage
        self.dtype = dtype
        self.half = dtype is float16

    def get(self, i):
        v = self.storage[i]
        return mathfun.half_to_float(v) if self.half else v

    def put(self, i, value):
        self.storage[i] = mathfun.float_to_half(value) if self.half else value


class Memory:
    """A buffer or the shared memory of a group, with its checks.

    name     "input 0", "output 1", "shared 0": for messages
    ready    it has contents from the start
    tracked  somebody may write it
    holes    elements of an input that the kernel before has left unwritten
    pad      it is as large as its whole granules (buffers, not shared memory)
    """

    def __init__(self, log, name, storage, dtype, size, ready, tracked, pad=True):
        self.log = log
        self.name = name
        self.values = Values(storage, dtype)
        self.size = size
        self.ready = ready
        self.tracked = tracked
        self.group = 0
        self.epoch = 0
        granule = max(GRANULE // dtype.itemsize, 1)
        self.padded = (size + granule - 1) // granule * granule if pad else size
        self.garbage = float("nan") if dtype.is_float else 0
        self.writers = [None] * (size if tracked else 0)
        self.readers = [None] * (size if tracked else 0)
        self.doubts = {}  # element -> (site, thread): read before anyone wrote it
        self.holes = ()

    def forget(self):
        """A new group begins: shared memory is undefined again."""
        self.writers = [None] * self.size
        self.readers = [None] * self.size

    def settle(self):
        """Report the reads that nobody's write explains (as a race); see `load`."""
        for i in self.doubts:
            site, _ = self.doubts[i]
            self.log.add(
                "uninitialised", site, self,
                "load of element %d of %s, which nobody has written" % (i, self.name),
            )  # fmt: skip
        self.doubts = {}

    # One element.

    def load(self, i, site, thread):
        if not 0 <= i < self.size:
            self.outside(i, site, "load")
            return self.garbage
        if self.tracked:
            self.note_read(i, site, thread, False)
        elif i in self.holes:
            self.doubts[i] = (site, thread)
        return self.values.get(i)

    def store(self, i, value, site, thread):
        if not 0 <= i < self.size:
            self.outside(i, site, "store")
            return
        self.note_write(i, site, thread, False)
        self.values.put(i, value)

    def swap(self, i, change, site, thread, blind=False):
        """An atomic access: `change(old)` is stored (if not None); returns the old
        value. blind: it does not look at it."""
        if not 0 <= i < self.size:
            self.outside(i, site, "atomic access")
            return self.garbage
        known = blind or self.note_read(i, site, thread, True)
        old = self.values.get(i) if known else 0
        value = change(old)
        if value is not None:
            self.note_write(i, site, thread, True)
            self.values.put(i, value)
        return old

    # Several neighbours.

    def load_wide(self, i, n, site, thread):
        if not self._wide(i, n, site, "load"):
            return [self.garbage] * n
        rest = min(n, self.size - i)  # beyond is padding: anything
        found = [self.load(i + j, site, thread) for j in range(rest)]
        return found + [self.garbage] * (n - rest)

    def store_wide(self, i, values, site, thread):
        n = len(values)
        if self._wide(i, n, site, "store"):
            for j in range(min(n, self.size - i)):
                self.store(i + j, values[j], site, thread)

    def _wide(self, i, n, site, what):
        if not (0 <= i < self.size and i + n <= self.padded):
            self.outside(i, site, "%s of %d elements" % (what, n))
            return False
        if i % n:
            self.log.add(
                "misaligned", site, self,
                "%s of %d elements of %s at element %d, not a multiple of %d"
                % (what, n, self.name, i, n),
            )  # fmt: skip
        return True

    def outside(self, i, site, what):
        self.log.add(
            "out-of-bounds", site, self,
            "%s of %s, which has %d elements, at element %d"
            % (what, self.name, self.size, i),
        )  # fmt: skip

    # Who did what.

    def note_read(self, i, site, thread, atomic):
        """Remember a read; returns whether the element has a value."""
        group, epoch = self.group, self.epoch
        w = self.writers[i]
        if w is None:
            if not self.ready or i in self.holes:
                self.doubts[i] = (site, thread)
        elif w[0] != group or (w[1] != thread and w[2] == epoch):
            if not (atomic and w[4]):
                self.race(i, site, w[3])
        if atomic:  # the write that follows says it all
            return w is not None or self.ready
        r = self.readers[i]
        if r is None or (r[0] == group and r[2] != epoch):
            self.readers[i] = (group, thread, epoch, site)
        elif r[0] != group:
            self.readers[i] = (MANY, MANY, epoch, r[3])
        elif r[1] != thread:
            self.readers[i] = (group, MANY, epoch, r[3])
        return True

    def note_write(self, i, site, thread, atomic):
        group, epoch = self.group, self.epoch
        doubt = self.doubts.get(i) if self.doubts else None
        if doubt is not None and doubt[1] != thread:
            del self.doubts[i]  # somebody does write it: a race, reported below
        w = self.writers[i] or NOBODY
        if w[0] is not None and (w[0] != group or (w[1] != thread and w[2] == epoch)):
            if not (atomic and w[4]):
                self.race(i, site, w[3])
        r = self.readers[i]
        if r and (r[0] != group or (r[1] != thread and r[2] == epoch)):
            self.race(i, site, r[3])
        if w[:3] == (group, thread, epoch):  # a plain write is not forgotten
            atomic = atomic and w[4]
        self.writers[i] = (group, thread, epoch, site, atomic)

    def race(self, i, site, other):
        """Two accesses, in the order of the kernel's text."""
        self.log.add(
            "race", max(site, other), self,
            "two threads touch element %d of %s, one of them writes, and nothing comes "
            "between them" % (i, self.name),
            min(site, other),
        )  # fmt: skip

    def unwritten(self):
        """The elements without a value, in order."""
        if self.ready or not self.tracked:
            return list(self.holes)
        return [i for i in range(self.size) if self.writers[i] is None]
