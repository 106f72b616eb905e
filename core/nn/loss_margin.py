"""Losses with a margin, as modules; the functions are in fogo.ops.loss_margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..ops import loss_margin as F
from .loss import Loss

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class _Margin(Loss):
    _default = 0.0

    def __init__(self, margin: float | None = None, reduction: str = "mean") -> None:
        self.margin = self._default if margin is None else margin
        self.reduction = reduction

    def extra_repr(self) -> str:
        text = Loss.extra_repr(self)
        return "margin=%g%s" % (self.margin, ", " + text if text else "")


class HingeEmbeddingLoss(_Margin):
    """x where the target is 1, max(0, margin - x) where it is -1; margin 1.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([0.5]), fogo.tensor([-1.0])
        >>> round(nn.HingeEmbeddingLoss()(x, y).item(), 4)
        0.5
    """

    _default = 1.0

    def forward(self, input: T, target: Tensor) -> T:
        return F.hinge_embedding_loss(input, target, self.margin, self.reduction)


class MarginRankingLoss(_Margin):
    """max(0, margin - target * (input1 - input2)); margin 0.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y, z = fogo.tensor([1.0]), fogo.tensor([2.0]), fogo.tensor([1.0])
        >>> round(nn.MarginRankingLoss()(x, y, z).item(), 4)
        1.0
    """

    def forward(self, input1: T, input2: Tensor, target: Tensor) -> T:
        return F.margin_ranking_loss(
            input1, input2, target, self.margin, self.reduction
        )  # fmt: skip


class CosineEmbeddingLoss(_Margin):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1; margin 0.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x = fogo.tensor([[1.0, 0.0]])
        >>> y = fogo.tensor([[2.0, 0.0]])
        >>> z = fogo.tensor([1])
        >>> round(nn.CosineEmbeddingLoss()(x, y, z).item(), 4)
        0.0
    """

    def forward(self, input1: T, input2: Tensor, target: Tensor) -> T:
        return F.cosine_embedding_loss(
            input1, input2, target, self.margin, self.reduction
        )


class SoftMarginLoss(Loss):
    """log(1 + exp(-target * input)), targets 1 and -1.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> round(nn.SoftMarginLoss()(fogo.tensor([0.0]), fogo.tensor([1.0])).item(), 4)
        0.6931
    """

    def forward(self, input: T, target: Tensor) -> T:
        return F.soft_margin_loss(input, target, self.reduction)


class MultiLabelMarginLoss(Loss):
    """Margins between classes that are targets and those that are not.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([[0.1, 0.2, 0.4, 0.8]]), fogo.tensor([[3, 0, -1, 1]])
        >>> round(nn.MultiLabelMarginLoss()(x, y).item(), 4)
        0.85
    """

    def forward(self, input: T, target: Tensor) -> T:
        return F.multilabel_margin_loss(input, target, self.reduction)


class MultiLabelSoftMarginLoss(Loss):
    """The mean over classes of binary cross-entropies of sigmoid(input).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([[0.0, 0.0]]), fogo.tensor([[1.0, 0.0]])
        >>> round(nn.MultiLabelSoftMarginLoss()(x, y).item(), 4)
        0.6931
    """

    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        self.reduction = reduction
        self.register_buffer("weight", weight)

    def forward(self, input: T, target: Tensor) -> T:
        return F.multilabel_soft_margin_loss(
            input, target, self.weight, self.reduction
        )  # fmt: skip


class MultiMarginLoss(Loss):
    """max(0, margin - x[t] + x[i]) ** p over the other classes i, divided by C.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([[0.0, 1.0]]), fogo.tensor([1])
        >>> round(nn.MultiMarginLoss()(x, y).item(), 4)
        0.0
    """

    weight: Tensor | None

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        reduction: str = "mean",
    ) -> None:
        self.p = p
        self.margin = margin
        self.reduction = reduction
        self.register_buffer("weight", weight)

    def forward(self, input: T, target: Tensor) -> T:
        return F.multi_margin_loss(
            input, target, self.p, self.margin, self.weight, self.reduction
        )


class TripletMarginLoss(Loss):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d a p-norm.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> a, b = fogo.zeros(1, 2), fogo.ones(1, 2)
        >>> round(nn.TripletMarginLoss()(a, a, b).item(), 4)
        0.0
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap
        self.reduction = reduction

    def forward(self, anchor: T, positive: Tensor, negative: Tensor) -> T:
        return F.triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap,
            self.reduction,
        )  # fmt: skip


class TripletMarginWithDistanceLoss(Loss):
    """A triplet loss with a distance of one's own (Euclidean if None).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y, z = fogo.tensor([[0.0]]), fogo.tensor([[1.0]]), fogo.tensor([[3.0]])
        >>> round(nn.TripletMarginWithDistanceLoss()(x, y, z).item(), 4)
        0.0
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Any, Any], Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        self.distance_function = distance_function
        self.margin = margin
        self.swap = swap
        self.reduction = reduction

    def forward(self, anchor: T, positive: Tensor, negative: Tensor) -> T:
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, self.distance_function, self.margin,
            self.swap, self.reduction,
        )  # fmt: skip
