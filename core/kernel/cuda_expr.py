"""Prints expressions as CUDA C++.

Values are computed as float, double, bool, int, unsigned, long long or unsigned long
long; narrower integers in 32 bits, brought back into their range after each operation;
float16 in float. Signed sums wrap by way of unsigned ones; indices do not wrap.
"""

from __future__ import annotations

from struct import pack, unpack

from ..dtypes import float16, float64
from ..expr import INDEX, TESTS, Expr, topological, uses

INFIX = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
MATH = {
    "exp": "exp", "expm1": "expm1", "log": "log", "log1p": "log1p", "log2": "log2",
    "log10": "log10", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan",
    "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "erf": "erf",
    "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint", "pow": "pow",
    "atan2": "atan2", "abs": "fabs", "exp_below": "exp", "exp2_near": "exp2",
    "max_near": "fmax",
}  # fmt: skip
WRAPPED = ("add", "sub", "mul", "neg", "abs", "shl", "pow", "not", "floordiv")
NARROW = {
    ("int", 8): "(int)(signed char)(%s)", ("int", 16): "(int)(short)(%s)",
    ("uint", 8): "(unsigned)(unsigned char)(%s)",
    ("uint", 16): "(unsigned)(unsigned short)(%s)",
}  # fmt: skip


def kind(dtype):
    """The C++ type that computes a dtype."""
    if dtype.is_float:
        return "double" if dtype is float64 else "float"
    if dtype.is_bool:
        return "bool"
    if dtype.bits == 64:
        return "long long" if dtype.kind == "int" else "unsigned long long"
    return "int" if dtype.kind == "int" else "unsigned"


def unsigned(dtype):
    """The unsigned type in which an integer dtype wraps."""
    return "unsigned long long" if dtype.bits == 64 else "unsigned"


def narrow(code, dtype):
    """Bring a 32-bit integer back into the range of a narrower dtype."""
    form = NARROW.get((dtype.kind, dtype.bits))
    return "(" + form % code + ")" if form else code


class Expressions:
    """The part of the CUDA printer that prints values."""

    def begin(self):
        """Start with no functions used and no names given."""
        self.used = {}
        self.names = 0

    def value(self, root, lines):
        """Print an expression; nodes used more than once are bound first."""
        if root.op == "var":
            return root.args[0]
        count = uses([root])
        code = {}
        for node in topological(root):
            if node.op == "const":
                text = self.literal(node.args[0], node.dtype)
            elif node.op == "var":
                text = node.args[0]
            else:
                args = [a for a in node.args if isinstance(a, Expr)]
                text = self.apply(node, args, [code[id(a)] for a in args])
                if count[id(node)] > 1 and node is not root:
                    self.names += 1
                    name = "s%d" % self.names
                    lines.append("const %s %s = %s;" % (kind(node.dtype), name, text))
                    text = name
            code[id(node)] = text
        return code[id(root)]

    def call(self, name, args):
        """Call a function of the library, which the source then includes."""
        self.used[name] = True
        return "%s(%s)" % (name, ", ".join(args))

    def literal(self, value, dtype):
        if dtype.is_bool:
            return "true" if value else "false"
        if dtype.is_float:
            return self._float(value, dtype)
        if dtype.bits == 64:
            if dtype.kind == "uint":
                return "%dull" % (value & 0xFFFFFFFFFFFFFFFF)
            if value == -(1 << 63):
                return "(-9223372036854775807ll - 1)"
            return "%dll" % value if value >= 0 else "(%dll)" % value
        if dtype.kind == "uint":
            return "%du" % (value & 0xFFFFFFFF)
        if value == -(1 << 31):
            return "(-2147483647 - 1)"
        return "%d" % value if value >= 0 else "(%d)" % value

    def _float(self, value, dtype):
        """A literal of the nearest number; infinities and nan come from their bits."""
        if dtype is float64:
            if value - value != 0:
                word = unpack("<Q", pack("<d", value))[0]
                return self.call("bits<double>", ["0x%xull" % word])
            code = repr(value)
        else:
            word = float_word(value)
            if word & 0x7F800000 == 0x7F800000:
                return self.call("bits<float>", ["0x%xu" % word])
            code = repr(unpack("<f", pack("<I", word))[0]) + "f"
        return "(%s)" % code if code[0] == "-" else code

    def apply(self, node, args, code):
        """The code of one operation on printed operands."""
        op = node.op
        dtype = args[0].dtype
        if op == "where":
            return "(%s ? %s : %s)" % tuple(code)
        if op == "cast":
            return self.cast(dtype, node.dtype, code[0])
        if op == "bitcast":
            return self._bitcast(dtype, node.dtype, code[0])
        if op in COMPARE:
            return "(%s %s %s)" % (code[0], COMPARE[op], code[1])
        if dtype.is_bool:
            return self._bool(op, code)
        if dtype.is_float:
            return self._of_floats(op, dtype, code)
        text = self._of_ints(op, dtype, code)
        if op in WRAPPED and dtype is not INDEX:
            text = narrow(text, dtype)
        return text

    def _bool(self, op, code):
        if op == "not":
            return "(!%s)" % code[0]
        sign = {"and": "&&", "or": "||", "xor": "!="}[op]
        return "(%s %s %s)" % (code[0], sign, code[1])

    def _of_floats(self, op, dtype, code):
        if op in INFIX or op == "div":
            return "(%s %s %s)" % (code[0], INFIX.get(op, "/"), code[1])
        if op == "neg":
            return "(-%s)" % code[0]
        if op in MATH:
            name = MATH[op] + ("" if dtype is float64 else "f")
            return "%s(%s)" % (name, ", ".join(code))
        name = "is_" + op[2:] if op in TESTS else "f_" + op
        return self.call(name, code)

    def _of_ints(self, op, dtype, code):
        if op in ("add", "sub", "mul"):
            sign = INFIX[op]
            if dtype is INDEX or dtype.kind == "uint":
                return "(%s %s %s)" % (code[0], sign, code[1])
            wide = unsigned(dtype)
            return "(%s)((%s)%s %s (%s)%s)" % (
                kind(dtype), wide, code[0], sign, wide, code[1],
            )  # fmt: skip
        if op in INFIX:
            return "(%s %s %s)" % (code[0], INFIX[op], code[1])
        if op == "neg":
            return "(%s)(0 - (%s)%s)" % (kind(dtype), unsigned(dtype), code[0])
        if op == "not":
            return "(~%s)" % code[0]
        if op in ("shl", "shr"):
            code = code + ["%d" % dtype.bits]
        return self.call("i_" + op, code)

    def cast(self, source, target, code):
        """Convert between dtypes as kernel/python.py does."""
        if target.is_bool:
            return "(%s != 0)" % code
        if source.is_float and not target.is_float:
            code = self.call("f_int", [code])
        if kind(source) != kind(target) or source.is_float != target.is_float:
            code = "(%s)%s" % (kind(target), code)
        if target.is_float or target is INDEX:
            return "(%s)" % code
        fits = source.is_bool or (source.kind == "uint" and source.bits < target.bits)
        return code if fits else narrow(code, target)

    def _bitcast(self, source, target, code):
        if source is float16:
            word = "(unsigned)" + self.call("float_half", [code])
            return narrow("(%s)(%s)" % (kind(target), word), target)
        if target is float16:
            return self.call("half_float", ["(unsigned short)" + code])
        if source.is_float or target.is_float:
            return self.call("bits<%s>" % kind(target), [code])
        return narrow("(%s)%s" % (kind(target), code), target)


def float_word(value):
    """The bits of the nearest float32, as an unsigned integer."""
    try:
        return unpack("<I", pack("<f", value))[0]
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000
