"""Sort keys: uint32 numbers whose order is the order wanted of any dtype.

A nan is the largest, and all nans are equal; so are 0.0 and -0.0. For a descending
order the bits are turned round, which keeps equal elements in their order.
"""

from __future__ import annotations

from ..dtypes import float16, int32, uint16, uint32
from ..expr import bitcast, cast, literal
from ..expr import call as E
from ..expr import where as _where

LAST = 0xFFFFFFFF  # the key of what comes after everything


def bits_of(dtype):
    """How many bits of a key differ."""
    return 8 if dtype.is_bool else dtype.bits


def key_of(x, descending):
    """The key of a value: an Expr of dtype uint32."""
    key = _ascending(x)
    if not descending:
        return key
    bits = bits_of(x.dtype)
    return E("xor", key, LAST if bits == 32 else (1 << bits) - 1)


def _ascending(x):
    dtype = x.dtype
    if dtype.is_float:
        return _of_float(x)
    if dtype.kind == "uint":
        return cast(x, uint32)
    if dtype.is_bool:
        return cast(x, uint32)
    if dtype.bits == 32:
        return E("xor", bitcast(x, uint32), 0x80000000)
    return bitcast(cast(x, int32) + (1 << (dtype.bits - 1)), uint32)


def _of_float(x):
    """Negative numbers turn all bits round, others the first."""
    bits = 16 if x.dtype is float16 else 32
    sign, whole = 1 << (bits - 1), (1 << bits) - 1
    plain = _where(E("eq", x, 0), literal(0, x.dtype), x)
    word = (
        cast(bitcast(plain, uint16), uint32) if bits == 16 else bitcast(plain, uint32)
    )
    flip = _where(word >= sign, literal(whole, uint32), literal(sign, uint32))
    return _where(E("isnan", x), literal(whole, uint32), E("xor", word, flip))


def value_of(key, dtype, descending):
    """(the value that has this key, whether it is the only one; None: it always is).

    float: both zeros have one key, and all nans.
    """
    bits = bits_of(dtype)
    whole = LAST if bits == 32 else (1 << bits) - 1
    if descending:
        key = E("xor", key, whole)
    if not dtype.is_float:
        if dtype.kind == "int" and bits == 32:
            return bitcast(E("xor", key, 0x80000000), int32), None
        if dtype.kind == "int":
            return cast(bitcast(key, int32) - (1 << (bits - 1)), dtype), None
        return cast(key, dtype), None
    sign = 1 << (bits - 1)
    flip = _where(key >= sign, literal(sign, uint32), literal(whole, uint32))
    word = E("xor", key, flip)
    value = bitcast(cast(word, uint16) if bits == 16 else word, dtype)
    return value, ~E("eq", key, whole) & ~E("eq", key, sign)
