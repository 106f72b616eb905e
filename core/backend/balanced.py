"""`Balanced(b)`: autodiff that computes cheap results again instead of keeping them.

What is bound by memory (elementwise ops, views, the norms and softmax) is not kept:
a gradient that reads it runs the op again, on what was kept of its inputs. A chain of
such ops is kept at every `DEPTH`-th, so that no gradient begins at the beginning.
"""

from __future__ import annotations

from ..device import AutodiffDevice, cover
from ..errors import AutodiffError
from ..ops.record import Aval
from .autodiff import Autodiff, Node, Var, _carries, _differentiable
from .base import expand
from .checkpoint import run_pending
from .grad_mode import _STATE

DEPTH = 12  # ops that are run again in a row, at most
CHEAP = ("softmax", "log_softmax", "standardize", "rms_scale")


class Again:
    """In place of a kept handle: the output `index` of a node that can run again."""

    __slots__ = ("node", "index", "shape", "dtype")

    def __init__(self, var):
        self.node = var.node
        self.index = var.index
        self.shape = var.shape
        self.dtype = var.dtype


class Lean(Node):
    """A node that keeps only what cannot be computed cheaply.

    args    what the op ran on, kept or to be run again; None where results are kept
    depth   how many ops in a row are run again for its results
    made    the results, while a backward needs them
    """

    __slots__ = ("args", "depth", "made", "backend")

    def begin(self, device):
        """A backward begins here."""
        run_pending(device)

    def saved(self):
        """Inputs and outputs as the gradient reads them."""
        inputs = [_present(h) for h in self.inputs]
        outputs = [_present(h) for h in self.outputs]
        return inputs, outputs

    def forget(self, retain_graph):
        """All who read these results have done so."""
        self.made = None
        if not retain_graph:
            self.args = None
            self.backend = None

    def run(self):
        if self.made is None:
            if self.args is None:
                raise AutodiffError(
                    "backward: this graph was used up by an earlier backward; given op "
                    "%s; run the forward pass again, or call "
                    "backward(retain_graph=True)" % self.op.name
                )
            plain = [_present(h) for h in self.args]
            self.made = self.backend.execute(self.op, plain, self.attrs, self.outs)
        return self.made


def _present(h):
    return h.node.run()[h.index] if isinstance(h, Again) else h


def _is_again(h):
    return isinstance(h.node, Lean) and h.node.depth > 0


class Balanced(Autodiff):
    """Autodiff that recomputes: see the module."""

    def execute(self, op, inputs, attrs, outs):
        tracked = False
        if _STATE.enabled:
            for h in inputs:
                tracked = tracked or h.node is not None
        if tracked and op.grad is None and op.composite:
            return expand(self.device, op, inputs, attrs)
        plain = [h.inner for h in inputs]
        results = self.inner.execute(op, plain, attrs, outs)
        node = None
        if tracked and _differentiable(op, outs):
            node = self._lean(op, attrs, inputs, results, outs)
        made = []
        for i, (r, o) in enumerate(zip(results, outs)):
            carries = node is not None and _carries(op.diff, i, o)
            made.append(Var(r, node if carries else None, i))
        return tuple(made)

    def _lean(self, op, attrs, inputs, results, outs):
        parents = [None if h.node is None else (h.node, h.index) for h in inputs]
        derived = op.grad is None
        if derived:
            needs = [p is not None for p in parents]
            wanted = op.reads(needs, [h.dtype for h in inputs])
        else:
            wanted = range(len(inputs)) if "i" in op.saves else ()
        refs = [Again(h) if _is_again(h) else h.inner for h in inputs]
        kept = []
        for i, h in enumerate(inputs):
            kept.append(refs[i] if i in wanted else Aval(h.shape, h.dtype))
        node = Lean(op, attrs, tuple(kept), outs, outs, tuple(parents))
        node.made = None
        node.backend = self.inner
        node.depth = _depth(op, inputs)
        node.args = refs if node.depth else None
        if "o" in op.saves and not derived:
            node.outputs = results
            if node.depth:
                made = [Var(r, node, i) for i, r in enumerate(results)]
                node.outputs = tuple([Again(v) for v in made])
        return node


def _depth(op, inputs):
    """How many ops in a row would run again; 0 where the results are kept."""
    cheap = op.formula is not None or op.view is not None or op.name in CHEAP
    if not cheap or op.cost != "memory" or op.host:
        return 0
    depth = 0
    for h in inputs:
        if _is_again(h):
            depth = max(depth, h.node.depth)
    if op.view is not None:  # costs nothing, and keeps what it shows
        return depth
    return depth + 1 if depth < DEPTH else 0


def balanced(device, checkpointing):
    """The device that records over another in this way."""
    if checkpointing != "balanced":
        raise AutodiffError(
            "autodiff: checkpointing is None or 'balanced'; given %r; for chosen "
            "segments call fogo.checkpoint" % (checkpointing,)
        )
    found = device._layers.get("balanced")
    if found is None:
        backend = getattr(device.backend, "wrapped", device.backend)
        found = AutodiffDevice(device.name, Balanced(backend), device)
        found.checkpointing = checkpointing
        device._layers["balanced"] = found
        cover(found, device)
    return found
