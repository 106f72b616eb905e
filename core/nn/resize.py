"""Resizing, windows as columns, and channels for places, as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..ops import unfold as W
from ..ops.interpolate import interpolate
from ..ops.shuffle import channel_shuffle, pixel_shuffle, pixel_unshuffle
from .module import Module

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class Upsample(Module):
    """Resample x [N, C, ...S] to `size`, or to its size times `scale_factor`.

    mode: "nearest", "linear", "bilinear", "bicubic", "trilinear" and what else
    `fogo.interpolate` knows; the options are its own.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Upsample(scale_factor=2, mode="bilinear")(fogo.ones(1, 1, 2, 3)).shape
        (1, 1, 4, 6)
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, x: T) -> T:
        return interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners,
            self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        name = "size" if self.scale_factor is None else "scale_factor"
        return "%s=%s, mode=%r" % (name, getattr(self, name), self.mode)


class Interpolate(Upsample):
    """`Upsample` by Burn's name.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Interpolate(scale_factor=2)(fogo.tensor([[[1.0, 2.0]]])).tolist()
        [[[1.0, 1.0, 2.0, 2.0]]]
    """


class UpsamplingNearest2d(Upsample):
    """Repeat the nearest place: x [N, C, H, W].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.UpsamplingNearest2d(scale_factor=2)(fogo.ones((1, 1, 2, 2))).shape
        (1, 1, 4, 4)
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
    ) -> None:
        Upsample.__init__(self, size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Mix the nearest four places, corners on corners: x [N, C, H, W].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.UpsamplingBilinear2d(scale_factor=2)(fogo.ones((1, 1, 2, 2))).shape
        (1, 1, 4, 4)
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
    ) -> None:
        Upsample.__init__(self, size, scale_factor, "bilinear", True)


class PixelShuffle(Module):
    """Lay channels out as places: [..., C r r, H, W] -> [..., C, H r, W r].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.PixelShuffle(2)(fogo.ones((1, 4, 3, 3))).shape
        (1, 1, 6, 6)
    """

    def __init__(self, upscale_factor: int) -> None:
        self.upscale_factor = upscale_factor

    def forward(self, x: T) -> T:
        return pixel_shuffle(x, self.upscale_factor)

    def extra_repr(self) -> str:
        return "upscale_factor=%d" % self.upscale_factor


class PixelUnshuffle(Module):
    """Lay places out as channels: [..., C, H r, W r] -> [..., C r r, H, W].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.PixelUnshuffle(2)(fogo.ones((1, 1, 6, 6))).shape
        (1, 4, 3, 3)
    """

    def __init__(self, downscale_factor: int) -> None:
        self.downscale_factor = downscale_factor

    def forward(self, x: T) -> T:
        return pixel_unshuffle(x, self.downscale_factor)

    def extra_repr(self) -> str:
        return "downscale_factor=%d" % self.downscale_factor


class ChannelShuffle(Module):
    """Deal the channels of groups out in turn: x [N, C, ...S].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ChannelShuffle(2)(fogo.arange(4).reshape((1, 4, 1))).tolist()
        [[[0], [2], [1], [3]]]
    """

    def __init__(self, groups: int) -> None:
        self.groups = groups

    def forward(self, x: T) -> T:
        return channel_shuffle(x, self.groups)

    def extra_repr(self) -> str:
        return "groups=%d" % self.groups


class Unfold(Module):
    """The windows of images as columns: [N, C, H, W] -> [N, C K K, L].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Unfold(2)(fogo.ones((1, 1, 3, 3))).shape
        (1, 4, 4)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, int],
        dilation: int | tuple[int, int] = 1,
        padding: int | tuple[int, int] = 0,
        stride: int | tuple[int, int] = 1,
    ) -> None:
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, x: T) -> T:
        return W.unfold(
            x, self.kernel_size, self.dilation, self.padding, self.stride
        )  # fmt: skip

    def extra_repr(self) -> str:
        return "kernel_size=%s, dilation=%s, padding=%s, stride=%s" % (
            self.kernel_size, self.dilation, self.padding, self.stride,
        )  # fmt: skip


class Fold(Module):
    """Columns of windows, added up to images: [N, C K K, L] -> [N, C, H, W].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Fold((3, 3), 2)(fogo.ones((1, 4, 4))).tolist()
        [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """

    def __init__(
        self,
        output_size: int | tuple[int, int],
        kernel_size: int | tuple[int, int],
        dilation: int | tuple[int, int] = 1,
        padding: int | tuple[int, int] = 0,
        stride: int | tuple[int, int] = 1,
    ) -> None:
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, x: T) -> T:
        return W.fold(
            x, self.output_size, self.kernel_size, self.dilation, self.padding,
            self.stride,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return "output_size=%s, kernel_size=%s, dilation=%s, padding=%s, stride=%s" % (
            self.output_size, self.kernel_size, self.dilation, self.padding,
            self.stride,
        )  # fmt: skip
