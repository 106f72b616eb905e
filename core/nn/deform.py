"""Deformable convolution as a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..ops.deform import deform_conv2d
from .conv import _Conv

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class DeformConv2d(_Conv):
    """Convolve with moved taps: x [N, C, H, W], offset [N, 2 G K K, H', W'], mask.

    offset holds (row, column) for each of G sets of channels and each tap, mask
    [N, G K K, H', W'] a factor. Names and layouts are torchvision's.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> layer = nn.DeformConv2d(2, 4, 3, padding=1)
        >>> layer(fogo.ones(1, 2, 5, 5), fogo.zeros(1, 18, 5, 5)).shape
        (1, 4, 5, 5)
    """

    rank = 2

    def forward(self, x: T, offset: Tensor, mask: Tensor | None = None) -> T:
        return deform_conv2d(
            x, offset, self.weight, self.bias, self.stride, self.padding,
            self.dilation, mask,
        )  # fmt: skip
