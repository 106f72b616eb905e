"""Evaluates expressions over NumPy arrays, in exactly the dtypes they name."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogo.expr import Expr, topological
from fogo.kernel import approx

UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "neg": np.negative, "abs": np.abs, "sqrt": np.sqrt, "floor": np.floor,
    "round": np.rint, "min": np.minimum, "max": np.maximum, "not": np.logical_not,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal, "where": np.where,
}  # fmt: skip
BITS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def evaluate(root: Expr, variables: dict[str, Any]) -> Any:
    """Return the value of an expression; functions are expanded by approx.py."""
    done: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in topological(root):
            done[id(node)] = _value(node, done, variables)
    return done[id(root)]


def function(name: str, dtype: Any, *arrays: Any) -> Any:
    """Return what approx.py's expansion of a function gives for arrays."""
    expansion, params, _ = approx.find(name, dtype)
    leaves = [Expr("var", ("x%d" % i,), d) for i, d in enumerate(params)]
    values = {f"x{i}": a for i, a in enumerate(arrays)}
    return evaluate(expansion(*leaves), values)


def _value(node: Expr, done: dict[int, Any], variables: dict[str, Any]) -> Any:
    op, dtype = node.op, node.dtype.name
    if op == "const":
        return np.asarray(node.args[0], dtype)
    if op == "var":
        return variables[node.args[0]]
    args = [done[id(a)] for a in node.args]
    if op == "cast":
        return args[0].astype(dtype)
    if op == "bitcast":
        return args[0].view(dtype)
    if op in ("shl", "shr"):
        return _shift(op, args[0], args[1])
    if op in BITS:
        return BITS[op](*args)
    if op in UFUNCS:
        return UFUNCS[op](*args)
    return function(op, node.args[0].dtype, *args)


def _shift(op: str, x: Any, n: Any) -> Any:
    """Shifts by the whole width give 0, which NumPy leaves open."""
    bits = x.dtype.itemsize * 8
    moved = (np.left_shift if op == "shl" else np.right_shift)(x, n % bits)
    return np.where(n < bits, moved, np.zeros_like(moved))
