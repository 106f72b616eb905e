"""Groups, freezing, forks, visitors, hooks, LoRA, reparameterisation, summaries."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import nn
from fogo.nn.utils.parametrizations import spectral_norm, weight_norm
from tests.nn.against_torch import near, uniform

PG = nn.ParamGroup


def small() -> Any:
    return nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2))


def on(device: fogo.Device, *shape: int, seed: int = 0) -> Any:
    return fogo.tensor(uniform(*shape, seed=seed).tolist(), device=device)


# Groups.

GROUPS: list[tuple[nn.ParamGroup, list[str]]] = [
    (PG.all(), ["0.weight", "0.bias", "1.weight", "1.bias", "2.weight", "2.bias"]),
    (PG.ids("0.bias", "nothing"), ["0.bias"]),
    (PG.paths("*.bias", "2.*"), ["0.bias", "1.bias", "2.weight", "2.bias"]),
    (PG.paths("?.weight"), ["0.weight", "1.weight", "2.weight"]),
    (PG.paths("0"), []),
    (PG.regex(r"^[02]\.w"), ["0.weight", "2.weight"]),
    (PG.any_of(PG.ids("1.bias"), PG.paths("0.*")), ["0.weight", "0.bias", "1.bias"]),
    (PG.paths("0.*").fuse(PG.ids("2.bias")), ["0.weight", "0.bias", "2.bias"]),
    (PG.all().exclude(PG.paths("*.weight")), ["0.bias", "1.bias", "2.bias"]),
    (PG.of(nn.Linear(1, 1), "2"), ["2.weight", "2.bias"]),
]


@pytest.mark.parametrize(("group", "wanted"), GROUPS, ids=lambda x: str(x)[:40])
def test_groups(group: nn.ParamGroup, wanted: list[str]) -> None:
    """They choose by their rule, and do so after a way through JSON."""
    net = small()
    assert [path for path, _ in group.select(net)] == wanted
    again = PG.from_dict(json.loads(json.dumps(group.to_dict())))
    assert [path for path, _ in again.select(net)] == wanted


def test_groups_by_predicate() -> None:
    net = small()
    group = PG.predicate(lambda path, p: p.ndim == 2, lambda path, p: path == "1.bias")
    wanted = ["0.weight", "1.bias", "2.weight"]
    assert [path for path, _ in group.select(net)] == wanted
    with pytest.raises(fogo.FormatError, match="a predicate is code"):
        group.exclude(PG.all()).to_dict()
    with pytest.raises(fogo.FormatError, match="the kind is .* given 'some'"):
        PG.from_dict({"kind": "some", "what": []})


def test_freeze_by_group(device: fogo.Device) -> None:
    net = small().to(device.autodiff())
    net.freeze().unfreeze(PG.paths("2.*"))
    assert net.num_params(trainable=True) == 8
    x = on(device.autodiff(), 5, 4)
    grads = net(x).sum().backward()
    assert grads[net[2].weight].shape == (2, 3)
    with pytest.raises(fogo.AutodiffError):
        _ = grads[net[0].weight]
    net.unfreeze()
    assert net.num_params(trainable=True) == net.num_params()
    assert net.no_grad().num_params(trainable=True) == 0


# Copies, moves, paths.


def test_a_fork_shares_nothing(device: fogo.Device) -> None:
    net = small()
    net.twice = nn.ModuleList([net[0], net[0]])
    net.to(device.autodiff()).freeze(PG.paths("0.*"))
    for made in (net.fork(), copy.deepcopy(net)):
        assert made is not net
        assert made.twice[0] is made.twice[1] is made[0]
        before = {n: t.tolist() for n, t in net.state_dict().items()}
        assert {n: t.tolist() for n, t in made.state_dict().items()} == before
        for (_, a), (_, b) in zip(net.named_parameters(), made.named_parameters()):
            assert a is not b
            assert a.wants_grad == b.wants_grad
        nn.init.zeros_(made[0].weight)
        made[1].running_mean += 1.0
        assert {n: t.tolist() for n, t in net.state_dict().items()} == before


def test_dtypes_and_devices(device: fogo.Device) -> None:
    net = small()
    assert net.to(device, "float16")[0].weight.dtype is fogo.float16
    assert net[1].num_batches_tracked.dtype.is_int
    assert net.float()[2].bias.dtype is fogo.float32
    assert net[0].weight.device is device
    assert net.half()[1].running_mean.dtype is fogo.float16
    assert net.to(device="python").to(dtype=fogo.float32)[0].weight.device.name == (
        "python"
    )


def test_paths() -> None:
    net = nn.Sequential(small(), nn.ReLU())
    assert net.get_submodule("0.1") is net[0][1]
    assert net.get_submodule("") is net
    assert net.get_parameter("0.2.bias") is net[0][2].bias
    assert net.get_buffer("0.1.running_mean") is net[0][1].running_mean
    with pytest.raises(fogo.FogoError, match="nothing lies at the path '7'; given"):
        net.get_submodule("0.7.weight")


def test_buffers_that_are_not_saved(device: fogo.Device) -> None:
    rope = nn.RotaryEncoding(4, 2)
    assert not rope.state_dict()
    assert [n for n, _ in rope.named_buffers()] == ["sines", "cosines"]
    assert rope.to(device).sines.device is device
    layer = nn.Linear(1, 1)
    layer.register_buffer("mark", fogo.ones(1))
    assert "mark" in layer.state_dict()
    layer.register_buffer("mark", fogo.ones(1), persistent=False)
    assert "mark" not in layer.state_dict()


# Containers.


def test_lists_change_as_lists_do() -> None:
    layers = nn.ModuleList([nn.Linear(1, i + 1) for i in range(3)])
    sizes = lambda: [m.out_features for m in layers]  # noqa: E731
    layers.insert(1, nn.Linear(1, 9))
    assert sizes() == [1, 9, 2, 3]
    assert layers.pop(0).out_features == 1
    layers[0] = nn.Linear(1, 7)
    assert sizes() == [7, 2, 3]
    del layers[-1]
    layers.extend([nn.Linear(1, 5)])
    assert sizes() == [7, 2, 5]
    assert list(layers.state_dict()) == [f"{i}.{n}" for i in range(3)
                                         for n in ("weight", "bias")]  # fmt: skip
    with pytest.raises(IndexError, match="ModuleList: index 3 of 3"):
        _ = layers[3]


def test_named_sequences_and_dictionaries() -> None:
    net = nn.Sequential({"first": nn.Linear(2, 3), "last": nn.Linear(3, 1)})
    assert list(net.state_dict())[-1] == "last.bias"
    assert net[-1] is net.last
    assert len(net[:1]) == 1
    heads = nn.ModuleDict([("b", nn.Linear(1, 1)), ("a", nn.Linear(1, 2))])
    assert heads.keys() == ["b", "a"]
    assert heads.pop("b").out_features == 1
    assert [n for n, _ in heads.named_parameters()] == ["a.weight", "a.bias"]
    with pytest.raises(KeyError, match="name of a method"):
        heads["forward"] = nn.ReLU()
    weights = nn.ParameterDict({"x": fogo.ones(2)})
    weights.update({"y": fogo.ones(3)})
    assert weights.num_params() == 5
    assert isinstance(weights["y"], nn.Parameter)
    listed = nn.ParameterList([fogo.ones(2)]).append(fogo.ones(1))
    assert [n for n, _ in listed.named_parameters()] == ["0", "1"]


# Visitors and mappers.


class Log(nn.ModuleVisitor):
    def __init__(self) -> None:
        self.seen: list[str] = []

    def enter_module(self, path: str, module: Any) -> None:
        self.seen.append(f"+{path}")

    def exit_module(self, path: str, module: Any) -> None:
        self.seen.append(f"-{path}")

    def visit_float(self, path: str, tensor: Any) -> None:
        self.seen.append(path)

    def visit_int(self, path: str, tensor: Any) -> None:
        self.seen.append(f"int {path}")


def test_visitors_see_all_in_order() -> None:
    log = Log()
    nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1)).visit(log)
    assert log.seen == [
        "+", "+0", "0.weight", "0.bias", "-0", "+1", "1.weight", "1.bias",
        "1.running_mean", "1.running_var", "int 1.num_batches_tracked", "-1", "-",
    ]  # fmt: skip


def test_mappers_keep_parameters(device: fogo.Device) -> None:
    class Doubled(nn.ModuleMapper):
        def map_float(self, path: str, tensor: Any) -> Any:
            return tensor * 2.0 if path.endswith("weight") else tensor

        def map_int(self, path: str, tensor: Any) -> Any:
            return tensor + 5

    net = small().to(device.autodiff())
    weight, before = net[0].weight, net[0].weight.tolist()
    assert net.map(Doubled()) is net
    assert net[0].weight is weight
    assert weight.requires_grad
    np.testing.assert_allclose(weight.tolist(), 2 * np.array(before))
    assert net[1].num_batches_tracked.item() == 5


# Hooks.


def test_hooks_change_what_goes_in_and_out(device: fogo.Device) -> None:
    layer = nn.Identity()
    x = fogo.tensor([1.0, 2.0], device=device)
    order = []

    def before(module: Any, args: Any) -> Any:
        order.append("before")
        return args[0] + 1.0

    def after(module: Any, args: Any, output: Any) -> Any:
        order.append("after")
        return output * 10.0

    first = layer.register_forward_pre_hook(before)
    with layer.register_forward_hook(after):
        assert layer(x).tolist() == [20.0, 30.0]
        layer.register_forward_pre_hook(
            lambda m, args: order.append("first"), prepend=True
        )
        layer(x)
    assert order == ["before", "after", "first", "before", "after"]
    assert layer(x).tolist() == [2.0, 3.0]
    first.remove()
    first.remove()
    assert layer(x).tolist() == [1.0, 2.0]
    handle = layer.register_forward_pre_hook(
        lambda m, args, kwargs: ((args[0] * 3.0,), kwargs), with_kwargs=True
    )
    assert layer(x).tolist() == [3.0, 6.0]
    handle.remove()
    layer.register_forward_hook(
        lambda m, args, kwargs, out: out - 1.0, with_kwargs=True
    )
    assert layer(x).tolist() == [0.0, 1.0]


def test_apply_goes_from_below(device: fogo.Device) -> None:
    net = small().to(device)
    net.apply(lambda m: nn.init.ones_(m.weight) if isinstance(m, nn.Linear) else None)
    assert net[2].weight.tolist() == [[1.0] * 3] * 2


# Parameters that are computed.


def norms(lib: Any) -> Any:
    return lib.nn.utils.parametrizations


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_is_pytorchs(dim: int | None, device: fogo.Device) -> None:
    theirs = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(4, 3), dim=dim)
    ours = weight_norm(nn.Linear(4, 3), dim=dim)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.to(device.autodiff()).load_state_dict(theirs.state_dict())
    x = uniform(5, 4)
    y, z = ours(on(device.autodiff(), 5, 4)), theirs(torch.tensor(x))
    near(y, z, "output")
    grads = y.square().sum().backward()
    z.square().sum().backward()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        near(grads[p], q.grad, name, 4)
    plain = ours.weight.tolist()
    nn.remove_parametrizations(ours, "weight")
    assert list(ours.state_dict()) == ["bias", "weight"]
    assert ours.weight.tolist() == plain


@pytest.mark.parametrize("kind", ["Linear", "Conv1d"])
def test_spectral_norm_is_pytorchs(kind: str, device: fogo.Device) -> None:
    sizes = (4, 3) if kind == "Linear" else (4, 3, 2)
    theirs = torch.nn.utils.parametrizations.spectral_norm(
        getattr(torch.nn, kind)(*sizes)
    )
    ours = spectral_norm(getattr(nn, kind)(*sizes))
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.to(device.autodiff()).load_state_dict(theirs.state_dict())
    shape = (5, 4) if kind == "Linear" else (5, 4, 6)
    x = uniform(*shape)
    for step in range(3):  # each looks one step further
        y, z = ours(on(device.autodiff(), *shape)), theirs(torch.tensor(x))
        near(y, z, f"output {step}", 4)
    grads = y.square().sum().backward()
    z.square().sum().backward()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        near(grads[p], q.grad, name, 8)
    ours.eval()
    theirs.eval()
    state = ours.state_dict()["parametrizations.weight.0._u"].tolist()
    near(ours(on(device, *shape)), theirs(torch.tensor(x)), "eval", 4)
    assert ours.state_dict()["parametrizations.weight.0._u"].tolist() == state
    fogo.manual_seed(1)
    fresh = spectral_norm(nn.Linear(6, 5))
    for _ in range(300):
        weight = fresh.weight
    assert np.linalg.norm(weight.numpy(), 2) == pytest.approx(1.0, abs=1e-4)


def test_reparameterisation_by_group(device: fogo.Device) -> None:
    class Tripled(nn.Reparameterization):
        def forward(self, original: Any) -> Any:
            return original * 3.0

        def right_inverse(self, value: Any) -> Any:
            return value / 3.0

    net = small().to(device.autodiff())
    x = on(device.autodiff(), 5, 4)
    wanted = net(x).tolist()
    net.apply_reparameterization(lambda path, v: Tripled(), PG.paths("*.weight"))
    assert nn.is_parametrized(net[0], "weight")
    assert not nn.is_parametrized(net[0], "bias")
    np.testing.assert_allclose(net(x).tolist(), wanted, atol=1e-5)
    base = net[0].parametrizations.weight
    np.testing.assert_allclose(
        3 * base.base().numpy(), net[0].weight.numpy(), atol=1e-6
    )
    grads = net[0](x).sum().backward()
    near(grads[base.original], torch.tensor(3 * uniform(5, 4).sum(0)).expand(3, 4), "g")
    made = net.fork()
    np.testing.assert_allclose(made(x).tolist(), net(x).tolist(), atol=1e-6)
    assert made[0].parametrizations.weight.original is not base.original
    with pytest.raises(fogo.FogoError, match="not computed yet; given 'weight'"):
        nn.register_parametrization(net[0], "weight", Tripled())
    with pytest.raises(fogo.FogoError, match="keeps its shape"):
        nn.register_parametrization(net[0], "bias", lambda v: v[:1])
    assert net[0].bias.shape == (3,)
    with pytest.raises(fogo.FogoError, match="of a computed parameter"):
        nn.remove_parametrizations(net[0], "bias")
    nn.remove_parametrizations(net[0], "weight", leave_parametrized=False)
    assert not nn.is_parametrized(net[0])
    with pytest.raises(AttributeError, match="no attribute 'weigth'"):
        _ = net[0].weigth


# LoRA.


def test_lora(device: fogo.Device) -> None:
    """Starts as nothing, learns alone, merges and comes out again, saves by itself."""
    net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
    net.to(device.autodiff())
    x = on(device.autodiff(), 5, 4)
    wanted = net(x).tolist()
    lora = nn.LoRA(rank=2, alpha=8.0, group=PG.paths("*.weight"))
    assert net.apply_lora(lora) is net
    assert net(x).tolist() == wanted
    assert net.num_params(trainable=True) == 2 * (4 + 6) + 2 * (6 + 2)
    trained = [n for n, p in net.named_parameters() if p.wants_grad]
    assert all("lora_" in name for name in trained)
    held = net[0].parametrizations.weight
    rule = getattr(held, "0")
    rule.lora_B.assign(on(device, 6, 2).to(device.autodiff()))
    base = held.base().numpy().astype(np.float64)
    product = rule.lora_B.numpy().astype(np.float64) @ rule.lora_A.numpy()
    np.testing.assert_allclose(net[0].weight.numpy(), base + 4 * product, atol=2e-5)
    grads = net(x).square().sum().backward()
    assert grads[rule.lora_A].shape == (2, 4)
    adapted = np.array(net(x).tolist())
    assert np.abs(adapted - wanted).max() > 0.01
    saved = nn.lora_state_dict(net)
    assert list(saved) == [n for n in net.state_dict() if "lora_" in n]
    nn.merge_lora(net)
    nn.merge_lora(net)
    np.testing.assert_allclose(net(x).tolist(), adapted, atol=3e-6)
    nn.unmerge_lora(net)
    np.testing.assert_allclose(held.base().numpy(), base, atol=1e-6)
    other = net.fork()
    rule.lora_B.assign(rule.lora_B.detach() * 0.0)
    np.testing.assert_allclose(net(x).tolist(), wanted, atol=1e-5)
    nn.load_lora_state_dict(net, saved)
    np.testing.assert_allclose(net(x).tolist(), adapted, atol=1e-5)
    nn.remove_lora(net)
    assert "0.weight" in net.state_dict()
    assert len(net.state_dict()) == 4
    np.testing.assert_allclose(net(x).tolist(), adapted, atol=1e-5)
    nn.remove_lora(other, merge=False)
    np.testing.assert_allclose(other(x).tolist(), wanted, atol=1e-5)


def test_lora_wrong_uses() -> None:
    with pytest.raises(fogo.FogoError, match="the rank is at least 1; given 0"):
        nn.LoRA(rank=0)
    with pytest.raises(fogo.FogoError, match="the group has a weight of 2"):
        small().apply_lora(nn.LoRA(group=PG.paths("*.bias")))
    with pytest.raises(fogo.FogoError, match="without; call apply_lora first"):
        nn.lora_state_dict(small())
    net = small().apply_lora(nn.LoRA(2, dtype=fogo.float16))
    rule = getattr(net[0].parametrizations.weight, "0")
    assert rule.lora_A.dtype is fogo.float16
    assert net[0].weight.dtype is fogo.float32
    with pytest.raises(fogo.FogoError, match="missing .*lora_A.*unexpected .'x'"):
        nn.load_lora_state_dict(net, {"x": fogo.ones(1)})


# Loading and showing.


def test_near_names_are_suggested() -> None:
    net = small()
    state = dict(net.state_dict())
    state["0.wieght"] = state.pop("0.weight")
    with pytest.raises(fogo.FormatError, match=r"0\.wieght \(like 0\.weight\)"):
        net.load_state_dict(state)
    report = net.load_state_dict(state, strict=False)
    assert report.missing_keys == ["0.weight"]
    assert report.unexpected_keys == ["0.wieght"]


def test_summary(device: fogo.Device) -> None:
    net = small().to(device)
    net.freeze(PG.paths("0.*"))
    table = net.summary(on(device, 5, 4))
    assert [(row[2], row[3]) for row in table.rows] == [
        ("Sequential", "[5, 2]"), ("Linear", "[5, 3]"), ("BatchNorm1d", "[5, 3]"),
        ("Linear", "[5, 2]"),
    ]  # fmt: skip
    assert (table.total, table.trainable) == (29, 14)
    assert "29 (14 trainable, 15 frozen)" in str(table)
    assert not net.__dict__["_hooks"].after
    lstm = nn.LSTM(4, 3).to(device)
    assert nn.summary(lstm, on(device, 2, 1, 4)).rows[0][3] == (
        "[2, 1, 3], [1, 1, 3], [1, 1, 3]"
    )
