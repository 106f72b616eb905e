"""Addresses inside loops: one local per pointer, moved on by additions."""

from __future__ import annotations

from .address import Atoms, frozen, product, total
from .assembler import get, put, signed
from .expressions import Expressions
from .opcodes import OP


class Pointers(Expressions):
    """Prints addresses; `scopes` are the loops around the current place."""

    def __init__(self, out, functions):
        Expressions.__init__(self, out, functions)
        self.atoms = Atoms()
        self.scopes = [None]

    @property
    def depth(self):
        return len(self.scopes) - 1

    def address(self, p, depth):
        """Code that pushes a polynomial's value at a place `depth` loops deep."""
        if depth == 0:
            return self._sum(p)
        outer, slope, inner = self.scopes[depth].split(p, depth, self.atoms)
        code = b""
        if slope or [part for part in outer if part]:
            code = self._pointer(depth, outer, slope)
        elif outer:
            inner = total(inner, outer)
        if inner or not code:
            code += self._sum(inner) + (OP["i32.add"] if code else b"")
        return code

    def _pointer(self, depth, outer, slope):
        """Code that pushes outer + slope*variable, kept in a local by the loop."""
        scope = self.scopes[depth]
        key = (frozen(outer), frozen(slope))
        found = scope.pointers.get(key)
        if found is None:
            first = total(outer, product(slope, scope.start))
            code = self.address(first, depth - 1)
            if not slope and code[0] == 0x20 and code == get(_local(code)):
                found = code  # the outer loop has it in a local already
            else:
                local = self.out.local("i32")
                scope.before.extend(code + put(local))
                if slope:
                    self._advance(scope, depth, local, slope)
                found = get(local)
            scope.pointers[key] = found
        return found

    def _advance(self, scope, depth, local, slope):
        code = self.address(product(slope, {(): scope.step}), depth - 1)
        if [part for part in slope if part]:
            step = self.out.local("i32")
            scope.before.extend(code + put(step))
            code = get(step)
        scope.after.extend(get(local) + code + OP["i32.add"] + put(local))

    def _sum(self, p):
        """Code for a polynomial, term by term."""
        code = b""
        for part in sorted(p):
            factor = p[part]
            term = b""
            for atom in part:
                term += self.expression(self.atoms.nodes[atom])
                term += OP["i32.mul"] if atom is not part[0] else b""
            if not part or factor != 1:
                term += OP["i32.const"] + signed(factor)
                term += OP["i32.mul"] if part else b""
            code += term + (OP["i32.add"] if code else b"")
        return code or OP["i32.const"] + signed(0)


def _local(code):
    """The local of a local.get (its number in LEB128, one byte or two)."""
    return code[1] if len(code) == 2 else (code[1] & 0x7F) | (code[2] << 7)
