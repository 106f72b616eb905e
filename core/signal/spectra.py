"""Transforms of signals as pairs of real tensors, on every device, differentiable."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..errors import DTypeError, FogoError, ShapeError
from ..fft.pairs import pair
from ..fft.transforms import scale, sized
from ..ops.elementwise import where
from ..ops.movement import concat
from ..shapes import normalize_axis
from ..tensor import Tensor

if TYPE_CHECKING:
    Pair = tuple[Tensor, Tensor]


def _floats(name: str, *tensors: Tensor) -> None:
    for x in tensors:
        if not isinstance(x, Tensor) or not x.dtype.is_float:
            raise DTypeError(
                "signal.%s: it takes tensors of real floats; given %s; cast with "
                ".astype(fogo.float32)"
                % (name, x.dtype.name if isinstance(x, Tensor) else type(x).__name__)
            )
        if x.shape != tensors[0].shape:
            raise ShapeError(
                "signal.%s: real and imaginary parts have one shape; given %s and %s"
                % (name, list(tensors[0].shape), list(x.shape))
            )


def _transform(
    name: str, re: Tensor, im: Tensor, n: int | None, axis: int, norm: str, back: bool
) -> Pair:
    _floats(name, re, im)
    name = "signal." + name
    axis = normalize_axis(name, axis, re.ndim)
    re, im = sized(name, re, n, axis), sized(name, im, n, axis)
    by = scale(name, norm, re.shape[axis], back)
    re, im = pair(re, im, axis, back)
    return (re, im) if by == 1.0 else (re * by, im * by)


def cfft(
    re: Tensor,
    im: Tensor,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
) -> Pair:
    """Return the transform of complex numbers in two tensors: (real, imaginary).

    n, axis and norm as of `fogo.fft.fft`; any length, on any device.

    Example:
        >>> import fogo
        >>> one, zero = fogo.tensor([1.0, 0.0]), fogo.zeros(2)
        >>> [x.tolist() for x in fogo.signal.cfft(one, zero)]
        [[1.0, 1.0], [0.0, 0.0]]
    """
    return _transform("cfft", re, im, n, axis, norm, False)


def icfft(
    re: Tensor,
    im: Tensor,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
) -> Pair:
    """Return the inverse of `cfft`.

    Example:
        >>> import fogo
        >>> [x.tolist() for x in fogo.signal.icfft(fogo.ones(2), fogo.zeros(2))]
        [[1.0, 0.0], [0.0, 0.0]]
    """
    return _transform("icfft", re, im, n, axis, norm, True)


def rfft(
    x: Tensor, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Pair:
    """Return the first n // 2 + 1 numbers of the transform of real ones: a pair.

    n, axis and norm as of `fogo.fft.fft`; any length, on any device.

    Example:
        >>> import fogo
        >>> re, im = fogo.signal.rfft(fogo.tensor([1.0, 2.0, 3.0, 4.0]))
        >>> re.tolist(), im.tolist()
        ([10.0, -2.0, -2.0], [0.0, 2.0, 0.0])
    """
    re, im = _transform("rfft", x, x * 0.0, n, axis, norm, False)
    axis = normalize_axis("signal.rfft", axis, x.ndim)
    half = re.shape[axis] // 2 + 1
    return sized("rfft", re, half, axis), sized("rfft", im, half, axis)


def irfft(
    re: Tensor,
    im: Tensor,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
) -> Tensor:
    """Return n real numbers from the first n // 2 + 1 of their transform.

    n: 2 * (m - 1) by default, for m numbers along the axis.

    Example:
        >>> import fogo
        >>> re, im = fogo.tensor([10.0, -2.0, -2.0]), fogo.tensor([0.0, 2.0, 0.0])
        >>> fogo.signal.irfft(re, im).tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    _floats("irfft", re, im)
    axis = normalize_axis("signal.irfft", axis, re.ndim)
    n = 2 * (re.shape[axis] - 1) if n is None else n
    half = n // 2 + 1 if n > 0 else n
    re, im = (
        sized("signal.irfft", re, half, axis),
        sized("signal.irfft", im, half, axis),
    )
    rest = n - half
    if rest:
        re = concat([re, re.narrow(axis, 1, rest).flip(axis)], axis)
        im = concat([im, -im.narrow(axis, 1, rest).flip(axis)], axis)
    return _transform("irfft", re, im, n, axis, norm, True)[0]


# Frames.


def _framing(
    name: str, n_fft: int, hop: int | None, length: int | None, window: Tensor | None
) -> tuple[int, int]:
    hop = n_fft // 4 if hop is None else hop
    length = n_fft if length is None else length
    if not (n_fft > 0 and hop > 0 and 0 < length <= n_fft):
        raise FogoError(
            "signal.%s: n_fft and hop_length are above 0, win_length at most n_fft; "
            "given %r, %r, %r" % (name, n_fft, hop, length)
        )
    if window is not None and window.shape != (length,):
        raise ShapeError(
            "signal.%s: the window has win_length numbers; given shape %s, %d"
            % (name, list(window.shape), length)
        )
    return hop, length


def _window(window: Tensor | None, n_fft: int, length: int, like: Tensor) -> Tensor:
    """The window in the middle of n_fft numbers."""
    if window is None:
        from ..ops.creation import ones

        window = ones((length,), dtype=like.dtype, device=like.device)
    left = (n_fft - length) // 2
    return window.astype(like.dtype).pad(((left, n_fft - length - left),))


def _mirrored(x: Tensor, n: int) -> Tensor:
    """Rows with n numbers before and behind, mirrored at their ends."""
    if n >= x.shape[-1]:
        raise ShapeError(
            "signal.stft: center=True mirrors n_fft // 2 numbers at each end; given "
            "%d of %d" % (n, x.shape[-1])
        )
    before, behind = x[:, 1 : n + 1].flip(1), x[:, -n - 1 : -1].flip(1)
    return concat([before, x, behind], 1) if n else x


def stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    *,
    center: bool = True,
    normalized: bool = False,
    onesided: bool = True,
) -> Pair:
    """Return the transform of each frame of a signal: (real, imaginary).

    x: [length] or [batch, length], of real floats. Frames of n_fft numbers begin
    hop_length apart (n_fft // 4), times the window of win_length (n_fft) in their
    middle; center: frame t is around number t * hop_length, the ends are mirrored.
    Shape: [..., n_fft // 2 + 1 (onesided) or n_fft, frames]. As PyTorch's, but a pair.
    Raises: FogoError, ShapeError for settings that do not fit.

    Example:
        >>> import fogo
        >>> re, im = fogo.signal.stft(fogo.ones(16), n_fft=8, hop_length=4)
        >>> re.shape
        (5, 5)
    """
    _floats("stft", x)
    hop, length = _framing("stft", n_fft, hop_length, win_length, window)
    if x.ndim not in (1, 2):
        raise ShapeError(
            "signal.stft: a signal is [length] or [batch, length]; given shape %s"
            % (list(x.shape),)
        )
    if x.ndim == 1:
        re, im = stft(
            x.reshape((1, -1)), n_fft, hop, length, window, center=center,
            normalized=normalized, onesided=onesided,
        )  # fmt: skip
        return re[0], im[0]
    x = _mirrored(x, n_fft // 2) if center else x
    if x.shape[1] < n_fft:
        raise ShapeError(
            "signal.stft: a signal has at least n_fft numbers; given %d, %d"
            % (x.shape[1], n_fft)
        )
    frames = x.sliding_windows(1, n_fft, hop) * _window(window, n_fft, length, x)
    norm = "ortho" if normalized else "backward"
    if onesided:
        re, im = rfft(frames, norm=norm)
    else:
        re, im = cfft(frames, frames * 0.0, norm=norm)
    return re.mT, im.mT


def istft(
    re: Tensor,
    im: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    *,
    center: bool = True,
    normalized: bool = False,
    onesided: bool = True,
    length: int | None = None,
) -> Tensor:
    """Return the signal whose `stft` is nearest to the given one.

    re, im: as `stft` gives them; length: of the result (else what the frames tell).
    Frames are added where they overlap, and divided by the sum of squared windows.

    Example:
        >>> import fogo
        >>> x = fogo.arange(16.0)
        >>> window = fogo.signal.hann_window(8)
        >>> spectrum = fogo.signal.stft(x, 8, 4, window=window)
        >>> back = fogo.signal.istft(*spectrum, 8, 4, window=window)
        >>> [round(v, 3) for v in back.tolist()] == x.tolist()
        True
    """
    _floats("istft", re, im)
    hop, size = _framing("istft", n_fft, hop_length, win_length, window)
    if re.ndim == 2:
        parts = [x.reshape((1,) + x.shape) for x in (re, im)]
        return istft(
            parts[0], parts[1], n_fft, hop, size, window, center=center,
            normalized=normalized, onesided=onesided, length=length,
        )[0]  # fmt: skip
    wanted = n_fft // 2 + 1 if onesided else n_fft
    if re.ndim != 3 or re.shape[1] != wanted:
        raise ShapeError(
            "signal.istft: a spectrum is [batch, %d, frames]; given shape %s"
            % (wanted, list(re.shape))
        )
    norm = "ortho" if normalized else "backward"
    if onesided:
        frames = irfft(re.mT, im.mT, n=n_fft, norm=norm)
    else:
        frames = icfft(re.mT, im.mT, norm=norm)[0]
    shape = _window(window, n_fft, size, re)
    whole = _added(frames * shape, hop)
    weight = _added((shape * shape).broadcast_to((1,) + frames.shape[1:]), hop)
    made = whole / where(weight > 1e-11, weight, 1.0)
    start = n_fft // 2 if center else 0
    end = made.shape[1] - start if length is None else start + length
    if end > made.shape[1]:
        made = made.pad(((0, 0), (0, end - made.shape[1])))
    return made[:, start:end]


def _added(frames: Tensor, hop: int) -> Tensor:
    """Frames [batch, count, n] at their places, added: [batch, length].

    Each is cut in pieces of `hop` numbers; the pieces of one kind lie side by side.
    """
    batch, count, n = frames.shape
    pieces = math.ceil(n / hop)
    filled = frames.pad(((0, 0), (0, 0), (0, pieces * hop - n)))
    total = None
    for p in range(pieces):
        part = filled[:, :, p * hop : (p + 1) * hop].reshape((batch, count * hop))
        part = part.pad(((0, 0), (p * hop, (pieces - 1 - p) * hop)))
        total = part if total is None else total + part
    assert total is not None
    return total[:, : (count - 1) * hop + n]
