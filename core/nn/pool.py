"""Pooling layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..ops import pool as F
from .module import Module
from .sizes import short

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class _MaxPool(Module):
    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return _settings(self, ("padding", 0), ("dilation", 1), ("ceil_mode", False))


class _AvgPool(Module):
    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def extra_repr(self) -> str:
        return _settings(
            self, ("padding", 0), ("ceil_mode", False), ("count_include_pad", True)
        )


def _settings(layer, *usual):
    parts = ["kernel_size=" + short(layer.kernel_size)]
    if layer.stride != layer.kernel_size:
        parts.append("stride=" + short(layer.stride))
    for name, value in usual:
        given = getattr(layer, name)
        if given != value:
            parts.append("%s=%s" % (name, short(given)))
    return ", ".join(parts)


class MaxPool1d(_MaxPool):
    """Take the largest of each window: x [N, C, L] -> [N, C, L'].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.MaxPool1d(2)(fogo.tensor([[[1.0, 3.0, 5.0, 7.0]]])).tolist()
        [[[3.0, 7.0]]]
    """

    def forward(self, x: T) -> Any:
        return F.max_pool1d(
            x, self.kernel_size, self.stride, self.padding, self.dilation,
            self.ceil_mode, self.return_indices,
        )  # fmt: skip


class MaxPool2d(_MaxPool):
    """Take the largest of each window: x [N, C, H, W] -> [N, C, H', W'].

    The stride is the window's size unless given. Padding never wins. With
    return_indices: (values, their places in the plane, for `MaxUnpool2d`).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.MaxPool2d(2)(fogo.ones(1, 3, 8, 8)).shape
        (1, 3, 4, 4)
    """

    def forward(self, x: T) -> Any:
        return F.max_pool2d(
            x, self.kernel_size, self.stride, self.padding, self.dilation,
            self.ceil_mode, self.return_indices,
        )  # fmt: skip


class MaxPool3d(_MaxPool):
    """Take the largest of each window: x [N, C, D, H, W] -> [N, C, D', H', W'].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.MaxPool3d(2)(fogo.ones((1, 1, 4, 4, 4))).shape
        (1, 1, 2, 2, 2)
    """

    def forward(self, x: T) -> Any:
        return F.max_pool3d(
            x, self.kernel_size, self.stride, self.padding, self.dilation,
            self.ceil_mode, self.return_indices,
        )  # fmt: skip


class AvgPool1d(_AvgPool):
    """Average each window: x [N, C, L] -> [N, C, L'].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AvgPool1d(2)(fogo.tensor([[[1.0, 3.0, 5.0, 7.0]]])).tolist()
        [[[2.0, 6.0]]]
    """

    def forward(self, x: T) -> T:
        return F.avg_pool1d(
            x, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip


class AvgPool2d(_AvgPool):
    """Average each window: x [N, C, H, W] -> [N, C, H', W'].

    Zeros of the padding count unless count_include_pad is False; divisor_override
    divides the sums by another number.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AvgPool2d(2)(fogo.ones((1, 1, 4, 4))).tolist()
        [[[[1.0, 1.0], [1.0, 1.0]]]]
    """

    def forward(self, x: T) -> T:
        return F.avg_pool2d(
            x, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip


class AvgPool3d(_AvgPool):
    """Average each window: x [N, C, D, H, W] -> [N, C, D', H', W'].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AvgPool3d(2)(fogo.ones((1, 1, 4, 4, 4))).shape
        (1, 1, 2, 2, 2)
    """

    def forward(self, x: T) -> T:
        return F.avg_pool3d(
            x, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip


class _Adaptive(Module):
    """What layers share whose windows follow from the size of the result."""

    def __init__(self, output_size: int | tuple[int | None, ...]) -> None:
        self.output_size = output_size

    def extra_repr(self) -> str:
        return "output_size=%s" % (self.output_size,)


class AdaptiveAvgPool1d(_Adaptive):
    """Average into a fixed number of windows: x [N, C, L] -> [N, C, output_size].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AdaptiveAvgPool1d(2)(fogo.tensor([[[1.0, 3.0, 5.0, 7.0]]])).tolist()
        [[[2.0, 6.0]]]
    """

    def forward(self, x: T) -> T:
        return F.adaptive_avg_pool1d(x, self.output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """Average into a fixed number of windows: x [N, C, H, W] -> [N, C, *output_size].

    None as a size keeps that of x.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AdaptiveAvgPool2d(2)(fogo.ones((1, 1, 4, 4))).tolist()
        [[[[1.0, 1.0], [1.0, 1.0]]]]
    """

    def forward(self, x: T) -> T:
        return F.adaptive_avg_pool2d(x, self.output_size)


class AdaptiveAvgPool3d(_Adaptive):
    """Average into windows: x [N, C, D, H, W] -> [N, C, *output_size].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.AdaptiveAvgPool3d(2)(fogo.ones((1, 1, 4, 4, 4))).shape
        (1, 1, 2, 2, 2)
    """

    def forward(self, x: T) -> T:
        return F.adaptive_avg_pool3d(x, self.output_size)
