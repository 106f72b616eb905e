"""Ops that share no kernel: as chains of kernels, or run by the inner backend."""

from __future__ import annotations

from ...shapes import Layout, size
from .step import Step
from .terms import Leaf, NotFusable


def lower_alone(lowering, c):
    """Add the steps of a cluster that is one op."""
    stages = stages_of(lowering, c)
    before = len(lowering.steps)
    if stages is not None:
        try:
            _chain(lowering, c, stages)
            return
        except NotFusable:
            del lowering.steps[before:]
    lowering.steps.append(by_itself(lowering, c.root))


def stages_of(lowering, c):
    """The kernels of an op that runs by itself, where we can launch them ourselves."""
    return None if c.root.apart else lowering.rules.stages(c.root)


def _chain(lowering, c, stages):
    """Each kernel on the results of the one before, the last into the op's own."""
    item = c.root
    leaves = [Leaf(ref, layout, dtype) for ref, layout, dtype in item.operands]
    for n, (op, attrs, avals) in enumerate(stages):
        outs = []
        for a in avals:
            ref = ("part", lowering.parts)
            lowering.parts += 1
            outs.append((ref, size(a.shape), a.dtype, Layout(a.shape)))
        made = [Leaf(ref, layout, dtype) for ref, _, dtype, layout in outs]
        if n == len(stages) - 1:
            outs = [lowering.out(s) for s in item.slots]
        layouts = [x.layout for x in leaves] + [Layout(a.shape) for a in avals]
        if op.relayout is not None:
            layouts = op.relayout(layouts, attrs, len(leaves))
        key = ("stage", op, attrs)
        lowering.add(
            c, key, leaves, outs, [], list(layouts), _body(op, attrs), (), op.name
        )
        leaves = made


def _body(op, attrs):
    def body(k, arrays, results, lives):
        op.kernel(k, *(list(arrays) + list(results) + list(attrs)))

    return body


def by_itself(lowering, item):
    """An op that the inner backend runs by itlowering."""
    step = Step([item], op=item.op)
    step.ins = [ref for ref, _, _ in item.operands]
    step.outs = [lowering.out(s) for s in item.slots]
    step.operands = [
        (ref, lowering._moved(layout, ref), dtype) for ref, layout, dtype in
        item.operands
    ]  # fmt: skip
    return step
