"""`fogo.compile`: a function's commands, kept once per kind of call and played again.

The first calls run the function; the commands that it gives its device are kept as a
*program* of that device, and later calls play the program, without running any of the
function's Python. What changes from call to call is reached through *variables*:
tensors that are assigned to (parameters, statistics, the state of optimisers, the
random generator); see backend/home.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .backend.capture import ACTIVE, WATCH
from .backend.grad_mode import _STATE
from .backend.holders import has_history
from .backend.policy import POLICY
from .backend.threads import Lock
from .device import DEVICES, default_device
from .errors import FogoError, warn
from .recorder import record
from .tensor import Tensor
from .tree import flatten, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable

LATER = 0x2A0  # flags of code that runs later: generators, coroutines, both
CALL = "__call__"
KEPT = 16  # programs of a function, at most
TRIES = 6  # captures without a play, before a kind of call is left to Python


def compile(function: Callable[..., Any]) -> Compiled:
    """Return a function that does the same with far less of the host.

    function: takes and returns tensors, or lists, tuples and dicts with tensors inside;
    other arguments are constants of a call (another value is captured again), as are
    the shapes and dtypes of tensors, `no_grad`, and the modes and settings of the
    modules and optimisers that are called.

    On a GPU a call gives all its commands at once: what the function does besides (it
    prints, appends to a list, counts in Python, reads a file) happens only while it is
    captured, and numbers that are not in a tensor keep the value they had then.
    A tensor changes for the function only through `assign`, `x[i] = v` or an optimiser.
    Functions that read a tensor's values (`item()`, `bool()`, printing), return a
    tensor with history, or take or return iterators (generators and coroutines are
    some) cannot be captured: this is said once, and they run as ever. So is a GPU whose
    backend keeps no commands ("cuda"). On CPUs there is nothing to gain: functions run
    as ever there, and `reason` and `repr` say why.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> dev = fogo.device("cpu").autodiff()
        >>> net = nn.Linear(2, 1, device=dev)
        >>> opt = optim.SGD(net, lr=0.1)
        >>> @fogo.compile
        ... def step(x):
        ...     loss = net(x).square().mean()
        ...     opt.step(loss.backward())
        ...     return loss
        >>> x = fogo.ones(4, 2, device=dev)
        >>> losses = [step(x).item() for _ in range(5)]
        >>> losses == sorted(losses, reverse=True)
        True
    """
    if not callable(function):
        raise FogoError("compile: it takes a function; given %r" % (function,))
    return Compiled(function)


class Entry:
    """What is known of one kind of call: its programs, newest first."""

    __slots__ = ("replays", "held", "tries", "off")

    def __init__(self, held):
        self.replays = []
        self.held = held  # what its key knows by `id`
        self.tries = 0
        self.off = False


class Compiled:
    """A function that `fogo.compile` made; `drop()` forgets what it has captured.

    Counts: `captures` (times that the function ran), `plays`. `reason`: why there are
    calls that run as ever, or None.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.captures = 0
        self.plays = 0
        self._entries: dict[Any, Entry] = {}
        self._known: list[Tensor] = []
        self._ids: dict[int, Tensor] = {}
        self._later = runs_later(function)
        self._warned = False
        self.where: Any = None  # the device it works on, where no argument tells
        self.reason: str | None = None
        self._lock = Lock()
        for name in ("__name__", "__doc__", "__module__", "__qualname__"):
            if hasattr(function, name):
                setattr(self, name, getattr(function, name))
        WATCH.on = True

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        """Bind it as a method: each instance has a compiled function of its own."""
        if owner is None:
            return self
        name = "_compiled_" + self.function.__name__
        found = owner.__dict__.get(name)
        if found is None:
            found = Compiled(self.function.__get__(owner, kind))
            object.__setattr__(owner, name, found)
        return found

    def __deepcopy__(self, memo: Any) -> Compiled:
        """What a copied object compiled is compiled anew."""
        owner = memo.get(id(getattr(self.function, "__self__", None)))
        if owner is None:
            return Compiled(self.function)
        method: Any = self.function
        return Compiled(method.__func__.__get__(owner, type(owner)))

    def __call__(self, *args: Any, **named: Any) -> Any:
        if ACTIVE.recording is not None:  # part of what is being captured
            return self.function(*args, **named)
        if self._later:
            self._warn("it is a generator or a coroutine")
            return self.function(*args, **named)
        leaves, form, key = signature(args, named, self._ids)
        entry = self._entries.get(key) if key is not None else None
        if entry is not None and not entry.off:
            for replay in entry.replays:
                if replay.fits():
                    entry.tries = 0
                    self.plays += 1
                    WATCH.plays += 1
                    return unflatten(replay.form, replay.play(tensors(leaves)))
        if key is None:
            self._warn("an argument is an iterator, or neither a tensor nor hashable")
        elif entry is None:
            entry = self._entry(key, leaves)
        if entry is None or entry.off:
            return self.function(*args, **named)
        return self._capture(entry, leaves, form)

    def _entry(self, key: Any, leaves: list[Any]) -> Entry:
        while len(self._entries) >= KEPT:
            oldest = next(iter(self._entries))
            for replay in self._entries.pop(oldest).replays:
                replay.drop()
        held = [x for x in leaves if not isinstance(x, Tensor) or id(x) in self._ids]
        made = self._entries[key] = Entry(held)
        return made

    def _capture(self, entry: Entry, leaves: list[Any], form: Any) -> Any:
        """Run the function, and keep its commands if they can be played again."""
        given = tensors(leaves)
        outer, refusal = backend_for(given, self.where)
        if outer is None:
            self.reason = self.reason or refusal.reason
            if refusal.matters:
                self._warn(refusal.reason)
        elif [t for t in given if has_history(t)]:
            self._warn("an argument has history; give it detached")
            outer = None
        if outer is None:
            entry.off = True
            args, named = unflatten(form, leaves)
            return self.function(*args, **named)
        self.captures += 1
        entry.tries += 1
        for replay in [r for r in entry.replays if r.reader.stale]:
            for tensor in replay.reader.tensors:
                self.learn(tensor)
            entry.replays.remove(replay)
            replay.drop()
        result, made, reason = record(self, outer, self.function, leaves, form)
        if made is not None:
            entry.replays.insert(0, made)
            for old in entry.replays[KEPT:]:
                old.drop()
            del entry.replays[KEPT:]
        if reason is None and entry.tries >= TRIES:
            reason = (
                "what it works on is another in every call (it keeps new tensors, or "
                "changes the settings of modules or optimisers)"
            )
        if reason is not None:
            entry.off = True
            self._warn(reason)
        return result

    def learn(self, tensor: Tensor) -> None:
        """Note that a tensor is a variable of this function."""
        with self._lock:
            if id(tensor) not in self._ids:
                self._ids[id(tensor)] = tensor
                self._known.append(tensor)

    def drop(self) -> None:
        """Forget every program; their memory goes back to the device."""
        entries, self._entries = self._entries, {}
        for key in entries:
            for replay in entries[key].replays:
                replay.drop()
        self._known = []
        self._ids = {}

    def _warn(self, reason: str) -> None:
        """Say once why calls are not captured."""
        self.reason = self.reason or reason
        if self._warned:
            return
        self._warned = True
        name = getattr(self.function, "__name__", "the function")
        warn("compile: %s runs as ever, because %s" % (name, reason), 4)

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", repr(self.function))
        counts = "%d captures, %d plays" % (self.captures, self.plays)
        why = "" if self.reason is None else "; not captured: " + self.reason
        return "<compiled %s: %s%s>" % (name, counts, why)


def tensors(leaves: list[Any]) -> list[Tensor]:
    """Return the tensors among the leaves of the arguments."""
    return [x for x in leaves if isinstance(x, Tensor)]


def signature(
    args: Any, named: Any, variables: dict[int, Tensor]
) -> tuple[list[Any], Any, Any]:
    """Return leaves, form and what decides which program a call takes (None: none).

    variables: tensors that a program knows, by id; an argument may be one of them.
    """
    leaves, form = flatten((args, named), _is_leaf)
    parts: list[Any] = [_STATE.enabled, POLICY.dtype]
    first: dict[int, int] = {}
    for i, x in enumerate(leaves):
        name = id(x)
        if isinstance(x, Tensor):
            history = x.requires_grad and has_history(x)
            who = (name in variables and name, first.setdefault(name, i))
            parts.append((x.shape, x.dtype, x.device, x.requires_grad, history, who))
        elif not hasattr(x, "_guard"):
            return leaves, form, None
        else:
            parts.append(name)
    key = (form, tuple(parts))
    try:
        hash(key)
    except TypeError:
        return leaves, form, None
    return leaves, form, key


def _is_leaf(x):
    """Tensors, modules and optimisers, iterators: those are not taken apart."""
    return isinstance(x, Tensor) or hasattr(x, "_guard") or hasattr(x, "__next__")


def runs_later(function: Any) -> bool:
    """Say whether calling a function runs nothing yet, where Python can tell."""
    for each in (function, getattr(type(function), CALL, None)):
        code = getattr(each, "__code__", None)
        if getattr(code, "co_flags", 0) & LATER:
            return True
    return False


class Refusal:
    """Why the commands of a call cannot be kept, and whether that is a loss."""

    def __init__(self, reason: str, matters: bool) -> None:
        self.reason = reason
        self.matters = matters


NONE = Refusal("", False)


def backend_for(given: list[Tensor], where: Any = None) -> tuple[Any, Refusal]:
    """Return the backend whose commands can be kept for a call, or None and why.

    where: the device, if known, of a function that no tensor is given to.
    """
    places = []
    for t in given:
        if t.device.base() not in places:
            places.append(t.device.base())
    if not places and where is not None:
        places = [where]
    if not places:
        opened = [DEVICES[name] for name in sorted(DEVICES)]
        places = [d for d in opened if keeps(d.backend)]
        if len(places) != 1:
            places = [default_device().base()]
    backend = places[0].backend
    if keeps(backend) and len(places) == 1:
        return backend, NONE
    able = [d for d in places if keeps(d.backend)]
    if able:
        names = " and ".join(sorted([d.name for d in places]))
        return None, Refusal("its arguments are on several devices: " + names, True)
    reason = "%s keeps no commands to play again" % places[0].name
    return None, Refusal(reason, getattr(backend, "fast", None) is not None)


def keeps(backend: Any) -> bool:
    """Say whether a backend can capture a program."""
    return getattr(backend, "capturing", None) is not None
