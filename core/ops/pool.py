"""Pooling over any number of axes: the largest of each window, or its mean.

The functions without a number in their name take the rank from `kernel_size`. x is
[N, C, ...S] or [C, ...S]: all axes before the pooled ones are treated alike. In the
ops, padding travels as pairs (before, after), where "after" is as far as the last
window reaches beyond the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ShapeError
from .creation import arange
from .define import Sample
from .pool_ops import AVG_POOL, MAX_POOL, _call, _x
from .windows import positive, spread

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _settings(name, x, rank, kernel, stride, padding, dilation, ceil_mode):
    """(kernel, stride, padding pairs, dilation) as the ops take them, checked."""
    kernel = positive(name, "kernel_size", kernel, rank)
    stride = kernel if stride is None else positive(name, "stride", stride, rank)
    padding = spread(name, "padding", padding, rank)
    dilation = positive(name, "dilation", dilation, rank)
    if x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(
            "%s: x is [N, C, %d spatial axes] or without N; given %s"
            % (name, rank, list(x.shape))
        )
    pairs = []
    for n, k, s, p, d in zip(x.shape[-rank:], kernel, stride, padding, dilation):
        reach = d * (k - 1) + 1
        if not 0 <= 2 * p <= reach:
            raise ShapeError(
                "%s: padding is at most half the kernel; given padding=%s, "
                "kernel_size=%s" % (name, padding, kernel)
            )
        outs = _outputs(n, s, p, reach, ceil_mode)
        if outs < 1:
            raise ShapeError(
                "%s: the window must fit into the padded input; given x=%s, "
                "kernel_size=%s, padding=%s" % (name, list(x.shape), kernel, padding)
            )
        pairs.append((p, (outs - 1) * s - p + reach - n))
    return kernel, stride, tuple(pairs), dilation


def _outputs(n, stride, padding, reach, ceil_mode):
    """Number of windows; with ceil_mode the last may end, but not begin, outside."""
    room = n + 2 * padding - reach
    if not ceil_mode or room < 0:
        return room // stride + 1
    outs = (room + stride - 1) // stride + 1
    return outs - 1 if (outs - 1) * stride >= n + padding else outs


def _max_pool(name, rank, x, kernel, stride, padding, dilation, ceil_mode):
    MAX_POOL.check(x.dtype)
    attrs = _settings(name, x, rank, kernel, stride, padding, dilation, ceil_mode)
    return _call(MAX_POOL, (x,), attrs + (x.device.default_int,))


def _avg_pool(name, rank, x, kernel, stride, padding, ceil_mode, include, override):
    AVG_POOL.check(x.dtype)
    attrs = _settings(name, x, rank, kernel, stride, padding, 1, ceil_mode)
    divisor = -1 if include else 0
    over = max([a - p for (p, a) in attrs[2]])  # beyond the padding: by ceil_mode
    if override is not None:
        if override < 1:
            raise ShapeError(
                "%s: divisor_override must be positive; given %s" % (name, override)
            )
        divisor = override
    elif over <= 0 and (include or max([p for p, _ in attrs[2]]) == 0):
        divisor = _product(attrs[0])
    return _call(AVG_POOL, (x,), attrs + (divisor,))


def _product(numbers):
    n = 1
    for d in numbers:
        n *= d
    return n


def _rank(x, kernel_size):
    return max(x.ndim - 2, 1) if isinstance(kernel_size, int) else len(kernel_size)


def max_pool(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
) -> tuple[T, T]:
    """Return the largest element of each window, and its place.

    Shapes: x [N, C, ...S] or [C, ...S] with one axis for each number in `kernel_size`.
    Places number the elements of a plane [...S] row by row; padding never wins; a nan
    always does. The stride is the kernel's size by default. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> values, places = fogo.max_pool(fogo.tensor([[1.0, 3.0, 2.0, 0.0]]), (2,))
        >>> values.tolist(), places.tolist()
        ([[3.0, 2.0]], [[1, 2]])
    """
    rank = _rank(x, kernel_size)
    return _max_pool(
        "max_pool", rank, x, kernel_size, stride, padding, dilation, ceil_mode
    )


def max_pool1d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest of each window of [N, C, L]; `return_indices`: places too.

    Example:
        >>> import fogo
        >>> fogo.max_pool1d(fogo.tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).tolist()
        [[[3.0, 7.0]]]
    """
    found = _max_pool(
        "max_pool1d", 1, x, kernel_size, stride, padding, dilation, ceil_mode
    )
    return found if return_indices else found[0]


def max_pool2d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest of each window of [N, C, H, W]; `return_indices`: places too.

    Example:
        >>> import fogo
        >>> fogo.max_pool2d(fogo.ones(1, 1, 4, 4), 2).shape
        (1, 1, 2, 2)
    """
    found = _max_pool(
        "max_pool2d", 2, x, kernel_size, stride, padding, dilation, ceil_mode
    )
    return found if return_indices else found[0]


def max_pool3d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element of each window of [N, C, D, H, W].

    Example:
        >>> import fogo
        >>> fogo.max_pool3d(fogo.ones((1, 1, 4, 4, 4)), 2).shape
        (1, 1, 2, 2, 2)
    """
    found = _max_pool(
        "max_pool3d", 3, x, kernel_size, stride, padding, dilation, ceil_mode
    )
    return found if return_indices else found[0]


def avg_pool(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T:
    """Return the mean of each window; padding counts as zeros, or not at all.

    Shapes: x [N, C, ...S] or [C, ...S] with one axis for each number in `kernel_size`.
    `divisor_override` divides the sums instead of the number of elements. The stride
    is the kernel's size by default. Raises: ShapeError, DTypeError (floats only).

    Example:
        >>> import fogo
        >>> fogo.avg_pool(fogo.tensor([[1.0, 3.0, 2.0, 0.0]]), (2,)).tolist()
        [[2.0, 1.0]]
    """
    return _avg_pool(
        "avg_pool", _rank(x, kernel_size), x, kernel_size, stride, padding, ceil_mode,
        count_include_pad, divisor_override,
    )  # fmt: skip


def avg_pool1d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> T:
    """Return the mean of each window of [N, C, L]; see `avg_pool`.

    Example:
        >>> import fogo
        >>> fogo.avg_pool1d(fogo.tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).tolist()
        [[[2.0, 6.0]]]
    """
    return _avg_pool(
        "avg_pool1d", 1, x, kernel_size, stride, padding, ceil_mode, count_include_pad,
        None,
    )  # fmt: skip


def avg_pool2d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T:
    """Return the mean of each window of [N, C, H, W]; see `avg_pool`.

    Example:
        >>> import fogo
        >>> fogo.avg_pool2d(fogo.ones((1, 1, 4, 4)), 2).tolist()
        [[[[1.0, 1.0], [1.0, 1.0]]]]
    """
    return _avg_pool(
        "avg_pool2d", 2, x, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override,
    )  # fmt: skip


def avg_pool3d(
    x: T,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> T:
    """Return the mean of each window of [N, C, D, H, W]; see `avg_pool`.

    Example:
        >>> import fogo
        >>> fogo.avg_pool3d(fogo.ones((1, 1, 4, 4, 4)), 2).shape
        (1, 1, 2, 2, 2)
    """
    return _avg_pool(
        "avg_pool3d", 3, x, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override,
    )  # fmt: skip


def _shares(n, outs, like):
    """A matrix [n, outs]: output j is the mean of places j*n//outs … up to the next."""
    at = arange(n, device=like.device).reshape((n, 1))
    j = arange(outs, device=like.device).reshape((1, outs))
    first = j * n // outs
    last = ((j + 1) * n + (outs - 1)) // outs
    inside = ((at >= first) & (at < last)).astype(like.dtype)
    return inside / (last - first).astype(like.dtype)


def _adaptive(name, rank, x, output_size):
    AVG_POOL.check(x.dtype)
    if isinstance(output_size, int):
        output_size = (output_size,) * rank
    if len(output_size) != rank or x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(
            "%s: one output size per pooled axis; given %s for x=%s"
            % (name, tuple(output_size), list(x.shape))
        )
    for i, outs in enumerate(output_size):
        axis = x.ndim - rank + i
        n = x.shape[axis]
        if outs is None or outs == n:
            continue
        if outs < 1 or n < 1:
            raise ShapeError(
                "%s: sizes must be positive; given %s for x=%s"
                % (name, tuple(output_size), list(x.shape))
            )
        if n % outs == 0:
            cut = x.shape[:axis] + (outs, n // outs) + x.shape[axis + 1 :]
            x = x.reshape(cut).mean(axis + 1)
        else:
            x = x.moveaxis(axis, -1).matmul(_shares(n, outs, x)).moveaxis(-1, axis)
    return x


def adaptive_avg_pool(x: T, output_size: tuple[int | None, ...]) -> T:
    """Return means over windows chosen so that the last axes get `output_size`.

    Window j of O over n places is [floor(j*n/O), ceil((j+1)*n/O)); None keeps an axis.
    Shapes: x [N, C, ...S] or [C, ...S], one axis per output size.

    Example:
        >>> import fogo
        >>> fogo.adaptive_avg_pool(fogo.tensor([[1.0, 3.0, 5.0]]), (2,)).tolist()
        [[2.0, 4.0]]
    """
    return _adaptive("adaptive_avg_pool", len(output_size), x, output_size)


def adaptive_avg_pool1d(x: T, output_size: int | tuple[int | None, ...]) -> T:
    """`adaptive_avg_pool` over the last axis.

    Example:
        >>> import fogo
        >>> fogo.adaptive_avg_pool1d(fogo.tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).tolist()
        [[[2.0, 6.0]]]
    """
    return _adaptive("adaptive_avg_pool1d", 1, x, output_size)


def adaptive_avg_pool2d(x: T, output_size: int | tuple[int | None, ...]) -> T:
    """`adaptive_avg_pool` over the last two axes; a number stands for both.

    Example:
        >>> import fogo
        >>> fogo.adaptive_avg_pool2d(fogo.ones((1, 1, 4, 4)), 2).tolist()
        [[[[1.0, 1.0], [1.0, 1.0]]]]
    """
    return _adaptive("adaptive_avg_pool2d", 2, x, output_size)


def adaptive_avg_pool3d(x: T, output_size: int | tuple[int | None, ...]) -> T:
    """`adaptive_avg_pool` over the last three axes; a number stands for all.

    Example:
        >>> import fogo
        >>> fogo.adaptive_avg_pool3d(fogo.ones((1, 1, 4, 4, 4)), 2).shape
        (1, 1, 2, 2, 2)
    """
    return _adaptive("adaptive_avg_pool3d", 3, x, output_size)


def _planes(name, x):
    if x.ndim < 3:
        raise ShapeError(
            "%s: x is [N, C, ...]; given %s" % (name, list(x.shape))
        )  # fmt: skip
    return tuple(range(2, x.ndim))


def global_avg_pool(x: T) -> T:
    """Return the mean of each plane: [N, C, ...S] -> [N, C, 1, …].

    Example:
        >>> import fogo
        >>> fogo.global_avg_pool(fogo.tensor([[[1.0, 3.0]]])).tolist()
        [[[2.0]]]
    """
    return x.mean(_planes("global_avg_pool", x), True)


def global_max_pool(x: T) -> T:
    """Return the largest element of each plane: [N, C, ...S] -> [N, C, 1, …].

    Example:
        >>> import fogo
        >>> fogo.global_max_pool(fogo.tensor([[[1.0, 3.0]]])).tolist()
        [[[3.0]]]
    """
    return x.max(_planes("global_max_pool", x), True)


# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "max_pool1d": (Sample(_x(2, 3, 7), kernel_size=3, stride=2, padding=1),),
    "max_pool2d": (
        Sample(_x(2, 3, 6, 6), kernel_size=2),
        Sample(_x(3, 5, 7), kernel_size=3, stride=2, padding=1, ceil_mode=True),
    ),
    "max_pool3d": (Sample(_x(1, 2, 4, 3, 5), kernel_size=2, stride=1),),
    "avg_pool1d": (Sample(_x(2, 3, 7), kernel_size=3, stride=2, padding=1),),
    "avg_pool2d": (
        Sample(_x(2, 3, 6, 6), kernel_size=2),
        Sample(_x(3, 5, 7), kernel_size=3, stride=2, padding=1, ceil_mode=True,
               count_include_pad=False),
    ),
    "avg_pool3d": (Sample(_x(1, 2, 4, 3, 5), kernel_size=2, stride=1),),
    "adaptive_avg_pool": (Sample(_x(2, 3, 7), output_size=(3,)),),
    "adaptive_avg_pool1d": (Sample(_x(2, 3, 8), output_size=4),),
    "adaptive_avg_pool2d": (
        Sample(_x(2, 3, 7, 6), output_size=1),
        Sample(_x(3, 7, 6), output_size=(5, 3)),
    ),
    "adaptive_avg_pool3d": (Sample(_x(1, 2, 4, 3, 5), output_size=(2, None, 3)),),
    "global_avg_pool": (Sample(_x(2, 3, 4, 5)),),
    "global_max_pool": (Sample(_x(2, 3, 4, 5)),),
}  # fmt: skip

__all__ = [
    "adaptive_avg_pool", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "adaptive_avg_pool3d", "avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "global_avg_pool", "global_max_pool", "max_pool", "max_pool1d", "max_pool2d",
    "max_pool3d",
]  # fmt: skip
NOT_METHODS = __all__
