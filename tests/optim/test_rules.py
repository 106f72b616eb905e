"""Optimisers that PyTorch lacks, beside their papers' formulas in NumPy; and L-BFGS."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import nn, optim

from .test_against_torch import STEPS, Pair

Array = Any


def lion(w: Array, g: Array, s: dict[str, Any], t: int, o: dict[str, Any]) -> Array:
    b1, b2 = o["betas"]
    m = s.get("m", np.zeros_like(w))
    c = b1 * m + (1 - b1) * g
    s["m"] = b2 * m + (1 - b2) * g
    return w - o["lr"] * (np.sign(c) + o["weight_decay"] * w)


def lamb(w: Array, g: Array, s: dict[str, Any], t: int, o: dict[str, Any]) -> Array:
    b1, b2 = o["betas"]
    m = s["m"] = b1 * s.get("m", 0.0) + (1 - b1) * g
    v = s["v"] = b2 * s.get("v", 0.0) + (1 - b2) * g**2
    r = (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + o["eps"])
    r = r + o["weight_decay"] * w
    wn, rn = np.linalg.norm(w), np.linalg.norm(r)
    trust = wn / rn if wn > 0 and rn > 0 else 1.0
    return w - o["lr"] * trust * r


def lars(w: Array, g: Array, s: dict[str, Any], t: int, o: dict[str, Any]) -> Array:
    wn, gn = np.linalg.norm(w), np.linalg.norm(g)
    local = o["trust_coefficient"] * wn / (gn + o["weight_decay"] * wn + o["eps"])
    local = local if wn > 0 and gn > 0 else 1.0
    v = o["momentum"] * s.get("v", 0.0) + o["lr"] * local * (g + o["weight_decay"] * w)
    s["v"] = v
    return w - v


def adan(w: Array, g: Array, s: dict[str, Any], t: int, o: dict[str, Any]) -> Array:
    b1, b2, b3 = o["betas"]
    d = g - s["g"] if "g" in s else np.zeros_like(g)
    s["g"] = g
    m = s["m"] = b1 * s.get("m", 0.0) + (1 - b1) * g
    v = s["v"] = b2 * s.get("v", 0.0) + (1 - b2) * d
    n = s["n"] = b3 * s.get("n", 0.0) + (1 - b3) * (g + b2 * d) ** 2
    root = np.sqrt(n / (1 - b3**t)) + o["eps"]
    step = o["lr"] * (m / (1 - b1**t) + b2 * v / (1 - b2**t)) / root
    decay = o["lr"] * o["weight_decay"]
    return w * (1 - decay) - step if o["no_prox"] else (w - step) / (1 + decay)


RULES: list[tuple[str, Any, dict[str, Any]]] = [
    ("Lion", lion, dict(lr=0.01, betas=(0.9, 0.99), weight_decay=0.0)),
    ("Lion", lion, dict(lr=0.02, betas=(0.5, 0.8), weight_decay=0.3)),
    ("LAMB", lamb, dict(lr=0.01, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0)),
    ("LAMB", lamb, dict(lr=0.05, betas=(0.7, 0.9), eps=1e-4, weight_decay=0.2)),
    ("LARS", lars, dict(lr=1.0, momentum=0.9, weight_decay=0.0,
                        trust_coefficient=0.01, eps=1e-8)),
    ("LARS", lars, dict(lr=0.5, momentum=0.5, weight_decay=0.2,
                        trust_coefficient=0.05, eps=1e-3)),
    ("Adan", adan, dict(lr=0.01, betas=(0.98, 0.92, 0.99), eps=1e-8,
                        weight_decay=0.0, no_prox=False)),
    ("Adan", adan, dict(lr=0.05, betas=(0.8, 0.7, 0.9), eps=1e-4, weight_decay=0.3,
                        no_prox=False)),
    ("Adan", adan, dict(lr=0.05, betas=(0.8, 0.7, 0.9), eps=1e-4, weight_decay=0.3,
                        no_prox=True)),
]  # fmt: skip


@pytest.mark.parametrize("row", RULES, ids=lambda r: f"{r[0]}-{r[2]}")
def test_ten_steps(row: tuple[str, Any, dict[str, Any]], device: fogo.Device) -> None:
    name, rule, options = row
    pair = Pair(device)
    ours = getattr(optim, name)(pair.ours, **options)
    states: list[dict[str, Any]] = [{} for _ in pair.theirs.parameters()]
    for t in range(1, STEPS + 1):
        ours.step(pair.our_grads())
        pair.their_grads()
        with torch.no_grad():
            for p, state in zip(pair.theirs.parameters(), states, strict=True):
                w, g = p.double().numpy(), p.grad.double().numpy()
                p.copy_(torch.tensor(rule(w, g, state, t, options)))
        pair.assert_equal(2e-4, 1e-5)


def muon(w: Array, g: Array, s: dict[str, Any], o: dict[str, Any]) -> Array:
    m = s["m"] = 0.95 * s.get("m", np.zeros_like(w)) + 0.05 * g
    x = 0.05 * g + 0.95 * m
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = x / max(np.linalg.norm(x), 1e-7)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.775 * a + 2.0315 * a @ a) @ x
    x = x.T if tall else x
    rows, columns = w.shape
    scale = np.sqrt(max(1, rows / columns))
    if o.get("adjust_lr_fn") == "match_rms_adamw":
        scale = 0.2 * np.sqrt(max(rows, columns))
    return w * (1 - o["lr"] * o["weight_decay"]) - o["lr"] * scale * x


@pytest.mark.parametrize("adjust", [None, "match_rms_adamw"])
@pytest.mark.parametrize("shape", [(6, 3), (3, 5)])
def test_muon(shape: tuple[int, int], adjust: Any, device: fogo.Device) -> None:
    """Beside the paper's formula, and near PyTorch's, which rounds to bfloat16."""
    rng = np.random.default_rng(3)
    start = rng.uniform(-1, 1, shape)
    p = nn.Parameter(fogo.tensor(start.tolist(), device=device.autodiff()))
    q = torch.nn.Parameter(torch.tensor(start, dtype=torch.float32))
    options: dict[str, Any] = dict(lr=0.05, weight_decay=0.1, adjust_lr_fn=adjust)
    ours = optim.Muon([p], **options)
    theirs = torch.optim.Muon([q], **options)
    want, state = start, {}
    for _ in range(5):
        slope = rng.uniform(-1, 1, shape)
        ours.step((p * fogo.tensor(slope.tolist(), device=p.device)).sum().backward())
        q.grad = torch.tensor(slope, dtype=torch.float32)
        theirs.step()
        want = muon(want, slope, state, options)
    np.testing.assert_allclose(np.array(p.tolist()), want, 2e-4, 2e-5)
    np.testing.assert_allclose(np.array(p.tolist()), q.detach().numpy(), 0.1, 0.05)


def test_muon_takes_matrices() -> None:
    with pytest.raises(fogo.FogoError, match="AdamW"):
        optim.Muon([nn.Parameter(fogo.ones(3, device=fogo.device("cpu").autodiff()))])


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("lr", [1.0, 0.5])
def test_lbfgs(search: str | None, lr: float, device: fogo.Device) -> None:
    """Losses of several steps on Rosenbrock's valley of six numbers."""
    start = [-0.6, 0.4, 0.8, -0.3, 0.5, 0.9]
    p = nn.Parameter(fogo.tensor(start, device=device.autodiff()))
    q = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
    options: dict[str, Any] = dict(lr=lr, max_iter=6, line_search_fn=search)
    if search is None:
        options["lr"] = lr * 0.02
    ours, theirs = optim.LBFGS([p], **options), torch.optim.LBFGS([q], **options)

    def valley(x: Any) -> Any:
        return ((x[1:] - x[:-1] ** 2) ** 2 * 10.0 + (1.0 - x[:-1]) ** 2).sum()

    def closure() -> Any:
        theirs.zero_grad()
        loss = valley(q)
        loss.backward()
        return loss

    for _ in range(4):
        a, b = ours.step(lambda: valley(p)), theirs.step(closure)
        assert a.item() == pytest.approx(b.item(), rel=2e-2, abs=1e-3)
    for _ in range(6 if search else 0):
        ours.step(lambda: valley(p))
        theirs.step(closure)
    assert valley(p.detach()).item() <= valley(q).item() * 1.02 + 1e-3


def test_lbfgs_goes_on_from_its_state(device: fogo.Device) -> None:
    def made() -> tuple[Any, Any]:
        p = nn.Parameter(fogo.tensor([-0.5, 1.5, 0.3], device=device.autodiff()))
        return p, optim.LBFGS([p], max_iter=3, line_search_fn="strong_wolfe")

    def loss(p: Any) -> Any:
        return ((p * p - 1.0) ** 2).sum() + (p[1:] * p[:-1]).sum()

    p, one = made()
    q, two = made()
    one.step(lambda: loss(p))
    q.assign(p.detach())
    two.load_state_dict(one.state_dict())
    one.step(lambda: loss(p))
    two.step(lambda: loss(q))
    np.testing.assert_allclose(np.array(p.tolist()), np.array(q.tolist()), 1e-4, 1e-5)


def test_float16_parameters_move_in_float32() -> None:
    dev = fogo.device("numpy").autodiff()
    for make in (optim.Lion, optim.Adagrad, optim.Adafactor, optim.LAMB, optim.RMSprop):
        p = nn.Parameter(fogo.ones(4, dtype="float16", device=dev))
        opt = make([p], lr=1e-2)
        opt.step((p.astype("float32") ** 2).sum().backward())
        assert p.dtype.name == "float16" and p.tolist()[0] < 1.0
        assert all(s.dtype.name == "float32" for s in opt.state["0"].values())


@pytest.mark.parametrize("name", ["Adagrad", "RMSprop", "NAdam", "Adafactor", "Muon"])
def test_state_goes_on(name: str, device: fogo.Device) -> None:
    """A new optimiser with the old one's state takes the same next step."""
    values = [[0.5, -0.3, 0.8], [0.1, 0.4, -0.7]]

    def made() -> tuple[Any, Any]:
        p = nn.Parameter(fogo.tensor(values, device=device.autodiff()))
        return p, getattr(optim, name)([p], lr=0.05)

    p, one = made()
    q, two = made()
    for _ in range(3):
        one.step((p**3).sum().backward())
    q.assign(p.detach())
    two.load_state_dict(one.state_dict())
    one.step((p**3).sum().backward())
    two.step((q**3).sum().backward())
    assert p.tolist() == q.tolist()


def test_wrong_settings() -> None:
    dev = fogo.device("cpu").autodiff()
    p = [nn.Parameter(fogo.ones((2, 2), device=dev))]
    for make, message in [
        (lambda: optim.Lion(p, betas=(1.0, 0.9)), "betas"),
        (lambda: optim.Adan(p, betas=(0.9, 0.9)), "three"),
        (lambda: optim.Adagrad(p, lr_decay=-1.0), "lr_decay"),
        (lambda: optim.NAdam(p, momentum_decay=-1.0), "momentum_decay"),
        (lambda: optim.RMSprop(p, alpha=-1.0), "alpha"),
        (lambda: optim.Adafactor(p, d=0.5), "d at least 1"),
        (lambda: optim.Muon(p, adjust_lr_fn="half"), "adjust_lr_fn"),
        (lambda: optim.LBFGS(p, line_search_fn="armijo"), "strong_wolfe"),
        (lambda: optim.LBFGS(p).step(3), "function"),
        (lambda: optim.LBFGS([{"params": p}, {"params": [
            nn.Parameter(fogo.ones(1, device=dev))]}]), "one group"),
    ]:  # fmt: skip
        with pytest.raises(fogo.FogoError, match=message):
            make()


def test_a_step_takes_gradients() -> None:
    p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
    loss = (p * p).sum()
    for opt in (optim.SGD([p]), optim.Lion([p]), optim.Optimizers(optim.SGD([p]))):
        for given in (None, loss, [p]):
            with pytest.raises(fogo.AutodiffError, match=r"step\(loss.backward\(\)\)"):
                opt.step(given)  # type: ignore[arg-type]


def cautious(w: Array, g: Array, s: dict[str, Any], t: int, o: dict[str, Any]) -> Array:
    b1, b2 = 0.9, 0.999
    m = s["m"] = b1 * s.get("m", 0.0) + (1 - b1) * g
    v = s["v"] = b2 * s.get("v", 0.0) + (1 - b2) * g**2
    w = np.where(w * m > 0, w * (1 - o["lr"] * o["weight_decay"]), w)
    step = o["lr"] * (m / (1 - b1**t))
    return w - step / (np.sqrt(v / (1 - b2**t)) + 1e-8)


def test_cautious_weight_decay(device: fogo.Device) -> None:
    pair = Pair(device)
    options = dict(lr=0.02, weight_decay=0.5)
    ours = optim.AdamW(pair.ours, **options, cautious_weight_decay=True)
    states: list[dict[str, Any]] = [{} for _ in pair.theirs.parameters()]
    for t in range(1, STEPS + 1):
        ours.step(pair.our_grads())
        pair.their_grads()
        with torch.no_grad():
            for p, state in zip(pair.theirs.parameters(), states, strict=True):
                w, g = p.double().numpy(), p.grad.double().numpy()
                p.copy_(torch.tensor(cautious(w, g, state, t, options)))
    pair.assert_equal(1e-4, 1e-5)


def test_several_optimisers_as_one(device: fogo.Device) -> None:
    pair = Pair(device)
    named = pair.ours.named_parameters()
    matrices = [(n, p) for n, p in named if p.ndim > 1]
    rest = [(n, p) for n, p in named if p.ndim < 2]
    both = optim.Optimizers(
        optim.SGD(matrices, lr=0.1, momentum=0.9), optim.AdamW(rest, lr=0.01)
    )
    theirs = [p for p in pair.theirs.parameters() if p.ndim > 1]
    others = [p for p in pair.theirs.parameters() if p.ndim < 2]
    peers = [
        torch.optim.SGD(theirs, lr=0.1, momentum=0.9),
        torch.optim.AdamW(others, lr=0.01),
    ]
    for _ in range(4):
        both.step(pair.our_grads())
        pair.their_grads()
        for peer in peers:
            peer.step()
    pair.assert_equal()
    assert both.learning_rates() == pytest.approx([0.1, 0.01])
    both.load_state_dict(both.state_dict())
    with pytest.raises(fogo.FogoError, match="twice"):
        optim.Optimizers(optim.SGD(matrices), optim.SGD(matrices))
    p = nn.Parameter(fogo.ones(1, device=device.autodiff()))
    with pytest.raises(fogo.AutodiffError, match="none of the"):
        both.step((p * p).sum().backward())
