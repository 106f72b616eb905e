"""Scalar functions that never raise: IEEE 754's inf and nan where Python raises."""

import math
import struct

inf = math.inf
nan = math.nan


def _guard(function, over=inf, outside=nan):
    """Wrap a math function: `over` on overflow, `outside` where it has no value.

    MicroPython raises ValueError for both: a function that is defined everywhere
    gives the same for either.
    """

    def safe(x):
        try:
            return function(x)
        except OverflowError:
            return over
        except ValueError:
            return outside

    return safe


exp = _guard(math.exp, inf, inf)
exp_below = exp  # of what is never above 0: printers for GPUs save work
exp2_near = _guard(lambda x: 2.0**x)  # GPUs: their own, good to 3 + 2 |x| ulp
expm1 = _guard(math.expm1, inf, inf)
sin = _guard(math.sin)
cos = _guard(math.cos)
tan = _guard(math.tan)
asin = _guard(math.asin)
acos = _guard(math.acos)
atan = math.atan
cosh = _guard(math.cosh, inf, inf)
tanh = math.tanh
asinh = math.asinh
atan2 = math.atan2
erf = math.erf


def div(a, b):
    if b:
        return a / b
    if a != a or a == 0 or b != b:
        return nan
    return inf if (a > 0) == (math.copysign(1.0, b) > 0) else -inf


def log(x):
    return math.log(x) if x > 0 else (-inf if x == 0 else nan)


def log2(x):
    return math.log2(x) if x > 0 else (-inf if x == 0 else nan)


def log10(x):
    return math.log10(x) if x > 0 else (-inf if x == 0 else nan)


def log1p(x):
    """log(1+x) without cancellation: Kahan's correction of log(u) for u = 1+x."""
    u = 1.0 + x
    if u == 1.0:
        return x
    if u == inf or u != u:
        return u
    if u <= 0:
        return -inf if u == 0 else nan
    return math.log(u) * (x / (u - 1.0))


def sqrt(x):
    return math.sqrt(x) if x >= 0 else nan


def sinh(x):
    try:
        return math.sinh(x)
    except (OverflowError, ValueError):
        return inf if x > 0 else -inf


def acosh(x):
    """A check of our own: some C libraries give numbers for negative x."""
    return math.acosh(x) if x >= 1 else nan


def atanh(x):
    if x == 1 or x == -1:
        return x * inf
    return math.atanh(x) if -1 < x < 1 else nan


def floor(x):
    return math.copysign(float(math.floor(x)), x) if isfinite(x) else x


def ceil(x):
    return math.copysign(float(math.ceil(x)), x) if isfinite(x) else x


def trunc(x):
    return math.copysign(float(math.trunc(x)), x) if isfinite(x) else x


def round(x):
    """Nearest integer, halves to even."""
    if not isfinite(x):
        return x
    low = math.floor(x)
    rest = x - low
    if rest > 0.5 or (rest == 0.5 and low % 2):
        low += 1
    return math.copysign(float(low), x)


def mod(a, b):
    """Remainder with the sign of the divisor."""
    if b == 0 or not isfinite(a) or b != b:
        return nan
    if not isfinite(b):
        if a == 0:
            return math.copysign(0.0, b)
        return a if (a > 0) == (b > 0) else b
    return a % b


def floordiv(a, b):
    if b == 0:
        return div(a, b)
    if not isfinite(a) or b != b:
        return nan
    if not isfinite(b):
        return a / b if a == 0 or (a > 0) == (b > 0) else -1.0
    return float(a // b)


def pow(a, b):
    try:
        return math.pow(a, b)
    except (OverflowError, ValueError, ZeroDivisionError):
        odd = b % 2 == 1
        if a == 0:
            return math.copysign(inf, a) if odd else inf
        if a < 0 and b != math.floor(b):
            return nan
        return -inf if a < 0 and odd else inf


def min(a, b):
    """The lesser; nan if either is."""
    return a if a < b or a != a else b


def max(a, b):
    return a if a > b or a != a else b


def max_near(a, b):
    """The greater, where neither is nan: GPUs have it in one instruction."""
    return a if a > b else b


def abs(x):
    return math.fabs(x)


def sign(x):
    return 1.0 if x > 0 else (-1.0 if x < 0 else x)


def isnan(x):
    return x != x


def isinf(x):
    return x == inf or x == -inf


def isfinite(x):
    return x - x == 0


def to_int(x):
    return int(x) if isfinite(x) else 0


def shl(a, n, bits):
    return a << n if 0 <= n < bits else 0


def shr(a, n, bits):
    return a >> (n if 0 <= n < bits else bits - 1 if a < 0 else bits)


def int_floordiv(a, b):
    return a // b if b else 0


def int_mod(a, b):
    return a % b if b else 0


def int_pow(a, b):
    """By squaring, in 64 bits: the caller brings it to its dtype."""
    if b < 0:
        return 0 if a not in (1, -1) else (a if b % 2 else 1)
    out = 1
    while b:
        if b & 1:
            out = out * a & 0xFFFFFFFFFFFFFFFF
        a = a * a & 0xFFFFFFFFFFFFFFFF
        b >>= 1
    return out


def int_min(a, b):
    return a if a < b else b


def int_max(a, b):
    return a if a > b else b


def int_abs(a):
    return a if a >= 0 else -a


def int_sign(a):
    return 1 if a > 0 else (-1 if a < 0 else 0)


def bitcast(x, source, target):
    return struct.unpack("<" + target, struct.pack("<" + source, x))[0]


def half_to_float(bits):
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def float_to_half(x):
    """The bits of the nearest half, ties to even; inf beyond the largest."""
    try:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        return 0x7C00 if x > 0 else 0xFC00


def round_to_half(x):
    """`float_to_half` in arithmetic."""
    sign = 0x8000 if math.copysign(1.0, x) < 0 else 0
    if x != x:
        return sign | 0x7E00
    x = math.fabs(x)
    if x >= 65520.0:
        return sign | 0x7C00
    exponent = math.frexp(x)[1]
    if exponent < -13 or x == 0.0:
        exponent = -13  # subnormal
    scaled = math.ldexp(x, 11 - exponent)
    whole = int(scaled)
    rest = scaled - whole
    if rest > 0.5 or (rest == 0.5 and whole & 1):
        whole += 1
    return sign | (((exponent + 13) << 10) + whole)


if float_to_half(0.49999) != 0x3800:  # MicroPython loses the carry
    float_to_half = round_to_half
