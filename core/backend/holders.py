"""Whose handles and results are whose: levels, history, who still holds a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .autodiff import Var
from .capture import REFERENCES

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tensor import Tensor


def wrapped(like: Any, base: Any) -> Any:
    """As many autodiff levels around `base` as `like` has, without history."""
    if isinstance(like, Var):
        return Var(wrapped(like.inner, base), None, 0)
    return base


def levels_of(handle: Any) -> int:
    """How many autodiff levels a handle has."""
    n = 0
    while isinstance(handle, Var):
        n += 1
        handle = handle.inner
    return n


def holds(result: Any, what: Callable[[Any], bool]) -> bool:
    """Say whether a function's result is such a thing, or holds one."""
    if isinstance(result, (list, tuple)):
        return bool([x for x in result if holds(x, what)])
    if isinstance(result, dict):
        return bool([k for k in result if holds(result[k], what)])
    return what(result)


def runs_on(x: Any) -> bool:
    """Say whether a thing gives something else whenever it is asked."""
    for name in ("__next__", "__await__", "__anext__", "send"):
        if hasattr(x, name):
            return True
    return False


def has_history(tensor: Tensor) -> bool:
    """Say whether somebody could still go backward from a tensor."""
    handle = tensor._handle
    while isinstance(handle, Var):
        node = handle.node
        if node is not None and node.op is not None and node.inputs is not None:
            return True
        handle = handle.inner
    return False


def lives_on(tensor: Tensor) -> bool:
    """Say whether somebody beside the recorder holds a tensor."""
    if REFERENCES is None:
        return False
    return REFERENCES(tensor) > LOCAL


def _measure() -> int:
    """What `lives_on` sees of a tensor that only its caller holds."""
    thing = [object()].pop()
    return 0 if REFERENCES is None else _seen(thing)


def _seen(thing: Any) -> int:
    return REFERENCES(thing) if REFERENCES is not None else 0


LOCAL = _measure()
