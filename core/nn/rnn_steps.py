"""One step of a recurrence for a batch: what RNN, GRU and LSTM do with their gates.

The recurrences are not linear (each step's state goes through a matrix and a bend), so
no scan op can do several steps at once: a step is one matrix product for all gates,
and elementwise arithmetic, which by the usual activations is one op per state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ShapeError
from ..ops.activation import relu, sigmoid
from ..ops.curves import tanh
from ..ops.cutting import split
from ..ops.define import WIDE, elementwise
from ..ops.matmul import matmul
from ..ops.movement import concat, narrow

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tensor import Tensor

    Bend = Callable[[Tensor], Tensor]


@elementwise("lstm_memory", (WIDE,) * 4, accepts="float")
def _memory(i, f, g, c):
    return sigmoid(f) * c + sigmoid(i) * tanh(g)


@elementwise("lstm_output", (WIDE,) * 2, accepts="float")
def _output(o, c):
    return sigmoid(o) * tanh(c)


@elementwise("gru_state", (WIDE,) * 7, accepts="float")
def _gru(xr, xz, xn, hr, hz, hn, h):
    n = tanh(xn + sigmoid(xr + hr) * hn)
    return n + sigmoid(xz + hz) * (h - n)


def activation(name: str, layer: str) -> Any:
    """Return the function of this name ("sigmoid", "tanh", …); callables stay.

    Raises: ShapeError for a name that fogo does not have.
    """
    if not isinstance(name, str):
        return name
    from ..ops import find

    found = find(name)
    if found is None:
        raise ShapeError(
            '%s: an activation is a function or its name in fogo, such as "tanh"; '
            "given %r" % (layer, name)
        )
    return found


def _clipped(x, clip):
    return x if clip is None else x.clip(-clip, clip)


class RNNStep:
    """h' = bend(x + h @ W.T); x holds the input's part and both biases."""

    gates = 1
    states = 1

    def __init__(self, nonlinearity: str = "tanh", clip: float | None = None) -> None:
        known: Any = {"tanh": tanh, "relu": relu}
        usual = isinstance(nonlinearity, str) and nonlinearity in known
        self.bend: Any = (
            known[nonlinearity] if usual else activation(nonlinearity, "RNN")
        )
        self.clip = clip

    def merged(self, bias_ih: Tensor, bias_hh: Tensor) -> Any:
        """Return (what is added to the inputs once, what is left for each step)."""
        return bias_ih + bias_hh, None

    def __call__(self, x: Tensor, state: Any, weight: Tensor, bias: Any) -> Any:
        h = self.bend(x + matmul(state[0], weight))
        return (_clipped(h, self.clip),)


class GRUStep:
    """The new state is a mix of the old one and a candidate (Cho et al. 2014).

    reset_after (PyTorch's way) scales the candidate's part of h @ W.T + b; else h is
    scaled before.
    """

    gates = 3
    states = 1

    def __init__(
        self,
        gate: str = "sigmoid",
        hidden: str = "tanh",
        reset_after: bool = True,
        clip: float | None = None,
    ) -> None:
        self.usual = (gate, hidden, reset_after) == ("sigmoid", "tanh", True)
        self.gate = activation(gate, "GRU")
        self.hidden = activation(hidden, "GRU")
        self.reset_after = reset_after
        self.clip = clip

    def merged(self, bias_ih: Tensor, bias_hh: Tensor) -> Any:
        return bias_ih, bias_hh

    def __call__(self, x: Tensor, state: Any, weight: Tensor, bias: Any) -> Any:
        h = state[0]
        size = h.shape[-1]
        xs = split(x, size, -1)
        if not self.reset_after:
            return (_clipped(self._before(xs, h, weight, bias), self.clip),)
        hs = matmul(h, weight)
        hs = split(hs if bias is None else hs + bias, size, -1)
        if self.usual:
            found = _gru(xs[0], xs[1], xs[2], hs[0], hs[1], hs[2], h)
        else:
            n = self.hidden(xs[2] + self.gate(xs[0] + hs[0]) * hs[2])
            found = n + self.gate(xs[1] + hs[1]) * (h - n)
        return (_clipped(found, self.clip),)

    def _before(self, xs, h, weight, bias):
        size = h.shape[-1]
        gates = concat(xs[:2], -1) + matmul(h, narrow(weight, 1, 0, 2 * size))
        if bias is not None:
            gates = gates + bias[: 2 * size]
        r, z = split(self.gate(gates), size, -1)
        n = xs[2] + matmul(h * r, narrow(weight, 1, 2 * size, size))
        if bias is not None:
            n = n + bias[2 * size :]
        n = self.hidden(n)
        return n + z * (h - n)


class LSTMStep:
    """A memory c that is kept, written and shown by gates (Hochreiter 1997).

    input_forget: what is written is forgotten, f = 1 - i. projection: another matrix
    makes the shown state smaller.
    """

    gates = 4
    states = 2

    def __init__(
        self,
        gate: str = "sigmoid",
        cell: str = "tanh",
        hidden: str = "tanh",
        input_forget: bool = False,
        clip: float | None = None,
    ) -> None:
        bends = (gate, cell, hidden)
        self.usual = bends == ("sigmoid", "tanh", "tanh") and not input_forget
        self.gate, self.cell, self.hidden = [activation(b, "LSTM") for b in bends]
        self.input_forget = input_forget
        self.clip = clip

    def merged(self, bias_ih: Tensor, bias_hh: Tensor) -> Any:
        return bias_ih + bias_hh, None

    def __call__(
        self, x: Tensor, state: Any, weight: Tensor, bias: Any, project: Any = None
    ) -> Any:
        h, c = state
        i, f, g, o = split(x + matmul(h, weight), c.shape[-1], -1)
        if self.usual:
            c = _clipped(_memory(i, f, g, c), self.clip)
            h = _output(o, c)
        else:
            i = self.gate(i)
            f = 1.0 - i if self.input_forget else self.gate(f)
            c = _clipped(f * c + i * self.cell(g), self.clip)
            h = self.gate(o) * self.hidden(c)
        return (h if project is None else matmul(h, project)), c


def walk(step: Any, gates: Tensor, sizes: Any, state: Any, backwards: bool) -> Any:
    """Run a step over time: returns (states shown at all times, the last states).

    gates: the inputs' parts, those of each time after the other, for `sizes[t]`
    sequences: the first ones of the batch, for the longest come first. A sequence
    that has ended keeps its state; backwards, it begins when its end comes.
    """
    count = sizes[-1] if backwards else sizes[0]
    first, state = state, [_first(s, count) for s in state]
    shown: list[Any] = [None] * len(sizes)
    ended: list[Any] = []
    offset = sum(sizes) if backwards else 0
    for i in range(len(sizes)):
        t = len(sizes) - 1 - i if backwards else i
        n = sizes[t]
        if n < count:
            ended.append([narrow(s, 0, n, count - n) for s in state])
            state = [_first(s, n) for s in state]
        elif n > count:
            more = [narrow(s, 0, count, n - count) for s in first]
            state = [concat(pair, 0) for pair in zip(state, more)]
        count = n
        offset -= n if backwards else 0
        state = list(step(narrow(gates, 0, offset, n), state))
        offset += 0 if backwards else n
        shown[t] = state[0]
    for late in reversed(ended):
        state = [concat(pair, 0) for pair in zip(state, late)]
    return concat(shown, 0), state


def _first(x, n):
    return x if x.shape[0] == n else narrow(x, 0, 0, n)
