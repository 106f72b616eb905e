"""`x.add_(y)` and its kind: the tensor takes the result of the function.

Values do not change under other tensors: views of the old values keep them (PyTorch's
would see the new ones). History is kept, as by `x[...] = x + y`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .. import ops
from ..errors import AutodiffError, DTypeError, ShapeError
from .spelling import spelled

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")

# Functions with a method of their name and `_`: those that keep the shape.
NAMES = (
    "abs", "acos", "acosh", "add", "addcdiv", "addcmul", "asin", "asinh", "atan",
    "atan2", "atanh", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "ceil", "clamp", "clip", "copysign", "cos",
    "cosh", "cumprod", "cumsum", "deg2rad", "digamma", "div", "divide", "elu", "erf",
    "erfc", "erfinv", "exp", "exp2", "expm1", "floor", "floor_divide", "fmod", "frac",
    "hypot", "index_add", "index_copy", "index_fill", "index_put", "index_reduce",
    "leaky_relu", "lerp", "lgamma", "log", "log10", "log1p", "log2", "logical_and",
    "logical_not", "logical_or", "logical_xor", "logit", "masked_fill",
    "masked_scatter", "mul", "multiply", "nan_to_num", "neg", "negative", "pow",
    "put", "rad2deg", "reciprocal", "relu", "remainder", "round", "rsqrt", "scatter",
    "scatter_add", "scatter_reduce", "sigmoid", "sign", "sin", "sinc", "sinh", "sqrt",
    "square", "sub", "subtract", "tan", "tanh", "tril", "triu", "trunc", "xlogy",
)  # fmt: skip


def inplace(name: str) -> Any:
    """Return the method `name` (which ends with "_"), or None.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([1.0, 2.0])
        >>> x.add_(1.0).mul_(2.0).tolist()
        [4.0, 6.0]
    """
    if name in SPECIAL:
        make = SPECIAL[name]
    elif name[:-1] in NAMES:
        make = spelled(name[:-1], ops.find(name[:-1]))
    else:
        return None

    def change(x, *args, **options):
        return become(name, x, make(x, *args, **options))

    return _named(change, make, name)


def _named(change, make, name):
    """Let help() show the function's signature; MicroPython has no such attributes."""
    try:
        change.__wrapped__ = make
        change.__name__ = name
        if name not in SPECIAL:
            change.__doc__ = "`%s`, in place; returns x." % name[:-1]
        else:
            change.__doc__ = make.__doc__
    except (AttributeError, TypeError):
        pass
    return change


def become(name: str, x: Any, made: Any) -> Any:
    """Let x take another tensor's values and history; returns x.

    Raises: ShapeError, DTypeError where they would change; AutodiffError for a leaf.
    """
    from ..backend.capture import WATCH, changed
    from ..backend.grad_mode import _STATE

    if made.shape != x.shape:
        raise ShapeError(
            "%s: the shape stays; given a result of %s for %s; use the function "
            "without _" % (name, list(made.shape), list(x.shape))
        )
    if made.dtype is not x.dtype:
        if made.dtype.is_float and not x.dtype.is_float:
            raise DTypeError(
                "%s: the dtype stays; given a result of %s for %s; cast the tensor "
                "first" % (name, made.dtype.name, x.dtype.name)
            )
        made = made.astype(x.dtype)
    if made.device is not x.device:
        raise AutodiffError(
            "%s: a value with gradients goes only into a tensor of its own device; "
            "given x on %r, value on %r; move x there with .to(...) first"
            % (name, x.device, made.device)
        )
    if x.requires_grad and x._handle.node.op is None:
        if _STATE.enabled:
            raise AutodiffError(
                "%s: a tensor that asked for gradients is changed without recording; "
                "given %s; use `with fogo.no_grad():`" % (name, x._describe())
            )
        return x.assign(made.detach())
    if WATCH.on:
        changed(x, made._handle)
    x._handle = made._handle
    return x


def zero_(x: T) -> T:
    """Fill with zeros, in place.

    Example:
        >>> import fogo
        >>> fogo.ones(2).zero_().tolist()
        [0.0, 0.0]
    """
    return ops.find("zeros_like")(x)


def fill_(x: T, value: float) -> T:
    """Fill with a number, in place.

    Example:
        >>> import fogo
        >>> fogo.ones(2).fill_(7).tolist()
        [7.0, 7.0]
    """
    return ops.find("full_like")(x, value)


def copy_(x: T, other: Any) -> T:
    """Take another tensor's values, broadcast, cast and moved, in place.

    Example:
        >>> import fogo
        >>> fogo.zeros(2).copy_(fogo.arange(2)).tolist()
        [0.0, 1.0]
    """
    from ..tensor import Tensor, tensor

    if not isinstance(other, Tensor):
        other = tensor(other, x.dtype, x.device)
    if other.device is not x.device:
        other = other.to(x.device)
    return other.astype(x.dtype).expand(x.shape)


def uniform_(x: T, low: float = 0.0, high: float = 1.0) -> Tensor:
    """Fill with uniform numbers in [low, high), in place.

    Example:
        >>> import fogo
        >>> x = fogo.zeros(100).uniform_(2.0, 3.0)
        >>> bool((x >= 2).all())
        True
    """
    from ..random import uniform

    return uniform(low, high, x.shape, x.dtype, x.device)


def normal_(x: T, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Fill with normal numbers, in place.

    Example:
        >>> import fogo
        >>> fogo.zeros(2, 3).normal_().shape
        (2, 3)
    """
    from ..random import normal

    return normal(mean, std, x.shape, x.dtype, x.device)


def bernoulli_(x: T, p: float = 0.5) -> Tensor:
    """Fill with ones, each with probability p, and zeros, in place.

    Example:
        >>> import fogo
        >>> fogo.zeros(3).bernoulli_(1.0).tolist()
        [1.0, 1.0, 1.0]
    """
    from ..random import bernoulli

    return bernoulli(p, x.shape, x.device)


SPECIAL: dict[str, Any] = {
    "zero_": zero_, "fill_": fill_, "copy_": copy_, "uniform_": uniform_,
    "normal_": normal_, "bernoulli_": bernoulli_,
}  # fmt: skip
