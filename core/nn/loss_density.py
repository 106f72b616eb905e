"""Losses of distributions, overlaps and contrasts: see fogo.ops.loss_density."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..ops import loss_density as F
from .loss import Loss

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class LpLoss(Loss):
    """|input - target| ** p.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.LpLoss(1)(fogo.tensor([1.0, 2.0]), fogo.zeros(2)).item()
        1.5
    """

    def __init__(self, p: float = 2.0, reduction: str = "mean") -> None:
        self.p = p
        self.reduction = reduction

    def forward(self, input: T, target: Tensor) -> T:
        return F.lp_loss(input, target, self.p, self.reduction)


class PoissonNLLLoss(Loss):
    """exp(input) - target * input, or of plain rates with log_input=False.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> round(nn.PoissonNLLLoss()(fogo.tensor([0.0]), fogo.tensor([1.0])).item(), 4)
        1.0
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ) -> None:
        self.log_input = log_input
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(self, log_input: T, target: Tensor) -> T:
        return F.poisson_nll_loss(
            log_input, target, self.log_input, self.full, self.eps, self.reduction
        )


class GaussianNLLLoss(Loss):
    """(log(var) + (input - target) ** 2 / var) / 2; full adds log(2 pi) / 2.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y, z = fogo.tensor([1.0]), fogo.tensor([1.0]), fogo.tensor([1.0])
        >>> round(nn.GaussianNLLLoss()(x, y, z).item(), 4)
        0.0
    """

    def __init__(
        self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
    ) -> None:
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(self, input: T, target: Tensor, var: Tensor | float) -> T:
        return F.gaussian_nll_loss(
            input, target, var, self.full, self.eps, self.reduction
        )


class SigmoidFocalLoss(Loss):
    """Binary cross-entropy of logits, where what is classified well counts less.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([0.0]), fogo.tensor([1.0])
        >>> round(nn.SigmoidFocalLoss()(x, y).item(), 4)
        0.0433
    """

    def __init__(
        self, alpha: float = 0.25, gamma: float = 2.0, reduction: str = "mean"
    ) -> None:
        self.alpha = alpha
        self.gamma = gamma
        self.reduction = reduction

    def forward(self, input: T, target: Tensor) -> T:
        return F.sigmoid_focal_loss(
            input, target, self.alpha, self.gamma, self.reduction
        )  # fmt: skip


class FocalLoss(Loss):
    """Cross-entropy of classes, where what is classified well counts less.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> round(nn.FocalLoss()(fogo.zeros(1, 2), fogo.tensor([0])).item(), 4)
        0.1733
    """

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        gamma: float = 2.0,
        ignore_index: int = -100,
        reduction: str = "mean",
    ) -> None:
        self.gamma = gamma
        self.ignore_index = ignore_index
        self.reduction = reduction
        self.register_buffer("weight", weight)

    def forward(self, input: T, target: Tensor) -> T:
        return F.focal_loss(
            input, target, self.weight, self.gamma, self.ignore_index, self.reduction
        )


class DiceLoss(Loss):
    """1 - the overlap of masks [N, ...]: probabilities and targets.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.DiceLoss()(fogo.zeros((1, 2, 2)), fogo.ones((1, 2, 2))).shape
        ()
    """

    def __init__(self, smooth: float = 1.0, reduction: str = "mean") -> None:
        self.smooth = smooth
        self.reduction = reduction

    def forward(self, input: T, target: Tensor) -> T:
        return F.dice_loss(input, target, self.smooth, self.reduction)


class InfoNCELoss(Loss):
    """Find each query's positive [N, E] among the others', or among negatives.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.InfoNCELoss()(fogo.eye(2), fogo.eye(2)).shape
        ()
    """

    def __init__(self, temperature: float = 0.1, reduction: str = "mean") -> None:
        self.temperature = temperature
        self.reduction = reduction

    def forward(self, query: T, positive: Tensor, negatives: Tensor | None = None) -> T:
        return F.info_nce_loss(
            query, positive, negatives, self.temperature, self.reduction
        )  # fmt: skip


class GramMatrixLoss(Loss):
    """Squared differences of the Gram matrices of feature maps: a loss of style.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.ones((1, 1, 2, 2)), fogo.zeros((1, 1, 2, 2))
        >>> round(nn.GramMatrixLoss()(x, y).item(), 4)
        1.0
    """

    def forward(self, input: T, target: Tensor) -> T:
        return F.gram_matrix_loss(input, target, self.reduction)
