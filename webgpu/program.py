"""Capturing what runs into a program of the player, and playing it again.

While a program is captured everything runs as ever; its RUNs and COPYs are written
down beside. All buffers made meanwhile are the program's own: a later play finds in
them what this run left, and nobody else uses them.
"""

from __future__ import annotations

from array import array

from .gpu import RUN


class Capture:
    """A program being captured on a WebGpu backend, whose lock the caller holds.

    refused  why it cannot become a program; None while it can
    outer    id -> Buffer read that was there before
    """

    def __init__(self, backend):
        self.backend = backend
        self.refused = None
        self.outer = {}
        self.kept = []
        backend.stream.tape = array("i")
        backend.tape = self
        self.before = backend.pool.reserve()
        self.returned = backend.pool.returned

    def owns(self, buffer):
        """Say whether a Buffer was made during the capture."""
        return buffer.returned is self.returned

    def note(self, handles):
        """These are read by a kernel."""
        for h in handles:
            if h.buffer.returned is not self.returned:
                self.outer[h.buffer.id] = h.buffer

    def touch(self, buffer):
        """This is read by a copy."""
        if buffer.returned is not self.returned:
            self.outer[buffer.id] = buffer

    def keep(self, buffer):
        """Host data went there: it stays as it is."""
        self.kept.append(buffer)

    def refuse(self, reason):
        """Give up: what runs goes on running."""
        self.refused = self.refused or reason

    def stop(self):
        """End the capture; returns (words, the buffers for `Pool.adopt`)."""
        backend = self.backend
        words, backend.stream.tape, backend.tape = backend.stream.tape, None, None
        return words, backend.pool.restore(self.before)

    def abandon(self):
        """End the capture; nothing of it is kept."""
        _, reserved = self.stop()
        self.kept = []
        self.outer = {}
        self.backend.pool.adopt(reserved)

    def finish(self):
        """End the capture; returns the Program."""
        words, reserved = self.stop()
        return Program(self.backend, words, reserved, self)


class Program:
    """A program that the player holds, and the buffers that are its own.

    stale  whether something that it read has been replaced since
    """

    def __init__(self, backend, words, reserved, capture):
        self.backend = backend
        self.reserved = reserved
        self.kept = capture.kept
        self.outer = [b.lender or b for b in capture.outer.values()]
        self.stale = False
        self.kernels = _runs(words)
        backend.programs += 1
        self.id = backend.programs
        backend.stream.program(self.id, words)

    def play(self):
        """Do it all again, and send the batch."""
        self.backend.stream.play(self.id)
        self.backend.flush()

    def drop(self):
        """Forget it; its buffers are used again once nobody shows them."""
        with self.backend.lock:
            if self.reserved is not None:
                reserved, self.reserved = self.reserved, None
                self.kept = self.outer = ()
                self.backend.stream.drop(self.id)
                self.backend.pool.adopt(reserved)


def _runs(words):
    """How many kernels a program runs."""
    count = at = 0
    while at < len(words):
        if words[at] == RUN:
            count += 1
            grid = at + 3 + words[at + 2]
            at = grid + 4 + words[grid + 3]
        else:
            at += 6
    return count
