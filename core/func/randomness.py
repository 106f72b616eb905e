"""Random numbers inside `vmap`: refused, one for all, or one each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.levels import LEVELS
from ..dispatch import wrap
from ..errors import FogoError
from .batch import Many
from .levels import chain

if TYPE_CHECKING:
    from ..device import Device


def lead(base: Device) -> tuple[int, ...]:
    """The axes that numbers drawn now need in front: of every vmap where they differ.

    Raises: FogoError where a vmap allows no random numbers.
    """
    sizes = []
    for level in LEVELS.stack:
        if level.count and level.device.base() is base:
            if level.randomness == "error":
                raise FogoError(
                    "vmap: random numbers inside a mapped function must be asked for; "
                    "given randomness='error'; say randomness='same' (one draw for "
                    "all) or 'different'"
                )
            if level.randomness == "different":
                sizes.append(level.count)
    return tuple(sizes)


def spread(bits: Any, base: Device) -> Any:
    """Numbers with these axes in front, as a tensor inside all the vmaps."""
    handle = bits._handle
    device = base
    for device in reversed(chain(LEVELS.stack[-1].device)[:-1]):
        found = [e for e in LEVELS.stack if e.count and e.device is device]
        if found:
            handle = Many(handle, found[0].randomness == "different")
        else:
            backend: Any = device.backend
            handle = backend.lift(handle)
    return wrap(handle, device)
