"""Losses as modules: each keeps its settings and calls the function in fogo.ops.

reduction: "mean", "sum", or "none" for a loss of each element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..ops import loss as F
from .module import Module

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class _Loss(Module):
    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = reduction

    def extra_repr(self) -> str:
        return "" if self.reduction == "mean" else "reduction=%r" % self.reduction


class MSELoss(_Loss):
    """(input - target) ** 2."""

    def forward(self, input: T, target: Tensor) -> T:
        return F.mse_loss(input, target, self.reduction)


class L1Loss(_Loss):
    """|input - target|."""

    def forward(self, input: T, target: Tensor) -> T:
        return F.l1_loss(input, target, self.reduction)


class SmoothL1Loss(_Loss):
    """Squared below beta (over 2 beta), straight above."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        self.reduction = reduction
        self.beta = beta

    def forward(self, input: T, target: Tensor) -> T:
        return F.smooth_l1_loss(input, target, self.reduction, self.beta)


class HuberLoss(_Loss):
    """Half the square below delta, straight above."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        self.reduction = reduction
        self.delta = delta

    def forward(self, input: T, target: Tensor) -> T:
        return F.huber_loss(input, target, self.reduction, self.delta)


class CrossEntropyLoss(_Loss):
    """-log(softmax(input)) at the target class (or its mean under probabilities).

    Shapes: input [N, C, ...] logits; target [N, ...] classes, or [N, C, ...]
    probabilities; weight [C]. Classes equal to ignore_index do not count.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> loss = nn.CrossEntropyLoss()(fogo.zeros(2, 4), fogo.tensor([0, 3]))
        >>> round(loss.item(), 4)
        1.3863
    """

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        self.reduction = reduction
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.register_buffer("weight", weight)

    def forward(self, input: T, target: Tensor) -> T:
        return F.cross_entropy(
            input, target, self.weight, self.ignore_index, self.reduction,
            self.label_smoothing,
        )  # fmt: skip


class NLLLoss(_Loss):
    """-input at the target class: input [N, C, ...] are log probabilities."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
    ) -> None:
        self.reduction = reduction
        self.ignore_index = ignore_index
        self.register_buffer("weight", weight)

    def forward(self, input: T, target: Tensor) -> T:
        return F.nll_loss(
            input, target, self.weight, self.ignore_index, self.reduction
        )  # fmt: skip


class BCEWithLogitsLoss(_Loss):
    """Binary cross-entropy of sigmoid(input), without its overflow.

    weight scales each element; pos_weight, along the last axes, the positive part.
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        self.reduction = reduction
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: T, target: Tensor) -> T:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight
        )
