"""Recurrent layers: RNN, LSTM and GRU, of PyTorch's names, shapes and weights.

The gates' parts of all inputs are one matrix product over the whole sequence; what is
left for a step is one product for all gates and the arithmetic of `rnn_steps.py`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import ShapeError
from ..ops.matmul import matmul
from ..ops.movement import concat, stack
from ..ops.norm import dropout
from .init import symmetric
from .module import Module
from .parameter import Parameter
from .rnn_steps import GRUStep, LSTMStep, RNNStep, walk
from .sizes import positive
from .utils.rnn import PackedSequence, chosen

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType


class RNNBase(Module):
    """What the three have in common; `_step` says how a step is computed."""

    proj_size = 0
    _step: Any

    def _build(self, step: Any, input_size, hidden_size, num_layers, bias, **more):
        name = type(self).__name__
        positive(
            name, input_size=input_size, hidden_size=hidden_size, num_layers=num_layers
        )
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = more["batch_first"]
        self.dropout = more["dropout"]
        self.bidirectional = more["bidirectional"]
        self.reverse = more["reverse"]
        self._step = step
        if not 0.0 <= self.dropout <= 1.0:
            raise ShapeError(
                "%s: dropout is a probability; given %r" % (name, self.dropout)
            )
        if self.reverse and self.bidirectional:
            raise ShapeError(
                "%s: reverse or bidirectional, one of them; given both" % name
            )
        self._weights(more["device"], more["dtype"])

    def _weights(self, device, dtype):
        bound = 1.0 / math.sqrt(self.hidden_size)
        shown = self.proj_size or self.hidden_size
        rows = self._step.gates * self.hidden_size
        for layer, way in self._places():
            wide = shown * (2 if self.bidirectional else 1)
            columns = wide if layer else self.input_size
            shapes = [("weight_ih", (rows, columns)), ("weight_hh", (rows, shown))]
            if self.bias:
                shapes += [("bias_ih", (rows,)), ("bias_hh", (rows,))]
            if self.proj_size:
                shapes.append(("weight_hr", (shown, self.hidden_size)))
            for name, shape in shapes:
                drawn = symmetric(shape, bound, dtype, device)
                setattr(self, name + _suffix(layer, way), Parameter(drawn))

    def _places(self):
        ways = (0, 1) if self.bidirectional else (0,)
        return [(k, way) for k in range(self.num_layers) for way in ways]

    def _of(self, name, layer, way):
        return getattr(self, name + _suffix(layer, way))

    def _line(self, x, sizes, state, layer, way):
        """One layer in one direction: (what it shows, its last states)."""
        step, left = self._step, None
        gates = matmul(x, self._of("weight_ih", layer, way).transpose())
        if self.bias:
            biases = [self._of(n, layer, way) for n in ("bias_ih", "bias_hh")]
            at_once, left = step.merged(*biases)
            gates = gates + at_once
        weight = self._of("weight_hh", layer, way).transpose()
        more = ()
        if self.proj_size:
            more = (self._of("weight_hr", layer, way).transpose(),)
        return walk(
            lambda part, state: step(part, state, weight, left, *more),
            gates, sizes, state, way == 1 or self.reverse,
        )  # fmt: skip

    def _run(self, x, sizes, states):
        """All layers: x [sum of sizes, C] -> (shown, last states by kind)."""
        lasts = []
        ways = 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            shown = []
            for way in range(ways):
                start = [s[layer * ways + way] for s in states]
                out, last = self._line(x, sizes, start, layer, way)
                shown.append(out)
                lasts.append(last)
            x = shown[0] if ways == 1 else concat(shown, -1)
            if self.dropout and layer < self.num_layers - 1:
                x = dropout(x, self.dropout, self.training)
        return x, [stack([s[k] for s in lasts], 0) for k in range(len(states))]

    def _sizes(self):
        """Features of each kind of state."""
        shown = self.proj_size or self.hidden_size
        return [shown, self.hidden_size][: self._step.states]

    def _start(self, x, hx, count, order, batched):
        """The first states, [layers * directions, N, H] each."""
        places = len(self._places())
        shapes = [(places, count, size) for size in self._sizes()]
        if hx is None:
            zero = x.device.constant(0.0, self.weight_ih_l0.dtype)
            return [zero.expand(shape) for shape in shapes]
        given = list(hx) if self._step.states > 1 else [hx]
        found = []
        for state, shape in zip(given, shapes):
            wanted = shape if batched else shape[:1] + shape[2:]
            if state.shape != wanted:
                raise ShapeError(
                    "%s: a first state has shape %s; given %s"
                    % (type(self).__name__, list(wanted), list(state.shape))
                )
            state = state if batched else state.unsqueeze(1)
            found.append(chosen(state, order, 1))
        return found

    def _check(self, x):
        if x.ndim not in (2, 3) or x.shape[-1] != self.input_size or 0 in x.shape:
            raise ShapeError(
                "%s: the input is %s or [T, C], with C = input_size = %d and no axis "
                "of 0; given %s"
                % (type(self).__name__, "[N, T, C]" if self.batch_first else
                   "[T, N, C]", self.input_size, list(x.shape))
            )  # fmt: skip

    def _last(self, lasts, order, batched):
        found = [chosen(s, order, 1) for s in lasts]
        if not batched:
            found = [s.squeeze(1) for s in found]
        return tuple(found) if self._step.states > 1 else found[0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Module.__call__(self, *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return (what is shown at all times, the last states)."""
        if isinstance(input, PackedSequence):
            data, order = input.data, input.sorted_indices
            states = self._start(data, hx, input.batch_sizes[0], order, True)
            shown, lasts = self._run(data, input.batch_sizes, states)
            return input.like(shown), self._last(lasts, input.unsorted_indices, True)
        self._check(input)
        batched = input.ndim == 3
        swap = self.batch_first and batched
        x = input.swapaxes(0, 1) if swap else input
        x = x if batched else x.unsqueeze(1)
        steps, count = x.shape[:2]
        states = self._start(x, hx, count, None, batched)
        flat = x.reshape((steps * count, x.shape[2]))
        shown, lasts = self._run(flat, (count,) * steps, states)
        shown = shown.reshape((steps, count, -1))
        shown = shown if batched else shown.squeeze(1)
        shown = shown.swapaxes(0, 1) if swap else shown
        return shown, self._last(lasts, None, batched)

    def extra_repr(self) -> str:
        text = "%d, %d" % (self.input_size, self.hidden_size)
        if self.num_layers > 1:
            text += ", num_layers=%d" % self.num_layers
        for name in ("proj_size", "dropout"):
            if getattr(self, name):
                text += ", %s=%g" % (name, getattr(self, name))
        if not self.bias:
            text += ", bias=False"
        for name in ("batch_first", "bidirectional", "reverse"):
            if getattr(self, name):
                text += ", %s=True" % name
        return text


def _suffix(layer, way):
    return "_l%d%s" % (layer, "_reverse" if way else "")


class RNN(RNNBase):
    """Apply `h = tanh(x @ W_ih.T + b_ih + h @ W_hh.T + b_hh)` along a sequence.

    Shapes: input [T, N, C] ([N, T, C] with batch_first), [T, C], or a PackedSequence;
    hx [layers * directions, N, H], zeros if None -> (shown [T, N, directions * H],
    last states like hx). nonlinearity: "tanh", "relu", or another function or name.
    Beyond PyTorch: clip bounds the state, reverse walks from the end.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> shown, last = nn.RNN(4, 8, num_layers=2)(fogo.ones(5, 3, 4))
        >>> shown.shape, last.shape
        ((5, 3, 8), (2, 3, 8))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
        *,
        clip: float | None = None,
        reverse: bool = False,
    ) -> None:
        self.nonlinearity = nonlinearity
        self._build(
            RNNStep(nonlinearity, clip), input_size, hidden_size, num_layers, bias,
            batch_first=batch_first, dropout=dropout, bidirectional=bidirectional,
            reverse=reverse, device=device, dtype=dtype,
        )  # fmt: skip


class GRU(RNNBase):
    """Gated recurrent units (Cho et al. 2014); shapes as in `RNN`.

    gate, hidden: functions, or their names. reset_after=False scales the state before
    its product for the candidate; clip bounds the state; reverse walks from the end.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> gru = nn.GRU(4, 8, batch_first=True, bidirectional=True)
        >>> shown, last = gru(fogo.ones(3, 5, 4))
        >>> shown.shape, last.shape
        ((3, 5, 16), (2, 3, 8))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
        *,
        reset_after: bool = True,
        gate: str = "sigmoid",
        hidden: str = "tanh",
        clip: float | None = None,
        reverse: bool = False,
    ) -> None:
        self.reset_after = reset_after
        self._build(
            GRUStep(gate, hidden, reset_after, clip), input_size, hidden_size,
            num_layers, bias, batch_first=batch_first, dropout=dropout,
            bidirectional=bidirectional, reverse=reverse, device=device, dtype=dtype,
        )  # fmt: skip


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber 1997); shapes as in `RNN`.

    The states are (h, c); with proj_size, h is projected to so many features.
    gate, cell, hidden: functions, or their names. input_forget: f = 1 - i; clip bounds
    the memory c; reverse walks from the end.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> shown, (h, c) = nn.LSTM(4, 8, proj_size=3)(fogo.ones(5, 2, 4))
        >>> shown.shape, h.shape, c.shape
        ((5, 2, 3), (1, 2, 3), (1, 2, 8))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
        *,
        gate: str = "sigmoid",
        cell: str = "tanh",
        hidden: str = "tanh",
        input_forget: bool = False,
        clip: float | None = None,
        reverse: bool = False,
    ) -> None:
        if not 0 <= proj_size < hidden_size:
            raise ShapeError(
                "LSTM: proj_size lies below hidden_size=%d; given %d"
                % (hidden_size, proj_size)
            )
        self.proj_size = proj_size
        self._build(
            LSTMStep(gate, cell, hidden, input_forget, clip), input_size, hidden_size,
            num_layers, bias, batch_first=batch_first, dropout=dropout,
            bidirectional=bidirectional, reverse=reverse, device=device, dtype=dtype,
        )  # fmt: skip
