"""Copies that need not be: results are written in the order in which they are read.

A view that cannot be reshaped is copied first (attention's heads before the layer
behind them, the gradient of a transposed weight before it is flattened). Where a kernel
makes what is copied, it may as well write it as the copy would lie; a matrix product is
then that of the exchanged operands.
"""

from __future__ import annotations

from ...ops.elementwise import COPY
from ...ops.matmul import MATMUL
from ...shapes import Layout, contiguous_strides
from .handles import Kind
from .layouts import compose
from .recording import CONST


def relay(graph, rules):
    """Take copies out of a Graph; `copied` then has them, by their slots."""
    for copy in graph.items:
        if copy.op is not COPY or copy.apart or copy.operands[0][0] < 0:
            continue
        ref, layout, _ = copy.operands[0]
        maker, output = graph.maker[ref]
        if graph.live[ref] or maker.apart or maker.turned or maker.point is not None:
            continue
        order = _order(layout, maker.kind.outs[output][0])
        if order is None:
            continue
        others = []
        for reader, n in maker.readers:
            if reader.operands[n][0] == ref and reader is not copy:
                others.append((reader, n))
        if maker.op is MATMUL and not others and _exchanges(order):
            if _constants(maker) < 2:
                _exchange(maker)
                _take(graph, maker, output, copy)
        elif order[-1] == len(order) - 1 and _may_turn(maker, output, others, rules):
            turned = Layout(layout.shape).permute(_inverse(order))
            if _redirect(others, turned, copy.slots[0]):
                maker.turned[output] = turned
                maker.shown[output] = copy.kind.outs[0][2]
                _take(graph, maker, output, copy)
    if graph.copied:
        gone = {id(copy): True for copy in graph.copied.values()}
        graph.items = [item for item in graph.items if id(item) not in gone]


def _order(layout, shape):
    """The axes of a row-major result that a layout of all of it shows; or None.

    None, too, where they are in order.
    """
    if layout.offset or len(layout.shape) != len(shape) or 0 in shape:
        return None
    steps = contiguous_strides(shape)
    order = []
    for n, stride in zip(layout.shape, layout.strides):
        found = None
        for a in range(len(shape)):
            fits = shape[a] == n and (n == 1 or steps[a] == stride)
            if fits and a not in order and found is None:
                found = a
        if found is None:
            return None
        order.append(found)
    return None if order == sorted(order) else order


def _inverse(order):
    return [order.index(a) for a in range(len(order))]


def _exchanges(order):
    """Say whether just the last two axes are exchanged."""
    rank = len(order)
    return order == list(range(rank - 2)) + [rank - 1, rank - 2]


def _constants(item):
    return len([ref for ref, _, _ in item.operands if ref == CONST])


def _may_turn(maker, output, others, rules):
    """Say whether a kernel can write in another order, and nobody loses by it."""
    if maker.kind.outs[output][1].bits < 32:
        return False  # GPUs write such elements as words, of neighbours
    if maker.op.combine is not None or maker.op.pointwise:
        return False
    if others and len(maker.slots) == 1:
        return False  # they may share its kernel as it is
    return not rules.alone(maker)


def _redirect(readers, turned, slot):
    """Let readers find a result where it lies now; False where one could not."""
    found = []
    for reader, n in readers:
        seen = compose(reader.operands[n][1], turned)
        if seen is None:
            return False
        found.append((reader, n, seen))
    for reader, n, seen in found:
        reader.operands[n] = (slot, seen, reader.operands[n][2])
    return True


def _exchange(item):
    """Make a product that of the transposed operands, in the other order."""
    kind = item.kind
    operands = []
    for ref, layout, dtype in reversed(item.operands):
        operands.append((ref, _transposed(layout), dtype))
    shape, dtype, _ = kind.outs[0]
    shape = shape[:-2] + (shape[-1], shape[-2])
    item.operands = operands
    item.kind = Kind(
        kind.op, kind.static,
        tuple([(layout, d, ref == CONST) for ref, layout, d in operands]),
        ((shape, dtype, Layout(shape)),),
    )  # fmt: skip


def _transposed(layout):
    rank = len(layout.shape)
    return layout.permute(list(range(rank - 2)) + [rank - 1, rank - 2])


def _take(graph, maker, output, copy):
    """Let the maker's result be the copy's."""
    slot = copy.slots[0]
    maker.slots[output] = slot
    maker.live = maker.live or copy.live
    maker.readers = [r for r in maker.readers if r[0] is not copy] + copy.readers
    graph.maker[slot] = (maker, output)
    graph.copied[slot] = copy
