"""Host data of a batch to tensors."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..device import device as find_device
from ..dispatch import wrap
from ..dtypes import float32, uint8
from ..errors import DTypeError, ShapeError
from ..tensor import Tensor, tensor

if TYPE_CHECKING:
    from ..device import Device


def to_tensors(
    pixels: bytes,
    labels: Sequence[int],
    shape: tuple[int, int, int],
    device: Device | str | None = None,
) -> tuple[Tensor, Tensor]:
    """Make (images float32 [N, C, H, W] from 0 to 1, labels integer [N]).

    The pixels travel as bytes and become floats on the device.
    """
    where = find_device(device)
    full = (len(labels), shape[0], shape[1], shape[2])
    handle = where.backend.upload(array("B", pixels), full, uint8)
    images = wrap(handle, where).astype(float32) * (1 / 255)
    return images, tensor(list(labels), dtype=where.default_int, device=where)


def stack_items(items: Sequence[Any], device: Device | str | None = None) -> Any:
    """Stack items of a dataset along a new first axis.

    Items may be numbers, nested lists, arrays or tensors, or tuples of these, which
    give a tuple of tensors. Raises DTypeError for anything else (use `collate`).
    """
    first = items[0]
    if isinstance(first, tuple):
        if any(not isinstance(it, tuple) or len(it) != len(first) for it in items):
            raise ShapeError(
                "DataLoader: the items of a batch must be tuples of one length; the "
                f"first has {len(first)} parts and another differs; give a collate"
            )
        return tuple(stack_items(list(part), device) for part in zip(*items))
    if isinstance(first, Tensor):
        from .. import stack

        return stack(list(items))
    if isinstance(first, (int, float, list)):
        return tensor(list(items), device=device)
    if hasattr(first, "tolist"):
        return tensor([item.tolist() for item in items], device=device)
    raise DTypeError(
        "DataLoader: items must be numbers, lists, arrays, tensors or tuples of them; "
        f"given {type(first).__name__}; give a collate"
    )
