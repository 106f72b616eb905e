"""Clusters of elementwise ops as kernels."""

from __future__ import annotations

from ...kernel.lower import collapse
from ...shapes import Layout
from .around import Lazy
from .layouts import whole
from .terms import evaluate, lives_of


def lower_point(lowering, c, terms):
    """Add the step of a cluster of elementwise ops."""
    stored = lowering._stored(c)
    outs = [lowering.out(s) for s in stored]
    wanted = [terms.results[s] for s in stored]
    given = [leaf.layout for leaf in terms.leaves]
    layouts = collapse(given + [Layout(c.shape)] * len(outs))
    wide = None
    if lowering.rules.caps:
        from ...fast.pointwise import points

        dtypes = [leaf.dtype for leaf in terms.leaves] + [o[2] for o in outs]
        wide = points(layouts, dtypes, len(given))
    text, count = terms.list, terms.uses(wanted)
    over = _over(lowering, c, terms.leaves, outs) if lowering.rules.caps else ()

    def body(k, leaves, arrays, lives):
        def at(exprs):
            return evaluate(k, text, count, wanted, lambda n: exprs[n], lives)

        if wide is not None:
            from ...fast.pointwise import vectorised

            vectorised(k, leaves, arrays, lambda *x: at(x), wide)
            return
        here = k.grid(arrays[0].shape)
        for out, value in zip(arrays, at(Lazy(leaves, here))):
            out[here] = value

    key = ("point", tuple(text), tuple(wanted), wide)
    lowering.add(c, key, terms.leaves, outs, lives_of(terms), layouts, body, over)


def _over(lowering, c, leaves, outs):
    """Which outputs are written over an operand that nobody reads any more."""
    free = {}
    shared = dict(lowering.joins.places)
    for target, _ in lowering.joins.places.values():
        shared[target] = True
    for n, leaf in enumerate(leaves):
        ref = leaf.ref
        fits = ref is not None and ref >= 0 and not lowering.graph.live[ref]
        if fits and lowering.last[ref] is c and ref not in shared:
            mine = whole(leaf.layout, lowering.graph.storage(ref))
            free.setdefault(ref, []).append((n, mine))
    alone = [found[0][0] for found in free.values() if found == [(found[0][0], True)]]
    over = []
    for o, (slot, _, dtype, _) in enumerate(outs):
        for n in alone:
            fits = leaves[n].dtype is dtype and dtype.bits == 32
            if fits and slot not in lowering.joins.places:
                over.append((o, n))
                alone.remove(n)
                break
    return tuple(over)
