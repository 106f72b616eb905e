"""GPU buffers that are used again: allocation is a list operation, not a driver call.

Sizes are rounded up to a few classes. A buffer whose tensor is gone can take the
result of a later kernel at once, because commands run in order; but not new host data
before the pending batch has been sent (a player would have to cut the batch there).
"""

from __future__ import annotations

import gc

from ..errors import DeviceError

SPARE = 64 << 20  # bytes that may always be kept for later
FADE = 6  # by 1/64 of what is too much, each batch, the need of before is forgotten
LEAST = 64  # words of the smallest buffer


class Buffer:
    """A buffer of the GPU: `id` for the stream; it returns to its pool when dropped."""

    __slots__ = ("id", "nwords", "returned", "lender", "readers")

    def __init__(self, id, nwords, returned, lender=None):
        self.id = id
        self.nwords = nwords
        self.returned = returned
        self.lender = lender  # the Buffer whose memory this one shows
        self.readers = None  # programs that read it as it is now

    def lent(self):
        """Another Buffer of the same memory, which it keeps alive."""
        return Buffer(self.id, self.nwords, None, self)

    def move(self, other):
        """Show the memory of `other` from now on."""
        self.id = other.id
        self.lender = other
        self.returned = None

    def release(self):
        """Give the buffer back now (MicroPython never calls __del__)."""
        if self.returned is not None:
            self.returned.append((self.id, self.nwords))
            self.returned = None

    def __del__(self):
        self.release()


class Pool:
    """Hands out buffers by size class and takes them back.

    memory: bytes of all buffers together, at most; None: as the device has.
    """

    def __init__(self, stream, limits, memory=None):
        self.stream = stream
        self.memory = memory
        self.most = min(limits["maxBufferSize"], limits["maxStorageBufferBindingSize"])
        self._own()
        self.adopted = []  # [list like `returned`, how many are out] of reserved ones
        self.reserved = None  # id -> nwords of what was made since `reserve`
        self.unused = None  # the idle buffers of before
        self.made = 0
        self.count = 0
        self.bytes = 0  # of all buffers
        self.spare = 0  # bytes of those in warm and idle
        self.aside = 0  # the same of a pool that waits for `restore`
        self.peak = 0  # the most bytes ever, in use and of all buffers
        self.peak_used = 0
        self.need = 0  # the most bytes in use lately: what a step takes, the next will

    def _own(self):
        self.returned = []  # (id, nwords): filled by Buffer.release
        self.warm = {}  # nwords -> ids that the pending batch uses
        self.idle = {}  # nwords -> ids that nothing uses

    def reserve(self):
        """Hand out unused buffers only, until `restore` gets what this returns."""
        self._collect()
        before = (self.returned, self.warm, self.idle, self.spare)
        self._own()
        self.aside = self.spare
        self.spare = 0
        self.reserved = {}
        self.unused = before[2]
        return before

    def restore(self, before):
        """End `reserve`; returns ({id: nwords} in use, [(id, nwords)] not in use).

        Those in use come back to this pool when they are dropped; the others are the
        caller's, to be given to `take_back`.
        """
        self._collect()
        used, unused = self.reserved, []
        for table in (self.warm, self.idle):
            for nwords, ids in table.items():
                for id in ids:
                    unused.append((id, nwords))
                    del used[id]
        self.adopted.append([self.returned, len(used)])
        self.returned, self.warm, self.idle, self.spare = before
        self.spare = self.aside
        self.aside = 0
        self.reserved = self.unused = None
        return used, unused

    def take_back(self, unused):
        """Use buffers again that were reserved."""
        self._sort_in(unused)

    def new(self, nwords):
        """Return a Buffer that nothing uses, of exactly so many words (of a class)."""
        return self.take(nwords * 4, True)

    def take(self, nbytes, fresh=False):
        """A Buffer of at least `nbytes`; `fresh`: one the pending batch does not use.

        Raises: DeviceError above the device's limit on one binding, or where there is
        no memory for it even without the spare ones.
        """
        if self.returned:
            self._collect()
        nwords = self._class((nbytes + 3) // 4)
        ids = None if fresh else self.warm.get(nwords)
        if not ids:
            ids = self.idle.get(nwords)
        if not ids:
            return self._borrow(nwords) or self._make(nwords)
        self.spare -= nwords * 4
        self._count()
        return Buffer(ids.pop(), nwords, self.returned)

    def _borrow(self, nwords):
        """While buffers are reserved: one that the pool had idle before, or None."""
        ids = self.unused and self.unused.get(nwords)
        if not ids:
            return None
        id = ids.pop()
        self.aside -= nwords * 4
        self.reserved[id] = nwords
        return Buffer(id, nwords, self.returned)

    def _make(self, nwords):
        if self.memory is not None and self.bytes + nwords * 4 > self.memory:
            self._room(nwords * 4)
        self.made += 1
        self.count += 1
        self.bytes += nwords * 4
        self.stream.buffer(self.made, nwords)
        if self.reserved is not None:
            self.reserved[self.made] = nwords
        self._count()
        return Buffer(self.made, nwords, self.returned)

    def _room(self, nbytes):
        """Free spare buffers so that `nbytes` more fit, or raise DeviceError."""
        if self.reserved is None:
            gc.collect()  # an earlier error's frames may hold tensors in a circle
            self._collect()
            self.trim()
            self._trim(self.warm, 0)
        if self.bytes + nbytes > self.memory:
            raise DeviceError(
                "webgpu: out of memory: %d bytes more do not fit into the %d of "
                "FOGO_GPU_MEMORY; tensors hold %d of them; drop tensors, or work on "
                "smaller batches" % (nbytes, self.memory, self.used())
            )

    def used(self):
        """Bytes of buffers that tensors and programs hold."""
        return self.bytes - self.spare - self.aside

    def _count(self):
        self.peak = max(self.peak, self.bytes)
        used = self.used()
        self.peak_used = max(self.peak_used, used)
        self.need = max(self.need, used)

    def stats(self):
        """What fogo.memory_stats tells."""
        self._collect()
        return {
            "in_use": self.used(), "reserved": self.bytes,
            "peak_in_use": self.peak_used,
            "peak_reserved": self.peak, "buffers": self.count,
        }  # fmt: skip

    def reset_peak(self):
        """Count peaks from now on."""
        self._collect()
        self.peak = self.peak_used = 0
        self._count()

    def surrender(self):
        """Name the buffers that no batch uses, for a player short of memory."""
        ids = []
        if self.reserved is not None:
            return ids  # a program that is being captured counts on all of them
        for nwords, idle in self.idle.items():
            self._gone(nwords, len(idle))
            ids.extend(idle)
        self.idle = {}
        return ids

    def _class(self, nwords):
        """Round up to one of four steps to each power of two, within the limit."""
        most = self.most // 4
        if nwords > most:
            raise DeviceError(
                "webgpu: a tensor must fit one storage binding of this device, at most "
                "%d bytes (maxStorageBufferBindingSize); given one of %d bytes; split "
                "it, or use another device" % (self.most, nwords * 4)
            )
        if nwords <= LEAST:
            return LEAST
        step = LEAST // 4
        while step * 8 < nwords:
            step *= 2
        return min((nwords + step - 1) // step * step, most)

    def _collect(self):
        """Sort in what has come back since."""
        self._sort_in(self.returned)
        if self.adopted and self.reserved is None:
            for entry in self.adopted:
                entry[1] -= len(entry[0])  # how many are still out
                self._sort_in(entry[0])
            self.adopted = [entry for entry in self.adopted if entry[1]]

    def _sort_in(self, returned):
        while returned:
            id, nwords = returned.pop()
            self.warm.setdefault(nwords, []).append(id)
            self.spare += nwords * 4

    def sent(self):
        """The pending batch has been sent: what came back is idle now. Trims."""
        self._collect()
        for nwords, ids in self.warm.items():
            self.idle.setdefault(nwords, []).extend(ids)
        self.warm = {}
        if self.reserved is not None:
            return
        used = self.used()
        keep = max(SPARE, self.need - used)
        if self.spare > keep:
            self.trim(keep)
        self.need -= max(self.need - used, 0) >> FADE

    def trim(self, keep=0):
        """Free idle buffers, largest first, until at most `keep` bytes are spare."""
        self._trim(self.idle, keep)

    def _trim(self, table, keep):
        for nwords in sorted(table, reverse=True):
            ids = table[nwords]
            while ids and self.spare > keep:
                self.stream.free(ids.pop())
                self._gone(nwords, 1)

    def _gone(self, nwords, count):
        self.count -= count
        self.bytes -= nwords * 4 * count
        self.spare -= nwords * 4 * count
