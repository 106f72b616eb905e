"""Padding as layers: `padding` is one number, or PyTorch's (left, right, top, …)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..ops.padding import pad
from .module import Module

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class _Pad(Module):
    """What all share: `rank` axes at the end, and how they are filled."""

    rank = 1
    mode = "constant"
    value = 0.0

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        count = 2 * self.rank
        widths = (padding,) * count if isinstance(padding, int) else tuple(padding)
        if len(widths) != count or min(widths) < 0:
            raise ShapeError(
                "%s: padding is one number, or %d that are not negative, the last axis "
                "first; given %r" % (type(self).__name__, count, padding)
            )
        self.padding = widths

    def forward(self, x: T) -> T:
        if x.ndim < self.rank:
            raise ShapeError(
                "%s: x has at least %d axes; given %s"
                % (type(self).__name__, self.rank, list(x.shape))
            )
        pairs = [(0, 0)] * (x.ndim - self.rank)
        for i in range(self.rank):
            at = 2 * (self.rank - 1 - i)
            pairs.append((self.padding[at], self.padding[at + 1]))
        return pad(x, pairs, self.mode, self.value)

    def extra_repr(self) -> str:
        return repr(self.padding)


class _ConstantPad(_Pad):
    def __init__(self, padding: int | tuple[int, ...], value: float) -> None:
        _Pad.__init__(self, padding)
        self.value = value

    def extra_repr(self) -> str:
        return "padding=%s, value=%s" % (self.padding, self.value)


class ConstantPad1d(_ConstantPad):
    """Add `value` on both sides of the last axis: padding (left, right).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ConstantPad1d(1, 7)(fogo.tensor([[1, 2, 3]])).tolist()
        [[7, 1, 2, 3, 7]]
    """


class ConstantPad2d(_ConstantPad):
    """Add `value` around the last two axes: padding (left, right, top, bottom).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ConstantPad2d((1, 0, 0, 1), 7.0)(fogo.zeros(1, 1)).tolist()
        [[7.0, 0.0], [7.0, 7.0]]
    """

    rank = 2


class ConstantPad3d(_ConstantPad):
    """Add `value` around the last three axes: (left, right, top, bottom, front, …).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ConstantPad3d(1, 7)(fogo.ones((1, 2, 2, 2))).shape
        (1, 4, 4, 4)
    """

    rank = 3


class ZeroPad1d(_Pad):
    """Add zeros on both sides of the last axis.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ZeroPad1d(1)(fogo.tensor([[1, 2, 3]])).tolist()
        [[0, 1, 2, 3, 0]]
    """


class ZeroPad2d(_Pad):
    """Add zeros around the last two axes: padding (left, right, top, bottom).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ZeroPad2d(1)(fogo.ones((1, 2, 2))).shape
        (1, 4, 4)
    """

    rank = 2


class ZeroPad3d(_Pad):
    """Add zeros around the last three axes.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ZeroPad3d(1)(fogo.ones((1, 2, 2, 2))).shape
        (1, 4, 4, 4)
    """

    rank = 3


class ReflectionPad1d(_Pad):
    """Mirror the last axis at its ends, which are not repeated.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ReflectionPad1d(1)(fogo.tensor([[1, 2, 3]])).tolist()
        [[2, 1, 2, 3, 2]]
    """

    mode = "reflect"


class ReflectionPad2d(_Pad):
    """Mirror the last two axes at their ends: padding (left, right, top, bottom).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ReflectionPad2d(1)(fogo.ones((1, 2, 2))).shape
        (1, 4, 4)
    """

    rank = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """Mirror the last three axes at their ends.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ReflectionPad3d(1)(fogo.ones((1, 2, 2, 2))).shape
        (1, 4, 4, 4)
    """

    rank = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """Repeat the ends of the last axis.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ReplicationPad1d(1)(fogo.tensor([[1, 2, 3]])).tolist()
        [[1, 1, 2, 3, 3]]
    """

    mode = "replicate"


class ReplicationPad2d(_Pad):
    """Repeat the edges of the last two axes: padding (left, right, top, bottom).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ReplicationPad2d(1)(fogo.ones((1, 2, 2))).shape
        (1, 4, 4)
    """

    rank = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """Repeat the edges of the last three axes.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.ReplicationPad3d(1)(fogo.ones((1, 2, 2, 2))).shape
        (1, 4, 4, 4)
    """

    rank = 3
    mode = "replicate"


class CircularPad1d(_Pad):
    """Go on at the other end of the last axis.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.CircularPad1d(1)(fogo.tensor([[1, 2, 3]])).tolist()
        [[3, 1, 2, 3, 1]]
    """

    mode = "circular"


class CircularPad2d(_Pad):
    """Go on at the other end of the last two axes: (left, right, top, bottom).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.CircularPad2d(1)(fogo.ones((1, 2, 2))).shape
        (1, 4, 4)
    """

    rank = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """Go on at the other end of the last three axes.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.CircularPad3d(1)(fogo.ones((1, 2, 2, 2))).shape
        (1, 4, 4, 4)
    """

    rank = 3
    mode = "circular"
