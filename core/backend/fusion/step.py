"""One launch of a flush."""

from __future__ import annotations


class Step:
    """One launch: a Plan, what it reads and writes, and its live numbers.

    ins     references: slots, inputs (negative), or ("part", n)
    outs    (reference, count, dtype, layout); in a FlushPlan also (place, count) of
            the buffer that it is a part of, or None
    params  (place of the node, "attr" or "const", position)
    items   what it computes, for people; op: what the inner backend runs instead
    """

    def __init__(self, items, plan=None, ins=(), outs=(), params=(), op=None):
        self.items = items
        self.plan = plan
        self.ins = list(ins)
        self.outs = list(outs)
        self.params = list(params)
        self.op = op
        self.place = items[0].place
        self.operands = None
        self.joins = False  # whether it only puts what is left into its place
        self.drops = ()
