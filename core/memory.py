"""How much memory a device's tensors take, and giving back what is only kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .device import device as device_of
from .errors import DeviceError

if TYPE_CHECKING:
    from .device import Device


def memory_stats(device: Device | str | None = None) -> dict[str, int]:
    """Return what a device's memory holds, in bytes.

    in_use         of buffers that tensors (and captured programs) hold
    reserved       of all buffers, those included that wait for their next use
    peak_in_use, peak_reserved   the most there ever was, or since
                   `fogo.memory.reset_peak`
    buffers        how many buffers there are

    What is recorded and not run yet has no memory: `device.sync()` first, to see it.
    The device "numpy" counts arrays of 1 MiB and more, the others are Python's.
    Raises: DeviceError where the device does not count its memory.

    Example:
        >>> import fogo
        >>> x = fogo.arange(1 << 20, device="numpy")
        >>> fogo.memory_stats("numpy")["in_use"] >= x.size * x.dtype.itemsize
        True
    """
    found: dict[str, int] = _pool("memory_stats", device).stats()
    return found


def memory_cleanup(device: Device | str | None = None) -> int:
    """Free the buffers that wait for their next use; returns how many bytes.

    Work that is under way is waited for.
    Raises: DeviceError where the device does not count its memory.

    Example:
        >>> import fogo
        >>> fogo.memory_cleanup("numpy") >= 0
        True
    """
    where = device_of(device)
    pool = _pool("memory_cleanup", where)
    where.sync()
    before = pool.stats()["reserved"]
    pool.trim()
    where.sync()
    freed: int = before - pool.stats()["reserved"]
    return freed


def reset_peak(device: Device | str | None = None) -> None:
    """Count the peaks of `memory_stats` from now on.

    Example:
        >>> import fogo
        >>> fogo.memory.reset_peak("numpy")
    """
    _pool("reset_peak", device).reset_peak()


def _pool(name: str, device: Device | str | None) -> Any:
    """The pool of the backend that holds the memory."""
    backend = device_of(device).base().backend
    while backend.inner is not None:
        backend = backend.inner
    pool = getattr(backend, "pool", None)
    if not hasattr(pool, "stats"):
        raise DeviceError(
            "%s: the device must count its memory; given %r, which does not; ask a "
            "webgpu, dawn or numpy device" % (name, device_of(device))
        )
    return pool
