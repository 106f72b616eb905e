"""Transcendental functions out of primitives, for printers whose target lacks them.

Each takes and gives Exprs of float32 or float64 and calls others by name (`exp` inside
`sinh` is the primitive `exp`), so that a printer can make each a function of its own.
Inf, nan and the ends of domains come out as in mathfun.py.

Largest relative errors over dense ranges (tests/kernel/test_approx.py), in units of
the format's epsilon (2**-52, 2**-23): exp log log1p log2 1.5; expm1 log10 sin cos acos
atan atan2 asinh erf 2; asin tan sinh cosh tanh acosh atanh 3; pow 3 for exponents up
to 100, 20 where large ones make results near the ends of the range.
float32's sin, cos and tan keep them up to 6400 and lose their digits beyond; those of
float64 reduce large angles exactly (angles.py) and need 64-bit integers.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import bitcast, call, cast, literal, where
from .angles import FUNCTIONS as ANGLES
from .angles import large_angle
from .tables import FLOAT32, FLOAT64

LOG2_E = 1.4426950408889634
LOG10_E = 0.4342944819032518
INF = float("inf")
NAN = float("nan")


def _format(x):
    return FLOAT32 if x.dtype is float32 else FLOAT64


def _polynomial(coefficients, x):
    total = literal(coefficients[-1], x.dtype)
    for c in reversed(coefficients[:-1]):
        total = total * x + c
    return total


def _abs(x):
    return call("abs", x)


def _signed(x, y):
    """y with the sign of x, also of a zero; y >= 0."""
    return where(bitcast(x, _format(x).bits) < 0, -y, y)


def _through_zero(x, y):
    """y, but x itself where that is 0: its sign stays."""
    return where(x == 0.0, x, y)


def _power_of_two(f, n):
    """2**n for a whole float n within the normal exponents."""
    return bitcast((cast(n, f.bits) + f.bias) << f.fraction, f.dtype)


def _reduced(f, x):
    """(k, r, expm1(r)): x = k*ln(2) + r, |r| <= ln(2)/2."""
    k = call("round", x * LOG2_E)
    high, low = f["ln2"]
    r = (x - k * high) - k * low
    return k, r + r * r * _polynomial(f["exp"], r)


def _scaled(f, y, k):
    """y * 2**k in two steps, so that only the last one rounds or overflows."""
    half = call("floor", k * 0.5)
    return y * _power_of_two(f, half) * _power_of_two(f, k - half)


def exp(x):
    f = _format(x)
    k, q = _reduced(f, call("min", call("max", x, f.low), f.high))
    return _scaled(f, q + 1.0, k)


def expm1(x):
    f = _format(x)
    k, q = _reduced(f, call("min", call("max", x, -50.0), f.high))
    p = _power_of_two(f, k)
    near = p * (q + (1.0 - _power_of_two(f, -k)))
    whole = where(k == 0.0, q, where(k > 60.0, _scaled(f, q + 1.0, k), near))
    return _through_zero(x, whole)


def _parts(f, x):
    """(k, m) with x = m * 2**k, sqrt(1/2) <= m < sqrt(2); x positive and finite."""
    tiny = x < f.smallest
    bits = bitcast(where(tiny, x * float(1 << f.fraction), x), f.bits)
    k = (bits - f.sqrt_half) >> f.fraction
    m = bitcast(bits - (k << f.fraction), f.dtype)
    return cast(k, f.dtype) - where(tiny, literal(f.fraction, f.dtype), 0.0), m


def _log_parts(f, m):
    """(g, h) with log(m) = g - h, where g = m-1 and h is small beside it."""
    g = m - 1.0
    s = g / (m + 1.0)
    z = s * s
    half = g * g * 0.5
    return g, half - s * (half + z * _polynomial(f["log"], z))


def _log_domain(x, y):
    """y where 0 < x < inf, else what the logarithms have there."""
    outside = where(x == 0.0, literal(-INF, x.dtype), NAN)
    return where(x > 0.0, where(x == INF, x, y), outside)


def log(x):
    f = _format(x)
    k, m = _parts(f, x)
    g, h = _log_parts(f, m)
    high, low = f["ln2"]
    return _log_domain(x, k * high - ((h - k * low) - g))


def log2(x):
    f = _format(x)
    k, m = _parts(f, x)
    g, h = _log_parts(f, m)
    return _log_domain(x, k + (g - h) * LOG2_E)


def log10(x):
    f = _format(x)
    k, m = _parts(f, x)
    g, h = _log_parts(f, m)
    high, low = f["log10_2"]
    return _log_domain(x, k * high + (k * low + (g - h) * LOG10_E))


def log1p(x):
    """log(u) for u = 1+x rounded, and what the rounding lost."""
    u = x + 1.0
    lost = where(x > 1.0, 1.0 - (u - x), x - (u - 1.0))
    inside = call("and", u > 0.0, u < INF)
    return _through_zero(x, call("log", u) + where(inside, lost / u, 0.0))


def _quadrant(x):
    """(q, sin(r), cos(r)): x = q*pi/2 + r, |r| <= pi/4."""
    f = _format(x)
    k = call("round", x * 0.6366197723675814)
    r = x
    for part in f["half_pi"]:
        r = r - k * part
    if f is FLOAT64:
        large = _abs(x) > f["reach"]
        turns, rest = large_angle(x)
        k, r = where(large, turns, k), where(large, rest, r)
    z = r * r
    sine = r + r * z * _polynomial(f["sin"], z)
    cosine = 1.0 - (z * 0.5 - z * z * _polynomial(f["cos"], z))
    return cast(k, f.bits), sine, cosine


def _turned(q, sine, cosine):
    """sin(q*pi/2 + r)."""
    value = where((q & 1) == 0, sine, cosine)
    return where((q & 2) == 0, value, -value)


def sin(x):
    return _through_zero(x, _turned(*_quadrant(x)))


def cos(x):
    q, sine, cosine = _quadrant(x)
    return _turned(q + 1, sine, cosine)


def tan(x):
    q, sine, cosine = _quadrant(x)
    even = (q & 1) == 0
    return _through_zero(x, where(even, sine, -cosine) / where(even, cosine, sine))


def _arcsine(f, a):
    """(large, p): p = asin(a) for a <= 1/2; else large, and asin(a) = pi/2 - 2*p."""
    large = a > 0.5
    z = where(large, (1.0 - a) * 0.5, a * a)
    s = where(large, call("sqrt", z), a)
    return large, s + s * z * _polynomial(f["asin"], z)


def asin(x):
    f = _format(x)
    large, p = _arcsine(f, _abs(x))
    pi, low = f["pi"]
    return _signed(x, where(large, pi * 0.5 - (p * 2.0 - low * 0.5), p))


def acos(x):
    f = _format(x)
    large, p = _arcsine(f, _abs(x))
    pi, low = f["pi"]
    near = pi * 0.5 - (_signed(x, p) - low * 0.5)
    return where(large, where(x < 0.0, pi - (p * 2.0 - low), p * 2.0), near)


def atan(x):
    """By atan(a) = c + atan(b), with b small: c = 0, pi/4 or pi/2."""
    f = _format(x)
    a = _abs(x)
    middle = a > 0.41421356237309503
    steep = a > 2.414213562373095
    top = where(steep, -1.0, where(middle, a - 1.0, a))
    bottom = where(steep, a, where(middle, a + 1.0, 1.0))
    eighths = where(
        steep, literal(0.5, f.dtype), where(middle, literal(0.25, f.dtype), 0.0)
    )
    b = top / bottom
    z = b * b
    pi, low = f["pi"]
    arc = b + (b * z * _polynomial(f["atan"], z) + eighths * low)
    return _signed(x, eighths * pi + arc)


def atan2(y, x):
    f = _format(x)
    a, b = _abs(y), _abs(x)
    less, more = call("min", a, b), call("max", a, b)
    same = call("and", a == b, call("or", a == 0.0, a == INF))
    both = where(a == 0.0, literal(0.0, f.dtype), 1.0)
    angle = call("atan", where(same, both, less / more))
    pi, low = f["pi"]
    angle = where(a > b, pi * 0.5 - (angle - low * 0.5), angle)
    angle = where(bitcast(x, f.bits) < 0, pi - (angle - low), angle)
    return where(bitcast(y, f.bits) < 0, -angle, angle)


def sinh(x):
    """(t + t/(t+1))/2 with t = expm1(|x|); half of exp(|x|) where that is all."""
    a = _abs(x)
    t = call("expm1", call("min", a, 40.0))
    h = call("exp", a * 0.5)
    return _signed(x, where(a > 40.0, h * 0.5 * h, (t + t / (t + 1.0)) * 0.5))


def cosh(x):
    h = call("exp", _abs(x) * 0.5)
    return h * 0.5 * h + 0.5 / h / h


def tanh(x):
    t = call("expm1", call("min", _abs(x), 22.0) * 2.0)
    return _signed(x, t / (t + 2.0))


def asinh(x):
    a = _abs(x)
    small = call("min", a, 1e8)
    z = small * small
    near = call("log1p", small + z / (call("sqrt", z + 1.0) + 1.0))
    return _signed(x, where(a > 1e8, call("log", a) + 0.6931471805599453, near))


def acosh(x):
    t = call("min", x, 1e8) - 1.0
    near = call("log1p", t + call("sqrt", t * (t + 2.0)))
    far = where(x > 1e8, call("log", x) + 0.6931471805599453, near)
    return where(x >= 1.0, far, NAN)


def atanh(x):
    a = _abs(x)
    return _signed(x, call("log1p", a * 2.0 / (1.0 - a)) * 0.5)


def erf(x):
    """x*P(x*x) up to 1, then 1 - exp(-x*x)*P(t)."""
    f = _format(x)
    a = _abs(x)
    near = call("min", a, 1.0)
    far = call("min", call("max", a, 1.0), f["widest"])
    t = (far - 2.0) / (far + 2.0)
    tail = call("exp", -(far * far)) * _polynomial(f["erfcx"], t)
    small = near * _polynomial(f["erf"], near * near)
    return _signed(x, where(a > 1.0, 1.0 - tail, small))


def _upper(f, x):
    """x with the lower half of its fraction cleared: products of two are exact."""
    return bitcast(bitcast(x, f.bits) & f["split"], f.dtype)


def _long_log(f, a):
    """log(a) as a sum high + low, twice as precise as the format."""
    k, m = _parts(f, a)
    g = m - 1.0
    d = m + 1.0
    s = g / d
    s_high, d_high = _upper(f, s), _upper(f, d)
    d_low = (d - d_high) + (m - (d - 1.0))
    rest = ((g - s_high * d_high) - s_high * d_low) - (s - s_high) * d
    z = s * s
    small = rest / d * 2.0 + s * z * _polynomial(f["log"], z)
    high, low = f["ln2"]
    top, twice = k * high, s * 2.0
    total = top + twice
    low = ((top - total) + twice) + (small + k * low)
    high = total + low
    return high, (total - high) + low


def pow(x, y):
    if y.op == "const" and y.args[0] in (-1.0, 1.0, 2.0, 3.0, 4.0):
        return _whole_power(x, int(y.args[0]))
    f = _format(x)
    a = _abs(x)
    high, low = _long_log(f, a)
    finite = call("and", a > 0.0, a < INF)
    high = where(finite, high, where(a == 0.0, -INF, a))
    p = y * high
    y_high, high_high = _upper(f, y), _upper(f, high)
    e = ((y_high * high_high - p) + y_high * (high - high_high)) + (y - y_high) * high
    value = call("exp", p)
    exact = value + value * (e + y * low)
    moderate = call("and", finite, _abs(p) < f.high)
    return _power_cases(x, a, y, where(moderate, exact, value))


def quick_pow(x, y):
    """pow to about 700 epsilons: for float64 that will be rounded to float32."""
    if y.op == "const" and y.args[0] in (-1.0, 1.0, 2.0, 3.0, 4.0):
        return _whole_power(x, int(y.args[0]))
    a = _abs(x)
    return _power_cases(x, a, y, call("exp", y * call("log", a)))


def _whole_power(x, n):
    if n < 0:
        return 1.0 / x
    square = x * x
    return (x, square, square * x, square * square)[n - 1]


def _power_cases(x, a, y, value):
    """pow(x, y) from pow(a, y), a = |x|: signs, nan, and powers of 0, 1 and inf."""
    f = _format(x)
    half = y * 0.5
    whole = call("floor", y) == y
    odd = call("and", whole, call("floor", half) != half)
    value = where(call("and", a == 1.0, _abs(y) == INF), 1.0, value)
    none = call("and", call("and", x < 0.0, a < INF), ~whole)
    value = where(none, NAN, value)
    value = where(call("and", odd, bitcast(x, f.bits) < 0), -value, value)
    return where(call("or", x == 1.0, y == 0.0), 1.0, value)


FUNCTIONS = {
    "exp": exp, "expm1": expm1, "log": log, "log1p": log1p, "log2": log2,
    "log10": log10, "sin": sin, "cos": cos, "tan": tan, "asin": asin, "acos": acos,
    "atan": atan, "atan2": atan2, "sinh": sinh, "cosh": cosh, "tanh": tanh,
    "asinh": asinh, "acosh": acosh, "atanh": atanh, "erf": erf, "pow": pow,
}  # fmt: skip


def find(name, dtype):
    """Return (function, dtypes of its parameters, dtype of its result) of a name.

    `name` is a primitive, or what an expansion calls besides primitives.
    """
    if name in ANGLES:
        return ANGLES[name]
    count = 2 if name in ("atan2", "pow") else 1
    return FUNCTIONS[name], (dtype,) * count, dtype
