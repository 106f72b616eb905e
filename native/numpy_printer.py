"""Prints formulas and kernels as NumPy code: all points of the grid at once.

A kernel's coordinates become index arrays that broadcast over the grid, loops stay
Python loops (their bounds must not depend on the point), and branches become masks.
"""

from __future__ import annotations

from fogo.expr import INDEX, Expr, topological, uses
from fogo.kernel.ir import Assign, Declare, Let, Load, Loop, Store

from . import numpy_math

BINARY = {"add": "+", "sub": "-", "mul": "*"}
COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
UFUNC = {
    "floordiv": "floor_divide", "mod": "remainder", "min": "minimum", "max": "maximum",
    "shl": "left_shift", "shr": "right_shift", "asin": "arcsin", "acos": "arccos",
    "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "atan2": "arctan2", "round": "rint", "neg": "negative", "div": "divide",
}  # fmt: skip
LOGIC = {"and": "logical_and", "or": "logical_or", "xor": "logical_xor"}
OWN = ("erf", "int_pow", "pow")


def compile_formula(op, dtypes):
    """Return `run(x0, x1, …)`: the op's formula over whole arrays."""
    root, leaves = op.trace(dtypes)
    lines = []
    code = value(root, lines)
    names = ", ".join([x.args[0] for x in leaves])
    body = "\n".join(["    " + x for x in lines + ["return " + code]])
    return _define("def run(%s):\n%s\n" % (names, body))


def compile_kernel(kernel):
    """Return `run(buffers…, params…)` for a kernel, or None where it cannot be."""
    try:
        source = KernelPrinter(kernel).source()
    except _PerPoint:
        return None
    return _define(source)


def _define(source):
    import numpy as np

    space = {"np": np, "N": numpy_math, "inf": float("inf"), "nan": float("nan")}
    exec(source, space)
    return space["run"]


class _PerPoint(Exception):
    """The kernel loops a different number of times at each point."""


class KernelPrinter:
    """Prints one kernel; `mask` is the name of the condition in force, if any."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.scalars = {name for name, _ in kernel.params}
        self.masks = []
        self.counter = 0

    def source(self):
        k = self.kernel
        args = [a.name for a in k.arrays] + [name for name, _ in k.params]
        lines = ["grid = (%s)" % "".join([expr(d) + ", " for d in k.dims])]
        for i, c in enumerate(k.coords):
            if c.op == "var":
                shape = ["1"] * len(k.coords)
                shape[i] = "-1"
                lines.append(
                    "%s = np.arange(grid[%d]).reshape(%s)"
                    % (c.args[0], i, ", ".join(shape))
                )
        self.block(k.body, lines, "")
        body = "\n".join(["    " + x for x in lines])
        return "def run(%s):\n%s\n" % (", ".join(args), body)

    def block(self, statements, lines, indent):
        for s in statements:
            own = []
            self.statement(s, own)
            lines.extend([indent + x for x in own])

    def statement(self, s, lines):
        if isinstance(s, Load):
            view = None if self.masks else self._view(s)
            code = view or "N.load(%s, %s)" % (s.array.name, value(s.index, lines))
            if view and s.array.written:  # a later store must not change it
                code += ".copy()"
            lines.append("%s = %s" % (s.target.args[0], code))
        elif isinstance(s, Store):
            self._store(s, lines)
        elif isinstance(s, Assign):
            code = value(s.value, lines)
            name = s.target.args[0]
            if self.masks:
                code = "np.where(%s, %s, %s)" % (self.masks[-1], code, name)
            lines.append("%s = %s" % (name, code))
        elif isinstance(s, (Let, Declare)):
            lines.append(
                "%s = N.typed(%s, %r)"
                % (s.target.args[0], value(s.value, lines), _name(s.target.dtype))
            )
        elif isinstance(s, Loop):
            self._loop(s, lines)
        else:
            self._when(s, lines)

    def _store(self, s, lines):
        mask = self.masks[-1] if self.masks else "None"
        code = value(s.value, lines)
        view = None if self.masks else self._view(s)
        if view:
            lines.append("%s[...] = %s" % (view, code))
            return
        lines.append(
            "N.store(%s, %s, %s, %s, grid)"
            % (s.array.name, value(s.index, lines), code, mask)
        )

    def _view(self, s):
        """A strided window on the buffer where the index is linear in the point."""
        parts = self._linear(s.index)
        if parts is None:
            return None
        strides = "".join(["(%s) * z, " % parts.get(c.args[0], "0")
                           for c in self.kernel.coords])  # fmt: skip
        return "N.window(%s, grid, %s, lambda z: (%s))" % (
            s.array.name, parts.get("", "0"), strides,
        )  # fmt: skip

    def _linear(self, node):
        """{coordinate: factor as code, "": the rest} of an index, or None."""
        if node.op == "const":
            return {"": expr(node)} if node.args[0] else {}
        if node.op == "var":
            name = node.args[0]
            if name in self.scalars:
                return {"": name}
            points = [c.args[0] for c in self.kernel.coords]
            return {name: "1"} if name in points else None
        if node.op not in ("add", "sub", "mul"):
            return None
        a, b = [self._linear(x) for x in node.args]
        if a is None or b is None:
            return None
        return _product(a, b) if node.op == "mul" else _total(node.op, a, b)

    def _loop(self, s, lines):
        for bound in (s.start, s.stop):
            for node in topological(bound):
                if node.op == "var" and node.args[0] not in self.scalars:
                    raise _PerPoint()
        name = s.target.args[0]
        self.scalars.add(name)
        lines.append(
            "for %s in range(%s, %s, %d):" % (name, expr(s.start), expr(s.stop), s.step)
        )
        inner = []
        self.block(s.body, inner, "    ")
        lines.extend(inner or ["    pass"])

    def _when(self, s, lines):
        self.counter += 1
        name = "w%d" % self.counter
        code = value(s.cond, lines)
        outer = self.masks[-1] if self.masks else None
        lines.append("%s = %s" % (name, code))
        if s.orelse:
            lines.append("%se = np.logical_not(%s)" % (name, name))
        for body, mask in ((s.body, name), (s.orelse, name + "e")):
            if not body:
                continue
            if outer:
                lines.append("%s = np.logical_and(%s, %s)" % (mask, outer, mask))
            self.masks.append(mask)
            lines.append("if np.any(%s):" % mask)
            self.block(body, lines, "    ")
            self.masks.pop()


def _total(op, a, b):
    out = dict(a)
    for name in b:
        sign = " + " if op == "add" else " - "
        out[name] = "(%s%s%s)" % (out.get(name, "0"), sign, b[name])
    return out


def _product(a, b):
    """The product of two linear forms, one of which must be the same everywhere."""
    if [n for n in b if n]:
        a, b = b, a
    if [n for n in b if n]:
        return None
    return {name: "%s * %s" % (a[name], b[""]) for name in a} if b else {}


def value(root, lines):
    """Print an expression; nodes used more than once are bound first."""
    count = uses([root])
    bound = {}
    for node in topological(root):
        if node.op in ("const", "var") or node is root or count[id(node)] < 2:
            continue
        name = "s%d_%d" % (len(lines), len(bound))
        lines.append("%s = %s" % (name, expr(node, bound)))
        bound[id(node)] = name
    return expr(root, bound)


def expr(node, bound=None):
    """One expression as NumPy source."""
    if bound and id(node) in bound:
        return bound[id(node)]
    if node.op == "const":
        number = node.args[0]
        if isinstance(number, complex):  # its repr may be `infj`
            return "complex(%r, %r)" % (number.real, number.imag)
        return repr(number)
    if node.op == "var":
        return node.args[0]
    args = [expr(a, bound) for a in node.args if isinstance(a, Expr)]
    return _apply(node, args)


def _apply(node, args):
    op = node.op
    kind = node.args[0].dtype
    if op in COMPARE:
        return "(%s %s %s)" % (args[0], COMPARE[op], args[1])
    if op in BINARY:
        return "(%s %s %s)" % (args[0], BINARY[op], args[1])
    if kind is INDEX and op in ("floordiv", "mod"):
        return "(%s %s %s)" % (args[0], "//" if op == "floordiv" else "%", args[1])
    if op in LOGIC:
        name = LOGIC[op] if kind.is_bool else "bitwise_" + op
        return "np.%s(%s, %s)" % (name, args[0], args[1])
    if op == "not":
        name = "logical_not" if kind.is_bool else "bitwise_not"
        return "np.%s(%s)" % (name, args[0])
    if op == "cast":
        return "N.cast(%s, %r, %r)" % (args[0], _name(kind), _name(node.dtype))
    if op == "bitcast":
        return "N.typed(%s, %r).view(%r)" % (args[0], _name(kind), node.dtype.name)
    if op == "pow" and kind.is_int:
        op = "int_pow"
    if op in OWN:
        return "N.%s(%s)" % (op, ", ".join(args))
    return "np.%s(%s)" % (UFUNC.get(op, op), ", ".join(args))


def _name(dtype):
    return "int64" if dtype is INDEX else dtype.name
