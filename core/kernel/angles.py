"""Large angles, exactly: Payne and Hanek's reduction by pi/2, for float64.

An angle m * 2**e, m of 53 bits, times the bits of 2/pi: those that would make
multiples of 4 are left out, 192 of the others are enough. Needs 64-bit integers.
"""

from __future__ import annotations

from ..dtypes import float64, int64, uint64
from ..expr import Expr, bitcast, call, cast, literal, where

# 2/pi = 0.101000101111…, 64 bits a word, after a word of zeros.
TWO_OVER_PI = (
    0,
    0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041,
    0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0, 0x06492EEA09D1921C,
    0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41,
    0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08,
    0x56033046FC7B6BAB,
)  # fmt: skip


def two_over_pi(i):
    """Word `i` (an int64) of the table."""
    found = literal(TWO_OVER_PI[-1], uint64)
    for place in range(len(TWO_OVER_PI) - 2, -1, -1):
        found = where(i == place, literal(TWO_OVER_PI[place], uint64), found)
    return found


def multiply_high(a, b):
    """The upper half of the product of two uint64, from 32-bit halves."""
    a_low, a_high = a & 0xFFFFFFFF, a >> 32
    b_low, b_high = b & 0xFFFFFFFF, b >> 32
    middle = a_high * b_low + ((a_low * b_low) >> 32)
    other = a_low * b_high + (middle & 0xFFFFFFFF)
    return a_high * b_high + (middle >> 32) + (other >> 32)


def _word(i):
    return Expr("two_over_pi", (i,), uint64)


def _high(a, b):
    return Expr("multiply_high", (a, b), uint64)


def _windows(start):
    """Three words of the table from bit `start` on."""
    first = start >> 6
    shift = cast(start & 63, uint64)
    words = [_word(first + j) for j in range(4)]
    left = 64 - shift  # a shift by all 64 bits gives 0
    return [(words[j] << shift) | (words[j + 1] >> left) for j in range(3)]


def _turns(x):
    """Quarter turns in |x| modulo 4, in fixed point: two words, 2 + 126 bits."""
    bits = bitcast(call("abs", x), int64)
    exponent = (bits >> 52) - 1075
    m = cast((bits & 0xFFFFFFFFFFFFF) | (1 << 52), uint64)
    a, b, c = _windows(exponent + 62)
    product = m * b
    low = product + _high(m, c)
    carry = where(low < product, literal(1, uint64), 0)
    return m * a + _high(m, b) + carry, low


def angle_quadrant(x):
    """The whole number of quarter turns nearest to x, modulo 4, as float64."""
    high, _ = _turns(x)
    q = cast((high >> 62) + ((high >> 61) & 1), float64)
    return where(x < 0.0, -q, q)


def angle_rest(x):
    """x without those quarter turns, in [-pi/4, pi/4]; nan for infinities."""
    high, low = _turns(x)
    top = cast(cast((high << 2) | (low >> 62), int64), float64)
    rest = top * 2.0**-64 + cast(low << 2, float64) * 2.0**-128
    rest = rest * 1.5707963267948966 + (x - x)
    return where(x < 0.0, -rest, rest)


# name -> (function, dtypes of its parameters, dtype of its result)
FUNCTIONS = {
    "two_over_pi": (two_over_pi, (int64,), uint64),
    "multiply_high": (multiply_high, (uint64, uint64), uint64),
    "angle_quadrant": (angle_quadrant, (float64,), float64),
    "angle_rest": (angle_rest, (float64,), float64),
}


def large_angle(x):
    """(q, r) of a large float64: x = q*pi/2 + r up to whole turns."""
    q = Expr("angle_quadrant", (x,), float64)
    return q, Expr("angle_rest", (x,), float64)
