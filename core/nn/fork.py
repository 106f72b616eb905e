"""Copies of modules that share no tensor with what they are copies of."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .lazy import LazyParameter
from .module import Module
from .parameter import Parameter


def fork(module: Any) -> Any:
    """See Module.fork."""
    return _copied(module, {})


def _copied(value: Any, known: dict[int, Any]) -> Any:
    """A copy; `known` maps what has been copied, by id, to its copy."""
    if id(value) in known:
        return known[id(value)]
    made = _made(value, known)
    known[id(value)] = made
    return made


def _made(value, known):
    if isinstance(value, LazyParameter):
        return value.copied()
    if isinstance(value, Parameter):
        return Parameter(value.detach(), value.wants_grad)
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, Module):
        return _module(value, known)
    if type(value) in (list, tuple):
        return type(value)([_copied(part, known) for part in value])
    if type(value) is dict:
        return {key: _copied(value[key], known) for key in value}
    return value


def _module(module, known):
    made = object.__new__(type(module))
    known[id(module)] = made  # a module may hold itself
    own = module.__dict__
    for name in list(own):
        object.__setattr__(made, name, _copied(own[name], known))
    return made
