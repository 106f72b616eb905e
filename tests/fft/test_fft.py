"""Fourier transforms beside NumPy in float64 and PyTorch's gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import fft, signal
from fogo.fft.pairs import radices, smooth
from tests.support import sampling

EVERY = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 25, 30, 49, 64, 97, 100, 128]
LENGTHS = [n for n in EVERY if n in (6, 11) or sampling.keep(f"length {n}")]
NORMS = ["backward", "ortho", "forward"]


def random(shape: Any, seed: int = 0, kind: str = "complex") -> Any:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, shape)
    return x + 1j * rng.uniform(-1, 1, shape) if kind == "complex" else x


def put(x: Any, device: Any, **options: Any) -> Any:
    return fogo.tensor(np.asarray(x).tolist(), device=device, **options)


def whole(pair: Any) -> Any:
    return np.array(pair[0].tolist()) + 1j * np.array(pair[1].tolist())


# Pairs: on every device.


@pytest.mark.parametrize("n", LENGTHS)
def test_pairs_of_any_length(n: int, device: fogo.Device) -> None:
    z = random((2, n), n)
    parts = [put(x, device) for x in (z.real, z.imag)]
    top = np.abs(np.fft.fft(z)).max()
    for norm in NORMS:
        want = np.fft.fft(z, norm=norm), np.fft.ifft(z, norm=norm)
        found = signal.cfft(*parts, norm=norm), signal.icfft(*parts, norm=norm)
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(whole(a), b, 0, 2e-6 * top)


@pytest.mark.parametrize("n", [1009, 1000, 4096])
def test_long_ones_stay_exact(n: int) -> None:
    """The error of float32 grows with the logarithm of the length, not with it."""
    z = random((1, n), n)
    parts = [put(x, "numpy") for x in (z.real, z.imag)]
    want = np.fft.fft(z)
    error = np.abs(whole(signal.cfft(*parts)) - want).max() / np.abs(want).max()
    assert error < 6e-7
    wide = [put(x, "numpy", dtype="float64") for x in (z.real, z.imag)]
    error = np.abs(whole(signal.cfft(*wide)) - want).max() / np.abs(want).max()
    assert error < 2e-15


@pytest.mark.parametrize("n", [1, 2, 5, 8, 11])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_real_pairs(n: int, axis: int, device: fogo.Device) -> None:
    x = random((n, n + 1, 3), n, "real")
    want = np.fft.rfft(x, axis=axis)
    re, im = signal.rfft(put(x, device), axis=axis)
    np.testing.assert_allclose(whole((re, im)), want, 0, 1e-5)
    back = signal.irfft(re, im, n=x.shape[axis], axis=axis)
    np.testing.assert_allclose(np.array(back.tolist()), x, 0, 1e-5)


@pytest.mark.parametrize("n", [4, 7, 11])
def test_gradients_of_pairs(n: int, device: fogo.Device) -> None:
    z = random((2, n), n)
    dev = device.autodiff()
    re, im = [put(x, dev).requires_grad_() for x in (z.real, z.imag)]
    a, b = signal.cfft(re, im)
    c = signal.irfft(a, b, n=n, norm="ortho")
    grads = ((a * a * 0.5 + b.sin()).sum() + (c**3).sum()).backward()
    t = torch.tensor(z, requires_grad=True)
    y = torch.fft.fft(t)
    w = torch.fft.irfft(y, n=n, norm="ortho")
    ((y.real**2 * 0.5 + y.imag.sin()).sum() + (w**3).sum()).backward()
    assert t.grad is not None
    for mine, want in ((re, t.grad.real), (im, t.grad.imag)):
        np.testing.assert_allclose(np.array(grads[mine].tolist()), want, 1e-4, 1e-4)


def test_lengths_are_cut_and_filled(device: fogo.Device) -> None:
    x = random((3, 6), 1, "real")
    for n in (4, 9):
        want = np.fft.rfft(x, n=n)
        np.testing.assert_allclose(
            whole(signal.rfft(put(x, device), n=n)), want, 0, 1e-5
        )


# Complex tensors, where NumPy holds them.


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [None, 3, 5, 8])
def test_one_axis(n: int | None, norm: str) -> None:
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        kind = "real" if name in ("rfft", "ihfft") else "complex"
        x = random((2, 5, 4), 2, kind)
        for axis in (0, 1, 2, -1):
            if n is None and name in ("irfft", "hfft") and x.shape[axis] < 2:
                continue
            want = getattr(np.fft, name)(x, n=n, axis=axis, norm=norm)
            ours = getattr(fft, name)(
                fogo.tensor(x, device="numpy"), n=n, axis=axis, norm=norm
            )
            assert ours.dtype.name == str(want.dtype)
            np.testing.assert_allclose(ours.numpy(), want, 1e-10, 1e-12)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("axes", [None, (0, 1), (2, 0), (-1,)])
def test_several_axes(axes: Any, norm: str) -> None:
    for name in ("fftn", "ifftn", "rfftn", "irfftn"):
        x = random((3, 4, 5), 3, "real" if name == "rfftn" else "complex")
        for s in (None, (4, 6, 3)[: 3 if axes is None else len(axes)]):
            given = axes if axes is not None or s is None else (0, 1, 2)
            want = getattr(np.fft, name)(x, s=s, axes=given, norm=norm)
            ours = getattr(fft, name)(
                fogo.tensor(x, device="numpy"), s=s, axes=axes, norm=norm
            )
            np.testing.assert_allclose(ours.numpy(), want, 1e-10, 1e-12)


def test_two_axes() -> None:
    x = random((2, 4, 6), 4, "real")
    for name in ("fft2", "ifft2", "rfft2"):
        ours = getattr(fft, name)(fogo.tensor(x, device="numpy"))
        np.testing.assert_allclose(ours.numpy(), getattr(np.fft, name)(x), 1e-10, 1e-12)
    half = np.fft.rfft2(x)
    ours = fft.irfft2(fogo.tensor(half, device="numpy"))
    np.testing.assert_allclose(ours.numpy(), x, 1e-10, 1e-12)


def test_dtypes() -> None:
    for given in ("float32", "int32", "complex64", "float64"):
        made = "complex128" if given == "float64" else "complex64"
        x = fogo.ones(4, dtype=given, device="numpy")
        assert fft.fft(x).dtype.name == made


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_gradients(name: str) -> None:
    kind = "real" if name in ("rfft", "ihfft") else "complex"
    x = random((3, 5), 5, kind)
    dev = fogo.device("numpy").autodiff()
    ours = fogo.tensor(x, device=dev).requires_grad_()
    theirs = torch.tensor(x, requires_grad=True)
    a = getattr(fft, name)(ours, norm="ortho")
    b = getattr(torch.fft, name)(theirs, norm="ortho")
    grads = (a.abs() ** 3).sum().backward()
    (b.abs() ** 3).sum().backward()
    np.testing.assert_allclose(
        grads[ours].numpy(), theirs.grad.resolve_conj(), 1e-8, 1e-10
    )


def test_frequencies(device: fogo.Device) -> None:
    for n in (1, 2, 5, 8):
        for ours, theirs in ((fft.fftfreq, np.fft.fftfreq),
                             (fft.rfftfreq, np.fft.rfftfreq)):  # fmt: skip
            found = ours(n, d=0.5, device=device)
            np.testing.assert_allclose(found.tolist(), theirs(n, 0.5), 1e-6)
        x = random((n, 4), n, "real")
        for name in ("fftshift", "ifftshift"):
            for axes in (None, 0, (1,)):
                made = getattr(fft, name)(put(x, device), axes=axes)
                want = getattr(np.fft, name)(x, axes=axes)
                np.testing.assert_allclose(np.array(made.tolist()), want, 1e-6)


# Signals.


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8])
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("name", ["hann", "hamming", "blackman", "bartlett"])
def test_windows(name: str, periodic: bool, n: int, device: fogo.Device) -> None:
    ours = getattr(signal, name + "_window")(n, periodic, device=device)
    theirs = getattr(torch, name + "_window")(n, periodic, dtype=torch.float64)
    np.testing.assert_allclose(ours.tolist(), theirs.numpy(), 0, 1e-6)


STFTS: list[dict[str, Any]] = [
    dict(n_fft=16),
    dict(n_fft=16, hop_length=5),
    dict(n_fft=16, hop_length=4, win_length=10),
    dict(n_fft=12, hop_length=3, normalized=True),
    dict(n_fft=8, hop_length=4, onesided=False),
    dict(n_fft=8, hop_length=2, center=False),
]


@pytest.mark.parametrize("options", STFTS, ids=str)
def test_stft_and_back(options: dict[str, Any], device: fogo.Device) -> None:
    x = random((2, 61), 6, "real")
    size = options.get("win_length", options["n_fft"])
    window = torch.hamming_window(size, dtype=torch.float64)
    given = torch.tensor(x, requires_grad=True)
    want = torch.stft(given, window=window, return_complex=True, **options)
    dev = device.autodiff()
    ours = put(x, dev).requires_grad_()
    mine = put(window, dev)
    re, im = signal.stft(ours, window=mine, **options)
    assert re.shape == tuple(want.shape)
    np.testing.assert_allclose(whole((re, im)), want.detach().numpy(), 0, 2e-5)
    grads = (re * re + im * re).sum().backward()
    (want.real**2 + want.imag * want.real).sum().backward()
    np.testing.assert_allclose(
        np.array(grads[ours].tolist()), given.grad.numpy(), 1e-4, 1e-4
    )
    back = signal.istft(re, im, window=mine, **options)
    theirs = torch.istft(want.detach(), window=window, **options)
    np.testing.assert_allclose(np.array(back.tolist()), theirs.numpy(), 0, 2e-5)
    exact = signal.istft(re, im, window=mine, length=50, **options)
    np.testing.assert_allclose(np.array(exact.tolist()), x[:, :50], 0, 2e-5)


def test_stft_of_one_signal(device: fogo.Device) -> None:
    x = random(40, 7, "real")
    re, im = signal.stft(put(x, device), 8)
    want = torch.stft(
        torch.tensor(x), 8, window=torch.ones(8, dtype=torch.float64),
        return_complex=True,
    )  # fmt: skip
    np.testing.assert_allclose(whole((re, im)), want.numpy(), 0, 1e-5)
    np.testing.assert_allclose(signal.istft(re, im, 8).tolist(), x, 0, 1e-5)


def test_what_lengths_come_apart_into() -> None:
    for n in range(1, 300):
        found = radices(n)
        assert (int(np.prod(found)) == n) or (not found and n > 1)
        m = smooth(n)
        assert m >= n and m & (m - 1) <= m and radices(m)[:1] != [] or m == 1
    assert smooth(17) == 18 and smooth(1025) == 1080


def test_wrong_uses() -> None:
    x = fogo.ones(4, device="python")
    many = fogo.ones((2, 4), device="numpy")
    for work, error, words in [
        (lambda: fft.fft(x), fogo.DTypeError, "fogo.signal"),
        (lambda: fft.fft(many, n=0), fogo.ShapeError, "at least one"),
        (lambda: fft.fft(many, norm="half"), fogo.FogoError, "norm"),
        (lambda: fft.fft(many, axis=2), fogo.ShapeError, "axis"),
        (lambda: fft.fftn(many, s=(2,), axes=(0, 1)), fogo.ShapeError, "each axis"),
        (lambda: fft.fftn(many, axes=(0, 0)), fogo.ShapeError, "differ"),
        (lambda: fft.rfft(fft.fft(many)), fogo.DTypeError, "real numbers"),
        (lambda: fft.fft(many, n=2.5), fogo.ShapeError, "whole one"),  # type: ignore
        (lambda: fft.irfft(many, n="a"), fogo.ShapeError, "whole one"),  # type: ignore
        (lambda: fft.fftn(many, s=3), fogo.ShapeError, "sequences"),  # type: ignore
        (lambda: fft.fftn(many, axes=0), fogo.ShapeError, "sequences"),  # type: ignore
        *[
            (lambda f=f: f([1.0, 2.0]), fogo.DTypeError, "it takes tensors")
            for f in (
                fft.fft,
                fft.irfft,
                fft.rfft,
                fft.hfft,
                fft.fftn,
                fft.fftshift,
                fft.ifftshift,
            )
        ],
        (lambda: fft.fftfreq(0), fogo.FogoError, "at least 1"),
        (lambda: fft.fftfreq(4, dtype="int32"), fogo.DTypeError, "are floats"),
        (lambda: fft.rfftfreq(4, dtype=fogo.complex64), fogo.DTypeError, "are floats"),
        (lambda: signal.rfft(x.astype("int32")), fogo.DTypeError, "float32"),
        (lambda: signal.cfft(x, x[:2]), fogo.ShapeError, "one shape"),
        (lambda: signal.stft(x, 16), fogo.ShapeError, "mirrors"),
        (lambda: signal.stft(x, 16, center=False), fogo.ShapeError, "at least n_fft"),
        (lambda: signal.stft(x, 4, 0), fogo.FogoError, "above 0"),
        (lambda: signal.stft(x, 4, window=x[:3]), fogo.ShapeError, "win_length"),
        (lambda: signal.stft(fogo.ones((1, 1, 9)), 4), fogo.ShapeError, "batch"),
        (lambda: signal.istft(many, many, 4), fogo.ShapeError, "spectrum"),
        (lambda: signal.hann_window(-1), fogo.FogoError, "whole number"),
    ]:
        with pytest.raises(error, match=words):
            work()
