"""What is made from nothing, and what is made of other arrays."""

from __future__ import annotations

import array
import ctypes
from typing import Any

import numpy as np
import pytest

import fogo
from tests.array_api.standard import DTYPES
from tests.array_api.test_elementwise import holds

SHAPES: tuple[Any, ...] = ((2, 3), (), (0, 2), 3, (1,))


def held(device: fogo.Device) -> list[str]:
    return [n for n in DTYPES if holds(device, n)]


def check(got: Any, want: Any, dtype: str, device: fogo.Device) -> None:
    assert got.dtype.name == dtype
    assert got.device is device
    assert got.shape == np.shape(want)
    assert np.allclose(got.numpy(), want, rtol=1e-6)


def test_constants(device: fogo.Device) -> None:
    for dtype in held(device):
        for shape in SHAPES:
            for name in ("zeros", "ones", "empty"):
                got = getattr(fogo, name)(shape, dtype=fogo.dtype(dtype), device=device)
                like = (
                    getattr(np, name)(shape, dtype) if name != "empty" else got.numpy()
                )
                check(got, np.reshape(like, shape), dtype, device)
                again = getattr(fogo, name + "_like")(got)
                assert (again.shape, again.dtype) == (got.shape, got.dtype)
            one: Any = True if dtype == "bool" else 1
            got = fogo.full(shape, one, dtype=fogo.dtype(dtype), device=device)
            check(got, np.full(shape, one, dtype), dtype, device)
            check(fogo.full_like(got, one), np.full(shape, one, dtype), dtype, device)


def test_default_dtypes(device: fogo.Device) -> None:
    integer = device.default_int.name
    assert fogo.zeros(1, device=device).dtype is fogo.float32
    assert fogo.full(1, True, device=device).dtype is fogo.bool
    assert fogo.full(1, 2, device=device).dtype.name == integer
    assert fogo.full(1, 2.0, device=device).dtype is fogo.float32
    assert fogo.arange(3, device=device).dtype.name == integer
    assert fogo.arange(3.0, device=device).dtype is fogo.float32
    assert fogo.linspace(0, 1, 3, device=device).dtype is fogo.float32
    assert fogo.eye(2, device=device).dtype is fogo.float32
    assert fogo.asarray([1, 2], device=device).dtype.name == integer
    assert fogo.asarray([1, 2.0], device=device).dtype is fogo.float32
    assert fogo.asarray([True], device=device).dtype is fogo.bool
    if holds(device, "complex64"):
        assert fogo.full(1, 2j, device=device).dtype is fogo.complex64
        assert fogo.asarray([1, 2j], device=device).dtype is fogo.complex64
        assert fogo.linspace(0, 1j, 3, device=device).dtype is fogo.complex64


def test_another_dtype_and_device(device: fogo.Device) -> None:
    x = fogo.ones(2, 3, device=device)
    for name in ("zeros_like", "ones_like", "empty_like"):
        got = getattr(fogo, name)(x, dtype=fogo.int32, device="python")
        assert (got.dtype, got.device.name, got.shape) == (fogo.int32, "python", (2, 3))
    got = fogo.full_like(x, 7, dtype=fogo.int32, device="python")
    assert got.tolist() == [[7] * 3] * 2


RANGES = [
    (5,),
    (0,),
    (2, 9),
    (2, 9, 3),
    (9, 2, -2),
    (3, 3),
    (2, 1),
    (-3, 3, 2),
    (1, 0, 5),
]


def test_arange(device: fogo.Device) -> None:
    for bounds in RANGES:
        want = np.arange(*bounds)
        check(
            fogo.arange(*bounds, device=device), want, device.default_int.name, device
        )
        floats = [b / 2 for b in bounds]
        check(
            fogo.arange(*floats, device=device), np.arange(*floats), "float32", device
        )
        check(
            fogo.arange(*bounds, dtype=fogo.int16, device=device), want, "int16", device
        )
        check(
            fogo.arange(*bounds, dtype=fogo.float32, device=device),
            want, "float32", device,
        )  # fmt: skip
    assert fogo.arange(1, stop=7, step=2, device=device).tolist() == [1, 3, 5]


def test_linspace(device: fogo.Device) -> None:
    for bounds in ((0.0, 1.0, 5), (-2, 2, 4), (1, 0, 3), (3.0, 3.0, 2), (0, 1, 0)):
        for options in ({}, {"endpoint": False}):
            got = fogo.linspace(*bounds, device=device, **options)
            check(got, np.linspace(*bounds, **options), "float32", device)
    assert fogo.linspace(2.0, 5.0, 1, device=device).tolist() == [2.0]
    assert fogo.linspace(0.1, 0.7, 9, device=device)[-1].item() == np.float32(0.7)
    if holds(device, "complex128"):
        got = fogo.linspace(0, 1 + 2j, 5, dtype="complex128", device=device)
        check(got, np.linspace(0, 1 + 2j, 5), "complex128", device)


def test_eye(device: fogo.Device) -> None:
    for args, k in (((3,), 0), ((2, 4), 1), ((4, 2), -1), ((0,), 0), ((2, 0), 0)):
        for dtype in ("float32", "int32", "bool"):
            got = fogo.eye(*args, k=k, dtype=dtype, device=device)
            check(got, np.eye(*args, k=k, dtype=dtype), dtype, device)


def test_asarray(device: fogo.Device) -> None:
    array = np.arange(6, dtype="int32").reshape(2, 3)
    for given in (
        array,
        array.tolist(),
        tuple(array.tolist()),
        array[:, ::-1][:, ::-1],
    ):
        got = fogo.asarray(given, dtype=fogo.int32, device=device)
        check(got, array, "int32", device)
    check(fogo.asarray(array, device=device), array, "int32", device)
    check(fogo.asarray(3, dtype=fogo.float32, device=device), 3.0, "float32", device)
    x = fogo.ones(2, device=device)
    assert fogo.asarray(x).device is device
    assert fogo.asarray(x, copy=False).tolist() == [1.0, 1.0]
    other = fogo.asarray(x, copy=True)
    other[0] = 3.0
    assert (x.tolist(), other.tolist()) == ([1.0, 1.0], [3.0, 1.0])
    assert fogo.asarray(x, dtype=fogo.int32).dtype is fogo.int32
    assert fogo.asarray(x, device="python").device.name == "python"


@pytest.mark.parametrize("letter", list("bBhHiIqQfd"))
def test_asarray_keeps_the_dtype_of_a_buffer(letter: str, device: fogo.Device) -> None:
    given = array.array(letter, [1, 2])
    dtype = str(np.asarray(given).dtype)
    if not holds(device, dtype):
        with pytest.raises(fogo.DTypeError, match="does not hold"):
            fogo.asarray(given, device=device)
        return
    check(fogo.asarray(given, device=device), np.asarray(given), dtype, device)
    got = fogo.asarray(given, dtype="float32", device=device)
    check(got, np.asarray(given, "float32"), "float32", device)


def test_asarray_of_other_buffers(device: fogo.Device) -> None:
    grid = memoryview(bytes(range(6))).cast("B", (2, 3))
    check(fogo.asarray(grid, device=device), np.asarray(grid), "uint8", device)
    check(fogo.asarray(b"ab", device=device), [97, 98], "uint8", device)
    numbers = (ctypes.c_int16 * 2)(3, -4)
    check(fogo.asarray(numbers, device=device), [3, -4], "int16", device)


def test_asarray_without_a_copy(device: fogo.Device) -> None:
    x = fogo.ones(2, device=device)
    with pytest.raises(fogo.DeviceError, match="asarray: copy=False keeps dtype"):
        fogo.asarray(x, dtype=fogo.int32, copy=False)
    with pytest.raises(fogo.DeviceError, match="asarray: copy=False needs an array"):
        fogo.asarray([1, 2], copy=False, device=device)
    array = np.zeros(2, "float32")
    if device.name == "numpy":
        shared = fogo.asarray(array, copy=False, device=device)
        array[0] = 4.0
        assert shared.tolist() == [4.0, 0.0]
    else:
        with pytest.raises(
            fogo.DeviceError, match="asarray: copy=False needs an array"
        ):
            fogo.asarray(array, copy=False, device=device)


def test_ranges_whose_step_is_wide(device: fogo.Device) -> None:
    got = fogo.arange(-100, 100, 150, dtype=fogo.int8, device=device)
    assert got.tolist() == [-100, 50]
    got = fogo.arange(9, 2, -2, dtype=fogo.uint8, device=device)
    assert got.tolist() == [9, 7, 5, 3]
    with pytest.raises(fogo.DTypeError, match="arange: the value must lie"):
        fogo.arange(120, 131, 10, dtype=fogo.int8, device=device)
    ends = fogo.linspace(-3e38, 3e38, 2, device=device)
    assert np.array_equal(ends.numpy(), np.array([-3e38, 3e38], "float32"))


def test_numbers_beyond_the_dtype_are_infinite(device: fogo.Device) -> None:
    assert fogo.full((), 1e300, device=device).item() == fogo.inf
    assert fogo.asarray([1e300], device=device).tolist() == [fogo.inf]
    assert (fogo.ones(1, device=device) * 1e300).tolist() == [fogo.inf]


def test_asarray_of_a_tensor_is_that_tensor(device: fogo.Device) -> None:
    x = fogo.ones(2, device=device)
    assert fogo.asarray(x) is x and fogo.asarray(x, copy=False) is x
    assert fogo.asarray(x, copy=True) is not x
