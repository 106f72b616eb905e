"""NumPy-style indexing: `x[...]` and `x[...] = v`, read into slices, takes and masks."""

from __future__ import annotations

from .dtypes import bool_
from .errors import DTypeError, ShapeError
from .ops.movement import permute, reshape, slice_assign, strided_slice
from .shapes import broadcast


class _Whole:
    """`:` itself; MicroPython cannot make slices."""

    start = stop = step = None


class Plan:
    """A key, read: slices per axis, axes to drop or add, tensors that index axes."""

    def __init__(self, x, key):
        self.starts = []
        self.steps = []
        self.sizes = []
        self.result = []  # the shape after the slices: ints dropped, None added
        self.tensors = []  # (axis of the result, index tensor)
        self._read(x, key if isinstance(key, tuple) else (key,))

    def _read(self, x, key):
        for item in self._filled(x, key):
            axis = len(self.starts)
            if item is None:
                self.result.append(1)
            elif item is _Whole or isinstance(item, slice):
                start, step, count = _slice(item, x.shape[axis])
                self._take(start, step, count)
                self.result.append(count)
            elif isinstance(item, int) and not isinstance(item, bool):
                self._take(_position(item, x.shape[axis], axis), 1, 1)
            else:
                self._take(0, 1, x.shape[axis])
                self.tensors.append((len(self.result), item))
                self.result.append(x.shape[axis])

    def _take(self, start, step, count):
        self.starts.append(start)
        self.steps.append(step)
        self.sizes.append(count)

    def _filled(self, x, key):
        """The key with `...` spelled out, one item per axis (and per new axis)."""
        used = 0
        dots = 0
        for item in key:
            if item is Ellipsis:
                dots += 1
            elif item is not None:
                used += 1
        if dots > 1 or used > x.ndim:
            raise ShapeError(
                "index: at most one ... and one item per axis; given %d items for "
                "shape %s" % (used, list(x.shape))
            )
        whole = [_Whole] * (x.ndim - used)
        out = []
        for item in key:
            if item is Ellipsis:
                out.extend(whole)
                whole = []
            else:
                out.append(_item(item, x))
        return out + whole


def _item(item, x):
    """Turn lists and arrays into index tensors; refuse what cannot index."""
    from .tensor import Tensor, tensor

    if item is None or isinstance(item, (int, slice)) and not isinstance(item, bool):
        return item
    if not isinstance(item, Tensor):
        if not isinstance(item, (list, tuple)) and not hasattr(item, "__array__"):
            raise DTypeError(
                "index: integers, slices, None, ... or integer tensors; given %s"
                % type(item)
            )
        item = tensor(item, device=x.device.base())
    if not (item.dtype.is_int or item.dtype is bool_):
        raise DTypeError(
            "index: an index tensor holds integers or bools; given %s"
            % item.dtype.name
        )
    return item


def _position(i, n, axis):
    if not -n <= i < n:
        raise ShapeError(
            "index: out of range; given %d for axis %d of size %d" % (i, axis, n)
        )
    return i + n if i < 0 else i


def _slice(item, n):
    """(start, step, count) of a slice over an axis of size n."""
    step = 1 if item.step is None else int(item.step)
    if step == 0:
        raise ShapeError("index: the step of a slice must not be 0")
    low, high = (0, n) if step > 0 else (-1, n - 1)
    start = _bound(item.start, n, low, high, low if step > 0 else high)
    stop = _bound(item.stop, n, low, high, high if step > 0 else low)
    count = (stop - start + step - (1 if step > 0 else -1)) // step
    return (start, step, count) if count > 0 else (0, 1, 0)


def _bound(value, n, low, high, default):
    if value is None:
        return default
    value = int(value)
    if value < 0:
        value += n
    return low if value < low else (high if value > high else value)


def getitem(x, key):
    """Return `x[key]`: a view for integers and slices, new values for tensors."""
    mask = _mask(x, key)
    if mask is not None:
        return x.masked_select(mask)
    plan = Plan(x, key)
    out = strided_slice(x, plan.starts, plan.steps, plan.sizes)
    out = reshape(out, plan.result) if tuple(plan.result) != out.shape else out
    if not plan.tensors:
        return out
    return _gather(out, plan.tensors)


def _mask(x, key):
    """The key as a mask over the whole of x, or None."""
    from .tensor import Tensor

    if isinstance(key, Tensor) and key.dtype is bool_:
        if key.shape != x.shape:
            raise ShapeError(
                "index: a mask has the shape of the tensor; given %s for %s"
                % (list(key.shape), list(x.shape))
            )
        return key
    return None


def _gather(x, tensors):
    """Advanced indexing: index tensors broadcast together, taken at flat positions."""
    axes = [a for a, _ in tensors]
    shape = broadcast("index", *[t.shape for _, t in tensors])
    flat = _positions(x, tensors, shape)
    rest = [a for a in range(x.ndim) if a not in axes]
    moved = permute(x, tuple(axes + rest))
    kept = tuple([x.shape[a] for a in rest])
    rows = reshape(moved, (-1,) + kept) if x.size else moved.reshape((0,) + kept)
    out = rows.take(flat, 0).reshape(shape + kept)
    adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    return _place_back(out, len(shape), axes[0] if adjacent else 0)


def _positions(x, tensors, shape):
    """Row numbers into the indexed axes laid out flat; negatives count from the end."""
    flat = None
    for axis, index in tensors:
        n = x.shape[axis]
        if index.device.base() is not x.device.base():
            index = index.to(x.device.base())
        index = index.expand(shape).reshape((-1,))
        index = (index < 0).where(index + n, index)
        flat = index if flat is None else flat * n + index
    return flat


def _place_back(out, count, axis):
    """Move the axes of the index tensors to where the first indexed axis was."""
    if axis == 0:
        return out
    order = list(range(count, out.ndim))
    order[axis:axis] = list(range(count))
    return permute(out, tuple(order))


def setitem(x, key, value):
    """Return x with `value` (broadcast) at `key`: what `x[key] = value` becomes."""
    from .tensor import Tensor, tensor

    if not isinstance(value, Tensor):
        value = tensor(value, dtype=x.dtype, device=x.device)
    value = value.astype(x.dtype)
    mask = _mask(x, key)
    if mask is not None:
        return mask.where(value, x)
    plan = Plan(x, key)
    if plan.tensors:
        return _scatter(x, plan, value)
    values = value.expand(plan.result).reshape(plan.sizes)
    return slice_assign(x, values, plan.starts, plan.steps)


def _scatter(x, plan, value):
    """x[..., index, ...] = value: put rows at flat positions, then undo the views."""
    positions = _flat_positions(x, plan)
    values = value.expand(positions.shape).reshape((-1,))
    flat = x.reshape((-1,)).put(positions.reshape((-1,)), values)
    return flat.reshape(x.shape)


def _flat_positions(x, plan):
    """The flat element number of everything the key selects, in the key's shape."""
    from .ops.creation import arange

    numbers = arange(x.size, device=x.device.base()).reshape(x.shape)
    view = strided_slice(numbers, plan.starts, plan.steps, plan.sizes)
    return _gather(reshape(view, plan.result), plan.tensors)
