"""Tensors and grids at the limits of a device."""

from __future__ import annotations

import numpy as np
import pytest

import fogo
from fogo.errors import DeviceError
from fogo.webgpu.backend import fold


def test_a_tensor_above_a_binding_is_refused_by_the_limits_name(gpu) -> None:
    most = gpu.backend.pool.most
    with pytest.raises(DeviceError, match="maxStorageBufferBindingSize.*split it"):
        fogo.tensor(np.zeros(most // 4 + 1, np.float32), device=gpu)
    with pytest.raises(DeviceError, match="maxStorageBufferBindingSize.*split it"):
        fogo.arange(most // 4 + 1, device=gpu).numpy()
    assert fogo.ones(3, device=gpu).sum().item() == 3.0


@pytest.mark.parametrize("groups", [1, 65535, 65536, 65537, 1 << 20, 65535 * 65535])
def test_groups_fold_into_two_dimensions(groups) -> None:
    gx, gy = fold(groups)
    assert gx <= 65535 and gy <= 65535
    assert groups <= gx * gy < groups + gx


def test_a_grid_of_more_than_65535_groups(gpu) -> None:
    n = 65537 * 64
    x = fogo.arange(n, device=gpu)
    got = (x % 251 == 250).astype(fogo.int32).sum().item()
    assert got == n // 251
