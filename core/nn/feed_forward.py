"""Feed-forward blocks of transformers, and the product of two inputs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ShapeError
from ..ops.activation import gelu
from ..ops.matmul import matmul
from .dropout import Dropout
from .init import symmetric
from .linear import Linear
from .module import Module
from .parameter import Parameter
from .rnn_steps import activation as named
from .sizes import positive

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class PositionWiseFeedForward(Module):
    """linear_outer(dropout(activation(linear_inner(x)))), at each place alike.

    Shapes: x [..., d_model] -> the same; d_ff features in between.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.PositionWiseFeedForward(4, 16)(fogo.ones(2, 3, 4)).shape
        (2, 3, 4)
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        dropout: float = 0.1,
        activation: Any = gelu,
        bias: bool = True,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        self.linear_inner = Linear(d_model, d_ff, bias, device=device, dtype=dtype)
        self.linear_outer = Linear(d_ff, d_model, bias, device=device, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.activation = named(activation, "PositionWiseFeedForward")

    def forward(self, x: T) -> T:
        inner: Any = self.activation(self.linear_inner(x))
        return self.linear_outer(self.dropout(inner))


class Bilinear(Module):
    """Apply `y[o] = x1 @ weight[o] @ x2 + bias[o]` over the last axes.

    Shapes: x1 [..., A], x2 [..., B], weight [O, A, B], bias [O] -> [..., O]. Both
    start uniform in ±1/sqrt(A). Raises: ShapeError.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.Bilinear(3, 4, 2)(fogo.ones(5, 3), fogo.ones(5, 4)).shape
        (5, 2)
    """

    bias: Any

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        positive(
            "Bilinear", in1_features=in1_features, in2_features=in2_features,
            out_features=out_features,
        )  # fmt: skip
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        bound = 1.0 / math.sqrt(in1_features)
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(symmetric(shape, bound, dtype, device))
        self.bias = None
        if bias:
            self.bias = Parameter(symmetric((out_features,), bound, dtype, device))

    def forward(self, input1: T, input2: Tensor) -> T:
        sizes = (self.in1_features, self.in2_features)
        if (
            input1.shape[:-1] != input2.shape[:-1]
            or input1.shape[-1:] + input2.shape[-1:] != sizes
        ):
            raise ShapeError(
                "Bilinear: inputs are [..., %d] and [..., %d]; given %s and %s"
                % (sizes + (list(input1.shape), list(input2.shape)))
            )
        a = input1.reshape((-1, sizes[0]))
        b = input2.reshape((-1, 1, sizes[1]))
        table = self.weight.permute((1, 0, 2)).reshape((sizes[0], -1))
        rows = matmul(a, table).reshape((-1, self.out_features, sizes[1]))
        y = (rows * b).sum(-1).reshape(input1.shape[:-1] + (self.out_features,))
        return y if self.bias is None else y + self.bias

    def extra_repr(self) -> str:
        text = "%d, %d, %d" % (
            self.in1_features, self.in2_features, self.out_features,
        )  # fmt: skip
        return text if self.bias is not None else text + ", bias=False"
