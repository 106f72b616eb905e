"""Modules as functions of their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import FogoError
from ..ops.movement import stack

if TYPE_CHECKING:
    from ..nn.module import Module
    from ..tensor import Tensor


def functional_call(
    module: Module, parameters: Any, args: Any = (), kwargs: Any = None
) -> Any:
    """Return `module(*args, **kwargs)`, computed with these tensors in its place.

    parameters: a dict path -> tensor, or a tuple of dicts, of parameters and buffers;
    what it does not name stays. Afterwards the module is as it was.
    Raises: FogoError for a path that the module does not have.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> layer = nn.Linear(2, 1, bias=False)
        >>> weight = {"weight": fogo.tensor([[1.0, 10.0]])}
        >>> fogo.func.functional_call(layer, weight, fogo.tensor([[1.0, 2.0]])).tolist()
        [[21.0]]
    """
    if isinstance(parameters, (tuple, list)):
        merged: dict[str, Any] = {}
        for part in parameters:
            merged.update(part)
        parameters = merged
    modules = dict(module.named_modules())
    before = []
    try:
        for path in parameters:
            owner, name = _find(modules, path)
            before.append((owner, name, _get(owner, name)))
            _put(owner, name, parameters[path])
        given = args if isinstance(args, (tuple, list)) else (args,)
        return module(*given, **(kwargs or {}))
    finally:
        for owner, name, value in reversed(before):
            _put(owner, name, value)


def _find(modules: Any, path: str) -> Any:
    """The module (or its list) that holds a tensor, and the name there."""
    head, name = path, ""
    while "." in head:
        head, _, last = head.rpartition(".")
        name = last + ("." + name if name else "")
        if head in modules:
            break
    else:
        head, name = "", path
    owner: Any = modules[head]
    first, _, rest = name.partition(".")
    try:
        held = getattr(owner, first)
        if rest:
            held[int(rest)]
            return held, int(rest)
    except (AttributeError, ValueError, IndexError, TypeError):
        raise FogoError(
            "functional_call: the module has no parameter or buffer of this path; "
            "given %r; see named_parameters()" % path
        )
    return owner, first


def _get(owner: Any, name: Any) -> Any:
    return owner[name] if isinstance(name, int) else getattr(owner, name)


def _put(owner: Any, name: Any, value: Any) -> None:
    if isinstance(name, int):
        owner[name] = value
    else:
        object.__setattr__(owner, name, value)


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Return `(parameters, buffers)` of models of one kind, stacked: path -> [N, …].

    With `vmap` and `functional_call` they run as one.
    Raises: FogoError for models whose names differ.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nets = [nn.Linear(2, 1) for _ in range(3)]
        >>> parameters, buffers = fogo.func.stack_module_state(nets)
        >>> parameters["weight"].shape
        (3, 1, 2)
    """
    found = []
    for kind in ("named_parameters", "named_buffers"):
        dicts = [dict(getattr(m, kind)()) for m in models]
        for d in dicts:
            if sorted(d) != sorted(dicts[0]):
                raise FogoError(
                    "stack_module_state: the models must be of one kind; given %s and "
                    "%s" % (sorted(dicts[0]), sorted(d))
                )
        names = list(dicts[0]) if dicts else []
        found.append({n: stack([d[n].detach() for d in dicts]) for n in names})
    return found[0], found[1]
