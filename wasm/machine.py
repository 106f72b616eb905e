"""From the primitives of formulas to WebAssembly's instructions.

`Lowering.lower` turns an Expr into an Expr whose operations are instructions
("f64.add", "i32.shr_s"), whose dtypes are WebAssembly's types ("i32" …), with three
more: "local", "where", and "call NAME" for a function of library.py. Equal nodes
become one node, so that the printer computes them once.

How values are held: bool, ints of up to 32 bits and indices as i32 (in the range of
their dtype, uint32 as its bits), 64-bit ints as i64, float16 and float32 as f32,
float64 as f64.
"""

from __future__ import annotations

from fogo.dtypes import bool_, float16, int64, uint64
from fogo.expr import COMPARISONS, INDEX, TESTS, Expr, topological
from fogo.kernel.angles import FUNCTIONS as ANGLES

from . import integers

COMPARE = ("eqz", "eq", "ne", "lt", "gt", "le", "ge")
FLOAT = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "min": "min", "max": "max",
    "neg": "neg", "abs": "abs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil",
    "trunc": "trunc", "round": "nearest",
}  # fmt: skip
# Of indices that are not negative, these are not negative either.
KEEP_SIGN = ("add", "mul", "floordiv", "mod", "min")


def kind_of(dtype):
    """The WebAssembly type that holds a value of a dtype."""
    if dtype.is_float:
        return "f64" if dtype.bits == 64 else "f32"
    return "i64" if dtype.bits == 64 else "i32"


class Lowering:
    """Lowers expressions; `variable(name)` gives the node of a variable."""

    def __init__(self, variable, is_natural):
        self.variable = variable
        self.is_natural = is_natural  # name -> the index variable is never negative
        self.known = {}

    def lower(self, root):
        """Return the machine expression of a formula's expression."""
        done = {}
        for node in topological(root):
            if node.op == "const":
                result = self.literal(node.args[0], node.dtype)
            elif node.op == "var":
                result = self.variable(node.args[0])
            else:
                args = [done[id(a)] for a in node.args]
                result = self.apply(node, args)
            done[id(node)] = result
        return done[id(root)]

    def forget(self):
        """Variables are about to change: equal nodes are no longer equal values."""
        self.known = {}

    # Building nodes.

    def node(self, op, args, kind):
        key = (op, kind) + tuple([id(a) for a in args])
        found = self.known.get(key)
        if found is None:
            found = Expr(op, tuple(args), kind)
            self.known[key] = found
        return found

    def do(self, name, *args):
        """One instruction; its type follows from its name."""
        head, tail = name.split(".")
        compared = tail.split("_")[0] in COMPARE
        return self.node(name, args, "i32" if compared else head)

    def number(self, value, kind):
        """A constant of a WebAssembly type."""
        key = ("const", kind, repr(value))
        found = self.known.get(key)
        if found is None:
            found = Expr("const", (value,), kind)
            self.known[key] = found
        return found

    def local(self, index, kind):
        """A local variable."""
        key = ("local", index)
        found = self.known.get(key)
        if found is None:
            found = Expr("local", (index,), kind)
            self.known[key] = found
        return found

    def literal(self, value, dtype):
        if dtype.is_float:
            return self.number(float(value), kind_of(dtype))
        return self.number(integers.as_signed(int(value), dtype), kind_of(dtype))

    def choose(self, cond, a, b):
        return self.node("where", (cond, a, b), a.dtype)

    def call(self, name, args, kind="f64"):
        return self.node("call " + name, args, kind)

    # The primitives.

    def apply(self, node, args):
        op = node.op
        source = node.args[0].dtype
        if op in ANGLES:
            return self.call(op, args, kind_of(node.dtype))
        if op == "where":
            return self.choose(*args)
        if op in COMPARISONS:
            return self.compare(op, args[0], args[1], source)
        if op in TESTS:
            return self.test(op, args[0])
        if op == "cast":
            return self.cast(args[0], source, node.dtype)
        if op == "bitcast":
            return self.bitcast(args[0], source, node.dtype)
        if source.is_float:
            return self.floating(op, args, source)
        if source is INDEX and op in ("floordiv", "mod"):
            natural = self.natural(node.args[0]) and self.natural(node.args[1])
            return integers.divide(self, op, args[0], args[1], source, natural)
        return integers.apply(self, op, args, source)

    def compare(self, op, a, b, dtype):
        if dtype.is_int and op not in ("eq", "ne"):
            op += "_u" if dtype.kind == "uint" else "_s"
        elif dtype.is_bool and op not in ("eq", "ne"):
            op += "_u"
        return self.do("%s.%s" % (a.dtype, op), a, b)

    def test(self, op, x):
        if op == "isnan":
            return self.do(x.dtype + ".ne", x, x)
        size = self.do(x.dtype + ".abs", x)
        limit = self.number(float("inf"), x.dtype)
        return self.do(x.dtype + (".eq" if op == "isinf" else ".lt"), size, limit)

    def floating(self, op, args, dtype):
        x = args[0]
        name = FLOAT.get(op)
        if name is not None:
            return self.do("%s.%s" % (x.dtype, name), *args)
        if op == "sign":
            zero, one = self.number(0.0, x.dtype), self.number(1.0, x.dtype)
            below = self.choose(
                self.do(x.dtype + ".lt", x, zero), self.number(-1.0, x.dtype), x
            )
            return self.choose(self.do(x.dtype + ".gt", x, zero), one, below)
        if op == "pow":
            short = self._short_power(x, args[1])
            if short is not None:
                return short
            op = "pow" if x.dtype == "f64" else "quick_pow"
        return self.narrow(self.call(op, [self.wide(a) for a in args]), x.dtype)

    def _short_power(self, x, y):
        """x**y for the exponents that a few products give, or None."""
        if y.op != "const" or y.args[0] not in (-1.0, 2.0, 3.0, 4.0):
            return None
        if y.args[0] == -1.0:
            return self.do(x.dtype + ".div", self.number(1.0, x.dtype), x)
        square = self.do(x.dtype + ".mul", x, x)
        if y.args[0] == 2.0:
            return square
        return self.do(x.dtype + ".mul", square, x if y.args[0] == 3.0 else square)

    def wide(self, x):
        return self.do("f64.promote_f32", x) if x.dtype == "f32" else x

    def narrow(self, x, kind):
        return self.do("f32.demote_f64", x) if kind == "f32" else x

    # Conversions.

    def cast(self, x, source, target):
        if target.is_bool:
            zero = self.number(0.0 if source.is_float else 0, x.dtype)
            return self.do(x.dtype + ".ne", x, zero)
        if target.is_float:
            return self._to_float(x, source, target)
        if source.is_float:
            return self._float_to_int(x, target)
        return integers.resize(self, x, source, target)

    def _to_float(self, x, source, target):
        kind = kind_of(target)
        if not source.is_float:
            sign = "u" if source.kind == "uint" else "s"
            head = "f64" if target is float16 else kind
            x = self.do("%s.convert_%s_%s" % (head, x.dtype, sign), x)
        if target is float16 and source is not float16:
            x = self.call("half", [self.wide(x)])
        if x.dtype == kind:
            return x
        return self.wide(x) if kind == "f64" else self.narrow(x, kind)

    def _float_to_int(self, x, target):
        """Truncated, wrapped as integers wrap; 0 for nan and infinities."""
        zero = self.number(0, "i64")
        whole = self.do("i64.trunc_sat_%s_s" % x.dtype, x)
        if target is uint64:
            above = self.do("i64.trunc_sat_%s_u" % x.dtype, x)
            below = self.do(x.dtype + ".lt", x, self.number(0.0, x.dtype))
            whole = self.choose(below, whole, above)
        whole = self.choose(self.test("isfinite", x), whole, zero)
        return integers.resize(self, whole, int64, target)

    def bitcast(self, x, source, target):
        if source is float16:
            bits = self.call("half_bits", [self.wide(x)], "i32")
            return integers.wrap(self, bits, target)
        if target is float16:
            bits = self.do("i32.and", x, self.number(0xFFFF, "i32"))
            return self.call("half_value", [bits], "f32")
        kind = kind_of(target)
        if kind != x.dtype:
            return self.do("%s.reinterpret_%s" % (kind, x.dtype), x)
        return integers.wrap(self, x, target) if target is not bool_ else x

    def natural(self, root):
        """Say whether an index expression cannot be negative, as far as one sees."""
        known = {}
        for node in topological(root):
            if node.op == "var":
                result = self.is_natural(node.args[0])
            elif node.op == "const":
                result = node.args[0] >= 0
            else:
                parts = [known[id(a)] for a in node.args]
                if node.op == "max":
                    result = parts[0] or parts[1]
                elif node.op == "where":
                    result = parts[1] and parts[2]
                else:
                    result = node.op in KEEP_SIGN and False not in parts
            known[id(node)] = result
        return known[id(root)]
