"""How many kernels well-known groups of ops become, counted under browsers' limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fogo

DRAWN = np.random.default_rng(5)
X = DRAWN.uniform(-2, 2, (6, 37)).astype("float32")
Y = DRAWN.uniform(-2, 2, (6, 37)).astype("float32")
V = DRAWN.uniform(-2, 2, 37).astype("float32")
LARGE = DRAWN.uniform(-2, 2, 300_001).astype("float32")
TARGET = DRAWN.integers(0, 37, 6).astype("int32")


def erf(x: Any) -> Any:
    import torch

    return torch.erf(torch.tensor(x)).numpy()


def gelu(x: Any) -> Any:
    x = x.astype("float64")
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def norm(x: Any, eps: float = 1e-5) -> Any:
    x = x.astype("float64")
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)


def soft(x: Any) -> Any:
    e = np.exp(x.astype("float64"))
    return e / e.sum(-1, keepdims=True)


# Name: (most kernels, inputs, fogo, NumPy in float64).
CASES: dict[str, tuple[int, tuple[Any, ...], Callable[..., Any], Any]] = {
    "elementwise": (1, (X, Y), lambda x, y: (x * y + 1.5).tanh() - x,
                    lambda x, y: np.tanh(x * y + 1.5) - x),
    "broadcast": (1, (X, V), lambda x, v: (x * v.exp() + v[::-1]).relu(),
                  lambda x, v: np.maximum(x * np.exp(v) + v[::-1], 0)),
    "views": (1, (X, Y), lambda x, y: (x.exp().T[1:, ::-1] + y.T[:-1]) * 2.0,
              lambda x, y: (np.exp(x).T[1:, ::-1] + y.T[:-1]) * 2),
    "reshaped": (1, (X, Y), lambda x, y: (x.exp() + y).reshape((37, 6)).sigmoid(),
                 lambda x, y: 1 / (1 + np.exp(-(np.exp(x) + y).reshape(37, 6)))),
    "sum of gelu": (2, (X, Y, X), lambda a, b, c: (a * b + c).gelu().sum(),
                    lambda a, b, c: gelu(a * b + c).sum()),
    "large sum of gelu": (2, (LARGE,), lambda x: (x * x + x).gelu().sum(),
                          lambda x: gelu(x.astype("float64") * x + x).sum()),
    "softmax": (1, (X,), lambda x: x.softmax(-1), soft),
    "log_softmax": (1, (X,), lambda x: (x * 2.0).log_softmax(-1),
                    lambda x: np.log(soft(x * 2))),
    "layer norm": (1, (X, V), lambda x, v: fogo.layer_norm(x, 37, v, v),
                   lambda x, v: norm(x) * v + v),
    "layer norm + residual": (1, (X, Y, V),
                              lambda x, y, v: fogo.layer_norm(x + y, 37, v, v) + y,
                              lambda x, y, v: norm(x + y) * v + v + y),
    "rms norm": (1, (X, V), lambda x, v: fogo.rms_norm(x, 37, v),
                 lambda x, v: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * v),
    "cross-entropy": (1, (X, TARGET), lambda x, t: fogo.cross_entropy(x, t),
                      lambda x, t: -np.log(soft(x)[np.arange(6), t]).mean()),
    "matmul, bias, relu": (1, (X, Y, X[:, :6]),
                           lambda x, y, b: (x @ y.T + b[0]).relu(),
                           lambda x, y, b: np.maximum(x @ y.T + b[0], 0)),
    "gather": (1, (X, TARGET % 6), lambda x, t: (x.take(t, 0) + 1.0).exp(),
               lambda x, t: np.exp(x[t] + 1)),
    "range": (1, (X,), lambda x: x + fogo.arange(37, dtype="float32", device=x.device),
              lambda x: x + np.arange(37)),
}  # fmt: skip


def launches(device: fogo.Device) -> int:
    return int(device.base().backend.gpu.stats()["dispatches"])


@pytest.mark.parametrize("name", CASES)
def test_kernels_and_values(name: str, portable: fogo.Device) -> None:
    most, given, ours, theirs = CASES[name]
    inputs = [fogo.tensor(x, device=portable) for x in given]
    before = launches(portable)
    out = ours(*inputs)
    portable.sync()
    count = launches(portable) - before
    wanted = theirs(*given)
    scale = float(np.abs(wanted).max())
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-5, atol=4e-6 * scale)
    assert count <= most


def test_dead_results_are_not_computed(portable: fogo.Device) -> None:
    x = fogo.tensor(X, device=portable)
    portable.sync()
    before = launches(portable)
    (x @ x.T).exp()
    y = x.sum(0)
    del y
    portable.sync()
    assert launches(portable) == before


def test_what_is_held_is_computed_once(portable: fogo.Device) -> None:
    x = fogo.tensor(X, device=portable)
    y = x.exp()
    z = (y * 2.0).sum()
    z.item()
    before = launches(portable)
    np.testing.assert_allclose(y.numpy(), np.exp(X), rtol=1e-6)
    assert launches(portable) == before


def test_the_second_time_nothing_is_planned(portable: fogo.Device) -> None:
    backend = portable.backend

    def step(x: fogo.Tensor) -> float:
        return float((x * 1.5 + 0.5).softmax(-1).square().sum().item())

    one = step(fogo.tensor(X, device=portable))
    plans, kernels = len(backend.plans), backend.inner.kernels
    assert step(fogo.tensor(X, device=portable)) == one
    assert step(fogo.tensor(Y, device=portable)) != one
    assert (len(backend.plans), backend.inner.kernels) == (plans, kernels)


def test_other_numbers_compile_nothing(portable: fogo.Device) -> None:
    backend = portable.backend
    x = fogo.tensor(X, device=portable)
    results = []
    for number in (0.25, 0.75):
        results.append((x * number + number).numpy())
        kernels = backend.inner.kernels
    np.testing.assert_allclose(results[1], X * 0.75 + 0.75, rtol=1e-6)
    assert backend.inner.kernels == kernels


def test_other_sizes_compile_nothing(portable: fogo.Device) -> None:
    backend = portable.backend
    kernels = []
    for rows in (5, 6):
        x = fogo.tensor(X[:rows], device=portable)
        y = fogo.tensor(V, device=portable)
        part = X[:rows].T
        found = (x.T + x.T.exp()).numpy()
        np.testing.assert_allclose(found, part + np.exp(part), rtol=1e-5)
        assert ((x * y).tanh() + y).numpy().shape == (rows, 37)
        kernels.append(backend.inner.kernels)
    assert kernels[0] == kernels[1]


def test_more_operands_than_bindings(portable: fogo.Device) -> None:
    parts = [fogo.tensor(X + i, device=portable) for i in range(20)]
    before = launches(portable)
    total = parts[0] * 1.0
    for i, p in enumerate(parts[1:]):
        total = total * 0.5 + p * float(i)
    portable.sync()
    assert launches(portable) - before <= 5
    wanted = X.astype("float64")
    for i in range(19):
        wanted = wanted * 0.5 + (X + i + 1) * float(i)
    np.testing.assert_allclose(total.numpy(), wanted, rtol=1e-5)


def test_a_loop_without_reads_is_planned_once(portable: fogo.Device) -> None:
    """The stream is cut where the loop begins again, whatever its length."""
    backend = portable.backend
    w = fogo.tensor(X[:, :6] * 0.1, device=portable)
    x = fogo.tensor(Y, device=portable)
    wanted = X[:, :6].astype("float64") * 0.1
    plans = []
    for _ in range(700):
        step = (w @ x).tanh() @ x.T * 0.001
        step = step - step.sum(0) * 0.01
        w = w - step
        plans.append(len(backend.plans))
        moved = np.tanh(wanted @ Y.astype("float64")) @ Y.T.astype("float64") * 0.001
        wanted = wanted - (moved - moved.sum(0) * 0.01)
    assert plans[-1] - plans[0] <= 2
    np.testing.assert_allclose(w.numpy(), wanted, rtol=1e-3, atol=1e-4)


def test_a_training_loop_is_planned_once(portable: fogo.Device) -> None:
    where = portable.autodiff()
    fogo.manual_seed(1)
    model = fogo.nn.Sequential(
        *[fogo.nn.Linear(6, 6, device=where) for _ in range(6)]
    )  # fmt: skip
    optimizer = fogo.optim.AdamW(model.parameters(), lr=0.01)
    x = fogo.tensor(X[:, :6], device=where)
    losses, plans = [], []
    for _ in range(12):
        loss = (model(x).tanh() - x * 0.1).square().mean()
        optimizer.step(loss.backward())
        losses.append(loss)
        plans.append(len(portable.backend.plans))
    assert plans[-1] == plans[3]
    assert losses[-1].item() < losses[0].item()


def test_a_hundred_parameters_are_updated_by_two_kernels(portable: fogo.Device) -> None:
    """One gathers the gradients, which others hold, and one updates."""
    where = portable.autodiff()
    params = [
        fogo.nn.Parameter(fogo.ones(3 + i % 7, 2, device=where)) for i in range(100)
    ]
    optimizer = fogo.optim.AdamW(params, lr=0.1)
    counts = []
    for _ in range(3):
        total = (params[0] * params[0]).sum()
        for p in params[1:]:
            total = total + (p * p).sum()
        grads = total.backward()
        portable.sync()
        before = launches(portable)
        optimizer.step(grads)
        portable.sync()
        counts.append(launches(portable) - before)
    assert counts[1:] == [2, 2]  # the first step also makes the moments
    wanted = 1.0
    m = v = 0.0
    for i in range(1, 4):
        g = 2 * wanted
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        wanted -= 0.1 * 0.01 * wanted
        wanted -= 0.1 * (m / (1 - 0.9**i)) / ((v / (1 - 0.999**i)) ** 0.5 + 1e-8)
    np.testing.assert_allclose(params[37].numpy(), wanted, rtol=1e-5)


def test_the_last_reader_writes_over_its_operand(
    portable: fogo.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One buffer fewer than results: and what is still needed is left alone."""
    inner = portable.backend.inner
    allocate, counts = inner.allocate, []

    def counted(count: int, dtype: fogo.DType) -> Any:
        counts.append(count)
        return allocate(count, dtype)

    x = fogo.tensor(LARGE[:70_001], device=portable)
    portable.sync()
    monkeypatch.setattr(inner, "allocate", counted)
    y = x.cumsum(0)
    portable.backend.flush()
    alone = counts.count(70_001)
    y = x.cumsum(0)
    z = y * 2.0 + 1.0
    del y
    found = z.numpy()
    assert counts.count(70_001) == 2 * alone
    sums = LARGE[:70_001].astype("float64").cumsum()
    np.testing.assert_allclose(found, sums * 2 + 1, rtol=1e-3, atol=1e-2)
    y = x.cumsum(0)
    z = y * 2.0 + 1.0
    again = y.flip(0) + z
    wanted = sums[::-1] + sums * 2 + 1
    np.testing.assert_allclose(again.numpy(), wanted, rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(y.numpy(), sums, rtol=1e-3, atol=1e-2)
