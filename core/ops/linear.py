"""Affine maps: of one operand, and of two at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..backend.policy import beside
from ..errors import ShapeError
from .define import Sample
from .matmul import matmul

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def linear(x: T, weight: Tensor, bias: Tensor | None = None) -> T:
    """Return `x @ weight.T + bias` over the last axis.

    Shapes: x [..., C], weight [O, C] or [C], bias [O] -> [..., O], or [...] for one
    vector of weights. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.linear(fogo.ones(1, 2), fogo.ones(3, 2)).tolist()
        [[2.0, 2.0, 2.0]]
    """
    if weight.ndim not in (1, 2) or x.ndim == 0 or x.shape[-1] != weight.shape[-1]:
        raise ShapeError(
            "linear: x is [..., C] and weight [O, C]; given x=%s, weight=%s"
            % (list(x.shape), list(weight.shape))
        )
    y = matmul(x, weight if weight.ndim == 1 else weight.transpose())
    return y if bias is None else y + beside(bias, y)


def bilinear(x1: T, x2: Tensor, weight: Tensor, bias: Tensor | None = None) -> T:
    """Return `x1 @ weight[o] @ x2 + bias[o]` for each output o.

    Shapes: x1 [..., A], x2 [..., B], weight [O, A, B], bias [O] -> [..., O]. Raises:
    ShapeError.

    Example:
        >>> import fogo
        >>> x, y = fogo.ones(1, 2), fogo.ones(1, 3)
        >>> fogo.bilinear(x, y, fogo.ones(4, 2, 3)).tolist()
        [[6.0, 6.0, 6.0, 6.0]]
    """
    fits = weight.ndim == 3 and x1.ndim > 0 and x1.shape[:-1] == x2.shape[:-1]
    if not fits or (x1.shape[-1], x2.shape[-1]) != weight.shape[1:]:
        raise ShapeError(
            "bilinear: x1 is [..., A], x2 [..., B] and weight [O, A, B]; given x1=%s, "
            "x2=%s, weight=%s" % (list(x1.shape), list(x2.shape), list(weight.shape))
        )
    outs, a, b = weight.shape
    lead = x1.shape[:-1]
    table = weight.permute((1, 0, 2)).reshape((a, outs * b))
    mixed = matmul(x1.reshape((-1, a)), table)
    parts = mixed.reshape((mixed.shape[0], outs, b)) * x2.reshape((-1, 1, b))
    y = parts.sum(-1).reshape(lead + (outs,))
    return y if bias is None else y + beside(bias, y)


def _x(*shape):
    return (shape, -2.0, 2.0)


SAMPLES = {
    "linear": (
        Sample(_x(2, 3), _x(4, 3), _x(4)),
        Sample(_x(3), _x(4, 3)),
        Sample(_x(2, 3, 2), _x(2)),
    ),
    "bilinear": (
        Sample(_x(4, 2), _x(4, 3), _x(5, 2, 3), _x(5)),
        Sample(_x(2, 3, 2), _x(2, 3, 3), _x(2, 2, 3)),
    ),
}

__all__ = ["bilinear", "linear"]
NOT_METHODS = __all__
