"""Each layer beside PyTorch's: output, gradients, buffers, names of the state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import nn
from tests.nn.against_torch import compare, near, twin, uniform

# (name of the class, its arguments, shapes of x)
LAYERS: list[tuple[str, dict[str, Any], list[tuple[int, ...]]]] = [
    ("Linear", dict(in_features=5, out_features=3), [(4, 5), (5,), (2, 3, 5)]),
    ("Linear", dict(in_features=5, out_features=3, bias=False), [(4, 5)]),
    ("Identity", {}, [(2, 3)]),
    ("Flatten", {}, [(2, 3, 4)]),
    ("Flatten", dict(start_dim=0, end_dim=1), [(2, 3, 4)]),
    ("Conv1d", dict(in_channels=3, out_channels=4, kernel_size=3), [(2, 3, 7)]),
    (
        "Conv2d",
        dict(in_channels=2, out_channels=4, kernel_size=3, padding=1),
        [(2, 2, 5, 6), (2, 5, 6)],
    ),
    (
        "Conv2d",
        dict(
            in_channels=4, out_channels=6, kernel_size=(3, 2), stride=(2, 1), groups=2
        ),
        [(1, 4, 7, 5)],
    ),
    (
        "Conv2d",
        dict(in_channels=2, out_channels=3, kernel_size=3, padding="same", dilation=2),
        [(1, 2, 6, 6)],
    ),
    (
        "Conv3d",
        dict(in_channels=2, out_channels=2, kernel_size=2, bias=False),
        [(1, 2, 3, 4, 3)],
    ),
    (
        "ConvTranspose2d",
        dict(in_channels=3, out_channels=2, kernel_size=3, stride=2, padding=1),
        [(2, 3, 4, 3)],
    ),
    (
        "ConvTranspose2d",
        dict(
            in_channels=4, out_channels=2, kernel_size=2, stride=3, output_padding=1,
            groups=2, bias=False, dilation=2,
        ),
        [(1, 4, 3, 3)],
    ),
    ("MaxPool1d", dict(kernel_size=2), [(2, 3, 7)]),
    ("MaxPool2d", dict(kernel_size=2), [(2, 3, 6, 5)]),
    (
        "MaxPool2d",
        dict(kernel_size=3, stride=2, padding=1, dilation=2, ceil_mode=True),
        [(1, 2, 8, 9)],
    ),
    ("AvgPool1d", dict(kernel_size=3, stride=2), [(2, 3, 8)]),
    (
        "AvgPool2d",
        dict(kernel_size=3, stride=2, padding=1, count_include_pad=False),
        [(2, 3, 6, 7)],
    ),
    ("AdaptiveAvgPool2d", dict(output_size=1), [(2, 3, 5, 4)]),
    ("AdaptiveAvgPool2d", dict(output_size=(3, None)), [(2, 3, 5, 4)]),
    ("BatchNorm1d", dict(num_features=3), [(6, 3), (4, 3, 5)]),
    ("BatchNorm2d", dict(num_features=3), [(4, 3, 2, 3)]),
    ("BatchNorm2d", dict(num_features=3, momentum=None), [(4, 3, 2, 3)]),
    ("BatchNorm2d", dict(num_features=3, affine=False, eps=1e-3), [(4, 3, 2, 3)]),
    ("BatchNorm2d", dict(num_features=3, track_running_stats=False), [(4, 3, 2, 3)]),
    ("LayerNorm", dict(normalized_shape=5), [(3, 5), (2, 3, 5)]),
    ("LayerNorm", dict(normalized_shape=(3, 5), bias=False), [(2, 3, 5)]),
    ("LayerNorm", dict(normalized_shape=5, elementwise_affine=False), [(3, 5)]),
    ("GroupNorm", dict(num_groups=2, num_channels=4), [(3, 4, 5)]),
    ("GroupNorm", dict(num_groups=4, num_channels=4, affine=False), [(2, 4, 3, 2)]),
    ("RMSNorm", dict(normalized_shape=5), [(3, 5)]),
    ("RMSNorm", dict(normalized_shape=(3, 5), eps=1e-2), [(2, 3, 5)]),
    ("ReLU", {}, [(3, 4)]),
    ("ReLU6", {}, [(3, 4)]),
    ("GELU", {}, [(3, 4)]),
    ("GELU", dict(approximate="tanh"), [(3, 4)]),
    ("SiLU", {}, [(3, 4)]),
    ("Mish", {}, [(3, 4)]),
    ("Tanh", {}, [(3, 4)]),
    ("Tanhshrink", {}, [(3, 4)]),
    ("Sigmoid", {}, [(3, 4)]),
    ("LogSigmoid", {}, [(3, 4)]),
    ("Hardsigmoid", {}, [(3, 4)]),
    ("Hardswish", {}, [(3, 4)]),
    ("Softsign", {}, [(3, 4)]),
    ("SELU", {}, [(3, 4)]),
    ("LeakyReLU", dict(negative_slope=0.2), [(3, 4)]),
    ("PReLU", {}, [(3, 4)]),
    ("PReLU", dict(num_parameters=4), [(3, 4, 2)]),
    ("ELU", dict(alpha=0.7), [(3, 4)]),
    ("CELU", dict(alpha=0.7), [(3, 4)]),
    ("Softplus", dict(beta=2.0, threshold=3.0), [(3, 4)]),
    ("Hardtanh", dict(min_val=-0.5, max_val=1.5), [(3, 4)]),
    ("Softmax", dict(dim=1), [(3, 4)]),
    ("Softmax", dict(dim=0), [(3, 4)]),
    ("LogSoftmax", dict(dim=-1), [(3, 4)]),
    ("GLU", dict(dim=1), [(3, 4)]),
]  # fmt: skip


def label(row: tuple[str, dict[str, Any], Any]) -> str:
    return row[0] + "".join(f"-{k}={v}" for k, v in row[1].items())


@pytest.mark.parametrize("row", LAYERS, ids=map(label, LAYERS))
def test_layer(row: tuple[str, dict[str, Any], Any], device: fogo.Device) -> None:
    name, options, shapes = row
    for shape in shapes:
        ours = getattr(nn, name)(**options)
        theirs = getattr(torch.nn, name)(**options)
        with torch.no_grad():
            for p in theirs.parameters():  # ones and zeros would hide a mistake
                p.add_(torch.tensor(uniform(*p.shape)) * 0.3)
        compare(ours, theirs, device, [uniform(*shape)])


def test_embedding(device: fogo.Device) -> None:
    index = np.array([[0, 3, 3], [5, 1, 2]], dtype=np.int32)
    compare(nn.Embedding(6, 4), torch.nn.Embedding(6, 4), device, [index])
    for place in (3, -3):
        ours = nn.Embedding(6, 4, padding_idx=place)
        assert ours.weight[3].tolist() == [0.0] * 4
        theirs = torch.nn.Embedding(6, 4, padding_idx=place)
        compare(ours, theirs, device, [index])


@pytest.mark.parametrize("momentum", [0.3, None])
def test_batch_norm_over_time(momentum: float | None, device: fogo.Device) -> None:
    """Three batches in training, then inference by the running statistics."""
    theirs = torch.nn.BatchNorm1d(3, momentum=momentum)
    ours, _ = twin(nn.BatchNorm1d(3, momentum=momentum), theirs, device)
    for seed in range(3):
        x = uniform(5, 3, seed=seed)
        ours(fogo.tensor(x.tolist(), device=device.autodiff()))
        theirs(torch.tensor(x))
    for name, buffer in theirs.named_buffers():
        near(dict(ours.named_buffers())[name], buffer, name)
    assert not any(b.requires_grad for b in ours.buffers())
    ours.eval()
    theirs.eval()
    before = [b.tolist() for b in ours.buffers()]
    x = uniform(4, 3)
    near(ours(fogo.tensor(x.tolist(), device=device)), theirs(torch.tensor(x)), "eval")
    assert [b.tolist() for b in ours.buffers()] == before


LOSSES: list[tuple[str, dict[str, Any], str]] = [
    ("MSELoss", {}, "like"),
    ("MSELoss", dict(reduction="sum"), "like"),
    ("L1Loss", dict(reduction="none"), "like"),
    ("HuberLoss", dict(delta=0.7), "like"),
    ("SmoothL1Loss", dict(beta=0.7), "like"),
    ("CrossEntropyLoss", {}, "class"),
    ("CrossEntropyLoss", dict(label_smoothing=0.1, reduction="sum"), "class"),
    ("CrossEntropyLoss", dict(ignore_index=1, weight=True), "class"),
    ("CrossEntropyLoss", dict(reduction="none"), "probability"),
    ("NLLLoss", dict(weight=True), "class"),
    ("NLLLoss", dict(ignore_index=2, reduction="sum"), "class"),
    ("BCEWithLogitsLoss", {}, "unit"),
    ("BCEWithLogitsLoss", dict(pos_weight=True, reduction="none"), "unit"),
]


@pytest.mark.parametrize("row", LOSSES, ids=map(label, LOSSES))
def test_loss(row: tuple[str, dict[str, Any], str], device: fogo.Device) -> None:
    name, options, kind = row
    x, mine, theirs = uniform(5, 3), dict(options), dict(options)
    for key in ("weight", "pos_weight"):
        if key in options:
            mine[key] = fogo.tensor([0.5, 1.0, 2.0])
            theirs[key] = torch.tensor([0.5, 1.0, 2.0])
    target = uniform(5, 3, seed=9)
    if kind == "class":
        target = np.array([0, 2, 1, 1, 2], dtype=np.int32)
    elif kind == "probability":
        target = np.exp(target) / np.exp(target).sum(1, keepdims=True)
    elif kind == "unit":
        target = np.abs(target) / 2
    ours = getattr(nn, name)(**mine).to(device.autodiff())
    dev = device.autodiff()
    a = fogo.tensor(x.tolist(), device=dev).requires_grad_()
    b = torch.tensor(x, requires_grad=True)
    wanted = torch.tensor(target)
    if kind == "class":
        wanted = wanted.long()
    given = fogo.tensor(target.tolist(), dtype=target.dtype.name, device=dev)
    y = ours(a, given)
    z = getattr(torch.nn, name)(**theirs)(b, wanted)
    near(y, z, "loss")
    near(y.sum().backward()[a], torch.autograd.grad(z.sum(), b)[0], "gradient")


def test_dropout(device: fogo.Device) -> None:
    layer = nn.Dropout(0.25).to(device.autodiff())
    x = fogo.ones(4000, device=device.autodiff()).requires_grad_()
    y = layer(x)
    values = y.tolist()
    assert sorted(set(values)) == pytest.approx([0.0, 4 / 3])
    kept = sum(v > 0 for v in values) / 4000
    assert abs(kept - 0.75) < 0.04
    assert y.sum().backward()[x].tolist() == values
    assert layer(x).tolist() != values  # the next draw is another
    layer.eval()
    assert layer(x).tolist() == [1.0] * 4000
    assert nn.Dropout(1.0)(x).tolist() == [0.0] * 4000


def test_a_whole_network(device: fogo.Device) -> None:
    """Layers in a row, as in the demo: gradients pass through all of them."""

    def build(lib: Any) -> Any:
        return lib.Sequential(
            lib.Conv2d(1, 4, 3, padding=1),
            lib.BatchNorm2d(4),
            lib.ReLU(),
            lib.MaxPool2d(2),
            lib.Flatten(),
            lib.Linear(64, 5),
            lib.LogSoftmax(1),
        )

    torch.manual_seed(0)
    compare(build(nn), build(torch.nn), device, [uniform(3, 1, 8, 8)], factor=3)
