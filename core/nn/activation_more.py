"""More activations as modules: gates, thresholds, shrinking, other softmaxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..ops import activation as F
from ..ops import gates as G
from .linear import Linear
from .module import Module

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class RReLU(Module):
    """LeakyReLU whose slopes are drawn in training, and their mean after `eval()`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.RReLU(0.25, 0.25)(fogo.tensor([-1.0, 2.0])).tolist()
        [-0.25, 2.0]
    """

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        self.lower = lower
        self.upper = upper

    def forward(self, x: T) -> T:
        return G.rrelu(x, self.lower, self.upper, self.training)

    def extra_repr(self) -> str:
        return "lower=%g, upper=%g" % (self.lower, self.upper)


class Threshold(Module):
    """Return x where it is above `threshold`, else `value`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Threshold(1.0, 0.0)(fogo.tensor([0.5, 2.0])).tolist()
        [0.0, 2.0]
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        self.threshold = threshold
        self.value = value

    def forward(self, x: T) -> T:
        return F.threshold(x, self.threshold, self.value)

    def extra_repr(self) -> str:
        return "threshold=%g, value=%g" % (self.threshold, self.value)


class ThresholdedReLU(Module):
    """Return x where it is above `alpha`, else 0.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ThresholdedReLU(1.0)(fogo.tensor([0.5, 2.0])).tolist()
        [0.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def forward(self, x: T) -> T:
        return G.thresholded_relu(x, self.alpha)

    def extra_repr(self) -> str:
        return "alpha=%g" % self.alpha


class Hardshrink(Module):
    """Return x, with 0 where it lies in [-lambd, lambd].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Hardshrink()(fogo.tensor([-1.0, 0.2, 1.0])).tolist()
        [-1.0, 0.0, 1.0]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        self.lambd = lambd

    def forward(self, x: T) -> T:
        return F.hardshrink(x, self.lambd)

    def extra_repr(self) -> str:
        return "lambd=%g" % self.lambd


class Softshrink(Module):
    """Return x moved towards 0 by `lambd`, and 0 where it is nearer than that.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Softshrink()(fogo.tensor([-2.0, 0.2, 2.0])).tolist()
        [-1.5, 0.0, 1.5]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        self.lambd = lambd

    def forward(self, x: T) -> T:
        return F.softshrink(x, self.lambd)

    def extra_repr(self) -> str:
        return "lambd=%g" % self.lambd


class Shrink(Module):
    """Return x moved towards 0 by `bias`, and 0 where |x| is at most `lambd`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Shrink()(fogo.tensor([-1.0, 0.2, 1.0])).tolist()
        [-1.0, 0.0, 1.0]
    """

    def __init__(self, lambd: float = 0.5, bias: float = 0.0) -> None:
        self.lambd = lambd
        self.offset = bias

    def forward(self, x: T) -> T:
        return G.shrink(x, self.lambd, self.offset)

    def extra_repr(self) -> str:
        return "lambd=%g, bias=%g" % (self.lambd, self.offset)


class Softmin(Module):
    """Apply `softmax(-x)` along an axis.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Softmin(dim=0)(fogo.tensor([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: T) -> T:
        return F.softmin(x, self.dim)

    def extra_repr(self) -> str:
        return "dim=%d" % self.dim


class Softmax2d(Module):
    """Apply softmax over the channels of each place: x [N, C, H, W] or [C, H, W].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Softmax2d()(fogo.zeros((1, 2, 1, 1))).tolist()
        [[[[0.5]], [[0.5]]]]
    """

    def forward(self, x: T) -> T:
        if x.ndim not in (3, 4):
            raise ShapeError(
                "Softmax2d: x is [N, C, H, W] or [C, H, W]; given x=%s" % list(x.shape)
            )
        return F.softmax(x, -3)


class QuietSoftmax(Module):
    """Apply `exp(x) / (1 + sum(exp(x)))` along an axis.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.QuietSoftmax(dim=0)(fogo.tensor([0.0])).tolist()
        [0.5]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: T) -> T:
        return G.quiet_softmax(x, self.dim)

    def extra_repr(self) -> str:
        return "dim=%d" % self.dim


class SwiGLU(Module):
    """Return `silu(linear_inner(x)) * linear_outer(x)`: x [..., C] -> [..., O].

    Shazeer, "GLU variants improve transformer", 2020; Burn's names and layout.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.SwiGLU(4, 8)(fogo.ones(2, 4)).shape
        (2, 8)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = False,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        self.linear_inner = Linear(
            in_features, out_features, bias, device=device, dtype=dtype
        )
        self.linear_outer = Linear(
            in_features, out_features, bias, device=device, dtype=dtype
        )

    def forward(self, x: T) -> T:
        return F.silu(self.linear_inner(x)) * self.linear_outer(x)
