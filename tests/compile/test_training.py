"""Training steps: captured and played again, beside the same steps run by Python."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import fogo
from fogo import nn, optim


class Net(nn.Module):
    """Batch norm, dropout, a convolution and a linear layer."""

    def __init__(self, device: fogo.Device) -> None:
        self.conv = nn.Conv2d(1, 3, 3, device=device)
        self.norm = nn.BatchNorm2d(3, device=device)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(12, 4, device=device)

    def forward(self, x: Any) -> Any:
        return self.out(self.drop(self.norm(self.conv(x)).relu().flatten(1)))


class Trainer:
    """A net, AdamW with a cosine schedule, data, and a step (compiled or not)."""

    def __init__(self, gpu: fogo.Device, compiled: bool, make: Any = None) -> None:
        self.device = gpu.autodiff()
        gpu.seed(11)
        self.net = Net(self.device)
        rate = optim.CosineAnnealingLR(0.02, 100)
        self.opt = make(self.net) if make else optim.AdamW(self.net, lr=rate)
        self.loss = nn.CrossEntropyLoss()
        draw = np.random.default_rng(0)
        self.x = [self.data(draw.uniform(-1, 1, (5, 1, 4, 4))) for _ in range(3)]
        self.y = [
            fogo.tensor(draw.integers(0, 4, 5).tolist(), device=self.device)
            for _ in range(3)
        ]
        self.step = fogo.compile(self.plain) if compiled else self.plain
        gpu.seed(5)

    def data(self, values: Any) -> Any:
        return fogo.tensor(values.astype("float32"), device=self.device)

    def plain(self, x: Any, y: Any) -> Any:
        loss = self.loss(self.net(x), y)
        self.opt.step(loss.backward())
        return loss

    def run(self, steps: range) -> list[Any]:
        return [self.step(self.x[i % 3], self.y[i % 3]) for i in steps]

    def values(self) -> dict[str, Any]:
        found = {**self.net.state_dict(), **self.opt.state_dict()}
        return {name: found[name].tolist() for name in found}


def both(gpu: fogo.Device, make: Any = None) -> tuple[Trainer, Trainer]:
    return Trainer(gpu, False, make), Trainer(gpu, True, make)


def alike(eager: Trainer, compiled: Trainer) -> None:
    ours, theirs = compiled.values(), eager.values()
    assert list(ours) == list(theirs)
    for name in theirs:
        np.testing.assert_allclose(ours[name], theirs[name], 1e-5, 1e-6, err_msg=name)


def run_apart(gpu, trainers, steps):
    """Run the same steps with each, from the same state of the random stream."""
    losses = []
    for trainer in trainers:
        gpu.seed(7)
        losses.append([loss.item() for loss in trainer.run(steps)])
    np.testing.assert_allclose(losses[1], losses[0], 1e-5, 1e-6)


def test_a_hundred_steps_are_the_same(gpu) -> None:
    """Dropout, batch norm, AdamW, a cosine schedule; losses held to the end."""
    eager, compiled = both(gpu)
    run_apart(gpu, (eager, compiled), range(100))
    alike(eager, compiled)
    assert compiled.step.captures <= 3 and compiled.step.plays >= 97


@pytest.mark.parametrize(
    "make",
    [
        lambda net: optim.SGD(net, lr=0.05, momentum=0.9, nesterov=True),
        lambda net: optim.Adam(net, lr=0.02, amsgrad=True, weight_decay=0.1),
        lambda net: optim.SGD(
            [
                {"params": net.conv, "lr": 0.1},
                {"params": [net.norm.weight, net.norm.bias], "momentum": 0.5},
                {"params": net.out},
            ],
            lr=0.02,
        ),
    ],
    ids=["nesterov", "amsgrad", "groups"],
)
def test_other_optimisers(gpu, make) -> None:
    eager, compiled = both(gpu, make)
    run_apart(gpu, (eager, compiled), range(12))
    alike(eager, compiled)
    assert compiled.step.plays >= 9


def test_an_optimiser_of_ones_own(gpu) -> None:
    class Sign(optim.Optimizer):
        def __init__(self, params):
            optim.Optimizer.__init__(self, params, {"lr": 0.01})

        def init_single(self, p, group):
            return {"last": p * 0.0}

        def apply_single(self, p, g, state, now, group):
            state["last"] = state["last"] * 0.5 + g.sign()
            return p - now * state["last"]

    eager, compiled = both(gpu, Sign)
    run_apart(gpu, (eager, compiled), range(8))
    alike(eager, compiled)
    assert compiled.step.plays >= 5


def test_train_and_eval_have_programs_of_their_own(gpu) -> None:
    eager, compiled = both(gpu)
    for start in (0, 4, 8):
        run_apart(gpu, (eager, compiled), range(start, start + 4))
        for trainer in (eager, compiled):
            trainer.net.eval()
        run_apart(gpu, (eager, compiled), range(start, start + 2))
        for trainer in (eager, compiled):
            trainer.net.train()
    alike(eager, compiled)
    assert compiled.step.captures <= 4


def test_loading_state_between_steps(gpu) -> None:
    """The net's and the optimiser's, also of a moment before."""
    eager, compiled = both(gpu)
    for trainer in (eager, compiled):
        gpu.seed(7)
        trainer.run(range(4))
        model = {k: v.numpy() for k, v in trainer.net.state_dict().items()}
        state = {k: v.numpy() for k, v in trainer.opt.state_dict().items()}
        trainer.run(range(5))
        trainer.net.load_state_dict(model)
        trainer.opt.load_state_dict(state)
    run_apart(gpu, (eager, compiled), range(6))
    alike(eager, compiled)
    captures = compiled.step.captures
    run_apart(gpu, (eager, compiled), range(3))
    assert compiled.step.captures == captures


def test_a_rate_that_is_a_number_may_change(gpu) -> None:
    eager, compiled = both(gpu, lambda net: optim.AdamW(net, lr=0.01))
    for rate in (0.01, 0.05, 0.0, 0.02, 0.02):
        for trainer in (eager, compiled):
            trainer.opt.param_groups[0]["lr"] = rate
        run_apart(gpu, (eager, compiled), range(3))
    alike(eager, compiled)
    assert compiled.step.captures <= 4
    compiled.opt.param_groups[0]["weight_decay"] = 0.5
    eager.opt.param_groups[0]["weight_decay"] = 0.5
    run_apart(gpu, (eager, compiled), range(4))
    alike(eager, compiled)


def test_a_schedule_that_is_stepped_inside(gpu) -> None:
    trainers = both(gpu, lambda net: optim.SGD(net, lr=0.1))
    for trainer in trainers:
        schedule = optim.StepLR(trainer.opt, 2, 0.5)
        plain = trainer.plain

        def step(x, y, plain=plain, schedule=schedule):
            loss = plain(x, y)
            schedule.step()
            return loss

        trainer.step = fogo.compile(step) if trainer is trainers[1] else step
    run_apart(gpu, trainers, range(9))
    alike(*trainers)
    for trainer in trainers:
        np.testing.assert_allclose(trainer.opt.learning_rates(), [0.1 / 16], 1e-6)
    assert trainers[1].step.plays >= 6


def test_gradients_add_up_over_calls(gpu) -> None:
    """A compiled function that adds to tensors, another that steps by them."""
    results = []
    for compiled in (False, True):
        trainer = Trainer(gpu, False, lambda net: optim.SGD(net, lr=0.1))
        trainer.net.eval()
        p = trainer.net.out.weight
        total = fogo.zeros(p.shape, device=gpu)

        def add(x, y, trainer=trainer, total=total, p=p):
            grads = trainer.loss(trainer.net(x), y).backward()
            total.assign(total + grads[p].to(total.device))

        def step(p=p, total=total):
            p.assign(p - total.to(p.device) * 0.1)
            total.assign(total * 0.0)

        if compiled:
            add, step = fogo.compile(add), fogo.compile(step)
        for i in range(9):
            add(trainer.x[i % 3], trainer.y[i % 3])
            if i % 3 == 2:
                step()
        results.append(p.tolist())
    np.testing.assert_allclose(results[1], results[0], 1e-5, 1e-6)


def test_two_functions_share_parameters(gpu) -> None:
    """One trains, one looks; the one that looks sees every step."""
    eager, compiled = both(gpu)

    def look(net, x):
        with fogo.no_grad():
            return net(x).exp().sum()

    watch = fogo.compile(look)
    for trainer in (eager, compiled):
        seen = watch if trainer is compiled else look
        gpu.seed(7)
        trainer.sums = []
        for i in range(8):
            trainer.run(range(i, i + 1))
            trainer.net.eval()
            trainer.sums.append(seen(trainer.net, trainer.x[0]).item())
            trainer.net.train()
            if i == 5:
                model = {k: v * 0.5 for k, v in trainer.net.state_dict().items()}
                trainer.net.load_state_dict(model)
    np.testing.assert_allclose(compiled.sums, eager.sums, 1e-5, 1e-6)
    alike(eager, compiled)


def test_python_trains_between_plays(gpu) -> None:
    eager, compiled = both(gpu)
    for trainer in (eager, compiled):
        gpu.seed(7)
        trainer.run(range(4))
        trainer.plain(trainer.x[0], trainer.y[0])
        trainer.run(range(3))
        trainer.plain(trainer.x[1], trainer.y[1])
        trainer.run(range(2))
    alike(eager, compiled)


def test_old_values_are_kept_where_somebody_holds_them(gpu) -> None:
    eager, compiled = both(gpu)
    kept: list[list[Any]] = []
    for trainer in (eager, compiled):
        gpu.seed(7)
        mine: list[Any] = []
        weight = trainer.net.out.weight
        for i in range(6):
            trainer.run(range(i, i + 1))
            mine += [weight.detach(), weight.to(gpu).transpose(), weight.to(gpu)[1:, 2]]
            mine += [trainer.net.norm.running_mean.detach()]
        mine.append(copy.deepcopy(trainer.net).out.weight)
        kept.append([t.tolist() for t in mine])
        trainer.run(range(2))
        assert [t.tolist() for t in mine] == kept[-1]
    for a, b in zip(*kept, strict=True):
        np.testing.assert_allclose(b, a, 1e-5, 1e-6)


def test_a_frozen_parameter_is_captured_again(gpu) -> None:
    eager, compiled = both(gpu)
    for trainer in (eager, compiled):
        gpu.seed(7)
        trainer.run(range(4))
        trainer.net.conv.requires_grad_(False)
        trainer.run(range(4))
        trainer.net.conv.requires_grad_()
        trainer.run(range(4))
    alike(eager, compiled)


def test_a_replaced_layer_is_captured_again(gpu) -> None:
    eager, compiled = both(gpu, lambda net: optim.SGD([net.conv.weight], lr=0.1))
    for trainer in (eager, compiled):
        gpu.seed(7)
        trainer.run(range(4))
        trainer.net.out = nn.Linear(12, 4, device=trainer.device)
        trainer.net.drop.p = 0.1
    run_apart(gpu, (eager, compiled), range(4))
    alike(eager, compiled)


def test_gradients_of_before_do_not_step_again(gpu) -> None:
    compiled = both(gpu)[1]
    old = compiled.loss(compiled.net(compiled.x[0]), compiled.y[0]).backward()
    compiled.run(range(4))
    assert compiled.net.out.weight not in old
    old = compiled.loss(compiled.net(compiled.x[0]), compiled.y[0]).backward()
    compiled.run(range(1))
    assert compiled.net.out.weight not in old
    with pytest.raises(fogo.AutodiffError, match="none of the 6 parameters"):
        compiled.opt.step(old)
