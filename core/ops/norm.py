"""Normalisation: one op, `standardize`, and the layers around it; dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import normalize_axes, reduced, size
from .define import Sample, define_op
from .elementwise import where
from .record import Aval

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_X = ((3, 4, 5), -3.0, 3.0)


def _infer(avals, attrs):
    x = avals[0]
    small = Aval(reduced(x.shape, attrs[0], True), x.dtype)
    return Aval(x.shape, x.dtype), small, small


def _standardize(x, axes, eps):
    mean = x.mean(axes, True)
    centred = x - mean
    var = centred.square().mean(axes, True)
    return centred * (var + eps).rsqrt(), mean, var


def _standardize_grad(ctx):
    """With y = (x - mean) / s: dy gives (dy - mean(dy) - y * mean(dy * y)) / s."""
    axes, eps = ctx.attrs
    y, _, var = ctx.outputs
    dy, dmean, dvar = ctx.g
    count = float(size([y.shape[a] for a in axes]))
    scale = (var + eps).rsqrt()
    dx = None
    if dy is not None:
        dx = dy - dy.mean(axes, True) - y * (dy * y).mean(axes, True)
        dx = dx * scale
    if dmean is not None:
        dx = _plus(dx, (dmean / count).expand(y.shape))
    if dvar is not None:
        dx = _plus(dx, y * (dvar * 2.0 / count / scale))
    return (dx,)


def _plus(total, part):
    return part if total is None else total + part


STANDARDIZE = define_op(
    "standardize", infer=_infer, attrs=("axes", "eps"), decompose=_standardize,
    grad=_standardize_grad, saves="o", diff=(True, True, True), accepts="float",
    samples=(
        Sample(_X, axis=-1),
        Sample(_X, axis=(0, 2), eps=0.5),
        Sample(((5,), -3.0, 3.0), axis=0),
    ),
)  # fmt: skip


def standardize(
    x: T, axis: int | tuple[int, ...] | None = None, eps: float = 1e-5
) -> tuple[T, T, T]:
    """Return `(x - mean) / sqrt(var + eps)`, mean and variance over `axis` (kept).

    The variance is divided by n. Raises: ShapeError, DTypeError (floats only).

    Example:
        >>> import fogo
        >>> y, mean, var = fogo.standardize(fogo.tensor([1.0, 3.0]), eps=0.0)
        >>> y.tolist(), mean.tolist(), var.tolist()
        ([-1.0, 1.0], [2.0], [1.0])
    """
    from ..dispatch import call

    STANDARDIZE.check(x.dtype)
    axes = normalize_axes("standardize", axis, x.ndim)
    return call(STANDARDIZE, (x,), (axes, float(eps)))


def _channels(name, x, parts):
    """Check that per-channel tensors fit axis 1 of x; raises ShapeError."""
    if x.ndim < 2:
        raise ShapeError("%s: x is [N, C, ...]; given %s" % (name, list(x.shape)))
    for label, part in parts:
        if part is not None and part.shape != (x.shape[1],):
            raise ShapeError(
                "%s: %s has one number per channel; given %s for x=%s"
                % (name, label, list(part.shape), list(x.shape))
            )


def _affine(y, weight, bias):
    """Scale and shift by channel (axis 1)."""
    around = (1, y.shape[1]) + (1,) * (y.ndim - 2)
    if weight is not None:
        y = y * weight.reshape(around)
    return y if bias is None else y + bias.reshape(around)


def batch_norm(
    x: T,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float | Tensor = 0.1,
    eps: float = 1e-5,
) -> tuple[T, Tensor | None, Tensor | None]:
    """Normalise each channel over batch and places; return it and the new statistics.

    In training the batch's own statistics are used, and the running ones move towards
    them by `momentum` (the variance divided by n - 1); else the running ones are used
    and come back as they are. Without running statistics, those of the batch are used.
    Shapes: x [N, C, ...], the rest [C]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, zero, one = fogo.ones(2, 3), fogo.zeros(3), fogo.ones(3)
        >>> y, mean, var = fogo.batch_norm(x, zero, one, training=True)
        >>> mean.tolist()[0] > 0.09
        True
    """
    parts = (("running_mean", running_mean), ("running_var", running_var),
             ("weight", weight), ("bias", bias))  # fmt: skip
    _channels("batch_norm", x, parts)
    if not training and running_mean is not None and running_var is not None:
        around = (1, x.shape[1]) + (1,) * (x.ndim - 2)
        scale = (running_var + eps).rsqrt()
        y = (x - running_mean.reshape(around)) * scale.reshape(around)
        return _affine(y, weight, bias), running_mean, running_var
    axes = tuple([a for a in range(x.ndim) if a != 1])
    count = size([x.shape[a] for a in axes])
    if training and count < 2:
        raise ShapeError(
            "batch_norm: training needs more than one value per channel; given %s"
            % list(x.shape)
        )
    y, mean, var = standardize(x, axes, eps)
    if training and running_mean is not None and running_var is not None:
        running_mean = _moved(running_mean, mean, 1.0, momentum)
        running_var = _moved(running_var, var, count / (count - 1.0), momentum)
    return _affine(y, weight, bias), running_mean, running_var


def _moved(old, new, factor, momentum):
    """A running statistic, `momentum` of the way to a new value; without history."""
    new = new.detach().reshape(old.shape).astype(old.dtype)
    return old.detach() * (1.0 - momentum) + new * (momentum * factor)


def instance_norm(
    x: T,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    eps: float = 1e-5,
) -> T:
    """Normalise each channel of each sample over its places.

    use_input_stats=False takes the running statistics instead, as in `batch_norm`.
    Shapes: x [N, C, ...S], the rest [C]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[[1.0, 3.0]]])
        >>> [round(v, 4) for v in fogo.instance_norm(x).flatten().tolist()]
        [-1.0, 1.0]
    """
    if not use_input_stats:
        return batch_norm(
            x, running_mean, running_var, weight, bias, False, 0.0, eps
        )[0]  # fmt: skip
    _channels("instance_norm", x, (("weight", weight), ("bias", bias)))
    if x.ndim < 3 or size(x.shape[2:]) == 1:
        raise ShapeError(
            "instance_norm: more than one place per channel; given %s" % list(x.shape)
        )
    y = standardize(x, tuple(range(2, x.ndim)), eps)[0]
    return _affine(y, weight, bias)


def group_norm(
    x: T,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> T:
    """Normalise groups of channels of each sample over channels and places.

    Shapes: x [N, C, ...], weight and bias [C]. Raises: ShapeError unless `num_groups`
    divides C.

    Example:
        >>> import fogo
        >>> fogo.group_norm(fogo.ones((1, 4, 2)), 2).shape
        (1, 4, 2)
    """
    _channels("group_norm", x, (("weight", weight), ("bias", bias)))
    if num_groups < 1 or x.shape[1] % num_groups:
        raise ShapeError(
            "group_norm: num_groups must divide the channels; given %d for x=%s"
            % (num_groups, list(x.shape))
        )
    each = size(x.shape[1:]) // num_groups
    y = standardize(x.reshape((x.shape[0], num_groups, each)), 2, eps)[0]
    return _affine(y.reshape(x.shape), weight, bias)


def _last(name, x, shape, parts):
    """The axes that `normalized_shape` stands for; raises ShapeError."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    first = x.ndim - len(shape)
    if not shape or first < 0 or x.shape[first:] != shape:
        raise ShapeError(
            "%s: normalized_shape is the end of x's shape; given %s for x=%s"
            % (name, list(shape), list(x.shape))
        )
    for label, part in parts:
        if part is not None and part.shape != shape:
            raise ShapeError(
                "%s: %s has the normalized shape %s; given %s"
                % (name, label, list(shape), list(part.shape))
            )
    return tuple(range(first, x.ndim))


def layer_norm(
    x: T,
    normalized_shape: int | tuple[int, ...],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> T:
    """Normalise over the last axes, whose sizes are `normalized_shape`.

    Shapes: x [..., ...M], weight and bias [...M] -> x's. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.layer_norm(fogo.tensor([[1.0, 3.0]]), 2, eps=0.0).tolist()
        [[-1.0, 1.0]]
    """
    parts = (("weight", weight), ("bias", bias))
    axes = _last("layer_norm", x, normalized_shape, parts)
    y = standardize(x, axes, eps)[0]
    if weight is not None:
        y = y * weight
    return y if bias is None else y + bias


def _rms(x, axes, eps):
    scale = (x.square().mean(axes, True) + eps).rsqrt()
    return x * scale, scale


def _rms_grad(ctx):
    """With y = x / r: dy gives (dy - y * mean(dy * y)) / r."""
    axes, _ = ctx.attrs
    y, scale = ctx.outputs
    dy, dscale = ctx.g
    dx = None
    if dy is not None:
        dx = (dy - y * (dy * y).mean(axes, True)) * scale
    if dscale is not None:
        count = float(size([y.shape[a] for a in axes]))
        dx = _plus(dx, y * (dscale * scale.square() / -count))
    return (dx,)


RMS = define_op(
    "rms_scale", attrs=("axes", "eps"), decompose=_rms, grad=_rms_grad, saves="o",
    diff=(True, True), accepts="float",
    infer=lambda avals, attrs: _infer(avals, attrs)[:2],
)  # fmt: skip


def rms_norm(
    x: T,
    normalized_shape: int | tuple[int, ...],
    weight: Tensor | None = None,
    eps: float = 1e-6,
) -> T:
    """Return `x / sqrt(mean(x*x) + eps)` over the last axes, times weight.

    Shapes: x [..., ...M], weight [...M] -> x's. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.rms_norm(fogo.tensor([3.0, 3.0]), (2,)).tolist()]
        [1.0, 1.0]
    """
    from ..dispatch import call

    RMS.check(x.dtype)
    axes = _last("rms_norm", x, normalized_shape, (("weight", weight),))
    y = call(RMS, (x,), (axes, float(eps)))[0]
    return y if weight is None else y * weight


def dropout(x: T, p: float = 0.5, training: bool = True) -> T:
    """Set elements to 0 with probability p and divide the rest by 1 - p.

    Draws from the device's random stream; outside training x comes back as it is.
    Raises: ShapeError for p outside [0, 1].

    Example:
        >>> import fogo
        >>> fogo.dropout(fogo.ones(3), 0.5, training=False).tolist()
        [1.0, 1.0, 1.0]
    """
    from ..random import bernoulli

    if not 0.0 <= p <= 1.0:
        raise ShapeError("dropout: p lies in [0, 1]; given %s" % p)
    if not training or p == 0:
        return x
    keep = bernoulli(1.0 - p, x.shape, x.device.base())
    return where(keep, x * (1.0 / (1.0 - p) if p < 1 else 0.0), 0.0)


_C = ((4,), 0.5, 1.5)

# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "batch_norm": (
        Sample(_X, _C, _C, _C, _C, training=True),
        Sample(((6, 4), -3.0, 3.0), _C, _C, training=True, momentum=0.3),
        Sample(_X, _C, _C, _C, _C, eps=0.1),
    ),
    "instance_norm": (Sample(_X), Sample(((2, 4, 3, 3), -3.0, 3.0), eps=0.1)),
    "group_norm": (
        Sample(_X, num_groups=2),
        Sample(((2, 4, 3, 3), -3.0, 3.0), num_groups=4, eps=0.1),
    ),
    "layer_norm": (
        Sample(_X, normalized_shape=5),
        Sample(_X, normalized_shape=(4, 5), eps=0.1),
    ),
    "rms_norm": (
        Sample(_X, normalized_shape=5),
        Sample(_X, normalized_shape=(4, 5), eps=0.1),
    ),
}

__all__ = [
    "batch_norm", "dropout", "group_norm", "instance_norm", "layer_norm", "rms_norm",
    "standardize",
]  # fmt: skip
NOT_METHODS = (
    "batch_norm", "dropout", "group_norm", "instance_norm", "layer_norm", "rms_norm",
)  # fmt: skip
