"""Homes: memory in which a variable lives while compiled functions use it.

A program reads and writes the same memory each time it is played. What changes from
call to call therefore has a home: its value is brought there before a play, if it has
been assigned elsewhere since, and the new value is left there. Tensors show a home
through a *lent* buffer. Whoever still holds the lent buffer of an old value (a tensor
made by `detach`, a view, a graph) is given a copy before the home is overwritten; who
does is seen by counting references, where Python counts them, and assumed elsewhere.
"""

from __future__ import annotations

from ..ops.elementwise import COPY
from ..ops.record import Aval
from ..shapes import Layout, size
from .base import Handle
from .capture import REFERENCES, buffer_of, forsake, memory_of, rebased


class Home:
    """The memory of `count` numbers on a backend.

    outer   the backend that makes the handles of tensors; it may defer work
    raw     the one below, which owns the memory
    lent    the Buffer that tensors show it through now
    """

    def __init__(self, outer, raw, count, dtype):
        self.outer = outer
        self.raw = raw
        self.count = count
        self.dtype = dtype
        self.buffer = raw.pool.take(count * dtype.itemsize, True)
        self.lent = None
        self.whole = None
        self.renew()

    def renew(self):
        """Show it through a new lent buffer; returns the one before."""
        old = self.lent
        self.lent = self.buffer.lent()
        if old is not None:
            self.lent.readers, old.readers = old.readers, None
        handle = Handle(self.lent, Layout((self.count,)), self.dtype)
        self.whole = self.outer.adopt(handle)
        return old

    def view(self, layout):
        """A handle (below every autodiff level) of a part of it."""
        return self.outer.view_at(self.whole, layout)

    def put(self, handle, layout):
        """Copy a raw handle's values to where `layout` lies in it."""
        if not plain(handle):
            handle = copied(self.raw, handle)
        wide = self.dtype.itemsize
        self.raw.copy(
            handle.buffer,
            handle.layout.offset * wide // 4,
            self.buffer,
            layout.offset * wide // 4,
            (size(layout.shape) * wide + 3) // 4,
        )


class Place:
    """A tensor, its home, and where it lies in that."""

    __slots__ = ("tensor", "home", "layout")

    def __init__(self, tensor, home, layout):
        self.tensor = tensor
        self.home = home
        self.layout = layout

    @property
    def at_home(self):
        """Say whether the tensor shows its home's memory now."""
        return buffer_of(self.tensor._handle) is self.home.lent

    def enter(self):
        """Let the tensor show its home, keeping its history."""
        tensor = self.tensor
        tensor._handle = rebased(tensor._handle, self.home.view(self.layout))


def places_of(tensor, outer, raw):
    """The places of a variable and of all that share its home, itself first."""
    arena = tensor._arena
    known = tensor._home
    if known is None or not _fits(known, tensor, outer):
        home = Home(outer, raw, size(tensor.shape), tensor.dtype)
        known = tensor._home = (home, Layout(tensor.shape))
    places = [Place(tensor, known[0], known[1])]
    if arena is not None:
        for member, layout in arena.members():
            member._home = (known[0], layout)
            places.append(Place(member, known[0], layout))
    return places


def _fits(known, tensor, outer):
    home, layout = known
    return (
        home.outer is outer
        and home.dtype is tensor.dtype
        and layout.shape == tensor.shape
    )


def plain(handle):
    """Say whether the values lie row-major, from a whole word on."""
    layout = handle.layout
    if layout.offset * handle.dtype.itemsize % 4:
        return False
    return layout.contiguous or Layout(layout.shape).strides == layout.strides


def copied(raw, handle):
    """The values of a raw handle in memory of their own."""
    return raw.run(COPY, (handle,), (), (Aval(handle.shape, handle.dtype),))[0]


def bring_home(home, places, values):
    """Give new handles to the tensors of a home; their values are there after it.

    values: raw handle per place (None for those at home).
    """
    staying = [p for p in places if p.at_home]
    old = home.renew()
    for p in staying:
        p.enter()
    leave(home, old)
    settle(home, [(p, v) for p, v in zip(places, values) if v is not None])


def settle(home, arriving):
    """Copy values home: pairs of place and raw handle. Parts of a whole that has been
    copied come along with it."""
    whole = None
    for p, value in arriving:
        part = whole is not None and value.buffer is whole.buffer
        if not part or not plain(value) or value.layout.offset != p.layout.offset:
            home.put(value, p.layout)
        if p.tensor._arena is not None and plain(value) and not value.layout.offset:
            whole = value
        forsake(memory_of(p.tensor._handle), p.tensor)
        p.enter()


def leave(home, old):
    """Move what others hold of a home's old value to memory of its own."""
    if old is not None and (REFERENCES is None or REFERENCES(old) > ALONE):
        forsake(home.lent)
        move(home.raw, old, home.buffer)


def move(raw, shown, owner):
    """Let a lent Buffer show a copy from now on."""
    nwords = owner.nwords
    fresh = raw.pool.take(nwords * 4)
    raw.copy(owner, 0, fresh, 0, nwords)
    forsake(shown)
    shown.move(fresh)


def _count(thing):
    """How many references `leave` sees where the caller holds the only other one."""
    return 0 if REFERENCES is None else REFERENCES(thing)


def _caller():
    old = object()
    return _count(old)


ALONE = _caller()
