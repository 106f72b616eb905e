"""Sampling at real places: `grid_sample` and the grids that affine maps make.

Places become taps: whole places with weights that carry the gradient. All taps of all
places are gathered at once, and what lies outside reads as 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import float16, float32, int32
from ..errors import DTypeError, ShapeError
from ..expr import call as E
from ..expr import where as _where
from .creation import arange, ones
from .define import Sample, elementwise
from .elementwise import abs as _abs
from .elementwise import floor, where
from .elementwise import round as _round
from .index import take
from .matmul import matmul
from .movement import stack

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_A = -0.75


@elementwise("cubic_weight", ((0.05, 1.95),), accepts="float")
def _cubic_weight(d):
    """Keys' cubic convolution of a distance below 2."""
    near = ((_A + 2.0) * d - (_A + 3.0)) * d * d + 1.0
    far = ((d - 5.0) * d + 8.0) * d * _A - 4.0 * _A
    return _where(d <= 1.0, near, far)


@elementwise("mirrored", ((-5.0, 5.0), (-0.5, 0.5), (2.0, 4.0)), accepts="float")
def _mirrored(x, low, span):
    """x reflected at `low` and `low + span`, as often as it takes."""
    past = E("abs", x - low)
    turns = E("floor", past / span)
    rest = past - turns * span
    odd = turns - E("floor", turns * 0.5) * 2.0
    return _where(odd > 0.5, span - rest, rest) + low


def _bounded(x, n):
    """x in [0, n - 1]; at either bound the gradient is 0, as in PyTorch."""
    return where(x <= 0.0, 0.0, where(x >= n - 1.0, n - 1.0, x))


def _padded(x, n, padding, align):
    """The places that are read for places beyond the edges."""
    if padding == "zeros":
        return x
    if padding == "reflection":
        if align:
            x = _mirrored(x, 0.0, n - 1.0) if n > 1 else x * 0.0
        else:
            x = _mirrored(x, -0.5, float(n))
    return _bounded(x, n)


def linear_taps(x):
    """(places, weights) of the two neighbours along a new axis 1: x [N, ...]."""
    base = floor(x)
    share = (x - base).unsqueeze(1)
    one = _numbers(x, 2)
    weights = where(one > 0.5, share, 1.0 - share)
    return base.detach().unsqueeze(1) + one, weights


def _numbers(x, count):
    """0, 1, … along axis 1, in x's dtype."""
    taps = arange(count, dtype=x.dtype, device=x.device.base())
    return taps.reshape((1, count) + (1,) * (x.ndim - 1))


def _cubic_taps(x):
    base = floor(x)
    places = base.detach().unsqueeze(1) + (_numbers(x, 4) - 1.0)
    return places, _cubic_weight(_abs(x.unsqueeze(1) - places))


def _taps(x, n, mode, padding, align):
    """The taps of one axis of n places; x holds its coordinates [N, L]."""
    if mode == "bicubic":
        places, weights = _cubic_taps(x)
        return _padded(places, n, padding, align), weights
    x = _padded(x, n, padding, align)
    if mode == "bilinear":
        return linear_taps(x)
    places = _round(x).unsqueeze(1)
    return places, None


def combine(taps, sizes):
    """(flat places, weights), both [N, product of taps, L], from taps of each axis.

    Where a tap lies outside, its place is one past the end: that reads as 0.
    """
    flat = inside = weight = None
    for (places, weights), n in zip(taps, sizes):
        valid = (places >= 0.0) & (places <= n - 1.0)
        whole = where(valid, places, 0.0).astype(int32)
        if flat is None:
            flat, inside, weight = whole, valid, weights
            continue
        flat = _outer(flat * n, whole, lambda a, b: a + b)
        inside = _outer(inside, valid, lambda a, b: a & b)
        if weights is not None:
            weight = _outer(weight, weights, lambda a, b: a * b)
    total = 1
    for n in sizes:
        total *= n
    return where(inside, flat, total), weight


def _outer(a, b, join):
    """All pairs of taps: [N, S, L] and [N, T, L] -> [N, S * T, L]."""
    both = join(a.unsqueeze(2), b.unsqueeze(1))
    return both.reshape((a.shape[0], a.shape[1] * b.shape[1]) + a.shape[2:])


def gathered(x, flat, weight):
    """x [N, C, S] at flat places [N, K, L], weighted and added up: [N, C, L].

    The channels of a place are one row, so that one index serves them all, and the
    gradient sorts it once.
    """
    n, c, size = x.shape
    taps, places = flat.shape[1], flat.shape[2]
    rows = x.permute((0, 2, 1)).reshape((n * size, c))
    if n > 1:
        first = arange(n, dtype=int32, device=flat.device) * size
        flat = where(flat < size, flat + first.reshape((n, 1, 1)), n * size)
    found = take(rows, flat.reshape((-1,)), 0).reshape((n, taps, places, c))
    if weight is not None:
        found = found * weight.unsqueeze(3)
    return found.sum(1).permute((0, 2, 1))


def _check(x, grid, mode, padding):
    if not (x.dtype.is_float and grid.dtype.is_float):
        raise DTypeError(
            "grid_sample: x and grid hold floats; given %s and %s; cast with "
            ".astype(...)" % (x.dtype.name, grid.dtype.name)
        )
    rank = x.ndim - 2
    fits = rank in (2, 3) and grid.ndim == x.ndim and grid.shape[-1] == rank
    if not fits or grid.shape[0] != x.shape[0] or min(x.shape[2:]) < 1:
        raise ShapeError(
            "grid_sample: x is [N, C, H, W] and grid [N, H', W', 2], or [N, C, D, H, "
            "W] and [N, D', H', W', 3]; given x=%s, grid=%s"
            % (list(x.shape), list(grid.shape))
        )
    if mode not in ("bilinear", "nearest", "bicubic") or (rank, mode) == (3, "bicubic"):
        raise ShapeError(
            'grid_sample: mode is "bilinear", "nearest" or, for images, "bicubic"; '
            "given %r for x=%s" % (mode, list(x.shape))
        )
    if padding not in ("zeros", "border", "reflection"):
        raise ShapeError(
            'grid_sample: padding_mode is "zeros", "border" or "reflection"; given %r'
            % (padding,)
        )


def grid_sample(
    x: T,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> T:
    """Return x at the places of a grid; -1 and 1 are its edges (or corners' centres).

    Shapes: x [N, C, H, W], grid [N, H', W', 2] of (x, y) -> [N, C, H', W']; or x
    [N, C, D, H, W], grid [N, D', H', W', 3]. mode: "bilinear", "nearest", "bicubic"
    (images). padding_mode: "zeros", "border", "reflection". Both x and grid get
    gradients. Raises: ShapeError, DTypeError. Jaderberg et al. 2015.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[[[1.0, 3.0]]]])
        >>> fogo.grid_sample(x, fogo.zeros(1, 1, 1, 2)).tolist()
        [[[[2.0]]]]
    """
    _check(x, grid, mode, padding_mode)
    kind, sizes = x.dtype, x.shape[2:]
    wide = float32 if kind is float16 else kind
    x, grid = x.astype(wide), grid.astype(wide)
    outs, n = grid.shape[1:-1], x.shape[0]
    grid = grid.reshape((n, -1, len(sizes))) if grid.size else grid
    if x.size == 0 or grid.size == 0:
        return x.device.constant(0, kind).expand(x.shape[:2] + outs)
    taps = []
    for i, size in enumerate(sizes):
        at = grid.narrow(2, len(sizes) - 1 - i, 1).squeeze(2)
        if align_corners:
            at = (at + 1.0) * ((size - 1) / 2.0)
        else:
            at = ((at + 1.0) * float(size) - 1.0) * 0.5
        taps.append(_taps(at, size, mode, padding_mode, align_corners))
    flat, weight = combine(taps, sizes)
    out = gathered(x.reshape(x.shape[:2] + (-1,)), flat, weight)
    return out.astype(kind).reshape(x.shape[:2] + outs)


def _centres(n, align, like):
    """The places of n elements between -1 and 1."""
    at = arange(n, dtype=like.dtype, device=like.device.base())
    if not align:
        return (at * 2.0 + 1.0) / float(n) - 1.0
    return at * (2.0 / (n - 1)) - 1.0 if n > 1 else at


def affine_grid(theta: T, size: tuple[int, ...], align_corners: bool = False) -> T:
    """Return the grid for `grid_sample` that an affine map makes of the output's.

    Shapes: theta [N, 2, 3], size (N, C, H, W) -> [N, H, W, 2]; or theta [N, 3, 4],
    size (N, C, D, H, W) -> [N, D, H, W, 3]. Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> same = fogo.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> fogo.affine_grid(same, (1, 1, 1, 2)).tolist()
        [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    rank = len(size) - 2
    if not theta.dtype.is_float:
        raise DTypeError(
            "affine_grid: theta holds floats; given %s; cast it with .astype(...)"
            % theta.dtype.name
        )
    if rank not in (2, 3) or theta.shape != (size[0], rank, rank + 1) or min(size) < 1:
        raise ShapeError(
            "affine_grid: theta is [N, 2, 3] for size (N, C, H, W), or [N, 3, 4] for "
            "(N, C, D, H, W); given theta=%s, size=%s" % (list(theta.shape), size)
        )
    outs, columns = tuple(size[2:]), []
    for i in range(rank):
        axis = rank - 1 - i
        shape = (1,) * axis + (outs[axis],) + (1,) * (rank - 1 - axis)
        columns.append(_centres(outs[axis], align_corners, theta).reshape(shape))
    columns.append(ones(1, dtype=theta.dtype, device=theta.device.base()))
    base = stack([c.expand(outs).reshape((-1,)) for c in columns], 1)
    return matmul(base, theta.transpose()).reshape((size[0],) + outs + (rank,))


def _x(*shape):
    return (shape, -2.0, 2.0)


def _places(*shape):
    return (shape, -1.3, 1.3)


SAMPLES = {
    "grid_sample": (
        Sample(_x(2, 2, 3, 4), _places(2, 2, 3, 2)),
        Sample(_x(1, 2, 4, 3), _places(1, 2, 2, 2), padding_mode="border",
               align_corners=True),
        Sample(_x(1, 1, 4, 3), ((1, 3, 2, 2), -3.0, 3.0), padding_mode="reflection"),
        Sample(_x(1, 1, 4, 3), ((1, 3, 2, 2), -3.0, 3.0), padding_mode="reflection",
               align_corners=True),
        Sample(_x(1, 2, 4, 5), _places(1, 3, 2, 2), mode="bicubic"),
        Sample(_x(1, 1, 4, 5), _places(1, 2, 2, 2), mode="bicubic",
               padding_mode="border", align_corners=True),
        Sample(_x(1, 1, 4, 5), _places(1, 2, 3, 2), mode="bicubic",
               padding_mode="reflection"),
        Sample(_x(2, 1, 3, 4), _places(2, 2, 3, 2), mode="nearest"),
        Sample(_x(1, 2, 2, 3, 3), _places(1, 2, 1, 2, 3)),
        Sample(_x(1, 1, 2, 3, 2), _places(1, 1, 2, 2, 3), mode="nearest",
               padding_mode="border"),
    ),
    "affine_grid": (
        Sample(_x(2, 2, 3), size=(2, 1, 3, 4)),
        Sample(_x(1, 2, 3), size=(1, 3, 2, 1), align_corners=True),
        Sample(_x(1, 3, 4), size=(1, 1, 2, 3, 2)),
    ),
}  # fmt: skip

__all__ = ["affine_grid", "grid_sample"]
NOT_METHODS = __all__
