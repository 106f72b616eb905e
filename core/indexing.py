"""NumPy-style indexing: `x[...]` and `x[...] = v`, read into slices, takes and masks.

Slices and integers make views. Index tensors take (or put) rows: the indexed axes go
first and are laid out flat, so that one index names a row. A mask is the indices of
its true elements, whose number the host must read; where a mask is assigned one
value for each row, nothing is read.
"""

from __future__ import annotations

from .dtypes import bool_
from .errors import AutodiffError, DTypeError, ShapeError
from .ops.movement import permute, reshape, slice_assign, strided_slice
from .shapes import broadcast, size


class _Whole:
    """`:` itself; MicroPython cannot make slices."""

    start = stop = step = None


class _Added:
    """A mask without axes: a new axis, of which `index` takes all or nothing."""

    def __init__(self, index):
        self.index = index


class Plan:
    """A key, read: slices per axis, axes to drop or add, and what indexes axes.

    result holds the shape after the slices (integers dropped unless index tensors
    stand beside them, None added); tensors holds (axis of the result, index tensor, or
    None for an integer, which NumPy counts as an index tensor then).
    """

    def __init__(self, x, key):
        self.starts = []
        self.steps = []
        self.sizes = []
        self.result = []
        self.tensors = []
        self.gaps = []  # where `...` stands for no axis: neighbours end there
        items = _spelled_out(x, key if isinstance(key, tuple) else (key,))
        self.advanced = False
        for item in items:
            self.advanced = self.advanced or _is_tensor(item) or _is_added(item)
        for item in items:
            self._read(x, item)

    def _read(self, x, item):
        axis = len(self.starts)
        if item is None:
            self.result.append(1)
        elif item is Ellipsis:
            self.gaps.append(len(self.result))
        elif _is_added(item):
            self.tensors.append((len(self.result), item.index))
            self.result.append(1)
        elif _is_tensor(item):
            self._take(0, 1, x.shape[axis])
            self.tensors.append((len(self.result), item))
            self.result.append(x.shape[axis])
        elif isinstance(item, int):
            self._take(_position(item, x.shape[axis], axis), 1, 1)
            if self.advanced:
                self.tensors.append((len(self.result), None))
                self.result.append(1)
        else:
            start, step, count = _slice(item, x.shape[axis])
            self._take(start, step, count)
            self.result.append(count)

    def _take(self, start, step, count):
        self.starts.append(start)
        self.steps.append(step)
        self.sizes.append(count)

    def view(self, x):
        """x after the slices, in the shape `result`."""
        out = x
        if not self.whole(x):
            out = strided_slice(x, self.starts, self.steps, self.sizes)
        return out if tuple(self.result) == out.shape else reshape(out, self.result)

    def whole(self, x):
        """Whether the slices take all of x, as it stands."""
        same = tuple(self.sizes) == x.shape
        for start, step in zip(self.starts, self.steps):
            same = same and start == 0 and step == 1
        return same


def _is_tensor(item):
    from .tensor import Tensor

    return isinstance(item, Tensor)


def _is_added(item):
    """Whether an item of a key is a mask without axes."""
    return isinstance(item, _Added)


def _spelled_out(x, key):
    """The key with `...` as slices and masks as indices: one item per axis of x."""
    items = [item if item is Ellipsis else _item(item, x) for item in key]
    used = 0
    dots = 0
    for item in items:
        if item is Ellipsis:
            dots += 1
        elif item is not None:
            used += _rank(item)
    if dots > 1 or used > x.ndim:
        raise ShapeError(
            "index: at most one ... and one item per axis; given items for %d axes, "
            "shape %s" % (used, list(x.shape))
        )
    whole = [_Whole] * (x.ndim - used)
    out = []
    for item in items if dots else items + [Ellipsis]:
        if item is Ellipsis:
            out.extend(whole or [Ellipsis])
        elif _is_tensor(item) and item.dtype is bool_:
            out.extend(_indices_of(item, x, out))
        else:
            out.append(item)
    return out


def _rank(item):
    """How many axes of x an item stands for: a mask for as many as it has."""
    return item.ndim if _is_tensor(item) and item.dtype is bool_ else 1


def _indices_of(mask, x, before):
    """The index tensors of a mask's true elements."""
    from .ops.select import nonzero

    if mask.ndim == 0:
        index = [0] if bool(mask.item()) else []
        return [_Added(_item(index, mask))]
    axis = 0
    for item in before:
        axis += not (item is None or item is Ellipsis or _is_added(item))
    if mask.shape != x.shape[axis : axis + mask.ndim]:
        raise ShapeError(
            "index: a mask has the sizes of the axes it stands for; given %s at axis "
            "%d of %s" % (list(mask.shape), axis, list(x.shape))
        )
    return nonzero(mask)


def _item(item, x):
    """Turn lists and arrays into index tensors; refuse what cannot index."""
    from .tensor import Tensor, tensor

    if item is None or item is _Whole or isinstance(item, slice):
        return item
    if isinstance(item, int) and not isinstance(item, bool):
        return item
    if not isinstance(item, Tensor):
        flag = isinstance(item, bool) or str(getattr(item, "dtype", "")) == "bool"
        number = getattr(item, "shape", None) == () and hasattr(item, "__index__")
        if number and not flag:
            return int(item)
        if not isinstance(item, (list, tuple, bool)) and not hasattr(item, "__array__"):
            raise DTypeError(
                "index: integers, slices, None, ... or integer tensors; given %s"
                % type(item)
            )
        item = tensor(item, dtype=_narrow(item, x), device=x.device.base())
    if not (item.dtype.is_int or item.dtype is bool_):
        raise DTypeError(
            "index: an index tensor holds integers or bools; given %s" % item.dtype.name
        )
    if item.device.base() is not x.device.base():
        item = item.to(x.device.base())
    return item


def _narrow(item, x):
    """The dtype for an index array: what the device holds, integers if it is empty."""
    empty = isinstance(item, (list, tuple)) and not item
    wide = str(getattr(item, "dtype", "")) == "int64"
    return x.device.default_int if empty or wide else None


def _position(i, n, axis):
    if not -n <= i < n:
        raise ShapeError(
            "index: out of range; given %d for axis %d of size %d" % (i, axis, n)
        )
    return i + n if i < 0 else i


def _slice(item, n):
    """(start, step, count) of a slice over an axis of size n."""
    step = 1 if item.step is None else _whole(item.step)
    if step == 0:
        raise ShapeError("index: the step of a slice must not be 0; given 0; use 1")
    low, high = (0, n) if step > 0 else (-1, n - 1)
    start = _bound(item.start, n, low, high, low if step > 0 else high)
    stop = _bound(item.stop, n, low, high, high if step > 0 else low)
    count = (stop - start + step - (1 if step > 0 else -1)) // step
    return (start, step, count) if count > 0 else (0, 1, 0)


def _bound(value, n, low, high, default):
    if value is None:
        return default
    value = _whole(value)
    if value < 0:
        value += n
    return low if value < low else (high if value > high else value)


def _whole(value):
    """A bound or step of a slice as an int."""
    if not isinstance(value, int) and not hasattr(value, "__index__"):
        raise DTypeError(
            "index: bounds and steps of slices are integers; given %r; round it first"
            % (value,)
        )
    return int(value)


def _mask(x, key):
    """The key as a mask over the first axes of x, or None."""
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    if _is_tensor(key) or isinstance(key, list) or hasattr(key, "__array__"):
        key = _item(key, x)
        if _is_tensor(key) and key.dtype is bool_ and key.ndim:
            if key.shape != x.shape[: key.ndim]:
                raise ShapeError(
                    "index: a mask has the sizes of the axes it stands for; given %s "
                    "for %s" % (list(key.shape), list(x.shape))
                )
            return key
    return None


def getitem(x, key):
    """Return `x[key]`: a view for integers and slices, new values for tensors."""
    mask = _mask(x, key)
    if mask is not None and mask.ndim == x.ndim:
        return x.masked_select(mask)
    plan = Plan(x, key)
    view = plan.view(x)
    if not plan.tensors:
        # A tensor of its own, for assigning to it must not change x.
        return x.device.tensor_class(x._handle, x.device) if view is x else view
    rows = Rows(plan, view.shape)
    out = rows.lay(view).take(rows.index, 0)
    return rows.place_back(out.reshape(rows.shape + rows.kept))


class Rows:
    """Advanced indexing of a view as rows of a matrix named by one flat index.

    index   [K] row numbers, out of range where any of the indices is
    shape   of the broadcast index tensors; kept: of the axes not indexed
    axis    where the axes of the index tensors go in the result
    """

    def __init__(self, plan, shape):
        self.axes = [a for a, _ in plan.tensors]
        self.rest = [a for a in range(len(shape)) if a not in self.axes]
        self.kept = tuple([shape[a] for a in self.rest])
        self.sizes = [shape[a] for a in self.axes]
        tensors = [t for _, t in plan.tensors]
        self.shape = broadcast("index", *[t.shape for t in tensors if t is not None])
        self.index = self._flat(tensors)
        first = self.axes[0]
        adjacent = self.axes == list(range(first, first + len(self.axes)))
        for gap in plan.gaps:
            adjacent = adjacent and not first < gap <= self.axes[-1]
        self.axis = first if adjacent else 0

    def _flat(self, tensors):
        used = [(t, n) for t, n in zip(tensors, self.sizes) if t is not None]
        if len(used) == 1:  # the kernels count negative ones from the end
            return used[0][0].reshape((-1,)) if used[0][0].ndim != 1 else used[0][0]
        flat = None
        valid = None
        for index, n in used:
            index = index.astype(index.device.default_int).expand(self.shape)
            index = (index < 0).where(index + n, index)
            inside = (index >= 0) & (index < n)
            valid = inside if valid is None else valid & inside
            flat = index if flat is None else flat * n + index
        return valid.where(flat, size(self.sizes)).reshape((-1,))

    def lay(self, view):
        """The view as rows: [product of the indexed axes, …kept]."""
        order = tuple(self.axes + self.rest)
        moved = view if order == tuple(range(len(order))) else permute(view, order)
        return reshape(moved, (size(self.sizes),) + self.kept)

    def lay_back(self, rows):
        """Undo `lay`."""
        order = self.axes + self.rest
        moved = reshape(rows, tuple(self.sizes) + self.kept)
        inverse = [0] * len(order)
        for i, a in enumerate(order):
            inverse[a] = i
        return permute(moved, tuple(inverse))

    def place_back(self, out):
        """Move the axes of the index tensors to where the first indexed axis was."""
        if self.axis == 0:
            return out
        count = len(self.shape)
        order = list(range(count, out.ndim))
        order = order[: self.axis] + list(range(count)) + order[self.axis :]
        return permute(out, tuple(order))

    def values(self, value):
        """The values of an assignment as rows: [K, …kept]."""
        lead, tail = self.kept[: self.axis], self.kept[self.axis :]
        wide = _fit(value, lead + self.shape + tail)
        count = len(self.shape)
        order = list(range(self.axis, self.axis + count))
        order += [a for a in range(wide.ndim) if a not in order]
        return reshape(permute(wide, tuple(order)), (size(self.shape),) + self.kept)


def _fit(value, shape):
    """A value broadcast to what it is assigned to; leading axes of 1 may be spare."""
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = reshape(value, value.shape[1:])
    if broadcast("index", value.shape, shape) != tuple(shape):
        raise ShapeError(
            "index: the value must broadcast to what it is assigned to; given %s for "
            "%s" % (list(value.shape), list(shape))
        )
    return value.expand(shape)


def setitem(x, key, value):
    """Return x with `value` (broadcast) at `key`: what `x[key] = value` becomes."""
    value = _value(x, value)
    mask = _mask(x, key)
    if mask is not None:
        out = _masked(x, mask, value)
        if out is not None:
            return out
    plan = Plan(x, key)
    if not plan.tensors:
        values = _fit(value, tuple(plan.result)).reshape(plan.sizes)
        return slice_assign(x, values, plan.starts, plan.steps)
    view = plan.view(x)
    rows = Rows(plan, view.shape)
    laid = rows.lay(view).put_at(rows.index, rows.values(value), 0)
    out = rows.lay_back(laid).reshape(plan.sizes)
    return out if plan.whole(x) else slice_assign(x, out, plan.starts, plan.steps)


def _value(x, value):
    from .tensor import Tensor, tensor

    if not isinstance(value, Tensor):
        return tensor(value, dtype=x.dtype, device=x.device)
    if value.device is not x.device and value.requires_grad:
        raise AutodiffError(
            "index: a value with gradients goes only into a tensor of its own device; "
            "given x on %r, value on %r; move x there with .to(...) first"
            % (x.device, value.device)
        )
    return value.to(x.device).astype(x.dtype)


def _masked(x, mask, value):
    """Assign by a mask without index tensors, or None where they are needed."""
    from .ops.select import count_true

    rest = x.ndim - mask.ndim
    if value.ndim > rest and value.shape[0] == 1:
        value = value.reshape(value.shape[1:])
    if value.ndim <= rest:
        _fit(value, x.shape[mask.ndim :])
        return mask.reshape(mask.shape + (1,) * rest).where(value, x)
    if rest or value.ndim != 1:
        return None
    count = count_true(mask)
    if value.size != count:
        raise ShapeError(
            "index: one value for each true element of the mask; given %d for %d"
            % (value.size, count)
        )
    return x.masked_scatter(mask, value)
