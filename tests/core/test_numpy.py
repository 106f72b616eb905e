"""Tensors among NumPy's scalars and arrays, in formats and in copies."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import fogo


def test_numpy_s_scalars_are_numbers(device: fogo.Device) -> None:
    x = fogo.tensor([1.0, 2.0], device=device)
    for two in (np.float32(2), np.float64(2), np.int64(2), np.array(2.0)):
        for y in (x * two, two * x, two + x - two + x):
            assert isinstance(y, fogo.Tensor) and y.dtype is fogo.float32
            assert y.tolist() == [2.0, 4.0]
    assert fogo.where(np.bool_(True), x, 0.0).tolist() == [1.0, 2.0]
    given = fogo.tensor([[np.float32(1), 2], [np.int8(3), 4.5]], device=device)
    assert given.tolist() == [[1.0, 2.0], [3.0, 4.5]]
    rows = fogo.tensor([np.arange(2.0), np.ones(2)], device=device)
    assert rows.tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_a_numpy_scalar_on_the_left_keeps_the_gradient(device: fogo.Device) -> None:
    x = fogo.ones(2, device=device.autodiff()).requires_grad_()
    y = np.sqrt(16.0) * x + np.float32(1) / x
    assert y.sum().backward()[x].tolist() == [3.0, 3.0]


def test_an_array_on_the_left_is_refused_not_taken_over(device: fogo.Device) -> None:
    with pytest.raises(fogo.DTypeError, match="operands are tensors or numbers"):
        np.ones(2) + fogo.ones(2, device=device)


def test_arrays_of_the_other_byte_order(device: fogo.Device) -> None:
    for kind in (">f4", "<f4", ">i2", ">u4"):
        assert fogo.tensor(np.array([1, 2], kind), device=device).tolist() == [1, 2]


def test_format(device: fogo.Device) -> None:
    x = fogo.tensor(2.375, device=device)
    assert (f"{x:.2f}", f"{x:>8}", f"{x}") == ("2.38", "   2.375", str(x))
    with pytest.raises(fogo.ShapeError, match="item: .* one element"):
        f"{fogo.ones(2, device=device):.2f}"


def test_a_deep_copy_of_a_leaf_is_a_leaf(device: fogo.Device) -> None:
    x = fogo.ones(2, device=device.autodiff()).requires_grad_()
    twin, made = copy.deepcopy([x, x * 2])
    assert twin.requires_grad and not made.requires_grad
    gradients = (x * twin).sum().backward()
    assert gradients[twin].tolist() == [1.0, 1.0] and x in gradients
