"""Statistics over axes: order statistics, moments that skip nan, covariances."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from .define import Sample
from .elementwise import where
from .pairs import Extremes
from .reduce import _float, max, mean, min, sum, var

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_X = ((3, 5, 2), -3.0, 3.0)


def _nan(x):
    """Where x is nan; nowhere for integers and bools."""
    return x.isnan() if x.dtype.is_float else x.astype("bool") & False


def nansum(
    x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> T:
    """Return the sum over `axis`, with nan counted as 0.

    Example:
        >>> import fogo
        >>> round(fogo.nansum(fogo.tensor([1.0, float("nan")])).item(), 4)
        1.0
    """
    return sum(where(_nan(x), 0, x) if x.dtype.is_float else x, axis, keepdims)


def nanmean(
    x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> T:
    """Return the mean over `axis` of what is not nan; nan where nothing is left.

    Example:
        >>> import fogo
        >>> fogo.nanmean(fogo.tensor([1.0, float("nan"), 3.0])).item()
        2.0
    """
    x = _float(x)
    count = sum((~_nan(x)).astype(x.dtype), axis, keepdims)
    return nansum(x, axis, keepdims) / count


def var_mean(
    x: T,
    axis: int | tuple[int, ...] | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
) -> tuple[T, T]:
    """Return the variance and the mean over `axis`; see `var` for the correction.

    Example:
        >>> import fogo
        >>> [y.tolist() for y in fogo.var_mean(fogo.tensor([1.0, 3.0]))]
        [1.0, 2.0]
    """
    return var(x, axis, correction, keepdims), mean(x, axis, keepdims)


def std_mean(
    x: T,
    axis: int | tuple[int, ...] | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
) -> tuple[T, T]:
    """Return the standard deviation and the mean over `axis`; see `var`.

    Example:
        >>> import fogo
        >>> [y.tolist() for y in fogo.std_mean(fogo.tensor([1.0, 3.0]))]
        [1.0, 2.0]
    """
    return var(x, axis, correction, keepdims).sqrt(), mean(x, axis, keepdims)


def aminmax(
    x: T, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Extremes[T]:
    """Return the smallest and the largest elements over `axis`: `.min`, `.max`.

    Example:
        >>> import fogo
        >>> low, high = fogo.aminmax(fogo.tensor([3, 1, 2]))
        >>> low.item(), high.item()
        (1, 3)
    """
    return Extremes(min(x, axis, keepdims), max(x, axis, keepdims))


def cov(
    x: T,
    correction: float = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> T:
    """Return the covariances of the rows: x [V, N] -> [V, V]; a vector's variance.

    Columns are observations; fweights [N] says how often each was made, aweights [N]
    how much it counts. Raises: ShapeError for more axes.

    Example:
        >>> import fogo
        >>> fogo.cov(fogo.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    if x.ndim > 2:
        raise ShapeError("cov: at most two axes; given %s" % list(x.shape))
    rows = _float(x).reshape((1, -1) if x.ndim < 2 else x.shape)
    n = rows.shape[1]
    weights = _weights(rows, fweights, aweights)
    if weights is None:
        total, centred = float(n), rows - rows.mean(1, True)
        scaled, left = centred, total - correction
    else:
        total = weights.sum()
        centred = rows - (rows * weights).sum(1, True) / total
        scaled, lost = centred * weights, correction
        if aweights is not None:
            lost = (weights * aweights).sum() / total * correction
        left = total - lost
    if weights is None and left <= 0:
        left = 0.0
    out = scaled.matmul(centred.transpose()) / left
    return out.reshape(()) if x.ndim < 2 else out


def _weights(rows, fweights, aweights):
    found = None
    for given in (fweights, aweights):
        if given is not None:
            if given.shape != rows.shape[1:]:
                raise ShapeError(
                    "cov: one weight for each column; given %s for x=%s"
                    % (list(given.shape), list(rows.shape))
                )
            w = given.astype(rows.dtype)
            found = w if found is None else found * w
    return found


def corrcoef(x: T) -> T:
    """Return the correlations of the rows: x [V, N] -> [V, V], from -1 to 1.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, 2.0], [2.0, 4.0]])
        >>> [round(v, 4) for v in fogo.corrcoef(x).flatten().tolist()]
        [1.0, 1.0, 1.0, 1.0]
    """
    c = cov(x)
    if c.ndim == 0:
        return c / c
    spread = c.diagonal().sqrt()
    return (c / spread.unsqueeze(1) / spread.unsqueeze(0)).clip(-1.0, 1.0)


_ROWS = ((3, 5), -3.0, 3.0)
SAMPLES = {
    "nansum": (Sample(_X), Sample(_X, axis=1, keepdims=True)),
    "nanmean": (Sample(_X), Sample(_X, axis=(0, -1))),
    "var_mean": (Sample(_X), Sample(_X, axis=1, correction=1, keepdims=True)),
    "std_mean": (Sample(_X), Sample(_X, axis=(0, -1), correction=1)),
    "aminmax": (Sample(_X), Sample(_X, axis=1, keepdims=True)),
    "cov": (
        Sample(_ROWS),
        Sample(((5,), -3.0, 3.0), correction=0),
    ),
    "corrcoef": (Sample(_ROWS),),
}

__all__ = [
    "aminmax", "corrcoef", "cov", "nanmean", "nansum", "std_mean", "var_mean",
]  # fmt: skip
NOT_METHODS = ()
