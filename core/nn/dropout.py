"""Dropout and noise: what a model sees in training only."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..ops import noise as F
from ..ops.norm import dropout
from .module import Module

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class Dropout(Module):
    """In training, set each number to 0 with probability p, scale the rest by 1/(1-p).

    After `eval()` it returns x. The draw is the device's: equal seeds, equal masks.
    `inplace` is PyTorch's and changes nothing: values never change under a tensor.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x = nn.Dropout(0.5)(fogo.ones(1000))
        >>> sorted(set(x.tolist()))
        [0.0, 2.0]
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if not 0.0 <= p <= 1.0:
            raise ShapeError(
                "%s: p is a probability; given %r" % (type(self).__name__, p)
            )
        self.p = p

    def forward(self, x: T) -> T:
        return dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        return "p=%g" % self.p


class Dropout1d(Dropout):
    """In training, drop whole channels of x [N, C, L] or [C, L].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Dropout1d(0.5)(fogo.ones(2, 3, 4)).shape
        (2, 3, 4)
    """

    def forward(self, x: T) -> T:
        return F.dropout1d(x, self.p, self.training)


class Dropout2d(Dropout):
    """In training, drop whole channels of x [N, C, H, W] or [C, H, W].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Dropout2d(0.5).eval()(fogo.ones(1, 1, 1, 2)).tolist()
        [[[[1.0, 1.0]]]]
    """

    def forward(self, x: T) -> T:
        return F.dropout2d(x, self.p, self.training)


class Dropout3d(Dropout):
    """In training, drop whole channels of x [N, C, D, H, W] or [C, D, H, W].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Dropout3d(0.5)(fogo.ones(2, 3, 4, 4, 4)).shape
        (2, 3, 4, 4, 4)
    """

    def forward(self, x: T) -> T:
        return F.dropout3d(x, self.p, self.training)


class AlphaDropout(Dropout):
    """Dropout for nets of `SELU`: mean 0 and variance 1 stay.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AlphaDropout(0.5).eval()(fogo.ones(2)).tolist()
        [1.0, 1.0]
    """

    def forward(self, x: T) -> T:
        return F.alpha_dropout(x, self.p, self.training)


class FeatureAlphaDropout(Dropout):
    """`AlphaDropout` of whole channels: x [N, C, ...].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.FeatureAlphaDropout(0.5).eval()(fogo.ones(1, 2, 2)).shape
        (1, 2, 2)
    """

    def forward(self, x: T) -> T:
        return F.feature_alpha_dropout(x, self.p, self.training)


class GaussianNoise(Module):
    """In training, add normal noise of standard deviation `std`; else return x.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.GaussianNoise(0.1).eval()(fogo.ones(2)).tolist()
        [1.0, 1.0]
    """

    def __init__(self, std: float = 1.0) -> None:
        if std < 0:
            raise ShapeError("GaussianNoise: std is not negative; given %g" % std)
        self.std = std

    def forward(self, x: T) -> T:
        return F.gaussian_noise(x, self.std, self.training)

    def extra_repr(self) -> str:
        return "std=%g" % self.std
