"""Collecting a module's tensors by name, and loading them back with a full report."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..backend.autodiff import detached
from ..errors import FormatError
from ..tensor import Tensor, tensor
from .hooks import run_hooks

if TYPE_CHECKING:
    from .groups import ParamGroup
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


def collect(
    module: Module, prefix: str = "", group: ParamGroup | None = None
) -> dict[str, Tensor]:
    """Return the module's tensors by path, in order."""
    out: dict[str, Tensor] = OrderedDict()
    for name, value in members(module, prefix):
        if group is not None and not group.matches(name, value):
            continue
        handle = detached(value._handle)
        out[name] = value.device.tensor_class(handle, value.device)
    run_hooks("saving", module, out, prefix)
    return out


def load(module: Module, state: Any, strict: bool) -> Report:
    """See Module.load_state_dict."""
    state = _for_hooks(module, state)
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


def _for_hooks(module, state):
    """The state as the hooks of the modules leave it; the given one stays as it is."""
    hooked = [m for m in module.modules() if m.__dict__.get("_hooks") is not None]
    if not [m for m in hooked if m.__dict__["_hooks"].loading]:
        return state
    found = OrderedDict()
    for name in state.keys():
        found[name] = state[name]
    run_hooks("loading", module, found)
    return found


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
    unexpected = [_hinted(k, missing) if i < SHOWN else k
                  for i, k in enumerate(unexpected)]  # fmt: skip
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


def _hinted(name, missing):
    """An unexpected name, with the missing one that it may stand for."""
    best, found = max(3, len(name) // 4), None
    for other in missing[:200]:
        steps = distance(name, other, best)
        if steps < best:
            best, found = steps, other
    return name if found is None else "%s (like %s)" % (name, found)


def distance(a: str, b: str, limit: int) -> int:
    """Return how many letters must change to make b of a; `limit` if that or more.

    Example:
        >>> distance("wieght", "weight", 5), distance("bias", "weight", 3)
        (2, 3)
    """
    if abs(len(a) - len(b)) >= limit:
        return limit
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        last, row[0] = row[0], i + 1
        for j in range(len(b)):
            step = last if a[i] == b[j] else 1 + min(last, row[j], row[j + 1])
            last, row[j + 1] = row[j + 1], step
        if min(row) >= limit:
            return limit
    return min(row[-1], limit)


def _listed(items):
    more = len(items) - SHOWN
    return ", ".join(items[:SHOWN]) + (", and %d more" % more if more > 0 else "")
