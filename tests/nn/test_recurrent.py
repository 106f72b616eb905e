"""What recurrent layers have beyond PyTorch's: options, reversal, cells, wrong uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo import nn
from fogo.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence
from tests.nn.against_torch import uniform
from tests.nn.tools import count_of, on, same, weights

# Recurrences, against loops over steps in NumPy.


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def lstm(layer: Any, x: Any, gate: Any, cell: Any, hidden: Any, coupled: bool,
         clip: float) -> Any:  # fmt: skip
    w, u, b, d = weights(layer)
    h = c = np.zeros((x.shape[1], layer.hidden_size))
    shown = []
    for step in x:
        i, f, g, o = np.split(step @ w.T + b + h @ u.T + d, 4, -1)
        keep = 1 - gate(i) if coupled else gate(f)
        c = np.clip(keep * c + gate(i) * cell(g), -clip, clip)
        h = gate(o) * hidden(c)
        shown.append(h)
    return np.array(shown), h, c


def relu(x: Any) -> Any:
    return np.maximum(x, 0)


LSTMS: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
    ({}, (sigmoid, np.tanh, np.tanh, False, np.inf)),
    (dict(clip=0.2), (sigmoid, np.tanh, np.tanh, False, 0.2)),
    (dict(input_forget=True), (sigmoid, np.tanh, np.tanh, True, np.inf)),
    (dict(input_forget=True, clip=0.1), (sigmoid, np.tanh, np.tanh, True, 0.1)),
    (dict(cell="relu", hidden="sigmoid"), (sigmoid, relu, sigmoid, False, np.inf)),
    (dict(gate=lambda x: x * 0.5), (lambda x: x / 2, np.tanh, np.tanh, False, np.inf)),
]  # fmt: skip


@pytest.mark.parametrize("row", LSTMS, ids=lambda row: str(row[0])[:30])
def test_lstm_options(row: Any, device: fogo.Device) -> None:
    options, rule = row
    layer = nn.LSTM(3, 4, **options).to(device)
    x = uniform(6, 2, 3)
    shown, (h, c) = layer(fogo.tensor(x.tolist(), device=device))
    for actual, wanted in zip((shown, h[0], c[0]), lstm(layer, x, *rule), strict=True):
        same(actual, wanted)


def gru(layer: Any, x: Any, after: bool, hidden: Any, clip: float) -> Any:
    w, u, b, d = weights(layer)
    size = layer.hidden_size
    h = np.zeros((x.shape[1], size))
    shown = []
    for step in x:
        a = step @ w.T + b
        s = h @ u.T + d
        r = sigmoid(a[:, :size] + s[:, :size])
        z = sigmoid(a[:, size : 2 * size] + s[:, size : 2 * size])
        if after:
            n = r * s[:, 2 * size :]
        else:
            n = (r * h) @ u[2 * size :].T + d[2 * size :]
        h = (1 - z) * hidden(a[:, 2 * size :] + n) + z * h
        h = np.clip(h, -clip, clip)
        shown.append(h)
    return np.array(shown)


GRUS: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
    ({}, (True, np.tanh, np.inf)),
    (dict(reset_after=False), (False, np.tanh, np.inf)),
    (dict(reset_after=False, clip=0.3), (False, np.tanh, 0.3)),
    (dict(hidden="relu", clip=0.2), (True, relu, 0.2)),
]


@pytest.mark.parametrize("row", GRUS, ids=lambda row: str(row[0])[:30])
def test_gru_options(row: Any, device: fogo.Device) -> None:
    options, rule = row
    layer = nn.GRU(3, 4, **options).to(device)
    x = uniform(6, 2, 3)
    shown, last = layer(fogo.tensor(x.tolist(), device=device))
    wanted = gru(layer, x, *rule)
    same(shown, wanted)
    same(last[0], wanted[-1])


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_reverse_walks_from_the_end(kind: str, device: fogo.Device) -> None:
    """As the backward half of a bidirectional layer."""
    both = getattr(nn, kind)(3, 4, bidirectional=True).to(device)
    back = getattr(nn, kind)(3, 4, reverse=True).to(device)
    state = both.state_dict()
    back.load_state_dict({n: state[n + "_reverse"] for n in back.state_dict()})
    x = on(device, 5, 2, 3)
    same(back(x)[0], both(x)[0][..., 4:], 1e-6)
    packed = pack_padded_sequence(x, [5, 3])
    same(back(packed)[0].data, both(packed)[0].data[:, 4:], 1e-6)


def test_rnn_options(device: fogo.Device) -> None:
    layer = nn.RNN(3, 4, nonlinearity="sigmoid", clip=0.6).to(device)
    x = uniform(6, 2, 3)
    w, u, b, d = weights(layer)
    h, shown = np.zeros((2, 4)), []
    for step in x:
        h = np.clip(sigmoid(step @ w.T + b + h @ u.T + d), -0.6, 0.6)
        shown.append(h)
    same(layer(fogo.tensor(x.tolist(), device=device))[0], np.array(shown))


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_cells_in_a_loop_are_the_layer(kind: str, device: fogo.Device) -> None:
    layer = getattr(nn, kind)(3, 4).to(device)
    cell = getattr(nn, kind + "Cell")(3, 4).to(device)
    state = layer.state_dict()
    cell.load_state_dict({n: state[n + "_l0"] for n in cell.state_dict()})
    x, hx, shown = on(device, 5, 2, 3), None, []
    for t in range(5):
        hx = cell(x[t], hx)
        shown.append(hx[0] if kind == "LSTM" else hx)
    same(fogo.stack(shown, 0), layer(x)[0], 1e-6)


def test_dropout_between_layers(device: fogo.Device) -> None:
    layer = nn.GRU(3, 8, num_layers=2, dropout=0.5).to(device)
    x = on(device, 4, 5, 3)
    assert layer(x)[0].tolist() != layer(x)[0].tolist()
    layer.eval()
    assert layer(x)[0].tolist() == layer(x)[0].tolist()


@pytest.mark.parametrize(("kind", "formulas"), [("LSTM", 2), ("GRU", 1)])
def test_one_product_for_all_inputs_and_one_a_step(kind: str, formulas: int) -> None:
    """Per sequence, not per gate; the arithmetic of a step is one op a state."""
    layer = getattr(nn, kind)(3, 4, device="numpy")
    x = fogo.ones(10, 2, 3, device="numpy")
    assert count_of("matmul", lambda: layer(x)) == 1 + 10
    names = ("lstm_memory", "lstm_output") if kind == "LSTM" else ("gru_state",)
    assert len(names) == formulas
    for name in names:
        assert count_of(name, lambda: layer(x)) == 10
    assert count_of("sigmoid", lambda: layer(x)) == 0
    each = count_of("*", lambda: layer(fogo.ones(11, 2, 3, device="numpy")))
    each -= count_of("*", lambda: layer(x))
    assert each <= (10 if kind == "LSTM" else 14), "ops a step, views and all"


def test_wrong_uses_of_recurrent_layers() -> None:
    x = fogo.ones(5, 2, 3, device="python")
    for text, wrong in (
        ("RNN: dropout is a probability; given 2", lambda: nn.RNN(1, 1, dropout=2.0)),
        ("one of them; given both", lambda: nn.GRU(
            1, 1, reverse=True, bidirectional=True)),
        ("proj_size lies below hidden_size=2; given 2", lambda: nn.LSTM(
            1, 2, proj_size=2)),
        ("RNN: hidden_size must be", lambda: nn.RNN(1, 0)),
        ("its name in fogo, such as .tanh.; given 'bend'", lambda: nn.RNN(
            1, 1, nonlinearity="bend")),
        (r"input_size = 4 and no axis of 0; given \[5, 2, 3\]",
         lambda: nn.RNN(4, 2)(x)),
        (r"a first state has shape \[1, 2, 4\]; given \[1, 2, 3\]", lambda: nn.GRU(
            3, 4)(x, fogo.ones(1, 2, 3))),
        (r"GRUCell: the input is \[N, C\] or \[C\]", lambda: nn.GRUCell(3, 4)(x)),
        (r"a state has shape \[2, 4\]; given \[2, 3\]", lambda: nn.RNNCell(3, 4)(
            x[0], fogo.ones(2, 3))),
        ("longest sequence comes first", lambda: pack_padded_sequence(x, [3, 5])),
        ("one length for each of 2 sequences, from 1 to 5; given .6, 1.",
         lambda: pack_padded_sequence(x, [6, 1])),
        ("total_length must hold the longest sequence; given 3 for 5",
         lambda: pad_packed_sequence(pack_padded_sequence(x, [5, 4]), total_length=3)),
        ("add up to the rows of the data; given 3 and 2",
         lambda: PackedSequence(fogo.ones(2, 1), [2, 1])),
        ('padding_side is "left" or "right"; given',
         lambda: nn.utils.rnn.pad_sequence([x], padding_side="up")),
    ):  # fmt: skip
        with pytest.raises(fogo.ShapeError, match=text):
            wrong()
