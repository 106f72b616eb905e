"""One captured run of a function: what `fogo.compile` makes a `Replay` of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .backend.autodiff import detached
from .backend.capture import ACTIVE, Recording, base_of, buffer_of, memory_of, watch
from .backend.gradients import Gradients
from .backend.holders import (
    has_history,
    holds,
    levels_of,
    lives_on,
    runs_on,
    wrapped,
)
from .backend.home import Home, bring_home, copied, leave, places_of, settle
from .backend.replay import Replay, Result
from .backend.threads import Uninterrupted
from .shapes import Layout, size
from .tensor import Tensor
from .tree import flatten, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable

    from .compiling import Compiled


def record(
    owner: Compiled, outer: Any, function: Callable[..., Any], leaves: Any, form: Any
) -> tuple[Any, Replay | None, str | None]:
    """Run a function; returns (its result, a Replay or None, why it cannot have one).

    Without a Replay and a reason: the next call may be captured.
    """
    raw = outer.inner or outer
    with raw.capturing:
        recorder = Recorder(owner, outer, raw)
        recorder.prepare(leaves)
        return recorder.run(function, form)


class Recorder:
    """What stands around one captured run."""

    def __init__(self, owner: Compiled, outer: Any, raw: Any) -> None:
        self.owner = owner
        self.outer = outer
        self.raw = raw
        self.recording = Recording()
        self.homes: list[list[Any]] = []  # [home, places, whether it is written]
        self.inputs: list[Home] = []
        self.stand_ins: list[Tensor] = []
        self.given: list[Tensor] = []
        self.fed: list[int] = []  # which of the arguments those are
        self.leaves: list[Any] = []
        self.capture: Any = None

    # Before the run.

    def prepare(self, leaves: list[Any]) -> None:
        """Bring variables home, and copies of the arguments to where they will be."""
        self.outer.flush()
        known = list(self.owner._known)
        for tensor in known:
            if tensor._arena is not None:
                self._variable(tensor)
        for tensor in known:
            self._variable(tensor)
        at = 0
        for x in leaves:
            if isinstance(x, Tensor):
                x = self._argument(x, at)
                at += 1
            elif hasattr(x, "_guard"):
                self.recording.guard(x)
            self.leaves.append(x)
        self.outer.flush()

    def _variable(self, tensor: Tensor) -> None:
        if tensor.device.base().backend is not self.outer or self._place(tensor):
            return
        places = places_of(tensor, self.outer, self.raw)
        home = places[0].home
        for entry in self.homes:
            if entry[0] is home:
                self._add(entry, places)
                return
        entry = [home, [], False]
        self.homes.append(entry)
        self._add(entry, places)

    def _add(self, entry: list[Any], places: list[Any]) -> None:
        new = [p for p in places if not self._place(p.tensor)]
        entry[1].extend(new)
        values = [
            None if p.at_home else self.outer.settled(base_of(p.tensor._handle))
            for p in entry[1]
        ]
        with self.raw.lock, Uninterrupted():
            bring_home(entry[0], entry[1], values)

    def _place(self, tensor: Tensor) -> Any:
        for _, places, _ in self.homes:
            for p in places:
                if p.tensor is tensor:
                    return p
        return None

    def _argument(self, x: Tensor, at: int) -> Tensor:
        """A tensor in the argument's place, in memory of the program.

        A variable stands for itself, and a tensor that is given twice is one tensor.
        """
        if self._place(x):
            return x
        for stand_in, known in zip(self.stand_ins, self.given):
            if known is x:
                return stand_in
        value = self.raw.contiguous(self.outer.settled(base_of(x._handle)))
        home = Home(self.outer, self.raw, size(x.shape), x.dtype)
        home.put(value, value.layout)
        handle = home.view(Layout(x.shape))
        made = x.device.tensor_class(wrapped(x._handle, handle), x.device)
        if x.requires_grad:
            made.requires_grad_()
        self.inputs.append(home)
        self.stand_ins.append(made)
        self.given.append(x)
        self.recording.twins.append((x, made))
        self.fed.append(at)
        return made

    # The run.

    def run(
        self, function: Callable[..., Any], form: Any
    ) -> tuple[Any, Replay | None, str | None]:
        """Run the function, and end the capture in whatever way it must end."""
        args, named = unflatten(form, self.leaves)
        self.capture = self.raw.program()
        ACTIVE.recording = self.recording
        try:
            result = function(*args, **named)
            ACTIVE.recording = None
            self.outer.flush()
            self._look_at(result)
            leaves, shape = flatten(result)
            del result, args, named
            return self._end(leaves, shape)
        finally:
            ACTIVE.recording = None
            if self.capture is not None:
                self.capture.abandon()

    def _look_at(self, result: Any) -> None:
        """Refuse results that a play cannot make."""
        if holds(result, lambda x: isinstance(x, Gradients)):
            self.recording.refuse(
                "it returns Gradients; return those that are needed: grads[p]"
            )
        if holds(result, runs_on):
            self.recording.refuse("it returns an iterator or a coroutine")

    def _end(
        self, leaves: list[Any], form: Any
    ) -> tuple[Any, Replay | None, str | None]:
        for x in leaves:
            if has_history(x):
                self.recording.refuse(
                    "it returns a tensor with history; go backward inside, or return "
                    "it by .detach()"
                )
        elsewhere = self._elsewhere(leaves)
        reason = self.recording.refused or self.capture.refused
        own = self._own(leaves)
        replay = None
        if reason is None and not elsewhere and not self._discovered(leaves):
            replay = self._finish(leaves)
            replay.form = form
            replay.ready(self.recording.guarded)
        return unflatten(form, own), replay, reason

    def _elsewhere(self, leaves: list[Any]) -> bool:
        """Say whether it worked on another device: the next call is captured there."""
        touched = [x for x in leaves if isinstance(x, Tensor)]
        touched += [t for t, _ in self.recording.written]
        places: list[Any] = []
        for t in touched:
            if t.device.base() not in places:
                places.append(t.device.base())
        others = [d for d in places if d.backend is not self.outer]
        if not others:
            return False
        if len(places) > 1 or self.given:
            self.recording.refuse(
                "it works on several devices: %s; compile what runs on one of them"
                % " and ".join(sorted([repr(d) for d in places]))
            )
        self.owner.where = others[0]
        return True

    def _own(self, leaves: list[Any]) -> list[Any]:
        """The result for the caller: its own arguments where they are returned."""
        self.recording.twins = []
        return [self._given(x, x) for x in leaves]

    def _given(self, tensor: Any, default: Any) -> Any:
        for stand_in, x in zip(self.stand_ins, self.given):
            if tensor is stand_in:
                return x
        return default

    def _discovered(self, leaves: list[Any]) -> bool:
        """Learn of variables; say whether there are any that were not known."""
        found = False
        written, self.recording.written = self.recording.written, []
        while written:
            tensor, before = written.pop()
            arena = tensor._arena is not None
            fresh = self._fresh_memory(memory_of(before))
            del before
            mine = self._place(tensor) or self._given(tensor, None) is not None
            if mine:
                self.recording.written.append((tensor, None))
                continue
            given_back = bool([x for x in leaves if x is tensor])
            if arena or not fresh or (lives_on(tensor) and not given_back):
                self.owner.learn(tensor)
                found = True
        return found

    def _fresh_memory(self, memory: Any) -> bool:
        """Say whether the run has made this (None: it is still to be computed)."""
        if hasattr(memory, "number"):
            return id(memory) in self.recording.made
        return memory is None or self.capture.owns(memory)

    # After the run.

    def _finish(self, leaves: list[Any]) -> Replay:
        """Have the program leave everything in its place, and make the Replay."""
        raw, outer = self.raw, self.outer
        changed = [t for t, _ in self.recording.written]
        self.recording.written = []
        self._disown()
        shown: list[Any] = []
        results = [self._result(x, shown) for x in leaves]
        updates = self._updates(changed, shown)
        del changed, leaves  # `_settle` sees who else holds old values
        with raw.lock, Uninterrupted():
            self._settle()
            outers = self.capture.outer
            program = self.capture.finish()
            self.capture = None
            replay = Replay(outer, raw, program)
            replay.homes = [tuple(entry) for entry in self.homes]
            replay.inputs = self.inputs
            replay.fed = self.fed
            replay.results = results
            replay.changed = updates
            replay.owners = [program.twins[b.id] for b in shown]
            for table in (outers, self.recording.read):
                for key in table:
                    watch(table[key], replay.reader)
        return replay

    def _updates(self, changed: list[Tensor], shown: list[Any]) -> list[Any]:
        """(argument, Result) of the arguments that got new values."""
        found = []
        for i, stand_in in enumerate(self.stand_ins):
            if stand_in.size and [t for t in changed if t is stand_in]:
                found.append((i, self._fresh(stand_in, shown)))
        return found

    def _disown(self) -> None:
        """Homes are no constants of the program: it does not hold what shows them."""
        for home in [entry[0] for entry in self.homes] + self.inputs:
            self.capture.outer.pop(home.buffer.id, None)

    def _result(self, x: Tensor, shown: list[Any]) -> Result:
        """How a tensor is made anew after a play; `shown`: Buffers of results."""
        for i, stand_in in enumerate(self.stand_ins):
            if x is stand_in:
                return Result("given", i)
        if self._place(x):
            return Result("same", x)
        buffer = self.outer.settled(base_of(x._handle)).buffer
        computed = self.capture.owns(buffer) and not self._kept(buffer)
        if not x.size or not (computed or self._ours(buffer)):
            self._constant(memory_of(x._handle))
            return Result("value", detached(x._handle), device=x.device)
        return self._fresh(x, shown)

    def _constant(self, memory: Any) -> None:
        """Note that a result is always this, while nobody assigns to it."""
        if self._fresh_memory(memory):
            return
        if hasattr(memory, "number"):
            self.recording.read[id(memory)] = memory
        else:
            self.capture.outer[memory.id] = memory

    def _kept(self, buffer: Any) -> bool:
        """Say whether host data lies in a buffer."""
        return bool([b for b in self.capture.kept if b is buffer])

    def _fresh(self, x: Tensor, shown: list[Any]) -> Result:
        """The Result of a tensor that is computed."""
        handle = self.outer.settled(base_of(x._handle))
        if not self.capture.owns(handle.buffer) or self._kept(handle.buffer):
            handle = copied(self.raw, handle)
        place = len(shown)
        for i, b in enumerate(shown):
            if b is handle.buffer:
                place = i
        if place == len(shown):
            shown.append(handle.buffer)
        levels = levels_of(x._handle)
        return Result("new", place, handle, x.device, levels)

    def _ours(self, buffer: Any) -> bool:
        """Say whether a buffer shows a home of this program."""
        for home in [entry[0] for entry in self.homes] + self.inputs:
            if buffer is home.lent:
                return True
        return False

    def _settle(self) -> None:
        """Copy new values of variables home, where others keep the old ones."""
        arriving = []
        for entry in self.homes:
            moved = [(p, self._final(p.tensor)) for p in entry[1] if not p.at_home]
            entry[2] = bool(moved)
            arriving.append((entry[0], moved))
        self.capture.paused = True
        self.stand_ins = self.leaves = []
        for entry in self.homes:
            if entry[2]:
                old = entry[0].renew()
                for p in entry[1]:
                    if buffer_of(p.tensor._handle) is old:
                        p.enter()
                leave(entry[0], old)
        for home in self.inputs:
            old = home.renew()
            leave(home, old)
        self.capture.paused = False
        for home, moved in arriving:
            settle(home, moved)

    def _final(self, tensor: Tensor) -> Any:
        """A raw handle with a variable's new values, in memory of this capture."""
        handle = self.outer.settled(base_of(tensor._handle))
        if not self.capture.owns(handle.buffer):
            handle = copied(self.raw, handle)
        return handle
