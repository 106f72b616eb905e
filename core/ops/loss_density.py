"""Losses of distributions, overlaps and contrasts: likelihoods, focal, dice, InfoNCE.

`reduction` is "mean", "sum" or "none".
"""

from __future__ import annotations

from math import log, pi
from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from .creation import arange
from .define import Sample
from .elementwise import where
from .loss import (
    _check,
    _reduce,
    binary_cross_entropy_with_logits,
    cross_entropy,
    mse_loss,
)
from .matmul import matmul
from .movement import concat

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def lp_loss(x: T, target: Tensor, p: float = 2.0, reduction: str = "mean") -> T:
    """Return `|x - target| ** p`; p above 0.

    Shapes: x and target equal. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.lp_loss(fogo.tensor([3.0]), fogo.tensor([1.0]), 3).item()
        8.0
    """
    _check("lp_loss", x, target)
    if p <= 0:
        raise ShapeError("lp_loss: p must be above 0; given %s" % p)
    gap = (x - target).abs()
    loss = gap if p == 1 else gap.square() if p == 2 else gap ** float(p)
    return _reduce("lp_loss", loss, reduction)


def poisson_nll_loss(
    x: T,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> T:
    """Return `exp(x) - target * x`, or `x - target * log(x + eps)` for plain rates x.

    full adds Stirling's approximation of log(target!) where the target is above 1.
    Shapes: x and target equal. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.poisson_nll_loss(fogo.tensor([0.0]), fogo.tensor([3.0])).item()
        1.0
    """
    _check("poisson_nll_loss", x, target)
    loss = x.exp() - target * x if log_input else x - target * (x + eps).log()
    if full:
        many = where(target > 1, target, 2.0).astype(x.dtype)
        stirling = many * many.log() - many + (many * (2.0 * pi)).log() * 0.5
        loss = loss + where(target > 1, stirling, 0.0)
    return _reduce("poisson_nll_loss", loss, reduction)


def gaussian_nll_loss(
    x: T,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> T:
    """Return `(log(var) + (x - target)**2 / var) / 2`, var taken as at least eps.

    full adds log(2 pi)/2. The gradient by var passes the limit unchanged, as in
    PyTorch; negative variances are not looked for (that would read the device).
    Shapes: x and target equal, var a number, of x's shape, of it without the last
    axis, or with 1 there. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, t = fogo.tensor([1.0]), fogo.tensor([3.0])
        >>> fogo.gaussian_nll_loss(x, t, fogo.tensor([1.0])).item()
        2.0
    """
    _check("gaussian_nll_loss", x, target)
    spread = _variances(x, var)
    spread = where(spread < eps, spread - spread.detach() + eps, spread)
    loss = (spread.log() + (x - target).square() / spread) * 0.5
    if full:
        loss = loss + 0.5 * log(2.0 * pi)
    return _reduce("gaussian_nll_loss", loss, reduction)


def _variances(x, var):
    """The variances as a tensor that fits beside x."""
    if isinstance(var, (int, float)):
        return x.device.constant(float(var), x.dtype).expand(x.shape)
    if var.shape == x.shape:
        return var
    if x.ndim and var.shape == x.shape[:-1]:
        return var.unsqueeze(-1)
    if not x.ndim or var.shape != x.shape[:-1] + (1,):
        raise ShapeError(
            "gaussian_nll_loss: var is of x's shape, without its last axis, or with 1 "
            "there; given x=%s, var=%s" % (list(x.shape), list(var.shape))
        )
    return var


def sigmoid_focal_loss(
    x: T,
    target: Tensor,
    alpha: float = 0.25,
    gamma: float = 2.0,
    reduction: str = "none",
) -> T:
    """Return the binary cross-entropy of logits, times `(1 - p_t) ** gamma`.

    What is classified well counts less (Lin et al. 2017). alpha weighs the positive
    targets, 1 - alpha the others; below 0 nothing is weighed. torchvision's function.
    Shapes: x and target equal. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, t = fogo.tensor([0.0]), fogo.tensor([1.0])
        >>> round(fogo.sigmoid_focal_loss(x, t).item(), 4)
        0.0433
    """
    _check("sigmoid_focal_loss", x, target)
    p = x.sigmoid()
    loss = binary_cross_entropy_with_logits(x, target, reduction="none")
    miss = p + target - p * target * 2.0  # 1 - p_t
    loss = loss * _power(miss, gamma)
    if alpha >= 0:
        loss = loss * (target * (2.0 * alpha - 1.0) + (1.0 - alpha))
    return _reduce("sigmoid_focal_loss", loss, reduction)


def _power(x, n):
    return x.square() if n == 2 else x ** float(n)


def focal_loss(
    x: T,
    target: Tensor,
    weight: Tensor | None = None,
    gamma: float = 2.0,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> T:
    """Return the cross-entropy of classes, times `(1 - p_t) ** gamma`.

    Shapes: x [N, C, ...] logits, target [N, ...] of integers, weight [C]. The mean is
    over the weights of the targets, as in `cross_entropy`. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> round(fogo.focal_loss(fogo.zeros(1, 2), fogo.tensor([0])).item(), 4)
        0.1733
    """
    loss = cross_entropy(x, target, None, ignore_index, "none")
    loss = loss * _power(1.0 - (-loss).exp(), gamma)
    valid = target != ignore_index
    share = valid.astype(loss.dtype)
    if weight is not None:
        share = share * weight.take(where(valid, target, 0))
        loss = loss * share
    if reduction == "mean":
        return loss.sum() / share.sum()
    return _reduce("focal_loss", loss, reduction)


def dice_loss(x: T, target: Tensor, smooth: float = 1.0, reduction: str = "mean") -> T:
    """Return `1 - (2 sum(x * t) + smooth) / (sum(x) + sum(t) + smooth)` a sample.

    For segmentation masks (Milletari et al. 2016): x are probabilities.
    Shapes: x and target [N, ...] -> [N]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, 1.0, 0.0]])
        >>> round(fogo.dice_loss(x, fogo.tensor([[1.0, 0.0, 0.0]])).item(), 4)
        0.25
    """
    _check("dice_loss", x, target)
    if x.ndim == 0:
        raise ShapeError("dice_loss: x and target are [N, ...]; given shape []")
    x, target = x.reshape((x.shape[0], -1)), target.reshape((x.shape[0], -1))
    both = (x * target).sum(-1) * 2.0 + smooth
    loss = 1.0 - both / (x.sum(-1) + target.sum(-1) + smooth)
    return _reduce("dice_loss", loss, reduction)


def info_nce_loss(
    query: T,
    positive: Tensor,
    negatives: Tensor | None = None,
    temperature: float = 0.1,
    reduction: str = "mean",
) -> T:
    """Return the cross-entropy of finding each query's positive by cosine similarity.

    Without negatives, the other rows' positives are the wrong answers (van den Oord
    et al. 2018). Shapes: query and positive [N, E], negatives [M, E], shared by all
    queries, or [N, M, E]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.eye(2)
        >>> round(fogo.info_nce_loss(x, x, temperature=1.0).item(), 4)
        0.3133
    """
    _check("info_nce_loss", query, positive)
    if query.ndim != 2 or temperature <= 0:
        raise ShapeError(
            "info_nce_loss: query and positive are [N, E], the temperature above 0; "
            "given %s, %s" % (list(query.shape), temperature)
        )
    q, k = _directions(query), _directions(positive)
    n = query.shape[0]
    base = query.device.base()
    if negatives is None:
        logits = matmul(q, k.transpose())
        right = arange(n, device=base)
    else:
        others = _directions(negatives)
        if others.ndim == 2:
            others = matmul(q, others.transpose())
        else:
            others = matmul(others, q.unsqueeze(-1)).squeeze(-1)
        logits = concat([(q * k).sum(-1, True), others], 1)
        right = arange(n, device=base) * 0
    return cross_entropy(logits / temperature, right, reduction=reduction)


def _directions(x):
    length = x.square().sum(-1, True).sqrt()
    return x / where(length < 1e-12, 1e-12, length)


def gram_matrix(x: T) -> T:
    """Return `F @ F.T / (C * size)` of feature maps F: their style (Gatys et al. 2015).

    Shapes: x [N, C, ...] -> [N, C, C]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.gram_matrix(fogo.ones(1, 2, 3, 3)).tolist()
        [[[0.5, 0.5], [0.5, 0.5]]]
    """
    if x.ndim < 3:
        raise ShapeError(
            "gram_matrix: x is [N, C, ...] with a place; given %s" % list(x.shape)
        )
    flat = x.reshape(x.shape[:2] + (-1,))
    return matmul(flat, flat.transpose()) / float(max(flat.shape[1] * flat.shape[2], 1))


def gram_matrix_loss(x: T, target: Tensor, reduction: str = "mean") -> T:
    """Return the squared differences of the Gram matrices of two feature maps.

    Shapes: x [N, C, ...], target [N, C, ...]; their places may differ in number.
    Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, y = fogo.ones((1, 1, 2, 2)), fogo.zeros((1, 1, 2, 2))
        >>> round(fogo.gram_matrix_loss(x, y).item(), 4)
        1.0
    """
    return mse_loss(gram_matrix(x), gram_matrix(target), reduction)


_X, _OTHER = ((4, 5), -3.0, 3.0), ((4, 5), -2.0, 2.0)
_UNIT, _RATE = ((4, 5), 0.05, 0.95), ((4, 5), 0.5, 4.0)
_CLASS, _MAPS = ((4,), 0, 4, "int32"), ((2, 3, 2, 2), -2.0, 2.0)

# Samples of the functions: all are compositions of other ops.
SAMPLES = {
    "lp_loss": (
        Sample(_X, _OTHER),
        Sample(_X, _OTHER, p=1.0, reduction="none"),
        Sample(_X, _OTHER, p=3.0, reduction="sum"),
    ),
    "poisson_nll_loss": (
        Sample(_X, _RATE),
        Sample(_RATE, _RATE, log_input=False, reduction="none"),
        Sample(_X, _RATE, full=True, reduction="sum"),
    ),
    "gaussian_nll_loss": (
        Sample(_X, _OTHER, _RATE),
        Sample(_X, _OTHER, ((4,), 0.5, 4.0), full=True, reduction="none"),
        Sample(_X, _OTHER, ((4, 1), 0.5, 4.0), reduction="sum"),
    ),
    "sigmoid_focal_loss": (
        Sample(_X, _UNIT),
        Sample(_X, _UNIT, alpha=-1.0, gamma=3.0, reduction="mean"),
    ),
    "focal_loss": (
        Sample(_X, _CLASS),
        Sample(_X, _CLASS, ((5,), 0.5, 2.0), gamma=1.5, ignore_index=1),
        Sample(_X, _CLASS, reduction="none"),
    ),
    "dice_loss": (
        Sample(_UNIT, _UNIT),
        Sample(_UNIT, _UNIT, smooth=0.1, reduction="none"),
    ),
    "info_nce_loss": (
        Sample(_X, _OTHER),
        Sample(_X, _OTHER, ((3, 5), -2.0, 2.0), temperature=0.5),
        Sample(_X, _OTHER, ((4, 3, 5), -2.0, 2.0), temperature=1.0, reduction="none"),
    ),
    "gram_matrix": (Sample(_MAPS),),
    "gram_matrix_loss": (
        Sample(_MAPS, _MAPS),
        Sample(_MAPS, ((2, 3, 5), -2.0, 2.0), reduction="sum"),
    ),
}  # fmt: skip

__all__ = [
    "dice_loss", "focal_loss", "gaussian_nll_loss", "gram_matrix", "gram_matrix_loss",
    "info_nce_loss", "lp_loss", "poisson_nll_loss", "sigmoid_focal_loss",
]  # fmt: skip
NOT_METHODS = __all__
