"""Values stay values: views, assignments, reads in the middle, errors in the middle."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest

import fogo

X = np.arange(12, dtype="float32").reshape(3, 4)


def test_a_view_keeps_the_old_values(fused: fogo.Device) -> None:
    x = fogo.tensor(X, device=fused) * 2.0
    row, turned = x[1], x.T
    x[1] = -1.0
    x[:, 0] = row[:3]
    wanted = X * 2
    np.testing.assert_array_equal(row.numpy(), wanted[1])
    np.testing.assert_array_equal(turned.numpy(), wanted.T)
    wanted[1] = -1
    wanted[:, 0] = (X * 2)[1, :3]
    np.testing.assert_array_equal(x.numpy(), wanted)


def test_a_view_of_a_view_of_a_result(fused: fogo.Device) -> None:
    y = (fogo.tensor(X, device=fused) + 1.0)[::2, ::-1].T[1:]
    np.testing.assert_array_equal((y * y).numpy(), ((X + 1)[::2, ::-1].T[1:]) ** 2)
    np.testing.assert_array_equal(y.numpy(), (X + 1)[::2, ::-1].T[1:])


def test_a_result_and_its_mirror(fused: fogo.Device) -> None:
    """What reads an element beside its own cannot be in the same kernel."""
    x = fogo.tensor(X, device=fused)
    y = x.exp() / (x.exp() + 1.0)
    z = y.flip(1) - y
    wanted = np.exp(X.astype("float64"))
    wanted /= wanted + 1
    np.testing.assert_allclose(z.numpy(), wanted[:, ::-1] - wanted, atol=1e-6)
    np.testing.assert_allclose(y.numpy(), wanted, rtol=1e-6)


def test_the_first_of_several_readers_sees_what_the_last_does(
    fused: fogo.Device,
) -> None:
    x = fogo.tensor(X, device=fused)
    y = (x * 0.1).exp()
    total = y.sum(1)
    scaled = y / total.reshape((3, 1))
    again = scaled.sum(0) + y[0]
    e = np.exp(X.astype("float64") * 0.1)
    s = e / e.sum(1, keepdims=True)
    np.testing.assert_allclose(again.numpy(), s.sum(0) + e[0], rtol=1e-5)
    np.testing.assert_allclose(scaled.numpy(), s, rtol=1e-5)
    np.testing.assert_allclose(total.numpy(), e.sum(1), rtol=1e-5)


def test_reads_in_the_middle(fused: fogo.Device) -> None:
    x = fogo.tensor(X, device=fused)
    seen = []
    for _ in range(3):
        x = x * 0.5 + 1.0
        seen.append(x.sum().item())
    wanted, numbers = X.astype("float64"), []
    for _ in range(3):
        wanted = wanted * 0.5 + 1
        numbers.append(wanted.sum())
    np.testing.assert_allclose(seen, numbers, rtol=1e-6)


def test_nothing_and_single_numbers(fused: fogo.Device) -> None:
    empty = fogo.zeros((0, 3), device=fused) + 1.0
    assert empty.numpy().shape == (0, 3)
    assert empty.sum(0).tolist() == [0.0, 0.0, 0.0]
    one = fogo.tensor(2.0, device=fused)
    assert ((one * 3.0).exp().log() - one).item() == pytest.approx(4.0)
    assert fogo.full((2, 2), 7.0, device=fused).T[0].tolist() == [7.0, 7.0]


def test_constants_become_memory_where_they_must(fused: fogo.Device) -> None:
    zeros = fogo.zeros((3, 4), device=fused)
    zeros[1:, ::2] = 5.0
    wanted = np.zeros((3, 4))
    wanted[1:, ::2] = 5
    np.testing.assert_array_equal(zeros.numpy(), wanted)
    ones = fogo.ones((4, 3), device=fused)
    np.testing.assert_array_equal(
        (fogo.tensor(X, device=fused) @ ones).numpy(), X @ np.ones((4, 3))
    )
    assert fogo.ones((2, 3), device=fused).sum().item() == 6.0


def test_bools_and_small_integers_beside_floats(fused: fogo.Device) -> None:
    x = fogo.tensor(X, device=fused)
    high = x > 4.5
    small = (x * 20.0).astype("int8")
    out = fogo.where(high & (x < 10.0), x, -x)
    wanted = np.where((X > 4.5) & (X < 10), X, -X)
    np.testing.assert_array_equal(out.numpy(), wanted)
    np.testing.assert_array_equal(high.numpy(), X > 4.5)
    np.testing.assert_array_equal(small.numpy(), (X * 20).astype("int64").astype("i1"))


def test_halves_are_rounded_where_they_are_asked_for(fused: fogo.Device) -> None:
    x = fogo.tensor(X / 3, device=fused)
    back = x.astype("float16").astype("float32") * 3.0
    wanted = (X / 3).astype("float16").astype("float32") * 3
    np.testing.assert_array_equal(back.numpy(), wanted)


def test_a_deep_chain(fused: fogo.Device) -> None:
    x = fogo.tensor(X, device=fused)
    for _ in range(1500):
        x = x * 0.999 + 0.001
    wanted = X.astype("float64")
    for _ in range(1500):
        wanted = wanted * 0.999 + 0.001
    np.testing.assert_allclose(x.numpy(), wanted, rtol=1e-4)


def test_an_error_in_the_middle_names_itself_once(
    portable: fogo.Device, monkeypatch: Any
) -> None:
    inner = portable.backend.inner
    x = fogo.tensor(X, device=portable)
    launch = inner.launch

    def failing(plan: Any, *rest: Any) -> None:
        if "cumsum" in plan.kernel.name:
            raise fogo.DeviceError("cumsum: no more memory; given much; free some")
        launch(plan, *rest)

    monkeypatch.setattr(inner, "launch", failing)
    fine = x.sum(1)
    bad = x.cumsum(1)
    worse = bad * 2.0
    also = x.exp()
    with pytest.raises(fogo.DeviceError, match="cumsum: no more memory"):
        worse.numpy()
    monkeypatch.setattr(inner, "launch", launch)
    np.testing.assert_allclose(fine.numpy(), X.sum(1))
    np.testing.assert_allclose(also.numpy(), np.exp(X), rtol=1e-5)
    for lost in (worse, bad):
        with pytest.raises(fogo.DeviceError, match="cumsum: no more memory"):
            (lost + 1.0).numpy()
    np.testing.assert_allclose((x * 2.0).numpy(), X * 2)


def test_ctrl_c_loses_nothing(fused_python: fogo.Device, monkeypatch: Any) -> None:
    inner = fused_python.backend.inner
    launch = inner.launch
    count = []

    def interrupted(*args: Any) -> None:
        count.append(1)
        if len(count) == 2:
            signal.raise_signal(signal.SIGINT)
        launch(*args)

    x = fogo.tensor(X, device=fused_python)
    y = (x.cumsum(1).flip(0).cumsum(0) + 1.0).cumsum(1)
    monkeypatch.setattr(inner, "launch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        y.numpy()
    wanted = (X.cumsum(1)[::-1].cumsum(0) + 1).cumsum(1)
    np.testing.assert_allclose(y.numpy(), wanted)
    np.testing.assert_allclose((y + x).numpy(), wanted + X)


def test_parts_are_written_where_they_are_joined(
    portable: fogo.Device, monkeypatch: Any
) -> None:
    copies = []
    copy = portable.backend.inner.copy

    def counted(*args: Any) -> None:
        copies.append(args)
        copy(*args)

    monkeypatch.setattr(portable.backend.inner, "copy", counted)
    given = [np.arange(n, dtype="float32").reshape(-1, 4) for n in range(4, 48, 4)]
    parts = [fogo.tensor(g, device=portable) for g in given]
    made = [p * 0.5 + 1.0 for p in parts]
    made[3] = parts[3]  # this one lies elsewhere
    held = made[5]
    sums = made[6].sum(0)  # this reads a part
    joined = fogo.concat([m.reshape((-1,)) for m in made]) * 2.0
    wanted = [g * 0.5 + 1 for g in given]
    wanted[3] = given[3]
    flat = np.concatenate([w.reshape(-1) for w in wanted]) * 2
    np.testing.assert_array_equal(joined.numpy(), flat)
    assert len(copies) == 1
    np.testing.assert_array_equal(held.numpy(), wanted[5])
    np.testing.assert_array_equal((held.T + 1.0).numpy(), wanted[5].T + 1)
    np.testing.assert_array_equal(sums.numpy(), wanted[6].sum(0))


def test_training_is_the_same_without_fusion(portable: fogo.Device) -> None:
    """Gradients are written into the optimiser's arena: the weights show it."""
    weights = []
    for device in (portable, portable.unfused()):
        where = device.autodiff()
        fogo.manual_seed(3)
        device.seed(3)
        model = fogo.nn.Sequential(
            fogo.nn.Linear(4, 8, device=where), fogo.nn.LayerNorm(8, device=where),
            fogo.nn.ReLU(), fogo.nn.Dropout(0.2), fogo.nn.Linear(8, 4, device=where),
            fogo.nn.Linear(4, 4, device=where), fogo.nn.Linear(4, 4, device=where),
        )  # fmt: skip
        optimizer = fogo.optim.AdamW(model.parameters(), lr=0.01)
        x = fogo.tensor(X, device=where)
        for _ in range(5):
            loss = fogo.cross_entropy(model(x), fogo.tensor([0, 2, 1], device=where))
            optimizer.step(loss.backward())
        weights.append([p.numpy() for p in model.parameters()])
    for a, b in zip(*weights, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=2e-4)


def test_a_part_that_is_joined_twice(fused: fogo.Device) -> None:
    x = fogo.tensor(X, device=fused) + 1.0
    both = fogo.concat([x, x, x.flip(0), x]).numpy()
    np.testing.assert_array_equal(
        both, np.concatenate([X + 1, X + 1, X[::-1] + 1, X + 1])
    )
