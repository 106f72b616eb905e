"""Schedules beside PyTorch's, stepped; and as pure functions of the step."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch.optim import lr_scheduler

import fogo
from fogo import nn, optim

SCHEDULES: list[tuple[str, dict[str, Any]]] = [
    ("ConstantLR", dict(factor=0.25, total_iters=4)),
    ("LinearLR", dict(start_factor=0.1, end_factor=0.8, total_iters=6)),
    ("CosineAnnealingLR", dict(T_max=8, eta_min=0.01)),
    ("StepLR", dict(step_size=3, gamma=0.5)),
    ("MultiStepLR", dict(milestones=[2, 5, 9], gamma=0.3)),
    ("ExponentialLR", dict(gamma=0.9)),
    ("PolynomialLR", dict(total_iters=7, power=2.0)),
    ("CosineAnnealingWarmRestarts", dict(T_0=4, eta_min=0.01)),
    ("CosineAnnealingWarmRestarts", dict(T_0=2, T_mult=2)),
    ("CosineAnnealingWarmRestarts", dict(T_0=1, T_mult=3, eta_min=0.02)),
    ("OneCycleLR", dict(max_lr=0.4, total_steps=30)),
    ("OneCycleLR", dict(max_lr=0.4, total_steps=30, anneal_strategy="linear")),
    ("OneCycleLR", dict(max_lr=0.4, epochs=5, steps_per_epoch=6, pct_start=0.4,
                        three_phase=True, div_factor=10.0, final_div_factor=50.0)),
    ("CyclicLR", dict(base_lr=0.01, max_lr=0.2, step_size_up=4)),
    ("CyclicLR", dict(base_lr=0.01, max_lr=0.2, step_size_up=3, step_size_down=2,
                      mode="triangular2")),
    ("CyclicLR", dict(base_lr=0.01, max_lr=0.2, step_size_up=4, mode="exp_range",
                      gamma=0.9)),
    ("SWALR", dict(swa_lr=0.01, anneal_epochs=6)),
    ("SWALR", dict(swa_lr=0.5, anneal_epochs=4, anneal_strategy="linear")),
]  # fmt: skip
THEIRS = {
    "OneCycleLR": dict(cycle_momentum=False),
    "CyclicLR": dict(cycle_momentum=False),
}


def peer(name: str, optimizer: Any, options: dict[str, Any]) -> Any:
    """Return PyTorch's schedule of that name."""
    made = getattr(lr_scheduler, name, None) or getattr(torch.optim.swa_utils, name)
    return made(optimizer, **options, **THEIRS.get(name, {}))


BASES = (0.3, 0.05)


def optimisers(device: fogo.Device) -> tuple[Any, Any]:
    """Return SGD of two groups with different rates, ours and PyTorch's."""
    dev = device.autodiff()
    ours = [nn.Parameter(fogo.ones(2, device=dev)) for _ in BASES]
    theirs = [torch.nn.Parameter(torch.ones(2)) for _ in BASES]
    rows = [
        [{"params": [p], "lr": lr} for p, lr in zip(params, BASES, strict=True)]
        for params in (ours, theirs)
    ]
    return optim.SGD(rows[0]), torch.optim.SGD(rows[1])


def follow(ours: Any, theirs: Any, a: Any, b: Any, steps: int = 20) -> None:
    """Step both schedules; the learning rates must agree before and after each."""
    for t in range(steps):
        wanted = b.get_last_lr()
        assert a.get_last_lr() == pytest.approx(wanted, rel=2e-5, abs=1e-8), t
        assert ours.learning_rates() == pytest.approx(wanted, rel=2e-5, abs=1e-8)
        theirs.step()
        a.step()
        b.step()


@pytest.mark.parametrize(("name", "options"), SCHEDULES)
def test_stepped(name: str, options: dict[str, Any], device: fogo.Device) -> None:
    ours, theirs = optimisers(device)
    a = getattr(optim, name)(ours, **options)
    b = peer(name, theirs, options)
    follow(ours, theirs, a, b)


@pytest.mark.parametrize(("name", "options"), SCHEDULES)
def test_as_functions(name: str, options: dict[str, Any], device: fogo.Device) -> None:
    """Given as `lr`, a schedule follows the optimiser's steps; `lr_at` is the same."""
    _, theirs = optimisers(fogo.device("python"))
    b = peer(name, theirs, options)
    schedule = getattr(optim, name)(BASES[0], **options)
    p = nn.Parameter(fogo.ones(1, device=device.autodiff()))
    opt = optim.SGD([p], lr=schedule)
    for t in range(12):
        wanted = pytest.approx(b.get_last_lr()[0], rel=2e-5, abs=1e-8)
        assert schedule.lr_at(t) == wanted
        assert opt.learning_rates()[0] == wanted
        before = p.item()
        opt.step(p.sum().backward())
        assert before - p.item() == pytest.approx(b.get_last_lr()[0], abs=1e-6)
        theirs.step()
        b.step()


def test_a_warm_up_and_then_a_cosine(device: fogo.Device) -> None:
    ours, theirs = optimisers(device)

    def build(lib: Any, opt: Any) -> Any:
        parts = [
            lib.LinearLR(opt, start_factor=0.1, total_iters=4),
            lib.CosineAnnealingLR(opt, T_max=10),
            lib.ExponentialLR(opt, gamma=0.5),
        ]
        return lib.SequentialLR(opt, parts, milestones=[4, 12])

    follow(ours, theirs, build(optim, ours), build(lr_scheduler, theirs))


def test_a_schedule_of_ones_own(device: fogo.Device) -> None:
    ours, theirs = optimisers(device)
    a = optim.LambdaLR(ours, lambda t: fogo.where(t < 3.0, t / 3.0, 1.0 / (t + 1.0)))
    b = lr_scheduler.LambdaLR(theirs, lambda t: t / 3 if t < 3 else 1 / (t + 1))
    follow(ours, theirs, a, b)


def test_a_long_run_stays_exact() -> None:
    """The count is an integer: no rounding after millions of steps."""
    schedule = optim.CosineAnnealingLR(1.0, T_max=10_000_000)
    for t in (1, 2_500_000, 5_000_000, 9_999_999):
        exact = 0.5 + 0.5 * math.cos(math.pi * t / 10_000_000)
        assert schedule.lr_at(t) == pytest.approx(exact, abs=1e-6)
    steps = optim.StepLR(1.0, step_size=10, gamma=0.5)
    assert [steps.lr_at(t) for t in (9, 10, 29, 30)] == [1.0, 0.5, 0.25, 0.125]
