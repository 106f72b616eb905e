"""The array API standard's promotion; where it is silent, PyTorch's."""

import fogo
from tests.shared.check import equal, raises

# Rows and columns: b bool, i int, u uint, f float, with their bytes; - is refused.
NAMES = "b i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8"
TABLE = """
b  b  i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8
i1 i1 i1 i2 i4 i8 i2 i4 i8 -  f2 f4 f8
i2 i2 i2 i2 i4 i8 i2 i4 i8 -  f2 f4 f8
i4 i4 i4 i4 i4 i8 i4 i4 i8 -  f2 f4 f8
i8 i8 i8 i8 i8 i8 i8 i8 i8 -  f2 f4 f8
u1 u1 i2 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8
u2 u2 i4 i4 i4 i8 u2 u2 u4 u8 f2 f4 f8
u4 u4 i8 i8 i8 i8 u4 u4 u4 u8 f2 f4 f8
u8 u8 -  -  -  -  u8 u8 u8 u8 f2 f4 f8
f2 f2 f2 f2 f2 f2 f2 f2 f2 f2 f2 f4 f8
f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f8
f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8
"""
KINDS = {"i": "int", "u": "uint", "f": "float"}


def named(short):
    if short == "b":
        return fogo.bool_
    return fogo.dtype(KINDS[short[0]] + str(8 * int(short[1])))


def pairs():
    """Every (first, second, result or None) of the table."""
    columns = NAMES.split()
    for line in TABLE.strip().split("\n"):
        cells = line.split()
        for column, cell in zip(columns, cells[1:]):
            result = None if cell == "-" else named(cell)
            yield named(cells[0]), named(column), result


def test_the_table():
    count = 0
    for a, b, result in pairs():
        count += 1
        if result is None:
            with raises(fogo.DTypeError, a.name, b.name, "cast one of them"):
                fogo.promote(a, b)
        else:
            assert fogo.promote(a, b) is result, (a, b)
    assert count == 144


def test_operations_promote_by_the_table(device):
    holds = device.backend.holds
    yes = fogo.tensor([True], device=device)
    for a, b, result in pairs():
        if a not in holds or b not in holds:
            continue
        x = fogo.ones(1, dtype=a, device=device)
        y = fogo.zeros(1, dtype=b, device=device)
        if result is None or result not in holds:
            with raises(fogo.DTypeError):
                fogo.where(yes, x, y)
        else:
            out = fogo.where(yes, x, y)
            assert out.dtype is result, (a, b, out.dtype)
            equal(out == 1, [True])


def test_python_numbers_take_the_tensor_s_dtype(device):
    for name in ("int8", "int32", "uint8", "float16", "float32"):
        dtype = fogo.dtype(name)
        x = fogo.ones(2, dtype=dtype, device=device)
        assert (x + 1).dtype is dtype
        assert (1 + x).dtype is dtype
        assert (x * True).dtype is dtype
        assert (x + 1.5).dtype is (dtype if dtype.is_float else fogo.float32)
    flag = fogo.tensor([True], device=device)
    assert fogo.where(flag, flag, 2).dtype is device.default_int
    assert (fogo.ones(1, dtype="int32", device=device) / 2).dtype is fogo.float32


def test_can_cast():
    assert fogo.can_cast(fogo.int8, fogo.int32)
    assert fogo.can_cast(fogo.bool_, fogo.float16)
    assert not fogo.can_cast(fogo.float32, fogo.int32)
    assert not fogo.can_cast(fogo.int8, fogo.uint8)


def test_names():
    assert fogo.dtype("float32") is fogo.float32
    assert fogo.dtype(fogo.int8) is fogo.int8
    assert repr(fogo.uint16) == "fogo.uint16"
    with raises(fogo.DTypeError, "float8", "float32"):
        fogo.dtype("float8")


def test_casts_truncate_and_wrap(device):
    x = fogo.tensor([-1.7, 0.0, 2.9], device=device)
    equal(x.astype("int32"), [-1, 0, 2])
    equal(x.astype("bool"), [True, False, True])
    i = fogo.tensor([-1, 255, 300], dtype="int32", device=device)
    equal(i.astype("uint8"), [255, 255, 44])
    equal(i.astype("int8"), [-1, -1, 44])
    equal(i.astype("float32"), [-1.0, 255.0, 300.0])
    assert x.astype("float32", copy=False) is x


def test_a_dtype_that_is_not_held_names_one_that_is(device):
    holds = device.backend.holds
    for dtype in fogo.dtypes.ALL:
        if dtype not in holds:
            with raises(fogo.DTypeError, device.backend.name, dtype.name, "use "):
                fogo.zeros(1, dtype=dtype, device=device)
