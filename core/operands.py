"""Operands of elementwise ops: scalars, promotion and broadcasting are settled here."""

from __future__ import annotations

from .dispatch import call, unify
from .dtypes import (
    DEFAULT_FLOAT,
    PROMOTION,
    bfloat16,
    bool_,
    float32,
    promote,
    scalar_kind,
)
from .errors import DTypeError
from .expr import Expr
from .shapes import broadcast
from .storage import whole
from .tensor import Tensor


def apply(op, args):
    """Call an elementwise op: scalars, promotion and broadcasting are settled here.

    Given symbolic scalars instead of tensors it returns the op's formula, so that
    formulas are written with the public functions.
    """
    tensors = [a for a in args if isinstance(a, Tensor)]
    if len(tensors) != len(args):
        args, tensors = _with_scalars(op, args, tensors)
        if tensors is None:
            return args
    first = op.promote_from
    kind = tensors[first].dtype
    shape = tensors[0].shape
    plain = True
    for i, t in enumerate(tensors):
        if t.shape != shape or (i > first and t.dtype is not kind):
            plain = False
    if not plain:
        tensors = _fit(op, tensors)
        kind = tensors[first].dtype
    if op.to_float and not kind.inexact:
        rest = [t.astype(DEFAULT_FLOAT) for t in tensors[first:]]
        tensors = tensors[:first] + rest
    else:
        try:
            op.check(kind)
        except DTypeError:
            if kind is not bfloat16:
                raise
            return apply(op, [widened(t) for t in tensors])
    return call(op, tensors)


def widened(t):
    """A tensor of what is computed with: bfloat16 is only stored."""
    return t.astype(float32) if t.dtype is bfloat16 else t


def _with_scalars(op, args, tensors):
    """Make constants of Python scalars, in the dtype and shape of the tensors."""
    for a in args:
        if isinstance(a, Expr):
            return op.formula(*args), None
    args = [_number(a) for a in args]
    for a in args:
        if not isinstance(a, (Tensor, int, float, bool, complex)):
            raise DTypeError(
                "%s: operands are tensors or numbers; given %s; make it one with "
                "fogo.tensor(...)" % (op.name, type(a))
            )
    if not tensors:
        raise DTypeError(
            "%s: at least one operand must be a tensor; given only numbers" % op.name
        )
    where = tensors[0].device
    shape = tensors[0].shape
    for t in tensors:
        if t.shape != shape:
            shape = ()  # what they broadcast to is found later
        if t.device is not where:
            where = unify(op.name, tensors)[0].device
    kind = None
    for i, a in enumerate(args):
        if isinstance(a, Tensor) and i >= op.promote_from:
            kind = a.dtype if kind is None else promote(kind, a.dtype, op.name)
    out = []
    for i, a in enumerate(args):
        if not isinstance(a, Tensor):
            target = bool_
            if i >= op.promote_from:
                target = scalar_kind(a, kind or bool_, where.default_int)
            a = whole(op.name, a, target) if target.is_int else a
            a = where.constant(a, target, shape)
        out.append(a)
    return out, out


def _number(a):
    """NumPy's scalars as Python's numbers; all else as it is."""
    if isinstance(a, (Tensor, int, float, complex)) or getattr(a, "shape", None) != ():
        return a
    return a.item() if hasattr(a, "item") else a


def _fit(op, tensors):
    """Promote to one dtype and broadcast to one shape."""
    first = op.promote_from
    kind = tensors[first].dtype
    for t in tensors[first + 1 :]:
        if t.dtype is not kind:
            kind = PROMOTION[(kind, t.dtype)] or promote(kind, t.dtype, op.name)
    shape = broadcast(op.name, *[t.shape for t in tensors])
    out = []
    for i, t in enumerate(tensors):
        if i >= first and t.dtype is not kind:
            t = t.astype(kind)
        out.append(t if t.shape == shape else t.expand(shape))
    return out
