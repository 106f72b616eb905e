"""DLPack both ways, with NumPy and PyTorch; conversions of single elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from tests.array_api.standard import DTYPES
from tests.array_api.test_elementwise import holds

CPU = (1, 0)


def host(device: fogo.Device) -> dict[str, Any]:
    """What a consumer must say to get a GPU's tensor on the CPU."""
    return {"device": "cpu"} if device.name.startswith("webgpu") else {}


def made(dtype: str) -> Any:
    return (np.arange(12).reshape(3, 4) % 5).astype(dtype)


def test_to_numpy_and_pytorch(device: fogo.Device) -> None:
    for dtype in DTYPES:
        if not holds(device, dtype):
            continue
        array = made(dtype)
        x = fogo.tensor(array, device=device)
        views = [(x, array), (x.T, array.T), (x[::-1, 1::2], array[::-1, 1::2])]
        views += [(x[0, 0], array[0, 0]), (x[:0], array[:0])]
        for t, a in views:
            got = np.from_dlpack(t, **host(device))
            assert got.dtype == a.dtype and np.array_equal(got, a)
            if device.name == "webgpu" or min([1, *np.asarray(a).strides]) < 0:
                continue  # PyTorch has no negative strides
            assert np.array_equal(torch.from_dlpack(t).numpy(), a)


def test_from_numpy_and_pytorch(device: fogo.Device) -> None:
    for dtype in DTYPES:
        if not holds(device, dtype):
            continue
        array = made(dtype)
        for a in (array, array.T, array[::-1, 1::2], array[0, :0], array[1, 2, ...]):
            got = fogo.from_dlpack(a, device=device)
            assert got.device is device and got.dtype.name == dtype
            assert got.shape == a.shape and np.array_equal(got.numpy(), a)
            assert np.array_equal((got == got).numpy(), np.ones(a.shape, bool))
        t = torch.from_numpy(array) if array.dtype != "uint64" else None
        if t is not None:
            got = fogo.from_dlpack(t.T, device=device)
            assert np.array_equal(got.numpy(), array.T)


def test_memory_is_shared_where_it_can_be() -> None:
    x = fogo.arange(6, device="numpy").reshape(2, 3)
    a = np.from_dlpack(x)
    again = fogo.from_dlpack(a)
    assert np.shares_memory(a, np.from_dlpack(again))
    t = torch.from_dlpack(x)
    t[0, 0] = 99
    assert x[0, 0].item() == a[0, 0] == 99
    y = fogo.from_dlpack(t.T)
    t[1, 2] = -1
    assert y[2, 1].item() == -1
    plain = fogo.arange(4, device="python")
    shared = np.from_dlpack(plain)
    shared[0] = 7
    assert plain.tolist() == [7, 1, 2, 3]


def test_values_do_not_change_under_other_tensors() -> None:
    """Assigning to a tensor that shares memory gives it memory of its own."""
    a = np.arange(4.0)
    x = fogo.from_dlpack(a)
    x[0] = 5.0
    assert (a.tolist(), x.tolist()) == ([0, 1, 2, 3], [5, 1, 2, 3])


def test_memory_outlives_the_tensor() -> None:
    a = np.from_dlpack(fogo.arange(1 << 20, device="numpy") * 2)
    for _ in range(8):
        fogo.ones(1 << 20, dtype="int64", device="numpy") * 3
    assert np.array_equal(a, np.arange(1 << 20) * 2)


def test_copies(device: fogo.Device) -> None:
    x = fogo.arange(4, device=device)
    capsule = x.__dlpack__(copy=True, dl_device=CPU)
    assert "dltensor" in repr(capsule)
    a = np.from_dlpack(x, copy=True, **host(device))
    assert a.tolist() == [0, 1, 2, 3]
    array = np.arange(3, dtype="int32")
    owned = fogo.from_dlpack(array, device=device, copy=True)
    assert owned.tolist() == [0, 1, 2]
    if device.name == "numpy":
        assert fogo.from_dlpack(array, device=device, copy=False).tolist() == [0, 1, 2]
    else:
        with pytest.raises(fogo.DeviceError, match="from_dlpack: copy=False shares"):
            fogo.from_dlpack(array, device=device, copy=False)
    own = fogo.from_dlpack(x)
    assert own.device is device and own.tolist() == [0, 1, 2, 3]


def test_what_cannot_be_shared_is_copied_or_refused(device: fogo.Device) -> None:
    wide = fogo.broadcast_to(fogo.ones(1, device=device), (3,))
    assert np.from_dlpack(wide, **host(device)).tolist() == [1, 1, 1]
    with pytest.raises(fogo.DeviceError, match="__dlpack__: copy=False needs memory"):
        wide.__dlpack__(copy=False, dl_device=CPU)
    with pytest.raises(
        fogo.DeviceError, match="__dlpack__: memory is given to the CPU"
    ):
        wide.__dlpack__(dl_device=(2, 0))


def test_devices(device: fogo.Device) -> None:
    x = fogo.ones(2, device=device)
    assert x.__dlpack_device__() == ((15, 0) if host(device) else CPU)
    assert x.to_device(fogo.device("python")).device.name == "python"
    assert x.to_device(device).tolist() == [1.0, 1.0]
    with pytest.raises(fogo.DeviceError, match="to_device: streams"):
        x.to_device(device, stream=1)


def test_history_is_not_given_away() -> None:
    x = fogo.ones(2, device=fogo.device("numpy").autodiff())
    assert np.from_dlpack(x).tolist() == [1.0, 1.0]
    with pytest.raises(fogo.AutodiffError, match="__dlpack__: history stays here"):
        np.from_dlpack(x.requires_grad_())
    assert np.from_dlpack(x.detach()).tolist() == [1.0, 1.0]
    tracked = fogo.from_dlpack(np.ones(2), device=fogo.device("numpy").autodiff())
    assert tracked.device.is_autodiff


def test_single_elements(device: fogo.Device) -> None:
    three = fogo.asarray(3, device=device)
    assert [10, 11, 12, 13][three] == 13
    assert (int(three), float(three), complex(three), bool(three)) == (3, 3.0, 3, True)
    assert int(fogo.asarray(2.7, device=device)) == 2
    assert not bool(fogo.asarray(0.0, device=device))
    assert bool(fogo.asarray(fogo.nan, device=device))
    with pytest.raises(ValueError):
        int(fogo.asarray(fogo.nan, device=device))
    with pytest.raises(OverflowError):
        int(fogo.asarray(fogo.inf, device=device))
    with pytest.raises(fogo.DTypeError, match="index: an integer tensor"):
        [1][fogo.asarray(0.0, device=device)]  # type: ignore[call-overload]


def test_attributes(device: fogo.Device) -> None:
    x = fogo.zeros((2, 3, 4), device=device)
    assert (x.ndim, x.shape, x.size, x.mT.shape) == (3, (2, 3, 4), 24, (2, 4, 3))
    assert (x[0].T.shape, x.device, x.dtype) == ((4, 3), device, fogo.float32)
    assert fogo.zeros((0, 3), device=device).size == 0
    with pytest.raises(fogo.ShapeError):
        x.T  # noqa: B018
    with pytest.raises(fogo.ShapeError):
        x[0, 0].mT  # noqa: B018
