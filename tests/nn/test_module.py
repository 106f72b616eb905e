"""Module on CPython: hints, generic use, PyTorch's checkpoints, repr of every layer."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import numpy as np
import pytest
import torch

import fogo
from fogo import nn, optim
from fogo.store import load_safetensors, open_safetensors, save_safetensors


def test_every_name_of_the_tables_is_there() -> None:
    """The lazy table and the imports for type checkers name the same things."""
    source = Path(nn.__file__).read_text()
    hinted = set(re.findall(r"\s(\w+) as", source)) - set(nn._ROOMS)
    assert hinted == set(nn._HOMES)
    for name in nn._HOMES:
        assert callable(getattr(nn, name))
    with pytest.raises(AttributeError, match="Linearr"):
        _ = nn.Linearr  # type: ignore[attr-defined]


@pytest.mark.usefixtures("everywhere")
def test_repr_is_a_tree_with_counts() -> None:
    net = nn.Sequential(
        nn.Conv2d(1, 8, (3, 1), stride=2, padding="valid", groups=1, bias=False),
        nn.MaxPool2d(2, padding=1),
        nn.BatchNorm2d(8, momentum=0.2),
        nn.Sequential(nn.Linear(1000, 1234), nn.Dropout(0.1)),
        nn.LayerNorm((3, 4), eps=0.1),
        nn.Embedding(4, 2, padding_idx=1),
        nn.CrossEntropyLoss(reduction="sum"),
    )
    net[3].requires_grad_(False)
    assert repr(net) == (
        "Sequential(\n"
        "  (0): Conv2d(1, 8, kernel_size=(3, 1), stride=2, padding='valid', "
        "bias=False) · 24 parameters\n"
        "  (1): MaxPool2d(kernel_size=2, padding=1)\n"
        "  (2): BatchNorm2d(8, momentum=0.2) · 16 parameters\n"
        "  (3): Sequential(\n"
        "    (0): Linear(1000, 1234) · 1,235,234 parameters, 1,235,234 frozen\n"
        "    (1): Dropout(p=0.1)\n"
        "  ) · 1,235,234 parameters, 1,235,234 frozen\n"
        "  (4): LayerNorm((3, 4), eps=0.1) · 24 parameters\n"
        "  (5): Embedding(4, 2, padding_idx=1) · 8 parameters\n"
        "  (6): CrossEntropyLoss(reduction='sum')\n"
        ") · 1,235,306 parameters, 1,235,234 frozen"
    )
    assert repr(nn.Parameter(fogo.ones(1, device="python"))).startswith("Parameter: ")


def test_a_checkpoint_goes_to_pytorch_and_back(
    device: fogo.Device, tmp_path: Path
) -> None:
    def build(lib):  # type: ignore[no-untyped-def]
        return lib.Sequential(lib.Conv2d(1, 2, 3), lib.BatchNorm2d(2), lib.PReLU())

    from safetensors.torch import load_file, save_file

    theirs, ours = build(torch.nn), build(nn).to(device.autodiff())
    theirs(torch.rand(2, 1, 5, 5))
    file = tmp_path / "m.safetensors"
    save_file(theirs.state_dict(), file)
    with open_safetensors(file) as lazy:
        assert repr(ours.load_state_dict(lazy)) == "<All keys matched successfully>"
    for (name, a), b in zip(
        ours.state_dict().items(), theirs.state_dict().values(), strict=True
    ):
        assert a.tolist() == b.tolist(), name
    save_safetensors(file, build(nn).state_dict())
    theirs.load_state_dict(load_file(file))


def test_half_the_size_on_disk(device: fogo.Device, tmp_path: Path) -> None:
    """float16 in the file, the model's own float32 after loading, everywhere."""
    fogo.manual_seed(2)
    net = nn.Linear(30, 20, device=device)
    file = tmp_path / "half.safetensors"
    save_safetensors(file, net.state_dict(), cast="float16")
    assert file.stat().st_size < 30 * 20 * 2 + 300
    assert load_safetensors(file, "python")["weight"].dtype is fogo.float16
    before = net.weight.numpy()
    with open_safetensors(file, "python") as lazy:
        net.load_state_dict(lazy)
    assert net.weight.dtype is fogo.float32
    after = net.weight.numpy()
    np.testing.assert_array_equal(after, before.astype(np.float16).astype(np.float32))


def test_state_of_numpy_arrays_and_torch_tensors() -> None:
    net = nn.Linear(2, 1, device="python")
    net.load_state_dict({"weight": np.array([[1.0, 2.0]]), "bias": torch.tensor([3.0])})
    assert net.weight.tolist() == [[1.0, 2.0]]
    assert net.bias is not None and net.bias.tolist() == [3.0]


def test_a_deep_copy_is_a_model_of_its_own(device: fogo.Device) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).to(device.autodiff())
    net.first = net[0]
    twin = copy.deepcopy(net)
    assert twin.first is twin[0] and twin[0] is not net[0]
    assert twin[0].weight.device is net[0].weight.device
    assert twin[0].weight.requires_grad
    before = net[0].weight.tolist()
    assert twin[0].weight.tolist() == before
    x = fogo.tensor([[1.0, 2.0], [3.0, 5.0]], device=device.autodiff())
    grads = twin(x).square().sum().backward()
    assert twin[0].weight in grads and net[0].weight not in grads
    optim.SGD(twin, 0.1).step(twin(x)[0].sum().backward())
    assert net[0].weight.tolist() == before != twin[0].weight.tolist()
    assert net[1].num_batches_tracked.item() == 0
