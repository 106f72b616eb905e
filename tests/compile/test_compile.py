"""What a compiled function takes, gives, keeps and refuses."""

from __future__ import annotations

import copy
import gc
import signal
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import fogo
from fogo import nn


def ten(gpu: fogo.Device, *values: float) -> Any:
    return fogo.tensor(list(values), device=gpu)


def test_it_gives_what_the_function_gives(gpu) -> None:
    @fogo.compile
    def f(x, y):
        """Some sums."""
        return x * y + 1.0, (x @ y).exp()

    for i in range(5):
        a, b = [0.1 * i, -1.0, 2.0], [3.0, 0.5, -0.25 * i]
        out = f(ten(gpu, *a), ten(gpu, *b))
        np.testing.assert_allclose(out[0].numpy(), np.multiply(a, b) + 1.0, 1e-6)
        np.testing.assert_allclose(out[1].item(), np.exp(np.dot(a, b)), 1e-6)
    assert (f.captures, f.plays) == (1, 4)
    assert f.__name__ == "f" and f.__doc__ == "Some sums."
    assert repr(f) == "<compiled f: 1 captures, 4 plays>"


def test_trees_go_in_and_out(gpu) -> None:
    @fogo.compile
    def f(batch, scale=1.0, *, shift=None):
        a, (b, name) = batch["a"], batch["rest"]
        total = a * scale if shift is None else a * scale + shift
        return {"sum": total + b, "name": name, "both": [a, b.sum()]}

    for i in range(4):
        x, y = ten(gpu, 1.0 * i, 2.0), ten(gpu, 3.0, 4.0)
        out = f({"a": x, "rest": (y, "label")}, 2.0, shift=y)
        assert out["sum"].tolist() == [2.0 * i + 6.0, 12.0]
        assert out["name"] == "label" and out["both"][0] is x
        assert out["both"][1].item() == 7.0
    assert f.captures == 1
    assert f({"a": x, "rest": (y, "label")})["sum"].tolist() == [6.0, 6.0]
    assert f({"a": x, "rest": (y, "other")})["name"] == "other"
    assert f.captures == 3


def test_shapes_dtypes_numbers_and_modes_are_captured_apart(gpu) -> None:
    calls = []

    @fogo.compile
    def f(x, n):
        calls.append((x.shape, x.dtype, n))
        return x * n

    for x in (ten(gpu, 1.0), ten(gpu, 1.0, 2.0), ten(gpu, 1.0).astype("int32")):
        for n in (2, 3):
            for _ in range(3):
                assert f(x, n).tolist() == [v * n for v in x.tolist()]
    assert len(calls) == f.captures == 6
    assert f(ten(gpu, 2.0), 2.0).dtype is fogo.float32
    with fogo.no_grad():
        f(ten(gpu, 1.0), 2)
    assert f.captures == 8


def test_kinds_of_calls_are_bounded(gpu) -> None:
    from fogo.compiling import KEPT

    f = fogo.compile(lambda x, n: x + n)
    pool = gpu.backend.pool
    for n in range(2 * KEPT + 5):
        assert f(ten(gpu, 1.0), float(n)).tolist() == [1.0 + n]
        if n == KEPT + 2:
            count = pool.count
    assert len(f._entries) == KEPT
    assert pool.count <= count + KEPT + 8  # each number is a constant without Fusion
    before = f.captures
    f(ten(gpu, 1.0), 0.0)
    assert f.captures == before + 1


def test_views_go_in_and_out(gpu) -> None:
    @fogo.compile
    def f(x):
        return x.transpose(), x[1:, ::2], (x * 2.0).transpose()[::-1]

    for i in range(4):
        x = fogo.arange(12, device=gpu).reshape((3, 4)).astype("float32") + i
        want = x.numpy()
        for given in (x, x.transpose().contiguous().transpose()):
            a, b, c = f(given)
            np.testing.assert_array_equal(a.numpy(), want.T)
            np.testing.assert_array_equal(b.numpy(), want[1:, ::2])
            np.testing.assert_array_equal(c.numpy(), (want * 2).T[::-1])


def test_results_are_kept_while_somebody_holds_them(gpu) -> None:
    f = fogo.compile(lambda x: (x + 1.0, x[1:] * 2.0, x.reshape((2, 2))))
    held = []
    for i in range(6):
        held.append(f(ten(gpu, i, i + 1, i + 2, i + 3)))
        if i == 3:
            view = held[-1][0][1:]
    for i, (a, b, c) in enumerate(held):
        assert a.tolist() == [i + 1, i + 2, i + 3, i + 4]
        assert b.tolist() == [2 * i + 2, 2 * i + 4, 2 * i + 6]
        assert c.tolist() == [[i, i + 1], [i + 2, i + 3]]
    assert view.tolist() == [5, 6, 7]


def test_results_may_be_fed_back(gpu) -> None:
    f = fogo.compile(lambda x: x * 2.0 + 1.0)
    x, want = ten(gpu, 1.0), 1.0
    for _ in range(6):
        x, want = f(x), want * 2.0 + 1.0
        assert x.tolist() == [want]


def test_no_memory_is_made_while_it_plays(gpu) -> None:
    w = fogo.zeros(100, device=gpu)

    def add(x):
        w.assign(w + x)
        return w.sum()

    f, x, pool = fogo.compile(add), fogo.ones(100, device=gpu), gpu.backend.pool
    for _ in range(4):
        last = f(x)
    made = pool.made
    for _ in range(50):
        last = f(x)
    assert pool.made == made and last.item() == 5400.0


def test_variables_are_seen_where_they_are(gpu) -> None:
    w = ten(gpu, 1.0, 2.0)
    f = fogo.compile(lambda x: x * w)
    one = fogo.ones(2, device=gpu)
    assert f(one).tolist() == [1.0, 2.0] and f(one).tolist() == [1.0, 2.0]
    for i in range(4):
        w.assign(ten(gpu, i, 5.0))
        assert f(one).tolist() == [i, 5.0]
        w[1] = -1.0
        assert f(one).tolist() == [i, -1.0]
    assert f.captures == 2


def test_variables_that_are_copies_of_each_other(gpu) -> None:
    """Two tensors of one memory, then apart: an average of a weight."""
    w = ten(gpu, 4.0)
    mean = w.detach()

    def step(x):
        w.assign(w + x)
        mean.assign(mean * 0.5 + w * 0.5)

    f, one, a, b = fogo.compile(step), ten(gpu, 1.0), 4.0, 4.0
    for _ in range(6):
        f(one)
        a += 1.0
        b = b * 0.5 + a * 0.5
        assert (w.item(), mean.item()) == (a, b)
    assert f.plays >= 4


def test_variables_exchanged(gpu) -> None:
    a, b = ten(gpu, 1.0), ten(gpu, 2.0)

    def swap(x):
        old = a.detach()
        a.assign(b)
        b.assign(old + x)

    f = fogo.compile(swap)
    want = (1.0, 2.0)
    for _ in range(7):
        f(ten(gpu, 10.0))
        want = (want[1], want[0] + 10.0)
        assert (a.item(), b.item()) == want


def test_an_argument_that_is_assigned_to(gpu) -> None:
    def f(x, y):
        x[0] = 9.0
        y.assign(x * 2.0)
        return x.sum()

    g = fogo.compile(f)
    for i in range(4):
        x, y = ten(gpu, 1.0, i), ten(gpu, 0.0, 0.0)
        assert g(x, y).item() == 9.0 + i
        assert x.tolist() == [9.0, i] and y.tolist() == [18.0, 2.0 * i]


def test_a_value_assigned_inside_and_dropped(gpu) -> None:
    def f(x):
        y = fogo.zeros(3, device=gpu)
        y[1] = x
        y[2] = x * 2.0
        return y + 1.0

    g = fogo.compile(f)
    for i in range(5):
        assert g(ten(gpu, i).reshape(())).tolist() == [1.0, 1.0 + i, 1.0 + 2 * i]
    assert g.captures == 1


def test_random_numbers_go_on(gpu) -> None:
    def draw(x):
        return fogo.rand(4, device=gpu) + x

    f = fogo.compile(draw)
    zero = ten(gpu, 0.0)
    gpu.seed(3)
    want = [draw(zero).tolist() for _ in range(8)]
    gpu.seed(3)
    got = [f(zero).tolist() for _ in range(6)] + [draw(zero).tolist()]
    assert [*got, f(zero).tolist()] == want
    gpu.seed(3)
    assert f(zero).tolist() == want[0]
    assert f.plays >= 5


def test_gradients_with_respect_to_an_argument(gpu) -> None:
    device = gpu.autodiff()

    @fogo.compile
    def slope(x):
        return (x * x * x).sum().backward()[x]

    for i in range(4):
        x = fogo.tensor([1.0 * i, 2.0], device=device).requires_grad_()
        np.testing.assert_allclose(slope(x).numpy(), [3.0 * i * i, 12.0], 1e-6)
    assert slope.captures == 1


def test_second_derivatives(gpu) -> None:
    device = gpu.autodiff().autodiff()

    @fogo.compile
    def curve(x):
        first = x.detach().requires_grad_() * 1.0
        x = x.detach().requires_grad_()
        first = (x**4.0).sum().backward()[x]
        return first.sum().backward()[x.inner()]

    for i in range(4):
        x = fogo.tensor([1.0 * i, 2.0], device=device)
        np.testing.assert_allclose(curve(x).numpy(), [12.0 * i * i, 48.0], 1e-5)


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda x: x.sum().item(), "reads data from the device"),
        (lambda x: bool((x > 0).all()), "reads data from the device"),
        (lambda x: str(x), "reads data from the device"),
        (lambda x: x.device.sync(), "waits for the device"),
        (lambda x: x.to("python") + 1, "moves a tensor from one device to another"),
    ],
)
def test_what_reads_is_left_to_python_and_says_so_once(gpu, read, said) -> None:
    def f(x):
        read(x)
        return x * 2.0

    g = fogo.compile(f)
    with pytest.warns(
        RuntimeWarning, match=f"compile: f runs as ever, because it {said}"
    ):
        assert g(ten(gpu, 1.0)).tolist() == [2.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(3):
            assert g(ten(gpu, 1.0 * i)).tolist() == [2.0 * i]
            assert g(ten(gpu, 1.0, i)).tolist() == [2.0, 2.0 * i]
    assert g.plays == 0


def test_the_warning_names_the_line(gpu) -> None:
    def f(x):
        return x * x.max().item()

    with pytest.warns(RuntimeWarning, match=r"test_compile\.py, line \d+\)"):
        fogo.compile(f)(ten(gpu, 1.0))


def test_a_result_with_history_is_left_to_python(gpu) -> None:
    device = gpu.autodiff()
    layer = nn.Linear(2, 1, device=device)
    f = fogo.compile(layer)
    x = fogo.ones(3, 2, device=device)
    with pytest.warns(
        RuntimeWarning, match="returns a tensor with history; go backward"
    ):
        y = f(x)
    assert layer.weight in y.sum().backward()
    f = fogo.compile(layer)
    with fogo.no_grad():
        for _ in range(3):
            np.testing.assert_allclose(f(x).numpy(), layer(x).numpy(), 1e-6)
    assert f.plays == 2


def test_an_argument_with_history_is_left_to_python(gpu) -> None:
    device = gpu.autodiff()
    w = fogo.ones(2, device=device).requires_grad_()
    seen = []

    def f(x):
        seen.append((x * x).sum().backward()[w].tolist())

    g = fogo.compile(f)
    with pytest.warns(
        RuntimeWarning, match="an argument has history; give it detached"
    ):
        g(w * 3.0)
    g(w * 3.0)
    assert seen == [[18.0, 18.0]] * 2 and g.captures == 0


def test_gradients_as_a_whole_are_left_to_python(gpu) -> None:
    p = nn.Parameter(fogo.ones(2, device=gpu.autodiff()))
    f = fogo.compile(lambda x: [(p * x).sum().backward()])
    x = ten(gpu, 3.0, 4.0)
    with pytest.warns(RuntimeWarning, match=r"returns Gradients; return .* grads\[p\]"):
        assert f(x)[0][p].tolist() == [3.0, 4.0]
    p.assign(p + 1.0)
    assert f(x)[0][p].tolist() == [3.0, 4.0]


def test_an_argument_that_cannot_be_compared(gpu) -> None:
    f = fogo.compile(lambda x, extra: x + 1.0)
    with pytest.warns(RuntimeWarning, match="neither a tensor nor hashable"):
        f(ten(gpu, 1.0), np.zeros(2))
    assert f.captures == 0


def test_what_is_another_thing_in_every_call_is_left_to_python(gpu) -> None:
    kept = []

    def f(x):
        y = x * 1.0
        y[0] = 5.0
        kept.append(y)
        return x + 1.0

    g = fogo.compile(f)
    with pytest.warns(RuntimeWarning, match="is another in every call"):
        for i in range(10):
            assert g(ten(gpu, i)).tolist() == [i + 1.0]
    assert len(kept) == 10


def test_errors_inside_pass_and_leave_all_usable(gpu) -> None:
    w = ten(gpu, 1.0)

    def f(x, fail):
        w.assign(w + x)
        if fail:
            raise ValueError("no")
        return w * 2.0

    g = fogo.compile(f)
    with pytest.raises(ValueError, match="no"):
        g(ten(gpu, 1.0), True)
    for i in range(4):
        assert g(ten(gpu, 1.0), False).tolist() == [2.0 * (3 + i)]
        with pytest.raises(fogo.ShapeError):
            g(ten(gpu, 1.0, 2.0), False).tolist()
            w.assign(ten(gpu, 1.0))
        w.assign(ten(gpu, 3.0 + i))


def test_an_interrupt_leaves_all_usable(gpu, monkeypatch) -> None:
    w = ten(gpu, 1.0)

    def f(x):
        w.assign(w + x)
        return w * 2.0

    g, player = fogo.compile(f), gpu.backend.gpu
    for _ in range(3):
        g(ten(gpu, 1.0))
    play = player.play

    def interrupted(*batch: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return play(*batch)

    monkeypatch.setattr(player, "play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        g(ten(gpu, 1.0))
    monkeypatch.setattr(player, "play", play)
    assert w.tolist() == [5.0] and g(ten(gpu, 1.0)).tolist() == [12.0]


def test_a_compiled_function_inside_another(gpu) -> None:
    w = ten(gpu, 1.0)
    inner = fogo.compile(lambda x: x * w)

    def outer(x):
        w.assign(inner(x) + 1.0)
        return inner(x)

    f, want = fogo.compile(outer), 1.0
    for _ in range(5):
        want = want * 2.0 + 1.0
        assert f(ten(gpu, 2.0)).tolist() == [2.0 * want]
        assert inner(ten(gpu, 1.0)).tolist() == [want]


def test_threads(gpu) -> None:
    """Each with a function of its own, all with one, beside one that captures."""
    shared = fogo.compile(lambda x: (x * 2.0).sum())
    wrong: list[Any] = []

    def work(number: int) -> None:
        mine = fogo.compile(lambda x: x * float(number) + fogo.ones(50, device=gpu))
        for i in range(8):
            x = fogo.full((50,), float(i), device=gpu)
            total, own = shared(x), mine(x)
            plain = (x * 3.0).sum().item()
            got = (total.item(), own.sum().item(), plain)
            if got != (100.0 * i, 50.0 * (i * number + 1), 150.0 * i):
                wrong.append((number, i, got))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_methods_are_compiled_for_each_instance(gpu) -> None:
    class Scaled:
        def __init__(self, by: float) -> None:
            self.by = by

        @fogo.compile
        def go(self, x: Any) -> Any:
            return x * self.by

    a, b = Scaled(2.0), Scaled(3.0)
    for i in range(3):
        assert a.go(ten(gpu, i)).tolist() == [2.0 * i]
        assert b.go(ten(gpu, i)).tolist() == [3.0 * i]
    assert (a.go.captures, a.go.plays) == (1, 2)
    c = copy.deepcopy(b)
    c.by = 5.0
    assert c.go(ten(gpu, 1)).tolist() == [5.0] and c.go is not b.go
    assert b.go(ten(gpu, 1)).tolist() == [3.0] and b.go.plays == 3


def test_dropping_gives_memory_back(gpu) -> None:
    f = fogo.compile(lambda x: (x + 1.0).cumsum(0) * 2.0)
    x = fogo.ones(100_000, device=gpu)
    result = f(x)
    kept = f(x)
    result = f(x)
    pool = gpu.backend.pool
    gc.collect()
    count = pool.count
    f.drop()
    want = np.arange(1, 100_001) * 4.0
    np.testing.assert_array_equal(kept.numpy(), want)
    np.testing.assert_array_equal(result.numpy(), want)
    again = [x * float(i) for i in range(3)]
    assert pool.count <= count and again[2].numpy()[7] == 2.0
    np.testing.assert_array_equal(kept.numpy(), want)
    np.testing.assert_array_equal(f(x).numpy(), want)


def test_empty_and_odd_tensors(gpu) -> None:
    f = fogo.compile(lambda x, b, h: (x * 2.0, b, ~b, h + h, x.sum()))
    for i in range(4):
        x = fogo.zeros((0, 3), device=gpu)
        b = fogo.tensor([True, False, i == 2], device=gpu)
        h = ten(gpu, 0.5, i, 1.0).astype("float16")
        out = f(x, b, h)
        assert out[0].shape == (0, 3) and out[4].item() == 0.0
        assert out[2].tolist() == [False, True, i != 2]
        assert out[3].tolist() == [1.0, 2.0 * i, 2.0]


def test_it_takes_functions_only() -> None:
    with pytest.raises(fogo.FogoError, match="compile: it takes a function; given 3"):
        fogo.compile(3)
