"""Groups of ops that are hard to fuse, beside NumPy in float64."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fogo

DRAWN = np.random.default_rng(11)
A = DRAWN.uniform(-2, 2, (4, 5, 6)).astype("float32")
B = DRAWN.uniform(-2, 2, (5, 1)).astype("float32")
S = DRAWN.uniform(-2, 2, ()).astype("float32")


def given(x: Any, device: fogo.Device) -> fogo.Tensor:
    return fogo.tensor(x, device=device)


def near(found: Any, wanted: Any, rtol: float = 2e-5, atol: float = 1e-5) -> None:
    np.testing.assert_allclose(found.numpy(), wanted, rtol=rtol, atol=atol)


AXES = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("keep", [False, True])
def test_reductions_and_what_reads_them(
    fused: fogo.Device, axes: tuple[int, ...], keep: bool
) -> None:
    a, b, s = (given(x, fused) for x in (A, B, S))
    x = a * b + s
    mean = x.mean(axes, keep)
    top = (x * 0.5).amax(axes, keep) if hasattr(x, "amax") else x.max(axes, keep) * 0.5
    wanted = A.astype("float64") * B + S
    near(mean * 2.0 - top, wanted.mean(axes, keepdims=keep) * 2
         - wanted.max(axes, keepdims=keep) * 0.5)  # fmt: skip
    if keep:
        gap = x - mean
        var = (gap * gap).sum(axes, True)
        apart = wanted - wanted.mean(axes, keepdims=True)
        square = (apart * apart).sum(axes, keepdims=True)
        near(gap / (var + 1.0).sqrt(), apart / np.sqrt(square + 1))
        near(var, square)


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_a_reduction_seen_in_other_orders(
    fused: fogo.Device, axes: tuple[int, ...]
) -> None:
    a = given(A, fused)
    turned = a.exp().permute(axes)
    total = turned.sum(-1)
    near(total.T + total.T.flip(0), (t := np.exp(A.astype("float64")).transpose(axes)
         .sum(-1)).T + t.T[::-1])  # fmt: skip
    spread = total.reshape((*total.shape, 1)).expand((*total.shape, 3))
    near((spread * 2.0).sum((0, 2)), t.sum(0) * 6)
    near(spread[::2, 1:, ::2] - 1.0, np.broadcast_to(t[..., None], (*t.shape, 3))
         [::2, 1:, ::2] - 1)  # fmt: skip


def test_assignments_one_after_another(fused: fogo.Device) -> None:
    x = given(A, fused) * 1.5
    held = x[1]
    wanted = A.astype("float64") * 1.5
    old = wanted[1].copy()
    for i in range(4):
        x[i] = x[(i + 1) % 4] * 0.5 + held
        wanted[i] = wanted[(i + 1) % 4] * 0.5 + old
        x[i, ::2, 1:] = x[i, ::2, :-1].exp() * 0.1
        wanted[i, ::2, 1:] = np.exp(wanted[i, ::2, :-1]) * 0.1
    part = x[:, 1:3]
    x[:, 1] = 7.0
    x[x.shape[0] - 1] = part[0, 0]
    near(part, wanted[:, 1:3])
    first = wanted[0, 1].copy()
    wanted[:, 1] = 7
    wanted[3] = first
    near(x, wanted)
    near(held, old)


def test_assignment_into_a_view_that_is_held(fused: fogo.Device) -> None:
    x = given(A, fused) + 1.0
    view = x[0].T
    other = view[1:]
    view[0] = -3.0
    other[0] = view[0] * 2.0
    near(x, A + 1.0)
    wanted = (A[0] + 1).T.copy()
    late = wanted[1:].copy()
    wanted[0] = -3
    late[0] = -6
    near(view, wanted)
    near(other, late)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4), (2, 0, 3)])
def test_nothing_at_all(fused: fogo.Device, shape: tuple[int, ...]) -> None:
    x = given(np.zeros(shape, "float32"), fused)
    y = (x * 2.0 + 1.0).exp()
    assert y.numpy().shape == shape
    assert y.sum().item() == 0.0
    zeros = np.zeros(shape)
    for axis in range(len(shape)):
        near(y.sum(axis) + 1.0, zeros.sum(axis) + 1)
    near(y.sum(-1, True) + y, zeros)
    near(y.softmax(-1) if shape[-1] else y, zeros)


def test_single_numbers(fused: fogo.Device) -> None:
    s = given(S, fused)
    a = given(A, fused)
    number = (s * s + 1.0).log()
    wanted = np.log(S.astype("float64") ** 2 + 1)
    near(number.sum() + number.max(), 2 * wanted)
    near(a * number - number, A * wanted - wanted)
    near(number.softmax(0) if number.ndim else number, wanted)
    near((a.sum() * number).expand((2, 3)).sum(1), A.sum(dtype="f8") * wanted
         * np.full(2, 3.0))  # fmt: skip


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_wrap_in_chains(fused: fogo.Device, dtype: str) -> None:
    info = np.iinfo(dtype)
    x = DRAWN.integers(info.min, info.max, (5, 7), dtype=dtype, endpoint=True)
    y = DRAWN.integers(info.min, info.max, 7, dtype=dtype, endpoint=True)
    a, b = given(x, fused), given(y, fused)
    with np.errstate(all="ignore"):
        three = np.array(3, dtype)
        chain = (x * y + x) * three - y
        low = (x & y) | (x ^ three)
        np.testing.assert_array_equal(((a * b + a) * 3 - b).numpy(), chain)
        np.testing.assert_array_equal(((a & b) | (a ^ 3)).numpy(), low)
        seen = fogo.where(a > b, a - b, b).numpy()
        np.testing.assert_array_equal(seen, np.where(x > y, x - y, y))
        tops = (a - b).max(1).numpy()
        np.testing.assert_array_equal(tops, (x - y).max(1))
        total = (a * 2).sum(0).numpy()
        kind = total.dtype
        np.testing.assert_array_equal(
            total, (x * np.array(2, dtype)).sum(0, dtype=kind)
        )


def test_bools_in_chains(fused: fogo.Device) -> None:
    a = given(A, fused)
    high, low = a > 0.5, a < -0.5
    mine, under = A > 0.5, A < -0.5
    np.testing.assert_array_equal((high | low).numpy(), mine | under)
    np.testing.assert_array_equal(
        (~(high ^ low)).all(1).numpy(), (~(mine ^ under)).all(1)
    )
    np.testing.assert_array_equal((high & ~low).any((0, 2)).numpy(), mine.any((0, 2)))
    counts = high.astype("int32").sum(-1)
    np.testing.assert_array_equal(counts.numpy(), mine.sum(-1))
    near(a * high.astype("float32") + low.astype("float32"), A * mine + under)


def test_float16_chains(fused: fogo.Device) -> None:
    x = DRAWN.uniform(-2, 2, (6, 40)).astype("float16")
    a = given(x, fused)
    w = x.astype("float64")
    near(((a * 1.5 + 0.25).tanh() * a), np.tanh(w * 1.5 + 0.25) * w, 3e-3, 3e-3)
    near((a * a).sum(1), (w * w).sum(1), 3e-3, 2e-2)
    near((a - a.mean(-1, True)) * 2.0, (w - w.mean(-1, keepdims=True)) * 2, 3e-3, 4e-3)
    big = a * 0.0 + 300.0
    assert (big * big).isinf().all().item()  # in float32 it would not be
    assert not (big * big).abs().isfinite().any().item()
    assert ((a + 1.0) * 2.0).dtype.name == "float16"


def test_two_thousand_ops_without_a_read(fused: fogo.Device) -> None:
    x, y = given(A, fused), given(B, fused)
    w, v = A.astype("float64"), B.astype("float64")
    for i in range(500):
        x = x * 0.99 + y * (0.01 * (i % 7))
        w = w * 0.99 + v * (0.01 * (i % 7))
        if i % 50 == 7:
            x = x - x.mean(1, True)
            w = w - w.mean(1, keepdims=True)
    near(x, w, 1e-4, 1e-4)


def test_many_results_that_are_held(fused: fogo.Device) -> None:
    a, b = given(A, fused), given(B, fused)
    held, wanted = [], []
    x, w = a + b, A.astype("float64") + B
    for i in range(24):
        x = (x * 0.9 + float(i)).sin()
        w = np.sin(w * 0.9 + i)
        held.append(x if i % 3 else x.mT)
        wanted.append(w if i % 3 else w.swapaxes(1, 2))
    near(held[-1] + held[4] * held[7], wanted[-1] + wanted[4] * wanted[7])
    for ours, theirs in zip(held, wanted, strict=True):
        near(ours, theirs)


def test_more_inputs_than_bindings_in_rows(fused: fogo.Device) -> None:
    parts = [DRAWN.uniform(-1, 1, (6, 33)).astype("float32") for _ in range(14)]
    tensors = [given(p, fused) for p in parts]
    x, w = tensors[0], parts[0].astype("float64")
    for t, p in zip(tensors[1:], parts[1:], strict=True):
        x = (x + t).softmax(-1) * t
        w = w + p
        e = np.exp(w - w.max(-1, keepdims=True))
        w = e / e.sum(-1, keepdims=True) * p
    near(x, w, 1e-4, 1e-6)
    total, all_of = sum(tensors[1:], tensors[0]), np.sum(parts, 0, dtype="float64")
    near(total.sum(1) + total[:, 0], all_of.sum(1) + all_of[:, 0])


RESIDUALS: list[tuple[str, Callable[..., Any], Callable[..., Any]]] = [
    ("row", lambda m, r: m + r[0], lambda m, r: m + r[0]),
    ("column", lambda m, r: m * r[:, :1], lambda m, r: m * r[:, :1]),
    ("turned", lambda m, r: m + r.T[:8, :9], lambda m, r: m + r.T[:8, :9]),
    ("more", lambda m, r: m + r.reshape((1, 9, 9))[:, :8].expand((3, 8, 9)),
     lambda m, r: m + np.broadcast_to(r[None, :8], (3, 8, 9))),
    ("own", lambda m, r: m - m.flip(0), lambda m, r: m - m[::-1]),
    ("flat", lambda m, r: m.reshape((72,)) + r.reshape((81,))[:72],
     lambda m, r: m.reshape(72) + r.reshape(81)[:72]),
    ("sum", lambda m, r: m + m.sum(0), lambda m, r: m + m.sum(0)),
]  # fmt: skip


@pytest.mark.parametrize("name", [r[0] for r in RESIDUALS])
def test_matmul_and_a_residual(fused: fogo.Device, name: str) -> None:
    _, ours, theirs = next(r for r in RESIDUALS if r[0] == name)
    x, y, r = (
        DRAWN.uniform(-1, 1, s).astype("float32") for s in ((8, 20), (20, 9), (9, 9))
    )
    rest = r if name in ("turned", "more", "flat") else r[:8]
    m = (given(x, fused) * 2.0) @ given(y, fused)
    product = (x.astype("float64") * 2) @ y
    near(
        ours(m, given(rest, fused)).relu(),
        np.maximum(theirs(product, rest), 0),
        1e-4,
        1e-4,
    )
    near(m, product, 1e-4, 1e-4)


@pytest.mark.parametrize("shape", [(2, 6, 7, 7), (6, 1, 1), (2, 6, 1, 1), (7,), (1,)])
def test_convolution_and_a_residual(fused: fogo.Device, shape: Any) -> None:
    import torch

    x, w = (
        DRAWN.uniform(-1, 1, s).astype("float32") for s in ((2, 3, 9, 9), (6, 3, 3, 3))
    )
    r = DRAWN.uniform(-1, 1, shape).astype("float32")
    out = fogo.conv2d(given(x, fused).tanh(), given(w, fused)) + given(r, fused)
    wanted = torch.conv2d(
        torch.tanh(torch.tensor(x).double()), torch.tensor(w).double()
    )
    near(out.relu(), (wanted + torch.tensor(r)).relu().numpy(), 1e-4, 1e-4)


def test_wrong_shapes_leave_what_is_pending(fused: fogo.Device) -> None:
    a, b = given(A, fused), given(B, fused)
    x = (a * b).exp()
    with pytest.raises(fogo.ShapeError):
        x + given(np.zeros(4, "float32"), fused)
    y = x.sum(1)
    with pytest.raises(fogo.FogoError):
        y @ x.reshape((120,))
    near(y * 2.0, np.exp(A.astype("f8") * B).sum(1) * 2)


def test_second_derivatives(fused: fogo.Device) -> None:
    import torch

    twice = fused.autodiff().autodiff()
    x = given(A, twice).requires_grad_()
    t = torch.tensor(A, dtype=torch.float64, requires_grad=True)
    y = ((x * x).softmax(-1) * x.tanh()).sum()
    u = (torch.softmax(t * t, -1) * torch.tanh(t)).sum()
    (first,) = torch.autograd.grad(u, t, create_graph=True)
    (second,) = torch.autograd.grad((first * first).sum(), t)
    found = y.backward()[x]
    near(found, first.detach().numpy(), 1e-4, 1e-4)
    near((found * found).sum().backward()[x], second.numpy(), 1e-3, 1e-3)


def test_gradients_of_operands_that_depend_on_each_other(fused: fogo.Device) -> None:
    """In one kernel both operands may be one expression, or one a part of the other."""
    import torch

    x = given(np.abs(A) + 0.1, fused.autodiff()).requires_grad_()
    t = torch.tensor(np.abs(A) + 0.1, dtype=torch.float64, requires_grad=True)
    ours = (fogo.maximum(x, x), x.pow(x.exp()), fogo.minimum(x * 2.0, x.exp()), x / x)
    theirs = (torch.maximum(t, t), t.pow(t.exp()), torch.minimum(t * 2, t.exp()), t / t)
    for mine, other in zip(ours, theirs, strict=True):
        (wanted,) = torch.autograd.grad(other.sum(), t)
        near(mine.sum().backward()[x], wanted.numpy(), 1e-4, 1e-5)


def test_the_largest_is_found_again(fused: fogo.Device) -> None:
    """The gradient of max asks which elements equal it; none would be 0 / 0."""
    x = given(A, fused.autodiff()).requires_grad_()
    y = x * 0.1 + 0.7
    found = (y.max(1).sum() + y.max(0).sum()).backward()[x].numpy()
    w = A.astype("f4") * np.float32(0.1)
    hits = (w == w.max(1, keepdims=True)) * 1.0 + (w == w.max(0, keepdims=True))
    np.testing.assert_allclose(found, hits * 0.1, rtol=1e-5)


def test_five_hundred_steps_take_no_more_memory(portable: fogo.Device) -> None:
    where = portable.autodiff()
    x = given(A.reshape(20, 6), where)
    model = fogo.nn.Linear(6, 6, device=where)
    optimizer = fogo.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    fusion = portable.backend
    counts = []
    for i in range(500):
        loss = (model(x).softmax(-1) - x[0]).square().sum() + float(i % 3)
        optimizer.step(loss.backward())
        if i % 100 == 99:
            loss.item()
            stats = fogo.memory_stats(portable)
            counts.append((stats["in_use"], len(fusion.plans), len(fusion.kinds),
                           len(fusion.layouts), len(fusion.kernels)))  # fmt: skip
    assert counts[-1][0] <= counts[1][0]
    assert counts[-1][1:] == counts[1][1:]


def test_threads_assign_to_one_tensor_each_and_read_all(fused: fogo.Device) -> None:
    shared = [given(A, fused) + float(k) for k in range(4)]
    wanted = [A.astype("f8") + k for k in range(4)]
    failed: list[Any] = []

    def work(k: int) -> None:
        try:
            for i in range(5):
                near(shared[(k + i) % 4][i % 4] * 2.0, wanted[(k + i) % 4][i % 4] * 2)
                mine = shared[k] * 1.0
                mine[i % 4] = 0.0
                part = wanted[k].copy()
                part[i % 4] = 0
                near(mine.sum(0), part.sum(0))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_work_goes_on_after_a_failed_launch(
    portable: fogo.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory runs out in the middle of a step: the next steps are right."""
    inner = portable.backend.inner
    allocate = inner.allocate
    left = [2]

    def scarce(count: int, dtype: fogo.DType) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise fogo.DeviceError("allocate: out of memory; given much; free some")
        return allocate(count, dtype)

    a = given(A, portable)
    portable.sync()
    for fails in (1, 2, 3):
        x = (a.cumsum(0) * 2.0).cumsum(1)
        y = x.sum(2) + 1.0
        left[0] = fails
        monkeypatch.setattr(inner, "allocate", scarce)
        with pytest.raises(fogo.DeviceError, match="out of memory"):
            y.numpy()
        monkeypatch.setattr(inner, "allocate", allocate)
        x = (a.cumsum(0) * 2.0).cumsum(1)
        wanted = (A.astype("f8").cumsum(0) * 2).cumsum(1)
        near(x.sum(2) + 1.0, wanted.sum(2) + 1)
        near(a * 2.0, A * 2.0)
