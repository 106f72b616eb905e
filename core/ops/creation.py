"""Tensors from nothing: constants and ranges, made on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..dtypes import DEFAULT_FLOAT, bfloat16, bool_, float32, scalar_kind
from ..dtypes import dtype as _lookup
from ..errors import ShapeError
from ..expr import cast
from ..shapes import check_shape
from ..storage import whole
from .define import define_op
from .record import Aval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _infer(avals, attrs):
    return (Aval(attrs[-2], attrs[-1]),)


def _fill_kernel(k, out, value, shape, dtype):
    c = k.grid(out.shape)
    out[c] = value


def _range_kernel(k, out, start, step, shape, dtype):
    (i,) = k.grid(out.shape)
    out[(i,)] = start + cast(i, out.dtype) * step


FILL = define_op(
    "fill", infer=_infer, attrs=("value", "shape", "dtype"), kernel=_fill_kernel,
    runtime=(("value", None),), unread=("shape", "dtype"), diff=(False,),
)  # fmt: skip
RANGE = define_op(
    "range", infer=_infer, attrs=("start", "step", "shape", "dtype"),
    kernel=_range_kernel, runtime=(("start", None), ("step", None)),
    unread=("shape", "dtype"), diff=(False,),
)  # fmt: skip


def _create(op, attrs, device):
    """Run an op that has no inputs: there is no tensor to tell the device."""
    device.base().backend.check_dtype(attrs[-1])
    outs = op.infer((), attrs)
    handle = device.backend.execute(op, (), attrs, outs)[0]
    return device.tensor_class(handle, device)


def fill(shape, value, dtype, device):
    """A tensor of one value: every argument given and checked."""
    if dtype is bfloat16:
        return fill(shape, value, float32, device).astype(dtype)
    if dtype.is_float:
        value = float(value)
    elif dtype.is_complex:
        value = complex(value)
    elif dtype.is_bool:
        value = 1 if value else 0
    else:
        value = whole("full", value, dtype)
    return _create(FILL, (value, shape, dtype), device)


def _place(device):
    from ..device import device as lookup

    return lookup(device)


def full(
    shape: Sequence[int] | int,
    fill_value: complex,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return a tensor of one value. Dtype by default: that of the value.

    Example:
        >>> import fogo
        >>> fogo.full((2,), 7.0).tolist()
        [7.0, 7.0]
    """
    where = _place(device)
    ints = where.default_int
    kind = _lookup(dtype) if dtype is not None else scalar_kind(fill_value, bool_, ints)
    one = fill((1,), fill_value, kind, where)
    sizes = check_shape("full", shape)
    return one.reshape(()).expand(sizes) if sizes != (1,) else one


def _constant(name, value, shape, dtype, device):
    if len(shape) == 1:
        shape = shape[0]
    kind = DEFAULT_FLOAT if dtype is None else _lookup(dtype)
    return fill(check_shape(name, shape), value, kind, _place(device))


def zeros(
    shape: int | Sequence[int],
    *more: int,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return zeros, float32 by default. The sizes may come one by one.

    Raises: ShapeError for sizes that are no whole numbers, or negative.

    Example:
        >>> import fogo
        >>> fogo.zeros(2).tolist()
        [0.0, 0.0]
    """
    return _constant("zeros", 0, (shape,) + more, dtype, device)


def ones(
    shape: int | Sequence[int],
    *more: int,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return ones, float32 by default. The sizes may come one by one.

    Example:
        >>> import fogo
        >>> fogo.ones((2,)).tolist()
        [1.0, 1.0]
    """
    return _constant("ones", 1, (shape,) + more, dtype, device)


def empty(
    shape: int | Sequence[int],
    *more: int,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return a tensor whose values are of no account: zeros, as it happens.

    Example:
        >>> import fogo
        >>> fogo.empty((2, 3)).shape
        (2, 3)
    """
    return _constant("empty", 0, (shape,) + more, dtype, device)


def _like(x, value, dtype, device):
    kind = x.dtype if dtype is None else _lookup(dtype)
    return fill(x.shape, value, kind, x.device if device is None else _place(device))


def zeros_like(
    x: T, dtype: DType | str | None = None, device: Device | str | None = None
) -> T:
    """Return zeros of x's shape; of its dtype and on its device unless given.

    Example:
        >>> import fogo
        >>> fogo.zeros_like(fogo.ones((2,))).tolist()
        [0.0, 0.0]
    """
    return _like(x, 0, dtype, device)


def ones_like(
    x: T, dtype: DType | str | None = None, device: Device | str | None = None
) -> T:
    """Return ones of x's shape; of its dtype and on its device unless given.

    Example:
        >>> import fogo
        >>> fogo.ones_like(fogo.zeros((2,))).tolist()
        [1.0, 1.0]
    """
    return _like(x, 1, dtype, device)


def empty_like(
    x: T, dtype: DType | str | None = None, device: Device | str | None = None
) -> T:
    """Return a tensor of x's shape whose values are of no account.

    Example:
        >>> import fogo
        >>> fogo.empty_like(fogo.zeros((2, 3))).shape
        (2, 3)
    """
    return _like(x, 0, dtype, device)


def full_like(
    x: T,
    fill_value: complex,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> T:
    """Return a constant of x's shape; of its dtype and on its device unless given.

    Example:
        >>> import fogo
        >>> fogo.full_like(fogo.zeros((2,)), 7.0).tolist()
        [7.0, 7.0]
    """
    return _like(x, fill_value, dtype, device)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return start, start+step, … below stop (from 0 when only one bound is given).

    Raises: ShapeError for a step of 0.

    Example:
        >>> import fogo
        >>> fogo.arange(2, 8, 3).tolist()
        [2, 5]
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ShapeError("arange: the step must not be 0; given step=0")
    where = _place(device)
    floats = [v for v in (start, stop, step) if isinstance(v, float)]
    kind = DEFAULT_FLOAT if floats else where.default_int
    kind = kind if dtype is None else _lookup(dtype)
    if kind is bfloat16:
        return arange(start, stop, step, float32, device).astype(kind)
    count = max(-int((start - stop) // step), 0)
    if kind.is_float:
        start, step = float(start), float(step)
    else:
        start, step = _whole_range(int(start), int(step), count, kind)
    return _create(RANGE, (start, step, (count,), kind), where)


def _whole_range(start, step, count, kind):
    """Start and step in the integer dtype, where a step may wrap around."""
    if count == 0:
        return 0, 1
    whole("arange", start, kind)
    whole("arange", start + (count - 1) * step, kind)
    return start, (step - kind.min) % (1 << kind.bits) + kind.min


def linspace(
    start: complex,
    stop: complex,
    num: int,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    endpoint: bool = True,
) -> Tensor:
    """Return `num` evenly spaced values from start to stop (with it, or without).

    Dtype: float32, or complex64 if one of them is complex, unless given.
    Raises: ShapeError for a negative `num`.

    Example:
        >>> import fogo
        >>> fogo.linspace(0.0, 1.0, 3).tolist()
        [0.0, 0.5, 1.0]
    """
    where = _place(device)
    kind = scalar_kind(start + stop + 0.0, bool_, where.default_int)
    kind = kind if dtype is None else _lookup(dtype)
    if kind is bfloat16:
        return linspace(start, stop, num, float32, device, endpoint).astype(kind)
    number: Any = complex if kind.is_complex else float
    (num,) = check_shape("linspace", (num,))
    gaps = num - 1 if endpoint else num
    step = number((stop - start) / gaps if gaps > 0 else 0.0)
    start, stop = number(start), number(stop)
    if not endpoint or num < 2:
        return _create(RANGE, (start, step, (num,), kind), where)
    half = num // 2  # from both ends: so that the last is `stop` exactly
    if num == 2:
        step = number(0.0)  # which might overflow, and is not needed
    low = _create(RANGE, (start, step, (half,), kind), where)
    high = _create(RANGE, (stop, -step, (num - half,), kind), where)
    return _join(low, high)


def _join(low, high):
    from .movement import concat, flip

    return concat([low, flip(high)])


def eye(
    n_rows: int,
    n_cols: int | None = None,
    k: int = 0,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return ones on the k-th diagonal, zeros elsewhere.

    Example:
        >>> import fogo
        >>> fogo.eye(2).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    where = _place(device)
    n_rows, cols = check_shape("eye", (n_rows, n_rows if n_cols is None else n_cols))
    row = arange(n_rows, device=where).reshape((n_rows, 1))
    col = arange(cols, device=where).reshape((1, cols))
    kind = DEFAULT_FLOAT if dtype is None else _lookup(dtype)
    return (col - row == k).astype(kind)


def _triangle(name, x, k, keep):
    if x.ndim < 2:
        raise ShapeError("%s: at least two axes; given %s" % (name, list(x.shape)))
    rows, cols = x.shape[-2], x.shape[-1]
    row = arange(rows, device=x.device).reshape((rows, 1))
    col = arange(cols, device=x.device).reshape((1, cols))
    from .elementwise import where

    return where(keep(col - row, k), x, zeros_like(x, x.dtype))


def tril(x: T, k: int = 0) -> T:
    """Return x with zeros above the k-th diagonal of its last two axes.

    Example:
        >>> import fogo
        >>> fogo.tril(fogo.ones((2, 2))).tolist()
        [[1.0, 0.0], [1.0, 1.0]]
    """
    return _triangle("tril", x, k, lambda d, k: d <= k)


def triu(x: T, k: int = 0) -> T:
    """Return x with zeros below the k-th diagonal of its last two axes.

    Example:
        >>> import fogo
        >>> fogo.triu(fogo.ones((2, 2))).tolist()
        [[1.0, 1.0], [0.0, 1.0]]
    """
    return _triangle("triu", x, k, lambda d, k: d >= k)


__all__ = [
    "arange", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones",
    "ones_like", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip
NOT_METHODS = ("arange", "empty", "eye", "full", "linspace", "ones", "zeros")
