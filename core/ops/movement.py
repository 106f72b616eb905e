"""Movement: views that move no data, and the few ops that do (concat, slice_assign)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bool_
from ..errors import DTypeError, ShapeError
from ..expr import INDEX, literal
from ..expr import call as E
from ..shapes import check_shape, normalize_axes, normalize_axis, size
from .define import Sample, define_op
from .record import Aval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_X = ((2, 3, 4), -3.0, 3.0)


def _call(op, tensors, attrs):
    from ..dispatch import call

    return call(op, tensors, attrs)


def _shaped(avals, attrs):
    return (Aval(attrs[-1], avals[0].dtype),)


RESHAPE = define_op(
    "reshape", infer=_shaped, attrs=("shape",), saves="",
    view=lambda layout, attrs: layout.reshape(attrs[0]),
    grad=lambda ctx: (reshape(ctx.g[0], ctx.inputs[0].shape),),
    samples=(Sample(_X, shape=(6, 4)), Sample(_X, shape=(4, -1, 2))),
)  # fmt: skip


def _own(x):
    """A tensor of its own with the values of x: assigning to it leaves x as it is."""
    from ..dispatch import wrap

    return wrap(x._handle, x.device)


def reshape(
    x: T,
    shape: int | Sequence[int],
    *more: int | Sequence[int],
    copy: bool | None = None,
) -> T:
    """Return the elements in row-major order under another shape; one size may be -1.

    The sizes may come one by one. A view where the layout of x allows; copy=True copies
    always, copy=False never.
    Raises: ShapeError when the number of elements differs, or only a copy would do.

    Example:
        >>> import fogo
        >>> fogo.arange(6).reshape(2, -1).shape
        (2, 3)
    """
    target = _known(tuple(_sizes((shape,) + more)), x)
    if copy is False:
        _viewable(x, target)
    elif copy:
        x = x.contiguous()
    return _own(x) if target == x.shape else _call(RESHAPE, (x,), (target,))


def _viewable(x, target):
    """Raise ShapeError where only a copy shows x under another shape."""
    handle = x._handle
    while not hasattr(handle, "layout"):  # autodiff's are around others
        handle = handle.inner
    if handle.layout.reshape(target) is None:
        raise ShapeError(
            "reshape: copy=False needs a layout that can be seen so; given %s to %s "
            "of a view that is not row-major; leave copy out"
            % (list(x.shape), list(target))
        )


def _sizes(shape):
    """The sizes in `f(2, 3)`, `f((2, 3))` and `f([2, 3])` alike."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list, range)):
        return shape[0]
    return shape


def _known(shape, x):
    """Replace a -1 by the size that fits."""
    if shape.count(-1) == 1:
        rest = -size(shape)
        if rest and x.size % rest == 0:
            shape = tuple([x.size // rest if d == -1 else d for d in shape])
    known = check_shape("reshape", [d for d in shape if d != -1])
    shape = known if len(known) == len(shape) else shape
    if -1 in shape or size(shape) != x.size:
        raise ShapeError(
            "reshape: the number of elements must stay; given %s (%d elements) to %s"
            % (list(x.shape), x.size, list(shape))
        )
    return shape


PERMUTE = define_op(
    "permute", attrs=("axes",), saves="",
    infer=lambda avals, attrs: (
        Aval(tuple([avals[0].shape[a] for a in attrs[0]]), avals[0].dtype),
    ),
    view=lambda layout, attrs: layout.permute(attrs[0]),
    grad=lambda ctx: (permute(ctx.g[0], _inverse(ctx.attrs[0])),),
    samples=(Sample(_X, axes=(2, 0, 1)), Sample(_X, axes=(1, 0, -1))),
)  # fmt: skip


def _inverse(axes):
    out = [0] * len(axes)
    for i, a in enumerate(axes):
        out[a] = i
    return tuple(out)


def permute(x: T, *axes: int | Sequence[int]) -> T:
    """Reorder the axes: axis i of the result is axis `axes[i]` of x. A view.

    `permute(x, 2, 0, 1)` and `permute(x, (2, 0, 1))` are one.
    Raises: ShapeError unless `axes` names every axis once.

    Example:
        >>> import fogo
        >>> fogo.permute(fogo.zeros((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """
    axes = _sizes(axes)
    order = tuple([normalize_axis("permute", a, x.ndim) for a in axes])
    if len(normalize_axes("permute", order, x.ndim)) != x.ndim:
        raise ShapeError(
            "permute: every axis once; given axes=%s for a %d-d tensor"
            % (tuple(axes), x.ndim)
        )
    return _call(PERMUTE, (x,), (order,))


def permute_dims(x: T, axes: Sequence[int]) -> T:
    """`permute`, by its name in the array API standard.

    Example:
        >>> import fogo
        >>> fogo.permute_dims(fogo.zeros((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """
    return permute(x, axes)


def transpose(x: T, dim0: int = -2, dim1: int = -1) -> T:
    """Exchange two axes (the last two by default). A view.

    Example:
        >>> import fogo
        >>> fogo.swapaxes(fogo.zeros((2, 3, 4)), 0, 2).shape
        (4, 3, 2)
    """
    a = normalize_axis("transpose", dim0, x.ndim)
    b = normalize_axis("transpose", dim1, x.ndim)
    order = list(range(x.ndim))
    order[a], order[b] = b, a
    return permute(x, tuple(order))


def matrix_transpose(x: T) -> T:
    """Exchange the last two axes. A view. Raises: ShapeError below two axes.

    Example:
        >>> import fogo
        >>> fogo.matrix_transpose(fogo.tensor([[1, 2], [3, 4]])).tolist()
        [[1, 3], [2, 4]]
    """
    if x.ndim < 2:
        raise ShapeError(
            "matrix_transpose: at least two axes; given shape %s" % list(x.shape)
        )
    return transpose(x)


def moveaxis(x: T, source: int | Sequence[int], destination: int | Sequence[int]) -> T:
    """Move axes to other places; the rest keep their order. A view.

    Example:
        >>> import fogo
        >>> fogo.moveaxis(fogo.zeros((2, 3, 4)), 0, 2).shape
        (3, 4, 2)
    """
    take = [normalize_axis("moveaxis", a, x.ndim) for a in _several(source)]
    put = [normalize_axis("moveaxis", a, x.ndim) for a in _several(destination)]
    order = [a for a in range(x.ndim) if a not in take]
    for place, axis in sorted(zip(put, take)):
        order.insert(place, axis)
    return permute(x, tuple(order))


def _several(axes):
    return tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)


EXPAND = define_op(
    "expand", infer=_shaped, attrs=("shape",), saves="",
    view=lambda layout, attrs: layout.expand(attrs[0]),
    grad=lambda ctx: (sum_to(ctx.g[0], ctx.inputs[0].shape),),
    samples=(
        Sample(((3, 1), -3.0, 3.0), shape=(2, 3, 4)),
        Sample(((), -3.0, 3.0), shape=(2, 3)),
    ),
)  # fmt: skip


def expand(x: T, *shape: int | Sequence[int]) -> T:
    """Repeat axes of size 1 (and new leading ones) to a larger shape. A view.

    A size of -1 keeps the axis. Raises: ShapeError where a size does not fit.

    Example:
        >>> import fogo
        >>> fogo.expand(fogo.tensor([[1], [2]]), (2, 3)).tolist()
        [[1, 1, 1], [2, 2, 2]]
    """
    sizes = _sizes(shape)
    lead = len(sizes) - x.ndim
    if lead >= 0:
        sizes = tuple(
            [x.shape[i - lead] if d == -1 and i >= lead else d
             for i, d in enumerate(sizes)]
        )  # fmt: skip
    target = check_shape("expand", sizes)
    fits = lead >= 0
    for d, wanted in zip(x.shape, target[lead:] if fits else ()):
        fits = fits and (d == wanted or d == 1)
    if not fits:
        raise ShapeError(
            "expand: sizes other than 1 must stay; given %s to %s"
            % (list(x.shape), list(target))
        )
    return _own(x) if target == x.shape else _call(EXPAND, (x,), (target,))


def broadcast_to(x: T, shape: Sequence[int]) -> T:
    """`expand` by its name in the array API standard, where -1 has no meaning.

    Example:
        >>> import fogo
        >>> fogo.broadcast_to(fogo.tensor([1, 2]), (2, 2)).tolist()
        [[1, 2], [1, 2]]
    """
    return expand(x, check_shape("broadcast_to", shape))


def sum_to(x: T, shape: Sequence[int]) -> T:
    """Sum over the axes that broadcasting `shape` to x's shape would repeat.

    Example:
        >>> import fogo
        >>> fogo.sum_to(fogo.ones((2, 3)), (1, 3)).tolist()
        [[2.0, 2.0, 2.0]]
    """
    lead = x.ndim - len(shape)
    axes = list(range(lead))
    for i, d in enumerate(shape):
        if d == 1 and x.shape[lead + i] != 1:
            axes.append(lead + i)
    if axes:
        x = x.sum(tuple(axes))
    return x.reshape(shape)


SLICE = define_op(
    "slice", infer=_shaped, attrs=("starts", "steps", "shape"), saves="",
    view=lambda layout, attrs: layout.slice(attrs[0], attrs[1], attrs[2]),
    grad=lambda ctx: (
        slice_assign(
            _zeros(ctx.g[0], ctx.inputs[0].shape), ctx.g[0], ctx.attrs[0], ctx.attrs[1]
        ),
    ),
)  # fmt: skip


def _zeros(like, shape):
    return like.device.constant(0, like.dtype).expand(shape)


def strided_slice(
    x: T, starts: Sequence[int], steps: Sequence[int], shape: Sequence[int]
) -> T:
    """Take `shape` elements from `starts` by `steps`, one number per axis. A view.

    Steps may be negative. `x[...]` is the friendly form; nothing is checked here.

    Example:
        >>> import fogo
        >>> fogo.strided_slice(fogo.arange(6), (1,), (2,), (3,)).tolist()
        [1, 3, 5]
    """
    return _call(SLICE, (x,), (tuple(starts), tuple(steps), tuple(shape)))


def narrow(x: T, dim: int, start: int, length: int) -> T:
    """Return `length` elements of one axis from `start`. A view; raises ShapeError.

    Example:
        >>> import fogo
        >>> fogo.narrow(fogo.arange(5), 0, 1, 3).tolist()
        [1, 2, 3]
    """
    axis = normalize_axis("narrow", dim, x.ndim)
    if start < 0 or length < 0 or start + length > x.shape[axis]:
        raise ShapeError(
            "narrow: start and length must lie in the axis; given start=%d, "
            "length=%d, size %d" % (start, length, x.shape[axis])
        )
    starts = [0] * x.ndim
    starts[axis] = start
    shape = list(x.shape)
    shape[axis] = length
    return strided_slice(x, starts, [1] * x.ndim, shape)


def flip(x: T, axis: int | tuple[int, ...] | None = None) -> T:
    """Reverse axes (all if None). A view.

    Example:
        >>> import fogo
        >>> fogo.flip(fogo.tensor([1, 2, 3])).tolist()
        [3, 2, 1]
    """
    axes = normalize_axes("flip", axis, x.ndim)
    starts = [x.shape[a] - 1 if a in axes else 0 for a in range(x.ndim)]
    steps = [-1 if a in axes else 1 for a in range(x.ndim)]
    if 0 in x.shape:
        return _own(x)
    return strided_slice(x, starts, steps, x.shape)


def on_grid(c, starts, steps, sizes):
    """(whether the point c is one of `starts + i*steps`, i); i counts to the sizes."""
    inside = literal(True, bool_)
    place = []
    for a, (start, step) in enumerate(zip(starts, steps)):
        ahead = c[a] - start if step > 0 else literal(start, INDEX) - c[a]
        stride = step if step > 0 else -step
        j = ahead if stride == 1 else E("floordiv", ahead, stride)
        fits = (ahead >= 0) & (j < sizes[a])
        if stride != 1:
            fits = fits & E("eq", E("mod", ahead, stride), 0)
        inside = fits if a == 0 else inside & fits
        place.append(j)
    return inside, tuple(place)


def _assign_kernel(k, x, v, out, starts, steps):
    """out = v where the point lies on v's grid inside x, else x."""
    c = k.grid(out.shape)
    inside, place = on_grid(c, starts, steps, v.shape)
    branch = k.when(inside)
    with branch:
        out[c] = v[place]
    with k.otherwise(branch.value):
        out[c] = x[c]


SLICE_ASSIGN = define_op(
    "slice_assign", attrs=("starts", "steps"), kernel=_assign_kernel, saves="",
    infer=lambda avals, attrs: (Aval(avals[0].shape, avals[0].dtype),),
    grad=lambda ctx: (
        slice_assign(ctx.g[0], _zeros(ctx.g[0], ctx.inputs[1].shape), *ctx.attrs)
        if ctx.needs[0] else None,
        strided_slice(ctx.g[0], *(ctx.attrs + (ctx.inputs[1].shape,)))
        if ctx.needs[1] else None,
    ),
    samples=(
        Sample(((4, 6), -3.0, 3.0), ((2, 3), -3.0, 3.0), starts=(1, 0), steps=(1, 2)),
        Sample(((4, 6), -3.0, 3.0), ((2, 3), -3.0, 3.0), starts=(3, 5), steps=(-2, -1)),
    ),
)  # fmt: skip


def slice_assign(
    x: T, values: Tensor, starts: Sequence[int], steps: Sequence[int]
) -> T:
    """Return x with `values` at `starts + i*steps`; x itself stays as it is.

    Example:
        >>> import fogo
        >>> x, y = fogo.zeros((4,)), fogo.tensor([1.0, 2.0])
        >>> fogo.slice_assign(x, y, (0,), (2,)).tolist()
        [1.0, 0.0, 2.0, 0.0]
    """
    return _call(SLICE_ASSIGN, (x, values), (tuple(starts), tuple(steps)))


def pad(x: T, widths: Sequence[Sequence[int]], value: float = 0.0) -> T:
    """Add `widths[axis] = (before, after)` elements of `value` around x.

    Raises: ShapeError unless there is one non-negative pair per axis.
    """
    if len(widths) != x.ndim or [w for w in widths if min(w) < 0]:
        raise ShapeError(
            "pad: one pair of non-negative widths per axis; given %s for shape %s"
            % (widths, list(x.shape))
        )
    shape = [d + w[0] + w[1] for d, w in zip(x.shape, widths)]
    around = x.device.constant(value, x.dtype).expand(shape)
    return slice_assign(around, x, [w[0] for w in widths], [1] * x.ndim)


def _concat_infer(avals, attrs):
    shape = list(avals[0].shape)
    shape[attrs[0]] = 0
    for a in avals:
        shape[attrs[0]] += a.shape[attrs[0]]
    return (Aval(tuple(shape), avals[0].dtype),)


def _concat_kernel(k, *args):
    axis = args[-1]
    inputs, out = args[:-2], args[-2]
    c = k.grid(out.shape)
    start = literal(0, INDEX)
    for x in inputs:
        j = c[axis] - start
        start = start + x.shape[axis]
        with k.when((j >= 0) & (c[axis] < start)):
            out[c] = x[c[:axis] + (j,) + c[axis + 1 :]]


def _concat_grad(ctx):
    axis = ctx.attrs[0]
    start = 0
    parts = []
    for x, needed in zip(ctx.inputs, ctx.needs):
        n = x.shape[axis]
        parts.append(narrow(ctx.g[0], axis, start, n) if needed else None)
        start += n
    return parts


CONCAT = define_op(
    "concat", infer=_concat_infer, attrs=("axis",), kernel=_concat_kernel,
    grad=_concat_grad, saves="",
)  # fmt: skip
_PORTABLE_BINDINGS = 7  # WebGPU guarantees 8 storage buffers a kernel


def _concat_in_groups(*args):
    parts, axis = list(args[:-1]), args[-1]
    while len(parts) > 1:
        parts = [
            _call(CONCAT, tuple(parts[i : i + _PORTABLE_BINDINGS]), (axis,))
            for i in range(0, len(parts), _PORTABLE_BINDINGS)
        ]
    return parts[0]


CONCAT_MANY = define_op(
    "concat_many", infer=_concat_infer, attrs=("axis",), decompose=_concat_in_groups,
    grad=_concat_grad, saves="",
)  # fmt: skip


def concat(arrays: Sequence[T], axis: int | None = 0) -> T:
    """Join tensors along an axis (flattened first if None); dtypes promote.

    Raises: ShapeError when other axes differ, or there is no tensor.

    Example:
        >>> import fogo
        >>> fogo.concat([fogo.zeros(2), fogo.ones(1)]).tolist()
        [0.0, 0.0, 1.0]
    """
    from ..dtypes import promote

    _check_tensors("concat", arrays)
    if axis is None:
        arrays = [t.reshape((-1,)) for t in arrays]
    place = normalize_axis("concat", axis or 0, arrays[0].ndim)
    dtype = arrays[0].dtype
    for t in arrays[1:]:
        _check_joins(arrays[0], t, place)
        dtype = promote(dtype, t.dtype, "concat")
    parts = [t.astype(dtype) for t in arrays]
    if len(parts) == 1:
        return _own(parts[0])
    few = len(parts) <= _PORTABLE_BINDINGS
    return _call(CONCAT if few else CONCAT_MANY, tuple(parts), (place,))


def _check_tensors(name, tensors):
    from ..tensor import Tensor

    if isinstance(tensors, Tensor) or not tensors:
        raise ShapeError(
            "%s: a list of at least one tensor; given %s"
            % (name, "one tensor" if isinstance(tensors, Tensor) else "none")
        )
    for t in tensors:
        if not isinstance(t, Tensor):
            raise DTypeError(
                "%s: a list of tensors; given %s among them; make it one with "
                "fogo.tensor(...)" % (name, type(t))
            )


def _check_joins(first, other, axis):
    same = first.ndim == other.ndim
    if same:
        for a in range(first.ndim):
            same = same and (a == axis or first.shape[a] == other.shape[a])
    if not same:
        raise ShapeError(
            "concat: all axes but axis %d must be equal; given %s and %s"
            % (axis, list(first.shape), list(other.shape))
        )


def stack(arrays: Sequence[T], axis: int = 0) -> T:
    """Join tensors of equal shape along a new axis.

    Example:
        >>> import fogo
        >>> fogo.stack([fogo.tensor([1, 2]), fogo.tensor([3, 4])]).tolist()
        [[1, 2], [3, 4]]
    """
    _check_tensors("stack", arrays)
    for t in arrays[1:]:
        if t.shape != arrays[0].shape:
            raise ShapeError(
                "stack: shapes must be equal; given %s and %s; use concat"
                % (list(arrays[0].shape), list(t.shape))
            )
    return concat([unsqueeze(t, axis) for t in arrays], axis)


def unsqueeze(x: T, axis: int) -> T:
    """Add an axis of size 1. A view.

    Example:
        >>> import fogo
        >>> fogo.unsqueeze(fogo.tensor([1, 2]), 0).tolist()
        [[1, 2]]
    """
    place = normalize_axis("unsqueeze", axis, x.ndim + 1)
    return reshape(x, x.shape[:place] + (1,) + x.shape[place:])


def expand_dims(x: T, axis: int = 0) -> T:
    """`unsqueeze`, by its name in the array API standard.

    Example:
        >>> import fogo
        >>> fogo.expand_dims(fogo.tensor([1, 2]), 1).tolist()
        [[1], [2]]
    """
    return unsqueeze(x, axis)


cat = concat
swapaxes = transpose

__all__ = [
    "broadcast_to", "cat", "concat", "expand", "expand_dims", "flip",
    "matrix_transpose", "moveaxis", "narrow", "permute", "permute_dims", "reshape",
    "slice_assign", "stack", "strided_slice", "sum_to", "swapaxes", "transpose",
    "unsqueeze",
]  # fmt: skip
NOT_METHODS = ("cat", "concat", "stack")
