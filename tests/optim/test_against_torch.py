"""Ten steps of each optimiser beside PyTorch's, on a net with several shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import nn, optim
from fogo.optim import update

STEPS = 10
OPTIMISERS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", dict(lr=0.05)),
    ("SGD", dict(lr=0.05, momentum=0.9)),
    ("SGD", dict(lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.1)),
    ("SGD", dict(lr=0.05, momentum=0.8, nesterov=True, weight_decay=0.01)),
    ("SGD", dict(lr=0.05, weight_decay=0.2, maximize=True)),
    ("Adam", {}),
    ("Adam", dict(lr=0.02, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)),
    ("Adam", dict(lr=0.02, betas=(0.0, 0.99))),
    ("Adam", dict(lr=0.05, amsgrad=True, weight_decay=0.1)),
    ("Adam", dict(lr=0.02, maximize=True)),
    ("AdamW", {}),
    ("AdamW", dict(lr=0.02, weight_decay=0.3)),
    ("AdamW", dict(lr=0.05, amsgrad=True, weight_decay=0.3)),
    ("Adagrad", {}),
    ("Adagrad", dict(lr=0.05, lr_decay=0.1, weight_decay=0.1)),
    ("Adagrad", dict(lr=0.05, initial_accumulator_value=0.2, maximize=True)),
    ("Adadelta", {}),
    ("Adadelta", dict(lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1)),
    ("Adamax", {}),
    ("Adamax", dict(lr=0.02, betas=(0.8, 0.9), weight_decay=0.1, maximize=True)),
    ("RMSprop", {}),
    ("RMSprop", dict(lr=0.005, alpha=0.9, momentum=0.8, weight_decay=0.1)),
    ("RMSprop", dict(lr=0.005, centered=True, eps=1e-3)),
    ("RMSprop", dict(lr=0.005, centered=True, eps=1e-3, momentum=0.5)),
    ("Rprop", dict(lr=0.005)),
    ("Rprop", dict(lr=0.01, etas=(0.4, 1.3), step_sizes=(1e-4, 0.02))),
    ("NAdam", {}),
    ("NAdam", dict(lr=0.02, betas=(0.8, 0.95), momentum_decay=0.1, weight_decay=0.1)),
    ("NAdam", dict(lr=0.02, weight_decay=0.2, decoupled_weight_decay=True)),
    ("RAdam", {}),
    ("RAdam", dict(lr=0.02, betas=(0.8, 0.9), weight_decay=0.1)),
    ("RAdam", dict(lr=0.02, weight_decay=0.2, decoupled_weight_decay=True)),
    ("Adafactor", {}),
    ("Adafactor", dict(lr=0.05, beta2_decay=-0.5, d=1.5, weight_decay=0.2)),
    ("Adafactor", dict(lr=0.05, eps=(1e-4, 0.2), maximize=True)),
]


def label(row: tuple[str, dict[str, Any]]) -> str:
    return row[0] + "".join(f"-{k}={v}" for k, v in row[1].items())


class Pair:
    """A small net twice, with data: `ours` on the device, `theirs` in PyTorch."""

    def __init__(self, device: fogo.Device, seed: int = 0) -> None:
        self.device = device.autodiff()
        torch.manual_seed(seed)
        self.theirs = torch.nn.Sequential(
            torch.nn.Conv2d(1, 3, 3), torch.nn.Tanh(), torch.nn.Flatten(),
            torch.nn.Linear(12, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1, bias=False),
        )  # fmt: skip
        self.ours = nn.Sequential(
            nn.Conv2d(1, 3, 3), nn.Tanh(), nn.Flatten(), nn.Linear(12, 4), nn.Tanh(),
            nn.Linear(4, 1, bias=False),
        ).to(self.device)  # fmt: skip
        self.ours.load_state_dict(self.theirs.state_dict())
        self.x = np.random.default_rng(seed).uniform(-1, 1, (5, 1, 4, 4))

    def our_grads(self) -> Any:
        x = fogo.tensor(self.x.tolist(), device=self.device)
        return (self.ours(x) - 1.0).square().mean().backward()

    def their_grads(self) -> None:
        self.theirs.zero_grad()
        x = torch.tensor(self.x, dtype=torch.float32)
        (self.theirs(x) - 1.0).square().mean().backward()

    def assert_equal(self, rtol: float = 2e-5, atol: float = 2e-6) -> None:
        for (name, p), q in zip(
            self.ours.named_parameters(), self.theirs.parameters(), strict=True
        ):
            np.testing.assert_allclose(
                np.array(p.tolist()), q.detach().numpy(), rtol, atol, err_msg=name
            )


@pytest.mark.parametrize("row", OPTIMISERS, ids=map(label, OPTIMISERS))
def test_ten_steps(row: tuple[str, dict[str, Any]], device: fogo.Device) -> None:
    name, options = row
    pair = Pair(device)
    ours = getattr(optim, name)(pair.ours, **options)
    theirs = getattr(torch.optim, name)(pair.theirs.parameters(), **options)
    for _ in range(STEPS):
        ours.step(pair.our_grads())
        pair.their_grads()
        theirs.step()
        pair.assert_equal()


def test_groups(device: fogo.Device) -> None:
    """Settings of a group replace the defaults, for its parameters only."""
    pair = Pair(device)

    def groups(net: Any) -> list[dict[str, Any]]:
        p = list(net.parameters())
        return [
            {"params": p[:2], "lr": 0.01, "betas": (0.5, 0.9)},
            {"params": p[2:], "weight_decay": 0.5},
        ]

    ours = optim.AdamW(groups(pair.ours), lr=0.05)
    theirs = torch.optim.AdamW(groups(pair.theirs), lr=0.05)
    for _ in range(5):
        ours.step(pair.our_grads())
        pair.their_grads()
        theirs.step()
    pair.assert_equal()


@pytest.mark.parametrize("norm_type", [2.0, 1.0, 3.0, float("inf")])
@pytest.mark.parametrize("max_norm", [0.05, 1e3])
def test_clip_norm(norm_type: float, max_norm: float, device: fogo.Device) -> None:
    pair = Pair(device)
    grads = pair.our_grads()
    pair.their_grads()
    ours = optim.clip_grad_norm_(grads, max_norm, norm_type)
    theirs = torch.nn.utils.clip_grad_norm_(
        pair.theirs.parameters(), max_norm, norm_type
    )
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-5)
    assert_gradients(pair, grads)


def test_clip_value(device: fogo.Device) -> None:
    pair = Pair(device)
    grads = pair.our_grads()
    pair.their_grads()
    optim.clip_grad_value_(grads, 0.02)
    torch.nn.utils.clip_grad_value_(pair.theirs.parameters(), 0.02)
    assert_gradients(pair, grads)


def assert_gradients(pair: Pair, grads: Any) -> None:
    for p, q in zip(pair.ours.parameters(), pair.theirs.parameters(), strict=True):
        assert q.grad is not None
        np.testing.assert_allclose(
            np.array(grads[p].tolist()), q.grad.numpy(), 2e-5, 1e-7
        )


def test_frozen_parameters_stay(device: fogo.Device) -> None:
    pair = Pair(device)
    pair.ours[0].requires_grad_(False)
    for p in pair.theirs[0].parameters():
        p.requires_grad_(False)
    ours = optim.SGD(pair.ours, 0.1, momentum=0.9)
    theirs = torch.optim.SGD(pair.theirs.parameters(), 0.1, momentum=0.9)
    for _ in range(3):
        ours.step(pair.our_grads())
        pair.their_grads()
        theirs.step()
    pair.assert_equal()
    assert not any(name.startswith("0.") for name in ours.state)


def test_nothing_crosses_to_the_host_in_a_step(device: fogo.Device) -> None:
    """Steps, schedules and clipping neither upload nor read."""
    pair = Pair(device)
    opt = optim.AdamW(pair.ours, lr=0.01)
    sgd = optim.SGD(pair.ours, optim.CosineAnnealingLR(0.1, 5), momentum=0.9)
    schedule = optim.LinearLR(opt)
    for _ in range(3):
        grads = pair.our_grads()
        backend = device.backend
        before = (backend.uploads, backend.reads)
        optim.clip_grad_norm_(grads, 1.0)
        opt.step(grads)
        schedule.step()
        assert (backend.uploads, backend.reads) == before
        grads = pair.our_grads()
        before = (backend.uploads, backend.reads)
        sgd.step(grads)
        assert (backend.uploads, backend.reads) == before


def test_a_step_compiles_once(device: fogo.Device) -> None:
    """Step 2 and a new learning rate find every plan made by step 1."""
    pair = Pair(device)
    opt = optim.AdamW(pair.ours, lr=0.01)
    opt.step(pair.our_grads())
    planner = device.backend.planner
    grads = pair.our_grads()
    plans, kernels = len(planner.plans), len(planner.kernels)
    opt.param_groups[0]["lr"] = 0.123
    opt.step(grads)
    assert (len(planner.plans), len(planner.kernels)) == (plans, kernels)


@pytest.mark.parametrize("row", OPTIMISERS, ids=map(label, OPTIMISERS))
def test_float64_is_as_exact_as_pytorch(
    row: tuple[str, dict[str, Any]], device: fogo.Device
) -> None:
    if fogo.float64 not in device.backend.holds:
        with pytest.raises(fogo.DTypeError, match="does not hold float64"):
            fogo.tensor([1.0], dtype="float64", device=device.autodiff())
        return
    name, options = row
    start = [[1.0, -2.0], [0.5, 0.25]]
    p = nn.Parameter(fogo.tensor(start, dtype="float64", device=device.autodiff()))
    q = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
    ours = getattr(optim, name)([p], **options)
    theirs = getattr(torch.optim, name)([q], **options)
    for i in range(20):
        factor = 1.0 + i * 3 % 4
        ours.step(((p * p + p.sin()).sum() * factor).backward())
        theirs.zero_grad()
        ((q * q + q.sin()).sum() * factor).backward()
        theirs.step()
    # PyTorch keeps NAdam's product of momenta in float32.
    rtol = 1e-7 if name == "NAdam" else 1e-12
    np.testing.assert_allclose(p.tolist(), q.detach().numpy(), rtol)


def test_every_update_op_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimisers above take every op of update.py, in both dtypes."""
    dev = fogo.device("python")
    seen: set[str] = set()
    original = dev.backend.execute

    def execute(op: Any, *rest: Any) -> Any:
        seen.add(op.name)
        return original(op, *rest)

    monkeypatch.setattr(dev.backend, "execute", execute)
    for name, options in OPTIMISERS:
        for dtype in ("float32", "float64"):
            p = nn.Parameter(fogo.ones(2, dtype=dtype, device=dev.autodiff()))
            getattr(optim, name)([p], **options).step((p * p).sum().backward())
    assert set(update.NAMES) <= seen


def test_float16_parameters_keep_their_state_in_float32() -> None:
    """A step of 1e-3 on float16 follows float32 up to the rounding of the weight."""
    dev = fogo.device("numpy").autodiff()
    start = [0.5, -0.25, 0.125]
    half = nn.Parameter(fogo.tensor(start, dtype="float16", device=dev))
    full = nn.Parameter(fogo.tensor(start, device=dev))
    opts = [optim.Adam([p], lr=1e-3, weight_decay=0.01) for p in (half, full)]
    for _ in range(10):
        for p, opt in zip((half, full), opts, strict=True):
            opt.step((p * p).sum().backward())
    assert half.dtype is fogo.float16
    assert opts[0].state["0"]["exp_avg_sq"].dtype is fogo.float32
    np.testing.assert_allclose(half.tolist(), full.tolist(), atol=1e-3)
