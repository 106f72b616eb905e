"""From a cluster to the kernels that compute it."""

from __future__ import annotations

from ...expr import INDEX
from ...kernel.lower import bind, pattern
from ...shapes import Layout, size
from .alone import by_itself, lower_alone, stages_of
from .around import Around, Frame
from .elementwise import lower_point
from .joins import Joins, reads, shared
from .recording import CONST
from .step import Step
from .terms import NotFusable, Terms, leaves_of, lives_of

WHERE = {"attr": 2, "const": 3}  # in a node of the stream
NAME = 60  # letters of a kernel's name, about


class Lowering:
    """Turns clusters into Steps; kernels are kept by structure in `kernels`."""

    def __init__(self, graph, rules, kernels):
        self.graph = graph
        self.rules = rules
        self.kernels = kernels
        self.steps = []
        self.loads = {}  # slots that some kernel reads from memory
        self.parts = 0
        self.texts = {}
        self.last = {}  # what is read from memory -> the last cluster that does
        self.failed = []

    def run(self, clusters):
        """Return the Steps; where `failed` holds clusters after it, they are of no use.

        A cluster that fails turns out not to be one kernel.
        """
        for c in clusters:
            self._guarded(c, self._text)
        if self.failed:
            return self.steps
        for c in clusters:
            for ref in reads(c, self.texts[c.number]):
                self.last[ref] = c
        self.joins = Joins(self.graph, clusters, self.texts, self.rules, self._writes)
        for c in clusters:
            self._guarded(c, self._lower)
        return self.steps

    def _guarded(self, c, work):
        try:
            work(c)
        except NotFusable:
            self.failed.append(c)
        except AttributeError:  # it asks for what virtual arrays do not have
            if c.kind != "kernel":
                raise
            self.failed.append(c)

    def _writes(self, c):
        """Say whether a cluster's results can lie where we want."""
        return c.kind != "alone" or stages_of(self, c) is not None

    def _text(self, c):
        """Find the terms of a cluster."""
        if c.kind == "alone":
            self.texts[c.number] = None
            for ref, _, _ in c.root.operands:
                self.loads[ref] = True
            return
        terms = Terms(self.graph, c, c.shape, c.items)
        if c.kind == "kernel":
            terms.operands = self._operands(c.root, terms)
        terms.results = {}
        for item in c.items:
            if item.side != "root":
                terms.results[item.slots[0]] = terms.result(item, item.side)
        for leaf in terms.leaves:
            if leaf.ref is not None:
                self.loads[leaf.ref] = True
        self.texts[c.number] = terms

    def _operands(self, root, terms):
        """The term of each operand of a kernel."""
        out = []
        consts = 0
        for ref, layout, dtype in root.operands:
            if ref == CONST:
                out.append(terms.live(root.place, "const", consts, dtype))
                consts += 1
            else:
                out.append(terms.value(ref, layout, dtype))
        return out

    def _stored(self, c):
        """Slots of a cluster that are needed in memory."""
        found = []
        for item in c.items:
            for s in item.slots:
                if self.graph.live[s] or s in self.loads:
                    found.append(s)
        return found

    def _lower(self, c):
        terms = self.texts[c.number]
        if c.number in self.joins.joined:
            self.steps.append(by_itself(self, c.root))
            self.steps[-1].joins = True
        elif c.kind == "alone":
            lower_alone(self, c)
        elif c.kind == "point":
            lower_point(self, c, terms)
        elif c.kind == "kernel":
            self._kernel(c, terms)
        else:
            self._rows(c, terms)

    # The frame of every kernel: arrays, parameters, and the cache.

    def add(
        self, c, key, leaves, outs, params, layouts, body, over=(), name=None
    ):  # fmt: skip
        """Add a step. leaves, then outs, in the order of `layouts`; body(k, arrays of
        the leaves, arrays of the outs, live numbers) traces the kernel. over: (number
        of an output, of the leaf whose buffer it takes), …"""
        real = [n for n, leaf in enumerate(leaves) if leaf.ref is not None]
        ghosts = [n for n, leaf in enumerate(leaves) if leaf.ref is None]
        if len(real) + len(outs) > self.graph.limit:
            raise NotFusable("internal: too many buffers")
        for n in real:
            layouts[n] = self._moved(layouts[n], leaves[n].ref)
        for n, out in enumerate(outs, len(leaves)):
            layouts[n] = self._moved(layouts[n], out[0])
        order = real + list(range(len(leaves), len(layouts))) + ghosts
        dtypes = [leaf.dtype for leaf in leaves] + [out[2] for out in outs]
        placed = [layouts[n] for n in order]
        kinds = [dtypes[n] for n in order]
        shares = {len(real) + o: real.index(n) for o, n in over}
        beside = shared(self.joins.places, [out[0] for out in outs])
        for o in beside:
            shares[len(real) + o] = len(real) + beside[o]
        patterns = tuple([pattern(x) for x in placed])
        key = (
            key,
            tuple(kinds),
            patterns,
            tuple(ghosts),
            tuple(sorted(shares.items())),
            _alike(c, placed),
        )
        kernel = self.kernels.get(key)
        if kernel is None:
            made = Frame(name or name_of(c.items), placed, kinds, len(real), len(outs))
            made.k.wides = self.rules.inner.wides
            made.k.shares = shares
            lives = [
                made.k.param(("attr", i, 0), dtype) for i, (_, dtype) in
                enumerate(params)
            ]  # fmt: skip
            body(made.k, made.leaves(order, len(leaves)), made.outs(), lives)
            self._check(made.k)
            kernel = self.kernels[key] = made.k
        plan = bind(kernel, placed, [0] * len(params))
        outs = [
            o + (shares.get(len(real) + i),) if over else o for i, o in enumerate(outs)
        ]  # those in joined tensors are told their place later
        self.steps.append(
            Step(
                c.items, plan, [leaves[n].ref for n in real], outs,
                [(place, WHERE[kind], i) for (place, kind, i), _ in params],
            )
        )  # fmt: skip

    def _check(self, kernel):
        """Leave kernels that need more than there is to the inner backend."""
        caps = self.rules.caps
        lacks = bool(kernel.threads) and caps is None
        for name in kernel.features:
            lacks = lacks or caps is None or name not in caps.features
        if lacks:
            raise NotFusable("internal: the device lacks what the kernel needs")

    def out(self, slot):
        """What a step says of an output."""
        item, i = self.graph.maker[slot]
        shape, dtype, layout = item.kind.outs[i]
        layout = item.shown.get(i, layout)
        return (slot, size(shape), dtype, self._moved(layout, slot))

    def _moved(self, layout, ref):
        """A layout in the buffer in which a result lies."""
        place = self.joins.places.get(ref)
        if place is None:
            return layout
        return Layout(layout.shape, layout.strides, layout.offset + place[1])

    # Kernels with something before and behind.

    def _kernel(self, c, terms):
        item = c.root
        found = self.rules.candidate(item)
        op, attrs = item.op, item.kind.static
        if found is not None:
            found = found.behind if found.behind and len(c.items) > 1 else found
            op, attrs = found.op, found.attrs
        stored = self._stored(c)
        if len(c.items) == 1:
            stored = item.slots
        outs = [self.out(s) for s in stored]
        virtual = [t for t in terms.operands if terms.list[t][0] != "in"]
        shapes = [layout.shape for _, layout, _ in item.operands]
        for t, shape in zip(terms.operands, shapes):
            if t in virtual and not _has_leaf(terms, t):
                terms.leaf(None, Layout(shape), INDEX)
        layouts = [leaf.layout for leaf in terms.leaves]
        for n in range(len(outs)):
            shape = item.shape if len(c.items) > 1 else item.kind.outs[n][0]
            layouts.append(item.turned.get(n) or Layout(shape))
        if op.pointwise and not virtual and len(c.items) == 1:
            from ...kernel.lower import merge_points

            at = [terms.list[t][1] for t in terms.operands]
            if at == list(range(len(terms.leaves))):
                layouts = merge_points(layouts, op.pointwise, len(terms.leaves))
        live = lives_of(terms)
        first = len(live)
        for i in sorted(op.runtime):
            kind = op.runtime[i] or item.kind.outs[0][1]
            at = item.op.attrs.index(op.attrs[i])  # where the stream has the number
            live.append(((item.place, "attr", at), kind))
        around = Around(self, c, terms, op, attrs, first, stored)
        static = tuple(
            [a for i, a in enumerate(attrs) if i not in op.runtime and
             i not in op.unread]
        )  # fmt: skip
        key = ("kernel", op, static, tuple(terms.list), tuple(terms.operands),
               tuple([terms.results.get(s, -1) for s in stored]),
               around.wide)  # fmt: skip
        self.add(c, key, terms.leaves, outs, live, layouts, around.trace)

    def _rows(self, c, terms):
        from .rows import lower_rows

        lower_rows(self, c, terms)


def _alike(c, layouts):
    """Which shapes and layouts are equal, and which are in order: tracing and printing
    look at that, so kernels are kept by it."""
    shapes = [layout.shape for layout in layouts] + [c.shape, getattr(c, "kept", None)]
    for item in c.items:
        shapes.extend([layout.shape for _, layout, _ in item.operands])
    lying = [(layout.shape, layout.strides) for layout in layouts]
    return tuple(
        [shapes.index(shape) for shape in shapes]
        + [lying.index(x) for x in lying]
        + [layout.contiguous for layout in layouts]
    )


def _has_leaf(terms, root):
    return bool(leaves_of(terms, root))


def name_of(items):
    """A kernel's name: those of its ops."""
    name = "+".join([item.op.name for item in items])
    return name if len(name) <= NAME else name[: NAME - 2] + ".."
