"""`fogo.explain(f)(…)`: which kernels a function became, and why not fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import FogoError
from ...kernel.cost import elements
from ...shapes import size
from ..capture import WATCH
from .recording import CONST
from .stream import LISTENERS

if TYPE_CHECKING:
    from collections.abc import Callable


class KernelNote:
    """One kernel that was run.

    name     as in profiles and error messages
    ops      the ops it computes: (name, shape), in order
    kind     "elementwise", "rows", "reduction", "around an op", "one op"
    reads    (number of the kernel that made it or None, bytes) for each array: of the
             elements that are read, those broadcast once
    writes   bytes of each array
    why      for each array it writes: (op, why the array is in memory)
    """

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind
        self.ops: list[tuple[str, tuple[int, ...]]] = []
        self.reads: list[tuple[int | None, int]] = []
        self.writes: list[int] = []
        self.why: list[tuple[str, str]] = []

    def __str__(self) -> str:
        ops = ", ".join(["%s%s" % (n, list(s)) for n, s in self.ops])
        moved = "%s in, %s out" % (
            _bytes(sum([n for _, n in self.reads])), _bytes(sum(self.writes)),
        )  # fmt: skip
        lines = ["%s (%s; %s)" % (self.name, self.kind, moved), "    " + ops]
        for op, reason in self.why:
            line = "    %s is written: %s" % (op, reason)
            if line not in lines:
                lines.append(line)
        return "\n".join(lines)


class Explanation:
    """What a call did: `print` it, or `save` it as a page with a drawing.

    result   what the function returned
    kernels  a KernelNote for each kernel, in the order in which they ran
    ops      how many ops were written down (views are free, and not counted)
    dead     how many of them nobody needed, so that they were never run
    plays    how many calls were played from a program of `fogo.compile`
    unfused  names of the devices in use that do not fuse
    """

    def __init__(self) -> None:
        self.result: Any = None
        self.kernels: list[KernelNote] = []
        self.ops = 0
        self.dead = 0
        self.flushes = 0
        self.plays = 0
        self.unfused: list[str] = []

    def title(self) -> str:
        """Say how many ops became how many kernels."""
        kernels = len(self.kernels)
        return "%s in %s" % (_counted(self.ops, "op"), _counted(kernels, "kernel"))

    def notes(self) -> list[str]:
        """Say what ran besides, whose kernels are not known here."""
        found = []
        if self.plays:
            found.append(
                "%s played from a program that fogo.compile has kept; explain the "
                "function itself to see its kernels"
                % ("a call was" if self.plays == 1 else "%d calls were" % self.plays)
            )
        for name in self.unfused:
            found.append("%s does not fuse: each op there runs by itself" % name)
        return found

    def __str__(self) -> str:
        head = self.title()
        if self.dead:
            head += "; %d never run: nobody needs their results" % self.dead
        notes = self.notes()
        lines = [head] + notes if self.ops or not notes else notes
        for i, kernel in enumerate(self.kernels):
            lines.append("%3d %s" % (i + 1, kernel))
        return "\n".join(lines)

    __repr__ = __str__

    def html(self) -> str:
        """Return a page of its own: the kernels as a timeline, and what flows."""
        from .drawing import page

        return page(self)

    def save(self, path: str) -> None:
        """Write `html()` to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())

    def listen(self, graph: Any, clusters: Any, steps: Any) -> None:
        """Take in a flush that was planned."""
        self.flushes += 1
        self.ops += graph.recorded
        self.dead += graph.recorded - len(graph.items)
        made: dict[Any, int] = {}
        for step in steps:
            note = KernelNote(_name(step), _kind(step))
            for item in _computed(graph, step.items):
                note.ops.append((item.op.name, item.shape))
            for ref, nbytes in _read(graph, step):
                note.reads.append((made.get(ref), nbytes))
            self.kernels.append(note)
            for out in step.outs:
                made[out[0]] = len(self.kernels) - 1
                note.writes.append(out[1] * out[2].itemsize)
                if not isinstance(out[0], tuple):
                    item = graph.maker[out[0]][0]
                    note.why.append((item.op.name, _reason(graph, item, out[0])))


def explain(function: Callable[..., Any]) -> Callable[..., Explanation]:
    """Return a function that calls `function` and explains its kernels.

    It returns an Explanation, with the function's own result in `.result`. Ops that
    were pending on the devices in use are run first. Devices that do not fuse
    (see `Device.unfused`) have nothing to explain, nor has what `fogo.compile` plays.
    Raises: FogoError where `function` is none.

    Example:
        >>> import fogo
        >>> from fogo.backend.fusion.stream import Fusion
        >>> from fogo.backend.python import Python
        >>> dev = fogo.Device("python", Fusion(Python()))
        >>> x = fogo.ones(3, device=dev)
        >>> print(fogo.explain(lambda x: (x * 2.0 + 1.0).sum())(x))
        3 ops in 1 kernel
          1 sum (rows; 0 B in, 4 B out)
            mul[3], add[3], sum[]
            sum is written: its result is still held
    """

    if not callable(function):
        raise FogoError(
            "explain: it takes a function, whose call it explains; given a %s; write "
            "fogo.explain(f)(x)" % type(function).__name__
        )

    def explained(*args: Any, **named: Any) -> Explanation:
        found = Explanation()
        _flush((args, named))
        plays = WATCH.plays
        LISTENERS.append(found.listen)
        try:
            found.result = function(*args, **named)
            used = _flush((args, named, found.result))
        finally:
            LISTENERS.remove(found.listen)
        found.plays = WATCH.plays - plays
        found.unfused = [repr(d) for d in used if not _fuses(d)]
        return found

    return explained


def _flush(values):
    """Run what is pending on every open device, and on those of tensors in a tree.

    Returns the latter.
    """
    from ...device import DEVICES
    from ...tree import flatten

    where = {}
    for leaf in flatten(values)[0]:
        where[id(leaf.device.base())] = leaf.device.base()
    used = list(where.values())
    for device in list(DEVICES.values()):
        where[id(device.base())] = device.base()
    for device in where.values():
        if _fuses(device):
            device.backend.flush()
    return used


def _fuses(device):
    return getattr(device.backend, "fuses", False)


def _name(step):
    return step.plan.kernel.name if step.plan is not None else step.op.name


def _kind(step):
    if step.op is not None:
        return "one op"
    kind = step.items[0].cluster.kind
    if kind == "kernel":
        return "around " + step.items[0].op.name if len(step.items) > 1 else "one op"
    return {"point": "elementwise", "rows": "rows"}.get(kind, "reduction")


def _computed(graph, items):
    """The items of a kernel and the virtual ones that they compute on the way."""
    found = {}
    stack = list(items)
    while stack:
        item = stack.pop()
        if item.place in found:
            continue
        found[item.place] = item
        for ref, _, _ in item.operands:
            if ref >= 0 and graph.maker[ref][0].virtual:
                stack.append(graph.maker[ref][0])
    return [found[place] for place in sorted(found)]


def _read(graph, step):
    """(reference, bytes) of each array that a step reads."""
    found = {}
    for ref, count, dtype in _operands(step):
        if ref == CONST:
            continue
        count += found.get(ref, (0, None))[0]
        if not isinstance(ref, tuple):  # however many views a kernel reads it through
            count = min(count, size(graph.storage(ref)))
        found[ref] = (count, dtype)
    return [(ref, n * dtype.itemsize) for ref, (n, dtype) in found.items()]


def _operands(step):
    """(reference, elements, dtype) of each operand of a step in memory."""
    if step.op is not None:
        return [(ref, _seen(layout), dtype) for ref, layout, dtype in step.operands]
    kernel = step.plan.kernel
    names = {}
    for (name, _), value in zip(kernel.params, step.plan.values):
        names[name] = value
    return [
        (ref, elements(array, names), array.dtype)
        for ref, array in zip(step.ins, kernel.arrays)
    ]


def _seen(layout):
    """How many elements a layout shows, those broadcast once."""
    count = 1
    for n, stride in zip(layout.shape, layout.strides):
        count *= n if stride or not n else 1
    return count


def _reason(graph, item, slot):
    if graph.live[slot]:
        return "its result is still held"
    if item.why:
        return item.why
    for reader, _ in item.readers:
        if reader.why:
            return "%s is in another kernel: %s" % (reader.op.name, reader.why)
    return "another kernel reads it"


def _counted(n, thing):
    return "%d %s%s" % (n, thing, "" if n == 1 else "s")


def _bytes(n):
    for unit in ("B", "KB", "MB"):
        if n < 1024:
            return ("%d %s" if unit == "B" else "%.1f %s") % (n, unit)
        n /= 1024
    return "%.1f GB" % n


__all__ = ["Explanation", "KernelNote", "explain"]
