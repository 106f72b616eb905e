"""Modules that hold modules, or parameters, in order or by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .module import Module
from .parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class _List(Module):
    """What lists of modules and lists of parameters have in common."""

    length: int

    def append(self, item: Any) -> Any:
        """Add one at the end; return the list."""
        setattr(self, str(self.length), item)
        self.length += 1
        return self

    def extend(self, items: Any) -> Any:
        """Add several at the end; return the list."""
        for item in list(items):
            self.append(item)
        return self

    def insert(self, index: int, item: Any) -> None:
        """Put one before the place `index`; the rest moves on."""
        self._fill(list(self)[:index] + [item] + list(self)[index:])

    def pop(self, index: int = -1) -> Any:
        """Take one out and return it."""
        found = self[index]
        del self[index]
        return found

    def _fill(self, items):
        for i in range(self.length):
            delattr(self, str(i))
        self.length = 0
        self.extend(items)

    def _place(self, index):
        place = index + self.length if index < 0 else index
        if not 0 <= place < self.length:
            raise IndexError(
                "%s: index %d of %d" % (type(self).__name__, index, self.length)
            )
        return place

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, str(i)) for i in range(self.length)])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._like(list(self)[index])
        return getattr(self, str(self._place(index)))

    def __setitem__(self, index: int, item: Any) -> None:
        setattr(self, str(self._place(index)), item)

    def __delitem__(self, index: int) -> None:
        place = self._place(index)
        self._fill([item for i, item in enumerate(self) if i != place])

    def _like(self, items):
        return type(self)(items)


class ModuleList(_List):
    """A list of modules; each is named by its place.

    Example:
        >>> from fogo import nn
        >>> layers = nn.ModuleList([nn.Linear(2, 2) for i in range(3)])
        >>> _ = layers.append(nn.Linear(2, 1))
        >>> len(layers), layers[-1].out_features, len(layers[1:])
        (4, 1, 3)
    """

    def __init__(self, modules: Any = ()) -> None:
        self.length = 0
        self.extend(modules)


class ParameterList(_List):
    """A list of parameters; tensors become parameters.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> weights = nn.ParameterList([fogo.ones(2), fogo.ones(3)])
        >>> [name for name, p in weights.named_parameters()]
        ['0', '1']
    """

    def __init__(self, values: Any = ()) -> None:
        self.length = 0
        self.extend(values)

    def append(self, item: Any) -> Any:
        """Add one at the end; return the list."""
        return _List.append(self, _parameter(item))

    def __setitem__(self, index: int, item: Any) -> None:
        _List.__setitem__(self, index, _parameter(item))


def _parameter(value):
    return value if isinstance(value, Parameter) else Parameter(value)


class _Dict(Module):
    """What dictionaries of modules and of parameters have in common."""

    def __init__(self, items: Any = None) -> None:
        self.update({} if items is None else items)

    def update(self, items: Any) -> None:
        """Take over the items of a dictionary, or (key, item) pairs."""
        pairs = items.items() if hasattr(items, "items") else items
        for key, item in pairs:
            self[key] = item

    def keys(self) -> list[str]:
        """List the keys, in order."""
        return list(self._names())

    def values(self) -> list[Any]:
        """List what is held, in order."""
        return [getattr(self, key) for key in self._names()]

    def items(self) -> list[tuple[str, Any]]:
        """List (key, item), in order."""
        return [(key, getattr(self, key)) for key in self._names()]

    def pop(self, key: str) -> Any:
        """Take one out and return it."""
        found = self[key]
        delattr(self, key)
        return found

    def clear(self) -> None:
        """Take everything out."""
        for key in self.keys():
            delattr(self, key)

    def __getitem__(self, key: str) -> Any:
        if key not in self._names():
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, item: Any) -> None:
        if key not in self._names() and hasattr(type(self), key):
            raise KeyError(
                "%s: %r is the name of a method; choose another key"
                % (type(self).__name__, key)
            )
        setattr(self, key, item)

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def __contains__(self, key: str) -> bool:
        return key in self._names()

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())


class ModuleDict(_Dict):
    """Modules by name, in order. Raises: KeyError for the name of a method.

    Example:
        >>> from fogo import nn
        >>> heads = nn.ModuleDict({"a": nn.Linear(2, 3), "b": nn.Linear(2, 1)})
        >>> heads["b"].out_features, "c" in heads
        (1, False)
    """


class ParameterDict(_Dict):
    """Parameters by name, in order; tensors become parameters.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> held = nn.ParameterDict({"w": nn.Parameter(fogo.ones(2))})
        >>> held["w"].tolist(), list(held.keys())
        ([1.0, 1.0], ['w'])
    """

    def __setitem__(self, key: str, item: Any) -> None:
        _Dict.__setitem__(self, key, _parameter(item))


class Sequential(_List):
    """Apply modules one after the other; a dictionary gives them names.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        >>> net(fogo.ones(1, 4)).shape
        (1, 2)
    """

    def __init__(self, *modules: Any) -> None:
        self.length = 0
        if len(modules) == 1 and isinstance(modules[0], dict):
            for name in modules[0]:
                setattr(self, name, modules[0][name])
        else:
            self.extend(modules)

    def _fill(self, items):
        for name in list(self._names()):
            delattr(self, name)
        self.length = 0
        self.extend(items)

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self._names()])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Sequential(*list(self)[index])
        return getattr(self, self._names()[self._spot(index)])

    def __setitem__(self, index: int, item: Any) -> None:
        setattr(self, self._names()[self._spot(index)], item)

    def __delitem__(self, index: int) -> None:
        place = self._spot(index)
        self._fill([item for i, item in enumerate(self) if i != place])

    def _spot(self, index):
        size = len(self._names())
        place = index + size if index < 0 else index
        if not 0 <= place < size:
            raise IndexError("Sequential: index %d of %d modules" % (index, size))
        return place

    def forward(self, x: T) -> T:
        for module in self:
            x = module(x)
        return x
