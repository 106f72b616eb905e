"""Programs write new values of variables where the old ones lie, if that is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo import nn, optim
from fogo.webgpu import program
from fogo.webgpu.gpu import COPY


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many COPYs each program has, in the order they are made."""
    found: list[int] = []
    made = program.Program.__init__

    def init(self: Any, backend: Any, unused: Any, twins: Any, capture: Any) -> None:
        words = capture.words
        found.append(sum(words[at] == COPY for at, _ in program._commands(words)))
        made(self, backend, unused, twins, capture)

    monkeypatch.setattr(program.Program, "__init__", init)
    return found


def train(gpu: fogo.Device, make: Any, compiled: bool) -> list[Any]:
    """Losses, parameters and state of some steps; the losses are held to the end."""
    device = gpu.autodiff()
    gpu.seed(1)
    net = nn.Sequential(nn.Linear(4, 8, device=device), nn.Linear(8, 4, device=device))
    opt = make(net)

    def step(x):
        loss = (net(x) * 1.5).square().mean()
        opt.step(loss.backward())
        return loss

    run = fogo.compile(step) if compiled else step
    losses = [run(fogo.full((2, 4), 0.5 + i % 3, device=device)) for i in range(9)]
    state = {**net.state_dict(), **opt.state_dict()}
    return [t.numpy() for t in [*losses, *[state[name] for name in sorted(state)]]]


@pytest.mark.parametrize(
    "make",
    [
        lambda net: optim.AdamW(net, lr=0.01),
        lambda net: optim.SGD(net, lr=0.05, momentum=0.9),
        lambda net: optim.SGD(net, lr=0.05),
    ],
    ids=["adamw", "momentum", "sgd"],
)
def test_steps_are_the_same_to_the_bit_and_copy_nothing(gpu, copies, make) -> None:
    wanted = train(gpu, make, False)
    for a, b in zip(train(gpu, make, True), wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    joined = 4 if not hasattr(gpu.backend, "fuses") else 0
    assert copies[-1] <= joined


def played(gpu: fogo.Device, copies: list[int], f: Any, *variables: Any) -> list[Any]:
    """What variables hold after each of five calls, and the copies of the program."""
    g = fogo.compile(f)
    seen = []
    for i in range(5):
        g(fogo.tensor([1.0, 2.0 * i, 3.0], device=gpu))
        seen.append([v.tolist() for v in variables])
    assert g.plays >= 2
    return [seen, copies[-1]]


def test_a_sum_is_written_in_place(gpu, copies) -> None:
    total = fogo.tensor([0.0, 0.0, 0.0], device=gpu)
    seen, count = played(gpu, copies, lambda x: [total.assign(total + x)], total)
    assert seen[-1] == [[5.0, 20.0, 15.0]] and count == 0


def test_an_old_value_that_is_needed_later_stays(gpu, copies) -> None:
    """A swap, a value shifted along, one that others read after it has changed."""
    a = fogo.tensor([0.0, 0.0, 0.0], device=gpu)
    b = fogo.tensor([1.0, 1.0, 1.0], device=gpu)

    def f(x):
        old = a * 1.0
        shifted = fogo.concat([a[1:], x[:1]])
        a.assign(a + b)
        b.assign(old[::-1] + shifted)

    seen, _ = played(gpu, copies, f, a, b)
    p, q = np.zeros(3), np.ones(3)
    for got in seen:
        p, q = p + q, p[::-1] + np.append(p[1:], 1.0)
        assert got == [p.tolist(), q.tolist()]


def test_neighbours_are_not_overwritten_before_they_are_read(gpu, copies) -> None:
    n = 300
    ring = fogo.arange(n, device=gpu).astype("float32") + 0.0

    def f(x):
        ring.assign(ring[::-1] * 1.0 + x[0])

    g = fogo.compile(f)
    want = np.arange(n, dtype="float32")
    for _ in range(6):
        g(fogo.tensor([1.0], device=gpu))
        want = want[::-1] + 1.0
    assert ring.tolist() == want.tolist() and g.plays >= 3
    assert copies[-1] == 1


def test_old_values_that_are_held_are_kept(gpu, copies) -> None:
    total = fogo.tensor([0.0, 0.0, 0.0], device=gpu)
    g = fogo.compile(lambda x: [total.assign(total + x)])
    held = []
    for _ in range(6):
        g(fogo.tensor([1.0, 2.0, 3.0], device=gpu))
        held.append((total.detach(), total[1:]))
    for i, (whole, part) in enumerate(held, 1):
        assert whole.tolist() == [1.0 * i, 2.0 * i, 3.0 * i]
        assert part.tolist() == [2.0 * i, 3.0 * i]
    assert copies[-1] == 0


def test_a_new_value_that_is_returned_stays_as_it_is(gpu, copies) -> None:
    total = fogo.tensor([0.0, 0.0, 0.0], device=gpu)

    def f(x):
        new = total + x
        total.assign(new)
        return new, new[1:]

    g = fogo.compile(f)
    outs = [g(fogo.tensor([1.0, 2.0, 3.0], device=gpu)) for _ in range(6)]
    for i, (new, part) in enumerate(outs, 1):
        assert new.tolist() == [1.0 * i, 2.0 * i, 3.0 * i]
        assert part.tolist() == [2.0 * i, 3.0 * i]


def test_profiles_know_what_is_written_in_place(gpu, copies) -> None:
    """n sums: three arrays of 4 n bytes, of which two share a buffer."""
    n = 1000
    total = fogo.zeros(n, device=gpu) + 1.0
    g = fogo.compile(lambda x: [total.assign(total + x)])
    x = fogo.arange(n, device=gpu).astype("float32") + 0.0
    for _ in range(4):
        g(x)
    gpu.sync()
    with fogo.profile(gpu) as p:
        g(x)
    assert g.plays >= 2 and copies[-1] == 0
    (record,) = [r for r in p.records if r.name == "add"]
    assert (record.bytes, record.flops) == (3 * 4 * n, n)
    assert not [r.name for r in p.records if r.name.startswith("kernel")]


def test_kernels_are_printed_again_with_bindings_of_their_own(gpu) -> None:
    """Another size of workgroup prints the same kernel once more, after it shared."""
    for n in (3, 200_000):
        total = fogo.zeros(n, device=gpu) + 1.0

        def f(x, total=total):
            total.assign(total + x)

        g = fogo.compile(f)
        for _ in range(4):
            g(fogo.ones(n, device=gpu))
        assert total.tolist()[:2] == [5.0, 5.0] and total.tolist()[-1] == 5.0
