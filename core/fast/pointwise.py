"""Elementwise work at the speed of memory: each thread takes several neighbours.

`vectorised` is the kernel's outline; `points` says whether operands allow it. Fusion
runs groups of formulas through the same two.
"""

from __future__ import annotations

from ..kernel.lower import collapse
from ..ops.record import Op
from ..shapes import Layout, size
from . import Candidate

WIDE = 4  # elements of one load
MANY = 1 << 14  # elements from which on wide threads pay


def vectorised(k, inputs, outputs, body, wide):
    """outputs = body(*inputs) at every element; arrays are of one shape.

    body: takes one Expr per input, returns one per output (or the only one). wide:
    which inputs are read wide, see `points`. A thread takes four elements along the
    last axis; more bring nothing (an H200 adds at 4.3 TB/s by four, 3.3 by one).
    """
    shape = outputs[0].shape
    c = k.grid(shape[:-1] + ((shape[-1] + (WIDE - 1)) // WIDE,))
    at = c[:-1] + (c[-1] * WIDE,)
    given = [read(a, at, is_wide) for a, is_wide in zip(inputs, wide)]
    results = []
    for i in range(WIDE):
        values = body(*[g[i] for g in given])
        results.append(values if isinstance(values, (tuple, list)) else (values,))
    for o, out in enumerate(outputs):
        out.put_wide(at, [r[o] for r in results])


def read(array, at, is_wide):
    """WIDE neighbours along the last axis; an array constant there is read once."""
    if is_wide:
        return array.wide(at, WIDE)
    last = array.strides[-1]
    if last.op == "const" and last.args[0] == 0:
        return [array[at]] * WIDE
    return [array[at[:-1] + (at[-1] + i,)] for i in range(WIDE)]


def points(layouts, dtypes, inputs):
    """Which inputs are read four at a time, or None: leave it to one thread each.

    layouts: inputs, then outputs, of one shape whose axes are merged. (Outputs are
    new: their rows begin at multiples of four where the last axis is one.)
    """
    shape = layouts[0].shape
    n = size(shape)
    if n < MANY:
        return None
    whole = len(shape) == 1
    if not whole and shape[-1] % WIDE:
        return None
    for dtype in dtypes:
        if dtype.bits != 32:
            return None
    wide = []
    for x in layouts[:inputs]:
        if x.strides[-1] not in (0, 1):
            return None
        wide.append(x.strides[-1] == 1)
        if wide[-1] and not _even(x):
            return None
    return tuple(wide)


def _even(x):
    """Say whether all rows begin at a multiple of WIDE."""
    for n, stride in zip(x.shape[:-1], x.strides[:-1]):
        if n > 1 and stride % WIDE:
            return False
    return x.offset % WIDE == 0


_OPS: dict = {}  # op -> its wide form


def _widened(op):
    found = _OPS.get(op)
    if found is None:

        def kernel(k, *given):
            arrays, wide = given[:-1], given[-1]
            vectorised(k, arrays[:-1], arrays[-1:], op.formula, wide)

        def relayout(layouts, attrs, inputs):
            return collapse(layouts)

        found = Op(op.name + "_wide", kernel=kernel, attrs=("wide",), relayout=relayout)
        _OPS[op] = found
    return found


def candidates(op, inputs, attrs, outs, caps):
    """Four elements a thread, where the operands lie so that it can."""
    layouts = collapse([h.layout for h in inputs] + [Layout(outs[0].shape)])
    dtypes = [h.dtype for h in inputs] + [outs[0].dtype]
    wide = points(layouts, dtypes, len(inputs))
    return [] if wide is None else [Candidate("wide", _widened(op), (wide,))]
