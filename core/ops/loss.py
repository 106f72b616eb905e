"""Losses: how far predictions are from targets, as one number or one per element.

`reduction` is "mean", "sum" or "none". Predictions and targets have equal shapes:
broadcasting one over the other would hide a mistake, so it is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import float16, float32
from ..errors import DTypeError, ShapeError
from ..expr import call as E
from ..expr import where as _where
from .activation import _falling, log_softmax, softmax
from .creation import arange
from .define import Sample, define_op, elementwise
from .elementwise import where
from .record import Aval, same

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
REDUCTIONS = ("mean", "sum", "none")
_UNIT = (0.05, 0.95)
_X = ((4, 5), -3.0, 3.0)


def _reduce(name, loss, reduction):
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    if reduction == "none":
        return loss
    raise ShapeError(
        '%s: reduction is "mean", "sum" or "none"; given %r' % (name, reduction)
    )


def _check(name, x, target):
    if x.shape != target.shape:
        raise ShapeError(
            "%s: prediction and target have one shape; given %s and %s; reshape one, "
            "or expand it on purpose" % (name, list(x.shape), list(target.shape))
        )


def mse_loss(x: T, target: Tensor, reduction: str = "mean") -> T:
    """Return the squared differences. Raises: ShapeError where shapes differ.

    Example:
        >>> import fogo
        >>> fogo.mse_loss(fogo.tensor([1.0, 2.0]), fogo.tensor([1.0, 4.0])).item()
        2.0
    """
    _check("mse_loss", x, target)
    return _reduce("mse_loss", (x - target).square(), reduction)


def l1_loss(x: T, target: Tensor, reduction: str = "mean") -> T:
    """Return the absolute differences. Raises: ShapeError where shapes differ.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([1.0, 2.0]), fogo.tensor([0.0, 0.0])
        >>> round(fogo.l1_loss(x, y).item(), 4)
        1.5
    """
    _check("l1_loss", x, target)
    return _reduce("l1_loss", (x - target).abs(), reduction)


@elementwise("smooth_l1", (_X[1:], _X[1:], (0.5, 2.0)), accepts="float")
def _smooth_l1(x, target, beta):
    gap = x - target
    far = E("abs", gap)
    return _where(far < beta, gap * gap * 0.5 / beta, far - beta * 0.5)


def smooth_l1_loss(
    x: T, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> T:
    """Return `d*d / (2*beta)` where |d| < beta, else `|d| - beta/2`; d = x - target.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([0.0, 3.0]), fogo.tensor([0.0, 0.0])
        >>> round(fogo.smooth_l1_loss(x, y).item(), 4)
        1.25
    """
    _check("smooth_l1_loss", x, target)
    if beta < 0:
        raise ShapeError("smooth_l1_loss: beta is not negative; given %s" % beta)
    loss = _smooth_l1(x, target, beta) if beta else (x - target).abs()
    return _reduce("smooth_l1_loss", loss, reduction)


@elementwise("huber", (_X[1:], _X[1:], (0.5, 2.0)), accepts="float")
def _huber(x, target, delta):
    gap = x - target
    far = E("abs", gap)
    return _where(far <= delta, gap * gap * 0.5, (far - delta * 0.5) * delta)


def huber_loss(x: T, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> T:
    """Return `d*d / 2` where |d| <= delta, else `delta * (|d| - delta/2)`.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([0.0, 3.0]), fogo.tensor([0.0, 0.0])
        >>> round(fogo.huber_loss(x, y).item(), 4)
        1.25
    """
    _check("huber_loss", x, target)
    if delta <= 0:
        raise ShapeError("huber_loss: delta must be positive; given %s" % delta)
    return _reduce("huber_loss", _huber(x, target, delta), reduction)


def _bce_derivative(g, x, target):
    """PyTorch's: no division by less than 1e-12, logarithms not below -100."""
    spread = E("max", x * (1.0 - x), 1e-12)
    return g * ((x - target) / spread), g * (_log_of_rest(x) - _log_of(x))


def _log_of(x):
    return E("max", E("log", x), -100.0)


def _log_of_rest(x):
    return E("max", E("log1p", -x), -100.0)


@elementwise("bce", (_UNIT, _UNIT), accepts="float", derivative=_bce_derivative)
def _bce(x, target):
    return (target - 1.0) * _log_of_rest(x) - target * _log_of(x)


def binary_cross_entropy(
    x: T, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> T:
    """Return `-t*log(x) - (1-t)*log(1-x)` for probabilities x; logs stop at -100.

    Shapes: x and target equal, weight broadcasts. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([0.5, 0.5]), fogo.tensor([1.0, 0.0])
        >>> round(fogo.binary_cross_entropy(x, y).item(), 4)
        0.6931
    """
    _check("binary_cross_entropy", x, target)
    loss = _bce(x, target)
    if weight is not None:
        loss = loss * weight
    return _reduce("binary_cross_entropy", loss, reduction)


@elementwise("bce_logits", (_X[1:], _UNIT, (0.5, 2.0)), accepts="float")
def _bce_logits(x, target, positive):
    miss = E("log1p", _falling(x)) + _where(x >= 0.0, 0.0, -x)  # -log(sigmoid(x))
    return (1.0 - target) * x + ((positive - 1.0) * target + 1.0) * miss


def binary_cross_entropy_with_logits(
    x: T,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> T:
    """Return `binary_cross_entropy(sigmoid(x), target)`, exact for large |x| too.

    Shapes: x and target equal; weight and pos_weight (which multiplies the positive
    part) broadcast. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> x, t = fogo.tensor([100.0]), fogo.tensor([0.0])
        >>> fogo.binary_cross_entropy_with_logits(x, t).item()
        100.0
    """
    _check("binary_cross_entropy_with_logits", x, target)
    loss = _bce_logits(x, target, 1.0 if pos_weight is None else pos_weight)
    if weight is not None:
        loss = loss * weight
    return _reduce("binary_cross_entropy_with_logits", loss, reduction)


@elementwise("kl_point", (_X[1:], _UNIT), accepts="float")
def _kl_point(x, target):
    """t * (log(t) - x), and 0 for t = 0."""
    nothing = E("eq", target, 0.0)
    log = E("log", _where(nothing, 1.0, target))
    return target * log - target * x


def kl_div(
    x: T, target: Tensor, reduction: str = "mean", log_target: bool = False
) -> T:
    """Return `t * (log(t) - x)` for log-probabilities x and probabilities t.

    reduction "batchmean" divides the sum by the first axis: the divergence itself.
    log_target: the target is given as logarithms too. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[0.0, 0.0]]), fogo.tensor([[0.5, 0.5]])
        >>> round(fogo.kl_div(x, y, "sum").item(), 4)
        -0.6931
    """
    _check("kl_div", x, target)
    loss = (x - target) * -target.exp() if log_target else _kl_point(x, target)
    if reduction == "batchmean":
        return loss.sum() / float(x.shape[0] if x.ndim else 1)
    return _reduce("kl_div", loss, reduction)


def _classes(name, x, target, weight):
    """The axis of the classes; raises ShapeError where the parts do not fit."""
    axis = 0 if x.ndim == 1 else 1
    rest = x.shape[:axis] + x.shape[axis + 1 :]
    if x.ndim == 0 or target.shape != rest:
        raise ShapeError(
            "%s: x is [N, C, ...] or [C], the target has the class of each [N, ...]; "
            "given x=%s, target=%s" % (name, list(x.shape), list(target.shape))
        )
    if weight is not None and weight.shape != (x.shape[axis],):
        raise ShapeError(
            "%s: one weight per class; given weight=%s for %d classes"
            % (name, list(weight.shape), x.shape[axis])
        )
    return axis


def _along(weight, axis, rank):
    """Class weights laid along the class axis of a tensor."""
    return weight.reshape((1,) * axis + weight.shape + (1,) * (rank - axis - 1))


def _nll(name, logs, target, weight, ignore_index, reduction, smoothing):
    axis = _classes(name, logs, target, weight)
    if not target.dtype.is_int:
        raise DTypeError(
            "%s: class targets are integers; given %s; cast with .astype('int32')"
            % (name, target.dtype.name)
        )
    valid = target != ignore_index
    target = where(valid, target, 0)
    loss = -logs.take_along_axis(target.unsqueeze(axis), axis).squeeze(axis)
    share = valid.astype(logs.dtype)
    if weight is not None:
        share = share * weight.take(target)
        loss = loss * share
    else:
        loss = where(valid, loss, 0.0)
    if smoothing:
        loss = _smoothed(loss, logs, axis, weight, valid, smoothing)
    if reduction == "mean":
        return loss.sum() / share.sum()
    return _reduce(name, loss, reduction)


def _smoothed(loss, logs, axis, weight, valid, smoothing):
    """Mix in the mean loss of all classes."""
    n = logs.shape[axis]
    spread = logs if weight is None else logs * _along(weight, axis, logs.ndim)
    even = where(valid, -spread.sum(axis), 0.0)
    return loss * (1.0 - smoothing) + even * (smoothing / n)


def nll_loss(
    x: T,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> T:
    """Return `-weight[t] * x[t]` for log-probabilities x and class targets t.

    Shapes: x [N, C, ...] or [C], target [N, ...] or [] of integers, weight [C]. The
    mean is over the weights of the targets, without those that are `ignore_index`.
    Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[-1.0, -2.0]]), fogo.tensor([1])
        >>> round(fogo.nll_loss(x, y).item(), 4)
        2.0
    """
    return _nll("nll_loss", x, target, weight, ignore_index, reduction, 0.0)


def cross_entropy(
    x: T,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> T:
    """Return `nll_loss(log_softmax(x), target)`, or the same for target probabilities.

    Shapes: x [N, C, ...] or [C]; target: integers [N, ...] or [], or floats of x's
    shape; weight [C]. Integer targets equal to `ignore_index` count for nothing.
    label_smoothing mixes that share of an even distribution into the target.
    Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[0.0, 0.0]])
        >>> round(fogo.cross_entropy(x, fogo.tensor([1])).item(), 4)
        0.6931
    """
    if not 0.0 <= label_smoothing <= 1.0:
        raise ShapeError(
            "cross_entropy: label_smoothing lies in [0, 1]; given %s" % label_smoothing
        )
    axis = 0 if x.ndim == 1 else min(1, x.ndim)
    if target.dtype.is_int and weight is None and x.size:
        return _of_classes(x, target, axis, ignore_index, label_smoothing, reduction)
    logs = log_softmax(x, axis)
    if not target.dtype.is_float:
        return _nll(
            "cross_entropy", logs, target, weight, ignore_index, reduction,
            label_smoothing,
        )  # fmt: skip
    _check("cross_entropy", x, target)
    if label_smoothing:
        target = target * (1.0 - label_smoothing) + label_smoothing / x.shape[axis]
    loss = logs * target
    if weight is not None:
        _classes("cross_entropy", x, x.sum(axis), weight)
        loss = loss * _along(weight, axis, x.ndim)
    return _reduce("cross_entropy", -loss.sum(axis), reduction)


def _of_classes(x, target, axis, ignore_index, smoothing, reduction):
    """Cross-entropy with classes that weigh the same, as one op."""
    from ..dispatch import call, unify
    from ..dtypes import DEFAULT_FLOAT

    _classes("cross_entropy", x, target, None)
    if reduction not in REDUCTIONS:
        _reduce("cross_entropy", x, reduction)  # which says so
    if not x.dtype.is_float:
        x = x.astype(DEFAULT_FLOAT)
    attrs = (axis, int(ignore_index), float(smoothing), reduction)
    found = call(CROSS_ENTROPY, tuple(unify("cross_entropy", (x, target))), attrs)
    return found[0] if reduction == "mean" else found


def _entropy_infer(avals, attrs):
    x, target = avals
    if attrs[3] == "none":
        return (Aval(target.shape, x.dtype),)
    whole = Aval((), x.dtype)
    return (whole, Aval((), _wide(x.dtype))) if attrs[3] == "mean" else (whole,)


def _wide(dtype):
    return float32 if dtype is float16 else dtype


def _entropy(x, target, axis, ignore_index, smoothing, reduction):
    """The loss; for means also by how many targets it was divided."""
    logs = log_softmax(x, axis)
    loss = _nll("cross_entropy", logs, target, None, ignore_index, reduction, smoothing)
    if reduction != "mean":
        return loss
    return loss, (target != ignore_index).astype(_wide(x.dtype)).sum()


def _entropy_grad(ctx):
    from ..dispatch import call

    inputs = tuple(ctx.inputs) + (ctx.g[0],) + tuple(ctx.outputs[1:])
    return call(CROSS_ENTROPY_GRAD, inputs, ctx.attrs), None


def _entropy_grad_of(x, target, g, *rest):
    """(softmax(x) - target) * g, for a target of 0 and 1 with its share smoothed."""
    total, (axis, ignore_index, smoothing, _) = rest[:-4], rest[-4:]
    n = x.shape[axis]
    valid = (target != ignore_index).unsqueeze(axis)
    numbers = arange(n, device=x.device.base(), dtype=target.dtype)
    hit = _along(numbers, axis, x.ndim) == target.unsqueeze(axis)
    wanted = hit.astype(x.dtype) * (1.0 - smoothing) + smoothing / n
    if total:
        g = (g / total[0]).astype(x.dtype)
    g = g.unsqueeze(axis) if g.ndim else g
    return where(valid, (softmax(x, axis) - wanted) * g, 0.0)


_ENTROPY = ("axis", "ignore_index", "smoothing", "reduction")
CROSS_ENTROPY = define_op(
    "cross_entropy", infer=_entropy_infer, attrs=_ENTROPY, decompose=_entropy,
    grad=_entropy_grad, diff=(True, False), accepts="float",
)  # fmt: skip
CROSS_ENTROPY_GRAD = define_op(
    "cross_entropy_grad", infer=same, attrs=_ENTROPY, decompose=_entropy_grad_of,
    accepts="float",
)  # fmt: skip

_CLASSES = ((4,), 0, 4, "int32")
_PROBABILITY = ((4, 5), 0.05, 0.95)

# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "mse_loss": (Sample(_X, _X), Sample(_X, _X, reduction="sum")),
    "l1_loss": (Sample(_X, _X), Sample(_X, _X, reduction="none")),
    "smooth_l1_loss": (Sample(_X, _X), Sample(_X, _X, beta=0.5, reduction="sum")),
    "huber_loss": (Sample(_X, _X), Sample(_X, _X, delta=0.5, reduction="none")),
    "binary_cross_entropy": (
        Sample(_PROBABILITY, _PROBABILITY),
        Sample(_PROBABILITY, _PROBABILITY, ((5,), 0.5, 2.0), reduction="sum"),
    ),
    "binary_cross_entropy_with_logits": (
        Sample(_X, _PROBABILITY),
        Sample(_X, _PROBABILITY, ((5,), 0.5, 2.0), reduction="none"),
    ),
    "kl_div": (
        Sample(_X, _PROBABILITY),
        Sample(_X, _PROBABILITY, reduction="batchmean"),
        Sample(_X, _X, reduction="sum", log_target=True),
    ),
    "nll_loss": (
        Sample(_X, _CLASSES),
        Sample(_X, _CLASSES, ((5,), 0.5, 2.0)),
        Sample(_X, _CLASSES, reduction="none", ignore_index=2),
        Sample(((2, 5, 3), -3.0, 3.0), ((2, 3), 0, 4, "int32"), reduction="sum"),
    ),
    "cross_entropy": (
        Sample(_X, _CLASSES),
        Sample(_X, _CLASSES, ((5,), 0.5, 2.0), label_smoothing=0.2, ignore_index=1),
        Sample(((5,), -3.0, 3.0), ((), 0, 4, "int32"), reduction="none"),
        Sample(((2, 5, 3), -3.0, 3.0), ((2, 3), 0, 4, "int32"), label_smoothing=0.1),
        Sample(_X, _PROBABILITY),
        Sample(_X, _PROBABILITY, ((5,), 0.5, 2.0), label_smoothing=0.2),
    ),
}

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy",
    "huber_loss", "kl_div", "l1_loss", "mse_loss", "nll_loss", "smooth_l1_loss",
]  # fmt: skip
NOT_METHODS = __all__
