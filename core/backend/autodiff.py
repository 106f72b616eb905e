"""`Autodiff(b)`: reverse-mode gradients over any backend, itself included."""

from __future__ import annotations

import sys

from ..errors import AutodiffError, DeviceError, DTypeError, ShapeError
from ..ops.movement import SLICE
from ..ops.paste import Pieces
from ..ops.record import Aval
from .base import Backend, expand
from .grad_mode import _STATE
from .grad_mode import no_grad as no_grad
from .gradients import Gradients
from .walk import Plan, watched

_NUMBERS = iter(range(1, sys.maxsize))  # of nodes; no two threads draw the same


class Node:
    """One recorded operation: what its gradient needs, and where its inputs came from.

    A leaf (a tensor that asked for gradients) is a node without an op. `extra` is there
    where a tensor has hooks (see hooks.py).
    """

    __slots__ = (
        "number", "op", "attrs", "inputs", "outputs", "outs", "parents", "extra",
    )  # fmt: skip

    def __init__(self, op, attrs, inputs, outputs, outs, parents):
        self.number = next(_NUMBERS)
        self.op = op
        self.attrs = attrs
        self.inputs = inputs
        self.outputs = outputs
        self.outs = outs
        self.parents = parents  # per input: (node, output index) or None


class Var:
    """A handle of the inner backend, and the node that made it (None: untracked)."""

    __slots__ = ("inner", "node", "index", "shape", "dtype")

    def __init__(self, inner, node, index):
        self.inner = inner
        self.node = node
        self.index = index
        self.shape = inner.shape
        self.dtype = inner.dtype


class Context:
    """What a gradient rule reads: tensors on the inner device.

    g        gradients of the outputs (None where absent)
    inputs, outputs   tensors as the op's `saves` keeps them (else shape and dtype only)
    attrs    the op's attributes
    needs    per input: whether its gradient is wanted
    """

    __slots__ = ("g", "inputs", "outputs", "attrs", "needs")

    def __init__(self, g, inputs, outputs, attrs, needs):
        self.g = g
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.needs = needs


class Autodiff(Backend):
    """Records what it runs by way of `inner`, so that `backward` can go over it.

    Example:
        >>> import fogo
        >>> dev = fogo.device("python").autodiff()
        >>> x = fogo.tensor([1.0, 2.0], device=dev).requires_grad_()
        >>> (x * x).sum().backward()[x].tolist()
        [2.0, 4.0]
    """

    def __init__(self, inner):
        Backend.__init__(self)
        self.inner = inner
        self.name = "autodiff(" + inner.name + ")"
        self.holds = inner.holds
        self.default_int = inner.default_int
        self.device = None

    def execute(self, op, inputs, attrs, outs):
        tracked = False
        if _STATE.enabled:
            for h in inputs:
                if h.node is not None:
                    tracked = True
                    break
        if tracked and op.grad is None and op.composite:
            return expand(self.device, op, inputs, attrs)
        plain = [h.inner for h in inputs]
        results = self.inner.execute(op, plain, attrs, outs)
        node = None
        if tracked and _differentiable(op, outs):
            node = _record(op, attrs, inputs, plain, results, outs)
        diff = op.diff
        return tuple(
            [Var(r, node if node and _carries(diff, i, o) else None, i)
             for i, (r, o) in enumerate(zip(results, outs))]
        )  # fmt: skip

    def lift(self, handle):
        """A handle of the level below on this one: without history here."""
        return Var(handle, None, 0)

    def lower(self, handle):
        return handle.inner

    def idle(self, handle):
        """Say whether this level knows nothing of a handle."""
        return handle.node is None

    def supports(self, op, attrs, avals):
        return self.inner.supports(op, attrs, avals)

    def upload(self, values, shape, dtype):
        return Var(self.inner.upload(values, shape, dtype), None, 0)

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


def _carries(diff, index, out):
    return (index >= len(diff) or diff[index]) and out.dtype.inexact


def _differentiable(op, outs):
    for i, o in enumerate(outs):
        if _carries(op.diff, i, o):
            return True
    return False


def _record(op, attrs, inputs, plain, results, outs):
    parents = []
    for h in inputs:
        parents.append(None if h.node is None else (h.node, h.index))
    derived = op.grad is None
    if derived:
        wanted = op.reads([p is not None for p in parents], [h.dtype for h in plain])
    else:
        wanted = range(len(plain)) if "i" in op.saves else ()
    kept = tuple(
        [h if i in wanted else Aval(h.shape, h.dtype) for i, h in enumerate(plain)]
    )
    made = results if "o" in op.saves and not derived else outs
    return Node(op, attrs, kept, made, outs, tuple(parents))


def leaf(handle):
    """A Var that starts a graph: gradients are kept for it, at every level below."""
    inner = handle.inner
    if isinstance(inner, Var):
        inner = leaf(inner)
    return Var(inner, Node(None, (), (), (), (Aval(inner.shape, inner.dtype),), ()), 0)


def detached(handle):
    """The same values without history, at every level."""
    if not isinstance(handle, Var):
        return handle
    return Var(detached(handle.inner), None, 0)


def backward(tensor, gradient=None, retain_graph=False, inputs=None):
    """Go back over the graph of `tensor`; see Tracked.backward."""
    backend = tensor.device.backend
    handle = tensor._handle
    if handle.node is None:
        raise AutodiffError(
            "backward: the tensor does not depend on any tensor that requires grad; "
            "given %s; call requires_grad_() on an input first" % tensor._describe()
        )
    if gradient is None and tensor.size != 1:
        raise ShapeError(
            "backward: without a gradient argument the tensor must have one element; "
            "given shape %s; reduce it (.sum(), .mean()) or pass gradient="
            % list(tensor.shape)
        )
    if gradient is None and tensor.dtype.is_complex:
        raise DTypeError(
            "backward: without a gradient argument the tensor must be real; given %s; "
            "take .abs(), .real() or pass gradient=" % tensor._describe()
        )
    inner = backend.inner.device
    if gradient is None:
        seed = inner.constant(1.0, tensor.dtype).expand(tensor.shape)
    else:
        seed = _seed(gradient, tensor, inner)
    return walk([(handle, seed)], inner, retain_graph, inputs)


def _seed(gradient, tensor, inner):
    """The gradient that was given, on the inner device, if it fits the tensor."""
    from ..tensor import Tensor

    if not isinstance(gradient, Tensor):
        raise DTypeError(
            "backward: gradient must be a tensor; given %s; make it one with "
            "fogo.tensor(...)" % type(gradient)
        )
    if gradient.shape != tensor.shape or gradient.dtype is not tensor.dtype:
        raise ShapeError(
            "backward: gradient must have the tensor's shape and dtype; given %s for "
            "%s" % (gradient._describe(), tensor._describe())
        )
    if gradient.device.base() is not inner.base():
        raise DeviceError(
            "backward: gradient must be on the tensor's device; given %r for %r; move "
            "it with .to(...)" % (gradient.device, tensor.device)
        )
    return gradient.to(inner)


def walk(roots, inner, retain_graph=False, inputs=None, floor=0):
    """Visit nodes newest first, so that every gradient is whole when it is used.

    roots: (Var, gradient) of what to go back from; inputs: the tensors (or Vars) whose
    gradients are wanted; every leaf's, unless given. floor: nodes of lower numbers are
    not gone through.
    """
    if hasattr(inner.backend, "wrapped"):  # by autocast: gradients run as they are
        from .autocast import paused

        with paused():
            return _visit(roots, inner, retain_graph, inputs, floor)
    return _visit(roots, inner, retain_graph, inputs, floor)


def _visit(roots, inner, retain_graph, inputs, floor):
    found = Gradients()
    plan = Plan([r.node for r, _ in roots], inputs, floor)
    if type(roots[0][0].node) is not Node:
        roots[0][0].node.begin(inner)
    cotangents = {}
    for root, seed in roots:
        _add(cotangents, (root.node, root.index), seed)
    for node in plan.nodes:
        g = cotangents.pop(node.number, None)
        if g is not None:
            for i in g:
                if isinstance(g[i], Pieces):
                    g[i] = g[i].whole()
            if getattr(node, "extra", None) is not None and node.number >= floor:
                node.extra.run(g)
            plan.keep(node, g, found)
            if node.op is not None and plan.passes(node):
                needs = plan.needs(node)
                parts = _gradients(node, g, inner, needs)
                watched(node, parts)
                if type(node) is not Node:
                    node.forget(retain_graph)
                if not retain_graph:
                    node.inputs = node.outputs = None
                for parent, part in zip(node.parents, parts):
                    if parent is not None and part is not None:
                        _add(cotangents, parent, part)
        plan.done(node, cotangents, found)
    return found


def _add(cotangents, where, part):
    slot = cotangents.setdefault(where[0].number, {})
    slot[where[1]] = _plus(slot.get(where[1]), part)


def _plus(have, part):
    """One gradient more; those of slices are kept until all are there."""
    if isinstance(have, Pieces):
        return have.plus(part)
    if have is None:
        return part
    if isinstance(part, Pieces):
        return part.plus(have)
    total = have + part
    return total if total.dtype is have.dtype else total.astype(have.dtype)


def _gradients(node, g, inner, needs):
    """One gradient (or None) per input of a node."""
    op = node.op
    if node.inputs is None:
        raise AutodiffError(
            "backward: this graph was used up by an earlier backward; given op %s; "
            "run the forward pass again, or call backward(retain_graph=True)" % op.name
        )
    from ..dispatch import wrap

    if op is SLICE:  # others may fill what this one leaves
        return (Pieces(node.inputs[0].shape, g[0], node.attrs[0], node.attrs[1]),)
    kept, made = node.inputs, node.outputs
    if type(node) is not Node:  # some of it is computed again
        kept, made = node.saved()
    inputs = [wrap(h, inner) for h in kept]
    if op.grad is None:
        return _elementwise(op, g[0], inputs, needs)
    outputs = [wrap(h, inner) for h in made]
    cotangents = tuple([g.get(i) for i in range(len(node.outs))])
    parts = op.grad(Context(cotangents, inputs, outputs, node.attrs, needs))
    return parts if isinstance(parts, (tuple, list)) else (parts,)


def _elementwise(op, g, inputs, needs):
    if op.formula is None:
        raise AutodiffError(
            "backward: %s has no gradient; detach() its input" % op.name
        )
    from ..dispatch import call

    parts = []
    dtypes = [x.dtype for x in inputs]
    for i, wanted in enumerate(needs):
        derived = op.gradient(i, dtypes) if wanted else None
        if derived is None:
            parts.append(None)
            continue
        made, reads = derived
        if made is None:
            parts.append(g)
        else:
            parts.append(call(made, [g if r == "g" else inputs[r] for r in reads]))
    return parts
