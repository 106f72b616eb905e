"""Holds a fogo module beside its PyTorch twin: equal weights, inputs and results."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import fogo
from fogo import nn

RTOL = 2e-5
ATOL = 2e-6


def near(actual: Any, expected: torch.Tensor, what: str, factor: float = 1.0) -> None:
    """Fail unless a fogo tensor agrees with a torch one in shape and value."""
    wanted = expected.detach().numpy()
    found = np.array(actual.tolist(), dtype=np.float64).reshape(actual.shape)
    assert tuple(actual.shape) == tuple(wanted.shape), what
    np.testing.assert_allclose(
        found, wanted, RTOL * factor, ATOL * factor, err_msg=what
    )


def twin(
    ours: nn.Module, theirs: torch.nn.Module, device: fogo.Device
) -> tuple[nn.Module, torch.nn.Module]:
    """Give our module the weights of theirs by name, on the autodiff device."""
    names = list(theirs.state_dict())
    assert list(ours.state_dict()) == names, "names and order of the state"
    ours.to(device.autodiff())
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


def compare(
    ours: nn.Module,
    theirs: torch.nn.Module,
    device: fogo.Device,
    inputs: list[np.ndarray],
    factor: float = 1.0,
) -> None:
    """Compare the output, the gradients by inputs and parameters, and the buffers.

    The first input is differentiated if it holds floats; the rest are given as they
    are.
    """
    twin(ours, theirs, device)
    dev = device.autodiff()
    a = [fogo.tensor(x.tolist(), dtype=x.dtype.name, device=dev) for x in inputs]
    b = [torch.tensor(x) for x in inputs]
    floats = inputs[0].dtype.kind == "f"
    if floats:
        a[0].requires_grad_()
        b[0].requires_grad_()
    y, z = ours(*a), theirs(*b)
    near(y, z, "output", factor)
    for (name, mine), theirs_buffer in zip(
        ours.named_buffers(), theirs.buffers(), strict=True
    ):
        near(mine, theirs_buffer, name, factor)
    if not z.requires_grad:
        return
    seed = np.random.default_rng(7).uniform(-1, 1, tuple(z.shape)).astype(np.float32)
    grads = y.backward(fogo.tensor(seed.tolist(), device=device).reshape(y.shape))
    z.backward(torch.tensor(seed))
    if floats:
        near(grads[a[0]], b[0].grad, "gradient by the input", factor)
    for name, p in theirs.named_parameters():
        mine = dict(ours.named_parameters())[name]
        near(grads[mine], p.grad, f"gradient by {name}", factor)


def uniform(*shape: int, seed: int = 0) -> np.ndarray:
    """Return float32 numbers in [-2, 2)."""
    rng = np.random.default_rng(seed + sum(shape))
    return rng.uniform(-2, 2, shape).astype(np.float32)
