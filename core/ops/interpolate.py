"""`interpolate`: images, signals and volumes at another size, one axis at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from .define import Sample
from .pool import adaptive_avg_pool
from .resample import RESAMPLE, resampled

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")

# mode: (its filter, the number of spatial axes, None for any)
_MODES = (
    ("nearest", "nearest", None),
    ("nearest-exact", "nearest-exact", None),
    ("linear", "linear", 1),
    ("bilinear", "linear", 2),
    ("trilinear", "linear", 3),
    ("cubic", "cubic", None),
    ("bicubic", "cubic", 2),
    ("lanczos", "lanczos3", None),
    ("lanczos3", "lanczos3", None),
    ("area", "area", None),
)
_NAMES = ", ".join([m[0] for m in _MODES])


def _filter(mode, rank):
    for name, kind, wanted in _MODES:
        if name == mode and wanted in (None, rank):
            return kind
    raise ShapeError(
        "interpolate: mode is one of %s, that fits %d spatial axes; given %r"
        % (_NAMES, rank, mode)
    )


def _spread(what, value, rank):
    each = (value,) * rank if isinstance(value, (int, float)) else tuple(value)
    if len(each) != rank or min(each) <= 0:
        raise ShapeError(
            "interpolate: %s is positive, one for all or for each of %d axes; given %s"
            % (what, rank, value)
        )
    return each


def _sizes(x, rank, size, scale_factor, recompute, exact):
    """(the size of each axis, places of x for one of the result or None).

    exact: how many times larger an axis may become without a look at the scale.
    """
    if (size is None) == (scale_factor is None):
        raise ShapeError(
            "interpolate: size or scale_factor, one of them; given size=%s, "
            "scale_factor=%s" % (size, scale_factor)
        )
    if size is not None:
        return _spread("size", size, rank), (None,) * rank
    scales = _spread("scale_factor", scale_factor, rank)
    sizes = tuple([int(n * s) for n, s in zip(x.shape[2:], scales)])
    if recompute:
        return sizes, (None,) * rank
    return sizes, tuple(
        [_ratio(n, m, s, exact) for n, m, s in zip(x.shape[2:], sizes, scales)]
    )


def _ratio(n, outs, scale, exact):
    """1 / scale, or None where the sizes are to say it."""
    known = n * scale == outs or outs in [n * times for times in exact]
    return None if known else 1.0 / scale


def _exact(kind, antialias):
    """PyTorch copies an axis that keeps or doubles its size, whatever the scale."""
    if kind == "nearest":
        return (1, 2)
    return (1,) if kind == "linear" or kind == "cubic" and antialias else ()


def interpolate(
    x: T,
    size: int | tuple[int, ...] | None = None,
    scale_factor: float | tuple[float, ...] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> T:
    """Return x resampled to `size`, or to its size times `scale_factor`.

    Shapes: x [N, C, ...S] with one to three spatial axes. mode: "nearest" (rounds
    down), "nearest-exact", "linear", "bilinear", "trilinear", "cubic", "bicubic"
    (Keys, a = -0.75), "lanczos3", "area" (means). align_corners: the corners of both
    lie on each other, not their edges. antialias: filters grow as x shrinks. The
    options are PyTorch's. Raises: ShapeError, DTypeError (floats only).

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[[1.0, 3.0]]])
        >>> fogo.interpolate(x, size=4, mode="linear").tolist()
        [[[1.0, 1.5, 2.5, 3.0]]]
    """
    RESAMPLE.check(x.dtype)
    rank = x.ndim - 2
    if not 1 <= rank <= 3 or min(x.shape[2:]) < 1:
        raise ShapeError(
            "interpolate: x is [N, C, ...S] with 1 to 3 spatial axes, none empty; "
            "given %s" % list(x.shape)
        )
    kind = _filter(mode, rank)
    sizes, ratios = _sizes(
        x, rank, size, scale_factor, recompute_scale_factor, _exact(kind, antialias)
    )
    if min(sizes) < 1:
        raise ShapeError(
            "interpolate: the result must not be empty; given sizes %s" % (sizes,)
        )
    if align_corners and kind in ("nearest", "nearest-exact", "area"):
        raise ShapeError(
            "interpolate: align_corners goes with the modes that mix neighbours; "
            "given mode=%r; leave it out" % mode
        )
    if antialias and kind not in ("linear", "cubic", "lanczos3"):
        raise ShapeError(
            "interpolate: antialias goes with linear, cubic and lanczos filters; "
            "given mode=%r; leave it out" % mode
        )
    if kind == "area":
        return adaptive_avg_pool(x, sizes)
    for i in range(rank):
        ratio = None if align_corners else ratios[i]
        x = resampled(x, 2 + i, sizes[i], kind, align_corners, ratio, antialias)
    return x


def _x(*shape):
    return (shape, -2.0, 2.0)


SAMPLES = {
    "interpolate": (
        Sample(_x(1, 2, 5), size=7),
        Sample(_x(2, 1, 5, 4), scale_factor=(1.5, 0.6), mode="nearest-exact"),
        Sample(_x(2, 1, 5), size=8, mode="linear", align_corners=True),
        Sample(_x(1, 2, 4, 5), scale_factor=1.7, mode="bilinear"),
        Sample(_x(1, 2, 3, 4), scale_factor=(2.3, 1.2)),
        Sample(_x(1, 1, 4, 5), scale_factor=1.2, mode="bilinear"),
        Sample(_x(1, 1, 6, 7), size=(3, 2), mode="bilinear", antialias=True),
        Sample(_x(1, 1, 5, 4), size=(7, 3), mode="bicubic"),
        Sample(_x(1, 1, 5, 4), size=(3, 9), mode="bicubic", align_corners=True),
        Sample(_x(1, 1, 7, 4), size=(3, 6), mode="bicubic", antialias=True),
        Sample(_x(1, 1, 2, 3, 4), scale_factor=2, mode="trilinear"),
        Sample(_x(1, 1, 5, 7), size=(8, 3), mode="lanczos3"),
        Sample(_x(1, 1, 5, 9), size=(3, 4), mode="lanczos3", antialias=True),
        Sample(_x(1, 1, 5, 6), size=(3, 2), mode="area"),
        Sample(_x(1, 2, 1, 3), size=(4, 1), mode="bilinear", align_corners=True),
        Sample(_x(0, 2, 3), size=5),
    ),
}

__all__ = ["interpolate"]
NOT_METHODS = __all__
