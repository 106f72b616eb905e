"""`Replay`: a captured run of a function, played again without its Python."""

from __future__ import annotations

from ..shapes import Layout
from .autodiff import _NUMBERS, Var
from .base import Handle
from .capture import REFERENCES, WATCH, Reader, base_of, chain, changed, nodes_of
from .home import bring_home, move
from .threads import Uninterrupted


def _one():
    """How many references a thing has that only a list holds."""
    return 0 if REFERENCES is None else [REFERENCES(x) for x in [object()]][0]


ONE = _one()


class Result:
    """One tensor that a function returns.

    kind    "new": a view of memory that the program writes; "given": an argument;
            "same": always this tensor; "value": always these values
    """

    __slots__ = ("kind", "what", "layout", "dtype", "device", "levels")

    def __init__(self, kind, what, handle=None, device=None, levels=0):
        self.kind = kind
        self.what = what  # argument, place among the results' buffers, tensor or handle
        self.layout = handle and handle.layout
        self.dtype = handle and handle.dtype
        self.device = device
        self.levels = levels


class Replay:
    """A program, and what surrounds it: variables, arguments, results.

    outer, raw   the backends: of tensors, of buffers
    program      of the raw backend
    homes        [home, places of its variables, whether the program writes it]
    inputs, fed  memory of arguments; which of the arguments those are
    reader       what knows whether its constants still are
    results, changed   Results: what the function returns; (argument, its new value)
    owners       Buffers that the results show
    """

    def __init__(self, outer, raw, program):
        self.outer = outer
        self.raw = raw
        self.program = program
        self.reader = program.reader = Reader()
        self.homes = []
        self.inputs = []
        self.fed = []
        self.results = []
        self.changed = []
        self.owners = []
        self.guards = []
        self.form = None

    # While it is made.

    def ready(self, guarded):
        """All is there: remember what must be so before the next play."""
        self.guards = [(thing, thing._guard()) for thing in guarded]
        self.version = WATCH.version
        self.shown = [None] * len(self.owners)
        self.last = [None] * len(self.inputs)
        self.tensors = [p.tensor for _, places, _ in self.homes for p in places]
        self._look()

    def _look(self):
        """Note the handles of the variables, and who holds what they show."""
        self.expected = [t._handle for t in self.tensors]
        self.wanting = [t.requires_grad for t in self.tensors]
        self.links = []
        self.nodes = []
        known = {}
        for _, places, written in self.homes:
            for p in places if written else ():
                for thing in chain(p.tensor._handle):
                    known[id(thing)] = thing
                self.nodes.extend(nodes_of(p.tensor._handle))
        if REFERENCES is not None:
            self.links = [known[key] for key in known]
        del known
        self.counts = self._references()

    def _references(self):
        """How many hold each part of what will be written."""
        return [REFERENCES(x) for x in self.links]

    def drop(self):
        """Forget the program."""
        self.reader.stale = True
        self.program.drop()
        self.homes = self.inputs = self.owners = self.shown = self.last = ()
        self.tensors = self.expected = self.links = self.nodes = self.results = ()
        self.guards = self.changed = ()

    # Before a play.

    def fits(self):
        """Say whether all that it assumes still holds."""
        for thing, known in self.guards:
            if hasattr(thing, "_refresh"):
                thing._refresh()
                if not alike(thing._guard(), known):
                    return False
        if WATCH.version != self.version:
            for thing, known in self.guards:
                if not alike(thing._guard(), known):
                    return False
            self.version = WATCH.version
        return not self.reader.stale and self._variables()

    def _variables(self):
        """Say whether the variables are what they were, but for their values."""
        if [t._handle for t in self.tensors] == self.expected:
            return True
        for _, places, _ in self.homes:
            for p in places:
                t = p.tensor
                same = t.shape == p.layout.shape and t.dtype is p.home.dtype
                if not same or t.device.base().backend is not self.outer:
                    return False
        return [t.requires_grad for t in self.tensors] == self.wanting

    def play(self, given):
        """Do it again with these arguments; returns the leaves of the result."""
        outer, raw = self.outer, self.raw
        given = [given[i] for i in self.fed]
        if outer is not raw:
            outer.flush()
        handles = [outer.settled(base_of(t._handle)) for t in given]
        moved = None
        if [t._handle for t in self.tensors] != self.expected:
            moved = [outer.settled(base_of(t._handle)) for t in self.tensors]
        with raw.lock, Uninterrupted():
            if moved is not None or self._held():
                self._bring_home(moved)
            self._part_results()
            self._feed(handles)
            self.program.play()
            for node in self.nodes:
                node.number = next(_NUMBERS)
            return self._give(given)

    def _held(self):
        """Say whether somebody holds old values of what will be written."""
        return REFERENCES is None or self._references() != self.counts

    def _bring_home(self, moved):
        at = 0
        for home, places, written in self.homes:
            part = [
                None if moved is None or p.at_home else moved[at + i]
                for i, p in enumerate(places)
            ]
            at += len(places)
            if written or [v for v in part if v is not None]:
                bring_home(home, places, part)
        self._look()

    def _part_results(self):
        """Let results of earlier plays keep their values, where somebody has them."""
        if REFERENCES is not None:
            held = [REFERENCES(b) > ONE for b in self.shown]
        else:
            held = [True] * len(self.shown)
        for i, owner in enumerate(self.owners):
            if held[i] and self.shown[i] is not None:
                move(self.raw, self.shown[i], owner)
            self.shown[i] = None

    def _feed(self, handles):
        """Copy the arguments to where the program reads them."""
        raw = self.raw
        for i, (home, h) in enumerate(zip(self.inputs, handles)):
            if self.last[i] is h.buffer and h.layout.contiguous:
                continue
            own = raw.contiguous(h)
            home.put(own, own.layout)
            mine = h.layout.contiguous and h.buffer.lender is None
            self.last[i] = h.buffer if mine else None

    def _give(self, given):
        for i, owner in enumerate(self.owners):
            self.shown[i] = owner.lent()
        for i, result in self.changed:
            changed(given[i])
            given[i]._handle = self._tensor(result, given)._handle
        return [self._tensor(r, given) for r in self.results]

    def _tensor(self, result, given):
        if result.kind == "given":
            return given[result.what]
        if result.kind == "same":
            return result.what
        if result.kind == "value":
            handle = result.what
        else:
            layout = result.layout
            lent = self.shown[result.what]
            count = lent.nwords * 4 // result.dtype.itemsize
            whole = Handle(lent, Layout((count,)), result.dtype)
            handle = self.outer.view_at(self.outer.adopt(whole), layout)
        for _ in range(result.levels):
            handle = Var(handle, None, 0)
        return result.device.tensor_class(handle, result.device)


def alike(now, then):
    """Compare what guards say: objects by identity, plain values by value."""
    if now is then:
        return True
    if isinstance(then, (tuple, list)):
        if type(now) is not type(then) or len(now) != len(then):
            return False
        for a, b in zip(now, then):
            if not alike(a, b):
                return False
        return True
    if isinstance(then, (bool, int, float, str)):
        return type(now) is type(then) and now == then
    return False
