"""Visitors and mappers: code that is shown every tensor of a module.

Both are told where they are: `enter_module` and `exit_module` surround what a module
holds. Tensors come with their path, by kind: `visit_float`, `visit_int`, `visit_bool`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dtypes import bool_
from .parameter import Parameter

if TYPE_CHECKING:
    from ..tensor import Tensor


class ModuleVisitor:
    """Subclass it, and pass it to `module.visit(...)`: it sees, and changes nothing.

    Example:
        >>> from fogo import nn
        >>> class Shapes(nn.ModuleVisitor):
        ...     def visit(self, path, tensor):
        ...         print(path, list(tensor.shape))
        >>> nn.Sequential(nn.Linear(2, 3)).visit(Shapes())
        0.weight [3, 2]
        0.bias [3]
    """

    def enter_module(self, path: str, module: Any) -> None:
        """Called before what a module holds."""

    def exit_module(self, path: str, module: Any) -> None:
        """Called after what a module holds."""

    def visit(self, path: str, tensor: Tensor) -> None:
        """Called with every tensor of a kind that has no method of its own."""

    def visit_float(self, path: str, tensor: Tensor) -> None:
        self.visit(path, tensor)

    def visit_int(self, path: str, tensor: Tensor) -> None:
        self.visit(path, tensor)

    def visit_bool(self, path: str, tensor: Tensor) -> None:
        self.visit(path, tensor)


class ModuleMapper:
    """Subclass it, and pass it to `module.map(...)`: tensors take what it returns.

    Parameters stay the same objects; a returned value has the shape it had.

    Example:
        >>> from fogo import nn
        >>> class Ones(nn.ModuleMapper):
        ...     def map_float(self, path, tensor):
        ...         return tensor * 0.0 + 1.0
        >>> nn.Linear(2, 1).map(Ones()).weight.tolist()
        [[1.0, 1.0]]
    """

    def enter_module(self, path: str, module: Any) -> None:
        """Called before what a module holds."""

    def exit_module(self, path: str, module: Any) -> None:
        """Called after what a module holds."""

    def map(self, path: str, tensor: Tensor) -> Tensor:
        """Called with every tensor of a kind that has no method of its own."""
        return tensor

    def map_float(self, path: str, tensor: Tensor) -> Tensor:
        return self.map(path, tensor)

    def map_int(self, path: str, tensor: Tensor) -> Tensor:
        return self.map(path, tensor)

    def map_bool(self, path: str, tensor: Tensor) -> Tensor:
        return self.map(path, tensor)


def _kind(tensor):
    if tensor.dtype is bool_:
        return "bool"
    return "float" if tensor.dtype.is_float else "int"


def walk(module: Any, guest: Any, show: Any) -> None:
    """Call show(owner, name, path, tensor) for each tensor once, modules around it."""
    seen: list[Any] = []
    stack: list[Any] = [("enter", "", module)]
    while stack:
        step, path, module = stack.pop()
        if step == "exit":
            guest.exit_module(path, module)
            continue
        if [m for m in seen if m is module]:
            continue
        seen.append(module)
        guest.enter_module(path, module)
        below: list[Any] = [("exit", path, module)]
        for name, value in module._members():
            whole = path + "." + name if path else name
            if hasattr(value, "named_children"):
                below.insert(1, ("enter", whole, value))
            elif not [t for t in seen if t is value]:
                seen.append(value)
                show(module, name, whole, value)
        stack.extend(below)


def visit(module: Any, visitor: ModuleVisitor) -> None:
    """See Module.visit."""
    walk(
        module, visitor,
        lambda owner, name, path, t: getattr(visitor, "visit_" + _kind(t))(path, t),
    )  # fmt: skip


def map_values(module: Any, mapper: ModuleMapper) -> None:
    """See Module.map."""

    def change(owner, name, path, value):
        given = value.detach()
        found = getattr(mapper, "map_" + _kind(value))(path, given)
        if found is given:
            return
        if isinstance(value, Parameter) or found.dtype is value.dtype:
            value.assign(found.detach())
        else:
            object.__setattr__(owner, name, found.detach())

    walk(module, mapper, change)
