"""Activations as modules: each applies the function of the same name in fogo.ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..ops import activation as F
from ..ops.creation import full
from ..ops.elementwise import tanh
from .module import Module
from .parameter import Parameter

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class _Plain(Module):
    """PyTorch's `inplace` is taken and changes nothing: values never change under a
    tensor."""

    def __init__(self, inplace: bool = False) -> None:
        pass


class ReLU(_Plain):
    """Apply `max(x, 0)`."""

    def forward(self, x: T) -> T:
        return F.relu(x)


class ReLU6(_Plain):
    """Bring x into [0, 6]."""

    def forward(self, x: T) -> T:
        return F.relu6(x)


class Sigmoid(Module):
    """Apply `1 / (1 + exp(-x))`."""

    def forward(self, x: T) -> T:
        return F.sigmoid(x)


class LogSigmoid(Module):
    """Apply `log(sigmoid(x))`."""

    def forward(self, x: T) -> T:
        return F.log_sigmoid(x)


class Tanh(Module):
    """Apply the hyperbolic tangent."""

    def forward(self, x: T) -> T:
        return tanh(x)


class Tanhshrink(Module):
    """Apply `x - tanh(x)`."""

    def forward(self, x: T) -> T:
        return F.tanhshrink(x)


class SiLU(_Plain):
    """Apply `x * sigmoid(x)`."""

    def forward(self, x: T) -> T:
        return F.silu(x)


class Mish(_Plain):
    """Apply `x * tanh(softplus(x))`."""

    def forward(self, x: T) -> T:
        return F.mish(x)


class Softsign(Module):
    """Apply `x / (1 + |x|)`."""

    def forward(self, x: T) -> T:
        return F.softsign(x)


class SELU(_Plain):
    """Apply the scaled `elu` of self-normalising nets."""

    def forward(self, x: T) -> T:
        return F.selu(x)


class Hardsigmoid(_Plain):
    """Bring `(x + 3) / 6` into [0, 1]."""

    def forward(self, x: T) -> T:
        return F.hard_sigmoid(x)


class Hardswish(_Plain):
    """Apply `x * hard_sigmoid(x)`."""

    def forward(self, x: T) -> T:
        return F.hard_swish(x)


class GELU(Module):
    """Apply `x * P(normal < x)`; approximate="tanh" for the usual formula."""

    def __init__(self, approximate: str = "none") -> None:
        self.approximate = approximate

    def forward(self, x: T) -> T:
        return F.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return "" if self.approximate == "none" else "approximate='tanh'"


class LeakyReLU(Module):
    """Return x where it is positive, else `x * negative_slope`."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        self.negative_slope = negative_slope

    def forward(self, x: T) -> T:
        return F.leaky_relu(x, self.negative_slope)

    def extra_repr(self) -> str:
        return "negative_slope=%g" % self.negative_slope


class PReLU(Module):
    """LeakyReLU with learned slopes: one, or one for each channel (axis 1)."""

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        self.num_parameters = num_parameters
        slopes = full((num_parameters,), float(init), dtype, device)
        self.weight = Parameter(slopes)

    def forward(self, x: T) -> T:
        return F.prelu(x, self.weight)

    def extra_repr(self) -> str:
        return "num_parameters=%d" % self.num_parameters


class ELU(Module):
    """Return x where it is positive, else `alpha * (exp(x) - 1)`."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self.alpha = alpha

    def forward(self, x: T) -> T:
        return F.elu(x, self.alpha)

    def extra_repr(self) -> str:
        return "alpha=%g" % self.alpha


class CELU(Module):
    """Return x where it is positive, else `alpha * (exp(x / alpha) - 1)`."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self.alpha = alpha

    def forward(self, x: T) -> T:
        return F.celu(x, self.alpha)

    def extra_repr(self) -> str:
        return "alpha=%g" % self.alpha


class Softplus(Module):
    """Apply `log(1 + exp(beta * x)) / beta`; x itself where beta * x > threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self.beta = beta
        self.threshold = threshold

    def forward(self, x: T) -> T:
        return F.softplus(x, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return "beta=%g, threshold=%g" % (self.beta, self.threshold)


class Hardtanh(Module):
    """Bring x into [min_val, max_val]."""

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
    ) -> None:
        self.min_val = min_val
        self.max_val = max_val

    def forward(self, x: T) -> T:
        return F.hardtanh(x, self.min_val, self.max_val)

    def extra_repr(self) -> str:
        return "min_val=%g, max_val=%g" % (self.min_val, self.max_val)


class Softmax(Module):
    """Apply `exp(x) / sum(exp(x))` along an axis."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: T) -> T:
        return F.softmax(x, self.dim)

    def extra_repr(self) -> str:
        return "dim=%d" % self.dim


class LogSoftmax(Module):
    """Apply `log(softmax(x))` along an axis."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: T) -> T:
        return F.log_softmax(x, self.dim)

    def extra_repr(self) -> str:
        return "dim=%d" % self.dim


class GLU(Module):
    """Cut an axis in halves a and b; return `a * sigmoid(b)`."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: T) -> T:
        return F.glu(x, self.dim)

    def extra_repr(self) -> str:
        return "dim=%d" % self.dim
