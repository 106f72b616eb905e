"""Row programs: what is computed of rows, as numbered values. See rows.py."""

from __future__ import annotations

from ..expr import var
from ..kernel.lower import collapse
from ..shapes import Layout


class Program:
    """What a row kernel computes, as numbered values.

    inputs   for each input, what it is: "element" (an array [*rows, *columns]), "row"
             (an array [*rows], or one that is constant along the columns), "scalar"
             (a number that is passed as an attribute). Input i is value i.
    steps    step i makes value `len(inputs) + i`, from values before it:
               ("map", formula, operands)   formula(*Exprs): per element if any operand
                                            is, else per row
               ("reduce", name, neutral, operand)  over the elements of each row: name
                                            of a binary primitive (or a function of two
                                            Exprs), neutral(dtype); per row. float16 is
                                            added in float32
               ("index", dtype)             the element's place in its row
               ("count", dtype)             the number of elements of a row; per row
    outputs  the numbers of the values that are results: a value per element goes to
             an array [*rows, *columns], one per row to [*rows] (also with ones for
             the columns)
    """

    def __init__(self, inputs, steps, outputs):
        self.inputs = tuple(inputs)
        self.steps = tuple(steps)
        self.outputs = tuple(outputs)
        self.each = [kind == "element" for kind in inputs]  # value is per element
        self.level = [0] * len(inputs)  # reductions that must have been done before
        for step in steps:
            self._add(step)
        self.levels = max(self.level)

    def _add(self, step):
        kind = step[0]
        operands = self.operands(step)
        level = max([0] + [self.level[v] for v in operands])
        self.level.append(level + 1 if kind == "reduce" else level)
        each = kind == "index"
        if kind == "map":
            for v in operands:
                each = each or self.each[v]
        self.each.append(each)

    def operands(self, step):
        """Numbers of the values that a step reads."""
        if step[0] == "map":
            return step[2]
        return (step[3],) if step[0] == "reduce" else ()

    def step(self, v):
        """The step that makes a value; None for inputs."""
        at = v - len(self.inputs)
        return self.steps[at] if at >= 0 else None

    def dtypes(self, inputs):
        """The dtype of every value, from those of the inputs."""
        found = list(inputs)
        for step in self.steps:
            if step[0] == "map":
                leaves = [var("x%d" % v, found[v]) for v in step[2]]
                found.append(step[1](*leaves).dtype)
            else:
                found.append(found[step[3]] if step[0] == "reduce" else step[1])
        return found

    def arrays(self):
        """For each array of the kernel, whether it has a value per element."""
        kinds = [kind == "element" for kind in self.inputs if kind != "scalar"]
        return kinds + [self.each[v] for v in self.outputs]


def row_layouts(layouts, each, axes):
    """Rows first, then the axes of the columns; neighbours merged where all agree.

    each: which of the layouts have a value per element. The columns keep as many axes
    as `axes` has (ones in front).
    """
    rank = 0
    for x, full in zip(layouts, each):
        rank = len(x.shape) if full else rank
    kept = [a for a in range(rank) if a not in axes]
    whole = [x.permute(kept) if len(x.shape) == rank else x for x in layouts]
    left = collapse(whole)
    full = [x for x, is_full in zip(layouts, each) if is_full]
    right = collapse([x.permute(axes) for x in full])
    out = []
    for x, rows, is_full in zip(layouts, left, each):
        if is_full:
            columns = right.pop(0)
            ones = (1,) * (len(axes) - len(columns.shape))
            shape = rows.shape + ones + columns.shape
            strides = rows.strides + (0,) * len(ones) + columns.strides
            rows = Layout(shape, strides, x.offset)
        out.append(rows)
    return out
