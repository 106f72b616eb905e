"""Windows as a view, and PyTorch's `unfold` and `fold` (im2col and col2im) with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bfloat16, float16, float32
from ..errors import ShapeError
from ..expr import cast
from ..shapes import Layout, normalize_axis
from .define import Sample, define_op
from .record import Aval
from .windows import Axis, nest, output_size, positive, spread

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _call(op, tensors, attrs):
    from ..dispatch import call

    return call(op, tensors, attrs)


def _shape(shape, attrs):
    axis, size, step, dilation = attrs
    count = output_size(shape[axis], size, step, (0, 0), dilation)
    return shape[:axis] + (count,) + shape[axis + 1 :] + (size,)


def _view(layout, attrs):
    """The same elements seen through overlapping strides."""
    axis, _, step, dilation = attrs
    s = layout.strides
    strides = s[:axis] + (s[axis] * step,) + s[axis + 1 :] + (s[axis] * dilation,)
    return Layout(_shape(layout.shape, attrs), strides, layout.offset)


def _back_infer(avals, attrs):
    shape = avals[0].shape
    n, axis = attrs[0], attrs[1]
    return (Aval(shape[:axis] + (n,) + shape[axis + 1 : -1], avals[0].dtype),)


def _back_kernel(clipped):
    """Each place adds up what the windows that see it hold."""

    def kernel(k, g, out, n, axis, size, step, dilation):
        c = k.grid(out.shape)
        acc = k.cell(0, float32 if g.dtype is float16 else g.dtype)
        line = Axis(step, (0, 0), dilation, clipped)
        span = line.sources(c[axis], size, g.shape[axis])

        def add(pairs):
            ((window, tap),) = pairs
            at = c[:axis] + (window,) + c[axis + 1 :] + (tap,)
            acc.set(acc + cast(g[at], acc.dtype))

        nest(k, [span], add)
        out[c] = acc

    return kernel


def _grad(ctx):
    n = ctx.inputs[0].shape[ctx.attrs[0]]
    return (_back(ctx.g[0], (n,) + ctx.attrs),)


def _back(g, attrs):
    """The sums of what windows hold of each element."""
    if g.dtype is bfloat16:  # only stored: kernels see its bits
        return _call(BACK, (g.astype(float32),), attrs).astype(bfloat16)
    return _call(BACK, (g,), attrs)


_OPTIONS = ("axis", "size", "step", "dilation")
_X = ((2, 7, 3), -3.0, 3.0)
WINDOWS = define_op(
    "sliding_windows", attrs=_OPTIONS, view=_view, grad=_grad, saves="",
    infer=lambda avals, attrs: (Aval(_shape(avals[0].shape, attrs), avals[0].dtype),),
    samples=(
        Sample(_X, axis=1, size=3),
        Sample(_X, axis=1, size=2, step=3),
        Sample(_X, axis=-2, size=3, step=2, dilation=2),
        Sample(((0, 4), -3.0, 3.0), axis=1, size=2),
    ),
)  # fmt: skip
BACK = define_op(
    "sliding_windows_grad", infer=_back_infer, attrs=("n",) + _OPTIONS,
    kernel=_back_kernel(False), serial=_back_kernel(True), saves="",
    grad=lambda ctx: (_call(WINDOWS, (ctx.g[0],), ctx.attrs[1:]),),
)  # fmt: skip


def sliding_windows(x: T, axis: int, size: int, step: int = 1, dilation: int = 1) -> T:
    """Return every window of an axis, its elements along a new last axis. A view.

    Shapes: [..., N, ...] -> [..., W, ..., size] with W windows that begin `step` apart
    and take every `dilation`-th element. Raises: ShapeError where none fits.

    Example:
        >>> import fogo
        >>> fogo.sliding_windows(fogo.tensor([1.0, 2.0, 3.0]), 0, 2).tolist()
        [[1.0, 2.0], [2.0, 3.0]]
    """
    place = normalize_axis("sliding_windows", axis, x.ndim)
    if min(size, step, dilation) < 1 or dilation * (size - 1) >= x.shape[place]:
        raise ShapeError(
            "sliding_windows: windows of positive size and step must fit into the "
            "axis; given size=%d, step=%d, dilation=%d for size %d"
            % (size, step, dilation, x.shape[place])
        )
    return _call(WINDOWS, (x,), (place, size, step, dilation))


def _settings(name, kernel_size, dilation, padding, stride):
    kernel = positive(name, "kernel_size", kernel_size, 2)
    return (
        kernel,
        positive(name, "dilation", dilation, 2),
        spread(name, "padding", padding, 2),
        positive(name, "stride", stride, 2),
    )


def _pairs(padding, lead):
    return ((0, 0),) * lead + tuple([(p, p) for p in padding])


def unfold(
    x: T,
    kernel_size: int | tuple[int, int],
    dilation: int | tuple[int, int] = 1,
    padding: int | tuple[int, int] = 0,
    stride: int | tuple[int, int] = 1,
) -> T:
    """Return the windows of images as columns (im2col, as in PyTorch).

    Shapes: [N, C, H, W] -> [N, C * K * K, L] with L windows, row by row; or both
    without N. Raises: ShapeError for another rank, or where no window fits.

    Example:
        >>> import fogo
        >>> fogo.unfold(fogo.ones(1, 3, 4, 4), 2, stride=2).shape
        (1, 12, 4)
    """
    if x.ndim not in (3, 4):
        raise ShapeError(
            "unfold: x is [N, C, H, W] or [C, H, W]; given %s" % list(x.shape)
        )
    settings = _settings("unfold", kernel_size, dilation, padding, stride)
    if x.ndim == 3:
        return _unfolded(x.unsqueeze(0), *settings).squeeze(0)
    return _unfolded(x, *settings)


def _unfolded(x, kernel, dilation, padding, stride):
    if max(padding):
        x = x.pad(_pairs(padding, 2))
    x = sliding_windows(x, 2, kernel[0], stride[0], dilation[0])
    x = sliding_windows(x, 3, kernel[1], stride[1], dilation[1])
    n, c, rows, columns = x.shape[:4]
    columns_of = x.permute((0, 1, 4, 5, 2, 3))
    return columns_of.reshape((n, c * kernel[0] * kernel[1], rows * columns))


def fold(
    x: T,
    output_size: int | tuple[int, int],
    kernel_size: int | tuple[int, int],
    dilation: int | tuple[int, int] = 1,
    padding: int | tuple[int, int] = 0,
    stride: int | tuple[int, int] = 1,
) -> T:
    """Add columns of windows up to images (col2im): the transpose of `unfold`.

    Shapes: [N, C * K * K, L] -> [N, C, H, W] with (H, W) = output_size; or both
    without N. Raises: ShapeError where L or the number of rows does not fit.

    Example:
        >>> import fogo
        >>> fogo.fold(fogo.ones(1, 12, 4), (4, 4), 2, stride=2).shape
        (1, 3, 4, 4)
    """
    settings = _settings("fold", kernel_size, dilation, padding, stride)
    sizes = positive("fold", "output_size", output_size, 2)
    if x.ndim == 2:
        return _folded(x.unsqueeze(0), sizes, *settings).squeeze(0)
    return _folded(x, sizes, *settings)


def _folded(x, images, kernel, dilation, padding, stride):
    sizes = [n + 2 * p for n, p in zip(images, padding)]
    counts = [_count(n, k, s, d) for n, k, s, d in zip(sizes, kernel, stride, dilation)]
    area = kernel[0] * kernel[1]
    if x.ndim != 3 or x.shape[1] % area or x.shape[2] != counts[0] * counts[1]:
        raise ShapeError(
            "fold: x is [N, C * %d, %d * %d] for these windows; given %s"
            % (area, counts[0], counts[1], list(x.shape))
        )
    n, c = x.shape[0], x.shape[1] // area
    x = x.reshape((n, c) + tuple(kernel) + tuple(counts)).permute((0, 1, 4, 5, 2, 3))
    x = _back(x, (sizes[1], 3, kernel[1], stride[1], dilation[1]))
    x = _back(x, (sizes[0], 2, kernel[0], stride[0], dilation[0]))
    for i in range(2):
        x = x.narrow(2 + i, padding[i], images[i])
    return x


def _count(n, kernel, stride, dilation):
    return max(output_size(n, kernel, stride, (0, 0), dilation), 0)


# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "unfold": (
        Sample(((2, 3, 4, 5), -3.0, 3.0), kernel_size=2),
        Sample(((1, 2, 5, 6), -3.0, 3.0), kernel_size=(3, 2), dilation=2, padding=1,
               stride=(1, 2)),
        Sample(((2, 3, 4), -3.0, 3.0), kernel_size=2),
    ),
    "fold": (
        Sample(((2, 12, 12), -3.0, 3.0), output_size=(4, 5), kernel_size=2),
        Sample(((1, 12, 9), -3.0, 3.0), output_size=(5, 6), kernel_size=(3, 2),
               dilation=2, padding=1, stride=(1, 2)),
        Sample(((8, 4), -3.0, 3.0), output_size=3, kernel_size=2),
    ),
}  # fmt: skip

__all__ = ["fold", "sliding_windows", "unfold"]
NOT_METHODS = ("fold", "unfold")
