"""Special functions: formulas as in elementwise.py, with nothing but its primitives.

float16 is computed in float32. `erfc` is a Chebyshev series. Gamma functions: gamma.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import float16, float32, float64
from ..expr import call as E
from ..expr import cast, literal
from ..expr import where as _where
from .activation import sigmoid
from .define import WIDE, Sample, elementwise
from .elementwise import clip, sign

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
PI = 3.141592653589793
_INF = float("inf")
# log(erfc(z) * exp(z*z) / t), t = 2 / (2 + z) in [0, 0.8]: interpolated at Chebyshev
# nodes in 40 digits (after Numerical Recipes, 3rd ed., 6.2.2).
_ERFC = (
    -1.5663741454481200, 0.50589479331734064, 0.020165332295700412,
    -0.0041507842704837142, -0.00069293930331318290, 8.0613044480901668e-5,
    2.5850999510766173e-5, -2.4532413619366540e-6, -1.0665628949056517e-6,
    1.0956136201272647e-7, 4.6182837214229254e-8, -6.3050891373696668e-9,
    -1.9633309872353595e-9, 3.9793711163649333e-10, 7.3597120815386668e-11,
    -2.4619582503772174e-11, -1.7696477486824439e-12, 1.3810080809606214e-12,
    -4.6002066179630267e-14, -6.3804840465520991e-14, 9.9377184182455142e-15,
    1.8569583472104992e-15, -7.7079563859333715e-16,
)  # fmt: skip


def _single(function, x):
    """The function of x, in float32 where x is float16."""
    if x.dtype is float16:
        return cast(function(cast(x, float32)), float16)
    return function(x)


def _polynomial(numbers, x):
    """The lowest power first: by Horner's rule, eight numbers at a time.

    Boards have little stack: this keeps expressions flat.
    """
    eighth = x
    for _ in range(3 if len(numbers) > 8 else 0):
        eighth = eighth * eighth
    total = None
    for first in reversed(range(0, len(numbers), 8)):
        part = _horner(numbers[first : first + 8], x)
        total = part if total is None else total * eighth + part
    return total


def _horner(numbers, x):
    total = literal(numbers[-1], x.dtype)
    for number in reversed(numbers[:-1]):
        total = total * x + number
    return total


@elementwise("frac", accepts="float", derivative=lambda g, x: (g,))
def frac(x: T) -> T:
    """Return `x - trunc(x)`: the part behind the point, with the sign of x.

    Example:
        >>> import fogo
        >>> fogo.frac(fogo.tensor([1.5, -2.25])).tolist()
        [0.5, -0.25]
    """
    return x - E("trunc", x)


@elementwise(
    "fmod", (WIDE, (0.5, 3.0)), accepts="numeric",
    derivative=lambda g, x, y: (g, -g * E("trunc", x / y)),
)  # fmt: skip
def fmod(x: T, y: Tensor | float) -> T:
    """Return the remainder of `x / y`, with the sign of `x` (C's fmod).

    Example:
        >>> import fogo
        >>> fogo.fmod(fogo.tensor([-5.0, 5.0]), 3.0).tolist()
        [-2.0, 2.0]
    """
    if x.dtype.is_float:
        rest = E("mod", E("abs", x), E("abs", y))
        return _where(x < 0, -rest, rest)
    rest = E("mod", x, y)
    if x.dtype.kind == "uint":
        return rest
    turned = E("ne", rest, 0) & E("ne", E("lt", rest, 0), E("lt", x, 0))
    return _where(turned, rest - y, rest)


@elementwise("deg2rad", accepts="float", to_float=True)
def deg2rad(x: T) -> T:
    """Return degrees as radians: `x * pi / 180`.

    Example:
        >>> import fogo
        >>> round(fogo.deg2rad(fogo.tensor([180.0])).item(), 4)
        3.1416
    """
    return x * (PI / 180.0)


@elementwise("rad2deg", accepts="float", to_float=True)
def rad2deg(x: T) -> T:
    """Return radians as degrees: `x * 180 / pi`.

    Example:
        >>> import fogo
        >>> fogo.rad2deg(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return x * (180.0 / PI)


@elementwise("exp2", accepts="float", to_float=True)
def exp2(x: T) -> T:
    """Return 2 to the power x.

    Example:
        >>> import fogo
        >>> fogo.exp2(fogo.tensor([3.0])).tolist()
        [8.0]
    """
    return E("pow", literal(2.0, x.dtype), x)


@elementwise("sinc", accepts="float", to_float=True)
def sinc(x: T) -> T:
    """Return `sin(pi*x) / (pi*x)`, and 1 at 0.

    Example:
        >>> import fogo
        >>> fogo.sinc(fogo.tensor([0.0])).tolist()
        [1.0]
    """
    return _single(_sinc, x)


def _sinc(x):
    zero = E("eq", x, 0.0)
    inside = _where(zero, 1.0, x)
    turn = inside - E("round", inside * 0.5) * 2.0  # the sine of a smaller angle
    return _where(zero, 1.0, E("sin", turn * PI) / (inside * PI))


@elementwise("lerp", (WIDE, WIDE, (-1.0, 2.0)), accepts="float")
def lerp(x: T, end: Tensor | float, weight: Tensor | float) -> T:
    """Return `x + weight * (end - x)`: on the line from x to `end`.

    Example:
        >>> import fogo
        >>> fogo.lerp(fogo.tensor([0.0, 1.0]), fogo.tensor([4.0, 5.0]), 0.25).tolist()
        [1.0, 2.0]
    """
    gap = end - x
    return _where(E("abs", weight) < 0.5, x + weight * gap, end - gap * (1.0 - weight))


@elementwise("addcmul", (WIDE, WIDE, WIDE, WIDE), accepts="numeric")
def _addcmul(x, a, b, value):
    return x + value * a * b


@elementwise("addcdiv", (WIDE, WIDE, (0.5, 3.0), WIDE), accepts="float")
def _addcdiv(x, a, b, value):
    return x + value * a / b


def addcmul(
    x: T, tensor1: Tensor | float, tensor2: Tensor | float, value: float = 1
) -> T:
    """Return `x + value * tensor1 * tensor2`; all broadcast.

    Example:
        >>> import fogo
        >>> fogo.addcmul(fogo.ones(2), fogo.ones(2), 3.0, value=2.0).tolist()
        [7.0, 7.0]
    """
    return _addcmul(x, tensor1, tensor2, value)


def addcdiv(
    x: T, tensor1: Tensor | float, tensor2: Tensor | float, value: float = 1
) -> T:
    """Return `x + value * tensor1 / tensor2`; all broadcast.

    Example:
        >>> import fogo
        >>> x, y, z = fogo.tensor([1.0]), fogo.tensor([6.0]), fogo.tensor([3.0])
        >>> fogo.addcdiv(x, y, z).tolist()
        [3.0]
    """
    return _addcdiv(x, tensor1, tensor2, value)


@elementwise("xlogy", (WIDE, (0.1, 4.0)), accepts="float", to_float=True)
def xlogy(x: T, y: Tensor | float) -> T:
    """Return `x * log(y)`, and 0 where x is 0 (nan where y is nan).

    Example:
        >>> import fogo
        >>> fogo.xlogy(fogo.tensor([0.0, 2.0]), fogo.tensor([0.0, 1.0])).tolist()
        [0.0, 0.0]
    """
    zero = E("eq", x, 0.0) & ~E("isnan", y)
    inside = _where(zero & (y <= 0.0), 1.0, y)
    return _where(zero, x * 0.0 * E("sign", inside), x * E("log", inside))


@elementwise("logit", ((0.1, 0.9),), accepts="float", to_float=True)
def _logit(x):
    return E("log", x) - E("log1p", -x)


def logit(x: T, eps: float | None = None) -> T:
    """Return `log(x / (1 - x))`: the inverse of `sigmoid`; nan outside [0, 1].

    eps: where given, x is brought into [eps, 1 - eps] first.

    Example:
        >>> import fogo
        >>> fogo.logit(fogo.tensor([0.0, 0.5, 1.0])).tolist()
        [-inf, 0.0, inf]
    """
    return _logit(x if eps is None else clip(x, eps, 1.0 - eps))


def _erfc_slope(g, x):
    return (-g * (E("exp", -(x * x)) * 1.1283791670955126),)


@elementwise("erfc", accepts="float", to_float=True, derivative=_erfc_slope)
def erfc(x: T) -> T:
    """Return `1 - erf(x)`, exact also where that is tiny.

    Example:
        >>> import fogo
        >>> bool(fogo.erfc(fogo.tensor(6.0)) > 0)
        True
    """
    return _single(_erfc, x)


def _erfc(x):
    far = E("max", x, 0.5)
    count = len(_ERFC) if x.dtype is float64 else 12
    tail = E("exp", -(far * far))
    t = 2.0 / (far + 2.0)
    log = _chebyshev(_ERFC[:count], t * 2.5 - 1.0)
    # Beyond the exponents of the dtype, 0 * inf would be nan.
    far_value = _where(E("eq", tail, 0.0), 0.0, t * tail * E("exp", log))
    return _where(x < 0.5, 1.0 - E("erf", x), far_value)


def _chebyshev(numbers, y):
    """Clenshaw's recurrence; the first number counts half."""
    twice = y * 2.0
    ahead = literal(0.0, y.dtype)
    now = literal(numbers[-1], y.dtype)
    for number in reversed(numbers[1:-1]):
        now, ahead = twice * now - ahead + number, now
    return y * now - ahead + numbers[0] / 2


@elementwise(
    "erfinv", ((-0.9, 0.9),), accepts="float", to_float=True, saves="o",
    grad=lambda ctx: (ctx.g[0] * ctx.outputs[0].square().exp() * (PI**0.5 / 2),),
)  # fmt: skip
def erfinv(x: T) -> T:
    """Return y with `erf(y) = x`: ±inf at ±1, nan beyond.

    Winitzki's formula, made exact by two of Halley's steps.

    Example:
        >>> import fogo
        >>> fogo.erfinv(fogo.tensor([0.0])).tolist()
        [0.0]
    """
    return _single(_erfinv, x)


def _erfinv(x):
    a = E("abs", x)
    inside = _where(E("eq", a, 1.0), 0.5, a)
    log = E("log1p", -(inside * inside))
    b = log * 0.5 + 2.0 / (PI * 0.147)
    square = log * (-1 / 0.147)
    y = E("sqrt", square / (E("sqrt", b * b + square) + b))
    for _ in range(2):
        miss = _where(
            inside < 0.5, E("erf", y) - inside, (1.0 - inside) - _erfc(y)
        )  # fmt: skip
        step = miss * E("exp", y * y) * (PI**0.5 / 2)
        y = y - step / (y * step + 1.0)
    y = _where(E("eq", a, 1.0), _INF, y)
    return _where(x < 0.0, -y, y)


@elementwise("i0", accepts="float", to_float=True)
def i0(x: T) -> T:
    """Return the modified Bessel function of the first kind and order 0.

    Its power series, and beyond |x| = 18 its asymptotic one.

    Example:
        >>> import fogo
        >>> fogo.i0(fogo.tensor([0.0])).tolist()
        [1.0]
    """
    return _single(_i0, x)


def _i0(x):
    a = E("abs", x)
    wide = x.dtype is float64
    small = _where(a < 18.0, x, 18.0)
    near = [1.0]
    for i in range(1, 48 if wide else 36):
        near.append(near[-1] / (i * i))
    large = E("max", a, 18.0)
    far = [1.0]
    for i in range(1, 25 if wide else 10):
        far.append(far[-1] * (2 * i - 1) ** 2 / (8.0 * i))
    half = E("exp", large * 0.5)  # twice: the root keeps the product from overflowing
    asymptotic = _polynomial(far, 1.0 / large) / E("sqrt", large * (2 * PI))
    far_value = _where(E("isinf", half), _INF, half * asymptotic * half)
    return _where(a < 18.0, _polynomial(near, small * small * 0.25), far_value)


expit = sigmoid
sgn = sign

SAMPLES = {
    "addcmul": (
        Sample(((3, 4), -3.0, 3.0), ((4,), -3.0, 3.0), ((3, 1), -3.0, 3.0)),
        Sample(((3,), -3.0, 3.0), ((3,), -3.0, 3.0), ((3,), -3.0, 3.0), value=2),
    ),
    "addcdiv": (
        Sample(((3, 4), -3.0, 3.0), ((4,), -3.0, 3.0), ((3, 1), 0.5, 3.0)),
        Sample(((3,), -3.0, 3.0), ((3,), -3.0, 3.0), ((3,), 0.5, 3.0), value=-0.5),
    ),
    "logit": (
        Sample(((3, 5), 0.1, 0.9)),
        Sample(((3, 5), -0.5, 1.5), eps=0.25),
    ),
}

__all__ = [
    "addcdiv", "addcmul", "deg2rad", "erfc", "erfinv", "exp2", "expit",
    "fmod", "frac", "i0", "lerp", "logit", "rad2deg", "sgn", "sinc", "xlogy",
]  # fmt: skip
NOT_METHODS = ()
