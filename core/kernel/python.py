"""Prints a kernel as a Python function: the plain-Python backend's code generator.

The first version printed computes straight; where it raises (division by zero,
overflow, a domain error) the guarded version runs, which gives IEEE's inf and nan.
"""

from __future__ import annotations

import math

from ..dtypes import float16
from ..expr import INDEX, Expr, topological, uses
from . import mathfun
from .ir import Assign, Declare, Let, Load, Loop, Store

BINARY = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
BOOLEAN = {"and": "%s and %s", "or": "%s or %s", "xor": "%s != %s"}
# Functions that the raw version calls straight from the math module (not floor and its
# like, which give an int there: it has no -0.0).
MATH = (
    "exp", "expm1", "log", "log2", "log10", "sqrt", "sin", "cos", "tan", "asin",
    "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh", "erf", "atan2",
)  # fmt: skip
WRAPPED = ("add", "sub", "mul", "neg", "abs", "shl", "pow", "not", "floordiv")


def compile_kernel(kernel):
    """Return `run(buffers, params)`, generated from the kernel."""
    space = {"F": mathfun, "inf": math.inf, "nan": math.nan}
    for name in MATH:
        space[name] = getattr(math, name, None) or getattr(mathfun, name)
    guarded = Printer(kernel, True).source()
    raw = Printer(kernel, False).source()
    exec(raw, space)
    fast = space["run"]
    if raw == guarded:
        return fast
    exec(guarded, space)
    safe = space["run"]

    def run(*args):
        try:
            fast(*args)
        except (ZeroDivisionError, OverflowError, ValueError):
            safe(*args)

    return run


class Printer:
    """Prints one version of one kernel."""

    def __init__(self, kernel, guarded):
        self.kernel = kernel
        self.guarded = guarded
        self.level = {}  # loop variable -> depth of the loop that binds it
        self.heads = [[]]  # lines that go before the body at each depth
        self.names = 0

    def source(self):
        k = self.kernel
        args = [a.name for a in k.arrays] + [name for name, _ in k.params]
        lines = self._grid(0)
        indent = ["    " + x for x in self.heads[0] + lines] or ["    pass"]
        return "def run(%s):\n%s\n" % (", ".join(args), "\n".join(indent))

    def _grid(self, d):
        """Nested loops over the grid from axis `d`, the body innermost."""
        k = self.kernel
        if d == len(k.dims):
            return self.block(k.body)
        if k.coords[d].op == "const":
            return self._grid(d + 1)
        return self._loop(
            k.coords[d].args[0], "range(%s)" % self.expr(k.dims[d]),
            lambda: self._grid(d + 1),
        )  # fmt: skip

    def _loop(self, name, header, body):
        self.heads.append([])
        self.level[name] = len(self.heads) - 1
        inner = body()
        inner = self.heads.pop() + inner
        del self.level[name]
        return ["for %s in %s:" % (name, header)] + [
            "    " + x for x in inner or ["pass"]
        ]

    def block(self, statements):
        lines = []
        for s in statements:
            self.statement(s, lines)
        return lines

    def statement(self, s, lines):
        if isinstance(s, (Let, Declare, Assign)):
            lines.append(s.target.args[0] + " = " + self.value(s.value, lines))
        elif isinstance(s, Load):
            code = "%s[%s]" % (s.array.name, self.index(s.index))
            if s.array.dtype is float16:
                code = "F.half_to_float(%s)" % code
            lines.append("%s = %s" % (s.target.args[0], code))
        elif isinstance(s, Store):
            code = self.value(s.value, lines)
            if s.array.dtype is float16:
                code = "F.float_to_half(%s)" % code
            lines.append("%s[%s] = %s" % (s.array.name, self.index(s.index), code))
        elif isinstance(s, Loop):
            header = "range(%s, %s, %d)" % (
                self.expr(s.start), self.expr(s.stop), s.step,
            )  # fmt: skip
            lines.extend(
                self._loop(s.target.args[0], header, lambda: self.block(s.body))
            )
        else:
            lines.append("if %s:" % self.value(s.cond, lines))
            lines.extend(["    " + x for x in self.block(s.body) or ["pass"]])
            if s.orelse:
                lines.append("else:")
                lines.extend(["    " + x for x in self.block(s.orelse)])

    def index(self, root):
        """An index: parts that do not change in the inner loops are hoisted."""
        terms = []
        stack = [root]
        while stack:
            node = stack.pop()
            if node.op == "add":
                stack.append(node.args[1])
                stack.append(node.args[0])
            else:
                terms.append(node)
        by_depth = {}
        for t in terms:
            depth = self._depth(t)
            by_depth[depth] = by_depth.get(depth, []) + [self.expr(t)]
        here = len(self.heads) - 1
        done = None
        for depth in sorted([x for x in by_depth if x < here and x >= 0]):
            parts = ([done] if done else []) + by_depth[depth]
            done = self._hoist(depth, " + ".join(parts))
        parts = ([done] if done else []) + by_depth.get(here, []) + by_depth.get(-1, [])
        return " + ".join(parts)

    def _hoist(self, depth, code):
        """Bind code at the head of an outer loop's body, once; returns its name."""
        if code.isdigit() or (code.startswith("h") and code[1:].isdigit()):
            return code
        for line in self.heads[depth]:
            if line.endswith(" = " + code) and line.startswith("h"):
                return line.split(" = ")[0]
        self.names += 1
        name = "h%d" % self.names
        self.heads[depth].append("%s = %s" % (name, code))
        return name

    def _depth(self, root):
        """The innermost loop an expression depends on, -1 for anything computed."""
        depth = 0
        for node in topological(root):
            if node.op == "var":
                name = node.args[0]
                if name in self.level:
                    depth = max(depth, self.level[name])
                elif not name.startswith("p"):
                    return -1
        return depth

    def value(self, root, lines):
        """Print an expression; nodes used more than once are bound first."""
        count = uses([root])
        bound = {}
        for node in topological(root):
            if node.op in ("const", "var") or node is root:
                continue
            if count[id(node)] > 1:
                self.names += 1
                name = "s%d" % self.names
                lines.append("%s = %s" % (name, self.expr(node, bound)))
                bound[id(node)] = name
        return self.expr(root, bound)

    def expr(self, node, bound=None):
        if bound and id(node) in bound:
            return bound[id(node)]
        if node.op == "const":
            return repr(node.args[0])
        if node.op == "var":
            return node.args[0]
        args = [self.expr(a, bound) for a in node.args if isinstance(a, Expr)]
        code = self.apply(node, args)
        if node.op in WRAPPED and node.dtype.is_int and node.dtype is not INDEX:
            code = wrap(code, node.dtype)
        return code

    def apply(self, node, args):
        op = node.op
        kind = node.args[0].dtype
        if op in COMPARE:
            return "(%s %s %s)" % (args[0], COMPARE[op], args[1])
        if op in BOOLEAN and kind.is_bool:
            return "(" + BOOLEAN[op] % tuple(args) + ")"
        if op in BINARY:
            return "(%s %s %s)" % (args[0], BINARY[op], args[1])
        if op == "where":
            return "(%s if %s else %s)" % (args[1], args[0], args[2])
        if op == "neg":
            return "(-%s)" % args[0]
        if op == "not":
            return ("(not %s)" if kind.is_bool else "(~%s)") % args[0]
        if op in ("shl", "shr"):
            return "F.%s(%s, %s, %d)" % (op, args[0], args[1], kind.bits)
        if op == "cast":
            return self._cast(kind, node.dtype, args[0])
        if op == "bitcast":
            return "F.bitcast(%s, %r, %r)" % (args[0], kind.code, node.dtype.code)
        return self._function(op, kind, args)

    def _function(self, op, kind, args):
        listed = ", ".join(args)
        if kind.is_int:
            if op in ("floordiv", "mod") and kind is INDEX:
                return "(%s %s %s)" % (args[0], "//" if op[0] == "f" else "%", args[1])
            if op in ("min", "max") and kind is INDEX:  # bounds of inner loops
                sign = "<" if op == "min" else ">"
                a, b = args
                return "(%s if %s %s %s else %s)" % (a, a, sign, b, b)
            return "F.int_%s(%s)" % (op, listed)
        if not self.guarded:
            if op == "div":
                return "(%s / %s)" % tuple(args)
            if op in MATH:
                return "%s(%s)" % (op, listed)
        return "F.%s(%s)" % (op, listed)

    def _cast(self, source, target, code):
        if target.is_float:
            return "float(%s)" % code if not source.is_float else code
        if target.is_bool:
            return "(%s != 0)" % code
        if source.is_float:
            code = "%s(%s)" % ("F.to_int" if self.guarded else "int", code)
        elif source.is_bool:
            return "int(%s)" % code
        if target is INDEX or (source.bits < target.bits and source.kind == "uint"):
            return code
        return wrap(code, target)


def wrap(code, dtype):
    """Bring an integer back into the range of its dtype, as hardware does."""
    mask = (1 << dtype.bits) - 1
    if dtype.kind == "uint":
        return "(%s & %d)" % (code, mask)
    half = 1 << (dtype.bits - 1)
    return "((%s + %d & %d) - %d)" % (code, half, mask, half)
