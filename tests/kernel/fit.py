"""Makes the polynomials of core/kernel/tables.py: `python -m tests.kernel.fit`.

Interpolation at Chebyshev nodes, in 60 digits (mpmath). Each function of POLYNOMIALS
is what remains when the leading terms are split off; see the comments in tables.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

mp.mp.dps = 60
TINY = mp.mpf(10) ** -12


def interpolate(f: Callable[[Any], Any], low: Any, high: Any, degree: int) -> list[Any]:
    """Return the coefficients, lowest first, of the interpolating polynomial."""
    low, high = mp.mpf(low), mp.mpf(high)
    count = degree + 1
    angles = [mp.pi * (2 * i + 1) / (2 * count) for i in range(count)]
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(a) for a in angles]
    newton = [f(x) for x in nodes]
    for j in range(1, count):
        for i in range(degree, j - 1, -1):
            newton[i] = (newton[i] - newton[i - 1]) / (nodes[i] - nodes[i - j])
    out = [mp.mpf(0)]
    for i in range(degree, -1, -1):
        shifted = [mp.mpf(0), *out]
        out = [s - nodes[i] * o for s, o in zip(shifted, [*out, mp.mpf(0)])]
        out[0] += newton[i]
    return out[:count]


def near_zero(series: Callable[[Any], Any], f: Callable[[Any], Any]) -> Any:
    """f, but by two terms of its series where f itself would cancel."""
    return lambda z: series(z) if abs(z) < TINY else f(z)


def of_root(f: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    """z -> f(sqrt(z), z), with f = first + second*z near 0."""
    return near_zero(lambda z: first + second * z, lambda z: f(mp.sqrt(z), z))


def scaled_erfc(t: Any) -> Any:
    x = 2 * (1 + t) / (1 - t)
    return mp.exp(x * x) * mp.erfc(x)


def _t(x: int) -> Any:
    return mp.mpf(x - 2) / (x + 2)


WIDER = mp.mpf("1.0001")  # a little beyond the interval that reduction leaves
HALF_LN2 = mp.log(2) / 2 * WIDER
THIRD = mp.mpf(1) / 3

# name -> (function, ends of the interval, degrees for float64 and float32)
POLYNOMIALS = {
    "exp": (near_zero(lambda r: mp.mpf(1) / 2 + r / 6,
                      lambda r: (mp.exp(r) - 1 - r) / r**2),
            -HALF_LN2, HALF_LN2, (9, 4)),
    "log": (of_root(lambda s, z: (2 * mp.atanh(s) - 2 * s) / (s * z),
                    2 * THIRD, mp.mpf(2) / 5),
            0, ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * WIDER) ** 2, (7, 3)),
    "sin": (of_root(lambda x, z: (mp.sin(x) - x) / (x * z),
                    -THIRD / 2, mp.mpf(1) / 120),
            0, (mp.pi / 4 * WIDER) ** 2, (5, 3)),
    "cos": (of_root(lambda x, z: (mp.cos(x) - 1 + z / 2) / z**2,
                    mp.mpf(1) / 24, -mp.mpf(1) / 720),
            0, (mp.pi / 4 * WIDER) ** 2, (5, 2)),
    "asin": (of_root(lambda x, z: (mp.asin(x) - x) / (x * z),
                     THIRD / 2, mp.mpf(3) / 40),
             0, mp.mpf(1) / 4, (12, 5)),
    "atan": (of_root(lambda x, z: (mp.atan(x) - x) / (x * z), -THIRD, mp.mpf(1) / 5),
             0, mp.tan(mp.pi / 8) ** 2 * WIDER, (10, 4)),
    "erf": (of_root(lambda x, z: mp.erf(x) / x,
                    2 / mp.sqrt(mp.pi), -2 * THIRD / mp.sqrt(mp.pi)),
            0, 1, (12, 6)),
    "erfcx": (scaled_erfc, _t(1), (_t(6), _t(4)), (14, 6)),
}  # fmt: skip


def coefficients(name: str, wide: bool) -> tuple[float, ...]:
    """Return the table `name` of FLOAT64 (`wide`) or FLOAT32."""
    f, low, high, degrees = POLYNOMIALS[name]
    place = 0 if wide else 1
    high = high[place] if isinstance(high, tuple) else high
    found = interpolate(f, low, high, degrees[place])
    kind = np.float64 if wide else np.float32
    return tuple(float(str(kind(c))) for c in found)


if __name__ == "__main__":
    for wide in (True, False):
        print("FLOAT64" if wide else "FLOAT32")
        for name in POLYNOMIALS:
            print(f"    {name}={coefficients(name, wide)},")
