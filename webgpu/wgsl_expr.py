"""Prints expressions as WGSL: arithmetic, conversions and literals.

float16 is computed in float32. What the standard leaves open (nan, division by zero,
large shifts) is settled by functions of our own: see wgsl_math.
"""

from __future__ import annotations

from struct import pack, unpack

from ..dtypes import float16
from ..expr import COMPARISONS, INDEX, Expr, topological, uses

INFIX = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=="}
# WGSL's own functions that hold what we promise; the rest is in wgsl_math.
BUILTIN = ("floor", "ceil", "trunc", "round", "sqrt")
NEAR = {"exp2_near": "exp2", "max_near": "max"}  # the device's own, as they are
OURS = (
    "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin",
    "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "pow",
    "atan2", "exp_below",
)  # fmt: skip
WRAPPED = ("add", "sub", "mul", "neg", "abs", "shl", "pow", "not")


def kind(dtype):
    """The WGSL type that computes a dtype."""
    if dtype.is_float:
        return "f32"
    if dtype.is_bool:
        return "bool"
    return "u32" if dtype.kind == "uint" else "i32"


class Expressions:
    """The half of a printer that prints values; `Printer` prints statements."""

    def __init__(self):
        self.names = 0
        self.used = {}  # functions of the library: name -> True
        self.positive = {}  # variables that are never negative

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
                    lines.append("let s%d = %s;" % (self.names, text))
                    text = "s%d" % self.names
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
            return self._float(value)
        if dtype.kind == "uint":
            return "%du" % (value & 0xFFFFFFFF)
        value = (value + 0x80000000 & 0xFFFFFFFF) - 0x80000000
        if value == -0x80000000:
            return "(-2147483647i - 1i)"
        return ("%di" if value >= 0 else "(%di)") % value

    def _float(self, value):
        """A float32 literal; what WGSL has no literal for comes from its bits."""
        bits = float_bits(value)
        size = bits & 0x7FFFFFFF
        if size >= 0x7F800000 or 0 < size < 0x800000:
            return self.call("flt", ["0x%08xu" % bits])
        code = repr(unpack("<f", pack("<I", bits))[0]) + "f"
        return "(%s)" % code if code[0] == "-" else code

    def apply(self, node, args, code):
        """The code of one operation on printed operands."""
        op = node.op
        dtype = args[0].dtype
        if op == "where":
            return "select(%s, %s, %s)" % (code[2], code[1], code[0])
        if op == "cast":
            return self.cast(dtype, node.dtype, code[0])
        if op == "bitcast":
            return self._bitcast(dtype, node.dtype, code[0])
        if [a for a in args if a.op != "const"] == []:
            code = [self._hidden(dtype, code[0])] + code[1:]
        if op in COMPARISONS and dtype.is_float:
            # Else select(x, 0, x <= 0) becomes max(x, 0), which loses nan.
            code = [self.call("keep", code[:1])] + code[1:]
        if op == "ne":
            return "!(%s == %s)" % tuple(code)
        if op in COMPARE:
            return "(%s %s %s)" % (code[0], COMPARE[op], code[1])
        if dtype.is_bool:
            return self._bool(op, code)
        if dtype.is_float:
            return self._of_floats(op, args, code)
        text = self._of_ints(op, args, code)
        if op in WRAPPED and dtype.bits < 32:
            text = narrow(text, dtype)
        return text

    def _hidden(self, dtype, code):
        """Hide a literal, lest WGSL compute (and refuse) it at compile time."""
        if dtype.is_bool:
            return code
        return self.call({"f32": "kf", "i32": "ki", "u32": "ku"}[kind(dtype)], [code])

    def _bool(self, op, code):
        if op == "not":
            return "!%s" % code[0]
        if op == "xor":
            return "(%s != %s)" % tuple(code)
        return "(%s %s %s)" % (code[0], INFIX[op], code[1])

    def _of_floats(self, op, args, code):
        if op == "mul":  # x * 0 is nan for nan and inf: hide the 0
            code = [self._zero(a, c) for a, c in zip(args, code)]
        if op in INFIX:
            return "(%s %s %s)" % (code[0], INFIX[op], code[1])
        if op == "div" and args[1].op == "const" and 1e-9 < abs(args[1].args[0]) < 1e9:
            return "(%s / %s)" % tuple(code)
        if op == "neg":
            return "(-%s)" % code[0]
        if op in BUILTIN or op == "abs":
            return "%s(%s)" % (op, code[0])
        if op in NEAR:
            return "%s(%s)" % (NEAR[op], ", ".join(code))
        if op in OURS:
            return self.call("m_" + op, code)
        if op in ("isnan", "isinf", "isfinite"):
            return self.call("is_" + op[2:], code)
        return self.call("f_" + op, code)

    def _zero(self, arg, code):
        if arg.op == "const" and arg.args[0] == 0:
            return self.call("flt", ["0u"])
        return code

    def _of_ints(self, op, args, code):
        if op in INFIX:
            return "(%s %s %s)" % (code[0], INFIX[op], code[1])
        unsigned = args[0].dtype.kind == "uint"
        if op in ("min", "max") or (op == "abs" and not unsigned):
            return "%s(%s)" % (op, ", ".join(code))
        if op == "abs":
            return code[0]
        if op == "neg":
            return ("(0u - %s)" if unsigned else "(-%s)") % code[0]
        if op == "not":
            return "(~%s)" % code[0]
        if op in ("floordiv", "mod") and args[0].dtype is INDEX:
            if self.never_negative(args[0]) and self.never_negative(args[1]):
                sign = "/" if op == "floordiv" else "%"
                return "i32(u32(%s) %s u32(%s))" % (code[0], sign, code[1])
        return self.call(("u_" if unsigned else "i_") + op, code)

    def cast(self, source, target, code):
        """Convert between dtypes as `kernel/python.py` does."""
        if target.is_float:
            return "f32(%s)" % code if not source.is_float else code
        if target.is_bool:
            zero = {"f32": "0.0f", "i32": "0i", "u32": "0u"}[kind(source)]
            return "!(%s == %s)" % (code, zero)
        have, want = kind(source), kind(target)
        if source.is_bool:
            return "select(0%s, 1%s, %s)" % (want[0], want[0], code)
        if source.is_float:
            code = self.call("f_int", [code])
            have = "u32"
        if have != want:
            code = "bitcast<%s>(%s)" % (want, code)
        if target.bits == 32 or (
            source.is_int and source.bits < target.bits and source.kind == "uint"
        ):
            return code
        return narrow(code, target)

    def _bitcast(self, source, target, code):
        if source is float16:
            code = self.call("float_half", [code])
            return code if target.kind == "uint" else narrow("i32(%s)" % code, target)
        if target is float16:
            word = code if source.kind == "uint" else "(u32(%s) & 0xffffu)" % code
            return self.call("half_float", [word])
        if kind(source) == kind(target):
            return code
        code = "bitcast<%s>(%s)" % (kind(target), code)
        return code if target.bits == 32 else narrow(code, target)

    def never_negative(self, root):
        """Say whether an index is plainly at least 0, so that division is unsigned."""
        for node in topological(root):
            if node.op == "const":
                fine = node.args[0] >= 0
            elif node.op == "var":
                fine = node.args[0] in self.positive
            else:
                fine = node.op in ("add", "mul", "floordiv", "mod", "min", "max")
            if not fine or node.dtype is not INDEX:
                return False
        return True


def narrow(code, dtype):
    """Bring a 32-bit integer back into the range of a narrower dtype."""
    if dtype.bits == 32:
        return code
    if dtype.kind == "uint":
        return "(%s & %du)" % (code, (1 << dtype.bits) - 1)
    shift = 32 - dtype.bits
    return "((%s << %du) >> %du)" % (code, shift, shift)


def float_bits(value):
    """The bits of the nearest float32, as an unsigned integer."""
    try:
        return unpack("<I", pack("<f", value))[0]
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000
