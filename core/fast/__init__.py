"""Kernels made for GPUs: each is written once in the kernel language, and tuned.

An op's own kernel (core/ops) runs everywhere, one thread a point. Where threads of a
GPU do better together, a module here offers *candidates* for the op: kernels with tile
sizes and the like filled in. `Chooser` takes the first, or the one that autotune found
fastest for these shapes.

A module has `candidates(op, inputs, attrs, outs, caps) -> list of Candidate`, best
guess first, empty where the op's own kernel is as good.
"""

from __future__ import annotations

import sys

from ..autotune import STORE

# Op name ("reduce" for every op with `combine`, "pointwise" for every formula) ->
# module of this folder.
TABLE: dict[str, str] = {
    "pointwise": "pointwise",
    "reduce": "reduce",
    "argmax": "arg",
    "argmin": "arg",
    "softmax": "softmax",
    "log_softmax": "softmax",
    "logsumexp": "softmax",
    "standardize": "softmax",
    "cross_entropy": "loss",
    "cross_entropy_grad": "loss",
    "attention": "attention",
    "attention_grad": "attention",
    "cumsum": "scan",
    "cumprod": "scan",
    "cummax": "scan",
    "cummin": "scan",
    "linear_scan": "scan",
    "long_cumsum": "scan",
    "argsort": "sort",
    "sort_pairs": "sort",
    "topk_places": "sort",
    "take": "scatter",
    "add_at": "scatter",
    "put_at": "scatter",
    "add_along_axis": "scatter",
    "put_along_axis": "scatter",
    "concat": "concat",
    "concat_many": "concat",
    "max_pool_grad": "pool",
    "avg_pool_grad": "pool",
    "matmul": "matmul",
    "conv": "conv",
    "conv_input_grad": "conv",
    "conv_weight_grad": "conv",
}


class Caps:
    """What a device has: `features` and `limits` by WebGPU's names; software or not.

    "subgroups" and "matrix" (matrix units) are in `features` where kernels may use
    them; `matrices` lists what the units take: (dtype, result dtype, m, n, k).
    """

    def __init__(self, features=(), limits=None, software=False, matrices=()):
        self.features = features
        self.limits = limits or {}
        self.software = software
        self.matrices = matrices


class Candidate:
    """One way to compute an op's outputs from its inputs.

    name       tells it apart from its fellows, in tuning caches and tables
    op, attrs  a kernel with the same inputs and outputs; Fusion may put elementwise
               work around it
    run        function(backend, inputs, outs) -> handles: where it takes several
               kernels (then op is None)
    stages     [(op, attrs, Avals), …]: a chain of kernels, each on the outputs of the
               one before, the last into the outputs (gives `run`); Fusion may put
               elementwise work before the first and behind the last
    behind     the Candidate that Fusion takes instead where it puts work behind it,
               or None: the same one
    """

    behind = None

    def __init__(self, name, op=None, attrs=(), run=None, stages=None):
        self.name = name
        self.op = op
        self.attrs = attrs
        self.run = self._run_stages if stages else run
        self.stages = stages

    def _run_stages(self, backend, inputs, outs):
        for op, attrs, avals in self.stages:
            inputs = backend.run(op, inputs, attrs, avals)
        return inputs

    def __repr__(self):
        return "<candidate %s>" % self.name


class Chooser:
    """Finds the candidate for an op on these shapes, once, and remembers it."""

    def __init__(self, backend, caps):
        self.backend = backend
        self.caps = caps
        self.chosen = {}
        self.tuner = None  # made when there is something to choose
        self.generation = 0  # of what autotune knows: see Store there

    def choose(self, op, inputs, attrs, outs):
        """Return a Candidate, or None for the op's own kernel."""
        name = op.name
        if op.combine is not None:
            name = "reduce"
        elif op.formula is not None:
            name = "pointwise"
        if name not in TABLE:
            return None
        key = (op, attrs, tuple([_known(h) for h in inputs]))
        if self.generation != STORE.generation:
            self.generation = STORE.generation
            self.chosen.clear()
        found = self.chosen.get(key, False)
        if found is False:
            found = self.find(_module(TABLE[name]), op, inputs, attrs, outs)
            self.chosen[key] = found
        return found

    def find(self, module, op, inputs, attrs, outs):
        """Choose among the candidates of a module: see fogo.autotune."""
        offered = module.candidates(op, inputs, attrs, outs, self.caps)
        if len(offered) < 2:
            return offered[0] if offered else None
        if self.tuner is None:
            from .tuner import Tuner

            self.tuner = Tuner(self.backend, self.caps)
        return self.tuner.pick(op, inputs, attrs, outs, offered)


def _known(h):
    layout = h.layout
    return (layout.shape, layout.strides, layout.offset, h.dtype)


def _module(name):
    path = "fogo.fast." + name
    __import__(path)
    return sys.modules[path]
