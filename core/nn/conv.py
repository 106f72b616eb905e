"""Convolution layers. Weights are laid out as in PyTorch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ShapeError
from ..ops import conv as F
from ..ops.padding import pad
from .init import symmetric
from .module import Module
from .parameter import Parameter
from .sizes import positive, short, spread

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
# One number, one for each axis, pairs (before, after) for each, "same" or "valid".
Padding = Any
_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


def _has_pairs(padding: Any) -> bool:
    return bool([p for p in padding if not isinstance(p, int)])


def _pair(name: str, padding: Any) -> tuple[int, int]:
    """(before, after) of an axis; one number stands for both."""
    before, after = spread(name, "padding", padding, 2)
    return before, after


class _Conv(Module):
    """What all share: `rank` spatial axes, and which way round the weight lies."""

    rank = 2
    transposed = False
    padding_mode = "zeros"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: Padding = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        self._set_up(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups
        )
        if padding_mode not in _PADDING_MODES:
            raise ShapeError(
                "%s: padding_mode is one of %s; given %r"
                % (type(self).__name__, ", ".join(_PADDING_MODES), padding_mode)
            )
        self.padding_mode = padding_mode
        self._fill(bias, device, dtype)

    def _set_up(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...],
        padding: Padding,
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
        if not isinstance(padding, (str, int)) and _has_pairs(padding):
            self.padding = tuple([_pair(name, p) for p in padding])
        elif not isinstance(padding, str):
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

    def _padded(self, x: T) -> tuple[T, Padding]:
        """(x, the padding that is left to do): zeros are the convolution's own."""
        if self.padding_mode == "zeros":
            return x, self.padding
        kernel = self.kernel_size
        pairs = F._pairs("pad", self.padding, kernel, self.stride, self.dilation)
        widths = ((0, 0),) * (x.ndim - self.rank) + pairs
        return pad(x, widths, self.padding_mode), 0

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
        if self.padding_mode != "zeros":
            parts.append("padding_mode=%s" % self.padding_mode)
        return ", ".join(parts)


class Conv1d(_Conv):
    """Convolve signals: x [N, C, L], weight [O, C/groups, K], bias [O] -> [N, O, M].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Conv1d(3, 4, 5)(fogo.ones((2, 3, 8))).shape
        (2, 4, 4)
    """

    rank = 1

    def forward(self, x: T) -> T:
        x, padding = self._padded(x)
        return F.conv1d(
            x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )


class Conv2d(_Conv):
    """Convolve images: x [N, C, H, W], weight [O, C/groups, K, K], bias [O].

    Gives [N, O, H', W'] with H' = (H + 2 padding - dilation (K - 1) - 1) // stride + 1.
    padding: a number, one for each axis, pairs (before, after), "same" or "valid";
    with zeros, or by padding_mode "reflect", "replicate" or "circular".

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Conv2d(1, 8, 3, stride=2, padding=1)(fogo.ones(2, 1, 8, 8)).shape
        (2, 8, 4, 4)
    """

    rank = 2

    def forward(self, x: T) -> T:
        x, padding = self._padded(x)
        return F.conv2d(
            x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )


class Conv3d(_Conv):
    """Convolve volumes: x [N, C, D, H, W], weight [O, C/groups, K, K, K], bias [O].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Conv3d(3, 4, 3, padding=1)(fogo.ones((2, 3, 4, 4, 4))).shape
        (2, 4, 4, 4, 4)
    """

    rank = 3

    def forward(self, x: T) -> T:
        x, padding = self._padded(x)
        return F.conv3d(
            x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )
