"""Which nodes a backward visits, in which order, and what it keeps of them."""

from __future__ import annotations

from ..errors import AutodiffError

WATCHERS: list = []  # of anomalies: told of each node and the gradients it gave


def watched(node, parts):
    """Show the gradients of a node's inputs to whoever looks for nan."""
    if WATCHERS:
        WATCHERS[-1](node, parts)


class Plan:
    """The nodes below some roots, newest first; which of them lead to what is wanted.

    inputs   tensors whose gradients are wanted (None: those of all leaves)
    floor    nodes of lower numbers are ends, whatever they come from
    """

    def __init__(self, roots, inputs=None, floor=0):
        self.floor = floor
        self.nodes = _ordered(roots, floor)
        self.wanted = None
        self.useful = None
        if inputs is not None:
            self._narrow(inputs)
        self.waiting = {} if floor else _late_leaves(self.nodes)

    def _narrow(self, inputs):
        """Visit only what lies between the roots and the inputs."""
        self.wanted = {}
        for x in inputs:
            handle = getattr(x, "_handle", x)
            if getattr(handle, "node", None) is None:
                raise AutodiffError(
                    "backward: inputs must require grad at the level of the result; "
                    "given %r; call requires_grad_() on them before they are used"
                    % (x,)
                )
            self.wanted.setdefault(handle.node.number, set()).add(handle.index)
        self.useful = set(self.wanted)
        for node in reversed(self.nodes):
            for parent in node.parents if node.number >= self.floor else ():
                if parent is not None and parent[0].number in self.useful:
                    self.useful.add(node.number)
                    break

    def passes(self, node):
        """Say whether gradients must go on to a node's inputs."""
        if node.number < self.floor:
            return False
        if self.useful is None:
            return True
        return True in self.needs(node)

    def needs(self, node):
        """Per input of a node: whether its gradient is wanted."""
        if self.useful is None:
            return tuple([p is not None for p in node.parents])
        useful = self.useful
        return tuple([p is not None and p[0].number in useful for p in node.parents])

    def keep(self, node, g, found):
        """Note the gradients of a leaf, or of what was asked for."""
        if self.wanted is None:
            if node.op is None:
                found._by_node[(node.number, 0)] = g[0]
        else:
            for i in self.wanted.get(node.number, ()):
                if i in g:
                    found._by_node[(node.number, i)] = g[i]
        if node.op is None and self.waiting and node.number in self.waiting:
            node.extra.arrived(found._by_node.get((node.number, 0)))

    def done(self, node, cotangents, found):
        """Leaves that others wait for are finished with their last contribution."""
        if not self.waiting:
            return
        for parent in node.parents:
            entry = None if parent is None else self.waiting.get(parent[0].number)
            if entry is None:
                continue
            entry[1] -= 1
            g = cotangents.pop(parent[0].number, None) if not entry[1] else None
            if g is not None:
                leaf = entry[0]
                for i in g:
                    if hasattr(g[i], "whole"):
                        g[i] = g[i].whole()
                leaf.extra.run(g)
                self.keep(leaf, g, found)


def _ordered(roots, floor=0):
    seen = {r.number: r for r in roots}
    stack = list(roots)
    while stack:
        node = stack.pop()
        for parent in node.parents if node.number >= floor else ():
            if parent is not None and parent[0].number not in seen:
                seen[parent[0].number] = parent[0]
                stack.append(parent[0])
    return [seen[n] for n in sorted(seen, reverse=True)]


def _late_leaves(nodes):
    """Leaves whose hooks want the whole gradient at once: [node, contributions]."""
    found = {}
    for node in nodes:
        if node.op is None and getattr(node, "extra", None) is not None:
            if node.extra.after:
                found[node.number] = [node, 0]
    if found:
        for node in nodes:
            for parent in node.parents:
                if parent is not None and parent[0].number in found:
                    found[parent[0].number][1] += 1
    return found
