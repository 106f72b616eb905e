"""Symbolic scalars: the formulas that ops and kernels are written in.

A formula is an ordinary function. Called with `Expr` leaves it returns an expression
graph, which printers turn into Python, NumPy, WGSL, … and which `gradients`
differentiates. Nothing here knows tensors or devices.
"""

from __future__ import annotations

from typing import Any

from .dtypes import DType, bool_, float32, part
from .dtypes import dtype as named
from .errors import DTypeError

# The dtype of index arithmetic inside kernels: 32 bits, never wraps, never stored.
INDEX = DType("index", "int", 32, "i")


class Expr:
    """One node: an operation name, its arguments (Exprs), and the dtype it yields.

    Leaves are "const" (args = (value,)) and "var" (args = (name,)).
    """

    __slots__ = ("op", "args", "dtype")

    def __init__(self, op: str, args: tuple[Any, ...], dtype: DType) -> None:
        self.op = op
        self.args = args
        self.dtype = dtype

    def __add__(self, o: Any) -> Expr:
        return call("add", self, o)

    def __radd__(self, o: Any) -> Expr:
        return call("add", o, self)

    def __sub__(self, o: Any) -> Expr:
        return call("sub", self, o)

    def __rsub__(self, o: Any) -> Expr:
        return call("sub", o, self)

    def __mul__(self, o: Any) -> Expr:
        return call("mul", self, o)

    def __rmul__(self, o: Any) -> Expr:
        return call("mul", o, self)

    def __truediv__(self, o: Any) -> Expr:
        return call("div", self, o)

    def __rtruediv__(self, o: Any) -> Expr:
        return call("div", o, self)

    def __floordiv__(self, o: Any) -> Expr:
        return call("floordiv", self, o)

    def __rfloordiv__(self, o: Any) -> Expr:
        return call("floordiv", o, self)

    def __mod__(self, o: Any) -> Expr:
        return call("mod", self, o)

    def __rmod__(self, o: Any) -> Expr:
        return call("mod", o, self)

    def __pow__(self, o: Any) -> Expr:
        return call("pow", self, o)

    def __rpow__(self, o: Any) -> Expr:
        return call("pow", o, self)

    def __neg__(self) -> Expr:
        return call("neg", self)

    def __abs__(self) -> Expr:
        return call("abs", self)

    def __invert__(self) -> Expr:
        return call("not", self)

    def __and__(self, o: Any) -> Expr:
        return call("and", self, o)

    def __or__(self, o: Any) -> Expr:
        return call("or", self, o)

    def __xor__(self, o: Any) -> Expr:
        return call("xor", self, o)

    def __lshift__(self, o: Any) -> Expr:
        return call("shl", self, o)

    def __rshift__(self, o: Any) -> Expr:
        return call("shr", self, o)

    def __lt__(self, o: Any) -> Expr:
        return call("lt", self, o)

    def __le__(self, o: Any) -> Expr:
        return call("le", self, o)

    def __gt__(self, o: Any) -> Expr:
        return call("gt", self, o)

    def __ge__(self, o: Any) -> Expr:
        return call("ge", self, o)

    def __eq__(self, o: Any) -> Expr:  # type: ignore[override]
        return call("eq", self, o)

    def __ne__(self, o: Any) -> Expr:  # type: ignore[override]
        return call("ne", self, o)

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        raise TypeError(
            "formula: Python branched on a symbolic value; use where(), or k.when() "
            "in a kernel"
        )

    def __index__(self) -> int:
        raise TypeError(
            "formula: a symbolic value is known on the device only; given where Python "
            "needs a number, as in range(v); use k.loop(v), fogo.exp(v) and the like"
        )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            "formula: a symbolic value has no %s, as a tensor might; use elementwise "
            "functions, and k.loop for sums" % name
        )

    def __repr__(self) -> str:
        if self.op in ("const", "var"):
            return str(self.args[0])
        return "%s(%s)" % (self.op, ", ".join([repr(a) for a in self.args]))


def var(name: str, dtype: DType) -> Expr:
    """Return a leaf that stands for a value known at run time."""
    return Expr("var", (name,), dtype)


def literal(value: Any, dtype: DType) -> Expr:
    """Return a number as a node, brought to the dtype's kind.

    Not called `const`: MicroPython's compiler takes `x = const(…)` for its own.
    """
    if dtype.is_bool:
        value = bool(value)
    elif dtype.is_complex:
        value = complex(value)
    elif dtype.is_float:
        value = float(value)
    else:
        value = int(value)
    return Expr("const", (value,), dtype)


def cast(x: Expr, dtype: DType | str) -> Any:
    """Convert an expression to another dtype."""
    if x.dtype is dtype:
        return x
    dtype = named(dtype)
    if x.dtype.is_complex and not (dtype.is_complex or dtype.is_bool):
        raise DTypeError(
            "cast: a complex number has no place in %s; given %s; take abs(), real() "
            "or imag()" % (dtype.name, x.dtype.name)
        )
    if x.op == "const":
        return literal(x.args[0], dtype)
    return Expr("cast", (x,), dtype)


def bitcast(x: Expr, dtype: DType | str) -> Any:
    """Reinterpret the bits of an expression as another dtype of the same width."""
    dtype = named(dtype)
    if x.dtype.bits != dtype.bits:
        raise TypeError(
            "formula: bitcast keeps the width; given %s to %s; cast it first"
            % (x.dtype.name, dtype.name)
        )
    return Expr("bitcast", (x,), dtype)


COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
TESTS = ("isnan", "isinf", "isfinite")
UNARY_FLOAT = (
    "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf",
    "floor", "ceil", "trunc", "round",
)  # fmt: skip
BINARY = (
    "add", "sub", "mul", "div", "floordiv", "mod", "pow", "min", "max", "and", "or",
    "xor", "shl", "shr", "atan2",
)  # fmt: skip
PARTS = ("real", "imag", "conj")
UNARY = UNARY_FLOAT + TESTS + PARTS + ("neg", "abs", "not", "sign")
PRIMITIVES = UNARY + BINARY + COMPARISONS + ("where", "cast", "bitcast")
# What has no meaning for complex numbers: they have no order, and no whole part.
REAL_ONLY = (
    "erf", "floor", "ceil", "trunc", "floordiv", "mod", "min", "max", "and", "or",
    "xor", "not", "shl", "shr", "atan2", "lt", "le", "gt", "ge",
)  # fmt: skip


def call(op: str, *args: Any) -> Any:
    """Apply a primitive; Python scalars take the dtype of the other operands.

    Raises: TypeError when the operands' dtypes differ, DTypeError for complex numbers
    where the primitive has no meaning for them.
    """
    args = _typed(op, args)
    dtype = args[-1].dtype
    if dtype.is_complex:
        if op in REAL_ONLY:
            raise DTypeError(
                "%s: real numbers only; given %s; take abs(), real() or imag()"
                % (op, dtype.name)
            )
        if op in ("abs", "real", "imag"):
            dtype = part(dtype)
    if op in COMPARISONS or op in TESTS:
        dtype = bool_
    simple = _simplify(op, args)
    return Expr(op, args, dtype) if simple is None else simple


def _typed(op, args):
    first = 1 if op == "where" else 0
    dtype = None
    for a in args[first:]:
        if isinstance(a, Expr) and (dtype is None or dtype is INDEX):
            dtype = a.dtype
    if dtype is None:
        dtype = bool_ if isinstance(args[first], bool) else float32
    out = list(args)
    for i in range(first, len(args)):
        a = args[i]
        if not isinstance(a, Expr):
            out[i] = literal(a, dtype)
        elif a.dtype is not dtype:
            if a.dtype is INDEX:  # an index meets data: it becomes data
                out[i] = cast(a, dtype)
            else:
                raise TypeError(
                    "formula: the dtypes of values must agree; given %s of %s and %s; "
                    "bring them together by cast(v, dtype)"
                    % (op, dtype.name, a.dtype.name)
                )
    if first and not isinstance(args[0], Expr):
        out[0] = literal(args[0], bool_)
    return tuple(out)


def _is(x, value):
    return x.op == "const" and x.args[0] == value and not x.dtype.is_bool


def _simplify(op, args):
    """Identities that hold for every float too (so not x*0)."""
    a = args[0]
    b = args[1] if len(args) > 1 else None
    if a.op == "const" and b is not None and b.op == "const" and a.dtype is INDEX:
        return _fold_index(op, a.args[0], b.args[0])
    if op == "mul":
        if _is(b, 1):
            return a
        if _is(a, 1):
            return b
        if a.dtype is INDEX and (_is(a, 0) or _is(b, 0)):
            return literal(0, INDEX)
    elif op == "add":
        if _is(b, 0):
            return a
        if _is(a, 0):
            return b
    elif op == "sub" and _is(b, 0):
        return a
    elif op == "div" and _is(b, 1):
        return a
    elif op == "neg" and a.op == "neg":
        return a.args[0]
    elif op in PARTS:
        return _simple_part(op, a)
    elif op in ("floor", "ceil", "trunc", "round") and a.dtype.is_int:
        return a
    elif op == "pow" and _is(b, 1):
        return a
    elif op == "where" and a.op == "const":
        return args[1] if a.args[0] else args[2]
    return None


def _simple_part(op, a):
    """The real part and the conjugate of a real number are that number."""
    if not a.dtype.is_complex:
        return a if op != "imag" else literal(0, a.dtype)
    if op == "conj" and a.op == "conj":
        return a.args[0]
    return None


def _fold_index(op, a, b):
    if op == "add":
        return literal(a + b, INDEX)
    if op == "sub":
        return literal(a - b, INDEX)
    if op == "mul":
        return literal(a * b, INDEX)
    if op == "floordiv" and b:
        return literal(a // b, INDEX)
    if op == "mod" and b:
        return literal(a % b, INDEX)
    return None


def where(cond: Any, a: Any, b: Any) -> Any:
    """Choose `a` where the condition holds, else `b`."""
    return call("where", cond, a, b)


def _two_over_sqrt_pi():
    return 1.1283791670955126


# Derivatives: name -> f(g, out, *args) giving one adjoint (or None) per argument.
# Of complex numbers g is the conjugate of the gradient (dL/dx - i*dL/dy): with it the
# rules of holomorphic functions read as those of real ones.
RULES = {
    "add": lambda g, o, a, b: (g, g),
    "sub": lambda g, o, a, b: (g, -g),
    "mul": lambda g, o, a, b: (g * b, g * a),
    "div": lambda g, o, a, b: (g / b, -g * (o / b)),
    "neg": lambda g, o, a: (-g,),
    "abs": lambda g, o, a: (cast(g, a.dtype) * call("conj", call("sign", a)),),
    "sign": lambda g, o, a: (_turn(g, o, a) if a.dtype.is_complex else None,),
    "real": lambda g, o, a: (cast(g, a.dtype),),
    "imag": lambda g, o, a: (cast(g, a.dtype) * -1j,),
    "conj": lambda g, o, a: (call("conj", g),),
    "mod": lambda g, o, a, b: (g, -g * call("floor", a / b)),
    "floordiv": lambda g, o, a, b: (None, None),
    "pow": lambda g, o, a, b: (_pow_base(g, a, b), _pow_exponent(g, o, a, b)),
    "min": lambda g, o, a, b: (_pick(g, a, b, a < b), _pick(g, a, b, b < a)),
    "max": lambda g, o, a, b: (_pick(g, a, b, a > b), _pick(g, a, b, b > a)),
    "where": lambda g, o, c, a, b: (None, where(c, g, 0.0), where(c, 0.0, g)),
    "exp": lambda g, o, a: (g * o,),
    "expm1": lambda g, o, a: (g * (o + 1.0),),
    "log": lambda g, o, a: (g / a,),
    "log1p": lambda g, o, a: (g / (a + 1.0),),
    "log2": lambda g, o, a: (g / (a * 0.6931471805599453),),
    "log10": lambda g, o, a: (g / (a * 2.302585092994046),),
    "sqrt": lambda g, o, a: (g / (o * 2.0),),
    "sin": lambda g, o, a: (g * call("cos", a),),
    "cos": lambda g, o, a: (-g * call("sin", a),),
    "tan": lambda g, o, a: (g * (o * o + 1.0),),
    "asin": lambda g, o, a: (g / call("sqrt", 1.0 - a * a),),
    "acos": lambda g, o, a: (-g / call("sqrt", 1.0 - a * a),),
    "atan": lambda g, o, a: (g / (a * a + 1.0),),
    "sinh": lambda g, o, a: (g * call("cosh", a),),
    "cosh": lambda g, o, a: (g * call("sinh", a),),
    "tanh": lambda g, o, a: (g * (1.0 - o * o),),
    "asinh": lambda g, o, a: (g / call("sqrt", a * a + 1.0),),
    "acosh": lambda g, o, a: (g / _acosh_root(a),),
    "atanh": lambda g, o, a: (g / (1.0 - a * a),),
    "atan2": lambda g, o, a, b: _angle(g, a, b),
    "erf": lambda g, o, a: (g * (call("exp", -(a * a)) * _two_over_sqrt_pi()),),
    "cast": lambda g, o, a: (
        cast(g if a.dtype.is_complex else call("real", g), a.dtype),
    ),
}


def _turn(g, o, a):
    """d z/|z| = (dz - o * Re(conj(o) * dz)) / |z|; 0 at 0, as in PyTorch."""
    along = cast(call("real", g * o), a.dtype) * call("conj", o)
    length = cast(call("abs", a), a.dtype)
    zero = call("eq", a, 0.0)
    return where(zero, 0.0, (g - along) / where(zero, 1.0, length))


def _acosh_root(a):
    """sqrt(a*a - 1); of complex numbers on the branch that acosh has."""
    if a.dtype.is_complex:
        return call("sqrt", a - 1.0) * call("sqrt", a + 1.0)
    return call("sqrt", a * a - 1.0)


def _angle(g, y, x):
    """d atan2(y, x); 0 at the origin, as in PyTorch."""
    square = y * y + x * x
    g = where(call("eq", square, 0.0), 0.0, g / square)
    return (g * x, -g * y)


def _pow_base(g, a, b):
    """d(a^b)/da, taken as 0 where b is 0 (also at a = 0)."""
    if b.op == "const" and b.args[0] == 2.0:
        return g * (a * 2.0)
    return where(call("eq", b, 0.0), 0.0, g * (b * call("pow", a, b - 1.0)))


def _pow_exponent(g, o, a, b):
    """d(a^b)/db; 0 at a = 0 with b >= 0, as in PyTorch."""
    if b.op == "const":
        return None
    grows = call("real", b) >= 0.0
    zero = call("and", call("eq", a, 0.0), grows)
    return where(zero, 0.0, g * (o * call("log", a)))


def _pick(g, a, b, wins):
    """The gradient goes to the winner, half to each at a tie (as in PyTorch)."""
    return where(wins, g, where(call("eq", a, b), g * 0.5, 0.0))


def topological(root):
    """Every node below `root`, arguments before users (iterative: no recursion)."""
    order = []
    seen = set()
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            for a in node.args:
                if isinstance(a, Expr):
                    stack.append((a, False))
    return order


def gradients(out, leaves, g):
    """Differentiate `out` by each leaf, times `g` (reverse mode over the graph).

    Returns one Expr, or None where the derivative is zero everywhere, per leaf. The
    gradients by complex numbers are PyTorch's: dL/dx + i*dL/dy.
    """
    adjoint = {id(out): call("conj", g)}
    for node in reversed(topological(out)):
        seed = adjoint.get(id(node))
        rule = RULES.get(node.op)
        if seed is None or rule is None or not node.dtype.inexact:
            continue
        for arg, piece in zip(node.args, rule(seed, node, *node.args)):
            if piece is not None and arg.op != "const" and arg.dtype.inexact:
                have = adjoint.get(id(arg))
                adjoint[id(arg)] = piece if have is None else have + piece
    found = [adjoint.get(id(leaf)) for leaf in leaves]
    return [None if x is None else call("conj", x) for x in found]


def substitute(root, values):
    """The same expression with other Exprs in place of variables: {name: Expr}."""
    made = {}
    for node in topological(root):
        args = [made[id(a)] if isinstance(a, Expr) else a for a in node.args]
        if node.op == "const":
            found = node
        elif node.op == "var":
            found = values.get(node.args[0], node)
        elif node.op == "cast":
            found = cast(args[0], node.dtype)
        elif node.op == "bitcast":
            found = bitcast(args[0], node.dtype)
        else:
            found = call(node.op, *args)
        made[id(node)] = found
    return made[id(root)]


def free_vars(root):
    """Names of the variables that an expression reads."""
    return {n.args[0] for n in topological(root) if n.op == "var"}


def uses(roots):
    """How often each node (by id) is used below the roots: shared ones get a name."""
    count = {}
    stack = list(roots)
    for r in roots:
        count[id(r)] = count.get(id(r), 0) + 1
    seen = set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for a in node.args:
            if isinstance(a, Expr):
                count[id(a)] = count.get(id(a), 0) + 1
                stack.append(a)
    return count
