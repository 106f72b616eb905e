"""Fully connected layers, and the plain plumbing beside them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from ..backend.policy import beside
from ..errors import ShapeError
from ..ops.matmul import matmul
from ..shapes import normalize_axis
from .init import symmetric
from .module import Module
from .parameter import Parameter
from .sizes import positive

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class Linear(Module):
    """Apply `y = x @ weight.T + bias` over the last axis.

    Shapes: x [..., C], weight [O, C], bias [O] -> [..., O]. Both start uniform in
    ±1/sqrt(C), as in PyTorch. Raises: ShapeError where x does not end in C.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Linear(4, 2)(fogo.ones(3, 4)).shape
        (3, 2)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        positive("Linear", in_features=in_features, out_features=out_features)
        self.in_features = in_features
        self.out_features = out_features
        bound = 1.0 / math.sqrt(in_features)
        shape = (out_features, in_features)
        self.weight = Parameter(symmetric(shape, bound, dtype, device))
        self.bias = None
        if bias:
            self.bias = Parameter(symmetric((out_features,), bound, dtype, device))

    def forward(self, x: T) -> T:
        if x.ndim == 0 or x.shape[-1] != self.in_features:
            raise ShapeError(
                "Linear: the last axis must have in_features=%d; given x=%s"
                % (self.in_features, list(x.shape))
            )
        y = matmul(x, self.weight.transpose())
        return y if self.bias is None else y + beside(self.bias, y)

    def extra_repr(self) -> str:
        text = "%d, %d" % (self.in_features, self.out_features)
        return text if self.bias is not None else text + ", bias=False"


class Identity(Module):
    """Return the input; takes and ignores any arguments.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Identity()(fogo.tensor([1.0])).tolist()
        [1.0]
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        pass

    def forward(self, x: T) -> T:
        return x


class Flatten(Module):
    """Merge the axes from start_dim to end_dim into one: [N, C, H, W] -> [N, CHW].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Flatten()(fogo.ones((2, 3, 4))).shape
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, x: T) -> T:
        return x.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        if (self.start_dim, self.end_dim) == (1, -1):
            return ""
        return "start_dim=%d, end_dim=%d" % (self.start_dim, self.end_dim)


class Unflatten(Module):
    """Cut an axis into several: the reverse of `Flatten`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Unflatten(1, (2, 3))(fogo.ones(4, 6)).shape
        (4, 2, 3)
    """

    def __init__(self, dim: int, unflattened_size: tuple[int, ...]) -> None:
        self.dim = dim
        self.unflattened_size = tuple(unflattened_size)

    def forward(self, x: T) -> T:
        axis = normalize_axis("Unflatten", self.dim, x.ndim)
        sizes = self.unflattened_size
        return x.reshape(x.shape[:axis] + sizes + x.shape[axis + 1 :])

    def extra_repr(self) -> str:
        return "dim=%d, unflattened_size=%s" % (self.dim, self.unflattened_size)
