"""A dataset of tensors that go together row by row."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ShapeError
from ..tensor import Tensor, tensor


class TensorDataset:
    """Row i of several tensors is item i; all have the same first size.

    Shapes: tensors [N, ...] -> items of shape [...], batches [B, ...].

        pairs = TensorDataset(features, targets)
        feature, target = pairs[0]

    Example:
        >>> import fogo
        >>> pairs = fogo.data.TensorDataset(fogo.arange(3), fogo.ones(3))
        >>> len(pairs), [v.item() for v in pairs[1]]
        (3, [1, 1.0])
    """

    def __init__(self, *tensors: Tensor) -> None:
        sizes = [t.shape[0] if t.shape else None for t in tensors]
        if not tensors or None in sizes or len(set(sizes)) > 1:
            shapes = ", ".join(str(list(t.shape)) for t in tensors) or "none"
            raise ShapeError(
                "TensorDataset: at least one tensor, and all of one first size; given "
                f"{shapes}"
            )
        self.tensors = tensors

    def __len__(self) -> int:
        return len(self.tensors[0])

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        return tuple(t[index] for t in self.tensors)

    def rows(self, indices: Sequence[int]) -> tuple[Tensor, ...]:
        """Give the rows at `indices` of each tensor."""
        out = []
        for t in self.tensors:
            places = tensor(list(indices), dtype=t.device.default_int, device=t.device)
            out.append(t.take(places, 0))
        return tuple(out)
