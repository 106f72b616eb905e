"""Initialisers that look at the shape: their distributions and what they promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo.nn import init
from fogo.nn.init_shapes import orthonormal

TRUNCATED = [
    dict(), dict(mean=1.0, std=2.0), dict(a=-0.5, b=0.25), dict(a=2.0, b=5.0),
    dict(mean=-1.0, std=0.5, a=-1.5, b=3.0),
]  # fmt: skip


@pytest.mark.parametrize("options", TRUNCATED, ids=str)
def test_trunc_normal(options: dict[str, Any], device: fogo.Device) -> None:
    """Mean, deviation and quartiles of PyTorch's draw of as many numbers."""
    shape = (60, 80)
    torch.manual_seed(3)
    fogo.manual_seed(3)
    theirs = torch.nn.init.trunc_normal_(torch.empty(shape), **options).numpy()
    tensor = fogo.zeros(shape, device=device)
    assert init.trunc_normal_(tensor, **options) is tensor
    ours = tensor.numpy()
    assert ours.min() >= options.get("a", -2.0)
    assert ours.max() <= options.get("b", 2.0)
    assert abs(ours.mean() - theirs.mean()) < 0.06 * theirs.std()
    assert abs(ours.std() / theirs.std() - 1) < 0.04
    for part in (25, 50, 75, 97):
        gap = np.percentile(ours, part) - np.percentile(theirs, part)
        assert abs(gap) < 0.12 * theirs.std()


@pytest.mark.parametrize("shape", [(6, 6), (3, 8), (8, 3), (4, 3, 2, 2), (1, 1)])
def test_orthogonal(shape: tuple[int, ...], device: fogo.Device) -> None:
    x = init.orthogonal_(fogo.zeros(shape, device=device), gain=1.5).numpy()
    flat = x.reshape(shape[0], -1).astype(np.float64)
    flat = flat if flat.shape[0] <= flat.shape[1] else flat.T
    np.testing.assert_allclose(flat @ flat.T, 2.25 * np.eye(len(flat)), atol=3e-6)


def test_orthogonal_is_q_of_a_qr_factorisation(device: fogo.Device) -> None:
    """With a positive diagonal, as PyTorch makes it: then all turns are as likely."""
    rows = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)
    found = orthonormal(fogo.tensor(rows.tolist(), device=device)).numpy()
    q, r = np.linalg.qr(rows.T.astype(np.float64))
    wanted = (q * np.sign(np.diag(r))).T
    np.testing.assert_allclose(found, wanted, atol=2e-5)


@pytest.mark.parametrize("sparsity", [0.0, 0.25, 0.9])
def test_sparse(sparsity: float, device: fogo.Device) -> None:
    """As many zeros a column as PyTorch has, at other places in each."""
    theirs = torch.nn.init.sparse_(torch.empty(20, 30), sparsity, std=0.5).numpy()
    x = init.sparse_(fogo.zeros(20, 30, device=device), sparsity, std=0.5).numpy()
    assert ((x == 0).sum(0) == (theirs == 0).sum(0)).all()
    if sparsity:
        assert len({tuple(column) for column in (x == 0).T}) > 5
    assert abs(x[x != 0].std() - 0.5) < 0.12


def test_wrong_uses() -> None:
    def zeros(*shape: int) -> fogo.Tensor:
        return fogo.zeros(shape, device="python")

    with pytest.raises(fogo.ShapeError, match=r"trunc_normal_ needs a < b; given a=2"):
        init.trunc_normal_(zeros(2), a=2.0, b=1.0)
    with pytest.raises(fogo.ShapeError, match=r"eye_ needs 2 axes; given shape \(2,\)"):
        init.eye_(zeros(2))
    with pytest.raises(fogo.ShapeError, match="dirac_ needs 3 to 5 axes"):
        init.dirac_(zeros(2, 2))
    with pytest.raises(fogo.ShapeError, match="divide by the groups; given 3 and 2"):
        init.dirac_(zeros(3, 1, 1), groups=2)
    with pytest.raises(fogo.ShapeError, match="sparse_ needs 2 axes"):
        init.sparse_(zeros(2), 0.5)
    with pytest.raises(fogo.ShapeError, match="orthogonal_ needs 2 or more axes"):
        init.orthogonal_(zeros(2))
