"""Groups, freezing, forks, paths, containers, visitors, hooks, summaries."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fogo
from fogo import nn
from tests.nn.tools import on, small

PG = nn.ParamGroup


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


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize(("group", "wanted"), GROUPS, ids=lambda x: str(x)[:40])
def test_groups(group: nn.ParamGroup, wanted: list[str]) -> None:
    """They choose by their rule, and do so after a way through JSON."""
    net = small()
    assert [path for path, _ in group.select(net)] == wanted
    again = PG.from_dict(json.loads(json.dumps(group.to_dict())))
    assert [path for path, _ in again.select(net)] == wanted


@pytest.mark.usefixtures("everywhere")
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


@pytest.mark.usefixtures("everywhere")
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


# Loading and showing.


@pytest.mark.usefixtures("everywhere")
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
    assert net.__dict__["_hooks"] is None
    lstm = nn.LSTM(4, 3).to(device)
    assert nn.summary(lstm, on(device, 2, 1, 4)).rows[0][3] == (
        "[2, 1, 3], [1, 1, 3], [1, 1, 3]"
    )


# Parameters that wait, parts of a state, configurations.


class Waiting(nn.Module):
    """A layer whose weight is drawn at first use; `draws` counts."""

    def __init__(self, draws: list[Any]) -> None:
        def draw(shape: Any, device: Any) -> Any:
            draws.append(device.name)
            return fogo.rand(*shape, device=device)

        self.weight = nn.LazyParameter((2, 3), draw)

    def forward(self, x: Any) -> Any:
        return x @ self.weight


def test_parameters_that_wait(device: fogo.Device) -> None:
    draws: list[Any] = []
    layer = Waiting(draws).to(device.autodiff())
    made = layer.fork()
    assert layer.num_params() == 6
    assert layer.weight.dtype is fogo.float32
    assert not draws
    x = on(device.autodiff(), 4, 2)
    grads = layer(x).sum().backward()
    assert grads[layer.weight].shape == (2, 3)
    assert len(draws) == 1
    assert made.weight.tolist() == layer.weight.tolist()
    assert len(draws) == 1
    given = Waiting(draws).to(device.autodiff())
    given.load_state_dict(layer.state_dict())
    assert given.weight.tolist() == layer.weight.tolist()
    assert given.weight.requires_grad
    assert len(draws) == 1
    frozen = Waiting(draws).no_grad().half().to(device.autodiff())
    assert frozen.weight.tolist()[0][0] >= 0.0
    assert frozen.weight.dtype is fogo.float16
    assert not frozen.weight.requires_grad


def test_a_part_of_the_state(device: fogo.Device) -> None:
    net = small().to(device)
    assert net.devices() == [device]
    assert list(net.state_dict(group=PG.paths("2.*"))) == ["2.weight", "2.bias"]


class Inner(nn.Config):
    heads = 2
    rates = (0.1, 0.2)


class Outer(nn.Config):
    size = nn.Config.REQUIRED
    inner = Inner()


def test_configurations(tmp_path: Path) -> None:
    given = Outer(size=3).with_(inner=Inner(heads=5, rates=[1.0]))
    given.save(str(tmp_path / "net.json"))
    again = Outer.load(str(tmp_path / "net.json"))
    assert again == given
    assert again != Outer(size=3)
    assert len({again, given}) == 1
    assert repr(Inner()) == "Inner(heads=2, rates=(0.1, 0.2))"
    with pytest.raises(fogo.FormatError, match="size has no default"):
        Outer()
    with pytest.raises(fogo.FormatError, match="settings are inner, size; given 'x'"):
        Outer(size=1, x=2)


def test_hooks_of_saving_and_loading(device: fogo.Device) -> None:
    """A layer that keeps its weight transposed, and an old name, in its files."""
    net = nn.Sequential(nn.Linear(2, 3)).to(device)

    def saving(module: Any, state: Any, prefix: str) -> None:
        state[prefix + "kernel"] = state.pop(prefix + "weight").transpose()

    def loading(module: Any, state: Any, prefix: str) -> None:
        state[prefix + "weight"] = state.pop(prefix + "kernel").transpose()

    wanted = net[0].weight.tolist()
    with (
        net[0].register_state_dict_post_hook(saving),
        net[0].register_load_state_dict_pre_hook(loading),
    ):
        saved = net.state_dict()
        assert sorted(saved) == ["0.bias", "0.kernel"]
        nn.init.zeros_(net[0].weight)
        net.load_state_dict(saved)
        assert sorted(saved) == ["0.bias", "0.kernel"]
    assert net[0].weight.tolist() == wanted
    assert sorted(net.state_dict()) == ["0.bias", "0.weight"]
