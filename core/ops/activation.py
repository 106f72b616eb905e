"""Activations: elementwise formulas (their parameters are operands), and softmaxes.

A parameter such as `alpha` is a scalar operand, not part of the formula: one kernel
serves every value of it, and it may be a tensor with a gradient of its own (`prelu`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..expr import call as E
from ..expr import where as _where
from ..shapes import normalize_axis
from .define import WIDE, Sample, define_op, elementwise
from .elementwise import where
from .record import REGISTRY, same

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_FAR = ((-5.0, 5.0),)
_ROOT_HALF = 0.7071067811865476
_ROOT_TWO_OVER_PI = 0.7978845608028654
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def _falling(x):
    """exp(-|x|), in a form whose derivatives of every order hold at 0 too."""
    return E("exp", _where(x >= 0.0, -x, x))


def _softplus_of(x):
    """log(1 + exp(x)) without overflow."""
    return _where(x >= 0.0, x, 0.0) + E("log1p", _falling(x))


def _expm1_below(x):
    """exp(x) - 1 where x is negative, 0 above: no overflow on the side not taken."""
    return E("expm1", _where(x > 0.0, 0.0, x))


@elementwise("relu", accepts="numeric")
def relu(x: T) -> T:
    """Return x where it is positive, else 0.

    Example:
        >>> import fogo
        >>> fogo.relu(fogo.tensor([-1.0, 2.0])).tolist()
        [0.0, 2.0]
    """
    return _where(x <= 0, 0, x)


@elementwise("relu6", ((-3.0, 9.0),), accepts="numeric")
def relu6(x: T) -> T:
    """Return x brought into [0, 6].

    Example:
        >>> import fogo
        >>> fogo.relu6(fogo.tensor([-1.0, 3.0, 9.0])).tolist()
        [0.0, 3.0, 6.0]
    """
    return _where(x <= 0, 0, _where(x >= 6, 6, x))


@elementwise("sigmoid", _FAR, accepts="float", to_float=True)
def sigmoid(x: T) -> T:
    """Return `1 / (1 + exp(-x))`; neither side overflows.

    Example:
        >>> import fogo
        >>> fogo.sigmoid(fogo.tensor([0.0])).tolist()
        [0.5]
    """
    z = _falling(x)
    return _where(x >= 0.0, 1.0, z) / (z + 1.0)


@elementwise("log_sigmoid", _FAR, accepts="float", to_float=True)
def log_sigmoid(x: T) -> T:
    """Return `log(sigmoid(x))`, exact also for very negative x.

    Example:
        >>> import fogo
        >>> round(fogo.log_sigmoid(fogo.tensor([0.0])).item(), 4)
        -0.6931
    """
    return _where(x >= 0.0, 0.0, x) - E("log1p", _falling(x))


@elementwise("silu", _FAR, accepts="float", to_float=True)
def silu(x: T) -> T:
    """Return `x * sigmoid(x)` (also called swish).

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.silu(fogo.tensor([0.0, 1.0])).tolist()]
        [0.0, 0.7311]
    """
    return x * sigmoid(x)


@elementwise("mish", _FAR, accepts="float", to_float=True)
def mish(x: T) -> T:
    """Return `x * tanh(softplus(x))`.

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.mish(fogo.tensor([0.0, 1.0])).tolist()]
        [0.0, 0.8651]
    """
    return x * E("tanh", _softplus_of(x))


@elementwise("softsign", _FAR, accepts="float", to_float=True)
def softsign(x: T) -> T:
    """Return `x / (1 + |x|)`.

    Example:
        >>> import fogo
        >>> fogo.softsign(fogo.tensor([-1.0, 3.0])).tolist()
        [-0.5, 0.75]
    """
    return x / (_where(x >= 0.0, x, -x) + 1.0)


@elementwise("tanhshrink", accepts="float", to_float=True)
def tanhshrink(x: T) -> T:
    """Return `x - tanh(x)`.

    Example:
        >>> import fogo
        >>> round(fogo.tanhshrink(fogo.tensor([1.0])).item(), 4)
        0.2384
    """
    return x - E("tanh", x)


@elementwise("hard_sigmoid", _FAR, accepts="float", to_float=True)
def hard_sigmoid(x: T) -> T:
    """Return `(x + 3) / 6` brought into [0, 1].

    Example:
        >>> import fogo
        >>> fogo.hard_sigmoid(fogo.tensor([-9.0, 0.0, 9.0])).tolist()
        [0.0, 0.5, 1.0]
    """
    return _where(x <= -3.0, 0.0, _where(x >= 3.0, 1.0, x / 6.0 + 0.5))


@elementwise("hard_swish", _FAR, accepts="float", to_float=True)
def hard_swish(x: T) -> T:
    """Return `x * hard_sigmoid(x)`.

    Example:
        >>> import fogo
        >>> fogo.hard_swish(fogo.tensor([-9.0, 9.0])).tolist()
        [0.0, 9.0]
    """
    middle = _where(x <= -3.0, 0.0, _where(x >= 3.0, 0.0, x))  # finite: inf * 0 is nan
    return _where(x >= 3.0, x, middle * (middle / 6.0 + 0.5))


@elementwise("gelu", accepts="float", to_float=True)
def _gelu(x):
    return x * 0.5 * (E("erf", x * _ROOT_HALF) + 1.0)


@elementwise("gelu_tanh", accepts="float", to_float=True)
def _gelu_tanh(x):
    inner = (x * x * x * 0.044715 + x) * _ROOT_TWO_OVER_PI
    return x * 0.5 * (E("tanh", inner) + 1.0)


def gelu(x: T, approximate: str = "none") -> T:
    """Return `x * P(normal < x)`; approximate="tanh" takes the usual tanh formula.

    Raises: ShapeError for another word.

    Example:
        >>> import fogo
        >>> fogo.gelu(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    if approximate not in ("none", "tanh"):
        raise ShapeError(
            'gelu: approximate is "none" or "tanh"; given %r' % (approximate,)
        )
    return _gelu_tanh(x) if approximate == "tanh" else _gelu(x)


@elementwise("leaky_relu", (WIDE, (0.01, 0.3)), accepts="float", to_float=True)
def _leaky_relu(x, slope):
    return _where(x > 0.0, x, x * slope)


def leaky_relu(x: T, negative_slope: float = 0.01) -> T:
    """Return x where it is positive, else `x * negative_slope`.

    Example:
        >>> import fogo
        >>> fogo.leaky_relu(fogo.tensor([-1.0, 2.0]), 0.5).tolist()
        [-0.5, 2.0]
    """
    return _leaky_relu(x, negative_slope)


def prelu(x: T, weight: Tensor) -> T:
    """`leaky_relu` with a learned slope for each channel (axis 1), or one for all.

    Shapes: x [N, C, …] or [C], weight [C] or [1]. Raises: ShapeError for others.

    Example:
        >>> import fogo
        >>> fogo.prelu(fogo.tensor([-1.0, 2.0]), fogo.tensor([0.25])).tolist()
        [-0.25, 2.0]
    """
    channels = x.shape[1] if x.ndim > 1 else x.size
    if weight.ndim > 1 or weight.size not in (1, channels):
        raise ShapeError(
            "prelu: one slope, or one per channel; given weight=%s for x=%s"
            % (list(weight.shape), list(x.shape))
        )
    if weight.size > 1 and x.ndim > 2:
        weight = weight.reshape((channels,) + (1,) * (x.ndim - 2))
    return _leaky_relu(x, weight)


@elementwise("elu", (WIDE, (0.5, 1.5)), accepts="float", to_float=True)
def _elu(x, alpha):
    return _where(x > 0.0, x, alpha * _expm1_below(x))


def elu(x: T, alpha: float = 1.0) -> T:
    """Return x where it is positive, else `alpha * (exp(x) - 1)`.

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.elu(fogo.tensor([-1.0, 2.0])).tolist()]
        [-0.6321, 2.0]
    """
    return _elu(x, alpha)


@elementwise("celu", (WIDE, (0.5, 1.5)), accepts="float", to_float=True)
def _celu(x, alpha):
    return _where(x > 0.0, x, alpha * _expm1_below(x / alpha))


def celu(x: T, alpha: float = 1.0) -> T:
    """Return x where it is positive, else `alpha * (exp(x / alpha) - 1)`.

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.celu(fogo.tensor([-1.0, 2.0])).tolist()]
        [-0.6321, 2.0]
    """
    return _celu(x, alpha)


@elementwise("selu", accepts="float", to_float=True)
def selu(x: T) -> T:
    """Return `elu` scaled so that deep nets keep mean 0 and variance 1.

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.selu(fogo.tensor([-1.0, 1.0])).tolist()]
        [-1.1113, 1.0507]
    """
    return _where(x > 0.0, x, _expm1_below(x) * _SELU_ALPHA) * _SELU_SCALE


@elementwise(
    "softplus", (WIDE, (0.5, 2.0), (15.0, 20.0)), accepts="float", to_float=True
)
def _softplus(x, beta, threshold):
    scaled = x * beta
    return _where(scaled > threshold, x, _softplus_of(scaled) / beta)


def softplus(x: T, beta: float = 1.0, threshold: float = 20.0) -> T:
    """Return `log(1 + exp(beta * x)) / beta`; x itself where beta * x > threshold.

    Example:
        >>> import fogo
        >>> round(fogo.softplus(fogo.tensor([0.0])).item(), 4)
        0.6931
    """
    return _softplus(x, beta, threshold)


@elementwise(
    "hardtanh", (WIDE, (-2.0, -1.0), (1.0, 2.0)), accepts="float", to_float=True
)
def _hardtanh(x, low, high):
    return _where(x <= low, low, _where(x >= high, high, x))


def hardtanh(x: T, min_val: float = -1.0, max_val: float = 1.0) -> T:
    """Return x brought into [min_val, max_val]; the gradient is 0 at both bounds.

    Example:
        >>> import fogo
        >>> fogo.hardtanh(fogo.tensor([-3.0, 0.5, 3.0])).tolist()
        [-1.0, 0.5, 1.0]
    """
    return _hardtanh(x, min_val, max_val)


@elementwise("hardshrink", (WIDE, (0.3, 1.0)), accepts="float", to_float=True)
def _hardshrink(x, size):
    return _where((x >= -size) & (x <= size), 0.0, x)


def hardshrink(x: T, lambd: float = 0.5) -> T:
    """Return x, with 0 where it lies in [-lambd, lambd].

    Example:
        >>> import fogo
        >>> fogo.hardshrink(fogo.tensor([-1.0, 0.2, 1.0])).tolist()
        [-1.0, 0.0, 1.0]
    """
    return _hardshrink(x, lambd)


@elementwise("softshrink", (WIDE, (0.3, 1.0)), accepts="float", to_float=True)
def _softshrink(x, size):
    near = _where(E("isnan", x), x, 0.0)  # a GPU may take x * 0.0 for 0
    return _where(x > size, x - size, _where(x < -size, x + size, near))


def softshrink(x: T, lambd: float = 0.5) -> T:
    """Return x moved towards 0 by `lambd`, and 0 where it is nearer than that.

    Example:
        >>> import fogo
        >>> fogo.softshrink(fogo.tensor([-2.0, 0.2, 2.0])).tolist()
        [-1.5, 0.0, 1.5]
    """
    return _softshrink(x, lambd)


@elementwise("threshold", (WIDE, (-1.0, 1.0), (2.0, 3.0)), accepts="numeric")
def _threshold(x, low, value):
    return _where(x <= low, value, x)


def threshold(x: T, threshold: float, value: float) -> T:
    """Return x where it is above `threshold`, else `value`.

    Example:
        >>> import fogo
        >>> fogo.threshold(fogo.tensor([0.5, 2.0]), 1.0, 0.0).tolist()
        [0.0, 2.0]
    """
    REGISTRY["threshold"].check(x.dtype)  # before a number makes integers of bools
    return _threshold(x, threshold, value)


def glu(x: T, axis: int = -1) -> T:
    """Cut an axis in halves a and b; return `a * sigmoid(b)`.

    Shapes: [..., 2M, ...] -> [..., M, ...]. Raises: ShapeError for an odd size.

    Example:
        >>> import fogo
        >>> fogo.glu(fogo.tensor([4.0, 0.0])).tolist()
        [2.0]
    """
    place = normalize_axis("glu", axis, x.ndim)
    n = x.shape[place]
    if n % 2:
        raise ShapeError(
            "glu: the axis must have an even size; given size %d of shape %s"
            % (n, list(x.shape))
        )
    a = x.narrow(place, 0, n // 2)
    return a * sigmoid(x.narrow(place, n // 2, n // 2))


def _peak(x, axis):
    """The largest element to subtract before exp; 0 where that is infinite."""
    top = x.max(axis, True)
    return where(top.isfinite(), top, 0.0)


def _softmax_of(x, axis):
    shifted = (x - x.max(axis, True)).exp()
    return shifted / shifted.sum(axis, True)


def _softmax_grad(ctx):
    (axis,) = ctx.attrs
    part = ctx.g[0] * ctx.outputs[0]
    return (part - ctx.outputs[0] * part.sum(axis, True),)


def _log_softmax_of(x, axis):
    shifted = x - x.max(axis, True)
    return shifted - shifted.exp().sum(axis, True).log()


def _log_softmax_grad(ctx):
    (axis,) = ctx.attrs
    return (ctx.g[0] - ctx.outputs[0].exp() * ctx.g[0].sum(axis, True),)


_X = ((3, 5, 2), -3.0, 3.0)
_SOFT_SAMPLES = (Sample(_X), Sample(_X, axis=1), Sample(((4,), -3.0, 3.0), axis=0))
SOFTMAX = define_op(
    "softmax", infer=same, attrs=("axis",), decompose=_softmax_of, accepts="float",
    grad=_softmax_grad, saves="o", samples=_SOFT_SAMPLES,
)  # fmt: skip
LOG_SOFTMAX = define_op(
    "log_softmax", infer=same, attrs=("axis",), decompose=_log_softmax_of,
    accepts="float", grad=_log_softmax_grad, saves="o", samples=_SOFT_SAMPLES,
)  # fmt: skip


def _along(op, x, axis):
    from ..dispatch import call
    from ..dtypes import DEFAULT_FLOAT

    if not x.dtype.is_float:
        x = x.astype(DEFAULT_FLOAT)
    place = normalize_axis(op.name, axis, x.ndim)
    return x if x.size == 0 else call(op, (x,), (place,))


def softmax(x: T, axis: int = -1) -> T:
    """Return `exp(x) / sum(exp(x))` along an axis: positive numbers that add up to 1.

    Raises: ShapeError for an axis out of range.

    Example:
        >>> import fogo
        >>> fogo.softmax(fogo.tensor([1.0, 1.0])).tolist()
        [0.5, 0.5]
    """
    return _along(SOFTMAX, x, axis)


def log_softmax(x: T, axis: int = -1) -> T:
    """Return `log(softmax(x))`, without the loss of digits of doing it in two steps.

    Example:
        >>> import fogo
        >>> [round(v, 4) for v in fogo.log_softmax(fogo.tensor([0.0, 0.0])).tolist()]
        [-0.6931, -0.6931]
    """
    return _along(LOG_SOFTMAX, x, axis)


def softmin(x: T, axis: int = -1) -> T:
    """Return `softmax(-x)`.

    Example:
        >>> import fogo
        >>> fogo.softmin(fogo.tensor([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """
    return softmax(-x, axis)


def _logsumexp_infer(avals, attrs):
    from .reduce import SUM

    return SUM.infer(avals, attrs)


def _logsumexp_of(x, axes):
    top = _peak(x, axes)
    total = (x - top).exp().sum(axes).log()
    return total + top.reshape(total.shape)


def _logsumexp_grad(ctx):
    from .reduce import _spread

    x = ctx.inputs[0]
    return ((x - _spread(ctx, ctx.outputs[0])).exp() * _spread(ctx, ctx.g[0]),)


LOGSUMEXP = define_op(
    "logsumexp", infer=_logsumexp_infer, attrs=("axes",), decompose=_logsumexp_of,
    accepts="float", grad=_logsumexp_grad,
    samples=(Sample(_X), Sample(_X, axis=1), Sample(_X, axis=(0, -1), keepdims=True)),
)  # fmt: skip


def logsumexp(
    x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> T:
    """Return `log(sum(exp(x)))` over `axis` (all if None); no overflow on the way.

    Raises: ShapeError where there is no element along the axes.

    Example:
        >>> import fogo
        >>> round(fogo.logsumexp(fogo.tensor([0.0, 0.0])).item(), 4)
        0.6931
    """
    from ..dtypes import DEFAULT_FLOAT
    from .reduce import _not_empty, _run

    if not x.dtype.is_float:
        x = x.astype(DEFAULT_FLOAT)
    _not_empty("logsumexp", x, axis)
    return _run(LOGSUMEXP, x, axis, keepdims)


# PyTorch's spellings.
hardsigmoid = hard_sigmoid
hardswish = hard_swish
logsigmoid = log_sigmoid
swish = silu

# Samples of the functions that are compositions of other ops.
SAMPLES = {
    "glu": (Sample(((3, 4), -3.0, 3.0)), Sample(((4, 3), -3.0, 3.0), axis=0)),
    "prelu": (
        Sample(((2, 3, 4), -3.0, 3.0), ((3,), 0.1, 0.5)),
        Sample(((2, 3), -3.0, 3.0), ((1,), 0.1, 0.5)),
    ),
    "softmin": (Sample(_X), Sample(_X, axis=0)),
    "gelu": (Sample(_X), Sample(_X, approximate="tanh")),
}

__all__ = [
    "celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_swish", "hardshrink",
    "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_sigmoid", "log_softmax",
    "logsigmoid", "logsumexp", "mish", "prelu", "relu", "relu6", "selu", "sigmoid",
    "silu", "softmax", "softmin", "softplus", "softshrink", "softsign", "swish",
    "tanhshrink", "threshold",
]  # fmt: skip
NOT_METHODS = ()
