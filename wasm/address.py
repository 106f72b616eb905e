"""Addresses as polynomials of loop variables, so that loops need only additions.

`b0 + 4*(c0*p1 + i2 - 1)` becomes {(b0,): 1, (c0, p1): 4, (i2,): 4, (): -4}: a sum of
products of *atoms*. An atom is a variable, or an expression that is no polynomial.
In each loop, what does not change in it is one local variable, computed before the
loop; what grows evenly with it is a pointer, moved on at the end of the body.
"""

from __future__ import annotations

from fogo.expr import INDEX, Expr, topological

# The depth of what may change at any moment: it is computed where it is used.
NOWHERE = 1 << 20


class Atoms:
    """Numbers atoms, and knows the innermost loop in which each of them changes."""

    def __init__(self):
        self.depths = {}  # name of a variable -> depth
        self.nodes = []
        self.levels = []
        self._numbers = {}

    def number(self, node):
        key = _key(node)
        found = self._numbers.get(key)
        if found is None:
            found = len(self.nodes)
            self._numbers[key] = found
            self.nodes.append(node)
            self.levels.append(self.depth(node))
        return found

    def depth(self, root):
        """The depth of an expression: that of its deepest variable."""
        deepest = 0
        for node in topological(root):
            if node.op == "var":
                deepest = max(deepest, self.depths.get(node.args[0], NOWHERE))
        return deepest

    def level(self, product):
        """The depth of a product of atoms."""
        deepest = 0
        for atom in product:
            deepest = max(deepest, self.levels[atom])
        return deepest

    def polynomial(self, node):
        """{sorted atoms: factor} of an index expression."""
        if node.op == "const":
            return {(): node.args[0]} if node.args[0] else {}
        if node.dtype is INDEX and node.op in ("add", "sub", "mul", "neg"):
            parts = [self.polynomial(a) for a in node.args]
            if node.op == "mul":
                return product(parts[0], parts[1])
            if node.op == "neg":
                return product(parts[0], {(): -1})
            second = parts[1]
            if node.op == "sub":
                second = product(second, {(): -1})
            return total(parts[0], second)
        return {(self.number(node),): 1}


def _key(node):
    """A text equal for equal expressions."""
    if node.op == "const" or node.op == "var":
        return "%s:%s" % (node.args[0], node.dtype.name)
    inner = [_key(a) for a in node.args if isinstance(a, Expr)]
    return "%s:%s(%s)" % (node.op, node.dtype.name, ",".join(inner))


def total(a, b):
    """The sum of two polynomials."""
    out = {}
    for source in (a, b):
        for atoms in source:
            out[atoms] = out.get(atoms, 0) + source[atoms]
    return {atoms: out[atoms] for atoms in out if out[atoms]}


def product(a, b):
    """The product of two polynomials."""
    out = {}
    for x in a:
        for y in b:
            atoms = tuple(sorted(x + y))
            out[atoms] = out.get(atoms, 0) + a[x] * b[y]
    return {atoms: out[atoms] for atoms in out if out[atoms]}


def frozen(p):
    """A polynomial as a dictionary key."""
    return tuple(sorted(p.items()))


class Scope:
    """One loop being printed: its variable as an atom, and the code around its body."""

    def __init__(self, atom, start, step):
        self.atom = atom
        self.start = start  # polynomial
        self.step = step
        self.before = bytearray()  # runs once, if the loop runs at all
        self.after = bytearray()  # runs at the end of each turn
        self.pointers = {}

    def split(self, p, depth, atoms):
        """(outer, slope, inner): p = outer + slope*variable + inner at this depth."""
        outer, slope, inner = {}, {}, {}
        for part in p:
            rest = [a for a in part if a != self.atom]
            if atoms.level(part) < depth:
                outer[part] = p[part]
            elif len(rest) == len(part) - 1 and atoms.level(rest) < depth:
                slope[tuple(rest)] = p[part]
            else:
                inner[part] = p[part]
        return outer, slope, inner
