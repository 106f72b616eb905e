"""Arrays that a kernel reads and writes as any other, but that lie nowhere."""

from __future__ import annotations

from ...expr import INDEX
from ...kernel.group import as_dtype
from ...kernel.ir import Array
from .terms import NotFusable


class Numbers(Array):
    """Its elements are their own numbers in the storage: no buffer is read."""

    def __getitem__(self, coords):
        return self.flat_index(coords)

    def wide(self, coords, n=4, axis=-1):
        first = self.kernel.let(self.flat_index(coords))
        return [first + i for i in range(n)]


class VirtualInput:
    """An input whose elements are computed from those of other arrays.

    make(leaf) returns the element, given a function from a leaf's number to its own.
    wide: for each leaf whether it can be loaded several elements at once.
    """

    written = False

    def __init__(self, k, leaves, shape, dtype, make, wide=()):
        self.kernel = k
        self.leaves = leaves
        self.shape = shape
        self.dtype = dtype
        self.make = make
        self.loads_wide = wide

    @property
    def ndim(self):
        return len(self.shape)

    def __getitem__(self, coords):
        leaves = self.leaves
        return self.make(lambda n: leaves[n][coords])

    def __setitem__(self, coords, value):
        raise NotFusable("internal: a kernel writes an input")

    def wide(self, coords, n=4, axis=-1):
        """The elements from `coords` on, along an axis."""
        axis = axis % len(self.shape)
        loads = {}

        def lane(i):
            def leaf(number):
                if number not in loads:
                    loads[number] = self._load(number, coords, n, axis)
                return loads[number][i]

            return leaf

        return [self.make(lane(i)) for i in range(n)]

    def _load(self, number, coords, n, axis):
        return neighbours(self.leaves[number], coords, n, axis, self.loads_wide[number])


class VirtualOutput:
    """An output whose elements are used at once, and stored elsewhere.

    finish(placed) takes some (coords, values): elements from `coords` on, along the
    last axis. reads: how many arrays are read at each of its elements.
    """

    written = True

    def __init__(self, k, shape, dtype, finish, reads=0):
        self.kernel = k
        self.shape = shape
        self.dtype = dtype
        self.finish = finish
        self.reads = reads

    @property
    def ndim(self):
        return len(self.shape)

    def __getitem__(self, coords):
        raise NotFusable("internal: a kernel reads its own output")

    def __setitem__(self, coords, value):
        if not isinstance(coords, tuple):
            coords = (coords,)
        self.put_all([(coords, [value])])

    def put_wide(self, coords, values):
        self.put_all([(coords, values)])

    def put_all(self, placed):
        """Store at several places: what they need is loaded for all of them first."""
        self.finish([
            (coords, [as_dtype(v, self.dtype) for v in values])
            for coords, values in placed
        ])  # fmt: skip


def neighbours(array, coords, n, axis, is_wide):
    """n elements along an axis: in one load, in one for all, or one by one."""
    if n == 1:
        return [array[coords]]
    if is_wide and axis == len(coords) - 1:
        return array.wide(coords, n, axis)
    stride = array.strides[axis]
    if stride.op == "const" and stride.args[0] == 0 and not isinstance(array, Numbers):
        return [array[coords]] * n
    out = []
    for i in range(n):
        at = coords[:axis] + (coords[axis] + i,) + coords[axis + 1 :]
        out.append(array[at])
    return out


def put(out, coords, values):
    """Store neighbours along the last axis."""
    if len(values) == 1:
        out[coords] = values[0]
    elif out.dtype.bits == 32:
        out.put_wide(coords, values)
    else:
        for i, value in enumerate(values):
            out[coords[:-1] + (coords[-1] + i,)] = value


__all__ = ["INDEX", "Numbers", "VirtualInput", "VirtualOutput", "neighbours", "put"]
