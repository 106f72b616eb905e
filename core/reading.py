"""Many reads in one: values of several tensors, with one wait for the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import DeviceError, DTypeError
from .storage import nest, unpack

if TYPE_CHECKING:
    from .tensor import Tensor


def read(*tensors: Tensor) -> list[Any]:
    """Return the values of several tensors, as `tolist` gives them, after one wait.

    Burn calls this a Transaction. The tensors may be on several devices: one wait each.
    Raises: DeviceError where this thread cannot wait (use `read_async`), DTypeError.

    Example:
        >>> import fogo
        >>> fogo.read(fogo.tensor([1, 2]), fogo.tensor(3.0))
        [[1, 2], 3.0]
    """
    out: list[Any] = [None] * len(tensors)
    for device, places in _by_device(tensors):
        handles = [tensors[i]._handle for i in places]
        try:
            buffers = device.backend.read(handles)
        except DeviceError as error:
            raise DeviceError(
                "read: the values must be read from the device; given a thread that "
                "cannot wait (%s); use `await fogo.read_async(...)`" % error
            )
        _keep(out, tensors, places, buffers)
    return out


async def read_async(*tensors: Tensor) -> list[Any]:
    """`read` without blocking: for every platform.

    Raises: DTypeError for what is no tensor.

    Example:
        >>> import fogo
        >>> import asyncio
        >>> asyncio.run(fogo.read_async(fogo.ones(2), fogo.arange(2)))
        [[1.0, 1.0], [0, 1]]
    """
    out: list[Any] = [None] * len(tensors)
    for device, places in _by_device(tensors):
        handles = [tensors[i]._handle for i in places]
        _keep(out, tensors, places, await device.backend.read_async(handles))
    return out


def _by_device(tensors):
    """[(device, positions of its tensors)] in the order that they come."""
    from .tensor import Tensor

    found = []
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise DTypeError(
                "read: tensors; given %s; unpack a list with read(*tensors)" % type(t)
            )
        for device, places in found:
            if device is t.device:
                places.append(i)
                break
        else:
            found.append((t.device, [i]))
    return found


def _keep(out, tensors, places, buffers):
    for i, buffer in zip(places, buffers):
        out[i] = nest(unpack(buffer, tensors[i].dtype), tensors[i].shape)
