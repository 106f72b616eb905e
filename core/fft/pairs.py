"""Fourier transforms of real and imaginary parts: on every device, of any length.

A length is taken apart into radices of 2 to 8: each is one kernel over all numbers
(Stockham's order, so that nothing is turned round). What has a larger prime in it goes
by Bluestein's way: a convolution, of a length that comes apart.
Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..dispatch import call
from ..expr import call as E
from ..expr import cast, literal
from ..expr import where as _where
from ..ops.define import define_op
from ..ops.record import Aval

if TYPE_CHECKING:
    from ..tensor import Tensor

RADICES = (8, 7, 5, 4, 3, 2)
_CHIRPS: dict[Any, Any] = {}  # of the last lengths that needed one
MOST = 16


# One radix.


def _stage_infer(avals, attrs):
    b, n, done = avals[0].shape
    out = Aval((b, n // attrs[0], attrs[0], done), avals[0].dtype)
    return out, out


def _stage(k, re, im, out_re, out_im, radix, inverse):
    """Transforms of `radix` numbers that lie n / radix apart, turned for the next."""
    parts = out_re.shape[1]
    b, j, s = k.grid((out_re.shape[0], parts, out_re.shape[3]))
    xs = []
    for q in range(radix):
        at = (b, k.let(j + parts * q), s)
        xs.append((k.let(re[at]), k.let(im[at])))
    sign = 1.0 if inverse else -1.0
    for p in range(radix):
        a, c = _small(k, xs, p, sign)
        if p:
            cos, sin = _turn(k, j * p, parts * radix, sign, re.dtype)
            a, c = k.let(a * cos - c * sin), k.let(a * sin + c * cos)
        out_re[(b, j, p, s)] = a
        out_im[(b, j, p, s)] = c


def _small(k, xs, p, sign):
    """The p-th number of a transform of a few: the factors are known here."""
    a, c = xs[0]
    for q, (x, y) in enumerate(xs[1:], 1):
        angle = 2.0 * math.pi * ((p * q) % len(xs)) / len(xs)
        cos, sin = _exact(math.cos(angle)), sign * _exact(math.sin(angle))
        a, c = k.let(a + (x * cos - y * sin)), k.let(c + (x * sin + y * cos))
    return a, c


def _exact(v):
    """0 and 1 as they are, where rounding has left a trace."""
    return float(round(v)) if abs(v - round(v)) < 1e-15 else v


def _turn(k, at, whole, sign, dtype):
    """cos and sin of sign * 2 pi at / whole, by the half turn that is nearer."""
    at = k.let(at)
    near = k.let(_where(at + at > whole, at - whole, at))
    share = cast(near, dtype) / cast(whole, dtype)
    angle = k.let(share * literal(sign * 2.0 * math.pi, dtype))
    return k.let(E("cos", angle)), k.let(E("sin", angle))


STAGE = define_op(
    "fft_stage", infer=_stage_infer, attrs=("radix", "inverse"), kernel=_stage,
    diff=(False, False), accepts="float", cost="compute",
)  # fmt: skip


# The whole.


def _pair_infer(avals, attrs):
    return avals[0], avals[1]


def radices(n: int) -> list[int]:
    """Return what a length comes apart into, or [] where a prime is too large."""
    found = []
    for radix in RADICES:
        while n % radix == 0 and n > 1:
            found.append(radix)
            n //= radix
    return found if n == 1 else []


def _pair_of(re: Tensor, im: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
    b, n = re.shape
    if n < 2 or not b:
        return re + 0.0, im + 0.0
    stages = radices(n)
    if not stages:
        return _bluestein(re, im, inverse)
    done = 1
    for radix in stages:
        shape = (b, n // done, done)
        re, im = call(STAGE, (re.reshape(shape), im.reshape(shape)), (radix, inverse))
        done *= radix
    return re.reshape((b, n)), im.reshape((b, n))


def _pair_grad(ctx: Any) -> Any:
    """The transform's matrix is symmetric: its adjoint is the other direction."""
    re, im = ctx.g
    re = im * 0.0 if re is None else re
    im = re * 0.0 if im is None else im
    return call(PAIR, (re, im), (not ctx.attrs[0],))


PAIR = define_op(
    "fft_pair", infer=_pair_infer, attrs=("inverse",), decompose=_pair_of,
    grad=_pair_grad, saves="", diff=(True, True), accepts="float", cost="compute",
)  # fmt: skip


def smooth(least: int) -> int:
    """Return the smallest length from `least` on that radices of 2, 3 and 5 make."""
    best = 1 << (least - 1).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            n = three * (1 << max(0, (-(-least // three) - 1).bit_length()))
            best = min(best, n) if n >= least else best
            three *= 3
        five *= 5
    return best


def _bluestein(re: Tensor, im: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
    """X_k = w_k * sum over j of (x_j w_j) conj(w_(k-j)), w_j = exp(-i pi j² / n)."""
    n = re.shape[1]
    cos, sin, by_re, by_im = _chirp(n, re.device, re.dtype, inverse)
    m = by_re.shape[1]
    a = (re * cos - im * sin).pad(((0, 0), (0, m - n)))
    c = (re * sin + im * cos).pad(((0, 0), (0, m - n)))
    a, c = call(PAIR, (a, c), (False,))
    a, c = a * by_re - c * by_im, a * by_im + c * by_re
    a, c = call(PAIR, (a, c), (True,))
    a, c = a[:, :n] * (1.0 / m), c[:, :n] * (1.0 / m)
    return a * cos - c * sin, a * sin + c * cos


def _chirp(n: int, where: Any, dtype: Any, inverse: bool) -> Any:
    """Return w (real, imaginary) and the transform of its conjugate; kept by length."""
    key = (n, id(where.base().backend), dtype, inverse)
    found = _CHIRPS.get(key)
    if found is None:
        while len(_CHIRPS) >= MOST:
            _CHIRPS.pop(next(iter(_CHIRPS)))
        found = _CHIRPS[key] = _make_chirp(n, where.base(), dtype, inverse)
    return found


def _make_chirp(n: int, where: Any, dtype: Any, inverse: bool) -> Any:
    from ..tensor import tensor

    m = smooth(2 * n - 1)
    sign = 1.0 if inverse else -1.0
    angles = [math.pi * ((j * j) % (2 * n)) / n for j in range(n)]
    cos = [math.cos(a) for a in angles]
    sin = [sign * math.sin(a) for a in angles]
    gap = m - 2 * n + 1
    back = []
    for part, side in ((cos, 1.0), (sin, -1.0)):
        part = [side * v for v in part]
        back.append(part + [0.0] * gap + list(reversed(part[1:])))
    made = [tensor([row], dtype=dtype, device=where) for row in [cos, sin] + back]
    made[2:] = call(PAIR, made[2:], (False,))
    return made


def pair(re: Tensor, im: Tensor, axis: int, inverse: bool) -> tuple[Tensor, Tensor]:
    """Return the unscaled transform along one axis, of real and imaginary parts."""
    re, im = re.moveaxis(axis, -1), im.moveaxis(axis, -1)
    shape = re.shape
    rows = 1
    for d in shape[:-1]:
        rows *= d
    flat = (rows, shape[-1])
    re, im = call(PAIR, (re.reshape(flat), im.reshape(flat)), (inverse,))
    re, im = re.reshape(shape), im.reshape(shape)
    return re.moveaxis(-1, axis), im.moveaxis(-1, axis)
