"""Deformable convolution: every tap of the kernel reads where its offset says.

Dai et al., "Deformable convolutional networks", ICCV 2017; with a mask, Zhu et al.,
"Deformable ConvNets v2", CVPR 2019. The taps are gathered as in `grid_sample`, the
rest is a product of matrices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import float16, float32
from ..errors import DTypeError, ShapeError
from .creation import arange
from .define import Sample
from .grid import combine, gathered, linear_taps
from .matmul import matmul
from .windows import output_size, positive, spread

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _check(x, offset, weight, mask, outs):
    taps = weight.shape[2] * weight.shape[3] if weight.ndim == 4 else 0
    if x.ndim != 4 or not taps or x.shape[1] % weight.shape[1]:
        raise ShapeError(
            "deform_conv2d: x is [N, C, H, W] and weight [O, C/groups, K, K]; given "
            "x=%s, weight=%s" % (list(x.shape), list(weight.shape))
        )
    lead = (x.shape[0],)
    sets = offset.shape[1] // (2 * taps) if offset.ndim == 4 else 0
    groups = x.shape[1] // weight.shape[1]
    fits = sets > 0 and offset.shape == lead + (2 * sets * taps,) + outs
    if not fits or x.shape[1] % sets or weight.shape[0] % groups:
        raise ShapeError(
            "deform_conv2d: offset is [N, 2 * G * K * K, H', W'] with G and groups "
            "dividing the channels; given offset=%s for H', W' = %s and weight=%s"
            % (list(offset.shape), outs, list(weight.shape))
        )
    if mask is not None and mask.shape != lead + (sets * taps,) + outs:
        raise ShapeError(
            "deform_conv2d: mask is [N, G * K * K, H', W'] for an offset of G sets; "
            "given mask=%s, offset=%s" % (list(mask.shape), list(offset.shape))
        )
    return groups, sets


def _origins(taps, outs, stride, padding, dilation, like):
    """Where a tap reads without offset, [K, L']: along one axis."""
    where_at = arange(outs, dtype=like.dtype, device=like.device.base())
    tap = arange(taps, dtype=like.dtype, device=like.device.base())
    start = where_at * float(stride) - float(padding)
    return tap.unsqueeze(1) * float(dilation) + start.unsqueeze(0)


def _columns(x, offset, mask, sets, kernel, outs, stride, padding, dilation):
    """What the taps read: [N, C, K * K, H' * W']."""
    n, c = x.shape[:2]
    (kh, kw), (oh, ow) = kernel, outs
    rows = _origins(kh, oh, stride[0], padding[0], dilation[0], x)
    columns = _origins(kw, ow, stride[1], padding[1], dilation[1], x)
    shifts = offset.reshape((n * sets, kh, kw, 2, oh, ow))
    y = shifts.narrow(3, 0, 1).squeeze(3) + rows.reshape((1, kh, 1, oh, 1))
    z = shifts.narrow(3, 1, 1).squeeze(3) + columns.reshape((1, 1, kw, 1, ow))
    places = kh * kw * oh * ow
    taps = [linear_taps(v.reshape((n * sets, places))) for v in (y, z)]
    flat, weight = combine(taps, x.shape[2:])
    grouped = x.reshape((n * sets, c // sets, x.shape[2] * x.shape[3]))
    found = gathered(grouped, flat, weight)
    if mask is not None:
        found = found * mask.reshape((n * sets, 1, places))
    return found.reshape((n, c, kh * kw, oh * ow))


def deform_conv2d(
    x: T,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    mask: Tensor | None = None,
) -> T:
    """Return a convolution whose taps are moved by offsets and weighed by a mask.

    Shapes: x [N, C, H, W], weight [O, C/groups, K, K], offset [N, 2 * G * K * K, H',
    W'] of (row, column) for each of G sets of channels and tap, mask [N, G * K * K,
    H', W'], bias [O] -> [N, O, H', W']. torchvision's name and layouts; all operands
    get gradients. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> x, w = fogo.ones(1, 1, 3, 3), fogo.ones(1, 1, 2, 2)
        >>> fogo.deform_conv2d(x, fogo.zeros(1, 8, 2, 2), w).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    kind = x.dtype
    for t in (x, offset, weight):
        if not t.dtype.is_float:
            raise DTypeError(
                "deform_conv2d: x, offset and weight hold floats; given %s; cast it "
                "with .astype(...)" % t.dtype.name
            )
    settings = (
        positive("deform_conv2d", "stride", stride, 2),
        spread("deform_conv2d", "padding", padding, 2),
        positive("deform_conv2d", "dilation", dilation, 2),
    )
    wide = float32 if kind is float16 else kind
    given = [t if t is None else t.astype(wide) for t in (x, offset, weight, mask)]
    out = _deformed(given, settings)
    if bias is not None:
        out = out + bias.astype(wide).reshape((1, bias.size, 1, 1))
    return out.astype(kind)


def _deformed(given, settings):
    x, offset, weight, mask = given
    stride, padding, dilation = settings
    kernel = weight.shape[2:]
    outs = tuple(
        [output_size(n, k, s, (p, p), d)
         for n, k, s, p, d in zip(x.shape[2:], kernel, stride, padding, dilation)]
    )  # fmt: skip
    groups, sets = _check(x, offset, weight, mask, outs)
    found = _columns(x, offset, mask, sets, kernel, outs, stride, padding, dilation)
    n, c, taps, places = found.shape
    found = found.reshape((n, groups, c // groups * taps, places))
    filters = weight.reshape((groups, weight.shape[0] // groups, c // groups * taps))
    return matmul(filters, found).reshape((n, weight.shape[0]) + outs)


def _x(*shape):
    return (shape, -2.0, 2.0)


SAMPLES = {
    "deform_conv2d": (
        Sample(_x(2, 2, 4, 4), _x(2, 8, 3, 3), _x(3, 2, 2, 2), _x(3)),
        Sample(_x(1, 4, 5, 4), _x(1, 16, 3, 3), _x(2, 2, 2, 2), stride=(2, 1),
               padding=(1, 0)),
        Sample(_x(1, 2, 5, 5), _x(1, 12, 3, 5), _x(2, 2, 3, 2), dilation=(1, 2),
               padding=1, stride=(2, 1)),
    ),
}  # fmt: skip

__all__ = ["deform_conv2d"]
NOT_METHODS = __all__
