"""What a context puts around devices' backends, and takes away again.

Outside of such contexts backends are as they were: nothing is asked of each op.
"""

from __future__ import annotations

from typing import Any

from ..device import DEVICES, Device
from .threads import Lock

_LOCK = Lock()
_COUNTS: dict[Any, int] = {}  # (kind, id of the device) -> contexts under way
_UNDER_WAY: list[Any] = []  # (kind, devices) of each context


class Around:
    """A backend that looks at each op before (or after) the one below runs it."""

    def __init__(self, below: Any) -> None:
        self.below = below
        self.wrapped = getattr(below, "wrapped", below)

    def __getattr__(self, name: str) -> Any:
        if name in ("below", "wrapped"):
            raise AttributeError(name)
        return getattr(self.below, name)


def reached(device: Device | None) -> list[Device]:
    """The device (every one that is open, if None), on all its levels."""
    starts = (
        [DEVICES[n] for n in sorted(DEVICES)] if device is None else [device.base()]
    )
    found: list[Device] = []
    for start in starts:
        start.autodiff()
        stack: list[Any] = [start]
        while stack:
            d = stack.pop()
            if [f for f in found if f is d]:
                continue
            found.append(d)
            stack.extend([d._outer] if d._outer is not None else [])
            stack.extend([d._layers[k] for k in sorted(d._layers)])
    return found


def surround(kind: Any, devices: list[Device]) -> None:
    """Put `kind(backend)` in place of each device's backend, once."""
    with _LOCK:
        _UNDER_WAY.append((kind, devices))
        _put(kind, devices)


def extend(device: Device, inner: Device) -> None:
    """Let what is around a device be around one that was made over it, too."""
    with _LOCK:
        for kind, devices in _UNDER_WAY:
            if [d for d in devices if d is inner]:
                _put(kind, [device])
                devices.append(device)


def _put(kind: Any, devices: list[Device]) -> None:
    for d in devices:
        key = (kind, id(d))
        _COUNTS[key] = _COUNTS.get(key, 0) + 1
        if _COUNTS[key] == 1:
            d.backend = kind(d.backend)


def release(kind: Any, devices: list[Device]) -> None:
    """Undo `surround`; the last to do so puts the backend back."""
    with _LOCK:
        kept = [e for e in _UNDER_WAY if e[1] is not devices]
        _UNDER_WAY[:] = kept
        for d in devices:
            key = (kind, id(d))
            _COUNTS[key] -= 1
            if not _COUNTS[key]:
                del _COUNTS[key]
                _unwrap(kind, d)


def _unwrap(kind: Any, d: Any) -> None:
    if type(d.backend) is kind:
        d.backend = d.backend.below
        return
    outer = d.backend
    while type(outer.below) is not kind:
        outer = outer.below
    outer.below = outer.below.below
