"""Kernels with work before and behind them, and the frame that every kernel has."""

from __future__ import annotations

from ...kernel.ir import Kernel
from ...kernel.lower import _array, aligned
from .terms import NotFusable, evaluate, leaves_of
from .virtual import Numbers, VirtualInput, VirtualOutput, neighbours, put

WORK = 2048  # terms behind a kernel, counted at each of its stores, at most


class Around:
    """Traces a kernel with virtual arrays in place of its own."""

    def __init__(self, lowering, c, terms, op, attrs, first, stored):
        self.item = c.root
        self.terms = terms
        self.op = op
        self.attrs = attrs
        self.first = first  # of the kernel's own live numbers
        self.stored = stored
        self.plain = len(c.items) == 1
        self.serial = lowering.rules.inner.serial
        self.stores = 0
        wides = lowering.rules.inner.wides  # neighbours may be loaded at once
        self.wide = tuple([wides and _is_wide(leaf) for leaf in terms.leaves])
        software = lowering.rules.caps is not None and lowering.rules.caps.software
        self.most = WORK // 4 if software else WORK

    def trace(self, k, leaves, outs, lives):
        inputs = []
        for t, (_, layout, dtype) in zip(self.terms.operands, self.item.operands):
            inputs.append(self._input(k, t, leaves, layout.shape, dtype, lives))
        results = outs if self.plain else [self._output(k, leaves, outs, lives)]
        attrs = []
        live = self.first
        for i, a in enumerate(self.attrs):
            if i in self.op.runtime:
                a = lives[live]
                live += 1
            elif i in self.op.unread:
                a = None
            attrs.append(a)
        kernel = self.op.kernel
        if self.serial and self.op.serial:
            kernel = self.op.serial
        kernel(k, *(inputs + list(results) + attrs))

    def _input(self, k, t, leaves, shape, dtype, lives):
        terms = self.terms
        if terms.list[t][0] == "in":
            return leaves[terms.list[t][1]]
        used = leaves_of(terms, t)
        count = terms.uses([t])

        def make(leaf):
            return evaluate(k, terms.list, count, [t], leaf, lives)[0]

        like = None
        for n, leaf in enumerate(terms.leaves):
            if leaf.layout.shape == shape and (n in used or leaf.ref is None):
                like = leaves[n]
        if like is None:
            raise NotFusable("internal: no leaf tells the shape")
        return VirtualInput(k, leaves, like.shape, dtype, make, self.wide)

    def _output(self, k, leaves, outs, lives):
        terms = self.terms
        wanted = []
        for s in self.stored:
            found = terms.results.get(s)
            wanted.append(terms.add(("root", 0)) if found is None else found)
        count = terms.uses(wanted)
        work = 1
        read = {}
        for t, term in enumerate(terms.list):
            if term[0] == "op" and count[t]:
                work += term[1].cost
            elif term[0] in ("in", "count") and count[t]:
                read[term[1]] = True

        def loads(coords, n):
            axis = len(coords) - 1
            return {
                leaf: neighbours(leaves[leaf], coords, n, axis, self.wide[leaf])
                for leaf in read
            }

        def results(values, loaded, lane):
            return evaluate(
                k, terms.list, count, wanted, lambda n: loaded[n][lane], lives,
                [values[lane]],
            )  # fmt: skip

        def finish(placed):
            self.stores += sum([len(values) for _, values in placed])
            if self.stores * work > self.most:
                raise NotFusable("internal: the kernel stores in many places")
            held = [[k.let(v) for v in values] for _, values in placed]
            # Compilers do not move loads before stores, which might change them.
            loaded = [loads(coords, len(values)) for coords, values in placed]
            for (coords, _), values, own in zip(placed, held, loaded):
                found = [results(values, own, i) for i in range(len(values))]
                for o, out in enumerate(outs):
                    put(out, coords, [r[o] for r in found])

        reads = len([n for n in read if _is_full(terms.leaves[n])])
        dtype = self.item.kind.outs[0][1]
        return VirtualOutput(k, outs[0].shape, dtype, finish, reads)


def _is_full(leaf):
    """Say whether it has an element of its own for each row."""
    return leaf.ref is not None and bool([s for s in leaf.layout.strides[:-1] if s])


def _is_wide(leaf):
    return leaf.ref is not None and leaf.dtype.bits == 32 and aligned(leaf.layout)


class Frame:
    """A Kernel and its arrays: inputs, outputs, then those without a buffer."""

    def __init__(self, name, layouts, dtypes, inputs, outputs):
        self.k = Kernel(name)
        self.arrays = []
        self.inputs = inputs
        self.outputs = outputs
        for i, (layout, dtype) in enumerate(zip(layouts, dtypes)):
            written = inputs <= i < inputs + outputs
            a = _array(self.k, i, layout, dtype, written)
            a.ordered = layout.contiguous
            if i >= inputs + outputs:
                a = Numbers(self.k, i, dtype, a.shape, a.strides, a.offset, False)
            else:
                self.k.arrays.append(a)
            self.arrays.append(a)
        self._share(layouts)

    def _share(self, layouts):
        """Outputs of one layout have the same size parameters."""
        made = {}
        for i in range(self.inputs, self.inputs + self.outputs):
            a = self.arrays[i]
            first = made.setdefault((layouts[i].shape, layouts[i].strides), a)
            a.shape = first.shape
            a.strides = first.strides

    def outs(self):
        return self.arrays[self.inputs : self.inputs + self.outputs]

    def leaves(self, order, count):
        """The arrays of the leaves, by their numbers."""
        found = [None] * count
        for place, n in enumerate(order):
            if n < count:
                found[n] = self.arrays[place]
        return found


class Lazy:
    """Elements of arrays at one point, loaded when they are asked for."""

    def __init__(self, arrays, coords):
        self.arrays = arrays
        self.coords = coords
        self.found = {}

    def __getitem__(self, n):
        if n not in self.found:
            self.found[n] = self.arrays[n][self.coords]
        return self.found[n]
