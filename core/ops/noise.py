"""Noise for training: whole channels dropped, dropout for selu, normal noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from .elementwise import where

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_SELU_FLOOR = -1.7580993408473766  # what selu falls to: -scale * alpha


def _probability(name, p):
    if not 0.0 <= p <= 1.0:
        raise ShapeError("%s: p lies in [0, 1]; given %s" % (name, p))


def _channels(name, x, rank):
    """The shape of one number for each channel."""
    if x.ndim not in (rank + 1, rank + 2):
        raise ShapeError(
            "%s: x is [N, C, %d spatial axes] or without N; given %s"
            % (name, rank, list(x.shape))
        )
    return x.shape[: x.ndim - rank] + (1,) * rank


def _drop(name, rank, x, p, training):
    from ..random import bernoulli

    _probability(name, p)
    shape = _channels(name, x, rank)
    if not training or p == 0:
        return x
    keep = bernoulli(1.0 - p, shape, x.device.base())
    return where(keep, x * (1.0 / (1.0 - p) if p < 1 else 0.0), 0.0)


def dropout1d(x: T, p: float = 0.5, training: bool = True) -> T:
    """Set channels of [N, C, L] to 0 with probability p, divide the rest by 1 - p.

    Example:
        >>> import fogo
        >>> fogo.dropout1d(fogo.ones(1, 2, 3), 1.0).sum().item()
        0.0
    """
    return _drop("dropout1d", 1, x, p, training)


def dropout2d(x: T, p: float = 0.5, training: bool = True) -> T:
    """Set channels of [N, C, H, W] to 0 with probability p; scale the rest.

    Example:
        >>> import fogo
        >>> fogo.dropout2d(fogo.ones((1, 2, 2, 2)), training=False).shape
        (1, 2, 2, 2)
    """
    return _drop("dropout2d", 2, x, p, training)


def dropout3d(x: T, p: float = 0.5, training: bool = True) -> T:
    """Set channels of [N, C, D, H, W] to 0 with probability p; scale the rest.

    Example:
        >>> import fogo
        >>> fogo.dropout3d(fogo.ones((1, 2, 2, 2, 2)), training=False).shape
        (1, 2, 2, 2, 2)
    """
    return _drop("dropout3d", 3, x, p, training)


def _alpha(name, x, p, training, shape):
    """Dropped to selu's floor, then scaled and shifted to mean 0 and variance 1."""
    from ..random import bernoulli

    _probability(name, p)
    if not training or p == 0:
        return x
    if p == 1:
        return x * 0.0
    scale = 1.0 / math.sqrt((_SELU_FLOOR * _SELU_FLOOR * p + 1.0) * (1.0 - p))
    shift = -scale * _SELU_FLOOR * p
    keep = bernoulli(1.0 - p, shape, x.device.base())
    return where(keep, x * scale + shift, _SELU_FLOOR * scale + shift)


def alpha_dropout(x: T, p: float = 0.5, training: bool = True) -> T:
    """Dropout that keeps mean 0 and variance 1 of what `selu` gives.

    Raises: ShapeError for p outside [0, 1]. Klambauer et al. 2017.

    Example:
        >>> import fogo
        >>> fogo.alpha_dropout(fogo.ones(2), 0.5, training=False).tolist()
        [1.0, 1.0]
    """
    return _alpha("alpha_dropout", x, p, training, x.shape)


def feature_alpha_dropout(x: T, p: float = 0.5, training: bool = True) -> T:
    """`alpha_dropout` of whole channels: x [N, C, ...]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.feature_alpha_dropout(fogo.ones((1, 2, 2)), training=False).shape
        (1, 2, 2)
    """
    if x.ndim < 2:
        raise ShapeError(
            "feature_alpha_dropout: x is [N, C, ...]; given %s" % list(x.shape)
        )
    shape = x.shape[:2] + (1,) * (x.ndim - 2)
    return _alpha("feature_alpha_dropout", x, p, training, shape)


def gaussian_noise(x: T, std: float = 1.0, training: bool = True) -> T:
    """Add normal noise of a standard deviation; outside training return x.

    Raises: ShapeError for a negative std.

    Example:
        >>> import fogo
        >>> fogo.gaussian_noise(fogo.ones(2), 0.0).tolist()
        [1.0, 1.0]
    """
    from ..random import randn

    if std < 0:
        raise ShapeError("gaussian_noise: std is not negative; given %g" % std)
    if not training or std == 0:
        return x
    return x + randn(x.shape, dtype=x.dtype, device=x.device.base()) * float(std)


__all__ = [
    "alpha_dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout",
    "gaussian_noise",
]  # fmt: skip
NOT_METHODS = __all__
