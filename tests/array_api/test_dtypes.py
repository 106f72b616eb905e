"""Promotion, casts and what the standard's functions say about dtypes."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import fogo
from tests.array_api import standard
from tests.array_api.test_elementwise import holds

# The standard's tables: bool; i, u, f, c with bytes of the real number or of a part.
TABLES = """
   i1 i2 i4 i8
i1 i1 i2 i4 i8
i2 i2 i2 i4 i8
i4 i4 i4 i4 i8
i8 i8 i8 i8 i8

   u1 u2 u4 u8
u1 u1 u2 u4 u8
u2 u2 u2 u4 u8
u4 u4 u4 u4 u8
u8 u8 u8 u8 u8

   u1 u2 u4
i1 i2 i4 i8
i2 i2 i4 i8
i4 i4 i4 i8
i8 i8 i8 i8

   f4 f8 c4 c8
f4 f4 f8 c4 c8
f8 f8 f8 c8 c8
c4 c4 c8 c4 c8
c8 c8 c8 c8 c8

   b
b  b
"""
NAMES = {"b": "bool", "c4": "complex64", "c8": "complex128"}
KINDS = {"i": "int", "u": "uint", "f": "float"}


def named(short: str) -> fogo.DType:
    name = NAMES.get(short) or f"{KINDS[short[0]]}{8 * int(short[1])}"
    return fogo.dtype(name)


def pairs() -> list[tuple[fogo.DType, fogo.DType, fogo.DType]]:
    found = []
    for table in TABLES.strip("\n").split("\n\n"):
        rows = [line.split() for line in table.split("\n")]
        for first, *cells in rows[1:]:
            for second, cell in zip(rows[0], cells):
                found.append((named(first), named(second), named(cell)))
                found.append((named(second), named(first), named(cell)))
    return found


def test_the_tables() -> None:
    assert len(pairs()) == 2 * (16 + 16 + 12 + 16 + 1)
    for a, b, result in pairs():
        assert fogo.result_type(a, b) is result, (a, b)
        assert fogo.can_cast(a, result) and fogo.can_cast(b, result)


def test_operations_follow_the_tables(device: fogo.Device) -> None:
    for a, b, result in pairs():
        if holds(device, a.name, b.name, result.name):
            x, y = (
                fogo.ones(2, dtype=a, device=device),
                fogo.ones(2, dtype=b, device=device),
            )
            combined = fogo.bitwise_or if a is fogo.bool else fogo.add
            if not (a.is_bool or b.is_bool) or a is b:
                assert combined(x, y).dtype is result
            assert fogo.where(x == y, x, y).dtype is result
            assert fogo.concat([x, y]).dtype is result
            assert fogo.result_type(x, y) is result


def test_three_and_more() -> None:
    assert fogo.result_type(fogo.int8, fogo.uint8, fogo.int32) is fogo.int32
    assert fogo.result_type(fogo.float32, fogo.complex64, fogo.float64) is (
        fogo.complex128
    )
    with pytest.raises(fogo.DTypeError, match="result_type: at least one"):
        fogo.result_type()


def test_numbers_in_result_type() -> None:
    for name in standard.NUMERIC:
        kind = fogo.dtype(name)
        assert fogo.result_type(kind, 1) is kind
        assert fogo.result_type(True, kind) is kind
    assert fogo.result_type(fogo.float64, 1.5) is fogo.float64
    assert fogo.result_type(fogo.float32, 1j) is fogo.complex64
    assert fogo.result_type(2, fogo.float64, 1j) is fogo.complex128


def test_python_numbers_beside_tensors(device: fogo.Device) -> None:
    for name in standard.NUMERIC:
        if not holds(device, name):
            continue
        x = fogo.ones(2, dtype=name, device=device)
        assert (x + 1).dtype is (1 + x).dtype is x.dtype
        assert (x * True).dtype is x.dtype
        if x.dtype.inexact:
            assert (x + 1.5).dtype is (1.5 * x).dtype is x.dtype
        if x.dtype.is_float and holds(device, "complex128"):
            want = fogo.result_type(x.dtype, fogo.complex64)
            assert (x + 1j).dtype is (1j - x).dtype is want


def test_a_number_out_of_range_is_refused(device: fogo.Device) -> None:
    x = fogo.ones(2, dtype="uint8", device=device)
    for wrong in (lambda: x + 300, lambda: x * -1, lambda: fogo.maximum(x, 256)):
        with pytest.raises(fogo.DTypeError, match="uint8"):
            wrong()


def test_isdtype() -> None:
    kinds = {
        "bool": standard.BOOL,
        "signed integer": standard.SIGNED,
        "unsigned integer": standard.UNSIGNED,
        "integral": standard.INTEGERS,
        "real floating": standard.FLOATS,
        "complex floating": standard.COMPLEX,
        "numeric": standard.NUMERIC,
        ("signed integer", "bool"): standard.SIGNED + standard.BOOL,
        (fogo.int8, "complex floating"): ("int8", *standard.COMPLEX),
    }
    for kind, names in kinds.items():
        found = tuple(n for n in standard.DTYPES if fogo.isdtype(fogo.dtype(n), kind))
        assert sorted(found) == sorted(names), kind
    assert fogo.isdtype(fogo.int8, fogo.int8) is True
    assert fogo.isdtype(fogo.int8, fogo.int16) is False
    with pytest.raises(fogo.DTypeError, match="isdtype: no such kind; given 'float'"):
        fogo.isdtype(fogo.int8, "float")


@pytest.mark.parametrize("name", standard.FLOATS + standard.COMPLEX + ("float16",))
def test_finfo(name: str) -> None:
    want = np.finfo(name)
    for what in (fogo.dtype(name), name):
        got: Any = fogo.finfo(what)
        assert (got.bits, got.eps, got.max, got.min, got.smallest_normal) == (
            want.bits, want.eps, want.max, want.min, want.smallest_normal
        )  # fmt: skip
        assert got.dtype.name == str(want.dtype)
        assert all(type(v) is float for v in (got.eps, got.max, got.min))
    with pytest.raises(fogo.DTypeError, match="finfo: a float or complex"):
        fogo.finfo(fogo.int8)


@pytest.mark.parametrize("name", standard.INTEGERS)
def test_iinfo(name: str) -> None:
    want = np.iinfo(name)
    got: Any = fogo.iinfo(fogo.dtype(name))
    assert (got.bits, got.max, got.min) == (want.bits, want.max, want.min)
    assert got.dtype is fogo.dtype(name)
    assert "iinfo(" in repr(got) and "finfo(" in repr(fogo.finfo("float32"))
    with pytest.raises(fogo.DTypeError, match="iinfo: an integer dtype"):
        fogo.iinfo(fogo.float32)


def test_limits_of_a_tensor(device: fogo.Device) -> None:
    assert fogo.finfo(fogo.ones(1, device=device)).bits == 32
    assert fogo.iinfo(fogo.ones(1, dtype="int8", device=device)).max == 127
    assert fogo.can_cast(fogo.ones(1, dtype="int8", device=device), fogo.int16)


def test_astype(device: fogo.Device) -> None:
    """Between all dtypes that a device holds."""
    for a in standard.DTYPES:
        for b in standard.DTYPES:
            if not holds(device, a, b):
                continue
            array = np.array([0, 1, 3]).astype(a)
            x = fogo.tensor(array, device=device)
            complex_to_real = "complex" in a and b not in (*standard.COMPLEX, "bool")
            if complex_to_real:
                with pytest.raises(fogo.DTypeError, match="astype: complex numbers"):
                    fogo.astype(x, fogo.dtype(b))
                continue
            got = fogo.astype(x, fogo.dtype(b))
            assert got.dtype.name == b
            assert np.array_equal(got.numpy(), array.astype(b))


def test_astype_copies(device: fogo.Device) -> None:
    x = fogo.ones(2, device=device)
    assert fogo.astype(x, fogo.float32, copy=False) is x
    same = fogo.astype(x, fogo.float32)
    same[0] = 5.0
    assert (x.tolist(), same.tolist()) == ([1.0, 1.0], [5.0, 1.0])
    moved = fogo.astype(x, fogo.int32, device=fogo.device("python"))
    assert (moved.device.name, moved.dtype) == ("python", fogo.int32)
    assert fogo.astype(x, fogo.float32, copy=False, device=device) is x


def test_dtypes_that_a_device_lacks_name_one_that_has_them() -> None:
    for name in ("python", "wasm"):
        with pytest.raises(fogo.DTypeError, match=r"complex64; use .*numpy"):
            fogo.tensor([1j], device=name)
        with pytest.raises(fogo.DTypeError, match="complex128"):
            fogo.zeros(2, dtype="complex128", device=name)
        with pytest.raises(fogo.DTypeError, match="complex64"):
            fogo.ones(2, device=name) * 1j


def test_dtypes_are_themselves_after_pickling() -> None:
    for name in (*standard.DTYPES, "float16"):
        kind = fogo.dtype(name)
        assert pickle.loads(pickle.dumps(kind)) is kind
