"""Adaptive largest, power means, and unpooling as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..ops import pool_more as F
from .module import Module
from .pool import _settings

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class _AdaptiveMax(Module):
    def __init__(
        self, output_size: int | tuple[int | None, ...], return_indices: bool = False
    ) -> None:
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        return "output_size=%s" % (self.output_size,)


class AdaptiveMaxPool1d(_AdaptiveMax):
    """The largest of a fixed number of windows: x [N, C, L] -> [N, C, output_size].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AdaptiveMaxPool1d(2)(fogo.tensor([[[1.0, 3.0, 5.0, 7.0]]])).tolist()
        [[[3.0, 7.0]]]
    """

    def forward(self, x: T) -> Any:
        return F.adaptive_max_pool1d(x, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMax):
    """The largest of a fixed number of windows: x [N, C, H, W] -> [N, C, *output_size].

    None as a size keeps that of x. With return_indices: (values, places in a plane).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AdaptiveMaxPool2d((2, None))(fogo.ones(1, 3, 7, 5)).shape
        (1, 3, 2, 5)
    """

    def forward(self, x: T) -> Any:
        return F.adaptive_max_pool2d(x, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMax):
    """The largest of windows: x [N, C, D, H, W] -> [N, C, *output_size].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AdaptiveMaxPool3d(2)(fogo.ones((1, 1, 4, 4, 4))).shape
        (1, 1, 2, 2, 2)
    """

    def forward(self, x: T) -> Any:
        return F.adaptive_max_pool3d(x, self.output_size, self.return_indices)


class _LPPool(Module):
    def __init__(
        self,
        norm_type: float,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        ceil_mode: bool = False,
    ) -> None:
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        rest = _settings(self, ("ceil_mode", False))
        return "norm_type=%s, %s" % (self.norm_type, rest)


class LPPool1d(_LPPool):
    """The p-norm of each window: x [N, C, L] -> [N, C, L'], p = norm_type.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.LPPool1d(2, 2)(fogo.tensor([[[3.0, 4.0]]])).tolist()
        [[[5.0]]]
    """

    def forward(self, x: T) -> T:
        return F.lp_pool1d(
            x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )


class LPPool2d(_LPPool):
    """The p-norm of each window: x [N, C, H, W] -> [N, C, H', W'], p = norm_type.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.LPPool2d(2, 2)(fogo.ones((1, 1, 2, 2))).tolist()
        [[[[2.0]]]]
    """

    def forward(self, x: T) -> T:
        return F.lp_pool2d(
            x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )


class LPPool3d(_LPPool):
    """The p-norm of each window: x [N, C, D, H, W], p = norm_type.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.LPPool3d(2, 2)(fogo.ones((1, 1, 4, 4, 4))).shape
        (1, 1, 2, 2, 2)
    """

    def forward(self, x: T) -> T:
        return F.lp_pool3d(
            x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )


class _Unpool(Module):
    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
    ) -> None:
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding

    def extra_repr(self) -> str:
        return _settings(self, ("padding", 0))


class MaxUnpool1d(_Unpool):
    """Put what `MaxPool1d` found back: x and its places [N, C, L'] -> [N, C, L].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.MaxUnpool1d(2)(fogo.tensor([[[5.0]]]), fogo.tensor([[[1]]])).tolist()
        [[[0.0, 5.0]]]
    """

    def forward(
        self, x: T, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> T:
        return F.max_unpool1d(
            x, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool2d(_Unpool):
    """Put what `MaxPool2d` found back: x and its places -> [N, C, H, W], else 0.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x = fogo.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> values, places = nn.MaxPool2d(2, return_indices=True)(x)
        >>> nn.MaxUnpool2d(2)(values, places).tolist()
        [[[0.0, 0.0], [0.0, 4.0]]]
    """

    def forward(
        self, x: T, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> T:
        return F.max_unpool2d(
            x, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool3d(_Unpool):
    """Put what `MaxPool3d` found back: x and its places -> [N, C, D, H, W], else 0.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([[[[[5.0]]]]]), fogo.tensor([[[[[7]]]]])
        >>> nn.MaxUnpool3d(2)(x, y).shape
        (1, 1, 2, 2, 2)
    """

    def forward(
        self, x: T, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> T:
        return F.max_unpool3d(
            x, indices, self.kernel_size, self.stride, self.padding, output_size
        )
