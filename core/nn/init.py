"""Initialisers: fill a tensor in place (it gets a new handle), and return it.

The layers' defaults draw uniforms only, by a formula with one rounding, so that a
model starts from the same bits on every device.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..ops.creation import fill
from ..random import normal, rand
from .init_shapes import dirac_, eye_, orthogonal_, sparse_, trunc_normal_

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
__all__ = [
    "calculate_gain", "constant_", "dirac_", "eye_", "fans", "kaiming_normal_",
    "kaiming_uniform_", "normal_", "ones_", "orthogonal_", "sparse_", "symmetric",
    "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip
_GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5.0 / 3.0,
    "relu": math.sqrt(2.0),
    "selu": 0.75,
}


def symmetric(
    shape: tuple[int, ...],
    bound: float,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return uniforms in [-bound, bound): `2u - 1` is exact, so one rounding in all."""
    x = (rand(*shape, device=device) * 2.0 - 1.0) * float(bound)
    return x if dtype is None else x.astype(dtype)


def _set(tensor: T, values: Tensor) -> T:
    return tensor.assign(values.astype(tensor.dtype))


def constant_(tensor: T, val: float) -> T:
    """Fill with one value.

    Example:
        >>> import fogo
        >>> from fogo.nn import init
        >>> init.constant_(fogo.zeros(2), 3.0).tolist()
        [3.0, 3.0]
    """
    where = tensor.device
    return _set(tensor, fill(tensor.shape, val, tensor.dtype, where))


def zeros_(tensor: T) -> T:
    """Fill with zeros.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.init.zeros_(nn.Parameter(fogo.ones((2,)))).tolist()
        [0.0, 0.0]
    """
    return constant_(tensor, 0.0)


def ones_(tensor: T) -> T:
    """Fill with ones.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.init.ones_(nn.Parameter(fogo.zeros((2,)))).tolist()
        [1.0, 1.0]
    """
    return constant_(tensor, 1.0)


def uniform_(tensor: T, a: float = 0.0, b: float = 1.0) -> T:
    """Fill with uniforms in [a, b).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> w = nn.init.uniform_(nn.Parameter(fogo.zeros((9,))), 2.0, 3.0)
        >>> bool((w >= 2).all())
        True
    """
    if a == -b:
        return _set(tensor, symmetric(tensor.shape, b, None, tensor.device))
    u = rand(*tensor.shape, device=tensor.device)
    return _set(tensor, u * float(b - a) + float(a))


def normal_(tensor: T, mean: float = 0.0, std: float = 1.0) -> T:
    """Fill with normal numbers (equal within 2 ulp, not to the bit, on all devices).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.init.normal_(nn.Parameter(fogo.zeros((2, 3)))).shape
        (2, 3)
    """
    return _set(tensor, normal(mean, std, tensor.shape, device=tensor.device))


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return (inputs, outputs) of one unit, for a weight [O, C, …kernel].

    Raises: ShapeError below 2 axes.

    Example:
        >>> fans((8, 3, 5, 5))
        (75, 200)
    """
    if len(shape) < 2:
        raise ShapeError(
            "init: fan in and fan out need a weight of 2 or more axes; given shape %s"
            % list(shape)
        )
    field = 1
    for n in shape[2:]:
        field *= n
    return shape[1] * field, shape[0] * field


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor that keeps the variance through an activation.

    `param` is leaky_relu's slope (0.01 by default). Raises: ShapeError for a name
    that is not known.

    Example:
        >>> from fogo import nn
        >>> nn.init.calculate_gain("leaky_relu", 1.0)
        1.0
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1.0 + slope * slope))
    if nonlinearity not in _GAINS:
        names = ", ".join(sorted(_GAINS)) + ", leaky_relu"
        raise ShapeError(
            "init: the nonlinearity must be one of %s; given %r" % (names, nonlinearity)
        )
    return _GAINS[nonlinearity]


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ShapeError(
            'init: mode is "fan_in" or "fan_out"; given %r' % (mode,)
        )  # fmt: skip
    fan = fans(tensor.shape)[0 if mode == "fan_in" else 1]
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fan, 1))


def kaiming_uniform_(
    tensor: T, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> T:
    """Fill with uniforms of variance `gain**2 / fan` (He et al. 2015).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> w = nn.init.kaiming_uniform_(nn.Parameter(fogo.zeros((2, 6))))
        >>> bool((w.abs() <= 1).all())
        True
    """
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(
    tensor: T, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> T:
    """Fill with normal numbers of variance `gain**2 / fan` (He et al. 2015).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.init.kaiming_normal_(nn.Parameter(fogo.zeros((2, 3)))).shape
        (2, 3)
    """
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity))


def _xavier_std(tensor: Tensor, gain: float) -> float:
    fan_in, fan_out = fans(tensor.shape)
    return gain * math.sqrt(2.0 / max(fan_in + fan_out, 1))


def xavier_uniform_(tensor: T, gain: float = 1.0) -> T:
    """Fill with uniforms of variance `2 gain**2 / (fan_in + fan_out)` (Glorot 2010).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> w = nn.init.xavier_uniform_(nn.Parameter(fogo.zeros((3, 3))))
        >>> bool((w.abs() <= 1).all())
        True
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: T, gain: float = 1.0) -> T:
    """Fill with normals of variance `2 gain**2 / (fan_in + fan_out)` (Glorot 2010).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.init.xavier_normal_(nn.Parameter(fogo.zeros((2, 3)))).shape
        (2, 3)
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain))
