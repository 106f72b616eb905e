"""Averages of weights and the plateau schedule, beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.optim import swa_utils

import fogo
from fogo import nn, optim

from .test_against_torch import Pair


@pytest.mark.parametrize("kind", ["SWA", "EMA"])
def test_averages(kind: str, device: fogo.Device) -> None:
    pair = Pair(device)
    if kind == "SWA":
        ours: Any = optim.SWA(pair.ours)
        theirs = swa_utils.AveragedModel(pair.theirs)
    else:
        ours = optim.EMA(pair.ours, decay=0.6)
        average = swa_utils.get_ema_multi_avg_fn(0.6)
        theirs = swa_utils.AveragedModel(pair.theirs, multi_avg_fn=average)
        theirs.update_parameters(pair.theirs)  # theirs begins with the first update
    sgd = optim.SGD(pair.ours, lr=0.1)
    peer = torch.optim.SGD(pair.theirs.parameters(), lr=0.1)
    for _ in range(4):
        sgd.step(pair.our_grads())
        pair.their_grads()
        peer.step()
        ours.update()
        theirs.update_parameters(pair.theirs)
    want = {k: v.numpy() for k, v in theirs.module.state_dict().items()}
    found = ours.state_dict()
    assert sorted(found) == sorted(want)
    for name in want:
        np.testing.assert_allclose(np.array(found[name].tolist()), want[name], 2e-5)
    before = [p.tolist() for p in pair.ours.parameters()]
    x = fogo.tensor(pair.x.tolist(), device=pair.device)
    with ours.applied():
        y = pair.ours(x).tolist()
    peers = theirs(torch.tensor(pair.x, dtype=torch.float32)).detach().numpy()
    np.testing.assert_allclose(np.array(y), peers, 2e-5, 1e-6)
    assert [p.tolist() for p in pair.ours.parameters()] == before


def test_average_goes_on_from_its_state(device: fogo.Device) -> None:
    one, two = Pair(device), Pair(device, seed=1)
    a, b = optim.SWA(one.ours), optim.SWA(two.ours)
    a.update()
    a.update()
    b.load_state_dict(a.state_dict(), a.updates)
    b.update()
    first = two.ours[0].weight.tolist()
    old = one.ours[0].weight.tolist()
    want = (2 * np.array(old) + np.array(first)) / 3
    np.testing.assert_allclose(b.state_dict()["0.weight"].tolist(), want, 1e-5)
    with pytest.raises(fogo.FormatError, match="weight"):
        b.load_state_dict({})


def test_no_update_while_applied() -> None:
    mean = optim.EMA(nn.Linear(2, 1, device=fogo.device("cpu").autodiff()))
    with mean.applied(), pytest.raises(fogo.FogoError, match="applied"):
        mean.update()
    with pytest.raises(fogo.FogoError, match="Module"):
        optim.SWA([1])  # type: ignore[arg-type]
    with pytest.raises(fogo.FogoError, match="decay"):
        optim.EMA(nn.Linear(2, 1), decay=1.5)


def test_ema_warmup() -> None:
    model = nn.Linear(1, 1, bias=False, device=fogo.device("cpu").autodiff())
    ema = optim.EMA(model, decay=0.9, warmup=True)
    assert [round(1 - ema.share(n), 4) for n in (1, 10, 1000)] == [0.1818, 0.55, 0.9]


def test_update_bn(device: fogo.Device) -> None:
    rng = np.random.default_rng(0)
    batches = [rng.uniform(-1, 3, (5, 3)).astype("float32") for _ in range(3)]
    theirs = torch.nn.Sequential(torch.nn.BatchNorm1d(3))
    ours = nn.Sequential(nn.BatchNorm1d(3)).to(device.autodiff())
    ours.eval()
    swa_utils.update_bn([torch.tensor(b) for b in batches], theirs)
    where = device.autodiff()
    optim.update_bn([(fogo.tensor(b.tolist(), device=where), 0) for b in batches], ours)
    for name in ("running_mean", "running_var"):
        want = getattr(theirs[0], name).numpy()
        np.testing.assert_allclose(getattr(ours[0], name).tolist(), want, 1e-5)
    assert not ours.training and ours[0].momentum == 0.1


PLATEAUS: list[dict[str, Any]] = [
    dict(patience=1),
    dict(mode="max", patience=0, factor=0.5, threshold=0.2),
    dict(patience=2, cooldown=2, threshold=0.05, threshold_mode="abs"),
    dict(patience=0, min_lr=0.02),
    dict(patience=0, min_lr=[0.01, 0.3], mode="max", threshold_mode="abs"),
]


@pytest.mark.parametrize("options", PLATEAUS, ids=str)
def test_plateau(options: dict[str, Any], device: fogo.Device) -> None:
    dev = device.autodiff()
    ours = [nn.Parameter(fogo.ones(2, device=dev)) for _ in range(2)]
    theirs = [torch.nn.Parameter(torch.ones(2)) for _ in range(2)]
    rates = (1.0, 0.5)
    a = optim.SGD([{"params": [p], "lr": r} for p, r in zip(ours, rates, strict=True)])
    b = torch.optim.SGD(
        [{"params": [p], "lr": r} for p, r in zip(theirs, rates, strict=True)]
    )
    mine = optim.ReduceLROnPlateau(a, **options)
    peer = torch.optim.lr_scheduler.ReduceLROnPlateau(b, **options)
    seen = [1.0, 0.9, 0.9, 0.91, 0.6, 0.61, 0.6, 0.59, 0.59, 0.58, 0.7, 0.2, 0.2, 0.3]
    for n, value in enumerate(seen):
        mine.step(fogo.tensor(value) if n % 2 else value)
        peer.step(value)
        assert mine.get_last_lr() == pytest.approx(
            [g["lr"] for g in b.param_groups], rel=1e-6
        )
    again = optim.ReduceLROnPlateau(a, **options)
    again.load_state_dict(mine.state_dict())
    assert again.state_dict() == mine.state_dict()


def test_wrong_settings() -> None:
    opt = optim.SGD([nn.Parameter(fogo.ones(1, device=fogo.device("cpu").autodiff()))])
    for make, message in [
        (lambda: optim.ReduceLROnPlateau(opt, mode="least"), "mode"),
        (lambda: optim.ReduceLROnPlateau(opt, factor=1.0), "factor"),
        (lambda: optim.ReduceLROnPlateau(opt, min_lr=[0.1, 0.2]), "min_lr"),
        (lambda: optim.OneCycleLR(1.0, max_lr=1.0), "total_steps"),
        (lambda: optim.OneCycleLR(1.0, 1.0, 10, anneal_strategy="up"), "'cos'"),
        (lambda: optim.CyclicLR(1.0, 0.1, 1.0, mode="saw"), "triangular"),
        (lambda: optim.SWALR(1.0, 0.5, anneal_strategy="up"), "'cos'"),
        (lambda: optim.ComposedLR(1.0, []), "at least one"),
        (lambda: optim.CosineAnnealingWarmRestarts(1.0, 0), "T_0"),
    ]:
        with pytest.raises(fogo.FogoError, match=message):
            make()


def test_noam_is_the_papers_formula() -> None:
    schedule = optim.NoamLR(2.0, warmup_steps=10, model_size=64)
    for t in (0, 4, 9, 10, 50):
        n = t + 1
        want = 2.0 * 64**-0.5 * min(n**-0.5, n * 10**-1.5)
        assert schedule.lr_at(t) == pytest.approx(want, rel=1e-5)


def test_noam_and_composed_step(device: fogo.Device) -> None:
    """The first two rates: of Noam's formula, and 0.5 (1 + 1), 0.5 (0.5 + 0.2)."""
    parts = [optim.StepLR(1.0, 1, 0.5), optim.ExponentialLR(1.0, 0.2)]
    for schedule, total in (
        (optim.NoamLR(2.0, warmup_steps=10, model_size=64), 0.25 * 3 * 10**-1.5),
        (optim.ComposedLR(0.5, parts, "sum"), 1.0 + 0.35),
    ):
        p = nn.Parameter(fogo.zeros(1, device=device.autodiff()))
        opt = optim.SGD([p], lr=schedule)
        for _ in range(2):
            opt.step(p.sum().backward())
        assert -p.item() == pytest.approx(total, rel=1e-5)


@pytest.mark.parametrize(("kind", "want"), [("sum", 0.35), ("mean", 0.175)])
def test_composed(kind: str, want: float) -> None:
    parts = [optim.StepLR(1.0, 1, 0.5), optim.ExponentialLR(1.0, 0.2)]
    schedule = optim.ComposedLR(0.5, parts, kind)
    assert schedule.lr_at(1) == pytest.approx(want)


@pytest.mark.parametrize("kind", ["SWA", "EMA", "EMA with warmup"])
def test_averages_count_in_compiled_functions(kind: str, device: fogo.Device) -> None:
    """It had raised AttributeError: an average had no guard; counts stood still."""
    where = device.autodiff()
    model = nn.Linear(1, 1, bias=False, device=where)
    model.weight.assign(fogo.zeros((1, 1), device=device))
    mean: Any = (
        optim.SWA(model)
        if kind == "SWA"
        else optim.EMA(model, decay=0.75, warmup=kind != "EMA")
    )
    sgd = optim.SGD(model, lr=1.0)

    @fogo.compile
    def step() -> None:  # each step adds 1 to the weight
        sgd.step((-model.weight).sum().backward())
        mean.update()

    want = 0.0
    for n in range(1, 7):
        step()
        decay = min(0.75, (1 + n) / (10 + n)) if "warmup" in kind else 0.75
        share = 1 / n if kind == "SWA" else 1 - decay
        want += (n - want) * share
        np.testing.assert_allclose(mean.state_dict()["weight"].item(), want, 1e-5)
    assert mean.updates == 6
