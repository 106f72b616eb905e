"""How many kernels the gradients of usual layers become, under browsers' limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import nn, optim
from fogo.backend.fusion.reference import Checked

DRAWN = np.random.default_rng(11)


def draw(*shape: int) -> Any:
    return DRAWN.uniform(-1, 1, shape).astype("float32")


def launches(device: fogo.Device) -> int:
    return int(device.base().backend.gpu.stats()["dispatches"])


def counted(device: fogo.Device, work: Callable[[], Any]) -> tuple[Any, int]:
    """What the work gives, and how many kernels that took."""
    device.sync()
    before = launches(device)
    found = work()
    device.sync()
    return found, launches(device) - before


def close(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-4, atol=1e-5)


def test_slices_of_one_tensor_are_joined_by_one_kernel(portable: fogo.Device) -> None:
    shape = (2, 6, 3, 2, 4)
    a, b, c = draw(2, 2, 6, 4), draw(2, 2, 6, 4), draw(2, 2, 6, 4)
    x = fogo.tensor(draw(*shape), device=portable.autodiff()).requires_grad_()
    parts = [x[:, :, i].permute((0, 2, 1, 3)) for i in range(3)]
    given = [fogo.tensor(g, device=portable) for g in (a, b, c)]
    loss = sum(
        [(p * g.to(x.device)).sum() for p, g in zip(parts, given)],
        fogo.zeros((), device=x.device),
    )
    grad, count = counted(portable, lambda: loss.backward()[x])
    wanted = np.stack([g.transpose(0, 2, 1, 3) for g in (a, b, c)], 2)
    close(grad, wanted)
    assert count == 1


def test_other_parts_are_pasted_by_one_kernel(portable: fogo.Device) -> None:
    x = fogo.tensor(draw(8, 6), device=portable.autodiff()).requires_grad_()
    loss = (x[::2, 1:] * 2.0).sum() + (x[1::2] * 3.0).sum() + (x[::2, 0] * 4.0).sum()
    grad, count = counted(portable, lambda: loss.backward()[x])
    wanted = np.full((8, 6), 3.0)
    wanted[::2] = [4.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    close(grad, wanted)
    assert count == 1


@pytest.mark.parametrize(("rows", "most"), [(12, 2), (4096, 3)])
def test_a_layer_norm_goes_back_in_few(
    rows: int, most: int, portable: fogo.Device
) -> None:
    """One kernel for x; one for weight and bias, or two where there are many rows."""
    x, w, b, g = draw(rows, 32), draw(32), draw(32), draw(rows, 32)
    where = portable.autodiff()
    ours = [fogo.tensor(t, device=where).requires_grad_() for t in (x, w, b)]
    y = fogo.layer_norm(ours[0], 32, ours[1], ours[2])
    given = fogo.tensor(g, device=portable)

    def back() -> Any:
        grads = y.backward(given)
        return [grads[t] for t in ours]

    found, count = counted(portable, back)
    theirs = [torch.tensor(t, dtype=torch.float64, requires_grad=True)
              for t in (x, w, b)]  # fmt: skip
    out = torch.nn.functional.layer_norm(theirs[0], (32,), theirs[1], theirs[2])
    out.backward(torch.tensor(g, dtype=torch.float64))
    for ours_, theirs_ in zip(found, theirs):
        assert theirs_.grad is not None
        np.testing.assert_allclose(
            ours_.numpy(), theirs_.grad.numpy(), rtol=1e-4, atol=1e-3
        )
    assert count <= most


SUMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "columns": (
        lambda x, y: (x.sum(0), (x * y).sum(0), x.max(0), y.square().mean(0)),
        lambda x, y: (x.sum(0), (x * y).sum(0), x.max(0), (y * y).mean(0)),
    ),
    "both": (
        lambda x, y: (x.sum((0, 2)), (x * y).sum((0, 2)) * 2.0, y.sum((0, 2))),
        lambda x, y: (x.sum((0, 2)), (x * y).sum((0, 2)) * 2.0, y.sum((0, 2))),
    ),
    "all": (
        lambda x, y: (x.sum(), (x * y).mean(), y.max(), x.min()),
        lambda x, y: (x.sum(), (x * y).mean(), y.max(), x.min()),
    ),
    "the same": (
        lambda x, y: (x.sum(1), x.sum(1), x.sum(1) + y.sum(1)),
        lambda x, y: (x.sum(1), x.sum(1), x.sum(1) + y.sum(1)),
    ),
}


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize(("shape", "most"), [((6, 5, 4), 1), ((33, 24, 40), 2)])
def test_reductions_side_by_side(
    name: str, shape: tuple[int, ...], most: int, portable: fogo.Device
) -> None:
    ours, theirs = SUMS[name]
    x, y = draw(*shape), draw(*shape)
    given = [fogo.tensor(t, device=portable) for t in (x, y)]
    found, count = counted(portable, lambda: ours(*given))
    wanted = theirs(x.astype("float64"), y.astype("float64"))
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-4, atol=1e-3)
    assert count <= most


def test_what_depends_is_not_side_by_side(fused: fogo.Device) -> None:
    x = draw(40, 6)
    t = fogo.tensor(x, device=fused)
    mean = t.mean(0)
    var = (t - mean).square().sum(0)
    wide = x.astype("float64")
    close(var, ((wide - wide.mean(0)) ** 2).sum(0))
    close(mean, wide.mean(0))


def test_a_transposed_product_is_not_copied(portable: fogo.Device) -> None:
    a, b = draw(9, 12), draw(9, 8)
    x, y = fogo.tensor(a, device=portable), fogo.tensor(b, device=portable)
    flat, count = counted(portable, lambda: (x.T @ y).T.reshape((-1,)))
    close(flat, (a.T.astype("float64") @ b).T.reshape(-1))
    assert count == 1


def test_heads_are_written_as_they_are_read(portable: fogo.Device) -> None:
    """Attention's result goes side by side into the layer behind it."""
    q, k, v = (draw(2, 3, 8, 4) for _ in range(3))
    w = draw(12, 5)
    given = [fogo.tensor(t, device=portable) for t in (q, k, v, w)]

    def work() -> Any:
        out = fogo.scaled_dot_product_attention(*given[:3])
        return out.permute((0, 2, 1, 3)).reshape((2, 8, 12)) @ given[3]

    found, count = counted(portable, work)
    torched = [torch.tensor(t, dtype=torch.float64) for t in (q, k, v, w)]
    out = torch.nn.functional.scaled_dot_product_attention(*torched[:3])
    wanted = out.transpose(1, 2).reshape(2, 8, 12) @ torched[3]
    close(found, wanted.numpy())
    assert count == 2


class Block(nn.Module):
    """A norm and two layers around a residual: biases and a norm's parameters."""

    def __init__(self, width: int, where: fogo.Device) -> None:
        self.norm = nn.LayerNorm(width, device=where)
        self.up = nn.Linear(width, width, device=where)
        self.down = nn.Linear(width, width, device=where)

    def forward(self, x: fogo.Tensor) -> fogo.Tensor:
        return x + self.down(self.up(self.norm(x)).tanh())


@pytest.mark.parametrize("keep", [False, True])
def test_gradients_are_written_into_the_arena(
    keep: bool, portable: fogo.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step copies no gradient, whether the caller keeps them or not."""
    where = portable.autodiff()
    fogo.manual_seed(3)
    model = nn.Sequential(*[Block(16, where) for _ in range(3)])
    optimizer = optim.SGD(model, lr=0.1)
    x = fogo.tensor(draw(24, 16), device=where)
    copies = []
    inner = portable.backend.inner
    plain = inner.copy

    def copy(source: Any, at: int, target: Any, to: int, nwords: int) -> None:
        copies.append(nwords)
        plain(source, at, target, to, nwords)

    before = {name: p.numpy().copy() for name, p in model.named_parameters()}
    losses = []
    for step in range(4):
        monkeypatch.setattr(inner, "copy", copy if step == 3 else plain)
        loss = model(x).square().mean()
        grads = loss.backward()
        held = {n: grads[p] for n, p in model.named_parameters()} if keep else {}
        before = {name: p.numpy().copy() for name, p in model.named_parameters()}
        optimizer.step(grads)
        portable.sync()
        losses.append(loss.item())
        for name, p in model.named_parameters() if keep else ():
            close(p, before[name] - 0.1 * held[name].numpy())
        del grads
    assert losses == sorted(losses, reverse=True)
    assert not copies


def test_each_kernel_of_a_step_is_right(portable: fogo.Device) -> None:
    """The kernels beside the ops that they replaced."""
    where = portable.autodiff()
    fogo.manual_seed(4)
    model = nn.Sequential(*[Block(16, where) for _ in range(2)])
    optimizer = optim.AdamW(model, lr=0.01)
    x = fogo.tensor(draw(20, 16), device=where)
    with Checked(portable.backend) as seen:
        for _ in range(3):
            optimizer.step(model(x).square().mean().backward())
    portable.sync()
    assert len(seen.found) > 40
    assert not [d for d in seen.found if d.worst > 1e-4]


def test_a_result_written_in_another_order_by_points(fused: fogo.Device) -> None:
    """What a kernel stores at its own point need not lie there: 20261201-16."""
    leaf = fogo.arange(120.0, device=fused.autodiff()).requires_grad_()

    def parts(x: fogo.Tensor) -> fogo.Tensor:
        x = x.reshape((10, 2, 1, 6)).permute((2, 1, 0, 3))
        return x[:, ::2, :, ::-2]

    weights = fogo.arange(30.0, device=fused).reshape((1, 1, 10, 3)) + 1.0
    found = (parts(leaf) * weights).sum().backward()[leaf].tolist()
    want = [0.0] * 120
    for i in range(10):
        for j in range(3):
            want[12 * i + 5 - 2 * j] = 3.0 * i + j + 1.0
    assert found == want
