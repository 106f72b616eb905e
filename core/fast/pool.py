"""Gradients of pooling where each place looks only at the windows that hold it.

The op's own kernel tries every tap of the window and keeps what falls on the grid of
outputs; with strides most do not. Bounds computed first cost a division and save the
turns: four of nine for windows of 3 by steps of 2, three of four for 2 by 2.
"""

from __future__ import annotations

from ..ops.pool_ops import AVG_GRAD, MAX_GRAD
from ..ops.record import Op
from . import Candidate

BOUNDED = {
    op.name: Op(op.name + "_bounded", kernel=op.serial, attrs=op.attrs)
    for op in (MAX_GRAD, AVG_GRAD)
}


def candidates(op, inputs, attrs, outs, caps):
    """Offer bounded loops where windows step by more than 1 and have no gaps."""
    stride, dilation = attrs[2], attrs[4]
    if max(stride) == 1 or max(dilation) > 1:
        return []
    return [Candidate("bounded windows", BOUNDED[op.name], attrs)]
