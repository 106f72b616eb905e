"""Levels: devices that transformations put over others, and tensors' ways between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.grad_mode import _STATE
from ..backend.levels import LEVELS
from ..device import Device, cover
from ..dispatch import change_level, wrap
from ..errors import DeviceError
from ..tensor import Tensor
from ..tree import flatten, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable


class Level:
    """`with Level(device):` a transformation is under way on this device.

    count, randomness: of a vmap, how many and what random numbers are.
    """

    def __init__(self, device: Device, count: int = 0, randomness: str = "") -> None:
        self.device = device
        self.count = count
        self.randomness = randomness

    def __enter__(self) -> Level:
        LEVELS.stack = LEVELS.stack + (self,)
        return self

    def __exit__(self, *error: object) -> None:
        LEVELS.stack = LEVELS.stack[:-1]


class LayerDevice(Device):
    """A device that a transformation puts over another, for as long as it runs."""

    kind = ""

    def __repr__(self) -> str:
        return "%r.%s" % (self._inner, self.kind)


def layer(inner: Device, kind: str, make: Callable[[Any], Any]) -> Device:
    """Return the device of a kind over another; made once."""
    found = inner._layers.get(kind)
    if found is None:
        found = LayerDevice(inner.name, make(bare(inner)), inner)
        found.kind = kind
        inner._layers[kind] = found
        cover(found, inner)
    return found


def bare(device: Device) -> Any:
    """The backend of a device, without what a context has put around it."""
    backend = device.backend
    return getattr(backend, "wrapped", backend)


def chain(device: Device) -> list[Device]:
    """The device and all below it."""
    found = [device]
    while found[-1]._inner is not None:
        found.append(found[-1]._inner)
    return found


def _upper(name: str, a: Device, b: Device) -> Device:
    """The one of two devices that is above the other."""
    if a is b or a in chain(b):
        return b
    if b in chain(a):
        return a
    raise DeviceError(
        "%s: tensors must be on one device; given %r and %r; move one with .to(...)"
        % (name, a, b)
    )


def place(name: str, tensors: list[Tensor], above: bool = False) -> Device:
    """The device over which a transformation of these tensors works.

    It is at least as high as the transformation around it, and, if `above`, above all
    autodiff levels that closed-over tensors may be on.
    """
    found = tensors[0].device
    for t in tensors:
        found = _upper(name, found, t.device)
    if LEVELS.stack:
        outer = LEVELS.stack[-1].device
        if outer.base() is found.base():
            return _upper(name, found, outer)
    while above and found._outer is not None:
        found = found._outer
    return found


def home(tensors: list[Tensor]) -> Device:
    """The highest device of the tensors that were given: where results belong."""
    found = tensors[0].device
    for t in tensors:
        found = _upper("func", found, t.device)
    return found


def raised(t: Tensor, where: Device) -> Tensor:
    """The tensor on a device above its own, without history there."""
    return t if t.device is where else change_level(t, where)


def lowered(t: Tensor, target: Device) -> Tensor:
    """The tensor taken down to `target`, past levels that know nothing of it."""
    device = t.device
    if target not in chain(device):
        return t
    handle: Any = t._handle
    while device is not target and device.backend.idle(handle):
        handle = handle.inner
        device = device._inner  # type: ignore[assignment]
    return wrap(handle, device)


def tensors_in(tree: Any) -> list[Tensor]:
    """The tensors of a tree."""
    return flatten(tree)[0]


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with `function(tensor)` in place of each tensor."""
    leaves, form = flatten(tree)
    return unflatten(form, [function(t) for t in leaves])


def settled(tree: Any, target: Device, recorded: bool) -> Any:
    """Results on the device they belong to; without history under `no_grad`."""

    def down(t: Tensor) -> Tensor:
        out = lowered(t, target)
        return out if recorded or not out.requires_grad else out.detach()

    return mapped(down, tree)


def recording() -> bool:
    """Say whether history is wanted of what is outside."""
    return _STATE.enabled
