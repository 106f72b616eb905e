"""Rows of test_errors.py: sampling, resampling, pooling, alignments, noise."""

import fogo

Shape, DType, Autodiff = fogo.ShapeError, fogo.DTypeError, fogo.AutodiffError


def ones(d, *shape):
    return fogo.ones(shape, device=d)


def ints(d, *shape):
    return fogo.zeros(shape, dtype="int32", device=d)


def ctc(d, logs=(3, 1, 2), targets=(1, 1), **options):
    x = fogo.log_softmax(ones(d, *logs))
    return fogo.ctc_loss(x, ints(d, *targets), [3], [1], **options)


def rnnt(d, logits=(1, 2, 2, 3), targets=(1, 1), **options):
    return fogo.rnnt_loss(ones(d, *logits), ints(d, *targets), [2], [1], **options)


def twice(d):
    """The gradient of a gradient of ctc_loss."""
    dev = d.autodiff().autodiff()
    x = fogo.log_softmax(ones(d, 3, 1, 2)).to(dev).requires_grad_()
    inner = fogo.ctc_loss(x, ints(d, 1, 1), [3], [1]).backward()[x]
    return (inner * inner).sum().backward()


def resize(d, shape=(1, 1, 4), **options):
    return fogo.interpolate(ones(d, *shape), **options)


def deform(d, offset=(1, 8, 2, 2), mask=None, x=(1, 1, 3, 3)):
    mask = None if mask is None else ones(d, *mask)
    return fogo.deform_conv2d(
        ones(d, *x), ones(d, *offset), ones(d, 1, 1, 2, 2), mask=mask
    )


FUNCTIONAL = (
    (DType, ("ctc_loss: log_probs holds floats", "float32 and float32"),
     lambda d: fogo.ctc_loss(ones(d, 3, 1, 2), ones(d, 1, 1), [3], [1])),
    (Shape, ("ctc_loss: log_probs is [T, N, C]", "log_probs=[3]"),
     lambda d: ctc(d, logs=(3,))),
    (Shape, ("ctc_loss: there are frames", "blank=5"), lambda d: ctc(d, blank=5)),
    (Shape, ("ctc_loss: one row of targets", "targets=[2, 1] for N=1"),
     lambda d: ctc(d, targets=(2, 1))),
    (Shape, ("ctc_loss: lengths are 2 integers", "[1]"),
     lambda d: ctc(d, logs=(3, 2, 2), targets=(2, 1))),
    (Shape, ("ctc_loss: reduction is", "'max'"), lambda d: ctc(d, reduction="max")),
    (Autodiff, ("ctc_loss: it has a first derivative only",), twice),
    (DType, ("rnnt_loss: logits holds floats", "float32 and float32"),
     lambda d: fogo.rnnt_loss(ones(d, 1, 2, 2, 3), ones(d, 1, 1), [2], [1])),
    (Shape, ("rnnt_loss: logits is [N, T, U + 1, C]", "targets=[1, 2]"),
     lambda d: rnnt(d, targets=(1, 2))),
    (Shape, ("rnnt_loss: blank is one of the 3", "3"), lambda d: rnnt(d, blank=3)),
    (Shape, ("pixel_shuffle: x is [..., C * 2 * 2, H, W]", "[3, 2, 2]"),
     lambda d: fogo.pixel_shuffle(ones(d, 3, 2, 2), 2)),
    (Shape, ("pixel_unshuffle: x is", "[3, 3, 2]"),
     lambda d: fogo.pixel_unshuffle(ones(d, 3, 3, 2), 2)),
    (Shape, ("channel_shuffle: x is [N, C, ...S]", "2 for x=[1, 3, 1]"),
     lambda d: fogo.channel_shuffle(ones(d, 1, 3, 1), 2)),
    (Shape, ("adaptive_max_pool1d: one output size", "(2, 2)"),
     lambda d: fogo.adaptive_max_pool1d(ones(d, 1, 1, 4), (2, 2))),
    (Shape, ("adaptive_max_pool1d: sizes must be positive", "(0,)"),
     lambda d: fogo.adaptive_max_pool1d(ones(d, 1, 1, 4), 0)),
    (Shape, ("max_unpool1d: x is [N, C, 1 spatial axes]", "indices=[1, 1, 3]"),
     lambda d: fogo.max_unpool1d(ones(d, 1, 1, 2), ints(d, 1, 1, 3), 2)),
    (Shape, ("max_unpool1d: output_size is within a stride of (4,)", "(9,)"),
     lambda d: fogo.max_unpool1d(ones(d, 1, 1, 2), ints(d, 1, 1, 2), 2,
                                 output_size=(9,))),
    (Shape, ("interpolate: x is [N, C, ...S]", "[4, 4]"),
     lambda d: resize(d, (4, 4), size=2)),
    (Shape, ("interpolate: mode is one of nearest", "'bilinear'"),
     lambda d: resize(d, size=2, mode="bilinear")),
    (Shape, ("interpolate: size is positive", "(2, 2)"),
     lambda d: resize(d, size=(2, 2))),
    (Shape, ("interpolate: size or scale_factor", "size=2, scale_factor=2"),
     lambda d: resize(d, size=2, scale_factor=2)),
    (Shape, ("interpolate: the result must not be empty", "(0,)"),
     lambda d: resize(d, scale_factor=0.1)),
    (Shape, ("interpolate: align_corners goes with", "'nearest'"),
     lambda d: resize(d, size=2, align_corners=True)),
    (Shape, ("interpolate: antialias goes with", "'nearest'"),
     lambda d: resize(d, size=2, antialias=True)),
    (DType, ("grid_sample: x and grid hold floats", "float32 and int32"),
     lambda d: fogo.grid_sample(ones(d, 1, 1, 2, 2), ints(d, 1, 1, 1, 2))),
    (Shape, ("grid_sample: x is [N, C, H, W]", "grid=[2, 1, 1, 2]"),
     lambda d: fogo.grid_sample(ones(d, 1, 1, 2, 2), ones(d, 2, 1, 1, 2))),
    (Shape, ("grid_sample: mode is", "'cubic'"),
     lambda d: fogo.grid_sample(ones(d, 1, 1, 2, 2), ones(d, 1, 1, 1, 2), "cubic")),
    (Shape, ("grid_sample: padding_mode is", "'wrap'"),
     lambda d: fogo.grid_sample(ones(d, 1, 1, 2, 2), ones(d, 1, 1, 1, 2),
                                padding_mode="wrap")),
    (DType, ("affine_grid: theta holds floats", "int32"),
     lambda d: fogo.affine_grid(ints(d, 1, 2, 3), (1, 1, 2, 2))),
    (Shape, ("affine_grid: theta is [N, 2, 3]", "theta=[1, 3, 3]"),
     lambda d: fogo.affine_grid(ones(d, 1, 3, 3), (1, 1, 2, 2))),
    (DType, ("deform_conv2d: x, offset and weight hold floats", "int32"),
     lambda d: fogo.deform_conv2d(ints(d, 1, 1, 3, 3), ones(d, 1, 8, 2, 2),
                                  ones(d, 1, 1, 2, 2))),
    (Shape, ("deform_conv2d: x is [N, C, H, W]", "x=[1, 3, 3]"),
     lambda d: deform(d, x=(1, 3, 3))),
    (Shape, ("deform_conv2d: offset is", "offset=[1, 8, 3, 3]"),
     lambda d: deform(d, offset=(1, 8, 3, 3))),
    (Shape, ("deform_conv2d: mask is", "mask=[1, 3, 2, 2]"),
     lambda d: deform(d, mask=(1, 3, 2, 2))),
    (Shape, ("scaled_dot_product_attention: enable_gqa needs heads", "k=[2, 3, 4]"),
     lambda d: fogo.scaled_dot_product_attention(
         ones(d, 3, 3, 4), ones(d, 2, 3, 4), ones(d, 2, 3, 4), enable_gqa=True)),
    (Shape, ("swiglu: the axis must have an even size", "size 3"),
     lambda d: fogo.swiglu(ones(d, 3))),
    (Shape, ("rrelu: lower is at most upper", "lower=2, upper=1"),
     lambda d: fogo.rrelu(ones(d, 3), 2.0, 1.0)),
    (Shape, ("dropout2d: p lies in [0, 1]", "1.5"),
     lambda d: fogo.dropout2d(ones(d, 1, 1, 1), 1.5)),
    (Shape, ("dropout2d: x is [N, C, 2 spatial axes]", "[3]"),
     lambda d: fogo.dropout2d(ones(d, 3))),
    (Shape, ("feature_alpha_dropout: x is [N, C, ...]", "[3]"),
     lambda d: fogo.feature_alpha_dropout(ones(d, 3))),
    (Shape, ("gaussian_noise: std is not negative", "-1"),
     lambda d: fogo.gaussian_noise(ones(d, 3), -1.0)),
    (Shape, ("pairwise_distance: p is above 0", "0"),
     lambda d: fogo.pairwise_distance(ones(d, 3), ones(d, 3), 0.0)),
    (Shape, ("normalize: p is above 0", "-1"),
     lambda d: fogo.normalize(ones(d, 3, 3), -1.0)),
    (Shape, ("linear: x is [..., C]", "weight=[2, 4]"),
     lambda d: fogo.linear(ones(d, 3), ones(d, 2, 4))),
    (Shape, ("bilinear: x1 is [..., A]", "weight=[2, 4, 3]"),
     lambda d: fogo.bilinear(ones(d, 3), ones(d, 3), ones(d, 2, 4, 3))),
    (Shape, ("local_response_norm: x is [N, C, ...S]", "x=[3, 3]"),
     lambda d: fogo.local_response_norm(ones(d, 3, 3), 2)),
)  # fmt: skip
