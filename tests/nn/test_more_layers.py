"""Layers that PyTorch has not, those that draw, and what layers refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import fogo
from fogo import nn
from fogo.nn import functional
from tests.nn.against_torch import near, uniform
from tests.ops.references.deform import deform


def leaf(array: Any, device: fogo.Device) -> Any:
    x = fogo.tensor(array.tolist(), device=device.autodiff())
    return x.reshape(array.shape).requires_grad_()


PADDINGS = [
    (1, ((1, 2),)), (2, ((1, 2), (0, 3))), (2, ((2, 0), 1)), (3, ((0, 1), (2, 1), 0)),
]  # fmt: skip


@pytest.mark.parametrize(("rank", "padding"), PADDINGS)
def test_padding_may_differ_before_and_after(
    rank: int, padding: Any, device: fogo.Device
) -> None:
    """PyTorch pads first and convolves then."""
    layer = getattr(nn, f"Conv{rank}d")(2, 3, 3, padding=padding)
    layer.to(device.autodiff())
    x = uniform(1, 2, *(5, 4, 3)[:rank])
    a, b = leaf(x, device), torch.tensor(x, requires_grad=True)
    pairs = [p if isinstance(p, tuple) else (p, p) for p in padding]
    wide = F.pad(b, [width for pair in reversed(pairs) for width in pair])
    w, bias = [torch.tensor(p.numpy(), requires_grad=True) for p in layer.parameters()]
    y, z = layer(a), getattr(F, f"conv{rank}d")(wide, w, bias)
    near(y, z, "output", 5)
    grads = y.square().sum().backward()
    z.square().sum().backward()
    near(grads[a], b.grad, "gradient by x", 10)
    near(grads[layer.weight], w.grad, "gradient by the weight", 10)


def test_deformable_convolution(device: fogo.Device) -> None:
    """By its definition, tap by tap; without offsets it is a convolution."""
    layer = nn.DeformConv2d(2, 2, 2, padding=1, device=device.autodiff())
    assert list(layer.state_dict()) == ["weight", "bias"]
    x, offset, mask = uniform(1, 2, 3, 3), uniform(1, 8, 4, 4), uniform(1, 4, 4, 4)
    given = [leaf(v, device) for v in (x, offset, mask)]
    there = [torch.tensor(v, requires_grad=True) for v in (x, offset, mask)]
    w, bias = [torch.tensor(p.numpy(), requires_grad=True) for p in layer.parameters()]
    y = layer(*given)
    z = deform(torch)(there[0], there[1], w, bias, padding=1, mask=there[2])
    near(y, z, "output", 5)
    grads = y.square().sum().backward()
    z.square().sum().backward()
    for a, b in zip([*given, layer.weight, layer.bias], [*there, w, bias]):
        near(grads[a], b.grad, "gradient", 10)
    still = layer(given[0], given[1] * 0.0)
    near(still, F.conv2d(there[0], w, bias, padding=1), "no offset", 5)


DROPOUTS = [("Dropout1d", (40, 30, 2)), ("Dropout2d", (40, 30, 2, 1)),
            ("Dropout3d", (40, 30, 1, 2, 1))]  # fmt: skip


@pytest.mark.parametrize(("name", "shape"), DROPOUTS)
def test_whole_channels_are_dropped(
    name: str, shape: tuple[int, ...], device: fogo.Device
) -> None:
    fogo.manual_seed(3)
    layer = getattr(nn, name)(0.25)
    y = layer(fogo.ones(shape, device=device)).numpy().reshape(40, 30, -1)
    assert (y == y[:, :, :1]).all()
    assert sorted(set(y.ravel().tolist())) == pytest.approx([0.0, 4 / 3])
    assert abs((y[:, :, 0] > 0).mean() - 0.75) < 0.04
    layer.eval()
    assert (layer(fogo.ones(shape, device=device)).numpy() == 1).all()


@pytest.mark.parametrize("name", ["AlphaDropout", "FeatureAlphaDropout"])
def test_alpha_dropout_keeps_mean_and_variance(name: str, device: fogo.Device) -> None:
    fogo.manual_seed(4)
    x = fogo.randn(2000, 3, 2, device=device)
    y = getattr(nn, name)(0.3)(x).numpy()
    assert abs(y.mean()) < 0.06
    assert abs(y.std() - 1) < 0.06


def test_gaussian_noise(device: fogo.Device) -> None:
    fogo.manual_seed(5)
    layer = nn.GaussianNoise(0.5)
    y = layer(fogo.ones(6000, device=device)).numpy()
    assert abs(y.mean() - 1) < 0.03
    assert abs(y.std() - 0.5) < 0.02
    layer.eval()
    assert layer(fogo.ones(3, device=device)).tolist() == [1.0] * 3


def test_random_slopes_stay_between_their_bounds(device: fogo.Device) -> None:
    fogo.manual_seed(6)
    x = -fogo.ones(500, device=device)
    slopes = -nn.RReLU(0.2, 0.6)(x).numpy()
    assert slopes.min() >= 0.2 and slopes.max() <= 0.6
    assert slopes.max() - slopes.min() > 0.35


def test_layers_by_burns_names(device: fogo.Device) -> None:
    x = uniform(2, 4)
    a, b = leaf(x, device), torch.tensor(x)
    layer = nn.SwiGLU(4, 3, device=device.autodiff())
    names = ["linear_inner.weight", "linear_outer.weight"]
    assert list(layer.state_dict()) == names
    inner, outer = [torch.tensor(p.numpy()) for p in layer.parameters()]
    near(layer(a), F.silu(b @ inner.T) * (b @ outer.T), "SwiGLU", 5)
    e = np.exp(x)
    quiet = torch.tensor(e / (1 + e.sum(1, keepdims=True)))
    near(nn.QuietSoftmax(1)(a), quiet, "QuietSoftmax", 5)
    near(nn.ThresholdedReLU(0.5)(a), F.threshold(b, 0.5, 0.0), "ThresholdedReLU")
    moved = np.where(x > 0.5, x - 0.2, np.where(x < -0.5, x + 0.2, 0))
    near(nn.Shrink(0.5, 0.2)(a), torch.tensor(moved), "Shrink")
    images = uniform(1, 6, 2, 2)
    shuffled = torch.tensor(images[:, [0, 3, 1, 4, 2, 5]])
    near(nn.ChannelShuffle(2)(leaf(images, device)), shuffled, "ChannelShuffle")
    twice = F.interpolate(torch.tensor(images), scale_factor=2)
    near(nn.Interpolate(scale_factor=2)(leaf(images, device)), twice, "Interpolate")


def test_running_statistics_of_instances(device: fogo.Device) -> None:
    options: dict[str, Any] = dict(affine=True, track_running_stats=True, momentum=0.3)
    ours = nn.InstanceNorm2d(3, **options, device=device)
    theirs = torch.nn.InstanceNorm2d(3, **options)
    for seed in range(3):
        x = uniform(2, 3, 4, 4, seed=seed)
        near(ours(fogo.tensor(x.tolist(), device=device)), theirs(torch.tensor(x)), "y")
    ours.eval()
    theirs.eval()
    x = uniform(2, 3, 4, 4, seed=9)
    near(ours(fogo.tensor(x.tolist(), device=device)), theirs(torch.tensor(x)), "eval")
    for (name, mine), wanted in zip(ours.named_buffers(), theirs.buffers()):
        near(mine, wanted, name)


def test_attention_with_a_bias_beside_a_mask(device: fogo.Device) -> None:
    q, k, v = [leaf(uniform(2, 3, 4, seed=i), device) for i in range(3)]
    there = [torch.tensor(t.numpy()) for t in (q, k, v)]
    bias = uniform(3, 3, seed=5)
    mine = fogo.tensor(bias.tolist(), device=device)
    y = fogo.scaled_dot_product_attention(q, k, v, is_causal=True, bias=mine)
    mask = torch.tensor(bias).masked_fill(~torch.ones(3, 3).tril().bool(), -torch.inf)
    near(y, F.scaled_dot_product_attention(*there, attn_mask=mask), "causal", 5)
    seen = np.array([[True, False, True], [True, True, False], [False, True, True]])
    y = fogo.scaled_dot_product_attention(
        q, k, v, fogo.tensor(seen.tolist(), device=device), bias=mine
    )
    mask = torch.tensor(bias).masked_fill(~torch.tensor(seen), -torch.inf)
    near(y, F.scaled_dot_product_attention(*there, attn_mask=mask), "mask", 5)


def test_attention_drops_weights(device: fogo.Device) -> None:
    """Values of ones: a row's result is the part of its weights that is kept."""
    fogo.manual_seed(8)
    q, v = fogo.zeros(200, 8, device=device), fogo.ones(8, 1, device=device)
    k = fogo.zeros(8, 8, device=device)
    y = fogo.scaled_dot_product_attention(q, k, v, dropout_p=0.5).numpy()
    assert abs(y.mean() - 1) < 0.1
    assert set(np.round(y.ravel() * 4, 4).tolist()) <= {float(i) for i in range(9)}


def test_functions_by_their_usual_place() -> None:
    assert functional.relu is fogo.relu
    assert functional.conv2d is fogo.conv2d
    assert "cross_entropy" in dir(functional)
    with pytest.raises(AttributeError, match="no attribute 'relux'"):
        _ = functional.relux


def test_functional_batch_norm_moves_the_statistics(device: fogo.Device) -> None:
    x = uniform(5, 3)
    mine = [fogo.zeros(3, device=device), fogo.ones(3, device=device)]
    theirs = [torch.zeros(3), torch.ones(3)]
    y = functional.batch_norm(
        fogo.tensor(x.tolist(), device=device), mine[0], mine[1], training=True
    )
    near(y, F.batch_norm(torch.tensor(x), *theirs, training=True), "output")
    for a, b in zip(mine, theirs):
        near(a, b, "statistics")


def test_inplace_is_taken_and_changes_nothing() -> None:
    x = fogo.tensor([-1.0, 2.0], device="python")
    for name in ("ReLU", "ReLU6", "SiLU", "Mish", "SELU", "ELU", "LeakyReLU"):
        getattr(nn, name)(inplace=True)(x)
    assert x.tolist() == [-1.0, 2.0]


WRONG = [
    (lambda: nn.Conv2d(1, 1, 3, padding_mode="mirror"), "Conv2d: padding_mode"),
    (lambda: nn.ConstantPad2d((1, 2), 0.0), "ConstantPad2d: padding is one number"),
    (lambda: nn.ZeroPad2d(1)(fogo.ones(3)), "ZeroPad2d: x has at least 2 axes"),
    (lambda: nn.InstanceNorm1d(2)(fogo.ones(1, 3, 4)), "InstanceNorm1d: x has 3 axes"),
    (lambda: nn.Softmax2d()(fogo.ones(3)), "Softmax2d: x is"),
    (lambda: nn.GaussianNoise(-1.0), "GaussianNoise: std"),
    (lambda: nn.Dropout2d(2.0), "Dropout2d: p is a probability"),
    (
        lambda: nn.ConvTranspose1d(1, 1, 2)(fogo.ones(1, 1, 2), output_size=(9,)),
        "ConvTranspose1d: output_size",
    ),
]


@pytest.mark.parametrize(("wrong", "text"), WRONG, ids=[t for _, t in WRONG])
def test_what_layers_refuse(wrong: Any, text: str) -> None:
    with pytest.raises(fogo.ShapeError, match=text) as error:
        wrong()
    assert "; given" in str(error.value)


def test_reprs_say_what_is_unusual() -> None:
    shown = [
        (nn.ConvTranspose1d(2, 3, 2, stride=2), "2, 3, kernel_size=2, stride=2"),
        (nn.MaxPool3d(2), "kernel_size=2"),
        (nn.LPPool2d(2.0, 3), "norm_type=2.0, kernel_size=3"),
        (nn.ReflectionPad2d(1), "(1, 1, 1, 1)"),
        (nn.ConstantPad1d(1, 2.0), "padding=(1, 1), value=2.0"),
        (nn.Upsample(scale_factor=2), "scale_factor=2, mode='nearest'"),
        (nn.PixelShuffle(2), "upscale_factor=2"),
        (nn.PixelUnshuffle(2), "downscale_factor=2"),
        (nn.InstanceNorm2d(3, affine=True), "3, affine=True"),
        (nn.LocalResponseNorm(2), "2, alpha=0.0001, beta=0.75, k=1"),
        (nn.AdaptiveMaxPool1d(2), "output_size=2"),
        (nn.Threshold(0.1, 20), "threshold=0.1, value=20"),
        (nn.RReLU(0.1, 0.3), "lower=0.1, upper=0.3"),
        (nn.CosineSimilarity(), "dim=1, eps=1e-08"),
        (nn.PairwiseDistance(), "p=2, eps=1e-06"),
        (nn.Unflatten(1, (2, 3)), "dim=1, unflattened_size=(2, 3)"),
    ]
    for layer, text in shown:
        assert layer.extra_repr() == text
