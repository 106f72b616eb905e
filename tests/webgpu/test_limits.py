"""Tensors and grids at the limits of a device."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch

import fogo
from fogo.errors import DeviceError
from fogo.ops.record import REGISTRY
from fogo.webgpu.backend import fold

BINDINGS = 8  # storage buffers of a kernel, on the GPU of every browser


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


def test_every_kernel_binds_what_browsers_promise() -> None:
    counted = {}
    for name, op in REGISTRY.items():
        if op.kernel is None:
            continue
        given = list(inspect.signature(op.kernel).parameters.values())
        if all(p.kind is p.POSITIONAL_OR_KEYWORD for p in given):
            counted[name] = len(given) - 1 - len(op.attrs)
    assert len(counted) > 30
    assert {n: count for n, count in counted.items() if count > BINDINGS} == {}


@pytest.mark.parametrize("labels", [[[1, 2], [2, 2]], [[], []]])
def test_losses_of_sequences_train_within_the_bindings(labels, portable) -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (5, 2, 4)).astype(np.float32)
    width = len(labels[0])
    there = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    wanted = torch.nn.functional.ctc_loss(
        there.log_softmax(-1), torch.tensor(labels, dtype=torch.int64), (5, 4),
        (width, max(width - 1, 0)), reduction="sum",
    )  # fmt: skip
    (known,) = torch.autograd.grad(wanted, there)
    given = fogo.tensor(
        np.array(labels, np.int32).reshape(2, width), device=portable
    )  # fmt: skip

    def loss(x):
        return fogo.ctc_loss(
            x.log_softmax(-1), given, [5, 4], [width, max(width - 1, 0)],
            reduction="sum",
        )  # fmt: skip

    value, slope = fogo.value_and_grad(loss)(fogo.tensor(x, device=portable))
    assert value.item() == pytest.approx(wanted.item(), rel=1e-5)
    np.testing.assert_allclose(slope.numpy(), known.numpy(), atol=1e-5)


def test_a_transducer_trains_within_the_bindings(portable) -> None:
    """One label, two frames: two paths of three steps, of which each is told."""
    logits = np.random.default_rng(1).uniform(-1, 1, (1, 2, 2, 3)).astype(np.float32)
    there = torch.tensor(logits, dtype=torch.float64, requires_grad=True)
    p = there.log_softmax(-1)[0]
    first = p[0, 0, 1] + p[0, 1, 0] + p[1, 1, 0]
    second = p[0, 0, 0] + p[1, 0, 1] + p[1, 1, 0]
    wanted = -torch.logaddexp(first, second)
    (known,) = torch.autograd.grad(wanted, there)
    label = fogo.tensor(np.array([[1]], np.int32), device=portable)
    value, slope = fogo.value_and_grad(
        lambda x: fogo.rnnt_loss(x, label, [2], [1], blank=0)
    )(fogo.tensor(logits, device=portable))
    assert value.item() == pytest.approx(wanted.item(), rel=1e-5)
    np.testing.assert_allclose(slope.numpy(), known.numpy(), atol=1e-5)
