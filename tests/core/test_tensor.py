"""What only CPython's tensors can do: conversions, arrays, the import's weight."""

from __future__ import annotations

import numpy as np

import fogo


def test_python_s_own_conversions(device: fogo.Device) -> None:
    x = fogo.tensor([2.75], device=device)
    assert (float(x), int(x), bool(x)) == (2.75, 2, True)
    assert range(5)[fogo.tensor(3, device=device)] == 3


def test_to_and_from_numpy(device: fogo.Device) -> None:
    for dtype in sorted(d.name for d in device.backend.holds):
        values = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
        x = fogo.tensor(values[:, ::-1], device=device)
        assert (x.dtype.name, x.shape) == (dtype, (2, 3))
        back = x.numpy()
        assert back.dtype == values.dtype
        np.testing.assert_array_equal(back, values[:, ::-1])
        np.testing.assert_array_equal(np.asarray(x.transpose()), values[:, ::-1].T)


def test_a_numpy_copy_is_a_copy(device: fogo.Device) -> None:
    values = np.ones(3, "float32")
    x = fogo.tensor(values, device=device)
    values[:] = 7
    x.numpy()[:] = 9
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_empty_and_0d_arrays(device: fogo.Device) -> None:
    for shape in ((), (0,), (2, 0, 3)):
        x = fogo.tensor(np.zeros(shape, "float32"), device=device)
        assert x.shape == shape and x.numpy().shape == shape


def test_sizes_and_axes_may_be_numpy_s_integers(device: fogo.Device) -> None:
    two, one = np.int64(2), np.int32(1)
    x = fogo.zeros((two, 3), device=device)
    assert x.shape == (2, 3) and type(x.shape[0]) is int
    assert x.reshape(-1, two).shape == (3, 2)
    assert x.sum(one).shape == (2,)
    assert x.expand(two, two, 3).shape == (2, 2, 3)
    assert x.permute((one, np.int8(0))).shape == (3, 2)
