"""Channels for places and back: pixel shuffles, and the shuffle of channel groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from .define import Sample

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def pixel_shuffle(x: T, upscale_factor: int) -> T:
    """Lay r * r channels out as squares of r by r places (Shi et al. 2016).

    Shapes: [..., C * r * r, H, W] -> [..., C, H * r, W * r]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.pixel_shuffle(fogo.arange(4).reshape(4, 1, 1), 2).tolist()
        [[[0, 1], [2, 3]]]
    """
    r = upscale_factor
    if x.ndim < 3 or r < 1 or x.shape[-3] % (r * r):
        raise ShapeError(
            "pixel_shuffle: x is [..., C * %d * %d, H, W]; given %s"
            % (r, r, list(x.shape))
        )
    lead, (c, h, w) = x.shape[:-3], x.shape[-3:]
    n = len(lead)
    x = x.reshape(lead + (c // (r * r), r, r, h, w))
    x = x.permute(tuple(range(n)) + (n, n + 3, n + 1, n + 4, n + 2))
    return x.reshape(lead + (c // (r * r), h * r, w * r))


def pixel_unshuffle(x: T, downscale_factor: int) -> T:
    """Lay squares of r by r places out as r * r channels: undoes `pixel_shuffle`.

    Shapes: [..., C, H * r, W * r] -> [..., C * r * r, H, W]. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.pixel_unshuffle(fogo.ones(1, 4, 6), 2).shape
        (4, 2, 3)
    """
    r = downscale_factor
    if x.ndim < 3 or r < 1 or x.shape[-2] % r or x.shape[-1] % r:
        raise ShapeError(
            "pixel_unshuffle: x is [..., C, H * %d, W * %d]; given %s"
            % (r, r, list(x.shape))
        )
    lead, (c, h, w) = x.shape[:-3], x.shape[-3:]
    n = len(lead)
    x = x.reshape(lead + (c, h // r, r, w // r, r))
    x = x.permute(tuple(range(n)) + (n, n + 2, n + 4, n + 1, n + 3))
    return x.reshape(lead + (c * r * r, h // r, w // r))


def channel_shuffle(x: T, groups: int) -> T:
    """Deal the channels of groups out in turn (Zhang et al., ShuffleNet, 2018).

    Shapes: [N, C, ...S], groups divides C -> x's. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> fogo.channel_shuffle(fogo.arange(4).reshape(1, 4, 1), 2).flatten().tolist()
        [0, 2, 1, 3]
    """
    if x.ndim < 3 or groups < 1 or x.shape[1] % groups:
        raise ShapeError(
            "channel_shuffle: x is [N, C, ...S] and groups divides C; given %s for x=%s"
            % (groups, list(x.shape))
        )
    parts = x.reshape((x.shape[0], groups, x.shape[1] // groups) + x.shape[2:])
    return parts.transpose(1, 2).reshape(x.shape)


def _x(*shape):
    return (shape, -3.0, 3.0)


SAMPLES = {
    "pixel_shuffle": (
        Sample(_x(2, 8, 2, 3), upscale_factor=2),
        Sample(_x(9, 2, 1), upscale_factor=3),
    ),
    "pixel_unshuffle": (
        Sample(_x(2, 2, 4, 6), downscale_factor=2),
        Sample(_x(1, 3, 6), downscale_factor=3),
    ),
    "channel_shuffle": (
        Sample(_x(2, 6, 2, 3), groups=3),
        Sample(_x(1, 4, 5), groups=2),
    ),
}

__all__ = ["channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]
NOT_METHODS = __all__
