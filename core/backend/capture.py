"""What `fogo.compile` has to be told: which tensors change, which modules are called.

A *variable* is a tensor that changes over time: `assign`, `x[i] = v` and the
optimisers give it new handles. While a function is captured, a `Recording` hears of
it; later, programs that read the old values hear of it, through the buffer.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .autodiff import Var
from .threads import Local

if TYPE_CHECKING:
    from typing import Any

REFERENCES = getattr(sys, "getrefcount", None)


class Watch:
    """Whether anything is compiled, and how often modules changed their attributes.

    plays   how many calls were played from a program
    """

    def __init__(self):
        self.on = False
        self.version = 0
        self.plays = 0


class _Active(Local):
    """The recording of this thread, if a function is being captured."""

    recording: Any = None


WATCH = Watch()
ACTIVE = _Active()


class Recording:
    """What one run of a function did beside its ops.

    written  [tensor, the handle it had before]
    guarded  objects with `_guard()`: what they say must stay as it is
    refused  why the run cannot be repeated without Python
    twins    (argument, the tensor that the function has in its place)
    made     id -> number without memory that the run has made (see memory_of)
    read     those of before that it reads
    """

    def __init__(self):
        self.made = {}
        self.read = {}
        self.written = []
        self.twins = []
        self.guarded = []
        self.refused = None

    def write(self, tensor):
        for known, _ in self.written:
            if known is tensor:
                return
        self.written.append((tensor, tensor._handle))

    def follow(self, tensor, handle):
        """An argument may be written under either name; it is one tensor."""
        for given, inside in self.twins:
            if inside is tensor:
                forsake(memory_of(given._handle), given)
                given._handle = handle
            elif given is tensor:
                inside._handle = handle

    def guard(self, thing):
        for known in self.guarded:
            if known is thing:
                return
        self.guarded.append(thing)

    def refuse(self, reason):
        self.refused = self.refused or reason + line()


def line():
    """Where the user's program is, as " (file, line n)"; "" where Python cannot say."""
    frame = getattr(sys, "_getframe", lambda: None)()
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name != "fogo" and not name.startswith("fogo."):
            return " (%s, line %d)" % (frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return ""


def changed(tensor, handle=None):
    """A tensor is about to get new values (called where WATCH.on)."""
    recording = ACTIVE.recording
    if recording is not None:
        recording.write(tensor)
        if handle is not None:
            recording.follow(tensor, handle)
    forsake(memory_of(tensor._handle), tensor)


class Reader:
    """What a program took for constants knows of it: whether it is out of date.

    tensors   those that have changed since: variables of the next program
    """

    __slots__ = ("stale", "tensors")

    def __init__(self):
        self.stale = False
        self.tensors = []


def forsake(memory, tensor=None):
    """Tell the programs that took this for a constant that it is none any more."""
    for reader in getattr(memory, "readers", None) or ():
        reader.stale = True
        if tensor is not None:
            reader.tensors.append(tensor)


def watch(memory, reader):
    """Let a program know when this is no constant any more."""
    known = [r for r in memory.readers or () if not r.stale]
    memory.readers = known + [reader]


def number_made(value):
    """A number without memory is made (called where WATCH.on)."""
    recording = ACTIVE.recording
    if recording is not None:
        recording.made[id(value)] = value


def number_read(value):
    """A number without memory is computed with (called where WATCH.on)."""
    recording = ACTIVE.recording
    if recording is not None and id(value) not in recording.made:
        recording.read[id(value)] = value


def called(thing):
    """A module or an optimiser works (called where WATCH.on)."""
    recording = ACTIVE.recording
    if recording is not None:
        recording.guard(thing)


def refuse(reason):
    """Something happens that a program cannot do (called where WATCH.on)."""
    recording = ACTIVE.recording
    if recording is not None:
        recording.refuse(reason)


# Handles, from the outermost autodiff level down to the buffer.


def base_of(handle):
    """The handle below every autodiff level."""
    while isinstance(handle, Var):
        handle = handle.inner
    return handle


def buffer_of(handle):
    """The buffer that a handle shows; None where it is still to be computed."""
    handle = base_of(handle)
    value = getattr(handle, "value", None)  # of Fusion's handles
    if value is not None:
        handle = value.base
    return getattr(handle, "buffer", None)


def memory_of(handle):
    """The buffer that a handle shows, or the number where Fusion keeps only that."""
    value = getattr(base_of(handle), "value", None)
    if value is not None and value.number is not None:
        return value
    return buffer_of(handle)


def rebased(handle, base):
    """The same handle, with its history, around other memory."""
    if isinstance(handle, Var):
        return Var(rebased(handle.inner, base), handle.node, handle.index)
    return base


def chain(handle):
    """Every object between a tensor and its memory, the buffer included."""
    found = []
    while isinstance(handle, Var):
        found.append(handle)
        handle = handle.inner
    found.append(handle)
    value = getattr(handle, "value", None)
    if value is not None:
        found.append(value)
        handle = value.base
        found.append(handle)
    found.append(handle.buffer)
    return found


def nodes_of(handle):
    """The nodes of a leaf, of every autodiff level."""
    found = []
    while isinstance(handle, Var):
        if handle.node is not None:
            found.append(handle.node)
        handle = handle.inner
    return found
