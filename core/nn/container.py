"""Modules that hold modules in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .module import Module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class ModuleList(Module):
    """A list of modules; each is named by its place.

    Example:
        >>> from fogo import nn
        >>> layers = nn.ModuleList([nn.Linear(2, 2) for i in range(3)])
        >>> layers.append(nn.Linear(2, 1))
        >>> len(layers), layers[-1].out_features
        (4, 1)
    """

    def __init__(self, modules: Any = ()) -> None:
        self.length = 0
        for module in modules:
            self.append(module)

    def append(self, module: Module) -> None:
        """Add a module at the end."""
        setattr(self, str(self.length), module)
        self.length += 1

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Module]:
        return iter([getattr(self, str(i)) for i in range(self.length)])

    def __getitem__(self, index: int) -> Any:
        place = index + self.length if index < 0 else index
        if not 0 <= place < self.length:
            raise IndexError(
                "%s: index %d of %d modules" % (type(self).__name__, index, self.length)
            )
        return getattr(self, str(place))


class Sequential(ModuleList):
    """Apply modules one after the other.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        >>> net(fogo.ones(1, 4)).shape
        (1, 2)
    """

    def __init__(self, *modules: Module) -> None:
        ModuleList.__init__(self, modules)

    def forward(self, x: T) -> T:
        for module in self:
            x = module(x)
        return x
