"""Losses with a margin: rankings, embeddings and classes kept apart by a distance.

They cost nothing where the margin is kept. `reduction` is "mean", "sum" or "none".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ShapeError
from .activation import log_sigmoid, relu, softplus
from .creation import arange
from .define import Sample
from .elementwise import where
from .loss import _check, _classes, _reduce
from .scan import cumprod

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_TINY = 1e-12  # PyTorch's, below the squares of lengths


def hinge_embedding_loss(
    x: T, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> T:
    """Return x where the target is 1, `max(0, margin - x)` where it is -1.

    Shapes: x and target equal. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, t = fogo.tensor([0.25, 0.25]), fogo.tensor([1, -1])
        >>> fogo.hinge_embedding_loss(x, t, reduction="none").tolist()
        [0.25, 0.75]
    """
    _check("hinge_embedding_loss", x, target)
    near = where(target != -1, x, 0.0)
    far = where(target != 1, relu(margin - x), 0.0)
    return _reduce("hinge_embedding_loss", near + far, reduction)


def margin_ranking_loss(
    x1: T, x2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> T:
    """Return `max(0, margin - target * (x1 - x2))`: target 1 wants x1 above x2.

    Shapes: all equal. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> a, b = fogo.tensor([1.0, 1.0]), fogo.tensor([0.5, 2.0])
        >>> fogo.margin_ranking_loss(a, b, fogo.tensor([1, 1])).item()
        0.5
    """
    _check("margin_ranking_loss", x1, x2)
    _check("margin_ranking_loss", x1, target)
    loss = relu((x2 - x1) * target + margin)
    return _reduce("margin_ranking_loss", loss, reduction)


def soft_margin_loss(x: T, target: Tensor, reduction: str = "mean") -> T:
    """Return `log(1 + exp(-target * x))` for targets 1 and -1, without its overflow.

    Shapes: x and target equal. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, t = fogo.tensor([0.0, 100.0]), fogo.tensor([1, -1])
        >>> [round(v, 4) for v in fogo.soft_margin_loss(x, t, "none").tolist()]
        [0.6931, 100.0]
    """
    _check("soft_margin_loss", x, target)
    return _reduce("soft_margin_loss", softplus(-(x * target)), reduction)


def multilabel_soft_margin_loss(
    x: T, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> T:
    """Return the mean over classes of the binary cross-entropies of sigmoid(x).

    Shapes: x and target [..., C], weight [C] -> [...]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x, t = fogo.zeros(2, 3), fogo.ones(2, 3)
        >>> round(fogo.multilabel_soft_margin_loss(x, t).item(), 4)
        0.6931
    """
    _check("multilabel_soft_margin_loss", x, target)
    loss = -(target * log_sigmoid(x) + (1.0 - target) * log_sigmoid(-x))
    if weight is not None:
        loss = loss * weight
    return _reduce("multilabel_soft_margin_loss", loss.mean(-1), reduction)


def multi_margin_loss(
    x: T,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> T:
    """Return the mean over other classes i of `max(0, margin - x[t] + x[i]) ** p`.

    (PyTorch's mean: the sum over the other classes, divided by all C.)
    Shapes: x [N, C] or [C], target [N] or [] of integers, weight [C] by target.
    Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[0.0, 1.0]])
        >>> fogo.multi_margin_loss(x, fogo.tensor([0])).item()
        1.0
    """
    axis = _classes("multi_margin_loss", x, target, weight)
    if p not in (1, 2) or x.ndim > 2:
        raise ShapeError(
            "multi_margin_loss: p is 1 or 2 and x [N, C] or [C]; given p=%r, x=%s"
            % (p, list(x.shape))
        )
    places = target.unsqueeze(axis)
    gap = relu(x - x.take_along_axis(places, axis) + margin)
    if p == 2:
        gap = gap * gap
    loss = where(_numbers(x, target) == places, 0.0, gap).mean(axis)
    if weight is not None:
        loss = loss * weight.take(target)
    return _reduce("multi_margin_loss", loss, reduction)


def _numbers(x, target):
    """The number of each class, in the targets' dtype."""
    return arange(x.shape[-1], device=x.device.base(), dtype=target.dtype)


def multilabel_margin_loss(x: T, target: Tensor, reduction: str = "mean") -> T:
    """Return the margins of all pairs of a class that is a target and one that is not.

    The sum of `max(0, 1 - (x[t] - x[i]))` over them, divided by C.
    Shapes: x [N, C] or [C]; target alike, the numbers of the classes, then -1.
    Raises: ShapeError.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[0.1, 0.2, 0.4, 0.8]])
        >>> t = fogo.tensor([[3, 0, -1, 1]])
        >>> round(fogo.multilabel_margin_loss(x, t).item(), 4)
        0.85
    """
    _check("multilabel_margin_loss", x, target)
    listed = cumprod((target >= 0).astype("int32"), -1) != 0
    places = where(listed, target, 0)
    found = (places.unsqueeze(-1) == _numbers(x, target)) & listed.unsqueeze(-1)
    wanted = found.any(-2)
    gap = relu(1.0 - x.take_along_axis(places, -1).unsqueeze(-1) + x.unsqueeze(-2))
    counts = listed.unsqueeze(-1) & ~wanted.unsqueeze(-2)
    loss = where(counts, gap, 0.0).sum((-2, -1)) / float(x.shape[-1])
    return _reduce("multilabel_margin_loss", loss, reduction)


def cosine_embedding_loss(
    x1: T, x2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> T:
    """Return `1 - cos(x1, x2)` where the target is 1, `max(0, cos - margin)` at -1.

    Shapes: x1 and x2 [N, E] or [E], target [N] or []. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> a, b = fogo.tensor([[1.0, 0.0]]), fogo.tensor([[0.0, 2.0]])
        >>> fogo.cosine_embedding_loss(a, b, fogo.tensor([1])).item()
        1.0
    """
    _check("cosine_embedding_loss", x1, x2)
    if x1.ndim == 0 or target.shape != x1.shape[:-1]:
        raise ShapeError(
            "cosine_embedding_loss: x1 and x2 are [N, E] or [E], the target [N] or "
            "[]; given x1=%s, target=%s" % (list(x1.shape), list(target.shape))
        )
    lengths = (x1.square().sum(-1) + _TINY) * (x2.square().sum(-1) + _TINY)
    cosine = (x1 * x2).sum(-1) / lengths.sqrt()
    near = where(target == 1, 1.0 - cosine, 0.0)
    far = where(target == -1, relu(cosine - margin), 0.0)
    return _reduce("cosine_embedding_loss", near + far, reduction)


def _distance(a, b, p, eps):
    """The p-norm of `a - b + eps` along the last axis."""
    gap = (a - b + eps).abs()
    if p == float("inf"):
        return gap.max(-1)
    if p == 1:
        return gap.sum(-1)
    if p == 2:
        return gap.square().sum(-1).sqrt()
    return (gap ** float(p)).sum(-1) ** (1.0 / p)


def triplet_margin_loss(
    anchor: T,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> T:
    """Return `max(0, d(anchor, positive) - d(anchor, negative) + margin)`.

    d is the p-norm of the difference (+ eps) along the last axis. swap: the nearer of
    anchor and positive stands beside the negative (Balntas et al. 2016).
    Shapes: three of [..., E] -> [...]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> a, far = fogo.zeros(1, 2), fogo.tensor([[3.0, 4.0]])
        >>> round(fogo.triplet_margin_loss(a, far, a).item(), 3)
        6.0
    """
    return triplet_margin_with_distance_loss(
        anchor, positive, negative, lambda a, b: _distance(a, b, p, eps), margin,
        swap, reduction,
    )  # fmt: skip


def triplet_margin_with_distance_loss(
    anchor: T,
    positive: Tensor,
    negative: Tensor,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> T:
    """Return `triplet_margin_loss` with a distance of one's own (Euclidean if None).

    Raises: ShapeError where the three shapes differ.

    Example:
        >>> import fogo
        >>> x, y, z = fogo.tensor([[0.0]]), fogo.tensor([[1.0]]), fogo.tensor([[3.0]])
        >>> round(fogo.triplet_margin_with_distance_loss(x, y, z).item(), 4)
        0.0
    """
    name = "triplet_margin_loss"
    _check(name, anchor, positive)
    _check(name, anchor, negative)
    if distance_function is None:
        distance_function = _euclidean
    near = distance_function(anchor, positive)
    far = distance_function(anchor, negative)
    if swap:
        far = far.minimum(distance_function(positive, negative))
    return _reduce(name, relu(near - far + margin), reduction)


def _euclidean(a, b):
    return _distance(a, b, 2, 1e-6)


_X, _OTHER = ((4, 5), -3.0, 3.0), ((4, 5), -2.0, 2.0)
_THIRD, _CLASS = ((4, 5), -1.0, 1.0), ((4,), 0, 4, "int32")
_WEIGHT, _SHARE = ((5,), 0.5, 2.0), ((4, 5), 0.0, 1.0)

# Samples of the functions, all compositions of other ops; targets of ±1 and lists of
# classes are made by the rows of the references.
SAMPLES = {
    "margin_ranking_loss": (
        Sample(_X, _OTHER, _THIRD),
        Sample(_X, _OTHER, _THIRD, margin=0.5, reduction="none"),
    ),
    "soft_margin_loss": (Sample(_X, _OTHER), Sample(_X, _OTHER, reduction="sum")),
    "multilabel_soft_margin_loss": (
        Sample(_X, _SHARE),
        Sample(_X, _SHARE, _WEIGHT, reduction="none"),
    ),
    "multi_margin_loss": (
        Sample(_X, _CLASS),
        Sample(_X, _CLASS, p=2, margin=0.7, reduction="none"),
        Sample(((5,), -3.0, 3.0), ((), 0, 4, "int32"), reduction="sum"),
    ),
    "triplet_margin_loss": (
        Sample(_X, _OTHER, _THIRD),
        Sample(_X, _OTHER, _THIRD, p=1, swap=True, reduction="none"),
        Sample(_X, _OTHER, _THIRD, p=3.0, margin=0.3, reduction="sum"),
    ),
    "triplet_margin_with_distance_loss": (
        Sample(_X, _OTHER, _THIRD),
        Sample(_X, _OTHER, _THIRD, margin=2.0, swap=True, reduction="none"),
    ),
    "hinge_embedding_loss": (
        Sample(_X, ((4, 5), 1, 1, "int32")),
        Sample(_X, ((4, 5), -1, -1, "int32"), margin=0.4, reduction="none"),
        Sample(_X, ((4, 5), -1, 1, "int32"), reduction="sum"),
    ),
    "cosine_embedding_loss": (
        Sample(_X, _OTHER, ((4,), 1, 1, "int32")),
        Sample(_X, _OTHER, ((4,), -1, -1, "int32"), margin=0.1, reduction="none"),
        Sample(_X, _OTHER, ((4,), -1, 1, "int32"), reduction="sum"),
    ),
    "multilabel_margin_loss": (
        Sample(_X, ((4, 5), -1, 4, "int32")),
        Sample(((5,), -3.0, 3.0), ((5,), -1, 4, "int32"), reduction="none"),
    ),
}  # fmt: skip

__all__ = [
    "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
    "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip
NOT_METHODS = __all__
