"""Parameters side by side: the same numbers as one by one, and few kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import nn, optim
from fogo.backend.capture import base_of
from tests.support import runtimes

SHAPES = [(3, 5), (7,), (4, 4), (), (2, 3, 1)]


@pytest.fixture(params=["webgpu", "unfused", "python", "numpy"])
def base(request: pytest.FixtureRequest, monkeypatch: Any) -> fogo.Device:
    """Devices whose optimisers use arenas: GPUs, and others that are told to."""
    kind = "webgpu" if request.param == "unfused" else request.param
    runtimes.need(kind, runtimes.why_absent(kind))
    request.node.user_properties.append(("device", kind))
    device = fogo.device(kind)
    if request.param == "unfused":
        device = device.unfused()
    monkeypatch.setattr(device.backend, "arenas", True, raising=False)
    return device


class Pair:
    """Parameters twice: ours, in an arena, and PyTorch's."""

    def __init__(self, base: fogo.Device, dtypes: Any = None, **options: Any) -> None:
        draw = np.random.default_rng(1)
        values = [draw.uniform(-1, 1, shape) for shape in SHAPES]
        self.base = base
        self.device = base.autodiff()
        self.ours = [
            nn.Parameter(fogo.tensor(v.tolist(), dtype="float32", device=self.device))
            for v in values
        ]
        self.theirs = [
            torch.nn.Parameter(torch.tensor(v, dtype=torch.float32)) for v in values
        ]
        self.opt = optim.AdamW(self.ours, lr=0.02, **options)
        # A step of PyTorch's counts for each parameter, ours for the group: theirs is
        # one optimiser over what always has gradients.
        self.their_opt = torch.optim.AdamW(self.theirs, lr=0.02, **options)

    def loss(self, parameters: Any, i: int, chosen: Any = None) -> Any:
        total: Any = 0.0
        for k, p in enumerate(parameters):
            if chosen is None or k in chosen:
                total = total + ((p * (1.0 + k + i % 2) + 0.5) ** 2).sum()
        return total

    def step(self, i: int, chosen: Any = None) -> None:
        self.opt.step(self.loss(self.ours, i, chosen).backward())
        self.their_opt.zero_grad()
        self.loss(self.theirs, i, chosen).backward()
        self.their_opt.step()

    def check(self) -> None:
        for p, q in zip(self.ours, self.theirs, strict=True):
            np.testing.assert_allclose(p.tolist(), q.detach().numpy(), 3e-5, 3e-6)

    @property
    def arena(self) -> Any:
        (arena,) = self.opt._packs[0].arenas
        return arena


def test_steps_are_pytorchs(base) -> None:
    pair = Pair(base, weight_decay=0.1)
    for i in range(6):
        pair.step(i)
    pair.check()
    assert pair.arena.holds() and pair.arena.names == list("01234")
    for p, layout in pair.arena.members():
        assert layout.offset % 4 == 0 and p.requires_grad


def test_values_given_from_outside_are_gathered(base) -> None:
    pair = Pair(base)
    for i in range(3):
        pair.step(i)
    for k in (1, 2):
        new = np.full(SHAPES[k], 0.25, "float32")
        pair.ours[k].assign(fogo.tensor(new.tolist(), device=pair.device))
        pair.theirs[k].data = torch.tensor(new)
    assert not pair.arena.holds()
    for i in range(3):
        pair.step(i)
    pair.check()
    assert pair.arena.holds()


def test_old_values_stay_as_they_were(base) -> None:
    pair = Pair(base)
    pair.step(0)
    before = [p.detach() for p in pair.ours]
    view = pair.ours[0].to(base)[1:]
    values = [p.tolist() for p in before]
    pair.step(1)
    assert [p.tolist() for p in before] == values
    assert view.tolist() == values[0][1:]
    assert pair.ours[0].tolist() != values[0]


def test_parameters_without_gradients_are_left(base) -> None:
    """Also when they come and go: then each is stepped by itself."""
    pair = Pair(base)
    singles = [
        torch.optim.AdamW([q], lr=0.02) for q in pair.theirs
    ]  # PyTorch's counts differ: compare with a count that is the group's
    for i, chosen in enumerate([(0, 1, 2, 3, 4), (0, 2), (0, 2), (0, 2), (1, 3, 4)]):
        pair.opt.step(pair.loss(pair.ours, i, chosen).backward())
        for q, single in zip(pair.theirs, singles, strict=True):
            q.grad = None
            state = single.state.get(q)
            if state:
                state["step"] = torch.tensor(float(i))
        pair.loss(pair.theirs, i, chosen).backward()
        for k in chosen:
            singles[k].step()
    pair.check()
    assert sorted(pair.opt.state) == list("01234")


def test_state_has_the_shapes_of_the_parameters(base) -> None:
    pair = Pair(base, amsgrad=True)
    for i in range(3):
        pair.step(i)
    state = pair.opt.state_dict()
    for k, shape in enumerate(SHAPES):
        for key in ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"):
            ours = state[f"state.{k}.{key}"]
            theirs = pair.their_opt.state[pair.theirs[k]][key]
            assert ours.shape == shape
            np.testing.assert_allclose(ours.tolist(), theirs.numpy(), 1e-5, 1e-7)
    values = {key: state[key].tolist() for key in state}
    pair.step(3)
    assert {key: state[key].tolist() for key in state} == values


def test_state_is_loaded_into_the_arena(base) -> None:
    pair, other = Pair(base), Pair(base)
    for i in range(3):
        pair.step(i)
    other.step(0)
    flat = other.arena.state["exp_avg"]
    other.opt.load_state_dict({k: v.numpy() for k, v in pair.opt.state_dict().items()})
    for p, q in zip(other.ours, pair.ours, strict=True):
        p.assign(q.detach())
    assert other.arena.state["exp_avg"] is flat
    for i in range(3):
        pair.step(i)
        other.opt.step(other.loss(other.ours, i).backward())
    pair.check()
    for p, q in zip(other.ours, pair.ours, strict=True):
        np.testing.assert_allclose(p.tolist(), q.tolist(), 1e-6)


def test_a_model_that_moves_leaves_its_arena(base) -> None:
    pair = Pair(base)
    for i in range(3):
        pair.step(i)
    for p in pair.ours:
        p.move(fogo.device("python").autodiff())
    for i in range(3):
        pair.step(i)
    pair.check()


def test_half_floats_have_an_arena_of_their_own(base) -> None:
    """Their state is float32, as that of the parameters beside them."""
    device = base.autodiff()
    params = [
        nn.Parameter(fogo.ones(n, device=device, dtype=kind))
        for n, kind in ((3, "float16"), (5, "float32"), (2, "float16"), (4, "float32"))
    ]
    opt = optim.SGD(params, lr=0.25, momentum=0.5)
    for _ in range(2):
        total = params[1].sum() * 2.0 + params[3].sum()
        for p in (params[0], params[2]):
            total = total + p.astype("float32").sum()
        opt.step(total.backward())
    assert [a.dtype.name for a in opt._packs[0].arenas] == ["float16", "float32"]
    assert [s["momentum_buffer"].dtype.name for s in opt.state.values()] == (
        ["float32"] * 4
    )
    # 1 - 0.25 g - 0.25 (0.5 g + g), with g = 1 or 2
    expected = [1 - 0.625, 1 - 1.25, 1 - 0.625, 1 - 0.625]
    for p, value in zip(params, expected, strict=True):
        np.testing.assert_allclose(p.tolist(), [value] * p.size, 1e-6)


def test_optimisers_of_others_are_asked_first(base) -> None:
    """One that inherits, and looks at a parameter as a whole, gets it whole."""
    shapes = []

    class Normed(optim.SGD):
        def apply_single(self, p, g, state, now, group):
            shapes.append(p.shape)
            return p - g / g.square().sum().sqrt() * 0.1

    class Signs(Normed):
        def elementwise(self):
            return True

        def apply_single(self, p, g, state, now, group):
            shapes.append(p.shape)
            return p - g.sign() * 0.1

    for kind, expected in ((Normed, SHAPES), (Signs, [(15 + 1 + 7 + 1 + 16 + 4 + 8,)])):
        pair = Pair(base)
        opt = kind(pair.ours, 0.1)
        shapes.clear()
        opt.step(pair.loss(pair.ours, 0).backward())
        assert shapes == expected


def test_two_levels_of_autodiff(base) -> None:
    twice = base.autodiff().autodiff()
    params = [nn.Parameter(fogo.ones(n, device=twice)) for n in (3, 2)]
    opt = optim.SGD(params, lr=0.5)
    for _ in range(2):
        opt.step(((params[0] ** 2).sum() + params[1].sum()).backward())
        grads = ((params[0] ** 2).sum() + params[1].sum()).backward()
        optim.clip_grad_norm_(grads, 1e6)
    assert params[0].tolist() == [0.0] * 3 and params[1].tolist() == [0.0] * 2
    assert params[0].requires_grad and params[0].inner().requires_grad


def test_a_hundred_parameters_take_two_kernels() -> None:
    """Under the limits of browsers: one for what all share, one for the step."""
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    from fogo.native.wgpu_gpu import open_now
    from fogo.webgpu import use_gpu

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOGO_GPU_LIMITS", "portable")
        device = use_gpu(open_now()).autodiff()
    params = [nn.Parameter(fogo.ones(3 + i % 7, 2, device=device)) for i in range(100)]
    opt = optim.AdamW(params, lr=0.1)
    gpu = device.base().backend.gpu
    counts = []
    for _ in range(4):
        total = (params[0] * params[0]).sum()
        for p in params[1:]:
            total = total + (p * p).sum()
        grads = total.backward()
        for p in params:
            grads[p].tolist()
        before = gpu.stats()["dispatches"]
        opt.step(grads)
        device.sync()
        counts.append(gpu.stats()["dispatches"] - before)
    assert counts[1:] == [2, 2, 2]
    assert base_of(params[0]._handle) is not base_of(params[1]._handle)
