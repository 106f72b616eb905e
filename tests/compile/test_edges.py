"""What users do to compiled functions beside calling them with new tensors."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any

import pytest

import fogo
from fogo import nn, optim


def ten(gpu: fogo.Device, *values: float) -> Any:
    return fogo.tensor([float(v) for v in values], device=gpu)


def pool_of(gpu: fogo.Device) -> Any:
    return gpu.backend.pool


def test_an_argument_given_twice_is_one_tensor(gpu) -> None:
    def f(x, y):
        x.assign(x + 1.0)
        return y * 2.0

    g = fogo.compile(f)
    for i in range(4):
        a, b = ten(gpu, i), ten(gpu, i)
        assert g(a, a).tolist() == [2.0 * i + 2.0] and a.tolist() == [i + 1.0]
        assert g(a, b).tolist() == [2.0 * i] and a.tolist() == [i + 2.0]
    assert (g.captures, g.plays) == (2, 6)


def test_an_argument_that_the_function_also_knows_otherwise(gpu) -> None:
    s = ten(gpu, 0)

    def f(x, y):
        s.assign(s + y)
        return x * 1.0

    g = fogo.compile(f)
    for i in range(5):
        assert g(s, ten(gpu, 1)).tolist() == [i + 1.0]
    for i in range(5):
        assert g(ten(gpu, 5), ten(gpu, 1)).tolist() == [5.0]
        assert s.tolist() == [i + 6.0]
    assert g.plays >= 5


def test_an_argument_written_and_read_under_another_name(gpu) -> None:
    s = ten(gpu, 0, 0)

    def f(x):
        x[0] = x[0] + 1.0
        return s.sum()

    g = fogo.compile(f)
    for i in range(5):
        assert g(s).item() == i + 1.0


def test_an_argument_keeps_what_was_assigned_before_an_error(gpu) -> None:
    def f(x):
        x.assign(x + 1.0)
        raise ValueError("as meant")

    x = ten(gpu, 1)
    with pytest.raises(ValueError, match="as meant"):
        fogo.compile(f)(x)
    assert x.tolist() == [2.0]


def test_zeros_that_change(gpu) -> None:
    """With Fusion they are numbers without memory until they are assigned to."""
    seen, total, given = (fogo.zeros(2, device=gpu) for _ in range(3))

    def f(x):
        total.assign(total + x + seen)
        return total, given, given[1:]

    g = fogo.compile(f)
    for i in range(5):
        assert g(ten(gpu, 1, 2))[0].tolist() == [i + 1.0, 2.0 * i + 2.0]
    seen.assign(ten(gpu, 10, 10))
    given[1] = 3.0
    out = g(ten(gpu, 1, 2))
    assert [t.tolist() for t in out] == [[16.0, 22.0], [0.0, 3.0], [3.0]]
    seen[0] = 0.0
    assert g(ten(gpu, 1, 2))[0].tolist() == [17.0, 34.0]
    assert g.plays >= 2


def test_zeros_made_inside_are_no_variables(gpu) -> None:
    def f(x):
        made = fogo.zeros(2, device=gpu)
        made[0] = x[0]
        return made

    g = fogo.compile(f)
    assert [g(ten(gpu, i)).tolist() for i in range(4)] == [[i, 0.0] for i in range(4)]
    assert (g.captures, g.plays) == (1, 3)


def test_a_constant_that_is_returned_may_change(gpu) -> None:
    c = ten(gpu, 1, 2)
    g = fogo.compile(lambda x: (x + 1.0, c, c[1:]))
    for _ in range(3):
        g(ten(gpu, 1))
    c.assign(ten(gpu, 5, 6))
    out = g(ten(gpu, 1))
    assert [t.tolist() for t in out[1:]] == [[5.0, 6.0], [6.0]]


class Scale(nn.Module):
    def __init__(self, by: float) -> None:
        nn.Module.__init__(self)
        self.by = by


def test_modules_that_are_given(gpu) -> None:
    """One after another, perhaps where the last one lay; settings that change."""
    g = fogo.compile(lambda m, x: x * m.by)
    for i in range(6):
        m = Scale(float(i))
        assert g(m, ten(gpu, 1)).tolist() == [float(i)]
        m.by = 0.5
        assert g(m, ten(gpu, 1)).tolist() == [0.5]
        assert g(m, ten(gpu, 2)).tolist() == [1.0]
        del m


@pytest.mark.filterwarnings("ignore:compile.*:RuntimeWarning")
def test_iterators_are_left_to_python(gpu) -> None:
    numbers = iter(range(1, 9))
    g = fogo.compile(lambda n: ten(gpu, 1) * float(next(n)))
    assert [g(numbers).item() for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]
    assert [g(n=numbers).item() for _ in range(2)] == [5.0, 6.0]
    h = fogo.compile(lambda x: {"a": [(x * k for k in [1.0, 2.0])]})
    for i in range(4):
        assert [t.item() for t in h(ten(gpu, i))["a"][0]] == [i, 2.0 * i]


def test_generators_and_coroutines_are_left_to_python(gpu) -> None:
    @fogo.compile
    def count(x):
        x.assign(x + 1.0)
        yield x * 1.0

    @fogo.compile
    async def later(x):
        return x + 1.0

    a = ten(gpu, 0)
    with pytest.warns(RuntimeWarning, match="count runs as ever, because it is a gen"):
        assert [t.tolist() for t in count(a)] == [[1.0]]
    assert [t.tolist() for t in count(a)] == [[2.0]] and a.tolist() == [2.0]
    with pytest.warns(RuntimeWarning, match="later runs as ever"):
        assert asyncio.run(later(a)).tolist() == [3.0]
    assert asyncio.run(later(ten(gpu, 5))).tolist() == [6.0]


def trained(device: fogo.Device) -> Any:
    net = nn.Sequential(nn.Linear(3, 5, device=device), nn.Linear(5, 1, device=device))
    opt = optim.AdamW(net, lr=0.01)

    @fogo.compile
    def step(x):
        loss = (net(x) * 1.5).square().mean()
        opt.step(loss.backward())
        return loss

    return step


def test_forgotten_functions_give_their_memory_back(gpu) -> None:
    device = gpu.autodiff()
    x = fogo.ones(2, 3, device=device)
    counts = []
    for _ in range(5):
        step = trained(device)
        for _ in range(5):
            step(x)
        assert step.plays >= 2
        del step
        gc.collect()
        gpu.sync()
        counts.append((pool_of(gpu).count, pool_of(gpu).used()))
    assert counts[4] == counts[3] == counts[2]


def test_three_hundred_plays_make_no_objects(gpu) -> None:
    device = gpu.autodiff()
    step, x = trained(device), fogo.ones(2, 3, device=device)
    for _ in range(8):
        step(x)
    gc.collect()
    objects, buffers = len(gc.get_objects()), pool_of(gpu).count
    for _ in range(300):
        step(x)
    gc.collect()
    assert len(gc.get_objects()) <= objects + 20
    assert pool_of(gpu).count <= buffers + 1


def test_dropping_while_another_is_captured(gpu) -> None:
    """Its buffers must not be among those that the other one may use."""
    old = fogo.compile(lambda x: (x * 2.0).exp() + 1.0)
    old(ten(gpu, 0)), old(ten(gpu, 0))

    def f(x):
        thread = threading.Thread(target=old.drop)
        thread.start()
        thread.join()
        return (x + 1.0).sqrt() * 2.0

    g = fogo.compile(f)
    assert [g(ten(gpu, 3)).tolist() for _ in range(3)] == [[4.0]] * 3
    assert old(ten(gpu, 0)).tolist() == [2.0]
