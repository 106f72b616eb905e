"""What a plan costs: bytes that its arrays hold, operations that its statements do.

Counted from the kernel itself, so that every kernel has a figure: each arithmetic node
on floats is one operation (an exp counts as one, a multiply-add as two), what is
shared within a statement counts once, both sides of a branch count where only the
threads differ. Bytes are those of inputs and outputs, each element once: what a kernel
reads again comes out of caches, if it is well made.
"""

from __future__ import annotations

from ..expr import INDEX, Expr, topological
from .group import MatrixMultiply, Subgroup
from .ir import Let, Loop, Store, When
from .lower import evaluate

FREE = ("const", "var", "cast", "bitcast", "where")
LANES = 32  # threads that hold a matrix tile together


def plan_cost(plan):
    """Return (bytes, operations) of one launch of a Plan."""
    kernel = plan.kernel
    names = {}
    for (name, _), value in zip(kernel.params, plan.values):
        names[name] = value
    nbytes = 0
    for array in kernel.arrays:
        nbytes += elements(array, names) * array.dtype.itemsize
    threads = plan.points * (kernel.threads or 1)
    return nbytes, int(threads * _block(kernel.body, names))


def elements(array, names):
    """How many elements of the buffer an array shows (those broadcast count once)."""
    count = 1
    for size, stride in zip(array.shape, array.strides):
        n = evaluate(size, names)
        if n == 0:
            return 0
        if evaluate(stride, names) != 0:
            count *= n
    return count


def _block(body, names):
    """Operations of a list of statements, on one thread."""
    total = 0
    for s in body:
        if isinstance(s, Loop):
            total += _trips(s, names) * _block(s.body, names)
        elif isinstance(s, When):
            total += _when(s, names)
        elif isinstance(s, MatrixMultiply):
            acc, left = s.acc, s.left
            total += 2 * acc.rows * acc.cols * left.cols / LANES
        elif isinstance(s, (Let, Store, Subgroup)):
            total += count(s.value) + (1 if isinstance(s, Subgroup) else 0)
        elif hasattr(s, "values"):
            total += sum([count(v) for v in s.values])
    return total


def _when(s, names):
    """A branch that all threads take alike counts once, else the longer side."""
    return max(_block(s.body, names), _block(s.orelse, names))


def _trips(loop, names):
    """How often a loop's body runs; where that differs between threads, about."""
    start = evaluate(loop.start, names, 0)  # what threads differ in counts as 0
    stop = evaluate(loop.stop, names, 0)
    step = loop.step
    span = (stop - start) if step > 0 else (start - stop)
    return max(0, (span + abs(step) - 1) // abs(step))


def count(root):
    """Operations on floats in an expression."""
    if not isinstance(root, Expr):
        return 0
    total = 0
    for node in topological(root):
        if node.op in FREE or node.dtype is INDEX:
            continue
        if node.dtype.is_float or _compares_floats(node):
            total += 2 if node.op == "fma" else 1
    return total


def _compares_floats(node):
    first = node.args[0] if node.args else None
    return isinstance(first, Expr) and first.dtype.is_float and node.dtype.is_bool
