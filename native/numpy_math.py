"""What printed NumPy code calls: loads, stores, casts, and functions NumPy lacks."""

from __future__ import annotations

import numpy as np

# W. J. Cody, "Rational Chebyshev approximations for the error function", 1969.
_A = (3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
      3.20937758913846947e3, 1.85777706184603153e-1)  # fmt: skip
_B = (2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
      2.84423683343917062e3)  # fmt: skip
_C = (5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
      2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3,
      2.05107837782607147e3, 1.23033935479799725e3, 2.15311535474403846e-8)  # fmt: skip
_D = (1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
      1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
      3.43936767414372164e3, 1.23033935480374942e3)  # fmt: skip
_P = (3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
      1.60837851487422766e-2, 6.58749161529837803e-4,
      1.63153871373020978e-2)  # fmt: skip
_Q = (2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1,
      6.05183413124413191e-2, 2.33520497626869185e-3)  # fmt: skip


def _ratio(x, top, bottom):
    """Evaluate Cody's quotient of two polynomials in x."""
    num = top[-1] * x
    den = x
    for a, b in zip(top[:-2], bottom[:-1]):
        num = (num + a) * x
        den = (den + b) * x
    return (num + top[-2]) / (den + bottom[-1])


def erf(x):
    """The error function, to the accuracy of the dtype."""
    x = np.asarray(x)
    half = x.dtype == np.float16
    y = np.abs(x.astype(np.float32) if half else x)
    small = np.minimum(y, 0.46875)
    near = small * _ratio(small * small, _A, _B)
    mid = np.clip(y, 0.46875, 4.0)
    far = 1.0 - np.exp(-mid * mid) * _ratio(mid, _C, _D)
    out = np.where(y <= 0.46875, near, far)
    if y.dtype == np.float64:
        out = np.where(y > 4.0, 1.0 - _tail(np.maximum(y, 4.0)), out)
    else:
        out = np.where(y > 4.0, np.ones_like(y), out)
    out = np.where(np.isnan(x), x, np.copysign(out, x))
    return out.astype(x.dtype)


def _tail(y):
    z = 1.0 / (y * y)
    return np.exp(-y * y) * (0.5641895835477563 - z * _ratio(z, _P, _Q)) / y


def pow(x, y):
    """x to the power y; scalars keep the array's dtype."""
    return np.power(x, y)


def int_pow(x, y):
    """Integer powers; a negative exponent truncates (only of 1 and -1 it is not 0)."""
    x, y = np.broadcast_arrays(x, y)
    sign = np.where(y % 2 == 0, 1, x)
    negative = np.where((x == 1) | (x == -1), sign, 0)
    safe = np.maximum(y, 0).astype(y.dtype)
    return np.where(y < 0, negative, np.power(x, safe)).astype(x.dtype)


def cast(x, source, target):
    """Convert; nan and infinity become 0 as integers."""
    x = np.asarray(x)
    if source.startswith("float") and target not in ("bool",) and "int" in target:
        x = np.where(np.isfinite(x), x, 0)
    return x.astype(target)


def typed(x, dtype):
    """A value in its dtype (literals are Python numbers until here)."""
    x = np.asarray(x)
    return x if x.dtype == dtype else x.astype(dtype)


def load(buffer, index):
    """Elements at `index`; points that a mask rules out may lie outside."""
    if buffer.size == 0:
        return np.zeros(np.shape(index), buffer.dtype)
    return buffer.take(index, mode="clip")


def store(buffer, index, value, mask, grid):
    """Write values at `index` for every point of the grid that the mask admits."""
    if np.shape(index) != grid:
        index = np.broadcast_to(index, grid)
    if mask is None or mask is True:
        buffer[index] = value
        return
    mask = np.broadcast_to(mask, grid)
    buffer[index[mask]] = np.broadcast_to(value, grid)[mask]


def window(buffer, grid, offset, strides):
    """The elements at `offset + point * strides`, without a copy."""
    if buffer.size == 0:
        return np.zeros(grid, buffer.dtype)
    step = buffer.itemsize
    return np.ndarray(grid, buffer.dtype, buffer, offset * step, strides(step))
