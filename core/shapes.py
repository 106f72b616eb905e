"""Shapes, axes, broadcasting and `Layout`: views that move no data."""

from __future__ import annotations

import sys

from .errors import ShapeError


class Layout:
    """How a tensor's elements lie in a flat buffer, in units of elements.

    Element (i, j, …) is at `offset + i*strides[0] + j*strides[1] + …`.

    Example:
        >>> Layout((2, 3)).permute((1, 0)).strides
        (1, 3)
    """

    __slots__ = ("shape", "strides", "offset", "contiguous")

    def __init__(self, shape, strides=None, offset=0):
        self.shape = shape
        if strides is None:
            self.strides = contiguous_strides(shape)
            self.contiguous = offset == 0
        else:
            self.strides = strides
            self.contiguous = offset == 0 and is_contiguous(shape, strides)
        self.offset = offset

    def permute(self, axes):
        return Layout(
            tuple(self.shape[a] for a in axes),
            tuple(self.strides[a] for a in axes),
            self.offset,
        )

    def expand(self, shape):
        lead = len(shape) - len(self.shape)
        strides = [0] * lead
        for size, stride, target in zip(self.shape, self.strides, shape[lead:]):
            strides.append(stride if size == target else 0)
        return Layout(shape, tuple(strides), self.offset)

    def slice(self, starts, steps, shape):
        """Take `shape` elements from `starts` by `steps` (which may be negative)."""
        offset = self.offset
        for start, stride in zip(starts, self.strides):
            offset += start * stride
        strides = tuple(s * p for s, p in zip(self.strides, steps))
        return Layout(shape, strides, offset)

    def reshape(self, shape):
        """Return the view under another shape, or None where only a copy will do."""
        if is_contiguous(self.shape, self.strides):
            return Layout(shape, contiguous_strides(shape), self.offset)
        strides = _split_strides(self.shape, self.strides, shape)
        return None if strides is None else Layout(shape, strides, self.offset)


def _split_strides(old_shape, old_strides, new_shape):
    """Strides that show `old` as `new_shape`: dims are merged or split in blocks."""
    if 0 in old_shape:
        return contiguous_strides(new_shape)
    old = [(n, s) for n, s in zip(old_shape, old_strides) if n != 1]
    strides = [0] * len(new_shape)
    i = 0
    j = 0
    while i < len(old):
        size, have = old[i][0], 1
        first = j
        last = i
        while have != size:  # grow both sides until their products meet
            if have < size:
                have *= new_shape[j]
                j += 1
            else:
                if old[last][1] != old[last + 1][0] * old[last + 1][1]:
                    return None
                last += 1
                size *= old[last][0]
        stride = old[last][1]
        for k in range(j - 1, first - 1, -1):
            strides[k] = stride
            stride *= new_shape[k]
        i = last + 1
    return tuple(strides)


def contiguous_strides(shape):
    """Row-major strides of a shape, in elements.

    Example:
        >>> contiguous_strides((2, 3, 4))
        (12, 4, 1)
    """
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * shape[i + 1]
    return tuple(strides)


def is_contiguous(shape, strides):
    """Say whether the strides are row-major for the shape (size-1 dims are free)."""
    step = 1
    for i in range(len(shape) - 1, -1, -1):
        if shape[i] == 0:
            return True
        if shape[i] != 1:
            if strides[i] != step:
                return False
            step *= shape[i]
    return True


def size(shape):
    """Number of elements of a shape.

    Example:
        >>> size((2, 3)), size(())
        (6, 1)
    """
    n = 1
    for d in shape:
        n *= d
    return n


class Size(int):
    """A number of elements that answers like PyTorch's `x.size` when it is called.

    Example:
        >>> count = sized((2, 3))
        >>> count, count(), count(-1)
        (6, (2, 3), 3)
    """

    def __call__(self, dim=None):
        return self.shape if dim is None else self.shape[normalize_axis(
            "size", dim, len(self.shape)
        )]  # fmt: skip

    def __reduce__(self):
        return int, (int(self),)


def sized(shape):
    """The number of elements of a shape, as `Size`; MicroPython has plain numbers."""
    if sys.implementation.name == "micropython":
        return size(shape)
    count = Size(size(shape))
    count.shape = shape
    return count


def broadcast(op, *shapes):
    """Return the shape all `shapes` broadcast to, by NumPy's rules.

    Raises: ShapeError naming the operation and the shapes.

    Example:
        >>> broadcast("add", (3, 1), (4,))
        (3, 4)
    """
    first = shapes[0]
    same = True
    for s in shapes:
        if s != first:
            same = False
    if same:
        return first
    rank = max([len(s) for s in shapes])
    out = [1] * rank
    for s in shapes:
        lead = rank - len(s)
        for i, d in enumerate(s):
            if d != 1:
                if out[lead + i] != 1 and out[lead + i] != d:
                    raise ShapeError(
                        "%s: shapes must broadcast (each pair of sizes equal, or one "
                        "of them 1); given %s"
                        % (op, ", ".join(str(list(x)) for x in shapes))
                    )
                out[lead + i] = d
    return tuple(out)


def normalize_axis(op, axis, rank):
    """Return `axis` counted from the front; raises ShapeError out of range.

    Example:
        >>> normalize_axis("sum", -1, 3)
        2
    """
    if isinstance(axis, bool) or not isinstance(axis, int):
        found = _integer(axis)
        if found is None:
            raise ShapeError("%s: an axis is an integer; given axis=%r" % (op, axis))
        axis = found
    if not -rank <= axis < rank:
        raise ShapeError(
            "%s: axis must lie in [%d, %d); given axis=%d for a %d-d tensor"
            % (op, -rank, rank, axis, rank)
        )
    return axis + rank if axis < 0 else axis


def normalize_axes(op, axes, rank):
    """Return sorted unique axes; None means all of them; raises ShapeError."""
    if axes is None:
        return tuple(range(rank))
    if not isinstance(axes, (tuple, list)):
        axes = (axes,)
    out = sorted([normalize_axis(op, a, rank) for a in axes])
    for a, b in zip(out, out[1:]):
        if a == b:
            raise ShapeError("%s: axes must differ; given %s" % (op, tuple(axes)))
    return tuple(out)


def reduced(shape, axes, keepdims):
    """Shape after a reduction over `axes`."""
    if keepdims:
        return tuple([1 if i in axes else d for i, d in enumerate(shape)])
    return tuple([d for i, d in enumerate(shape) if i not in axes])


def check_shape(op, shape):
    """Return a shape as a tuple of non-negative ints; raises ShapeError."""
    if isinstance(shape, int):
        shape = (shape,)
    out = tuple(shape)
    for d in out:
        if isinstance(d, bool) or not isinstance(d, int):
            return _whole_sizes(op, out)
        if d < 0:
            _refuse(op, out)
    return out


def _whole_sizes(op, shape):
    """A shape whose sizes are integers of another kind: NumPy's."""
    out = tuple([_integer(d) for d in shape])
    if None in out or [d for d in out if d < 0]:
        _refuse(op, shape)
    return out


def _refuse(op, shape):
    raise ShapeError(
        "%s: sizes are non-negative integers; given shape=%r" % (op, shape)
    )


def _integer(value):
    """An int from any kind of integer (NumPy's too), None from anything else."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return value if isinstance(value, int) and not isinstance(value, bool) else None
    return int(value)
