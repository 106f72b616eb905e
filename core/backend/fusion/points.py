"""Ops whose every element is a formula of other elements, though not all say so.

Ranges and random bits read the number of their element; `Point` gives them the same
form as ops with a `formula`.
"""

from __future__ import annotations

from ...dtypes import float32, uint32
from ...expr import Expr, cast
from ...shapes import Layout

CHEAP = 8  # of work, up to which an element may be computed again by another kernel
_COSTLY = (
    "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf",
    "pow", "atan2", "div", "floordiv", "mod",
)  # fmt: skip


class Point:
    """How an op makes an element.

    formula(k, number, operands, params): number is the element's in the storage (None
    unless `counts`), params are the op's live attributes
    """

    def __init__(self, formula, counts=False, cost=1, name=""):
        self.name = name  # of the op, where it has a formula
        self.formula = formula
        self.counts = counts
        self.cost = cost


def _range(k, number, operands, params, dtype):
    return params[0] + cast(number, dtype) * params[1]


def _bits(k, number, operands, params, dtype):
    from ...ops.random import threefry

    key0, key1, draw = operands
    return threefry(k, key0, key1, cast(number, uint32), draw)[0]


def _next(k, number, operands, params, dtype):
    return operands[0] + cast(cast(number, uint32) // 2, uint32)


RANGE = Point(_range, counts=True, cost=2)
BITS = Point(_bits, counts=True, cost=100)
NEXT = Point(_next, counts=True, cost=2)
COUNTING = {"range": RANGE, "random_bits": BITS, "random_next": NEXT}
_formulas: dict = {}


def point_of(kind):
    """The Point of a recorded op, or None where its elements are not independent."""
    op = kind.op
    if op.formula is None:
        return COUNTING.get(op.name)
    key = (op,) + tuple([dtype for _, dtype, _ in kind.operands])
    found = _formulas.get(key)
    if found is None:
        found = _formulas[key] = Point(
            _of_formula(op), cost=work(op, key[1:]), name=op.name
        )
    return found


def _of_formula(op):
    def formula(k, number, operands, params, dtype):
        return cast(op.formula(*operands), dtype)

    return formula


def work(op, dtypes):
    """About how much arithmetic a formula is: 1 for an addition, 4 for exp."""
    total = 0
    seen = {}
    stack = [op.trace(dtypes)[0]]
    while stack:
        node = stack.pop()
        if id(node) in seen or node.op in ("const", "var"):
            continue
        seen[id(node)] = True
        total += 4 if node.op in _COSTLY else 1
        stack.extend([a for a in node.args if isinstance(a, Expr)])
    return total


def operands_of(kind, refs):
    """(reference, layout over the op's elements, dtype) for each number it reads."""
    found = [
        (ref, layout, dtype) for ref, (layout, dtype, _) in zip(refs, kind.operands)
    ]
    if kind.op.name != "random_bits":
        return found
    ref, state, dtype = found[0]
    shape = kind.outs[0][0]
    step = state.strides[0]
    return [
        (ref, Layout(shape, (0,), state.offset + i * step), dtype) for i in range(3)
    ]


def narrows(kind):
    """Say whether the op rounds to a narrower float, which takes a store."""
    out = kind.outs[0][1]
    if not out.is_float:
        return False
    for _, dtype, _ in kind.operands:
        if dtype.is_float and dtype.bits > out.bits:
            return True
    return False


__all__ = ["CHEAP", "Point", "float32", "narrows", "operands_of", "point_of"]
