"""`Dual(b)`: forward-mode gradients: each tensor carries its tangent along.

An elementwise op's derivative by each input is an op of its own already; it takes the
tangent in place of the gradient. Linear ops are run on tangents, bilinear ones on a
tangent and a value. Any other op's gradient is a linear map of what comes in: its
transpose, found by going back through the gradient, is the derivative.
"""

from __future__ import annotations

from ..backend.autodiff import Context, Node, Var, walk
from ..backend.base import Backend, expand
from ..backend.grad_mode import enable_grad
from ..dispatch import call, wrap
from ..errors import AutodiffError
from ..ops.record import Aval

BILINEAR = ("matmul", "conv")
LINEAR = ("concat", "concat_many", "cumsum", "long_cumsum", "avg_pool", "unsort")


class Carry:
    """A handle of the inner backend, and that of its tangent (None: zero)."""

    __slots__ = ("inner", "tangent", "shape", "dtype")

    def __init__(self, inner, tangent):
        self.inner = inner
        self.tangent = tangent
        self.shape = inner.shape
        self.dtype = inner.dtype


class Dual(Backend):
    """Runs each op on values, and its derivative on tangents."""

    def __init__(self, inner):
        Backend.__init__(self)
        self.inner = inner
        self.name = "jvp(" + inner.name + ")"
        self.holds = inner.holds
        self.default_int = inner.default_int
        self.device = None

    def lift(self, handle):
        return Carry(handle, None)

    def lower(self, handle):
        return handle.inner

    def idle(self, handle):
        return handle.tangent is None

    def execute(self, op, inputs, attrs, outs):
        moves = False
        for h in inputs:
            moves = moves or h.tangent is not None
        if moves and op.composite and op.grad is None:
            return expand(self.device, op, inputs, attrs)
        plain = [h.inner for h in inputs]
        results = self.inner.execute(op, plain, attrs, outs)
        tangents = [None] * len(results)
        if moves:
            tangents = self._tangents(op, inputs, attrs, results, outs)
        return tuple([Carry(r, t) for r, t in zip(results, tangents)])

    def _tangents(self, op, inputs, attrs, results, outs):
        where = self.device.inner()
        values = [wrap(h.inner, where) for h in inputs]
        moved = [None if h.tangent is None else wrap(h.tangent, where) for h in inputs]
        if op.formula is not None and op.grad is None:
            return [_handle(_derived(op, values, moved))]
        if op.view is not None or op.name == "sum" or op.name in LINEAR:
            return [_handle(self._linear(op, values, moved, attrs, outs))]
        if op.name in BILINEAR:
            return [_handle(self._bilinear(op, values, moved, attrs, outs))]
        made = [wrap(r, where) for r in results]
        return self._transposed(op, values, moved, attrs, made, outs)

    def _linear(self, op, values, moved, attrs, outs):
        given = []
        for x, t in zip(values, moved):
            given.append(_zeros(x, x.shape, x.dtype) if t is None else t)
        return self._run(op, given, attrs, outs)

    def _bilinear(self, op, values, moved, attrs, outs):
        total = None
        for i, t in enumerate(moved):
            if t is not None:
                given = list(values)
                given[i] = t
                total = _sum(total, self._run(op, given, attrs, outs))
        return total

    def _run(self, op, given, attrs, outs):
        where = self.device.inner()
        handles = [t._handle for t in given]
        return wrap(self.inner.execute(op, handles, attrs, outs)[0], where)

    def _transposed(self, op, values, moved, attrs, made, outs):
        """The derivative by way of the op's gradient, a level above."""
        carried = []
        for i, o in enumerate(outs):
            diff = i >= len(op.diff) or op.diff[i]
            carried.append(diff and o.dtype.is_float)
        if True not in carried:
            return [None] * len(outs)
        if op.grad is None:
            raise AutodiffError("jvp: %s has no gradient; detach() its input" % op.name)
        low = self.device.inner()
        top = low.autodiff()
        seeds = []
        for o, diff in zip(outs, carried):
            node = Node(None, (), (), (), (Aval(o.shape, o.dtype),), ())
            zero = low.constant(0.0, o.dtype).expand(o.shape) if diff else None
            seeds.append(wrap(Var(zero._handle, node, 0), top) if diff else None)
        needs = tuple([t is not None for t in moved])
        with enable_grad():
            parts = op.grad(Context(tuple(seeds), values, made, attrs, needs))
            parts = parts if isinstance(parts, (tuple, list)) else (parts,)
            return self._back(seeds, parts, moved, low)

    def _back(self, seeds, parts, moved, low):
        roots = []
        for part, t in zip(parts, moved):
            if t is not None and part is not None and hasattr(part, "whole"):
                part = part.whole()
            handle = None if part is None or t is None else part._handle
            if getattr(handle, "node", None) is not None:
                roots.append((handle, t))
        wanted = [s._handle for s in seeds if s is not None]
        found = walk(roots, low, False, wanted) if roots else None
        tangents = []
        for s in seeds:
            g = None
            if s is not None and found is not None:
                g = found._by_node.get((s._handle.node.number, 0))
            tangents.append(_handle(g))
        return tangents

    def supports(self, op, attrs, avals):
        return self.inner.supports(op, attrs, avals)

    def upload(self, values, shape, dtype):
        return Carry(self.inner.upload(values, shape, dtype), None)

    def read(self, handles):
        return self.inner.read([h.inner for h in handles])

    async def read_async(self, handles):
        return await self.inner.read_async([h.inner for h in handles])

    def sync(self):
        self.inner.sync()

    def rest(self):
        self.inner.rest()

    def describe(self):
        return self.inner.describe()


def _handle(t):
    return None if t is None else t._handle


def _zeros(x, shape, dtype):
    return x.device.constant(0.0, dtype).expand(shape)


def _sum(total, part):
    return part if total is None else total + part


def _derived(op, values, moved):
    """The sum over inputs of derivative times tangent."""
    total = None
    dtypes = [x.dtype for x in values]
    for i, t in enumerate(moved):
        found = op.gradient(i, dtypes) if t is not None else None
        if found is not None:
            made, reads = found
            part = t
            if made is not None:
                part = call(made, [t if r == "g" else values[r] for r in reads])
            total = _sum(total, part)
    return total
