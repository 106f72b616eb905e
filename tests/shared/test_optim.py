"""Optimisers, schedules and clipping, on every runtime."""

import fogo
from fogo import nn, optim
from tests.shared.check import close, equal, raises

# The numbers below are PyTorch's (2.13), made by:
#   p = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0])); opt = make([p])
#   for i in range(10):
#       opt.zero_grad()
#       loss = (p * p * torch.tensor([1.0, 2.0, 3.0]) + p).sum() * (1 + i * 3 % 4)
#       loss.backward(); opt.step()
TRAINED = (
    ("SGD", (0.01,), {}, [0.3952229, -0.8514931, 0.4345344]),
    ("SGD", (0.01, 0.9, 0.2, 0.1), {}, [-0.7512861, 0.7860976, -1.9460973]),
    (
        "SGD",
        (0.01, 0.9),
        {"nesterov": True},
        [-0.8974853, 0.3765016, -0.5661474],
    ),
    ("Adam", (0.1,), {"weight_decay": 0.1}, [0.111532, -1.1055721, 2.0944161]),
    ("Adam", (0.1,), {"amsgrad": True}, [0.1130021, -1.1073045, 2.0953593]),
    (
        "AdamW",
        (0.1, (0.8, 0.95)),
        {"weight_decay": 0.2},
        [0.0259193, -0.8440788, 1.6377375],
    ),
)


def parameter(device, values=(1.0, -2.0, 3.0)):
    return nn.Parameter(fogo.tensor(list(values), device=device.autodiff()))


def gradients(p, i):
    factors = fogo.tensor([1.0, 2.0, 3.0], device=p.device)
    return ((p * p * factors + p).sum() * float(1 + i * 3 % 4)).backward()


def test_ten_steps_are_pytorchs(device):
    for name, args, options, expected in TRAINED:
        p = parameter(device)
        opt = getattr(optim, name)([p], *args, **options)
        for i in range(10):
            opt.step(gradients(p, i))
        close(p, expected, 2e-5, 2e-6)
        assert p.requires_grad and p.device is device.autodiff()


def test_a_step_grows_no_graph(device):
    """After a step the parameter is a leaf again, whose gradient needs a new loss."""
    p = parameter(device)
    opt = optim.Adam([p])
    old = gradients(p, 0)
    opt.step(old)
    assert p not in old and not p._handle.node.parents
    with raises(fogo.AutodiffError, "Adam.step: none of the 1 parameters"):
        opt.step(old)
    for name in opt.state["0"]:
        assert opt.state["0"][name].device is device


def test_training_under_two_levels_of_autodiff(device):
    """The step works below every level: nothing of it is recorded at any."""
    twice = device.autodiff().autodiff()
    p = nn.Parameter(fogo.tensor([1.0, -2.0, 3.0], device=twice))
    opt = optim.SGD([p], 0.01, 0.9, 0.2, 0.1)
    for i in range(10):
        opt.step(gradients(p, i))
    close(p, TRAINED[1][3], 2e-5, 2e-6)
    assert p.requires_grad and p.inner().requires_grad


def test_a_model_that_moves_takes_its_state_along(device):
    other = fogo.device("python")
    p = parameter(device)
    opt = optim.AdamW([p], 0.1, (0.8, 0.95), weight_decay=0.2)
    for i in range(10):
        if i == 5:
            p.move(other.autodiff())
        opt.step(gradients(p, i))
    close(p, TRAINED[5][3], 2e-5, 2e-6)
    assert opt.state["0"]["exp_avg"].device is other


def test_groups_and_names(device):
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)).to(device.autodiff())
    opt = optim.SGD(
        [{"params": net[0], "lr": 0.0}, {"params": net[1].named_parameters()}], lr=0.5
    )
    assert opt.param_groups[0]["names"] == ["weight", "bias"]
    assert opt.param_groups[1]["names"] == ["group1.weight", "group1.bias"]
    before = [p.tolist() for p in net.parameters()]
    opt.step(net(fogo.ones(4, 2, device=device.autodiff())).sum().backward())
    after = [p.tolist() for p in net.parameters()]
    equal(after[:2], before[:2])
    close(after[3], [before[3][0] - 2.0])
    close(opt.learning_rates(), [0.0, 0.5])


def test_state_goes_on_elsewhere(device):
    """Five steps, a saved state, five more: the same as ten in a row."""
    from fogo.store import dump_bytes, load_bytes

    for name, args, options, expected in TRAINED:
        p = parameter(device)
        opt = getattr(optim, name)([p], *args, **options)
        for i in range(5):
            opt.step(gradients(p, i))
        data = dump_bytes(opt.state_dict())
        q = parameter(device, p.tolist())
        again = getattr(optim, name)([q], *args, **options)
        again.load_state_dict(load_bytes(data, "python"))
        for i in range(5, 10):
            again.step(gradients(q, i))
        close(q, expected, 2e-5, 2e-6)
        assert again.state_dict()["groups.0.step"].item() == 10


def test_a_wrong_state_is_refused(device):
    p = parameter(device)
    opt = optim.Adam([p])
    opt.step(gradients(p, 0))
    state = opt.state_dict()
    del state["state.0.exp_avg"]
    state["state.1.exp_avg"] = p
    state["groups.0.step"] = p
    with raises(
        fogo.FormatError,
        "missing: ['state.0.exp_avg']",
        "unexpected: ['state.1.exp_avg']",
        "mismatched: ['groups.0.step: given [3], expected []']",
    ):
        opt.load_state_dict(state)


def test_wrong_settings(device):
    p = parameter(device)
    for message, make in (
        ("lr must be a number of at least 0; given -1", lambda: optim.SGD([p], -1)),
        ("momentum must be", lambda: optim.SGD([p], 0.1, momentum=-0.5)),
        ("nesterov needs a momentum", lambda: optim.SGD([p], nesterov=True)),
        ("betas are two numbers in [0, 1)", lambda: optim.Adam([p], betas=(0.9, 1.0))),
        ("eps must be", lambda: optim.AdamW([p], eps=-1e-8)),
        ("at least one parameter is needed", lambda: optim.SGD([])),
        ("given one tensor; write [p]", lambda: optim.SGD(p)),
        ("parameters are tensors", lambda: optim.SGD([1.0])),
        ("belongs to one group", lambda: optim.SGD([{"params": [p]}] * 2)),
        ("given 1 twice", lambda: optim.SGD([p, p])),
        (
            "a group has settings dampening, lr",
            lambda: optim.SGD([{"params": [p], "beta": 1}]),
        ),
        ("T_max must be a whole number", lambda: optim.CosineAnnealingLR(1.0, 0)),
        ("one milestone less", lambda: optim.SequentialLR(1.0, [], [])),
        ("it follows the steps", lambda: optim.StepLR(1.0, 3).step()),
    ):
        with raises(fogo.FogoError, message):
            make()


# p = torch.nn.Parameter(torch.zeros(1)); o = torch.optim.SGD([p], 0.5)
# s = lr_scheduler.SequentialLR(o, [lr_scheduler.LinearLR(o, 0.1, total_iters=3),
#                                   lr_scheduler.CosineAnnealingLR(o, 6, 0.05)], [3])
# for i in range(12): s.get_last_lr()[0]; o.step(); s.step()
RATES = [
    0.05, 0.2, 0.35, 0.5, 0.4698557, 0.3875, 0.275, 0.1625, 0.0801443, 0.05, 0.0801443,
    0.1625,
]  # fmt: skip


def warm_and_cool(source):
    warm = optim.LinearLR(source, 0.1, total_iters=3)
    cool = optim.CosineAnnealingLR(source, 6, 0.05)
    return optim.SequentialLR(source, [warm, cool], [3])


def test_a_schedule_that_is_stepped(device):
    opt = optim.SGD([parameter(device)], 0.5)
    schedule = warm_and_cool(opt)
    for i, expected in enumerate(RATES):
        close(schedule.get_last_lr(), [expected], 2e-5)
        close(opt.learning_rates(), [expected], 2e-5)
        if i == 6:
            state = schedule.state_dict()
        schedule.step()
    schedule.load_state_dict(state)
    close(opt.learning_rates(), [RATES[6]], 2e-5)


def test_a_schedule_as_learning_rate(device):
    schedule = warm_and_cool(0.5)
    close([schedule.lr_at(i) for i in range(12)], RATES, 2e-5)
    p = parameter(device, (0.0,))
    opt = optim.SGD([p], schedule)
    for i in range(4):
        opt.step(p.sum().backward())
        close(p.item(), -sum(RATES[: i + 1]), 2e-5)
    with raises(fogo.FogoError, "lr is a schedule already"):
        optim.StepLR(opt, 3)


def test_clipping(device):
    x = fogo.tensor([3.0, 0.0], device=device.autodiff()).requires_grad_()
    y = fogo.tensor([4.0], device=device.autodiff()).requires_grad_()
    grads = ((x * x).sum() + (y * y).sum()).backward()
    close(optim.clip_grad_norm_(grads, 5.0), 10.0)
    close(grads[x], [3.0, 0.0])
    close(grads[y], [4.0])
    close(optim.clip_grad_norm_(grads, 100.0), 5.0)
    close(grads[y], [4.0])
    optim.clip_grad_value_(grads, 3.5)
    close(grads[y], [3.5])
    with raises(fogo.FogoError, "the bound is at least 0; given -1"):
        optim.clip_grad_value_(grads, -1)


def test_an_optimiser_of_ones_own(device):
    class Lion(optim.Optimizer):
        def __init__(self, params, lr=0.1, beta=0.9):
            optim.Optimizer.__init__(self, params, {"lr": lr, "beta": beta})

        def init_single(self, p, group):
            return {"m": fogo.zeros_like(p)}

        def apply_single(self, p, g, state, now, group):
            beta = group["beta"]
            state["m"] = state["m"] * beta + g * (1.0 - beta)
            return p - state["m"].sign() * now

    p = parameter(device)
    opt = Lion([p])
    opt.step((p * p).sum().backward())
    close(p, [0.9, -1.9, 2.9])
    assert "Lion(1 parameters: beta=0.9, lr=0.1)" == repr(opt)
