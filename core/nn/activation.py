"""Activations as modules: each applies the function of the same name in fogo.ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..ops import activation as F
from ..ops.creation import full
from ..ops.curves import tanh
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
    """Apply `max(x, 0)`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ReLU()(fogo.tensor([-1.0, 2.0])).tolist()
        [0.0, 2.0]
    """

    def forward(self, x: T) -> T:
        return F.relu(x)


class ReLU6(_Plain):
    """Bring x into [0, 6].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ReLU6()(fogo.tensor([-1.0, 3.0, 9.0])).tolist()
        [0.0, 3.0, 6.0]
    """

    def forward(self, x: T) -> T:
        return F.relu6(x)


class Sigmoid(Module):
    """Apply `1 / (1 + exp(-x))`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Sigmoid()(fogo.tensor([0.0])).tolist()
        [0.5]
    """

    def forward(self, x: T) -> T:
        return F.sigmoid(x)


class LogSigmoid(Module):
    """Apply `log(sigmoid(x))`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> round(nn.LogSigmoid()(fogo.tensor([0.0])).item(), 4)
        -0.6931
    """

    def forward(self, x: T) -> T:
        return F.log_sigmoid(x)


class Tanh(Module):
    """Apply the hyperbolic tangent.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Tanh()(fogo.tensor([0.0])).tolist()
        [0.0]
    """

    def forward(self, x: T) -> T:
        return tanh(x)


class Tanhshrink(Module):
    """Apply `x - tanh(x)`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> round(nn.Tanhshrink()(fogo.tensor([1.0])).item(), 4)
        0.2384
    """

    def forward(self, x: T) -> T:
        return F.tanhshrink(x)


class SiLU(_Plain):
    """Apply `x * sigmoid(x)`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> [round(v, 4) for v in nn.SiLU()(fogo.tensor([0.0, 1.0])).tolist()]
        [0.0, 0.7311]
    """

    def forward(self, x: T) -> T:
        return F.silu(x)


class Mish(_Plain):
    """Apply `x * tanh(softplus(x))`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> [round(v, 4) for v in nn.Mish()(fogo.tensor([0.0, 1.0])).tolist()]
        [0.0, 0.8651]
    """

    def forward(self, x: T) -> T:
        return F.mish(x)


class Softsign(Module):
    """Apply `x / (1 + |x|)`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Softsign()(fogo.tensor([-1.0, 3.0])).tolist()
        [-0.5, 0.75]
    """

    def forward(self, x: T) -> T:
        return F.softsign(x)


class SELU(_Plain):
    """Apply the scaled `elu` of self-normalising nets.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> [round(v, 4) for v in nn.SELU()(fogo.tensor([-1.0, 1.0])).tolist()]
        [-1.1113, 1.0507]
    """

    def forward(self, x: T) -> T:
        return F.selu(x)


class Hardsigmoid(_Plain):
    """Bring `(x + 3) / 6` into [0, 1].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Hardsigmoid()(fogo.tensor([-9.0, 0.0, 9.0])).tolist()
        [0.0, 0.5, 1.0]
    """

    def forward(self, x: T) -> T:
        return F.hard_sigmoid(x)


class Hardswish(_Plain):
    """Apply `x * hard_sigmoid(x)`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Hardswish()(fogo.tensor([-9.0, 9.0])).tolist()
        [0.0, 9.0]
    """

    def forward(self, x: T) -> T:
        return F.hard_swish(x)


class GELU(Module):
    """Apply `x * P(normal < x)`; approximate="tanh" for the usual formula.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> [round(v, 4) for v in nn.GELU()(fogo.tensor([0.0, 1.0])).tolist()]
        [0.0, 0.8413]
    """

    def __init__(self, approximate: str = "none") -> None:
        self.approximate = approximate

    def forward(self, x: T) -> T:
        return F.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return "" if self.approximate == "none" else "approximate='tanh'"


class LeakyReLU(Module):
    """Return x where it is positive, else `x * negative_slope`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.LeakyReLU(0.5)(fogo.tensor([-1.0, 2.0])).tolist()
        [-0.5, 2.0]
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        self.negative_slope = negative_slope

    def forward(self, x: T) -> T:
        return F.leaky_relu(x, self.negative_slope)

    def extra_repr(self) -> str:
        return "negative_slope=%g" % self.negative_slope


class PReLU(Module):
    """LeakyReLU with learned slopes: one, or one for each channel (axis 1).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.PReLU()(fogo.tensor([-1.0, 2.0])).tolist()
        [-0.25, 2.0]
    """

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
    """Return x where it is positive, else `alpha * (exp(x) - 1)`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> [round(v, 4) for v in nn.ELU()(fogo.tensor([-1.0, 2.0])).tolist()]
        [-0.6321, 2.0]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self.alpha = alpha

    def forward(self, x: T) -> T:
        return F.elu(x, self.alpha)

    def extra_repr(self) -> str:
        return "alpha=%g" % self.alpha


class CELU(Module):
    """Return x where it is positive, else `alpha * (exp(x / alpha) - 1)`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> [round(v, 4) for v in nn.CELU()(fogo.tensor([-1.0, 2.0])).tolist()]
        [-0.6321, 2.0]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self.alpha = alpha

    def forward(self, x: T) -> T:
        return F.celu(x, self.alpha)

    def extra_repr(self) -> str:
        return "alpha=%g" % self.alpha


class Softplus(Module):
    """Apply `log(1 + exp(beta * x)) / beta`; x itself where beta * x > threshold.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> round(nn.Softplus()(fogo.tensor([0.0])).item(), 4)
        0.6931
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self.beta = beta
        self.threshold = threshold

    def forward(self, x: T) -> T:
        return F.softplus(x, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return "beta=%g, threshold=%g" % (self.beta, self.threshold)


class Hardtanh(Module):
    """Bring x into [min_val, max_val].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Hardtanh()(fogo.tensor([-3.0, 0.5, 3.0])).tolist()
        [-1.0, 0.5, 1.0]
    """

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
    """Apply `exp(x) / sum(exp(x))` along an axis.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Softmax(dim=0)(fogo.tensor([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: T) -> T:
        return F.softmax(x, self.dim)

    def extra_repr(self) -> str:
        return "dim=%d" % self.dim


class LogSoftmax(Module):
    """Apply `log(softmax(x))` along an axis.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x = fogo.tensor([0.0, 0.0])
        >>> [round(v, 4) for v in nn.LogSoftmax(dim=0)(x).tolist()]
        [-0.6931, -0.6931]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: T) -> T:
        return F.log_softmax(x, self.dim)

    def extra_repr(self) -> str:
        return "dim=%d" % self.dim


class GLU(Module):
    """Cut an axis in halves a and b; return `a * sigmoid(b)`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.GLU()(fogo.tensor([4.0, 0.0])).tolist()
        [2.0]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: T) -> T:
        return F.glu(x, self.dim)

    def extra_repr(self) -> str:
        return "dim=%d" % self.dim
