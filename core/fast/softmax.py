"""Softmax and its kin, and standardize: one kernel each, by row programs."""

from __future__ import annotations

from ..expr import call, where
from ..shapes import Layout
from . import Candidate
from .program import Program
from .rows import row_op, tile


def lowest(dtype):
    """What `max` starts from."""
    return -float("inf")


def zero(dtype):
    """What a sum starts from."""
    return 0


def larger(a, b):
    """The maximum where nan need not count: the sum that follows finds it."""
    return where(a > b, a, b)


def _exp_gap(x, top):
    return call("exp_below", x - top)


def _finite(top):
    return where(call("isfinite", top), top, 0.0)


SOFTMAX = Program(
    ("element",),
    (
        ("reduce", larger, lowest, 0),
        ("map", _exp_gap, (0, 1)),
        ("reduce", "add", zero, 2),
        ("map", lambda total: 1.0 / total, (3,)),
        ("map", lambda e, share: e * share, (2, 4)),
    ),
    (5,),
)
LOG_SOFTMAX = Program(
    ("element",),
    (
        ("reduce", larger, lowest, 0),
        ("map", lambda x, top: x - top, (0, 1)),
        ("map", lambda gap: call("exp_below", gap), (2,)),
        ("reduce", "add", zero, 3),
        ("map", lambda gap, total: gap - call("log", total), (2, 4)),
    ),
    (5,),
)
LOGSUMEXP = Program(
    ("element",),
    (
        ("reduce", larger, lowest, 0),
        ("map", _finite, (1,)),
        ("map", _exp_gap, (0, 2)),
        ("reduce", "add", zero, 3),
        ("map", lambda total, top: call("log", total) + top, (4, 2)),
    ),
    (5,),
)


def _standardize(dtype):
    """x - mean, times 1 / sqrt(var + eps); float16 squares need float32's range."""
    return Program(
        ("element", "scalar"),
        (
            ("count", dtype),
            ("reduce", "add", zero, 0),
            ("map", lambda total, n: total / n, (3, 2)),
            ("map", lambda x, mean: x - mean, (0, 4)),
            ("map", lambda gap: gap * gap, (5,)),
            ("reduce", "add", zero, 6),
            ("map", lambda total, n: total / n, (7, 2)),
            ("map", lambda var, eps: 1.0 / call("sqrt", var + eps), (8, 1)),
            ("map", lambda gap, scale: gap * scale, (5, 9)),
        ),
        (10, 4, 8),
    )


_OPS: dict = {}  # (op name, dtype) -> (program, Op)


def _made(name, dtype):
    found = _OPS.get((name, dtype))
    if found is None:
        scalars = ()
        if name == "standardize":
            program, scalars = _standardize(dtype), ("eps",)
        else:
            programs = {"softmax": SOFTMAX, "log_softmax": LOG_SOFTMAX}
            program = programs.get(name, LOGSUMEXP)
        found = program, row_op(name + "_rows", program, scalars)
        _OPS[name, dtype] = found
    return found


def candidates(op, inputs, attrs, outs, caps):
    """One kernel for the whole op, where there are rows enough."""
    x = inputs[0]
    program, made = _made(op.name, x.dtype)
    axes = attrs[0] if isinstance(attrs[0], tuple) else (attrs[0],)
    layouts = [x.layout] + [Layout(o.shape) for o in outs]
    dtypes = [x.dtype] + [o.dtype for o in outs]
    found = tile(program, layouts, dtypes, axes, caps)
    if found is None:
        return []
    return [Candidate("rows", made, (axes, found) + tuple(attrs[1:]))]
