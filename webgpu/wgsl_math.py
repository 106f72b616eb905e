"""WGSL's mathematics, written by ourselves: exp, log, sin, pow, erf and the rest.

The standard leaves most built-in functions loose (sin of a large number is anything
at all), so these are our own range reductions and polynomials, fitted to the relative
error of the function. The bounds, in units in the last place of a normal result, are
in `ULP`; tests/webgpu measures them. No fused multiply-add is relied on; `keep` stops
compilers from reassociating where that would cost the result. Results below 1.2e-38
may be flushed to zero, as WGSL allows.
"""

from __future__ import annotations

from .wgsl_bits import BITS
from .wgsl_exp import EXP
from .wgsl_trig import TRIG

# Bounds with correctly rounded division and square root; GPUs, whose division is
# good to 2.5 ulp, may add up to 3 where a function divides.
ULP = {
    "exp": 1.5, "expm1": 2, "log": 1, "log1p": 1.5, "log2": 2, "log10": 2, "sqrt": 1,
    "sin": 3, "cos": 3, "tan": 4, "asin": 3, "acos": 2, "atan": 2.5, "sinh": 2,
    "cosh": 2, "tanh": 2, "asinh": 2, "acosh": 3, "atanh": 2, "erf": 2.5, "pow": 2,
    "atan2": 3,
}  # fmt: skip

TABLES = (BITS, EXP, TRIG)  # name -> source; a function may call the others


def library(names):
    """Return the WGSL source of these functions and of all that they call."""
    order = []
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in order:
            continue
        order.append(name)
        text = _source(name)
        for table in TABLES:
            for other in table:
                if other != name and _calls(text, other):
                    todo.append(other)
    order.sort()
    return "".join([_source(name) for name in order])


def _source(name):
    for table in TABLES:
        if name in table:
            return table[name]
    raise KeyError(name)


def _calls(text, name):
    """Say whether a source uses a function, a struct or the private zero."""
    if name == "zero":
        return "ZERO" in text
    if name == "Angle":
        return " angle(" in text
    if name == "LogParts":
        return " log_parts(" in text
    for before in " (-!":
        if before + name + "(" in text:
            return True
    return False
