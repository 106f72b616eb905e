"""Convolution layers. Padding is with zeros; weights are laid out as in PyTorch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..ops import conv as F
from .init import symmetric
from .module import Module
from .parameter import Parameter
from .sizes import positive, short, spread

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class _Conv(Module):
    """What all share: `rank` spatial axes, and which way round the weight lies."""

    rank = 2
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        self._set_up(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups
        )
        self._fill(bias, device, dtype)

    def _set_up(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...],
        padding: int | tuple[int, ...] | str,
        dilation: int | tuple[int, ...],
        groups: int,
    ) -> None:
        name = type(self).__name__
        positive(
            name, in_channels=in_channels, out_channels=out_channels, groups=groups
        )
        if in_channels % groups or out_channels % groups:
            raise ShapeError(
                "%s: groups must divide both channels; given in_channels=%d, "
                "out_channels=%d, groups=%d" % (name, in_channels, out_channels, groups)
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = spread(name, "kernel_size", kernel_size, self.rank, 1)
        self.stride = spread(name, "stride", stride, self.rank, 1)
        self.padding = padding
        if not isinstance(padding, str):
            self.padding = spread(name, "padding", padding, self.rank)
        self.dilation = spread(name, "dilation", dilation, self.rank, 1)
        self.groups = groups

    def _fill(
        self, bias: bool, device: Device | str | None, dtype: DType | str | None
    ) -> None:
        """Weight and bias uniform in ±1/sqrt(fan in), as in PyTorch."""
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        shape = (first, second // self.groups) + self.kernel_size
        fan = second // self.groups
        for n in self.kernel_size:
            fan *= n
        bound = 1.0 / math.sqrt(fan)
        self.weight = Parameter(symmetric(shape, bound, dtype, device))
        self.bias = None
        if bias:
            start = symmetric((self.out_channels,), bound, dtype, device)
            self.bias = Parameter(start)

    def extra_repr(self) -> str:
        parts = ["%d, %d" % (self.in_channels, self.out_channels)]
        parts.append("kernel_size=%s" % short(self.kernel_size))
        for name, usual in (("stride", 1), ("padding", 0), ("dilation", 1)):
            value = short(getattr(self, name))
            if value != str(usual):
                parts.append("%s=%s" % (name, value))
        if self.groups != 1:
            parts.append("groups=%d" % self.groups)
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


class Conv1d(_Conv):
    """Convolve signals: x [N, C, L], weight [O, C/groups, K], bias [O] -> [N, O, M]."""

    rank = 1

    def forward(self, x: T) -> T:
        return F.conv1d(
            x, self.weight, self.bias, self.stride, self.padding, self.dilation,
            self.groups,
        )  # fmt: skip


class Conv2d(_Conv):
    """Convolve images: x [N, C, H, W], weight [O, C/groups, K, K], bias [O].

    Gives [N, O, H', W'] with H' = (H + 2 padding - dilation (K - 1) - 1) // stride + 1.
    padding: a number, one for each axis, "same" or "valid".

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Conv2d(1, 8, 3, stride=2, padding=1)(fogo.ones(2, 1, 8, 8)).shape
        (2, 8, 4, 4)
    """

    rank = 2

    def forward(self, x: T) -> T:
        return F.conv2d(
            x, self.weight, self.bias, self.stride, self.padding, self.dilation,
            self.groups,
        )  # fmt: skip


class Conv3d(_Conv):
    """Convolve volumes: x [N, C, D, H, W], weight [O, C/groups, K, K, K], bias [O]."""

    rank = 3

    def forward(self, x: T) -> T:
        return F.conv3d(
            x, self.weight, self.bias, self.stride, self.padding, self.dilation,
            self.groups,
        )  # fmt: skip


class ConvTranspose2d(_Conv):
    """The transpose of a convolution: x [N, C, H, W], weight [C, O/groups, K, K].

    Gives H' = (H - 1) stride - 2 padding + dilation (K - 1) + output_padding + 1.
    """

    rank = 2
    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        self._set_up(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups
        )
        self.output_padding = spread(
            "ConvTranspose2d", "output_padding", output_padding, self.rank
        )
        self.spaces = spread("ConvTranspose2d", "padding", padding, self.rank)
        self._fill(bias, device, dtype)

    def forward(self, x: T) -> T:
        return F.conv_transpose2d(
            x, self.weight, self.bias, self.stride, self.spaces, self.output_padding,
            self.groups, self.dilation,
        )  # fmt: skip
