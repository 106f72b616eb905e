"""Sequences of different lengths in one batch: padded, or packed without padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import ShapeError
from ...ops.index import take
from ...ops.movement import concat, narrow, pad, stack
from ...tensor import tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...device import Device
    from ...dtypes import DType
    from ...tensor import Tensor


class PackedSequence:
    """The elements of all sequences by time: first elements, second elements, … .

    data [sum of lengths, ...]; batch_sizes: how many sequences still run at each time,
    as a tuple of whole numbers (they steer Python's loops, so they stay with it);
    sorted_indices and unsorted_indices: lists of places, or None where the sequences
    came longest first.
    """

    def __init__(
        self,
        data: Tensor,
        batch_sizes: Sequence[int],
        sorted_indices: Sequence[int] | None = None,
        unsorted_indices: Sequence[int] | None = None,
    ) -> None:
        self.data = data
        self.batch_sizes = tuple([int(n) for n in batch_sizes])
        self.sorted_indices = _listed(sorted_indices)
        if unsorted_indices is None and self.sorted_indices is not None:
            unsorted_indices = inverted(self.sorted_indices)
        self.unsorted_indices = _listed(unsorted_indices)
        if sum(self.batch_sizes) != data.shape[0]:
            raise ShapeError(
                "PackedSequence: the batch sizes add up to the rows of the data; "
                "given %d and %d" % (sum(self.batch_sizes), data.shape[0])
            )

    def to(self, target: Device | str | DType) -> PackedSequence:
        """Return it with its data on another device, or in another dtype."""
        return self.like(self.data.to(target))

    def like(self, data: Tensor) -> PackedSequence:
        """Return other data in the same packing."""
        return PackedSequence(
            data, self.batch_sizes, self.sorted_indices, self.unsorted_indices
        )


def _listed(places):
    return None if places is None else [int(i) for i in places]


def inverted(places: Sequence[int]) -> list[int]:
    """Return the places that undo a reordering.

    Example:
        >>> inverted([2, 0, 1])
        [1, 2, 0]
    """
    back = [0] * len(places)
    for new, old in enumerate(places):
        back[old] = new
    return back


def chosen(x: Tensor, places: Sequence[int] | None, axis: int) -> Tensor:
    """Return the slices of these places along an axis; all of them for None."""
    if places is None or list(places) == list(range(x.shape[axis])):
        return x
    index = tensor(list(places), dtype="int32", device=x.device.base())
    return take(x, index, axis)


def _lengths(lengths: Any, count: int, longest: int) -> list[int]:
    if hasattr(lengths, "tolist"):
        lengths = lengths.tolist()
    lengths = [int(n) for n in lengths]
    if len(lengths) != count or min(lengths) < 1 or max(lengths) > longest:
        raise ShapeError(
            "pack_padded_sequence: one length for each of %d sequences, from 1 to %d; "
            "given %s" % (count, longest, lengths)
        )
    return lengths


def pack_padded_sequence(
    input: Tensor,
    lengths: Any,
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Leave the padding out of a batch of sequences.

    Shapes: input [T, N, ...], or [N, T, ...] with batch_first; N lengths (a list, or a
    tensor, which is read). enforce_sorted: the lengths must not grow (else they are
    sorted here). Raises: ShapeError.

    Example:
        >>> import fogo
        >>> from fogo.nn.utils.rnn import pack_padded_sequence
        >>> x = fogo.tensor([[1, 4], [2, 5], [3, 0]])
        >>> packed = pack_padded_sequence(x, [3, 2])
        >>> packed.data.tolist(), packed.batch_sizes
        ([1, 4, 2, 5, 3], (2, 2, 1))
    """
    x = input.swapaxes(0, 1) if batch_first else input
    sizes = _lengths(lengths, x.shape[1], x.shape[0])
    order = None
    if not enforce_sorted:
        order = sorted(range(len(sizes)), key=lambda i: -sizes[i])
        sizes = [sizes[i] for i in order]
        x = chosen(x, order, 1)
    elif sizes != sorted(sizes, reverse=True):
        raise ShapeError(
            "pack_padded_sequence: the longest sequence comes first; given lengths %s; "
            "pass enforce_sorted=False" % sizes
        )
    running = [len([n for n in sizes if n > t]) for t in range(sizes[0])]
    steps = [x[t][:n] for t, n in enumerate(running)]
    return PackedSequence(concat(steps, 0), running, order)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return (the padded batch, the lengths): `pack_padded_sequence` undone.

    Shapes: [T, N, ...], or [N, T, ...] with batch_first; lengths [N].
    Raises: ShapeError where total_length is too short.

    Example:
        >>> import fogo
        >>> from fogo.nn.utils.rnn import pack_sequence, pad_packed_sequence
        >>> packed = pack_sequence([fogo.tensor([1.0, 2.0]), fogo.tensor([3.0])])
        >>> [x.tolist() for x in pad_packed_sequence(packed, batch_first=True)]
        [[[1.0, 2.0], [3.0, 0.0]], [2, 1]]
    """
    sizes = sequence.batch_sizes
    total = len(sizes) if total_length is None else total_length
    if total < len(sizes):
        raise ShapeError(
            "pad_packed_sequence: total_length must hold the longest sequence; given "
            "%d for %d" % (total, len(sizes))
        )
    steps, offset = [], 0
    rest = [(0, 0)] * (sequence.data.ndim - 1)
    for n in sizes:
        part = narrow(sequence.data, 0, offset, n)
        steps.append(pad(part, [(0, sizes[0] - n)] + rest, padding_value))
        offset += n
    x = pad(stack(steps, 0), [(0, total - len(sizes)), (0, 0)] + rest, padding_value)
    lengths = [len([n for n in sizes if n > i]) for i in range(sizes[0])]
    back = sequence.unsorted_indices
    if back is not None:
        x, lengths = chosen(x, back, 1), [lengths[i] for i in back]
    x = x.swapaxes(0, 1) if batch_first else x
    return x, tensor(lengths, device=x.device.base())


def pad_sequence(
    sequences: Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Return tensors [T_i, ...] as one, padded to the longest: [T, N, ...].

    Example:
        >>> import fogo
        >>> from fogo.nn.utils.rnn import pad_sequence
        >>> pad_sequence([fogo.ones(2), fogo.ones(1)], batch_first=True).tolist()
        [[1.0, 1.0], [1.0, 0.0]]
    """
    if padding_side not in ("left", "right"):
        raise ShapeError(
            'pad_sequence: padding_side is "left" or "right"; given %r' % padding_side
        )
    longest = max([x.shape[0] for x in sequences])
    padded = []
    for x in sequences:
        n = longest - x.shape[0]
        ends = (n, 0) if padding_side == "left" else (0, n)
        padded.append(pad(x, [ends] + [(0, 0)] * (x.ndim - 1), padding_value))
    return stack(padded, 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Any, batch_first: bool = False
) -> list[Tensor]:
    """Return the sequences [T_i, ...] of a padded batch."""
    x = padded_sequences if batch_first else padded_sequences.swapaxes(0, 1)
    return [x[i][:n] for i, n in enumerate(_lengths(lengths, *x.shape[:2]))]


def pack_sequence(
    sequences: Sequence[Tensor], enforce_sorted: bool = True
) -> PackedSequence:
    """Return tensors [T_i, ...] packed into one."""
    lengths = [x.shape[0] for x in sequences]
    return pack_padded_sequence(
        pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted
    )


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences [T_i, ...] that were packed."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences))
