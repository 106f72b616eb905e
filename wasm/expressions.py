"""Code for expressions: what a machine expression leaves on the stack."""

from __future__ import annotations

import struct

from fogo.expr import Expr, topological, uses

from .assembler import get, invoke, opened, put, signed
from .machine import Lowering
from .opcodes import OP

HEAVY = 8  # instructions above which an arm of `where` is skipped, not discarded


class Expressions:
    """Prints expressions into a function's code.

    out          the assembler's Function
    functions    the module's library functions: `index(name)`
    names        variable -> (local, type); `natural`: those that are never negative
    widened      float32 variables whose local is f64
    """

    def __init__(self, out, functions):
        self.out = out
        self.functions = functions
        self.names = {}
        self.natural = set()
        self.widened = set()
        self.lowering = Lowering(self.variable, lambda name: name in self.natural)

    def variable(self, name):
        local, kind = self.names[name]
        node = self.lowering.local(local, kind)
        if name in self.widened:
            return self.lowering.do("f32.demote_f64", node)
        return node

    def expression(self, root):
        """Code that pushes an expression's value; shared nodes are computed once."""
        self.lowering.forget()
        return self._machine(self.lowering.lower(root))

    def _machine(self, root):
        count = uses([root])
        bound = {}
        code = b""
        for node in topological(root):
            if node.op not in ("const", "local") and count[id(node)] > 1:
                local = self.out.local(node.dtype)
                code += self._tree(node, bound) + put(local)
                bound[id(node)] = get(local)
        return code + self._tree(root, bound)

    def _tree(self, root, bound):
        """Code for one node and those below it that are not bound to locals."""
        code = bytearray()
        work = [root]
        while work:
            item = work.pop()
            if not isinstance(item, Expr):
                code.extend(item)
            elif id(item) in bound:
                code.extend(bound[id(item)])
            else:
                work.extend(reversed(self._parts(item, bound)))
        return bytes(code)

    def _parts(self, node, bound):
        """Nodes and bytes that follow each other to make a node's code."""
        op = node.op
        if op == "const":
            return [number(node.args[0], node.dtype)]
        if op == "local":
            return [get(node.args[0])]
        if op == "where":
            cond, a, b = node.args
            if _heavy(a, bound) or _heavy(b, bound):
                start = opened("if", node.dtype)
                return [cond, start, a, OP["else"], b, OP["end"]]
            return [a, b, cond, OP["select"]]
        if op.startswith("call "):
            return list(node.args) + [invoke(self.functions.index(op[5:]))]
        return list(node.args) + [OP[op]]


def number(value, kind):
    """A constant of a type."""
    if kind == "f32":
        return OP["f32.const"] + single(value)
    if kind == "f64":
        return OP["f64.const"] + struct.pack("<d", value)
    return OP[kind + ".const"] + signed(value)


def single(value):
    """The four bytes of a float32; numbers beyond it become infinite."""
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", float("inf") if value > 0 else -float("inf"))


def _heavy(root, bound):
    """Say whether computing a node for nothing would cost more than a branch."""
    work = [root]
    count = 0
    while work and count <= HEAVY:
        node = work.pop()
        if id(node) in bound or node.op in ("const", "local"):
            continue
        if node.op.startswith("call "):
            return True
        count += 1
        work.extend(node.args)
    return count > HEAVY
