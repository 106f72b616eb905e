"""Gathers with wide loads; scatters that sort their indices instead of searching them.

Sorted by the place they go to, all values for one place stand together, in the order
of the index: each place adds up its own, with no atomics, so that the same numbers
come out every time. Places that many values go to are helped by sums over stretches
of the sorted order.
"""

from __future__ import annotations

from ..dtypes import bool_, int32, uint32
from ..expr import INDEX, bitcast, cast, literal
from ..expr import call as E
from ..expr import where as _where
from ..kernel.lower import aligned
from ..ops.record import Aval, Op
from ..ops.sort import bits
from ..shapes import size
from . import Candidate
from .sort import sorting
from .states import wide

FEW = 32  # indices that every element may as well look through
MORE = 128  # or so many, where the elements are few
SMALL = 1 << 22
SPAN = 64  # places of the sorted order that one thread adds up, at least


def candidates(op, inputs, attrs, outs, caps):
    """Offer kernels for `take` and for the four scatters."""
    if size(outs[0].shape) == 0:
        return []
    if op.name == "take":
        return _gathers(inputs, attrs[0], outs)
    index = inputs[1]
    whole = op.name in ("add_along_axis", "put_along_axis")
    along = attrs[0] if whole else 0
    m = index.shape[along]
    total = size(outs[0].shape)
    if size(index.shape) == 0 or m <= FEW or (m <= MORE and m * total <= SMALL):
        return []
    add = op.name in ("add_at", "add_along_axis")
    return [_by_sorting(inputs, attrs[0], along, whole, add, caps)]


def _replaced(c, axis, i):
    return c[:axis] + (i,) + c[axis + 1 :]


def _gathers(inputs, axis, outs):
    x = inputs[0]
    fits = axis < len(x.shape) - 1 and x.dtype.bits >= 16
    if fits and aligned(x.layout) and outs[0].shape[-1] % 4 == 0:
        return [Candidate("wide rows", TAKE_WIDE, (axis,))]
    return []


def _take_wide(k, x, index, out, axis):
    """Four neighbours of a row a thread; 0 where there is no such row."""
    c = k.grid(out.shape[:-1] + (out.shape[-1] // 4,))
    c = c[:-1] + (k.let(c[-1] * 4),)
    row = _row(k, index[(c[axis],)], x.shape[axis])
    branch = k.when((row >= 0) & (row < x.shape[axis]))
    with branch:
        out.put_wide(c, x.wide(_replaced(c, axis, row)))
    with k.otherwise(branch.value):
        out.put_wide(c, [literal(0, out.dtype)] * 4)


def _row(k, value, n):
    """A loaded index, counted from the front."""
    i = k.let(k.index(value))
    return i if value.dtype.kind == "uint" else k.let(_where(i < 0, i + n, i))


TAKE_WIDE = Op("take_wide", kernel=_take_wide, attrs=("axis",))


def _by_sorting(inputs, axis, along, whole, add, caps):
    """Rows of the indices, their order, where each row begins; then the sums."""
    x, index, values = inputs
    n, m = x.shape[axis], index.shape[along]
    rows_of = Aval(index.shape, uint32)
    sort = sorting(rows_of, along, False, int32, caps, bits(n) - 1)
    order_of = Aval(index.shape, int32)
    starts_of = Aval(_replaced(index.shape, along, n + 1), int32)
    parts_of = None
    span = SPAN
    while span * span < m:  # a place that all values go to adds up m/span + span
        span *= 2
    if add and m > 2 * SPAN:
        shape = _replaced(values.shape, axis, (m + span - 1) // span)
        parts_of = Aval(shape, wide(x.dtype))
    lanes = 4 if _wide_rows(x, values, axis, whole) else 1

    def run(backend, inputs, outs):
        x, index, values = inputs
        rows = backend.run(ROWS, (index,), (n,), (rows_of,))[0]
        order = _sorted(backend, sort, rows, order_of)
        form = (along, bits(m))
        starts = backend.run(BEGINS, (rows, order), form, (starts_of,))[0]
        if not add:
            return backend.run(LAST, (x, order, starts, values), (axis, whole), outs)
        given = (x, order, starts, values)
        if parts_of is not None:
            whose = (rows, order, starts, values)
            given += backend.run(PARTS, whose, (axis, whole, span), (parts_of,))
        return backend.run(SUMS, given, (axis, whole, lanes, span), outs)

    return Candidate("sorted indices", run=run)


def _sorted(backend, sort, rows, order):
    if sort.run is not None:
        return sort.run(backend, (rows,), (order,))[0]
    return backend.run(sort.op, (rows,), sort.attrs, (order,))[0]


def _wide_rows(x, values, axis, whole):
    last = len(x.shape) - 1
    if whole or axis == last or x.dtype.bits < 16 or x.shape[last] % 4:
        return False
    same = x.layout.strides[last] == 0
    return aligned(values.layout) and (same or aligned(x.layout))


def _rows_kernel(k, index, out, n):
    """The row each index names; n, which is no row, where there is none."""
    c = k.grid(out.shape)
    row = _row(k, index[c], n)
    out[c] = _where((row >= 0) & (row < n), row, n)


def _begins_kernel(k, rows, order, out, axis, halvings):
    """How many of the sorted rows come before each row, by halving."""
    c = k.grid(out.shape)
    low = k.cell(0, INDEX)
    high = k.cell(order.shape[axis], INDEX)
    with k.loop(halvings):
        with k.when(low < high):
            half = k.let((low + high) // 2)
            place = k.index(order[_replaced(c, axis, half)])
            row = k.index(bitcast(rows[_replaced(c, axis, place)], int32))
            branch = k.when(row < c[axis])
            with branch:
                low.set(half + 1)
            with k.otherwise(branch.value):
                high.set(half)
    out[c] = low


class _Sorted:
    """The sorted indices as one point of the result sees them."""

    def __init__(self, k, order, starts, axis, c, whole):
        self.k = k
        self.order = order
        self.starts = starts
        self.axis = axis
        self.whole = whole
        self.c = c
        self.inside = None  # whether there are indices for this line at all
        self.line = c
        if whole:
            self.line, self.inside = self._clipped()

    def _clipped(self):
        line, inside = [], literal(True, bool_)
        for a, i in enumerate(self.c):
            if a != self.axis:
                size = self.starts.shape[a]
                inside = inside & (i < size)
                i = self.k.let(E("min", i, size - 1))
            line.append(i)
        return tuple(line), self.k.let(inside)

    def _at(self, i):
        return _replaced(self.line, self.axis, i) if self.whole else (i,)

    def start(self, row):
        """Where the indices of a row begin in the sorted order."""
        found = self.k.let(self.k.index(self.starts[self._at(row)]))
        if self.inside is None:
            return found
        return self.k.let(_where(self.inside, found, literal(0, INDEX)))

    def source(self, j):
        """Coordinates of the value that is number j in the sorted order."""
        place = self.k.let(self.k.index(self.order[self._at(j)]))
        return _replaced(self.c, self.axis, place)


def _last_kernel(k, x, order, starts, values, out, axis, whole):
    """The value written last, or x's own."""
    c = k.grid(out.shape)
    mine = _Sorted(k, order, starts, axis, c, whole)
    begin, end = mine.start(c[axis]), mine.start(c[axis] + 1)
    result = k.cell(x[c])
    with k.when(end > begin):
        result.set(values[mine.source(end - 1)])
    out[c] = result


def _parts_kernel(k, rows, order, starts, values, out, axis, whole, span):
    """What each stretch of the order holds of a row that began before it."""
    c = k.grid(out.shape)
    n = starts.shape[axis if whole else 0] - 1
    mine = _Sorted(k, order, starts, axis, c, whole)
    first = k.let(c[axis] * span)
    place = k.let(k.index(order[mine._at(first)]))
    row = k.let(k.index(bitcast(rows[mine._at(place)], int32)))
    known = k.let(E("min", row, n - 1))
    begin, end = mine.start(known), mine.start(known + 1)
    runs_on = (row < n) & (begin < first)
    stop = k.let(_where(runs_on, E("min", end, first + span), first))
    total = k.cell(0, out.dtype)
    with k.loop(stop, first) as j:
        total.set(total + cast(values[mine.source(j)], out.dtype))
    out[c] = total


def _sums_kernel(k, x, order, starts, values, *rest):
    """x plus all values for the place: a stretch one by one, more by their sums."""
    axis, whole, lanes, span = rest[-4:]
    out, parts = rest[-5], (rest[0] if len(rest) == 6 else None)
    c = k.grid(out.shape[:-1] + (out.shape[-1] // lanes,))
    if lanes > 1:
        c = c[:-1] + (k.let(c[-1] * lanes),)
    mine = _Sorted(k, order, starts, axis, c, whole)
    begin, end = mine.start(c[axis]), mine.start(c[axis] + 1)
    totals = [k.cell(v, wide(x.dtype)) for v in _several(x, c, lanes)]
    stop = end
    if parts is not None:
        stop = k.let(E("min", end, (begin // span + 1) * span))
    with k.loop(stop, begin) as j:
        _add(totals, _several(values, mine.source(j), lanes))
    if parts is not None:
        with k.loop((end + (span - 1)) // span, begin // span + 1) as j:
            _add(totals, _several(parts, _replaced(c, axis, j), lanes))
    if lanes > 1:
        out.put_wide(c, [k.let(cast(t, out.dtype)) for t in totals])
    else:
        out[c] = totals[0]


def _several(array, c, lanes):
    """Neighbours along the last axis; one element for all where it repeats."""
    if lanes == 1:
        return [array[c]]
    stride = array.strides[-1]
    if stride.op == "const" and stride.args[0] == 0:
        return [array[c]] * lanes
    return array.wide(c, lanes)


def _add(totals, values):
    for total, v in zip(totals, values):
        total.set(total + cast(v, total.dtype))


ROWS = Op("index_rows", kernel=_rows_kernel, attrs=("n",), runtime=(("n", INDEX),))
BEGINS = Op(
    "index_begins", kernel=_begins_kernel, attrs=("axis", "halvings"),
    runtime=(("halvings", INDEX),),
)  # fmt: skip
LAST = Op("scatter_last", kernel=_last_kernel, attrs=("axis", "whole"))
PARTS = Op(
    "scatter_parts", kernel=_parts_kernel, attrs=("axis", "whole", "span"),
    runtime=(("span", INDEX),),
)  # fmt: skip
SUMS = Op(
    "scatter_sums", kernel=_sums_kernel, attrs=("axis", "whole", "lanes", "span"),
    runtime=(("span", INDEX),),
)  # fmt: skip
