"""Parameters that are computed from others: a base, and its effective value.

`register_parametrization(layer, "weight", rule)` takes the parameter away; from then on
`layer.weight` is `rule(originals…)`, a plain tensor with history. The originals lie in
`layer.parametrizations.weight`, under PyTorch's names: `original`, or `original0`, … .
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import FogoError
from ..tensor import Tensor
from .module import Module
from .parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from .groups import ParamGroup


class Reparameterization(Module):
    """A rule from originals to a value: subclass it, with `forward` and its inverse.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> class Positive(nn.Reparameterization):
        ...     def forward(self, original):
        ...         return original.exp()
        ...     def right_inverse(self, value):
        ...         return value.log()
        >>> layer = nn.Linear(2, 1, bias=False)
        >>> layer.weight.assign(fogo.ones(1, 2)) is layer.weight
        True
        >>> _ = nn.register_parametrization(layer, "weight", Positive())
        >>> [name for name, p in layer.named_parameters()], layer.weight.tolist()
        (['parametrizations.weight.original'], [[1.0, 1.0]])
    """

    trains_base = True  # whether the originals may get gradients

    def right_inverse(self, value: Tensor) -> Any:
        """Return the original, or a tuple of them, that gives this value."""
        return value


class Parametrized(Module):
    """The originals of one parameter, and the rule that makes its value of them."""

    def __init__(self, rule: Any, value: Parameter) -> None:
        found = value.detach()
        if hasattr(rule, "right_inverse"):
            found = rule.right_inverse(found)
        many = isinstance(found, (list, tuple))
        parts = list(found) if many else [found]
        self.names = [
            "original%d" % i if many else "original" for i in range(len(parts))
        ]
        wanted = value.wants_grad and getattr(rule, "trains_base", True)
        self.wanted = value.wants_grad
        for name, part in zip(self.names, parts):
            setattr(self, name, Parameter(part.detach(), wanted))
        self.rule = None if isinstance(rule, Module) else rule
        if isinstance(rule, Module):
            setattr(self, "0", rule)  # PyTorch's name in the state

    def base(self) -> Any:
        """The original, or the list of them."""
        found = [getattr(self, name) for name in self.names]
        return found[0] if len(found) == 1 else found

    def value(self) -> Tensor:
        """The effective value: what the rule makes of the originals."""
        rule = self.rule or getattr(self, "0")
        return rule(*[getattr(self, name) for name in self.names])


class Parametrizations(Module):
    """The parametrized parameters of one module, by name."""


def is_parametrized(module: Any, name: str | None = None) -> bool:
    """Say whether a parameter of this name (or any) is computed from others.

    Example:
        >>> from fogo import nn
        >>> layer = nn.Linear(2, 1)
        >>> nn.is_parametrized(layer)
        False
    """
    held = module.__dict__.get("parametrizations")
    if not isinstance(held, Parametrizations):
        return False
    return name is None or name in held.__dict__


def register_parametrization(
    module: Any, tensor_name: str, parametrization: Any
) -> Any:
    """Compute a parameter by a rule from now on; return the module.

    The rule is a module or a function of the originals; `right_inverse(value)`, if it
    has one, gives them. Raises: FogoError where the name is not a parameter, or is
    computed already.
    """
    value = module.__dict__.get(tensor_name)
    if not isinstance(value, Parameter):
        raise FogoError(
            "register_parametrization: a parameter that is not computed yet; "
            "given %r of %s" % (tensor_name, type(module).__name__)
        )
    held = Parametrized(parametrization, value)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        module.parametrizations = Parametrizations()
    setattr(module.parametrizations, tensor_name, held)
    made = held.value()
    if made.shape != value.shape:
        setattr(module, tensor_name, value)
        delattr(module.parametrizations, tensor_name)
        raise FogoError(
            "register_parametrization: the value keeps its shape; given %s for %s"
            % (list(made.shape), list(value.shape))
        )
    return module


def remove_parametrizations(
    module: Any, tensor_name: str, leave_parametrized: bool = True
) -> Any:
    """Make a computed parameter a plain one again: its value, or its original.

    Raises: FogoError where it is not computed, or has several originals to choose of.
    """
    if not is_parametrized(module, tensor_name):
        raise FogoError(
            "remove_parametrizations: the name of a computed parameter; given %r of %s"
            % (tensor_name, type(module).__name__)
        )
    held = getattr(module.parametrizations, tensor_name)
    base = held.base()
    if not leave_parametrized and isinstance(base, list):
        raise FogoError(
            "remove_parametrizations: there is one original to return to; given %d; "
            "pass leave_parametrized=True" % len(base)
        )
    found = held.value() if leave_parametrized else base
    delattr(module.parametrizations, tensor_name)
    if not module.parametrizations.named_children():
        del module.parametrizations
    setattr(module, tensor_name, Parameter(found.detach(), held.wanted))
    return module


def effective(module: Any, name: str) -> Tensor | None:
    """The value of a computed parameter, or None where there is none of the name."""
    if not is_parametrized(module, name):
        return None
    return getattr(module.parametrizations, name).value()


def reparameterize(
    module: Any,
    make: Callable[[str, Tensor], Any],
    group: ParamGroup | None = None,
) -> None:
    """See Module.apply_reparameterization; what is computed already is left alone."""
    for path, owner in module.named_modules():
        if isinstance(owner, (Parametrizations, Parametrized, Reparameterization)):
            continue
        for name, value in owner._members():
            if not isinstance(value, Parameter) or "." in name:
                continue
            whole = path + "." + name if path else name
            if group is not None and not group.matches(whole, value):
                continue
            rule = make(whole, value.detach())
            if rule is not None:
                register_parametrization(owner, name, rule)
