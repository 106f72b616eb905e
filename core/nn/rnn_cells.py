"""Recurrent cells: one step of RNN, LSTM or GRU, for loops of one's own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import ShapeError
from ..ops.matmul import matmul
from .init import symmetric
from .module import Module
from .parameter import Parameter
from .rnn_steps import GRUStep, LSTMStep, RNNStep
from .sizes import positive

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor


class RNNCellBase(Module):
    """Weights and shapes of the three cells; `_step` says how a step is computed."""

    bias_ih: Any
    bias_hh: Any
    _step: Any

    def _build(self, step, input_size, hidden_size, bias, device, dtype):
        positive(type(self).__name__, input_size=input_size, hidden_size=hidden_size)
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self._step = step
        bound = 1.0 / math.sqrt(hidden_size)
        rows = step.gates * hidden_size
        for name, shape in (
            ("weight_ih", (rows, input_size)), ("weight_hh", (rows, hidden_size)),
            ("bias_ih", (rows,)), ("bias_hh", (rows,)),
        ):  # fmt: skip
            if bias or "weight" in name:
                drawn = Parameter(symmetric(shape, bound, dtype, device))
                setattr(self, name, drawn)

    def _check(self, x, states):
        lead = x.shape[:-1]
        if x.ndim not in (1, 2) or x.shape[-1] != self.input_size:
            raise ShapeError(
                "%s: the input is [N, C] or [C] with C = input_size = %d; given %s"
                % (type(self).__name__, self.input_size, list(x.shape))
            )
        for state in states:
            if state.shape != lead + (self.hidden_size,):
                raise ShapeError(
                    "%s: a state has shape %s; given %s"
                    % (type(self).__name__, list(lead) + [self.hidden_size],
                       list(state.shape))
                )  # fmt: skip

    def _stepped(self, x, hx):
        """The new states, after a check of everything that is given."""
        many = self._step.states > 1
        if hx is None:
            zero = x.device.constant(0.0, self.weight_ih.dtype)
            zero = zero.expand(x.shape[:-1] + (self.hidden_size,))
            states = [zero] * self._step.states
        else:
            states = list(hx) if many else [hx]
        self._check(x, states)
        single = x.ndim == 1
        if single:
            x, states = x.unsqueeze(0), [s.unsqueeze(0) for s in states]
        gates, left = matmul(x, self.weight_ih.transpose()), None
        if self.bias:
            at_once, left = self._step.merged(self.bias_ih, self.bias_hh)
            gates = gates + at_once
        found = self._step(gates, states, self.weight_hh.transpose(), left)
        found = tuple([s.squeeze(0) for s in found]) if single else tuple(found)
        return found if many else found[0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Module.__call__(self, *args, **kwargs)

    def extra_repr(self) -> str:
        text = "%d, %d" % (self.input_size, self.hidden_size)
        return text if self.bias else text + ", bias=False"


class RNNCell(RNNCellBase):
    """One step of `RNN`: input [N, C], hx [N, H] (zeros if None) -> [N, H].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.RNNCell(4, 8)(fogo.ones(3, 4)).shape
        (3, 8)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Device | str | None = None,
        dtype: DType | str | None = None,
        *,
        clip: float | None = None,
    ) -> None:
        self.nonlinearity = nonlinearity
        step = RNNStep(nonlinearity, clip)
        self._build(step, input_size, hidden_size, bias, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._stepped(input, hx)


class GRUCell(RNNCellBase):
    """One step of `GRU`: input [N, C], hx [N, H] (zeros if None) -> [N, H].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.GRUCell(3, 4)(fogo.ones((2, 3))).shape
        (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
        *,
        reset_after: bool = True,
        gate: str = "sigmoid",
        hidden: str = "tanh",
        clip: float | None = None,
    ) -> None:
        step = GRUStep(gate, hidden, reset_after, clip)
        self._build(step, input_size, hidden_size, bias, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._stepped(input, hx)


class LSTMCell(RNNCellBase):
    """One step of `LSTM`: input [N, C], hx (h, c) of [N, H] each -> (h, c).

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> h, c = nn.LSTMCell(4, 8)(fogo.ones(3, 4))
        >>> h.shape, c.shape
        ((3, 8), (3, 8))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
        *,
        gate: str = "sigmoid",
        cell: str = "tanh",
        hidden: str = "tanh",
        input_forget: bool = False,
        clip: float | None = None,
    ) -> None:
        step = LSTMStep(gate, cell, hidden, input_forget, clip)
        self._build(step, input_size, hidden_size, bias, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        return self._stepped(input, hx)
