"""What a thread has recorded: ops, references, and what decides how they are run."""

from __future__ import annotations

from ..capture import WATCH, number_read
from ..threads import Lock

CONST = -(1 << 30)  # stands for a constant among the references of an op


class Stream:
    """What one thread has recorded and nobody has run."""

    def __init__(self):
        self.lock = Lock()
        self.unfinished = None  # a run that was interrupted
        self.reset()

    def reset(self):
        self.turn = object()
        self.nodes = []  # (kind, references, attributes, constants)
        self.key = []  # of nodes, what decides how they are run
        self.values = []  # one Value per slot
        self.inputs = []  # the Values that were there before

    def take(self, count=0):
        """Return (nodes, key, values, inputs) and begin anew.

        count: take only the first ops; the rest stay, and read the results of these.
        """
        taken = (self.nodes, self.key, self.values, self.inputs)
        self.reset()
        if not count or count >= len(taken[0]):
            return taken
        nodes, key, values, inputs = taken
        cut = 0
        for kind, _, _, _ in nodes[:count]:
            cut += len(kind.outs)
        self.values = values[cut:]
        for i, value in enumerate(self.values):
            value.slot = i
        for node in nodes[count:]:
            self._again(node, cut, values, inputs)
        return nodes[:count], key[: 2 * count], values[:cut], inputs

    def _again(self, node, cut, values, inputs):
        """Write down an op once more, that was recorded after `cut` results."""
        kind, refs, attrs, consts = node
        moved = []
        for ref in refs:
            if ref >= cut:
                moved.append(ref - cut)
            elif ref == CONST:
                moved.append(ref)
            else:
                value = values[ref] if ref >= 0 else inputs[-1 - ref]
                moved.append(_input(self, value))
        self.nodes.append((kind, tuple(moved), attrs, consts))
        self.key.append(kind)
        self.key.append(self.nodes[-1][1])


def repeats(key):
    """After how many ops a stream begins again as it began; 0: it does not.

    Streams that are cut there are the same each time round, and planned once.
    """
    first = key[0:8:2]
    for place in range(len(key) - 8, 0, -2):
        if key[place] is first[0] and key[place : place + 8 : 2] == first:
            return place // 2
    return 0


def references(stream, inputs):
    """How an op's inputs are found again, and the numbers among them."""
    refs = []
    consts = None
    for h in inputs:
        value = h.value
        if value.stream is not None:
            refs.append(value.slot)
        elif value.number is not None:
            refs.append(CONST)
            if WATCH.on:
                number_read(value)
            consts = [value.number] if consts is None else consts + [value.number]
        else:
            refs.append(_input(stream, value))
    return tuple(refs), consts


def _input(stream, value):
    """The reference of a value that is there: the first input is -1."""
    if value.error is not None:
        raise value.error
    seen = value.seen
    if seen is not None and seen[0] is stream.turn:
        return seen[1]
    stream.inputs.append(value)
    ref = -len(stream.inputs)
    value.seen = (stream.turn, ref)
    return ref
