"""Softmax among the terms of rows, in fewer instructions.

Exponentials of x minus the row's largest are at most 1 and their sum is at least 1;
where an element is nan, so is the sum. So the largest need not care about nan, the
exponential not about large arguments, and a quotient by the sum may be a product.
That holds where the largest goes into nothing else, and all that is made of gaps and
exponentials is divided by the sum, or has its logarithm taken away.
"""

from __future__ import annotations

from ...expr import call, cast
from .terms import parts


def exponentials(terms, wanted):
    """How some terms are computed more cheaply: {number: name of the way}.

    "larger": a maximum that need not see nan; "power": exp of what is at most 0;
    "share": a product with one over the second operand.
    """
    readers = {}
    for t, term in enumerate(terms.list):
        for other in parts(term):
            readers.setdefault(other, []).append(t)
    found = {}
    for t, term in enumerate(terms.list):
        if term[0] == "reduce" and term[1][0] == "max" and t not in wanted:
            found.update(_around(terms.list, readers, wanted, t))
    return found


def _around(terms, readers, wanted, top):
    """The ways of one softmax; none where it is no softmax."""
    gap = _only(terms, readers, top, "sub")
    if gap is None or gap in wanted or terms[gap][3] != (terms[top][2], top):
        return {}
    if not terms[gap][2].is_float or terms[gap][2].bits > 32:
        return {}
    power = None
    rest = []
    for t in readers[gap]:
        if _name(terms[t]) == "exp" and power is None:
            power = t
        else:
            rest.append((t, gap))
    if power is None or power in wanted:
        return {}
    total = None
    for t in readers.get(power, ()):
        if terms[t][0] == "reduce" and terms[t][1][0] == "add":
            total = t
        else:
            rest.append((t, power))
    if total is None:
        return {}
    ways = {top: "larger", power: "power"}
    for t, of in rest:
        way = _uses_total(terms, t, of, total)
        if way is None:
            return {}
        if way:
            ways[t] = way
    return ways


def _uses_total(terms, t, of, total):
    """How a reader of a gap or power goes on: "share", "" (as it is), None: neither."""
    name = _name(terms[t])
    if name not in ("div", "sub") or terms[t][3][0] != of:
        return None
    by = terms[t][3][1]
    if name == "div":
        return "share" if by == total else None
    return "" if _name(terms[by]) == "log" and terms[by][3] == (total,) else None


def _only(terms, readers, t, name):
    """The one reader of a term, if it is of that name."""
    found = readers.get(t, [])
    same = [r for r in found if _name(terms[r]) == name]
    return same[0] if len(found) == len(same) == 1 else None


def _name(term):
    return term[1].name if term[0] == "op" else ""


def power(dtype):
    """exp(x) of what is at most 0."""
    return lambda x: cast(call("exp_below", x), dtype)


def reciprocal(total):
    """One over a sum of a row."""
    return 1.0 / total


def shared(dtype):
    """x times what `reciprocal` gave."""
    return lambda x, share: cast(x * share, dtype)
