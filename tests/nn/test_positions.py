"""Positional encodings, feed-forward blocks, tables, and options of losses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import nn
from tests.nn.against_torch import uniform
from tests.nn.tools import on, same, weights

# Positions.


def test_sinusoids() -> None:
    """The formula of Vaswani et al., also far out."""
    places = np.arange(5000)[:, None]
    rates = 10000.0 ** (-np.arange(0, 12, 2) / 12)
    wanted = np.zeros((5000, 12))
    wanted[:, 0::2], wanted[:, 1::2] = np.sin(places * rates), np.cos(places * rates)
    found = nn.generate_sinusoids(5000, 12, device="numpy").numpy()
    np.testing.assert_allclose(found, wanted, atol=4e-7)


@pytest.mark.usefixtures("everywhere")
def test_sinusoids_are_made_where_they_are_wanted() -> None:
    found = nn.generate_sinusoids(3, 2).numpy()
    wanted = [[np.sin(p), np.cos(p)] for p in range(3)]
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_positional_encoding(device: fogo.Device) -> None:
    layer = nn.PositionalEncoding(6, 20).to(device)
    x = on(device, 2, 5, 6)
    table = nn.generate_sinusoids(20, 6, device="python").numpy()
    same(layer(x), x.numpy() + table[:5], 1e-6)
    same(layer(x, start=7), x.numpy() + table[7:12], 1e-6)
    with pytest.raises(fogo.ShapeError, match="start . T of at most 20"):
        layer(x, start=16)
    with pytest.raises(fogo.ShapeError, match="even in number; given 5"):
        nn.PositionalEncoding(5)


def rotated(x: Any, first: int, rates: Any, interleaved: bool) -> Any:
    """By complex numbers."""
    places = np.arange(first, first + x.shape[-2])[:, None]
    half = x.shape[-1] // 2
    if interleaved:
        z = x[..., 0::2] + 1j * x[..., 1::2]
    else:
        z = x[..., :half] + 1j * x[..., half:]
    z = z * np.exp(1j * places * rates)
    if interleaved:
        return np.stack([z.real, z.imag], -1).reshape(x.shape)
    return np.concatenate([z.real, z.imag], -1)


@pytest.mark.parametrize("interleaved", [True, False])
def test_rotary_encoding(interleaved: bool, device: fogo.Device) -> None:
    rates = 100.0 ** (-np.arange(0, 6, 2) / 6)
    rope = nn.RotaryEncoding(
        8, 6, theta=100.0, scaling=lambda f: [v / 2 for v in f],
        interleaved=interleaved,
    ).to(device)  # fmt: skip
    x = uniform(2, 3, 5, 6)
    given = fogo.tensor(x.tolist(), device=device)
    same(rope(given), rotated(x, 0, rates / 2, interleaved))
    same(rope(given, 3), rotated(x, 3, rates / 2, interleaved))
    with pytest.raises(fogo.ShapeError, match="its places lie in 0 to 8"):
        rope(given, 4)
    rope.shift(100)
    same(rope(given, 102), rotated(x, 102, rates / 2, interleaved))
    with pytest.raises(fogo.ShapeError, match="moves forwards; given start 99 after"):
        rope.shift(99)
    rope.reset()
    same(rope(given, 1), rotated(x, 1, rates / 2, interleaved))


def test_feed_forward(device: fogo.Device) -> None:
    layer = nn.PositionWiseFeedForward(4, 7, dropout=0.0).to(device)
    w, b, u, d = weights(layer)
    x = uniform(2, 3, 4)
    z = torch.nn.functional.gelu(torch.tensor(x @ w.T + b)).numpy()
    same(layer(fogo.tensor(x.tolist(), device=device)), z @ u.T + d)


def test_tables_refuse_what_does_not_fit() -> None:
    bag = nn.EmbeddingBag(5, 2, device="python")
    index = fogo.tensor([[1, 2]], device="python")
    for text, wrong in (
        ('mode is "sum", "mean" or "max"', lambda: nn.EmbeddingBag(5, 2, mode="all")),
        ("input is .B, L., or .n. with offsets", lambda: bag(index[0])),
        ('per_sample_weights need mode "sum"', lambda: bag(
            index, None, fogo.ones(1, 2))),
        ("one of the 5 rows; given 5", lambda: nn.EmbeddingBag(5, 2, padding_idx=5)),
        (r"Bilinear: inputs are \[..., 2\] and \[..., 3\]",
         lambda: nn.Bilinear(2, 3, 1)(fogo.ones(4, 2), fogo.ones(4, 2))),
    ):  # fmt: skip
        with pytest.raises(fogo.ShapeError, match=text):
            wrong()
    table = fogo.ones(3, 2)
    made = nn.Embedding.from_pretrained(table, padding_idx=-1)
    assert (made.num_embeddings, made.padding_idx) == (3, 2)
    assert not made.weight.wants_grad
    empty = nn.EmbeddingBag(5, 2, mode="max", padding_idx=1)
    assert empty(fogo.tensor([[1, 1]])).tolist() == [[0.0, 0.0]]


# Losses' options beyond PyTorch's.


def test_cross_entropy_options(device: fogo.Device) -> None:
    x = on(device, 4, 3)
    target = fogo.tensor([0, 2, 1, 2], device=device)
    plain = nn.CrossEntropyLoss()
    given = nn.CrossEntropyLoss(logits=False)(fogo.softmax(x, 1), target)
    assert given.item() == pytest.approx(plain(x, target).item(), abs=1e-5)
    padded = nn.CrossEntropyLoss(pad_tokens=[0, 1])(x, target)
    some = fogo.stack([x[1], x[3]], 0)
    wanted = plain(some, fogo.tensor([2, 2], device=device)).item()
    assert padded.item() == pytest.approx(wanted, abs=1e-5)


def test_binary_cross_entropy_smoothing(device: fogo.Device) -> None:
    x, t = on(device, 6), fogo.tensor([0.0, 1.0] * 3, device=device)
    soft = fogo.tensor([0.1, 0.9] * 3, device=device)
    for kind in ("BCEWithLogitsLoss", "BCELoss"):
        y = x if "Logits" in kind else x.sigmoid()
        smooth = getattr(nn, kind)(label_smoothing=0.2)(y, t).item()
        wanted = getattr(nn, kind)()(y, soft).item()
        assert smooth == pytest.approx(wanted, abs=1e-6)
        with pytest.raises(fogo.ShapeError, match="label_smoothing lies in"):
            getattr(nn, kind)(label_smoothing=2.0)


def test_losses_of_no_library(device: fogo.Device) -> None:
    """The modules call their functions, which the grid compares with formulas."""
    x, t = on(device, 4, 3), on(device, 4, 3, seed=1)
    index = fogo.tensor([0, 2, 1, 2], device=device)
    maps = on(device, 2, 3, 2, 2)
    for module, wanted in (
        (nn.LpLoss(3.0)(x, t), fogo.lp_loss(x, t, 3.0)),
        (nn.FocalLoss(gamma=1.0)(x, index), fogo.focal_loss(x, index, gamma=1.0)),
        (nn.SigmoidFocalLoss(0.5, 1.0)(x, x.sigmoid()),
         fogo.sigmoid_focal_loss(x, x.sigmoid(), 0.5, 1.0, "mean")),
        (nn.DiceLoss(0.5)(x.sigmoid(), t.sigmoid()),
         fogo.dice_loss(x.sigmoid(), t.sigmoid(), 0.5)),
        (nn.InfoNCELoss(0.3)(x, t), fogo.info_nce_loss(x, t, temperature=0.3)),
        (nn.GramMatrixLoss("sum")(maps, maps * 0.5),
         fogo.gram_matrix_loss(maps, maps * 0.5, "sum")),
    ):  # fmt: skip
        assert module.item() == wanted.item()


def test_losses_over_alignments(device: fogo.Device) -> None:
    """The modules call ctc_loss and rnnt_loss, which have tests of their own."""
    logs = fogo.log_softmax(on(device, 4, 2, 3), -1)
    labels = fogo.tensor([[1, 2], [2, 1]], device=device)
    given = logs, labels, [4, 3], [2, 1]
    theirs = torch.nn.CTCLoss(reduction="sum")(
        torch.tensor(logs.tolist()), torch.tensor(labels.tolist()), (4, 3), (2, 1)
    )
    assert nn.CTCLoss(reduction="sum")(*given).item() == pytest.approx(
        theirs.item(), rel=1e-5
    )
    joint = on(device, 2, 4, 3, 3)
    lengths = [fogo.tensor(n, device=device) for n in ([4, 3], [2, 1])]
    loss = nn.RNNTLoss(blank=0)(joint, labels, *lengths)
    assert loss.item() == fogo.rnnt_loss(joint, labels, *lengths, blank=0).item()
    plain = nn.RNNTLoss(blank=0, logits=False)(fogo.log_softmax(joint, -1), labels,
                                               *lengths)  # fmt: skip
    assert plain.item() == pytest.approx(loss.item(), rel=1e-5)
