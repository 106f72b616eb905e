"""Row programs for backends without workgroups: one thread takes a whole row."""

from __future__ import annotations

from ...expr import INDEX, call, cast, literal
from ...fast import tree
from ...fast.rows import _Run


def serial_rows(k, program, inputs, outputs, columns):
    """Trace a program (see fast/rows.py), one point of the grid for each row."""
    run = SerialRun(k, program, inputs, outputs, columns)
    for level in range(program.levels + 1):
        run.phase(level)


class SerialRun(_Run):
    """A program being traced: each phase is one loop over the row."""

    def __init__(self, k, program, inputs, outputs, columns):
        self.k = k
        self.program = program
        self.inputs = inputs
        self.outputs = outputs
        self.held = 0
        self.step = 1
        self.wide = {}
        self.dtypes = program.dtypes([x.dtype for x in inputs])
        arrays = [x for x, kind in zip(inputs, program.inputs) if kind != "scalar"]
        arrays += list(outputs)
        full = [a for a, each in zip(arrays, program.arrays()) if each][0]
        at = full.ndim - columns
        self.columns = full.shape[at:]
        self.count = tree.total(self.columns)
        self.rows = k.grid(full.shape[:at])
        self.known = {}

    def at(self, j):
        return self.rows + tuple(j)

    def values(self, v, j, have):
        step = self.program.step(v)
        if step is None or step[0] != "index":
            return _Run.values(self, v, j, have)
        place = literal(0, INDEX)
        for n, i in zip(self.columns, j):
            place = place * n + i
        return [self.k.let(cast(place, step[1]))]

    def sweep(self, needed, reduces, stores):
        p, k = self.program, self.k
        cells = {}
        for r in reduces:
            dtype = self.dtypes[p.step(r)[3]]
            cells[r] = k.cell(literal(p.step(r)[2](dtype), tree.wide_dtype(dtype)))
        with k.loops(self.columns) as j:
            have = {}
            for v in needed:
                have[v] = self.values(v, j, have)
            for r in reduces:
                (term,) = self.terms(r, have.get(p.step(r)[3]), None)
                cells[r].set(call(p.step(r)[1], cells[r], term))
            for v, out in stores:
                out[self.at(j)] = have[v][0]
        return [(p.step(r)[1], cells[r]) for r in reduces]

    def finish(self, reduces, parts):
        for r, (_, cell) in zip(reduces, parts):
            self.known[r] = self.k.let(cast(cell, self.dtypes[r]))

    def store_row(self, v, out):
        out[self.rows] = self.known[v]
