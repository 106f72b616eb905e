"""NumPy's own linear algebra (LAPACK) and Fourier transforms (pocketfft)."""

from __future__ import annotations

import numpy as np


def _run(function):
    """An op from a function of arrays and attributes that returns arrays."""

    def run(backend, inputs, attrs, outs):
        arrays = [backend.view(h) for h in inputs]
        with np.errstate(all="ignore"):
            try:
                made = function(*arrays, *attrs)
            except np.linalg.LinAlgError:
                made = _one_by_one(function, arrays, attrs, outs)
        made = made if isinstance(made, tuple) else (made,)
        pairs = zip(made, outs, strict=True)
        return tuple([backend.handle(a, out.dtype) for a, out in pairs])

    return run


def _one_by_one(function, arrays, attrs, outs):
    """Each matrix by itself: nan for those that have no result, not for all."""
    made = tuple([np.full(out.shape, np.nan, out.dtype.name) for out in outs])
    for i in range(len(arrays[0])):
        try:
            one = function(*[a[i : i + 1] for a in arrays], *attrs)
        except np.linalg.LinAlgError:
            continue
        for whole, part in zip(made, one if isinstance(one, tuple) else (one,)):
            whole[i] = part[0]
    return made


def _triangular(a, b, upper, unit):
    """Row by row, all matrices and columns at once."""
    n = a.shape[1]
    x = np.zeros_like(b)
    for i in reversed(range(n)) if upper else range(n):
        done = slice(i + 1, n) if upper else slice(0, i)
        rest = b[:, i] - (a[:, i : i + 1, done] @ x[:, done])[:, 0]
        x[:, i] = rest if unit else rest / a[:, i, i, None]
    return x


def _lu(a):
    """Column by column, all matrices at once."""
    b, m, n = a.shape
    out = a.copy()
    order = np.tile(np.arange(m, dtype=np.int32), (b, 1))
    sign = np.ones(b, a.dtype)
    every = np.arange(b)
    for j in range(min(m, n)):
        row = j + np.abs(out[:, j:, j]).argmax(1)
        for x in (out, order):
            x[every, j], x[every, row] = x[every, row].copy(), x[every, j].copy()
        sign[row != j] *= -1
        d = out[:, j, j, None]
        f = np.where(d == 0, 0, out[:, j + 1 :, j] / d)
        out[:, j + 1 :, j] = f
        out[:, j + 1 :, j + 1 :] -= f[:, :, None] * out[:, None, j, j + 1 :]
    return out, order, sign


def _qr(a, complete):
    return tuple(np.linalg.qr(a, mode="complete" if complete else "reduced"))


def _svd(a):
    return tuple(np.linalg.svd(a, full_matrices=False))


def _fft(x, inverse):
    return np.fft.ifft(x, norm="forward") if inverse else np.fft.fft(x)


SPECIAL = {
    "fft": _run(_fft),
    "cholesky": _run(np.linalg.cholesky),
    "solve_triangular": _run(_triangular),
    "lu_factor": _run(_lu),
    "qr": _run(_qr),
    "eigh": _run(lambda a: tuple(np.linalg.eigh(a))),
    "svd": _run(_svd),
    "eig": _run(lambda a: tuple(np.linalg.eig(a))),
}
