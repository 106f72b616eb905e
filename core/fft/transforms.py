"""Discrete Fourier transforms of complex tensors: the array API's `fft` extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dispatch import call
from ..dtypes import DEFAULT_FLOAT, complex64, complex128
from ..errors import DTypeError, FogoError, ShapeError
from ..ops.complex_ import conj, imag, real
from ..ops.define import define_op
from ..ops.movement import concat
from ..shapes import normalize_axes, normalize_axis
from ..tensor import Tensor
from .pairs import PAIR

if TYPE_CHECKING:
    from collections.abc import Sequence

    Axes = Sequence[int] | None

NORMS = ("backward", "ortho", "forward")


def _same(avals, attrs):
    return (avals[0],)


def _by_pairs(x: Tensor, inverse: bool) -> Tensor:
    re, im = call(PAIR, (real(x), imag(x)), (inverse,))
    return re.astype(x.dtype) + im.astype(x.dtype) * 1j


def _grad(ctx: Any) -> Any:
    return (call(FFT, (ctx.g[0],), (not ctx.attrs[0],)),)


FFT = define_op(
    "fft", infer=_same, attrs=("inverse",), decompose=_by_pairs, grad=_grad, saves="",
    accepts="float", complex=True, cost="compute",
)  # fmt: skip


# What all have in common.


def scale(name: str, norm: str, n: int, inverse: bool) -> float:
    """Return what an unscaled transform of n numbers is multiplied with."""
    if norm not in NORMS:
        raise FogoError(
            "%s: norm is 'backward', 'ortho' or 'forward'; given %r" % (name, norm)
        )
    if norm == "ortho":
        return float(n) ** -0.5
    return 1.0 / n if (norm == "backward") == inverse else 1.0


def given(name: str, x: Tensor) -> Tensor:
    """Return x where it is a tensor; else raise."""
    if not isinstance(x, Tensor):
        raise DTypeError(
            "%s: it takes tensors; given %s; write fogo.tensor(...)"
            % (name, type(x).__name__)
        )
    return x


def sized(name: str, x: Tensor, n: int | None, axis: int) -> Tensor:
    """Return x cut, or filled up with zeros, to length n along an axis."""
    old = x.shape[axis]
    n = old if n is None else n
    if not isinstance(n, int) or n < 1:
        raise ShapeError(
            "%s: a transform has at least one number, n is a whole one; given n=%r, "
            "shape %s" % (name, n, list(x.shape))
        )
    if n < old:
        return x.narrow(axis, 0, n)
    if n > old:
        return x.pad([(0, n - old if a == axis else 0) for a in range(x.ndim)])
    return x


def _complex(name: str, x: Tensor) -> Tensor:
    """Return x as complex numbers, where its device holds them."""
    kind = complex128 if x.dtype.name in ("float64", "complex128") else complex64
    if kind not in x.device.base().backend.holds:
        raise DTypeError(
            "%s: its results are complex; given %s on %r, which holds no complex "
            "numbers; use fogo.signal (pairs of real tensors), or .to('numpy')"
            % (name, x.dtype.name, x.device)
        )
    if not x.dtype.inexact:
        x = x.astype(DEFAULT_FLOAT)
    return x if x.dtype is kind else x.astype(kind)


def _along(x: Tensor, axis: int, inverse: bool) -> Tensor:
    moved = x.moveaxis(axis, -1)
    shape = moved.shape
    rows = 1
    for d in shape[:-1]:
        rows *= d
    made = call(FFT, (moved.reshape((rows, shape[-1])),), (inverse,))
    return made.reshape(shape).moveaxis(-1, axis)


def _one(name: str, x: Tensor, n: Any, axis: int, norm: str, inverse: bool) -> Tensor:
    axis = normalize_axis(name, axis, given(name, x).ndim)
    x = sized(name, _complex(name, x), n, axis)
    by = scale(name, norm, x.shape[axis], inverse)
    made = _along(x, axis, inverse)
    return made if by == 1.0 else made * by


# One axis.


def fft(
    x: Tensor, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the transform along one axis: sum of x_j exp(-2 pi i j k / n) over j.

    x: real or complex; n: cut or fill up with zeros to that length first; norm: where
    the factor 1 / n goes: "backward" (the inverse), "forward", "ortho" (1 / sqrt(n)
    in both). Dtype: complex64, or complex128 for 64 bits. Any length.
    Raises: DTypeError on a device that holds no complex numbers: see `fogo.signal`.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([1.0, 2.0, 3.0, 4.0], device="numpy")
        >>> fogo.fft.fft(x).tolist()
        [(10+0j), (-2+2j), (-2+0j), (-2-2j)]
    """
    return _one("fft.fft", x, n, axis, norm, False)


def ifft(
    x: Tensor, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the inverse transform along one axis: see `fft`.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([10.0, -2.0, -2.0, -2.0], device="numpy")
        >>> fogo.fft.ifft(x).tolist()
        [(1+0j), (3+0j), (3+0j), (3+0j)]
    """
    return _one("fft.ifft", x, n, axis, norm, True)


def rfft(
    x: Tensor, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the transform of real numbers: its first n // 2 + 1 numbers; see `fft`.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([1.0, 2.0, 3.0, 4.0], device="numpy")
        >>> fogo.fft.rfft(x).tolist()
        [(10+0j), (-2+2j), (-2+0j)]
    """
    name = "fft.rfft"
    _refuse_complex(name, x)
    made = _one(name, x, n, axis, norm, False)
    axis = normalize_axis(name, axis, x.ndim)
    return sized(name, made, made.shape[axis] // 2 + 1, axis)


def irfft(
    x: Tensor, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return n real numbers from the first n // 2 + 1 of their transform.

    n: 2 * (m - 1) by default, for m numbers along the axis; see `fft`.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([10.0, -2 + 2j, -2.0], device="numpy")
        >>> fogo.fft.irfft(x).tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    name = "fft.irfft"
    axis = normalize_axis(name, axis, given(name, x).ndim)
    n = 2 * (x.shape[axis] - 1) if n is None else n
    fits = isinstance(n, int) and n > 0  # else `sized` refuses it
    x = sized(name, _complex(name, x), n // 2 + 1 if fits else n, axis)
    rest = n - n // 2 - 1
    whole = x
    if rest:
        whole = concat([x, conj(x.narrow(axis, 1, rest).flip(axis))], axis)
    return real(_one(name, whole, n, axis, norm, True))


def hfft(
    x: Tensor, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the real transform of numbers of which half is given: x_-j = conj(x_j).

    n: 2 * (m - 1) by default; see `fft`.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([1 + 0j, 2.0, 3.0], device="numpy")
        >>> fogo.fft.hfft(x).tolist()
        [8.0, -2.0, 0.0, -2.0]
    """
    other = {"backward": "forward", "forward": "backward"}.get(norm, norm)
    return irfft(conj(given("fft.hfft", x)), n=n, axis=axis, norm=other)


def ihfft(
    x: Tensor, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the inverse of `hfft`: n // 2 + 1 complex numbers of n real ones.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([8.0, -2.0, 0.0, -2.0], device="numpy")
        >>> [z.real for z in fogo.fft.ihfft(x).tolist()]
        [1.0, 2.0, 3.0]
    """
    other = {"backward": "forward", "forward": "backward"}.get(norm, norm)
    return conj(rfft(x, n=n, axis=axis, norm=other))


# Several axes.


def fftn(
    x: Tensor, *, s: Axes = None, axes: Axes = None, norm: str = "backward"
) -> Tensor:
    """Return the transform along several axes (all, by default): see `fft`.

    s: the lengths, one for each axis; without `axes`, of the last ones.

    Example:
        >>> import fogo
        >>> x = fogo.ones((2, 2), device="numpy")
        >>> fogo.fft.fftn(x).tolist()
        [[(4+0j), 0j], [0j, 0j]]
    """
    for axis, n in _axes("fft.fftn", x, s, axes):
        x = _one("fft.fftn", x, n, axis, norm, False)
    return x


def ifftn(
    x: Tensor, *, s: Axes = None, axes: Axes = None, norm: str = "backward"
) -> Tensor:
    """Return the inverse transform along several axes: see `fftn`.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[4.0, 0.0], [0.0, 0.0]], device="numpy")
        >>> fogo.fft.ifftn(x).tolist()
        [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    for axis, n in _axes("fft.ifftn", x, s, axes):
        x = _one("fft.ifftn", x, n, axis, norm, True)
    return x


def rfftn(
    x: Tensor, *, s: Axes = None, axes: Axes = None, norm: str = "backward"
) -> Tensor:
    """Return the transform of real numbers along several axes, halved in the last.

    Example:
        >>> import fogo
        >>> fogo.fft.rfftn(fogo.ones((2, 4), device="numpy")).shape
        (2, 3)
    """
    pairs = _axes("fft.rfftn", x, s, axes)
    axis, n = pairs[-1]
    x = rfft(x, n=n, axis=axis, norm=norm)
    for axis, n in pairs[:-1]:
        x = _one("fft.rfftn", x, n, axis, norm, False)
    return x


def irfftn(
    x: Tensor, *, s: Axes = None, axes: Axes = None, norm: str = "backward"
) -> Tensor:
    """Return the inverse of `rfftn`: real numbers.

    Example:
        >>> import fogo
        >>> x = fogo.fft.rfftn(fogo.ones((2, 4), device="numpy"))
        >>> fogo.fft.irfftn(x).tolist()
        [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]
    """
    pairs = _axes("fft.irfftn", x, s, axes)
    for axis, n in pairs[:-1]:
        x = _one("fft.irfftn", x, n, axis, norm, True)
    axis, n = pairs[-1]
    return irfft(x, n=n if s is not None else None, axis=axis, norm=norm)


def fft2(
    x: Tensor, *, s: Axes = None, axes: Axes = (-2, -1), norm: str = "backward"
) -> Tensor:
    """Return the transform along two axes: see `fftn`.

    Example:
        >>> import fogo
        >>> fogo.fft.fft2(fogo.ones((2, 2), device="numpy")).tolist()
        [[(4+0j), 0j], [0j, 0j]]
    """
    return fftn(x, s=s, axes=axes, norm=norm)


def ifft2(
    x: Tensor, *, s: Axes = None, axes: Axes = (-2, -1), norm: str = "backward"
) -> Tensor:
    """Return the inverse transform along two axes: see `fftn`.

    Example:
        >>> import fogo
        >>> fogo.fft.ifft2(fogo.ones((2, 2), device="numpy")).tolist()
        [[(1+0j), 0j], [0j, 0j]]
    """
    return ifftn(x, s=s, axes=axes, norm=norm)


def rfft2(
    x: Tensor, *, s: Axes = None, axes: Axes = (-2, -1), norm: str = "backward"
) -> Tensor:
    """Return the transform of real numbers along two axes: see `rfftn`.

    Example:
        >>> import fogo
        >>> fogo.fft.rfft2(fogo.ones((2, 4), device="numpy")).shape
        (2, 3)
    """
    return rfftn(x, s=s, axes=axes, norm=norm)


def irfft2(
    x: Tensor, *, s: Axes = None, axes: Axes = (-2, -1), norm: str = "backward"
) -> Tensor:
    """Return the inverse of `rfft2`.

    Example:
        >>> import fogo
        >>> x = fogo.fft.rfft2(fogo.ones((2, 4), device="numpy"))
        >>> fogo.fft.irfft2(x).shape
        (2, 4)
    """
    return irfftn(x, s=s, axes=axes, norm=norm)


def _axes(name: str, x: Tensor, s: Axes, axes: Axes) -> list[tuple[int, int]]:
    """Pairs of axis and length, in the order they were given."""
    given(name, x)
    for what in (s, axes):
        if isinstance(what, int):
            raise ShapeError(
                "%s: s and axes are sequences; given %r; write (%r,)"
                % (name, what, what)
            )
    if axes is None:
        count = x.ndim if s is None else len(s)
        axes = range(x.ndim - count, x.ndim)
    places = [normalize_axis(name, a, x.ndim) for a in axes]
    normalize_axes(name, tuple(places), x.ndim)  # they differ
    sizes = [x.shape[a] for a in places] if s is None else list(s)
    if len(sizes) != len(places) or not places:
        raise ShapeError(
            "%s: one length for each axis, at least one; given s=%s, axes=%s"
            % (name, None if s is None else list(s), list(axes))
        )
    return list(zip(places, sizes))


def _refuse_complex(name: str, x: Tensor) -> None:
    if given(name, x).dtype.is_complex:
        raise DTypeError(
            "%s: it takes real numbers; given %s; use fogo.fft.fft" % (name, x.dtype)
        )
