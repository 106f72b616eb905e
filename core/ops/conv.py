"""Convolutions of any rank: three ops, each of which is in the others' gradients.

With y = conv(x, w): `conv_input_grad(y', w)` and `conv_weight_grad(x, y')` are its
gradients, and all three are linear in each operand, so second derivatives are again
one of the three. `padding` travels as one pair (before, after) per axis; "after" only
sets the size of y, so it may be negative.

Each kernel comes in two forms from one body: one looks at every tap and skips those
outside the input, the serial one computes where they begin and end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..backend.policy import beside
from ..dtypes import float16, float32, promote
from ..errors import ShapeError
from ..expr import cast
from .define import Sample, define_op
from .record import Aval
from .windows import Axis, firsts, nest, output_size, positive, seconds, spread

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _axes(stride, padding, dilation, clipped):
    return [Axis(s, p, d, clipped) for s, p, d in zip(stride, padding, dilation)]


def _total(k, dtype):
    return k.cell(0, float32 if dtype is float16 else dtype)


def _forward(clipped):
    def kernel(k, x, w, out, stride, padding, dilation, groups):
        c = k.grid(out.shape)
        n, o = c[0], c[1]
        first = 0
        if groups > 1:
            first = (o // (w.shape[0] // groups)) * w.shape[1]
        acc = _total(k, x.dtype)
        spans = [
            axis.taps(at, taps, size)
            for axis, at, taps, size in zip(
                _axes(stride, padding, dilation, clipped), c[2:], w.shape[2:],
                x.shape[2:],
            )
        ]  # fmt: skip
        with k.loop(w.shape[1]) as j:

            def add(pairs):
                a = cast(x[(n, first + j) + firsts(pairs)], acc.dtype)
                b = cast(w[(o, j) + seconds(pairs)], acc.dtype)
                acc.set(acc + a * b)

            nest(k, spans, add)
        out[c] = acc

    return kernel


def _to_input(clipped):
    def kernel(k, g, w, out, size, stride, padding, dilation, groups):
        c = k.grid(out.shape)
        n, channel = c[0], c[1]
        first, j, count = 0, channel, w.shape[0]
        if groups > 1:
            count = w.shape[0] // groups
            group = channel // w.shape[1]
            first = group * count
            j = channel - group * w.shape[1]
        acc = _total(k, g.dtype)
        spans = [
            axis.sources(at, taps, outs)
            for axis, at, taps, outs in zip(
                _axes(stride, padding, dilation, clipped), c[2:], w.shape[2:],
                g.shape[2:],
            )
        ]  # fmt: skip
        with k.loop(count) as o:

            def add(pairs):
                a = cast(g[(n, first + o) + firsts(pairs)], acc.dtype)
                b = cast(w[(first + o, j) + seconds(pairs)], acc.dtype)
                acc.set(acc + a * b)

            nest(k, spans, add)
        out[c] = acc

    return kernel


def _to_weight(clipped):
    def kernel(k, x, g, out, size, stride, padding, dilation, groups):
        c = k.grid(out.shape)
        o, channel = c[0], c[1]
        if groups > 1:
            channel = channel + (o // (out.shape[0] // groups)) * out.shape[1]
        acc = _total(k, x.dtype)
        spans = [
            axis.outputs(tap, outs, size)
            for axis, tap, outs, size in zip(
                _axes(stride, padding, dilation, clipped), c[2:], g.shape[2:],
                x.shape[2:],
            )
        ]  # fmt: skip
        with k.loop(x.shape[0]) as n:

            def add(pairs):
                a = cast(x[(n, channel) + firsts(pairs)], acc.dtype)
                b = cast(g[(n, o) + seconds(pairs)], acc.dtype)
                acc.set(acc + a * b)

            nest(k, spans, add)
        out[c] = acc

    return kernel


def _conv_infer(avals, attrs):
    x, w = avals
    sizes = [
        output_size(n, k, s, p, d)
        for n, k, s, p, d in zip(x.shape[2:], w.shape[2:], attrs[0], attrs[1], attrs[2])
    ]
    return (Aval((x.shape[0], w.shape[0]) + tuple(sizes), x.dtype),)


def _input_infer(avals, attrs):
    g, w = avals
    return (Aval((g.shape[0], w.shape[1] * attrs[4]) + attrs[0], g.dtype),)


def _weight_infer(avals, attrs):
    x, g = avals
    return (Aval((g.shape[1], x.shape[1] // attrs[4]) + attrs[0], x.dtype),)


def _run(op, a, b, attrs):
    from ..dispatch import call

    return call(op, (a, b), attrs)


def _conv_grad(ctx):
    x, w = ctx.inputs
    (g,) = ctx.g
    dx = dw = None
    if ctx.needs[0]:
        dx = _run(CONV_INPUT, g, w, (x.shape[2:],) + ctx.attrs)
    if ctx.needs[1]:
        dw = _run(CONV_WEIGHT, x, g, (w.shape[2:],) + ctx.attrs)
    return dx, dw


def _input_grad(ctx):
    g, w = ctx.inputs
    (h,) = ctx.g
    dg = dw = None
    if ctx.needs[0]:
        dg = _run(CONV, h, w, ctx.attrs[1:])
    if ctx.needs[1]:
        dw = _run(CONV_WEIGHT, h, g, (w.shape[2:],) + ctx.attrs[1:])
    return dg, dw


def _weight_grad(ctx):
    x, g = ctx.inputs
    (v,) = ctx.g
    dx = dg = None
    if ctx.needs[0]:
        dx = _run(CONV_INPUT, g, v, (x.shape[2:],) + ctx.attrs[1:])
    if ctx.needs[1]:
        dg = _run(CONV, x, v, ctx.attrs[1:])
    return dx, dg


def _x(*shape):
    return (shape, -2.0, 2.0)


_OPTIONS = ("stride", "padding", "dilation", "groups")
CONV = define_op(
    "conv", infer=_conv_infer, attrs=_OPTIONS, kernel=_forward(False),
    serial=_forward(True), grad=_conv_grad, saves="i", cost="compute",
    accepts="numeric",
    samples=(
        Sample(_x(2, 3, 7), _x(4, 3, 3), _x(4)),
        Sample(_x(2, 3, 5, 6), _x(4, 3, 3, 2), _x(4), stride=2, padding=1),
        Sample(_x(1, 4, 6, 5), _x(6, 2, 3, 3), padding=(1, 0), groups=2),
        Sample(_x(2, 3, 7, 7), _x(3, 1, 3, 3), stride=(1, 2), padding=2, dilation=2,
               groups=3),
        Sample(_x(1, 2, 4, 3, 5), _x(2, 2, 2, 3, 2), padding="same"),
        Sample(_x(0, 2, 5), _x(3, 2, 2)),
        Sample(_x(2, 0, 5), _x(3, 0, 2), _x(3)),
    ),
)  # fmt: skip
CONV_INPUT = define_op(
    "conv_input_grad", infer=_input_infer, attrs=("size",) + _OPTIONS,
    kernel=_to_input(False), serial=_to_input(True), grad=_input_grad, saves="i",
    cost="compute", accepts="numeric",
    samples=(
        Sample(_x(2, 4, 5), _x(4, 3, 3), size=(7,)),
        Sample(_x(2, 4, 3, 3), _x(4, 3, 3, 2), size=(5, 4), stride=2, padding=1),
        Sample(_x(1, 3, 7, 4), _x(3, 1, 3, 3), size=(7, 7), stride=(1, 2), padding=2,
               dilation=2, groups=3),
    ),
)  # fmt: skip
CONV_WEIGHT = define_op(
    "conv_weight_grad", infer=_weight_infer, attrs=("size",) + _OPTIONS,
    kernel=_to_weight(False), serial=_to_weight(True), grad=_weight_grad, saves="i",
    cost="compute", accepts="numeric",
    samples=(
        Sample(_x(2, 3, 7), _x(2, 4, 5), size=(3,)),
        Sample(_x(2, 3, 5, 6), _x(2, 4, 3, 4), size=(3, 2), stride=2, padding=1),
        Sample(_x(1, 3, 7, 7), _x(1, 3, 7, 4), size=(3, 3), stride=(1, 2), padding=2,
               dilation=2, groups=3),
    ),
)  # fmt: skip


def _pairs(name, padding, kernel, stride, dilation):
    """(before, after) per axis from a number, a tuple, pairs, "same" or "valid"."""
    rank = len(kernel)
    if padding == "valid":
        return ((0, 0),) * rank
    if padding == "same":
        if max(stride) > 1:
            raise ShapeError(
                '%s: padding="same" needs stride 1; given stride=%s' % (name, stride)
            )
        room = [d * (k - 1) for k, d in zip(kernel, dilation)]
        return tuple([(r // 2, r - r // 2) for r in room])
    if isinstance(padding, str):
        raise ShapeError(
            '%s: padding is a number, a tuple, "same" or "valid"; given %r'
            % (name, padding)
        )
    each = spread(name, "padding", padding, rank)
    pairs = tuple([(p, p) if isinstance(p, int) else tuple(p) for p in each])
    if [p for p in pairs if min(p) < 0]:
        raise ShapeError("%s: padding is not negative; given %s" % (name, pairs))
    return pairs


def _settings(name, kernel, stride, padding, dilation, groups):
    """The attributes of the three ops, checked."""
    rank = len(kernel)
    stride = positive(name, "stride", stride, rank)
    dilation = positive(name, "dilation", dilation, rank)
    pairs = _pairs(name, padding, kernel, stride, dilation)
    if groups < 1:
        raise ShapeError("%s: groups must be positive; given %d" % (name, groups))
    return stride, pairs, dilation, groups


def _same_dtype(name, x, w):
    if x.dtype is not w.dtype:
        kind = promote(x.dtype, w.dtype, name)
        x, w = x.astype(kind), w.astype(kind)
    CONV.check(x.dtype)
    return x, w


def _with_bias(out, bias):
    if bias is None:
        return out
    bias = beside(bias, out)
    return out + bias.reshape((1, bias.size) + (1,) * (out.ndim - 2))


def _batched(name, x, rank):
    """x with a batch axis, and whether it had none."""
    if x.ndim == rank + 1:
        return x.unsqueeze(0), True
    if x.ndim != rank + 2:
        raise ShapeError(
            "%s: x is [N, C, %d spatial axes] or without N; given %s"
            % (name, rank, list(x.shape))
        )
    return x, False


def _convolve(name, rank, x, w, bias, stride, padding, dilation, groups):
    x, w = _same_dtype(name, x, w)
    x, alone = _batched(name, x, rank)
    if w.ndim != rank + 2:
        raise ShapeError(
            "%s: weight is [O, C/groups, %d spatial axes]; given %s"
            % (name, rank, list(w.shape))
        )
    attrs = _settings(name, w.shape[2:], stride, padding, dilation, groups)
    if x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
        raise ShapeError(
            "%s: x has C channels, weight is [O, C/groups, ...], groups divides both; "
            "given x=%s, weight=%s, groups=%d"
            % (name, list(x.shape), list(w.shape), groups)
        )
    if min(_conv_infer((x, w), attrs)[0].shape[2:]) < 1:
        raise ShapeError(
            "%s: the kernel must fit into the padded input; given x=%s, weight=%s, "
            "padding=%s, dilation=%s"
            % (name, list(x.shape), list(w.shape), attrs[1], attrs[2])
        )
    out = _with_bias(_run(CONV, x, w, attrs), bias)
    return out.squeeze(0) if alone else out


def conv(
    x: T,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | str = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
) -> T:
    """Return the convolution (cross-correlation) over all axes after the first two.

    Shapes: x [N, C, ...S], weight [O, C/groups, ...K], bias [O] -> [N, O, ...]. Each
    option is one number or one per axis; padding may be pairs (before, after), "same"
    (stride 1) or "valid". Raises: ShapeError naming what does not fit.

    Example:
        >>> import fogo
        >>> fogo.conv(fogo.ones(1, 1, 3), fogo.ones(1, 1, 2)).tolist()
        [[[2.0, 2.0]]]
    """
    rank = max(weight.ndim - 2, 1)
    return _convolve("conv", rank, x, weight, bias, stride, padding, dilation, groups)


def conv1d(
    x: T,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | str = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
) -> T:
    """`conv` over one axis: x [N, C, L] or [C, L], weight [O, C/groups, K].

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[[1.0, 2.0, 3.0]]]), fogo.tensor([[[1.0, 1.0]]])
        >>> fogo.conv1d(x, y).tolist()
        [[[3.0, 5.0]]]
    """
    return _convolve("conv1d", 1, x, weight, bias, stride, padding, dilation, groups)


def conv2d(
    x: T,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | str = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
) -> T:
    """`conv` over two axes: x [N, C, H, W] or [C, H, W], weight [O, C/groups, K, K].

    Example:
        >>> import fogo
        >>> x, w = fogo.ones(1, 3, 8, 8), fogo.ones(4, 3, 3, 3)
        >>> fogo.conv2d(x, w, stride=2, padding=1).shape
        (1, 4, 4, 4)
    """
    return _convolve("conv2d", 2, x, weight, bias, stride, padding, dilation, groups)


def conv3d(
    x: T,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | str = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
) -> T:
    """`conv` over three axes: x [N, C, D, H, W] or [C, D, H, W].

    Example:
        >>> import fogo
        >>> x, y = fogo.ones((1, 1, 2, 2, 2)), fogo.ones((1, 1, 2, 2, 2))
        >>> round(fogo.conv3d(x, y).item(), 4)
        8.0
    """
    return _convolve("conv3d", 3, x, weight, bias, stride, padding, dilation, groups)


def conv_input_grad(
    g: T,
    weight: Tensor,
    size: tuple[int, ...],
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | str = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
) -> T:
    """Return the gradient of `conv` by x, whose spatial sizes are `size`.

    Shapes: g [N, O, ...], weight [O, C/groups, ...K] -> [N, C, ...size].

    Example:
        >>> import fogo
        >>> x, y = fogo.ones((1, 1, 2)), fogo.ones((1, 1, 2))
        >>> fogo.conv_input_grad(x, y, (3,)).tolist()
        [[[1.0, 2.0, 1.0]]]
    """
    attrs = _settings(
        "conv_input_grad", weight.shape[2:], stride, padding, dilation, groups
    )
    return _run(CONV_INPUT, g, weight, (tuple(size),) + attrs)


def conv_weight_grad(
    x: T,
    g: Tensor,
    size: tuple[int, ...],
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | str = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
) -> T:
    """Return the gradient of `conv` by weight, whose spatial sizes are `size`.

    Shapes: x [N, C, ...S], g [N, O, ...] -> [O, C/groups, ...size].

    Example:
        >>> import fogo
        >>> x, y = fogo.ones((1, 1, 3)), fogo.ones((1, 1, 2))
        >>> fogo.conv_weight_grad(x, y, (2,)).tolist()
        [[[2.0, 2.0]]]
    """
    attrs = _settings("conv_weight_grad", size, stride, padding, dilation, groups)
    return _run(CONV_WEIGHT, x, g, (tuple(size),) + attrs)


def _transposed(name, rank, x, w, bias, stride, padding, extra, groups, dilation):
    x, w = _same_dtype(name, x, w)
    x, alone = _batched(name, x, rank)
    if w.ndim != rank + 2 or x.shape[1] != w.shape[0] or w.shape[0] % groups:
        raise ShapeError(
            "%s: x has C channels, weight is [C, O/groups, %d spatial axes], groups "
            "divides C; given x=%s, weight=%s, groups=%d"
            % (name, rank, list(x.shape), list(w.shape), groups)
        )
    stride, pairs, dilation, groups = _settings(
        name, w.shape[2:], stride, padding, dilation, groups
    )
    extra = spread(name, "output_padding", extra, rank)
    size = []
    shifted = []
    for i in range(rank):
        if not 0 <= extra[i] < max(stride[i], dilation[i]):
            raise ShapeError(
                "%s: output_padding is below stride or dilation; given %s"
                % (name, extra)
            )
        before, after = pairs[i][0], pairs[i][1] - extra[i]
        reach = dilation[i] * (w.shape[2 + i] - 1) + 1
        size.append((x.shape[2 + i] - 1) * stride[i] - before - after + reach)
        shifted.append((before, after))
    if min(size) < 1:
        raise ShapeError(
            "%s: the output must not be empty; given x=%s, weight=%s, padding=%s"
            % (name, list(x.shape), list(w.shape), pairs)
        )
    attrs = (tuple(size), stride, tuple(shifted), dilation, groups)
    out = _with_bias(_run(CONV_INPUT, x, w, attrs), bias)
    return out.squeeze(0) if alone else out


def conv_transpose1d(
    x: T,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: int = 1,
    dilation: int | tuple[int, ...] = 1,
) -> T:
    """Return the transposed convolution: x [N, C, L], weight [C, O/groups, K].

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[[1.0, 2.0]]]), fogo.tensor([[[1.0, 1.0]]])
        >>> fogo.conv_transpose1d(x, y).tolist()
        [[[1.0, 3.0, 2.0]]]
    """
    return _transposed(
        "conv_transpose1d", 1, x, weight, bias, stride, padding, output_padding,
        groups, dilation,
    )  # fmt: skip


def conv_transpose2d(
    x: T,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: int = 1,
    dilation: int | tuple[int, ...] = 1,
) -> T:
    """Return the transposed convolution: x [N, C, H, W], weight [C, O/groups, K, K].

    Sizes: (H - 1) * stride - 2 * padding + dilation * (K - 1) + 1 + output_padding.

    Example:
        >>> import fogo
        >>> x, w = fogo.ones(1, 2, 4, 4), fogo.ones(2, 3, 2, 2)
        >>> fogo.conv_transpose2d(x, w, stride=2).shape
        (1, 3, 8, 8)
    """
    return _transposed(
        "conv_transpose2d", 2, x, weight, bias, stride, padding, output_padding,
        groups, dilation,
    )  # fmt: skip


def conv_transpose3d(
    x: T,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    output_padding: int | tuple[int, ...] = 0,
    groups: int = 1,
    dilation: int | tuple[int, ...] = 1,
) -> T:
    """Return the transposed convolution: x [N, C, D, H, W], weight [C, O/groups, …].

    Example:
        >>> import fogo
        >>> x, y = fogo.ones((1, 1, 1, 1, 1)), fogo.ones((1, 2, 2, 2, 2))
        >>> fogo.conv_transpose3d(x, y).shape
        (1, 2, 2, 2, 2)
    """
    return _transposed(
        "conv_transpose3d", 3, x, weight, bias, stride, padding, output_padding,
        groups, dilation,
    )  # fmt: skip


# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "conv1d": (
        Sample(_x(2, 3, 7), _x(4, 3, 3), _x(4), padding="valid"),
        Sample(_x(3, 7), _x(4, 3, 4), padding="same", dilation=2),
    ),
    "conv2d": (
        Sample(_x(2, 3, 5, 6), _x(4, 3, 3, 3), _x(4), padding=1),
        Sample(_x(4, 5, 6), _x(4, 2, 1, 3), stride=(2, 1), groups=2),
    ),
    "conv3d": (Sample(_x(1, 2, 3, 4, 3), _x(3, 2, 2, 2, 2), _x(3), padding=1),),
    "conv_transpose1d": (
        Sample(_x(2, 4, 5), _x(4, 3, 3), _x(3), stride=2, output_padding=1),
    ),
    "conv_transpose2d": (
        Sample(_x(2, 4, 3, 4), _x(4, 3, 3, 2), _x(3), stride=(2, 3), padding=1),
        Sample(_x(4, 3, 4), _x(4, 2, 3, 2), padding=1, output_padding=1, groups=2,
               dilation=2),
    ),
    "conv_transpose3d": (Sample(_x(1, 2, 2, 3, 2), _x(2, 3, 2, 2, 2), stride=2),),
}  # fmt: skip

__all__ = [
    "conv", "conv1d", "conv2d", "conv3d", "conv_input_grad", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "conv_weight_grad",
]  # fmt: skip
NOT_METHODS = __all__
