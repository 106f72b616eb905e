"""Computed parameters: weight and spectral norm, LoRA, rules of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import nn
from fogo.nn.utils.parametrizations import spectral_norm, weight_norm
from tests.nn.against_torch import near, uniform
from tests.nn.tools import on, small

PG = nn.ParamGroup


# Parameters that are computed.


def norms(lib: Any) -> Any:
    return lib.nn.utils.parametrizations


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_is_pytorchs(dim: int | None, device: fogo.Device) -> None:
    theirs = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(4, 3), dim=dim)
    ours = weight_norm(nn.Linear(4, 3), dim=dim)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.to(device.autodiff()).load_state_dict(theirs.state_dict())
    x = uniform(5, 4)
    y, z = ours(on(device.autodiff(), 5, 4)), theirs(torch.tensor(x))
    near(y, z, "output")
    grads = y.square().sum().backward()
    z.square().sum().backward()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        near(grads[p], q.grad, name, 4)
    plain = ours.weight.tolist()
    nn.remove_parametrizations(ours, "weight")
    assert list(ours.state_dict()) == ["bias", "weight"]
    assert ours.weight.tolist() == plain


@pytest.mark.parametrize("kind", ["Linear", "Conv1d"])
def test_spectral_norm_is_pytorchs(kind: str, device: fogo.Device) -> None:
    sizes = (4, 3) if kind == "Linear" else (4, 3, 2)
    theirs = torch.nn.utils.parametrizations.spectral_norm(
        getattr(torch.nn, kind)(*sizes)
    )
    ours = spectral_norm(getattr(nn, kind)(*sizes))
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.to(device.autodiff()).load_state_dict(theirs.state_dict())
    shape = (5, 4) if kind == "Linear" else (5, 4, 6)
    x = uniform(*shape)
    for step in range(3):  # each looks one step further
        y, z = ours(on(device.autodiff(), *shape)), theirs(torch.tensor(x))
        near(y, z, f"output {step}", 4)
    grads = y.square().sum().backward()
    z.square().sum().backward()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        near(grads[p], q.grad, name, 8)
    ours.eval()
    theirs.eval()
    state = ours.state_dict()["parametrizations.weight.0._u"].tolist()
    near(ours(on(device, *shape)), theirs(torch.tensor(x)), "eval", 4)
    assert ours.state_dict()["parametrizations.weight.0._u"].tolist() == state
    fogo.manual_seed(1)
    fresh = spectral_norm(nn.Linear(6, 5))
    for _ in range(300):
        weight = fresh.weight
    assert np.linalg.norm(weight.numpy(), 2) == pytest.approx(1.0, abs=1e-4)


def test_reparameterisation_by_group(device: fogo.Device) -> None:
    class Tripled(nn.Reparameterization):
        def forward(self, original: Any) -> Any:
            return original * 3.0

        def right_inverse(self, value: Any) -> Any:
            return value / 3.0

    net = small().to(device.autodiff())
    x = on(device.autodiff(), 5, 4)
    wanted = net(x).tolist()
    net.apply_reparameterization(lambda path, v: Tripled(), PG.paths("*.weight"))
    assert nn.is_parametrized(net[0], "weight")
    assert not nn.is_parametrized(net[0], "bias")
    np.testing.assert_allclose(net(x).tolist(), wanted, atol=1e-5)
    base = net[0].parametrizations.weight
    np.testing.assert_allclose(
        3 * base.base().numpy(), net[0].weight.numpy(), atol=1e-6
    )
    grads = net[0](x).sum().backward()
    near(grads[base.original], torch.tensor(3 * uniform(5, 4).sum(0)).expand(3, 4), "g")
    made = net.fork()
    np.testing.assert_allclose(made(x).tolist(), net(x).tolist(), atol=1e-6)
    assert made[0].parametrizations.weight.original is not base.original
    with pytest.raises(fogo.FogoError, match="not computed yet; given 'weight'"):
        nn.register_parametrization(net[0], "weight", Tripled())
    with pytest.raises(fogo.FogoError, match="keeps its shape"):
        nn.register_parametrization(net[0], "bias", lambda v: v[:1])
    assert net[0].bias.shape == (3,)
    with pytest.raises(fogo.FogoError, match="of a computed parameter"):
        nn.remove_parametrizations(net[0], "bias")
    nn.remove_parametrizations(net[0], "weight", leave_parametrized=False)
    assert not nn.is_parametrized(net[0])
    with pytest.raises(AttributeError, match="no attribute 'weigth'"):
        _ = net[0].weigth


# LoRA.


def test_lora(device: fogo.Device) -> None:
    """Starts as nothing, learns alone, merges and comes out again, saves by itself."""
    net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
    net.to(device.autodiff())
    x = on(device.autodiff(), 5, 4)
    wanted = net(x).tolist()
    lora = nn.LoRA(rank=2, alpha=8.0, group=PG.paths("*.weight"))
    assert net.apply_lora(lora) is net
    assert net(x).tolist() == wanted
    assert net.num_params(trainable=True) == 2 * (4 + 6) + 2 * (6 + 2)
    trained = [n for n, p in net.named_parameters() if p.wants_grad]
    assert all("lora_" in name for name in trained)
    held = net[0].parametrizations.weight
    rule = getattr(held, "0")
    rule.lora_B.assign(on(device, 6, 2).to(device.autodiff()))
    base = held.base().numpy().astype(np.float64)
    product = rule.lora_B.numpy().astype(np.float64) @ rule.lora_A.numpy()
    np.testing.assert_allclose(net[0].weight.numpy(), base + 4 * product, atol=2e-5)
    grads = net(x).square().sum().backward()
    assert grads[rule.lora_A].shape == (2, 4)
    adapted = np.array(net(x).tolist())
    assert np.abs(adapted - wanted).max() > 0.01
    saved = nn.lora_state_dict(net)
    assert list(saved) == [n for n in net.state_dict() if "lora_" in n]
    nn.merge_lora(net)
    nn.merge_lora(net)
    np.testing.assert_allclose(net(x).tolist(), adapted, atol=3e-6)
    nn.unmerge_lora(net)
    np.testing.assert_allclose(held.base().numpy(), base, atol=1e-6)
    other = net.fork()
    rule.lora_B.assign(rule.lora_B.detach() * 0.0)
    np.testing.assert_allclose(net(x).tolist(), wanted, atol=1e-5)
    nn.load_lora_state_dict(net, saved)
    np.testing.assert_allclose(net(x).tolist(), adapted, atol=1e-5)
    nn.remove_lora(net)
    assert "0.weight" in net.state_dict()
    assert len(net.state_dict()) == 4
    np.testing.assert_allclose(net(x).tolist(), adapted, atol=1e-5)
    nn.remove_lora(other, merge=False)
    np.testing.assert_allclose(other(x).tolist(), wanted, atol=1e-5)


def test_lora_wrong_uses() -> None:
    with pytest.raises(fogo.FogoError, match="the rank is at least 1; given 0"):
        nn.LoRA(rank=0)
    with pytest.raises(fogo.FogoError, match="the group has a weight of 2"):
        small().apply_lora(nn.LoRA(group=PG.paths("*.bias")))
    with pytest.raises(fogo.FogoError, match="without; call apply_lora first"):
        nn.lora_state_dict(small())
    net = small().apply_lora(nn.LoRA(2, dtype=fogo.float16))
    rule = getattr(net[0].parametrizations.weight, "0")
    assert rule.lora_A.dtype is fogo.float16
    assert net[0].weight.dtype is fogo.float32
    with pytest.raises(fogo.FogoError, match="missing .*lora_A.*unexpected .'x'"):
        nn.load_lora_state_dict(net, {"x": fogo.ones(1)})
