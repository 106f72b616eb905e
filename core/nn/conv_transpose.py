"""Transposed convolutions: each spreads what the convolution of its shape gathers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..ops import conv as F
from .conv import _Conv
from .sizes import spread

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_FUNCTIONS = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)


class _ConvTranspose(_Conv):
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
        name = type(self).__name__
        self.output_padding = spread(name, "output_padding", output_padding, self.rank)
        self.spaces = spread(name, "padding", padding, self.rank)
        self._fill(bias, device, dtype)

    def forward(self, x: T, output_size: tuple[int, ...] | None = None) -> T:
        extra = self.output_padding
        if output_size is not None:
            extra = self._extra(x, tuple(output_size))
        return _FUNCTIONS[self.rank - 1](
            x, self.weight, self.bias, self.stride, self.spaces, extra, self.groups,
            self.dilation,
        )  # fmt: skip

    def _extra(self, x: T, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """The output_padding that gives a size, which the stride leaves open."""
        rank = self.rank
        sizes = x.shape[x.ndim - rank :]
        wanted = wanted[len(wanted) - rank :]
        extra = []
        for i in range(rank):
            reach = self.dilation[i] * (self.kernel_size[i] - 1) + 1
            least = (sizes[i] - 1) * self.stride[i] - 2 * self.spaces[i] + reach
            extra.append(wanted[i] - least)
        if min(extra) < 0 or [e for e, s in zip(extra, self.stride) if e >= s]:
            raise ShapeError(
                "%s: output_size is what the stride allows; given %s for x=%s"
                % (type(self).__name__, wanted, list(x.shape))
            )
        return tuple(extra)


class ConvTranspose1d(_ConvTranspose):
    """The transpose of a convolution: x [N, C, L], weight [C, O/groups, K].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ConvTranspose1d(3, 4, 2, stride=2)(fogo.ones((2, 3, 8))).shape
        (2, 4, 16)
    """

    rank = 1


class ConvTranspose2d(_ConvTranspose):
    """The transpose of a convolution: x [N, C, H, W], weight [C, O/groups, K, K].

    Gives H' = (H - 1) stride - 2 padding + dilation (K - 1) + output_padding + 1;
    `layer(x, output_size=…)` finds the output_padding.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ConvTranspose2d(3, 2, 2, stride=2)(fogo.ones(1, 3, 4, 4)).shape
        (1, 2, 8, 8)
    """

    rank = 2


class ConvTranspose3d(_ConvTranspose):
    """The transpose of a convolution: x [N, C, D, H, W], weight [C, O/groups, …K].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ConvTranspose3d(3, 4, 2, stride=2)(fogo.ones((2, 3, 2, 2, 2))).shape
        (2, 4, 4, 4, 4)
    """

    rank = 3
