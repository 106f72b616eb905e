"""Dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..ops.norm import dropout
from .module import Module

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class Dropout(Module):
    """In training, set each number to 0 with probability p, scale the rest by 1/(1-p).

    After `eval()` it returns x. The draw is the device's: equal seeds, equal masks.
    """

    def __init__(self, p: float = 0.5) -> None:
        if not 0.0 <= p <= 1.0:
            raise ShapeError("Dropout: p is a probability; given %r" % (p,))
        self.p = p

    def forward(self, x: T) -> T:
        return dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        return "p=%g" % self.p
