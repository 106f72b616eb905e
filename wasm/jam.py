"""Several points of the grid at once, so that their sums do not wait for each other.

A kernel with a loop is mostly one chain of additions for each point. `jam` takes a few
neighbours along one axis through the same loop: what differs between them is computed
for each, what does not (a row's element, in a matrix product) once.
"""

from __future__ import annotations

from fogo.expr import Expr, topological
from fogo.kernel.ir import Assign, Let, Load, Loop, Store, When

COUNT = 4


def axis_to_jam(k):
    """The last axis that no loop's bounds depend on, or None: there is nothing to win.

    An axis of size 1 has no coordinate; a kernel without loops is not worth it.
    """
    if not _has_loop(k.body):
        return None
    for axis in range(len(k.coords) - 1, -1, -1):
        coord = k.coords[axis]
        if coord.op == "var":
            varying = _varying(k.body, coord.args[0])
            if _loops_agree(k.body, varying):
                return axis
    return None


def jam(k, axis):
    """The kernel's body for COUNT neighbours along an axis, from its coordinate on."""
    name = k.coords[axis].args[0]
    return _Jam(name, _varying(k.body, name)).block(k.body)


def _has_loop(statements):
    for s in statements:
        if isinstance(s, Loop):
            return True
    return False


def _reads(node, varying):
    for n in topological(node):
        if n.op == "var" and n.args[0] in varying:
            return True
    return False


def _varying(statements, coord):
    """Names of the variables that differ between neighbours (a fixed point)."""
    varying = {coord}
    before = 0
    while len(varying) != before:
        before = len(varying)
        _mark(statements, varying, False)
    return varying


def _mark(statements, varying, inside):
    """Add what differs; `inside` a branch that not all neighbours take, all does."""
    for s in statements:
        if isinstance(s, (Let, Assign)):
            differs = inside or _reads(s.value, varying)
        elif isinstance(s, Load):
            differs = inside or s.array.written or _reads(s.index, varying)
        elif isinstance(s, When):
            split = inside or _reads(s.cond, varying)
            _mark(s.body, varying, split)
            _mark(s.orelse, varying, split)
            continue
        elif isinstance(s, Loop):
            _mark(s.body, varying, inside)
            differs = inside
        else:
            continue
        if differs:
            varying.add(s.target.args[0])


def _loops_agree(statements, varying):
    """Say whether all neighbours go through each loop alike."""
    for s in statements:
        if isinstance(s, Loop):
            if _reads(s.start, varying) or _reads(s.stop, varying):
                return False
            if not _loops_agree(s.body, varying):
                return False
        elif isinstance(s, When) and not _reads(s.cond, varying):
            if not (_loops_agree(s.body, varying) and _loops_agree(s.orelse, varying)):
                return False
    return True


class _Jam:
    """Copies statements for each neighbour, with names of its own for what differs."""

    def __init__(self, coord, varying):
        self.coord = coord
        self.varying = varying
        self.copies = {}

    def block(self, statements):
        out = []
        for s in statements:
            if isinstance(s, Loop) and s.target.args[0] not in self.varying:
                loop = Loop(s.target, s.start, s.stop, s.step)
                loop.body = self.block(s.body)
                out.append(loop)
            elif isinstance(s, When) and not _reads(s.cond, self.varying):
                branch = When(s.cond)
                branch.body = self.block(s.body)
                branch.orelse = self.block(s.orelse)
                out.append(branch)
            elif self._same(s):
                out.append(s)
            else:
                out.extend([self.copy(s, i) for i in range(COUNT)])
        return out

    def _same(self, s):
        named = isinstance(s, (Let, Assign, Load))
        return named and s.target.args[0] not in self.varying

    def copy(self, s, i):
        """Neighbour `i`'s own statement."""
        if isinstance(s, Store):
            index, value = self.expression(s.index, i), self.expression(s.value, i)
            return Store(s.array, index, value, s.own)
        if isinstance(s, Load):
            target = self.expression(s.target, i)
            return Load(target, s.array, self.expression(s.index, i))
        if isinstance(s, When):
            branch = When(self.expression(s.cond, i))
            branch.body = [self.copy(x, i) for x in s.body]
            branch.orelse = [self.copy(x, i) for x in s.orelse]
            return branch
        target = self.expression(s.target, i)
        if isinstance(s, Loop):
            start, stop = self.expression(s.start, i), self.expression(s.stop, i)
            loop = Loop(target, start, stop, s.step)
            loop.body = [self.copy(x, i) for x in s.body]
            return loop
        return type(s)(target, self.expression(s.value, i))

    def expression(self, root, i):
        """An expression as neighbour `i` has it."""
        done = {}
        for node in topological(root):
            if node.op == "var":
                result = self._variable(node, i)
            else:
                args = [done[id(a)] if isinstance(a, Expr) else a for a in node.args]
                same = True
                for a, b in zip(args, node.args):
                    same = same and a is b
                result = node if same else Expr(node.op, tuple(args), node.dtype)
            done[id(node)] = result
        return done[id(root)]

    def _variable(self, node, i):
        name = node.args[0]
        if name == self.coord:
            return node + i
        if i == 0 or name not in self.varying:
            return node
        key = (name, i)
        found = self.copies.get(key)
        if found is None:
            found = Expr("var", ("%s_%d" % key,), node.dtype)
            self.copies[key] = found
        return found
