"""Losses over all alignments of labels with a sequence, as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.ctc import ctc_loss
from ..ops.transducer import rnnt_loss
from .loss import Loss

if TYPE_CHECKING:
    from ..tensor import Tensor


class CTCLoss(Loss):
    """Minus the log-probability of labels without blanks: see `fogo.ctc_loss`.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> logs = fogo.log_softmax(fogo.zeros(3, 1, 2))
        >>> loss = nn.CTCLoss()(logs, fogo.tensor([[1]]), [3], [1])
        >>> round(float(loss.exp().item()), 3)
        1.333
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        self.blank = blank
        self.reduction = reduction
        self.zero_infinity = zero_infinity

    def forward(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Any,
        target_lengths: Any,
    ) -> Tensor:
        return ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank,
            self.reduction, self.zero_infinity,
        )  # fmt: skip


class RNNTLoss(Loss):
    """Minus the log-probability of labels in a transducer: see `fogo.rnnt_loss`.

    Shapes: logits [N, T, U + 1, C], targets [N, U], lengths [N]. logits=False: they
    are log-probabilities already.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> loss, lengths = nn.RNNTLoss(), (fogo.tensor([2]), fogo.tensor([1]))
        >>> loss(fogo.zeros((1, 2, 2, 3)), fogo.tensor([[1]]), *lengths).shape
        ()
    """

    def __init__(
        self,
        blank: int = -1,
        clamp: float = -1.0,
        reduction: str = "mean",
        logits: bool = True,
    ) -> None:
        self.blank = blank
        self.clamp = clamp
        self.reduction = reduction
        self.logits = logits

    def forward(
        self, logits: Tensor, targets: Tensor, logit_lengths: Any, target_lengths: Any
    ) -> Tensor:
        return rnnt_loss(
            logits, targets, logit_lengths, target_lengths, self.blank, self.clamp,
            self.reduction, self.logits,
        )  # fmt: skip
