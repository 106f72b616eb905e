"""Pooling that is made of other ops: adaptive largest, power means, unpooling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..dtypes import int32
from ..errors import ShapeError
from .creation import arange
from .define import Sample
from .elementwise import abs as _abs
from .elementwise import clip, minimum, sign
from .index import put_along_axis, take, take_along_axis
from .pool import avg_pool
from .windows import positive, spread

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _size(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def _windows(x, axis, outs):
    """Windows of an axis, [..., outs, K, ...], and where each begins: [outs, 1].

    The last element of a shorter window is repeated: the first largest stays.
    """
    n = x.shape[axis]
    width = max([-(-(j + 1) * n // outs) - j * n // outs for j in range(outs)])
    j = arange(outs, dtype=int32, device=x.device.base()).unsqueeze(1)
    first = j * n // outs
    last = ((j + 1) * n + (outs - 1)) // outs - 1
    taps = arange(width, dtype=int32, device=x.device.base())
    return take(x, minimum(first + taps, last), axis), first


def _flat_places(x, sizes):
    """The places of the largest, numbered row by row in a plane; no history."""
    x, places, stride = x.detach(), None, 1
    for axis in range(x.ndim - 1, x.ndim - len(sizes) - 1, -1):
        n, outs = x.shape[axis], sizes[axis - x.ndim]
        windows, first = _windows(x, axis, outs)
        best = windows.argmax(axis + 1, True)
        x = take_along_axis(windows, best, axis + 1).squeeze(axis + 1)
        first = first.reshape((outs,) + (1,) * (x.ndim - axis - 1))
        spots = minimum(best.squeeze(axis + 1).astype(int32) + first, n - 1)
        rows = spots * stride
        places = rows if places is None else take_along_axis(places, spots, axis) + rows
        stride *= n
    return places


def _adaptive(name, rank, x, output_size):
    sizes = (output_size,) * rank if isinstance(output_size, int) else output_size
    if len(sizes) != rank or x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(
            "%s: one output size per pooled axis; given %s for x=%s"
            % (name, tuple(sizes), list(x.shape))
        )
    planes = x.shape[x.ndim - rank :]
    sizes = tuple([n if m is None else m for n, m in zip(planes, sizes)])
    if min(sizes + planes) < 1:
        raise ShapeError(
            "%s: sizes must be positive; given %s for x=%s"
            % (name, sizes, list(x.shape))
        )
    places = _flat_places(x, sizes)
    lead = x.shape[: x.ndim - rank]
    flat = x.reshape(lead + (_size(planes),))
    index = places.reshape(lead + (_size(sizes),))
    values = take_along_axis(flat, index, -1).reshape(lead + sizes)
    return values, places.astype(x.device.default_int)


def adaptive_max_pool(x: T, output_size: tuple[int | None, ...]) -> tuple[T, T]:
    """Return the largest of windows chosen so that the last axes get `output_size`.

    Window j of O over n places is [floor(j*n/O), ceil((j+1)*n/O)); None keeps an axis.
    The second result numbers the places in a plane, row by row. The gradient goes to
    the first of equals. Shapes: x [N, C, ...S] or [C, ...S]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, 5.0, 3.0]])
        >>> values, places = fogo.adaptive_max_pool(x, (2,))
        >>> values.tolist(), places.tolist()
        ([[5.0, 5.0]], [[1, 1]])
    """
    return _adaptive("adaptive_max_pool", len(output_size), x, output_size)


def _with_places(found, return_indices):
    return found if return_indices else found[0]


def adaptive_max_pool1d(
    x: T, output_size: int | tuple[int | None, ...], return_indices: bool = False
) -> Any:
    """`adaptive_max_pool` over the last axis; places too if `return_indices`.

    Example:
        >>> import fogo
        >>> fogo.adaptive_max_pool1d(fogo.tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).tolist()
        [[[3.0, 7.0]]]
    """
    found = _adaptive("adaptive_max_pool1d", 1, x, output_size)
    return _with_places(found, return_indices)


def adaptive_max_pool2d(
    x: T, output_size: int | tuple[int | None, ...], return_indices: bool = False
) -> Any:
    """`adaptive_max_pool` over the last two axes; a number stands for both.

    Example:
        >>> import fogo
        >>> fogo.adaptive_max_pool2d(fogo.ones(1, 3, 7, 6), (2, None)).shape
        (1, 3, 2, 6)
    """
    found = _adaptive("adaptive_max_pool2d", 2, x, output_size)
    return _with_places(found, return_indices)


def adaptive_max_pool3d(
    x: T, output_size: int | tuple[int | None, ...], return_indices: bool = False
) -> Any:
    """`adaptive_max_pool` over the last three axes; a number stands for all.

    Example:
        >>> import fogo
        >>> fogo.adaptive_max_pool3d(fogo.ones((1, 1, 4, 4, 4)), 2).shape
        (1, 1, 2, 2, 2)
    """
    found = _adaptive("adaptive_max_pool3d", 3, x, output_size)
    return _with_places(found, return_indices)


def _lp_pool(name, rank, x, norm_type, kernel_size, stride, ceil_mode):
    kernel = positive(name, "kernel_size", kernel_size, rank)
    sums = avg_pool(x**norm_type, kernel, stride, 0, ceil_mode) * float(_size(kernel))
    # PyTorch takes the root of what is positive: odd powers keep no sign.
    return clip(_abs(sums) * sign(sums), 0.0, None) ** (1.0 / norm_type)


def lp_pool1d(
    x: T,
    norm_type: float,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> T:
    """Return `sum(x ** p) ** (1 / p)` of each window of [N, C, L], p = norm_type.

    Example:
        >>> import fogo
        >>> fogo.lp_pool1d(fogo.tensor([[3.0, 4.0]]), 2.0, 2).tolist()
        [[5.0]]
    """
    return _lp_pool("lp_pool1d", 1, x, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    x: T,
    norm_type: float,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> T:
    """Return `sum(x ** p) ** (1 / p)` of each window of [N, C, H, W].

    Example:
        >>> import fogo
        >>> fogo.lp_pool2d(fogo.ones((1, 1, 2, 2)), 2, 2).tolist()
        [[[[2.0]]]]
    """
    return _lp_pool("lp_pool2d", 2, x, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    x: T,
    norm_type: float,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> T:
    """Return `sum(x ** p) ** (1 / p)` of each window of [N, C, D, H, W].

    Example:
        >>> import fogo
        >>> fogo.lp_pool3d(fogo.ones((1, 1, 4, 4, 4)), 2, 2).shape
        (1, 1, 2, 2, 2)
    """
    return _lp_pool("lp_pool3d", 3, x, norm_type, kernel_size, stride, ceil_mode)


def _unpool(name, rank, x, indices, kernel_size, stride, padding, output_size):
    kernel = positive(name, "kernel_size", kernel_size, rank)
    step = kernel if stride is None else positive(name, "stride", stride, rank)
    pads = spread(name, "padding", padding, rank)
    if x.ndim not in (rank + 1, rank + 2) or indices.shape != x.shape:
        raise ShapeError(
            "%s: x is [N, C, %d spatial axes] or without N, indices alike; given x=%s, "
            "indices=%s" % (name, rank, list(x.shape), list(indices.shape))
        )
    lead, planes = x.shape[: x.ndim - rank], x.shape[x.ndim - rank :]
    sizes = tuple(
        [(n - 1) * s - 2 * p + k for n, k, s, p in zip(planes, kernel, step, pads)]
    )
    if output_size is not None:
        given = tuple(output_size)[len(output_size) - rank :]
        for want, usual, s in zip(given, sizes, step):
            if not usual - s < want < usual + s:
                raise ShapeError(
                    "%s: output_size is within a stride of %s; given %s"
                    % (name, sizes, given)
                )
        sizes = given
    blank = x.device.constant(0, x.dtype).expand(lead + (_size(sizes),))
    index = indices.reshape(lead + (_size(planes),))
    out = put_along_axis(blank, index, x.reshape(lead + (_size(planes),)), -1)
    return out.reshape(lead + sizes)


def max_unpool1d(
    x: T,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: tuple[int, ...] | None = None,
) -> T:
    """Put what `max_pool` found back where it was: [N, C, L'] -> [N, C, L], else 0.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, 3.0, 2.0, 0.0]])
        >>> values, places = fogo.max_pool(x, (2,))
        >>> fogo.max_unpool1d(values, places, 2).tolist()
        [[0.0, 3.0, 2.0, 0.0]]
    """
    return _unpool(
        "max_unpool1d", 1, x, indices, kernel_size, stride, padding, output_size
    )


def max_unpool2d(
    x: T,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: tuple[int, ...] | None = None,
) -> T:
    """Put what `max_pool` found in [N, C, H, W] back where it was, 0 elsewhere.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[[[5.0]]]]), fogo.tensor([[[[3]]]])
        >>> fogo.max_unpool2d(x, y, 2).tolist()
        [[[[0.0, 0.0], [0.0, 5.0]]]]
    """
    return _unpool(
        "max_unpool2d", 2, x, indices, kernel_size, stride, padding, output_size
    )


def max_unpool3d(
    x: T,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: tuple[int, ...] | None = None,
) -> T:
    """Put what `max_pool` found in [N, C, D, H, W] back where it was, 0 elsewhere.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[[[[5.0]]]]]), fogo.tensor([[[[[7]]]]])
        >>> fogo.max_unpool3d(x, y, 2).shape
        (1, 1, 2, 2, 2)
    """
    return _unpool(
        "max_unpool3d", 3, x, indices, kernel_size, stride, padding, output_size
    )


def _x(*shape):
    return (shape, -3.0, 3.0)


def _near(*shape):
    return (shape, 0.5, 2.0)


SAMPLES = {
    "adaptive_max_pool": (Sample(_x(2, 3, 7), output_size=(3,)),),
    "adaptive_max_pool1d": (Sample(_x(2, 3, 8), output_size=4),),
    "adaptive_max_pool2d": (
        Sample(_x(2, 3, 7, 6), output_size=1),
        Sample(_x(3, 7, 6), output_size=(5, None)),
    ),
    "adaptive_max_pool3d": (Sample(_x(1, 2, 4, 3, 5), output_size=(2, None, 3)),),
    "lp_pool1d": (Sample(_near(2, 3, 7), norm_type=3.0, kernel_size=3, stride=2),),
    "lp_pool2d": (Sample(_near(1, 2, 5, 6), norm_type=2.0, kernel_size=(2, 3)),),
    "lp_pool3d": (Sample(_near(1, 2, 4, 3, 5), norm_type=2.0, kernel_size=2),),
    # One element a plane: where two places are one, PyTorch's gradient goes to both.
    "max_unpool1d": (Sample(_x(2, 3, 1), ((2, 3, 1), 0, 1, "int32"), kernel_size=2),),
    "max_unpool2d": (
        Sample(_x(2, 1, 1), ((2, 1, 1), 0, 5, "int32"), kernel_size=2,
               output_size=(2, 3)),
    ),
    "max_unpool3d": (
        Sample(_x(1, 2, 1, 1, 1), ((1, 2, 1, 1, 1), 0, 7, "int32"), kernel_size=2),
    ),
}  # fmt: skip

__all__ = [
    "adaptive_max_pool", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d", "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_unpool1d",
    "max_unpool2d", "max_unpool3d",
]  # fmt: skip
NOT_METHODS = __all__
