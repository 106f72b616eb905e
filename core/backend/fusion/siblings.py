"""Reductions side by side: several over the same axes of one shape, in one kernel.

The gradients of a norm's weight and bias both read the gradient that comes in; beside
them those of a bias nearby cost no launches of their own. No element that is reduced
needs another's result.
"""

from __future__ import annotations

MOST = 4  # reductions of a kernel: a thread holds four elements of each
NEAR = 6  # kernels between two that read nothing in common
FAR = 24  # and between others: what a later one reads must lie in memory till then


def pair(grouper):
    """Merge clusters of reductions that may be one kernel."""
    found = [c for c in grouper.clusters if _lone(c)]
    found.sort(key=_place)
    for i, late in enumerate(found):
        for early in reversed(found[:i]):
            if early in grouper.clusters and _fits(grouper, early, late):
                sides = {id(item): item.side for item in late.items}
                if not grouper._join(early, late, (sides, early.shape)):
                    found[i] = early  # it stands for both from here on
                    break


def _place(c):
    return c.items[0].place


def _lone(c):
    """Say whether a cluster has reductions, and nothing that needs their elements."""
    if c.kind not in ("rows", "reduce") or c.items[0].apart:
        return False
    return not [item for item in c.items if item.side == "full"]


def _fits(grouper, early, late):
    if early is late or (early.shape, early.axes) != (late.shape, late.axes):
        return False
    if early.before >> late.number & 1 or not _follows(grouper, early, late):
        return False
    if len(_reductions(early)) + len(_reductions(late)) > MOST:
        return False
    if early.kind != late.kind:
        return False
    between = [
        c for c in grouper.clusters if early.items[-1].place < _place(c) < _place(late)
    ]
    near = len(between) <= (FAR if _common(early, late) else NEAR)
    return near and _bound(grouper, early, late) <= grouper.graph.limit


def _follows(grouper, early, late):
    """Say whether a cluster reads the other's results only behind its reductions."""
    if not late.before >> early.number & 1:
        return True
    if grouper._between(early, late):
        return False
    inside = {id(item): item.side for item in early.items}
    for item in late.items:
        if item.side == "reduce" and grouper._reads(item, inside):
            return False
        inside[id(item)] = item.side
    for item in late.items:
        if grouper._side(early, item, inside, item.side) is None:
            return False
    return True


def _reductions(c):
    return [item for item in c.items if item.side == "reduce"]


def _common(early, late):
    """Say whether two clusters read an array in common."""
    mine = {ref: True for item in early.items for ref, _ in item.leaves}
    return bool([ref for item in late.items for ref, _ in item.leaves if ref in mine])


def _bound(grouper, early, late):
    """About how many buffers the larger of the two kernels binds."""
    items = early.items + late.items
    inside = {id(item): True for item in items}
    made = len([item for item in items if item.side == "reduce"])
    kept = len([item for item in items if grouper._stored(item, inside)])
    reads = {}
    rest = {}
    for item in items:
        for ref, m in item.leaves:
            if ref < 0 or id(grouper.graph.maker[ref][0]) not in inside:
                kind = reads if item.side == "reduce" else rest
                kind[ref, m.shape, m.strides, m.offset] = True
    return max(len(reads) + made, made + len(rest) + kept)
