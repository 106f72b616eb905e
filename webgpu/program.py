"""Capturing what runs into a program of the player, and playing it again.

While a program is captured everything runs as ever; its RUNs and COPYs are written
down beside. All buffers made meanwhile are the program's own: a later play finds in
them what this run left, and nobody else uses them.
"""

from __future__ import annotations

from array import array

from ..backend.capture import line
from ..backend.threads import get_ident
from .gpu import RUN
from .inplace import Command, in_place


class Capture:
    """A program being captured on a WebGpu backend: what this thread runs.

    words    its RUNs and COPYs
    plans    where a RUN begins in them -> its plan, if it is known
    refused  why it cannot become a program; None while it can
    outer    id -> Buffer read that was there before
    """

    def __init__(self, backend):
        self.backend = backend
        self.thread = get_ident()
        self.words = array("i")
        self.plans = {}
        self.refused = None
        self.paused = False
        self.outer = {}
        self.kept = []
        with backend.lock:
            backend.collect()
            self.before = backend.pool.reserve()
            self.returned = backend.pool.returned
            backend.tape = self

    def owns(self, buffer):
        """Say whether a Buffer was made during the capture."""
        return buffer.returned is self.returned

    def add(self, words, buffers, plan=None):
        """A command, and Buffers that it reads."""
        if self.paused or get_ident() != self.thread:
            return
        self.plans[len(self.words)] = plan
        self.words.extend(words)
        for buffer in buffers:
            if buffer.returned is not self.returned:
                self.outer[buffer.id] = buffer

    def keep(self, buffer):
        """Host data went there: it stays as it is."""
        if get_ident() == self.thread:
            self.kept.append(buffer)

    def refuse(self, reason):
        """Give up: what runs goes on running."""
        if get_ident() == self.thread:
            self.refused = self.refused or reason + line()

    def stop(self):
        """End the capture; returns (used, unused): see `Pool.restore`."""
        self.backend.tape = None
        return self.backend.pool.restore(self.before)

    def abandon(self):
        """End the capture; nothing of it is kept."""
        with self.backend.lock:
            _, unused = self.stop()
            self.kept = []
            self.outer = {}
            self.backend.pool.take_back(unused)

    def finish(self):
        """End the capture; returns the Program.

        Tensors that this run has left keep their memory: where it wrote to a buffer
        that is still shown, the program gets a twin of that buffer.
        """
        with self.backend.lock:
            used, unused = self.stop()
            for b in self.kept:
                used.pop(b.id, None)
            self._in_place({id: True for id, _ in unused})
            touched = _buffers(self.words)
            twins = {}
            for id in sorted(used):
                if id in touched:
                    twins[id] = self.backend.pool.new(used[id])
            _rename(self.words, twins)
            return Program(self.backend, unused, twins, self)

    def _in_place(self, free):
        """Let kernels write to the homes of variables themselves, where they can."""
        commands = []
        for at, end in _commands(self.words):
            commands.append(Command(self.words[at:end], self.plans[at]))
        self.words = in_place(self.backend, commands, free) or self.words


class Program:
    """A program that the player holds, and the buffers that are its own.

    twins    id of a buffer that the capture has left in use -> the Buffer in its place
    kernels  how many it runs
    reader   what is told when it is gone
    """

    def __init__(self, backend, unused, twins, capture):
        words = capture.words
        self.backend = backend
        self.reader = None
        self.unused = unused
        self.twins = twins
        self.kept = capture.kept
        self.outer = [b.lender or b for b in capture.outer.values()]
        self.kernels = sum([1 for at, _ in _commands(words) if words[at] == RUN])
        backend.programs += 1
        self.id = backend.programs
        backend.stream.program(self.id, words)

    def play(self):
        """Do it all again, and send the batch."""
        self.backend.stream.play(self.id)
        self.backend.flush()

    def drop(self):
        """Forget it; its buffers are used again once nobody shows them."""
        self.__del__()
        with self.backend.lock:
            self.backend.collect()

    def __del__(self):
        """May run in the middle of anything: `collect` does the rest."""
        unused, self.unused = self.unused, None
        if unused is None:
            return
        if self.reader is not None:
            self.reader.stale = True
        self.kept = self.outer = ()
        self.twins = {}
        self.backend.forgotten.append((self.id, unused))


def _commands(words):
    """Where the commands of a program begin and end."""
    places = []
    at = 0
    while at < len(words):
        begin = at
        if words[at] == RUN:
            grid = at + 3 + words[at + 2]
            at = grid + 4 + words[grid + 3]
        else:
            at += 6
        places.append((begin, at))
    return places


def _places(words):
    """Where the ids of buffers stand in a program."""
    places = []
    for at, _ in _commands(words):
        if words[at] == RUN:
            places.extend(range(at + 3, at + 3 + words[at + 2]))
        else:
            places.append(at + 1)
            places.append(at + 3)
    return places


def _buffers(words):
    """The ids of a program's buffers."""
    return {words[place] for place in _places(words)}


def _rename(words, twins):
    """Put other buffers in place of those in `twins`."""
    for place in _places(words):
        twin = twins.get(words[place])
        if twin is not None:
            words[place] = twin.id
