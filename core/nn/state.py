"""Collecting a module's tensors by name, and loading them back with a full report."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..backend.autodiff import detached
from ..errors import FormatError
from ..tensor import Tensor, tensor

if TYPE_CHECKING:
    from .module import Module

SHOWN = 12  # names of each sort that a message lists


class Report:
    """What `load_state_dict` found: missing_keys, unexpected_keys."""

    def __init__(self, missing: list[str], unexpected: list[str]) -> None:
        self.missing_keys = missing
        self.unexpected_keys = unexpected

    def __repr__(self) -> str:
        if not (self.missing_keys or self.unexpected_keys):
            return "<All keys matched successfully>"
        return "missing_keys=%s, unexpected_keys=%s" % (
            self.missing_keys,
            self.unexpected_keys,
        )


def members(module: Module, prefix: str = "") -> list[tuple[str, Tensor]]:
    """List (path, parameter or buffer): own parameters, own buffers, then below.

    That is PyTorch's order; a module used twice is listed under both its names.
    """
    found = []
    stack: list[tuple[str, Any]] = [(prefix, module)]
    while stack:
        path, item = stack.pop()
        if isinstance(item, Tensor):
            found.append((path, item))
            continue
        dot = path + "." if path else ""
        own = item._members()
        buffers = item._buffer_names()
        below = []
        for rank in range(3):
            for name, value in own:
                is_tensor = isinstance(value, Tensor)
                if name in item._unsaved:
                    continue
                if rank == (2 if not is_tensor else 1 if name in buffers else 0):
                    below.append((dot + name, value))
        stack.extend(reversed(below))
    return found


def collect(module: Module, prefix: str = "") -> dict[str, Tensor]:
    """Return the module's tensors by path, in order."""
    out: dict[str, Tensor] = OrderedDict()
    for name, value in members(module, prefix):
        handle = detached(value._handle)
        out[name] = value.device.tensor_class(handle, value.device)
    return out


def load(module: Module, state: Any, strict: bool) -> Report:
    """See Module.load_state_dict."""
    given = list(state.keys())
    own = members(module)
    names = [name for name, _ in own]
    missing = [name for name in names if name not in state]
    unexpected = [k for k in given if k not in names]
    if hasattr(state, "items") and not isinstance(state, OrderedDict):
        unexpected.sort()  # a plain dict has no order on MicroPython
    pairs = []
    mismatched = []
    for name, target in own:
        if name in state:
            value = state[name]
            if tuple(value.shape) == target.shape:
                pairs.append((target, value))
            else:
                mismatched.append(
                    "%s: given %s, expected %s"
                    % (name, list(value.shape), list(target.shape))
                )
    if mismatched or (strict and (missing or unexpected)):
        raise FormatError(_message(missing, unexpected, mismatched, own))
    for target, value in pairs:
        _copy(target, value)
    return Report(missing, unexpected)


def _copy(target: Tensor, value: Any) -> None:
    """Assign values of another device or dtype: cast where the dtype can be held."""
    kind, where = target.dtype, target.device.base()
    if not isinstance(value, Tensor):
        value = tensor(value, dtype=kind, device=where)
    value = value.detach()
    if kind in value.device.base().backend.holds:
        value = value.astype(kind)
    if value.device.base() is not where:
        value = value.to(where)
    target.assign(value.astype(kind))


def _message(missing, unexpected, mismatched, own):
    shapes = {name: value.shape for name, value in own}
    lacking = ["%s %s" % (name, list(shapes[name])) for name in missing]
    parts = ["load_state_dict: names and shapes must be the model's"]
    for label, items in (
        ("missing", lacking),
        ("unexpected", unexpected),
        ("mismatched", mismatched),
    ):
        if items:
            parts.append("%s (%d): %s" % (label, len(items), _listed(items)))
    cure = "pass strict=False to skip missing and unexpected names"
    parts.append(cure if not mismatched else "build the model with the same sizes")
    return "; ".join(parts)


def _listed(items):
    more = len(items) - SHOWN
    return ", ".join(items[:SHOWN]) + (", and %d more" % more if more > 0 else "")
