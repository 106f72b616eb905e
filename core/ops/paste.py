"""Gradients of slices: parts that are put into zeros, each read and written once.

The gradient of one slice is its part among zeros. Where several slices of one tensor
were used, `Pieces` keeps their parts until all are there. Those that do not overlap are
joined (`concat`) or pasted by one kernel; what overlaps is added.
"""

from __future__ import annotations

from ..expr import literal
from ..shapes import size
from .define import define_op
from .movement import concat, flip, on_grid, slice_assign, strided_slice
from .record import Aval

FEW = 7  # parts of one kernel: WebGPU guarantees 8 storage buffers
NEAR = 64  # parts that are compared with one another
MOST = 4  # times the whole that kept parts may take together
PLANS = 1024  # arrangements of parts remembered, at most


def _paste_kernel(k, *args):
    """out = the part that has the point on its grid, else 0."""
    parts, out = args[:-4], args[-4]
    starts, steps = args[-3:-1]
    c = k.grid(out.shape)
    value = k.cell(literal(0, out.dtype))
    for x, start, step in zip(parts, starts, steps):
        inside, place = on_grid(c, start, step, x.shape)
        with k.when(inside):
            value.set(x[place])
    out[c] = value


def _paste_grad(ctx):
    starts, steps, _ = ctx.attrs
    return [
        strided_slice(ctx.g[0], a, b, x.shape) if needed else None
        for x, a, b, needed in zip(ctx.inputs, starts, steps, ctx.needs)
    ]


PASTE = define_op(
    "paste", attrs=("starts", "steps", "shape"), kernel=_paste_kernel, saves="",
    infer=lambda avals, attrs: (Aval(attrs[2], avals[0].dtype),), grad=_paste_grad,
    unread=("shape",),
)  # fmt: skip


class Pieces:
    """What slices of one tensor give to its gradient, while more may come."""

    def __init__(self, shape, g, starts, steps):
        self.shape = shape
        self.like = g
        self.rest = None  # what is whole already
        self.parts = [(g, starts, steps)] if g.size else []
        self.count = g.size

    def plus(self, other):
        """Add the gradient of the whole tensor, or of another slice."""
        if not isinstance(other, Pieces):
            self.rest = other if self.rest is None else self.rest + other
            return self
        self.parts += other.parts
        self.count += other.count
        if self.count >= MOST * size(self.shape) and len(self.parts) > 1:
            self.rest = self.whole()
        return self

    def whole(self):
        """The sum of all."""
        parts, self.parts, self.count = self.parts, [], 0
        found = self.rest
        if not parts:
            return _zeros(self.like, self.shape) if found is None else found
        key = (self.shape, tuple([(a, b, g.shape) for g, a, b in parts]))
        plan = _PLANS.get(key)
        if plan is None:
            if len(_PLANS) >= PLANS:
                _PLANS.clear()
            plan = _PLANS[key] = arrange(self.shape, key[1])
        for axis, numbers in plan:
            some = [parts[n] for n in numbers]
            more = _joined(self.shape, some, axis)
            found = more if found is None else found + more
        return found


_PLANS: dict = {}


def arrange(shape, boxes):
    """[(axis or None, numbers of boxes), …]: each lot without overlaps.

    boxes: (starts, steps, sizes) each. With an axis the lot are whole slabs along it,
    in order; without one they are a few.
    """
    numbers = list(range(len(boxes)))
    found = _slabs(shape, boxes, numbers)
    if found is not None:
        return [found]
    plan = []
    for first in range(0, len(numbers), NEAR):
        for lot in _apart(boxes, numbers[first : first + NEAR]):
            slabs = _slabs(shape, boxes, lot)
            if slabs is not None:
                plan.append(slabs)
                continue
            for i in range(0, len(lot), FEW):
                plan.append((None, lot[i : i + FEW]))
    return plan


def _slabs(shape, boxes, numbers):
    """(axis, numbers in order) where boxes are whole but for one axis, or None."""
    if len(numbers) < 2:
        return None
    cut = None
    for n in numbers:
        starts, steps, sizes = boxes[n]
        for a, length in enumerate(shape):
            if steps[a] not in (1, -1) and sizes[a] != 1:
                return None
            if sizes[a] != length and cut not in (None, a):
                return None
            cut = a if sizes[a] != length else cut
    if cut is None:
        return None
    order = sorted([(_low(boxes[n], cut), n) for n in numbers])
    end = 0
    for low, n in order:
        if low < end:
            return None
        end = low + boxes[n][2][cut]
    return cut, [n for _, n in order]


def _low(box, axis):
    starts, steps, sizes = box
    back = sizes[axis] - 1 if steps[axis] < 0 else 0
    return starts[axis] - back if sizes[axis] > 1 else starts[axis]


def _apart(boxes, numbers):
    """Lots of boxes that do not overlap."""
    lots = []
    for n in numbers:
        home = None
        for lot in lots:
            if home is None and not [m for m in lot if _meet(boxes[n], boxes[m])]:
                home = lot
        if home is None:
            lots.append([n])
        else:
            home.append(n)
    return lots


def _meet(one, other):
    """Say whether two boxes may have an element in common."""
    for a in range(len(one[0])):
        low, far = _low(one, a), _low(other, a)
        s, t = abs(one[1][a]), abs(other[1][a])
        high = low + s * (one[2][a] - 1)
        if high < far or far + t * (other[2][a] - 1) < low:
            return False
        if (low - far) % _gcd(s, t):
            return False
    return True


def _gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def _joined(shape, parts, axis):
    """One tensor of parts that do not overlap."""
    g, starts, steps = parts[0]
    if len(parts) == 1:
        return slice_assign(_zeros(g, shape), g, starts, steps)
    if axis is None:
        from ..dispatch import call

        attrs = (tuple([p[1] for p in parts]), tuple([p[2] for p in parts]), shape)
        return call(PASTE, tuple([p[0] for p in parts]), attrs)
    pieces = []
    end = 0
    for g, starts, steps in parts:
        low = _low((starts, steps, g.shape), axis)
        _gap(pieces, g, shape, axis, low - end)
        back = [a for a in range(g.ndim) if steps[a] < 0 and g.shape[a] > 1]
        pieces.append(flip(g, tuple(back)) if back else g)
        end = low + g.shape[axis]
    _gap(pieces, g, shape, axis, shape[axis] - end)
    return concat(pieces, axis)


def _gap(pieces, like, shape, axis, length):
    if length:
        sizes = shape[:axis] + (length,) + shape[axis + 1 :]
        pieces.append(_zeros(like, sizes))


def _zeros(like, shape):
    return like.device.constant(0, like.dtype).expand(shape)
