"""Gradients of scatters where values are zero or tie: PyTorch's, in float64."""

from __future__ import annotations

import pytest
import torch

import fogo
from tests.shared.check import close

X = [[1.0, 0.0, 2.0, 3.0]]
INDEX = [[0, 0, 1, 2, 2, 3]]
SRC = [[0.0, 2.0, 3.0, 2.0, 2.0, 0.0]]
WEIGHT = [[1.0, -2.0, 0.5, 3.0]]


@pytest.mark.parametrize("mode", ["prod", "amax", "amin", "mean", "sum"])
@pytest.mark.parametrize("include_self", [True, False])
def test_zeros_and_ties(mode: str, include_self: bool, device: fogo.Device) -> None:
    # PyTorch lets an excluded element share the gradient where it equals the extreme.
    own = X if include_self else [[1.0, 0.0, 2.5, 3.0]]
    leaves = [
        torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (own, SRC)
    ]
    out = leaves[0].scatter_reduce(
        1, torch.tensor(INDEX), leaves[1], mode, include_self=include_self
    )
    wanted = torch.autograd.grad((out * torch.tensor(WEIGHT)).sum(), leaves)
    where = device.autodiff()
    x, src = [fogo.tensor(v, device=where).requires_grad_() for v in (own, SRC)]
    index = fogo.tensor(INDEX, device=device)
    made = fogo.scatter_reduce(x, 1, index, src, mode, include_self)
    close(made.detach(), out.detach())
    grads = (made * fogo.tensor(WEIGHT, device=device)).sum().backward()
    close(grads[x], wanted[0])
    close(grads[src], wanted[1])
