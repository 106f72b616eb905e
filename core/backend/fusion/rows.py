"""Clusters with reductions as kernels: row programs, or reductions of their own."""

from __future__ import annotations

from ...dtypes import int32
from ...expr import INDEX
from ...fast import rows as programs
from ...fast.program import Program, row_layouts
from ...fast.softmax import larger
from ...shapes import Layout, size
from .easier import exponentials, power, reciprocal, shared
from .reductions import lower_reduction
from .serial import serial_rows
from .terms import NotFusable, lives_of


def lower_rows(lowering, c, terms):
    """Add the steps of a cluster of reductions."""
    stored = lowering._stored(c)
    reduces = [i for i in c.items if i.side == "reduce"]
    full = [i for i in c.items if i.side == "full"]
    caps = lowering.rules.caps
    if caps is not None and not full:
        if lower_reduction(lowering, c, terms, reduces, stored):
            return
    _rows(lowering, c, terms, stored)


class _Text:
    """A Program made from terms."""

    def __init__(self, terms, wanted, full, kept, easier):
        self.terms = terms
        self.easier = easier
        self.inputs = []
        for leaf in terms.leaves:
            row = leaf.layout.shape == kept and leaf.layout.shape != full
            self.inputs.append("row" if row else "element")
        leaves = len(self.inputs)
        self.inputs += ["scalar"] * len(terms.params)
        self.steps = []
        self.number = {}
        self.tracing = [_Plain]
        for t, term in enumerate(terms.list):
            if term[0] in ("in", "count"):
                self.number[t] = term[1]
            elif term[0] == "live":
                self.number[t] = leaves + term[1]
            else:
                self.steps += self._shares(t, term)
                self.number[t] = len(self.inputs) + len(self.steps)
                self.steps.append(self._step(t, term))
        self.program = None
        self.finish(wanted)

    def _shares(self, t, term):
        """Before a quotient of exponentials: what one over the row's sum is."""
        if self.easier.get(t) != "share":
            return []
        return [("map", reciprocal, (self.number[term[3][1]],))]

    def _step(self, t, term):
        number = self.number
        how = self.easier.get(t)
        if term[0] == "reduce":
            name, neutral = term[1]
            name = larger if how == "larger" else name
            return ("reduce", name, neutral, number[term[2]])
        if how == "power":
            return ("map", power(term[2]), (number[term[3][0]],))
        if how == "share":
            last = len(self.inputs) + len(self.steps) - 1
            return ("map", shared(term[2]), (number[term[3][0]], last))
        _, point, dtype, operands, count, params = term
        at = [number[o] for o in operands]
        at += [] if count is None else [number[count]]
        at += [number[p] for p in params]
        n = len(operands)
        tracing = self.tracing

        def formula(*x):
            place = None if count is None else x[n]
            rest = x[n:] if count is None else x[n + 1 :]
            return point.formula(tracing[0], place, list(x[:n]), list(rest), dtype)

        return ("map", formula, tuple(at))

    def finish(self, wanted):
        """Make the program; wanted: (term, whether its array is one of elements)."""
        outputs = [self.number[t] for t, _ in wanted]
        made = _Program(self.inputs, self.steps, outputs)
        place = None
        for i, (_, each) in enumerate(wanted):
            if each and not made.each[outputs[i]]:  # the same for a whole row
                if place is None:
                    place = len(self.inputs) + len(self.steps)
                    self.steps.append(("index", int32))
                self.steps.append(("map", _first, (outputs[i], place)))
                outputs[i] = len(self.inputs) + len(self.steps) - 1
        self.program = _Program(self.inputs, self.steps, outputs)
        self.program.tracing = self.tracing


class _Plain:
    """Stands for a kernel where a formula is only asked for its dtype."""

    @staticmethod
    def let(value):
        return value


class _Program(Program):
    """A program whose formulas may bind values in the kernel that is being traced."""

    def dtypes(self, inputs):
        kernel, self.tracing[0] = self.tracing[0], _Plain
        found = Program.dtypes(self, inputs)
        self.tracing[0] = kernel
        return found


def _first(value, place):
    return value


def _rows(lowering, c, terms, stored):
    """One kernel that takes each row as a whole."""
    outs = [lowering.out(s) for s in stored]
    wanted = []
    for s in stored:
        item = lowering.graph.maker[s][0]
        wanted.append((terms.results[s], item.side == "full"))
    each = [x for _, x in wanted]
    if not [x for x in terms.leaves if x.layout.shape == c.shape] and True not in each:
        terms.leaf(None, Layout(c.shape), INDEX)
    easier = {}
    if lowering.rules.caps is not None:
        easier = exponentials(terms, [t for t, _ in wanted])
    text = _Text(terms, wanted, c.shape, c.kept, easier)
    leaves = terms.leaves
    layouts = [leaf.layout for leaf in leaves]
    layouts += [Layout(c.shape if x else c.kept) for x in each]
    dtypes = [leaf.dtype for leaf in leaves] + [out[2] for out in outs]
    caps = lowering.rules.caps
    tile = None
    if caps is not None:
        tile = programs.tile(text.program, layouts, dtypes, c.axes, caps)
        if tile is None and size(c.shape) > 1 << 15:
            raise NotFusable("internal: few long rows")
    placed = row_layouts(layouts, text.program.arrays(), c.axes)

    def body(k, arrays, results, lives):
        text.tracing[0] = k
        inputs = list(arrays) + list(lives)
        if tile is None:
            serial_rows(k, text.program, inputs, results, len(c.axes))
        else:
            programs.rows_kernel(k, text.program, inputs, results, len(c.axes), tile)

    key = ("rows", tuple(terms.list), tuple(wanted), tuple(text.inputs), tile,
           len(c.axes))  # fmt: skip
    lowering.add(c, key, leaves, outs, lives_of(terms), placed, body)
