"""How ops are written: decorators that turn a typed function into an op record."""

from __future__ import annotations

from .record import Op, register

WIDE = (-3.0, 3.0)


class Sample:
    """Inputs to try an op with: the test grid, the docs and coverage come from these.

    inputs: one (shape, low, high) per tensor (integers for integer dtypes; a dtype's
    name may follow: an index, a condition). options: keyword arguments.
    """

    def __init__(self, *inputs, **options):
        self.inputs = inputs
        self.options = options


def elementwise(name, domain=(WIDE,), **rules):
    """Define an elementwise op: the function below is its formula *and* its name.

    The function's body is read with symbolic scalars; called with tensors, the public
    function it becomes runs one op. `domain` holds (low, high) per operand, for tests.
    """

    def define(formula):
        from ..operands import apply

        op = register(Op(name, formula=formula, samples=domain, **rules))

        def public(*args):
            return apply(op, args)

        op.public = _named(public, formula)
        return op.public

    return define


def _named(public, formula):
    """Let help() show the formula's own name, signature and docstring."""
    try:
        from functools import wraps
    except ImportError:  # MicroPython: functions carry no attributes
        return public
    return wraps(formula)(public)


def define_op(name, **rules):
    """Register an op that has a public function of its own."""
    return register(Op(name, **rules))
