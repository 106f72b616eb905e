"""Attention where there is nothing to attend to."""

from __future__ import annotations

import pytest

import fogo


@pytest.mark.parametrize("how", ["plain", "causal", "mask"])
def test_without_a_key_the_result_is_zeros(how: str, device: fogo.Device) -> None:
    dev = device.autodiff()
    q = fogo.ones(2, 3, 4, device=dev).requires_grad_()
    k, v = fogo.ones(2, 0, 4, device=dev), fogo.ones(2, 0, 5, device=dev)
    mask = fogo.ones(3, 0, dtype="bool", device=dev) if how == "mask" else None
    y = fogo.scaled_dot_product_attention(q, k, v, mask, is_causal=how == "causal")
    assert y.tolist() == [[[0.0] * 5] * 3] * 2
    assert y.sum().backward()[q].tolist() == [[[0.0] * 4] * 3] * 2
