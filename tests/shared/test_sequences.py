"""Recurrent layers, attention and the module system, also on MicroPython.

Expected numbers are worked out by hand, or two ways of computing one thing agree.
"""

import math

import fogo
from fogo import nn
from fogo.nn import init
from fogo.nn.utils.rnn import pack_sequence, pad_packed_sequence
from tests.shared.check import close, equal, raises


def ramp(device, *shape):
    count = 1
    for n in shape:
        count *= n
    return (
        (fogo.arange(count, device=device).astype("float32") * 0.7).sin().reshape(shape)
    )


def test_recurrence_by_hand(device):
    """h = tanh(x + 2 h), without biases."""
    layer = nn.RNN(1, 1, bias=False, device=device)
    init.constant_(layer.weight_ih_l0, 1.0)
    init.constant_(layer.weight_hh_l0, 2.0)
    shown, last = layer(fogo.tensor([[0.5], [0.0]], device=device))
    first = math.tanh(0.5)
    close(shown, [[first], [math.tanh(2.0 * first)]])
    close(last, [[math.tanh(2.0 * first)]])


def test_cells_are_the_layer(device):
    for layer, cell in (
        (nn.LSTM(2, 3, device=device), nn.LSTMCell(2, 3, device=device)),
        (nn.GRU(2, 3, device=device), nn.GRUCell(2, 3, device=device)),
    ):
        state = layer.state_dict()
        cell.load_state_dict({n: state[n + "_l0"] for n in cell.state_dict()})
        x, hx = ramp(device, 4, 2, 2), None
        for t in range(4):
            hx = cell(x[t], hx)
        h = hx[0] if isinstance(hx, tuple) else hx
        close(layer(x)[0][3], h.tolist(), 1e-6)


def test_packed_sequences(device):
    a, b = ramp(device, 3, 2), ramp(device, 2, 2)
    packed = pack_sequence([b, a], enforce_sorted=False)
    assert packed.batch_sizes == (2, 2, 1)
    layer = nn.GRU(2, 3, bidirectional=True, device=device)
    shown, last = layer(packed)
    padded, lengths = pad_packed_sequence(shown)
    assert lengths.tolist() == [2, 3]
    close(padded[:, 1], layer(a)[0].tolist(), 1e-6)
    close(padded[:2, 0], layer(b)[0].tolist(), 1e-6)
    close(last[:, 0], layer(b)[1].tolist(), 1e-6)


def test_recurrences_have_gradients(device):
    dev = device.autodiff()
    layer = nn.LSTM(2, 3).to(dev)
    x = ramp(device, 3, 1, 2).to(dev).requires_grad_()
    grads = layer(x)[0].sum().backward()
    assert grads[x].shape == (3, 1, 2)
    assert grads[layer.weight_hh_l0].shape == (12, 3)


def test_attention_token_by_token(device):
    layer = nn.TransformerEncoderLayer(4, 2, 6, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).to(device).eval()
    x = ramp(device, 1, 3, 4)
    whole = model(x, is_causal=True)
    cache = model.new_cache()
    for i in range(3):
        new = model.forward_autoregressive_inference(x[:, i : i + 1], cache)
    close(new[0, 0], whole[0, 2].tolist(), 1e-5)
    assert len(cache) == 3


def test_attention_with_and_without_weights(device):
    mha = nn.MultiheadAttention(4, 2, device=device)
    x = ramp(device, 3, 1, 4)
    out, weights = mha(x, x, x)
    close(weights.sum(-1), [[1.0, 1.0, 1.0]], 1e-6)
    close(mha(x, x, x, need_weights=False)[0], out.tolist(), 1e-5)
    cross = nn.CrossAttention(4, 4, 2, 1, device=device).eval()
    assert cross(x, x).shape == (3, 1, 4)


def test_rotations_keep_lengths(device):
    rope = nn.RotaryEncoding(8, 4, device=device)
    x = ramp(device, 3, 4)
    y = rope(x, 2)
    close(y.square().sum(-1), x.square().sum(-1).tolist(), 1e-5)
    close(rope(x)[0], x[0].tolist(), 1e-6)


def test_bags(device):
    bag = nn.EmbeddingBag(4, 1, mode="mean", device=device)
    bag.weight.assign(fogo.tensor([[1.0], [2.0], [4.0], [8.0]], device=device))
    index = fogo.tensor([0, 3, 1], device=device)
    offsets = fogo.tensor([0, 2], device=device)
    equal(bag(index, offsets), [[4.5], [2.0]])
    close(bag(index.reshape(1, 3)), [[11.0 / 3.0]])


def test_groups_and_forks(device):
    net = nn.Sequential(nn.Linear(2, 3, device=device), nn.Linear(3, 1, device=device))
    group = nn.ParamGroup.paths("*.weight").exclude(nn.ParamGroup.ids("1.weight"))
    assert [path for path, _ in group.select(net)] == ["0.weight"]
    assert nn.ParamGroup.from_dict(group.to_dict()).matches("0.weight")
    made = net.freeze(group).fork()
    init.zeros_(made[0].weight)
    assert net[0].weight.tolist() != made[0].weight.tolist()
    assert made.num_params(trainable=True) == net.num_params(trainable=True) == 7


def test_hooks_and_summaries(device):
    net = nn.Sequential(nn.Linear(2, 3, device=device), nn.ReLU())
    handle = net[0].register_forward_hook(lambda m, args, out: out * 0.0)
    equal(net(ramp(device, 1, 2)), [[0.0, 0.0, 0.0]])
    handle.remove()
    rows = net.summary(ramp(device, 5, 2)).rows
    assert rows[1] == (1, "0", "Linear", "[5, 3]", "9")


def test_low_rank_adapters(device):
    net = nn.Sequential(nn.Linear(2, 3, device=device))
    x = ramp(device, 4, 2)
    before = net(x).tolist()
    net.apply_lora(nn.LoRA(rank=1))
    assert net(x).tolist() == before
    rule = getattr(net[0].parametrizations.weight, "0")
    init.ones_(rule.lora_B)
    adapted = net(x).tolist()
    nn.remove_lora(net)
    close(net(x), adapted, 1e-5)
    with raises(AttributeError, "parametrizations"):
        print(net[0].parametrizations.weight)


def test_orthogonal_rows(device):
    x = init.orthogonal_(fogo.zeros(2, 3, device=device))
    close(x @ x.transpose(), [[1.0, 0.0], [0.0, 1.0]], 1e-5)
    equal(init.dirac_(fogo.zeros(1, 1, 3, device=device)), [[[0.0, 1.0, 0.0]]])


def test_losses_by_hand(device):
    def tensor(*values):
        return fogo.tensor(list(values), device=device)

    x, y = tensor(1.0, 2.0), tensor(3.0, 2.0)
    close(nn.HingeEmbeddingLoss()(x, tensor(1, -1)), 0.5, 1e-6)
    close(nn.MarginRankingLoss(0.5)(x, y, tensor(1, 1)), 1.5, 1e-6)
    close(nn.LpLoss(3.0, "sum")(x, y), 8.0, 1e-5)
    close(nn.PoissonNLLLoss(log_input=False, reduction="sum")(x, y),
          3.0 - 2.0 * 0.69314718, 1e-5)  # fmt: skip
    close(nn.GaussianNLLLoss(reduction="none")(x, y, tensor(1.0, 1.0)), [2.0, 0.0])
    close(nn.TripletMarginLoss(reduction="sum")(
        tensor([0.0]), tensor([2.0]), tensor([1.0])), 2.0, 1e-5)  # fmt: skip
