"""Prints a kernel as Python for the checking interpreter: a generator for each thread.

Every access goes through a Memory (check_memory.py) and names its *site*: the place of
its statement in the kernel. Where threads wait for each other the generator yields
(site, value, argument) and receives what the statement gives it. Values of float32 are
rounded where a statement binds them, so that sums come out as on a GPU.
"""

from __future__ import annotations

import math
from array import array

from ..dtypes import float16, float32
from ..expr import Expr, topological
from . import mathfun
from .check_memory import fit
from .group import (
    Atomic,
    Barrier,
    LoadWide,
    MatrixDeclare,
    MatrixLoad,
    MatrixMultiply,
    MatrixStore,
    StoreWide,
    Subgroup,
    UniformLoad,
)
from .ir import Assign, Declare, Let, Load, Loop, Store, When
from .python import Printer

# Name in the kernel's text -> function(old, value) of an atomic.
CHANGE = {
    "add": lambda old, v: old + v,
    "sub": lambda old, v: old - v,
    "min": lambda old, v: v if v < old else old,
    "max": lambda old, v: v if v > old else old,
    "and": lambda old, v: old & v,
    "or": lambda old, v: old | v,
    "xor": lambda old, v: old ^ v,
    "exchange": lambda old, v: v,
    "store": lambda old, v: v,
    "load": lambda old, v: None,
}


class Code:
    """A compiled kernel: `make(memories)` gives the function of one thread.

    sites  the statements, in the order of the kernel's text
    stray  (site, name) of variables read outside the block that binds them
    """

    def __init__(self, kernel):
        printer = CheckPrinter(kernel)
        self.kernel = kernel
        self.source = printer.source()
        self.sites = printer.sites
        self.stray = printer.stray

    def make(self, memories):
        """`memories`: name in the kernel -> Memory."""
        space = {
            "F": mathfun, "inf": math.inf, "nan": math.nan, "R": array("f", (0.0,)),
            "atomic": atomic,
        }  # fmt: skip
        for name in memories:
            space[name] = memories[name]
        exec(self.source, space)
        return space["thread"]


def atomic(memory, op, i, value, expected, site, thread):
    """Do one atomic; integers wrap; returns the old value."""
    dtype = memory.values.dtype
    if op == "compare":
        return memory.swap(
            i, lambda old: value if old == expected else old, site, thread
        )

    def change(old):
        new = CHANGE[op](old, value)
        return None if new is None else fit(new, dtype)

    return memory.swap(i, change, site, thread, op == "store")


class CheckPrinter(Printer):
    """Prints one kernel (see the module)."""

    def __init__(self, kernel):
        Printer.__init__(self, kernel, True)
        self.sites = []
        self.stray = []
        self.scopes = []
        self.site = 0

    def source(self):
        k = self.kernel
        points = [c.args[0] for c in k.coords if c.op == "var"]
        params = [name for name, _ in k.params]
        names = points + params + ["local", "lane", "lanes"]
        self.scopes = [set(names)]
        body = self.block(k.body)
        head = "def thread(point, params, local, lane, lanes):"
        lines = [head]
        for place, c in enumerate(k.coords):
            if c.op == "var":
                lines.append("    %s = point[%d]" % (c.args[0], place))
        for place, name in enumerate(params):
            lines.append("    %s = params[%d]" % (name, place))
        lines.append("    if lanes < 0: yield")  # a generator, whatever the kernel
        return "\n".join(lines + ["    " + x for x in body]) + "\n"

    def block(self, statements):
        lines = []
        self.scopes.append(set())
        for s in statements:
            self.site = len(self.sites)
            self.sites.append(s)
            self.statement(s, lines)
        self.scopes.pop()
        return lines

    def bind(self, target):
        """Enter a variable into the block; returns its name."""
        name = target.args[0]
        self.scopes[-1].add(name)
        return name

    def value(self, root, lines):
        for node in topological(root):
            if node.op == "var" and not self._bound(node.args[0]):
                self.stray.append((self.site, node.args[0]))
        return Printer.value(self, root, lines)

    def _bound(self, name):
        for scope in self.scopes:
            if name in scope:
                return True
        return False

    def assign(self, s, lines):
        """`target = value`, rounded to its dtype."""
        code = self.value(s.value, lines)
        if s.target.dtype is float32 or s.target.dtype is float16:
            lines.append("R[0] = " + code)
            code = "R[0]"
        if isinstance(s, Assign):
            name = self.value(s.target, lines)
        else:
            name = self.bind(s.target)
        lines.append("%s = %s" % (name, code))

    def statement(self, s, lines):
        if isinstance(s, (Let, Declare, Assign)):
            self.assign(s, lines)
        elif isinstance(s, Loop):
            self.loop(s, lines)
        elif isinstance(s, When):
            self.when(s, lines)
        elif isinstance(s, (Load, Store, LoadWide, StoreWide, Atomic)):
            self.access(s, lines)
        else:
            self.together(s, lines)

    def loop(self, s, lines):
        start, stop = self.value(s.start, lines), self.value(s.stop, lines)
        self.scopes.append(set())
        name = self.bind(s.target)
        lines.append("for %s in range(%s, %s, %d):" % (name, start, stop, s.step))
        lines.extend(["    " + x for x in self.block(s.body) or ["pass"]])
        self.scopes.pop()

    def when(self, s, lines):
        lines.append("if %s:" % self.value(s.cond, lines))
        lines.extend(["    " + x for x in self.block(s.body) or ["pass"]])
        if s.orelse:
            lines.append("else:")
            lines.extend(["    " + x for x in self.block(s.orelse)])

    def access(self, s, lines):
        name, site = s.array.name, self.site
        index = self.value(s.index, lines)
        if isinstance(s, Load):
            code = "%s.load(%s, %d, local)" % (name, index, site)
            lines.append("%s = %s" % (self.bind(s.target), code))
        elif isinstance(s, Store):
            code = self.value(s.value, lines)
            lines.append("%s.store(%s, %s, %d, local)" % (name, index, code, site))
        elif isinstance(s, LoadWide):
            code = "%s.load_wide(%s, %d, %d, local)" % (
                name, index, len(s.targets), site,
            )  # fmt: skip
            names = [self.bind(t) for t in s.targets]
            lines.append("%s = %s" % (", ".join(names), code))
        elif isinstance(s, StoreWide):
            values = ", ".join([self.value(v, lines) for v in s.values])
            lines.append(
                "%s.store_wide(%s, (%s,), %d, local)" % (name, index, values, site)
            )
        else:
            value, expected = [
                "None" if v is None else self.value(v, lines)
                for v in (s.value, s.expected)
            ]
            lines.append(
                "%s = atomic(%s, %r, %s, %s, %s, %d, local)"
                % (self.bind(s.target), name, s.op, index, value, expected, site)
            )

    def together(self, s, lines):
        """Statements at which threads wait for each other."""
        value = arg = "None"
        if isinstance(s, Subgroup):
            value = self.value(s.value, lines)
            if isinstance(s.arg, Expr):
                arg = self.value(s.arg, lines)
        elif isinstance(s, (UniformLoad, MatrixLoad, MatrixStore)):
            value = self.value(s.index, lines)
            if not isinstance(s, UniformLoad):
                arg = self.value(s.stride, lines)
        code = "yield (%d, %s, %s)" % (self.site, value, arg)
        if isinstance(s, (UniformLoad, Subgroup)):
            code = "%s = %s" % (self.bind(s.target), code)
        lines.append(code)


TILES = (MatrixDeclare, MatrixLoad, MatrixMultiply, MatrixStore)
BARRIERS = (Barrier, UniformLoad)
