"""Attention: masks, the fused op, shared heads, and inference token by token."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fogo
from fogo import nn
from tests.nn.against_torch import uniform
from tests.nn.tools import count_of, on, same

# Attention.


@pytest.mark.usefixtures("everywhere")
def test_masks() -> None:
    mask = nn.generate_autoregressive_mask(3, 2)
    assert mask.tolist() == [np.triu(np.ones((3, 3), bool), 1).tolist()] * 2
    lists = [[1, 2, 0], [3]]
    tokens, pad = nn.generate_padding_mask(0, lists)
    assert tokens.tolist() == [[1, 2, 0], [3, 0, 0]]
    assert pad.tolist() == [[False, False, True], [False, True, True]]
    assert nn.generate_padding_mask(9, lists, max_length=2)[0].tolist() == [
        [1, 2], [3, 9],
    ]  # fmt: skip
    assert nn.generate_padding_mask(9, lists, length=4)[0].shape == (2, 4)


def test_the_fused_op_does_it() -> None:
    """Unless weights are asked for, or some must be dropped."""
    x = fogo.ones(3, 2, 8, device="numpy")
    mha = nn.MultiheadAttention(8, 2, dropout=0.5, device="numpy")
    assert count_of("attention", lambda: mha(x, x, x, need_weights=False)) == 0
    mha.eval()
    assert count_of("attention", lambda: mha(x, x, x, need_weights=False)) == 1
    assert count_of("attention", lambda: mha(x, x, x)) == 0
    layer = nn.TransformerDecoderLayer(8, 2, 16, device="numpy").eval()
    assert count_of("attention", lambda: layer(x, x, tgt_is_causal=True)) == 2
    cross = nn.CrossAttention(8, 8, 4, 2, device="numpy").eval()
    assert count_of("attention", lambda: cross(x, x)) == 1


def test_queries_that_see_nothing_get_zeros(device: fogo.Device) -> None:
    mha = nn.MultiheadAttention(4, 2, bias=False).to(device)
    x = on(device, 3, 1, 4)
    mask = fogo.tensor([[False] * 3, [True] * 3, [False] * 3], device=device)
    for weigh in (False, True):
        out, found = mha(x, x, x, attn_mask=mask, need_weights=weigh)
        assert out[1].tolist() == [[0.0] * 4]
    assert found[0, 1].tolist() == [0.0] * 3


def test_quiet_softmax(device: fogo.Device) -> None:
    """exp(s) / (1 + sum of exp(s)): the zero key of add_zero_attn."""
    mha = nn.MultiheadAttention(4, 1, bias=False, quiet_softmax=True).to(device)
    x = on(device, 3, 1, 4)
    q, k, v = (
        (x[:, 0].numpy() @ w.T)
        for w in np.split(mha.in_proj_weight.numpy().astype(np.float64), 3)
    )
    scores = np.exp(q @ k.T / 2)
    weights = scores / (1 + scores.sum(1, keepdims=True))
    wanted = weights @ v @ mha.out_proj.weight.numpy().T
    same(mha(x, x, x, need_weights=False)[0][:, 0], wanted)


def cross_by_hand(layer: Any, x: Any, y: Any, blocked: Any) -> Any:
    def linear(part: Any, z: Any) -> Any:
        w, b = (p.numpy().astype(np.float64) for p in part.parameters())
        return z @ w.T + b

    size = layer.d_head
    q, k, v = linear(layer.query, x), linear(layer.key, y), linear(layer.value, y)
    outs = []
    for head in range(layer.n_heads):
        kv = head // (layer.n_heads // layer.n_heads_kv)
        part = slice(head * size, (head + 1) * size)
        keys, values = (t[..., kv * size : (kv + 1) * size] for t in (k, v))
        scores = np.einsum("nle,nse->nls", q[..., part], keys) / math.sqrt(size)
        scores = np.where(blocked, -np.inf, scores)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        weights = scores / scores.sum(-1, keepdims=True)
        outs.append(np.einsum("nls,nse->nle", weights, values))
    return linear(layer.output, np.concatenate(outs, -1))


@pytest.mark.parametrize(("heads", "kv", "size"), [(4, 2, None), (4, 1, 3), (2, 2, 5)])
def test_cross_attention(
    heads: int, kv: int, size: int | None, device: fogo.Device
) -> None:
    layer = nn.CrossAttention(8, 6, heads, kv, size).to(device).eval()
    x, y = uniform(2, 3, 8), uniform(2, 5, 6)
    blocked = np.zeros((2, 3, 5), bool)
    blocked[1, :, 4:] = True
    padding = fogo.tensor(blocked[:, 0].tolist(), device=device)
    given = [fogo.tensor(t.tolist(), device=device) for t in (x, y)]
    wanted = cross_by_hand(layer, x, y, blocked)
    same(layer(*given, context_mask=padding), wanted)
    cache = nn.KVCache()
    for i in range(3):
        step = layer(given[0][:, i : i + 1], given[1], padding, cache=cache)
        same(step[:, 0], wanted[:, i])
    assert len(cache) == 5
    cache.reset()
    assert len(cache) == 0


def test_cross_attention_dropout_and_quiet(device: fogo.Device) -> None:
    layer = nn.CrossAttention(8, 6, 4, dropout=0.5, quiet_softmax=True).to(device)
    x, y = on(device, 2, 3, 8), on(device, 2, 5, 6)
    assert layer(x, y).tolist() != layer(x, y).tolist()
    mask = fogo.tensor([[False] * 5, [True] * 5], device=device)
    seen = layer.eval()(x, y, mask)
    same(seen[1], np.tile(layer.output.bias.numpy(), (3, 1)))


# Inference token by token.


def test_attention_with_a_cache(device: fogo.Device) -> None:
    mha = nn.MultiheadAttention(8, 2, batch_first=True).to(device)
    x = on(device, 2, 6, 8)
    mask = nn.generate_autoregressive_mask(6, device=device)
    whole = mha(x, x, x, attn_mask=mask, need_weights=False)[0]
    cache, parts = nn.KVCache(), []
    for first, last in ((0, 1), (1, 4), (4, 6)):
        new = x[:, first:last]
        parts.append(mha(new, new, new, need_weights=False, is_causal=True,
                         cache=cache)[0])  # fmt: skip
    same(fogo.concat(parts, 1), whole)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("batch_first", [False, True])
def test_an_encoder_token_by_token(
    norm_first: bool, batch_first: bool, device: fogo.Device
) -> None:
    options = dict(norm_first=norm_first, batch_first=batch_first)
    layer = nn.TransformerEncoderLayer(8, 2, 16, **options)
    model = nn.TransformerEncoder(layer, 2, nn.LayerNorm(8)).to(device).eval()
    x = on(device, 2, 5, 8)
    time = 1 if batch_first else 0
    x = x if batch_first else x.swapaxes(0, 1)
    whole = model(x, is_causal=True)
    cache = model.new_cache()
    for again in range(2):
        parts = []
        for first, count in ((0, 2), (2, 1), (3, 2)):
            new = fogo.narrow(x, time, first, count)
            parts.append(model.forward_autoregressive_inference(new, cache))
        same(fogo.concat(parts, time), whole)
        assert len(cache) == 5
        cache.reset()
        assert len(cache) == 0, again


def test_a_decoder_token_by_token(device: fogo.Device) -> None:
    layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerDecoder(layer, 2).to(device).eval()
    x, memory = on(device, 2, 5, 8), on(device, 2, 3, 8)
    pad = fogo.tensor([[False] * 3, [False, False, True]], device=device)
    whole = model(x, memory, tgt_is_causal=True, memory_key_padding_mask=pad)
    cache = model.new_cache()
    parts = [
        model.forward_autoregressive_inference(x[:, i : i + 1], memory, cache, pad)
        for i in range(5)
    ]
    same(fogo.concat(parts, 1), whole)
    assert len(cache.layers[1].memory) == 3


def test_copies_in_a_stack_learn_apart(device: fogo.Device) -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16)
    model = nn.TransformerEncoder(layer, 2).to(device.autodiff())
    a, b = (m.linear1.weight for m in model.layers)
    assert a is not b
    assert a.tolist() == b.tolist() == layer.linear1.weight.tolist()


def test_wrong_uses_of_attention() -> None:
    x = fogo.ones(3, 2, 8, device="python")
    mha = nn.MultiheadAttention(8, 2, device="python")
    for text, wrong in (
        ("embed_dim divides by num_heads; given 8 and 3",
         lambda: nn.MultiheadAttention(8, 3)),
        (r"key_padding_mask is \[N, S\] = \[2, 3\]; given \[3, 2\]",
         lambda: mha(x, x, x, key_padding_mask=fogo.ones(3, 2) > 0.0)),
        (r"\[N \* heads, L, S\] = \[4, 3, 3\]; given \[2, 3, 3\]",
         lambda: mha(x, x, x, attn_mask=fogo.ones(2, 3, 3))),
        ("n_heads divides by n_heads_kv", lambda: nn.CrossAttention(8, 8, 4, 3)),
        ("Transformer: src and tgt end in d_model=8; given .3, 2, 4.",
         lambda: nn.Transformer(8, 2, 1, 1, 8)(x[..., :4], x)),
    ):  # fmt: skip
        with pytest.raises(fogo.ShapeError, match=text):
            wrong()


def test_biases_of_each_projection(device: fogo.Device) -> None:
    layer = nn.CrossAttention(
        4, 4, 2, query_bias=False, value_bias=False, device=device
    )
    names = [n for n, _ in layer.named_parameters() if n.endswith("bias")]
    assert names == ["key.bias", "output.bias"]
    assert layer(on(device, 1, 3, 4), on(device, 1, 2, 4)).shape == (1, 3, 4)
