"""Losses as modules: each keeps its settings and calls the function in fogo.ops.

reduction: "mean", "sum", or "none" for a loss of each element. More of them:
`loss_margin.py`, `loss_density.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..ops import loss as F
from ..ops.elementwise import where
from .module import Module

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
SMALLEST = 1e-38  # below float32's normal numbers: keeps logarithms finite


class Loss(Module):
    """A loss with a `reduction`; subclasses call their function with it."""

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = reduction

    def extra_repr(self) -> str:
        return "" if self.reduction == "mean" else "reduction=%r" % self.reduction


class MSELoss(Loss):
    """(input - target) ** 2.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([1.0, 3.0]), fogo.tensor([0.0, 0.0])
        >>> round(nn.MSELoss()(x, y).item(), 4)
        5.0
    """

    def forward(self, input: T, target: Tensor) -> T:
        return F.mse_loss(input, target, self.reduction)


class L1Loss(Loss):
    """|input - target|.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([1.0, 2.0]), fogo.tensor([0.0, 0.0])
        >>> round(nn.L1Loss()(x, y).item(), 4)
        1.5
    """

    def forward(self, input: T, target: Tensor) -> T:
        return F.l1_loss(input, target, self.reduction)


class SmoothL1Loss(Loss):
    """Squared below beta (over 2 beta), straight above.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([0.0, 3.0]), fogo.tensor([0.0, 0.0])
        >>> round(nn.SmoothL1Loss()(x, y).item(), 4)
        1.25
    """

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        self.reduction = reduction
        self.beta = beta

    def forward(self, input: T, target: Tensor) -> T:
        return F.smooth_l1_loss(input, target, self.reduction, self.beta)


class HuberLoss(Loss):
    """Half the square below delta, straight above.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([0.0, 3.0]), fogo.tensor([0.0, 0.0])
        >>> round(nn.HuberLoss()(x, y).item(), 4)
        1.25
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        self.reduction = reduction
        self.delta = delta

    def forward(self, input: T, target: Tensor) -> T:
        return F.huber_loss(input, target, self.reduction, self.delta)


class CrossEntropyLoss(Loss):
    """-log(softmax(input)) at the target class (or its mean under probabilities).

    Shapes: input [N, C, ...] logits; target [N, ...] classes, or [N, C, ...]
    probabilities; weight [C]. Classes equal to ignore_index, or among pad_tokens, do
    not count. logits=False: the input holds probabilities already.

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
        *,
        pad_tokens: Sequence[int] = (),
        logits: bool = True,
    ) -> None:
        self.reduction = reduction
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.pad_tokens = tuple(pad_tokens)
        self.logits = logits
        self.register_buffer("weight", weight)

    def forward(self, input: T, target: Tensor) -> T:
        if not self.logits:  # softmax of logarithms of probabilities gives them back
            input = where(input < SMALLEST, SMALLEST, input).log()
        for token in sorted(self.pad_tokens):
            target = where(target == token, self.ignore_index, target)
        return F.cross_entropy(
            input, target, self.weight, self.ignore_index, self.reduction,
            self.label_smoothing,
        )  # fmt: skip


class NLLLoss(Loss):
    """-input at the target class: input [N, C, ...] are log probabilities.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> round(nn.NLLLoss()(fogo.tensor([[-1.0, -2.0]]), fogo.tensor([1])).item(), 4)
        2.0
    """

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


def _smooth(target: Tensor, share: float) -> Tensor:
    """Targets moved by this share towards one half."""
    return target * (1.0 - share) + share / 2.0 if share else target


def _check_share(name: str, share: float) -> None:
    if not 0.0 <= share <= 1.0:
        raise ShapeError(
            "%s: label_smoothing lies in [0, 1]; given %s" % (name, share)
        )  # fmt: skip


class BCELoss(Loss):
    """Binary cross-entropy of probabilities: -t log(x) - (1 - t) log(1 - x).

    Logarithms stop at -100, as in PyTorch. label_smoothing moves the targets by that
    share towards one half.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> loss = nn.BCELoss()(fogo.tensor([0.5]), fogo.tensor([1.0]))
        >>> round(loss.item(), 4)
        0.6931
    """

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        *,
        label_smoothing: float = 0.0,
    ) -> None:
        _check_share("BCELoss", label_smoothing)
        self.reduction = reduction
        self.label_smoothing = label_smoothing
        self.register_buffer("weight", weight)

    def forward(self, input: T, target: Tensor) -> T:
        target = _smooth(target, self.label_smoothing)
        return F.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(Loss):
    """Binary cross-entropy of sigmoid(input), without its overflow.

    weight scales each element; pos_weight, along the last axes, the positive part.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x, y = fogo.tensor([0.0]), fogo.tensor([1.0])
        >>> round(nn.BCEWithLogitsLoss()(x, y).item(), 4)
        0.6931
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
        *,
        label_smoothing: float = 0.0,
    ) -> None:
        _check_share("BCEWithLogitsLoss", label_smoothing)
        self.reduction = reduction
        self.label_smoothing = label_smoothing
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: T, target: Tensor) -> T:
        target = _smooth(target, self.label_smoothing)
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight
        )


class KLDivLoss(Loss):
    """target * (log(target) - input): input are logarithms of probabilities.

    reduction "batchmean" is the divergence itself. log_target: targets are logarithms.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> p = fogo.tensor([[0.5, 0.5]])
        >>> nn.KLDivLoss("batchmean")(p.log(), p).item()
        0.0
    """

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        self.reduction = reduction
        self.log_target = log_target

    def forward(self, input: T, target: Tensor) -> T:
        return F.kl_div(input, target, self.reduction, self.log_target)
