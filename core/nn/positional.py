"""Where a token stands: sinusoids that are added, and rotations.

Angles are exact: sines of long and short distances are made by Python in float64, and
the device joins them by the sum formula, which keeps its memory and time small.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..errors import ShapeError
from ..ops.movement import concat, narrow, stack
from ..ops.norm import dropout
from ..tensor import tensor
from .module import Module
from .sizes import positive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..device import Device
    from ..tensor import Tensor

_STRIDE = 64  # places between two long distances


def waves(
    first: int,
    count: int,
    frequencies: Sequence[float],
    device: Device | str | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the sines and cosines of (first + i) * frequency.

    Shapes: [count, len(frequencies)] both, float32.

    Example:
        >>> sines, cosines = waves(0, 3, [0.0, 1.0])
        >>> [round(v, 4) for v in sines[2].tolist()]
        [0.0, 0.9093]
    """
    blocks = (count + _STRIDE - 1) // _STRIDE

    def table(places):
        sin = [[math.sin(p * f) for f in frequencies] for p in places]
        cos = [[math.cos(p * f) for f in frequencies] for p in places]
        return tensor(sin, "float32", device), tensor(cos, "float32", device)

    far = table([first + i * _STRIDE for i in range(blocks)])
    near = table(range(min(count, _STRIDE)))
    s, c = [x.unsqueeze(1) for x in far]
    whole = (-1, len(frequencies))
    sines = (s * near[1] + c * near[0]).reshape(whole)
    cosines = (c * near[1] - s * near[0]).reshape(whole)
    return narrow(sines, 0, 0, count), narrow(cosines, 0, 0, count)


def generate_sinusoids(
    length: int,
    d_model: int,
    max_timescale: int = 10000,
    device: Device | str | None = None,
) -> Tensor:
    """Return the sinusoids of Vaswani et al. 2017: sines at even places, else cosines.

    Shapes: [length, d_model], d_model even. Raises: ShapeError.

    Example:
        >>> from fogo import nn
        >>> nn.generate_sinusoids(1, 4).tolist()
        [[0.0, 1.0, 0.0, 1.0]]
    """
    _even("generate_sinusoids", d_model)
    steps = [float(max_timescale) ** (-2.0 * i / d_model) for i in range(d_model // 2)]
    return stack(waves(0, length, steps, device), -1).reshape((length, d_model))


def _even(name, size):
    if size < 2 or size % 2:
        raise ShapeError("%s: the features are even in number; given %r" % (name, size))


class PositionalEncoding(Module):
    """Add sinusoids that tell the places [..., T, E] of a sequence.

    Raises: ShapeError for a sequence longer than max_sequence_size.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.PositionalEncoding(4)(fogo.zeros(1, 2, 4))[0, 0].tolist()
        [0.0, 1.0, 0.0, 1.0]
    """

    sinusoids: Any

    def __init__(
        self,
        d_model: int,
        max_sequence_size: int = 5000,
        max_timescale: int = 10000,
        dropout: float = 0.0,
        *,
        device: Device | str | None = None,
    ) -> None:
        positive("PositionalEncoding", max_sequence_size=max_sequence_size)
        self.d_model = d_model
        self.max_sequence_size = max_sequence_size
        self.dropout = dropout
        made = generate_sinusoids(max_sequence_size, d_model, max_timescale, device)
        self.register_buffer("sinusoids", made, persistent=False)

    def forward(self, x: Any, start: int = 0) -> Any:
        """Return x plus the sinusoids from the place `start` on."""
        if x.ndim < 2 or x.shape[-1] != self.d_model or (
            start + x.shape[-2] > self.max_sequence_size
        ):  # fmt: skip
            raise ShapeError(
                "PositionalEncoding: x is [..., T, %d] with start + T of at most %d; "
                "given %s, start %d"
                % (self.d_model, self.max_sequence_size, list(x.shape), start)
            )
        x = x + narrow(self.sinusoids, 0, start, x.shape[-2]).astype(x.dtype)
        return dropout(x, self.dropout, self.training)

    def extra_repr(self) -> str:
        return "%d, max_sequence_size=%d" % (self.d_model, self.max_sequence_size)


class RotaryEncoding(Module):
    """Rotate pairs of features by angles that grow with the place (Su et al. 2021).

    Shapes: x [..., T, D] -> the same. Pairs are neighbours (0, 1), (2, 3), …; with
    interleaved=False the first half pairs with the second. scaling: a function of the
    list of frequencies, for longer contexts. `shift(start)` moves the table on for
    streams without end, `reset()` moves it back. Raises: ShapeError.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> rope = nn.RotaryEncoding(16, 2)
        >>> y = rope(fogo.tensor([[1.0, 0.0], [1.0, 0.0]]))
        >>> [round(v, 4) for v in y[1].tolist()]
        [0.5403, 0.8415]
    """

    sines: Any
    cosines: Any

    def __init__(
        self,
        max_sequence_length: int,
        d_model: int,
        theta: float = 10000.0,
        scaling: Callable[[list[float]], Sequence[float]] | None = None,
        interleaved: bool = True,
        *,
        device: Device | str | None = None,
    ) -> None:
        positive("RotaryEncoding", max_sequence_length=max_sequence_length)
        _even("RotaryEncoding", d_model)
        self.max_sequence_length = max_sequence_length
        self.d_model = d_model
        self.theta = theta
        self.interleaved = interleaved
        found = [float(theta) ** (-2.0 * i / d_model) for i in range(d_model // 2)]
        self._frequencies = tuple(found if scaling is None else scaling(found))
        self.first = 0
        self._table(0, device)

    def _table(self, first, device):
        count = self.max_sequence_length
        sines, cosines = waves(first, count, self._frequencies, device)
        self.first = first
        self.register_buffer("sines", sines, persistent=False)
        self.register_buffer("cosines", cosines, persistent=False)

    def shift(self, start: int) -> None:
        """Let the table begin at the place `start` of the stream.

        Raises: ShapeError for a place before the one it begins at.
        """
        if start < self.first:
            raise ShapeError(
                "RotaryEncoding: a stream moves forwards; given start %d after %d; "
                "call reset() for another stream" % (start, self.first)
            )
        if start > self.first:
            self._table(start, self.sines.device)

    def reset(self) -> None:
        """Let the table begin at the first place again."""
        if self.first:
            self._table(0, self.sines.device)

    def forward(self, x: Any, start: int | None = None) -> Any:
        """Return x rotated, its first place being `start` of the stream."""
        at = 0 if start is None else start - self.first
        if x.ndim < 2 or x.shape[-1] != self.d_model or not (
            0 <= at <= self.max_sequence_length - x.shape[-2]
        ):  # fmt: skip
            raise ShapeError(
                "RotaryEncoding: x is [..., T, %d], and its places lie in %d to %d; "
                "given %s, start %d; shift() moves the table on"
                % (self.d_model, self.first, self.first + self.max_sequence_length,
                   list(x.shape), at + self.first)
            )  # fmt: skip
        sin, cos = [
            narrow(t, 0, at, x.shape[-2]).astype(x.dtype)
            for t in (self.sines, self.cosines)
        ]
        half = self.d_model // 2
        if self.interleaved:
            pairs = x.reshape(x.shape[:-1] + (half, 2))
            a, b = pairs[..., 0], pairs[..., 1]
            turned = stack([a * cos - b * sin, a * sin + b * cos], -1)
            return turned.reshape(x.shape)
        a, b = narrow(x, -1, 0, half), narrow(x, -1, half, half)
        return concat([a * cos - b * sin, a * sin + b * cos], -1)

    apply_at = forward

    def extra_repr(self) -> str:
        return "%d, %d, theta=%g" % (self.max_sequence_length, self.d_model, self.theta)
