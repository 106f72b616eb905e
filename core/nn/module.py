"""`Module`: a named tree of parameters, buffers and other modules.

Assigning is registering: an attribute that is a Parameter, a Module, or a list or tuple
of them belongs to the tree, in order of assignment. The order is kept in a list,
because MicroPython's dictionaries have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..backend.capture import ACTIVE, WATCH, called
from ..dtypes import DType
from ..dtypes import dtype as _dtype
from ..errors import FogoError
from ..tensor import Tensor
from .module_tools import ModuleTools
from .parameter import Parameter

if TYPE_CHECKING:
    from ..device import Device
    from .groups import ParamGroup
    from .state import Report

T = TypeVar("T", bound="Tensor")
M = TypeVar("M", bound="Module")


class Module(ModuleTools):
    """The base of every layer and model: write `__init__` and `forward`.

    A model may be made on any device; to train it, move it to an autodiff device, or
    make its layers there (`device=`); `model.to(device.inner())` is plain inference.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> class Net(nn.Module):
        ...     def __init__(self):
        ...         self.hidden = nn.Linear(4, 8)
        ...         self.out = nn.Linear(8, 2)
        ...     def forward(self, x):
        ...         return self.out(self.hidden(x).tanh())
        >>> model = Net().to(fogo.device("cpu").autodiff())
        >>> [name for name, p in model.named_parameters()]
        ['hidden.weight', 'hidden.bias', 'out.weight', 'out.bias']
    """

    training = True
    _unsaved: Any = ()  # names of buffers that are not persistent

    def __setattr__(self, name: str, value: Any) -> None:
        names = self._names()
        buffers = self._buffer_names()
        if WATCH.on:
            if name in buffers and _renewed(getattr(self, name, None), value):
                return
            WATCH.version += 1
        if isinstance(value, (Parameter, Module, list, tuple)):
            if name not in names:
                names.append(name)
            if name in buffers:
                buffers.remove(name)
        elif name in names and not (name in buffers and _is_buffer(value)):
            if isinstance(value, Tensor):
                _refuse(self, name)
            self._forget(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        WATCH.version += 1
        self._forget(name)
        object.__delattr__(self, name)

    if not TYPE_CHECKING:  # a checker would take any name for an attribute

        def __getattr__(self, name):
            """A parameter that is computed from others: see reparam.py."""
            held = self.__dict__.get("parametrizations")
            found = None
            if held is not None and name in held.__dict__:
                from .reparam import effective

                found = effective(self, name)
            if found is None:
                raise AttributeError(
                    "%r object has no attribute %r" % (type(self).__name__, name)
                )
            return found

    def _forget(self, name: str) -> None:
        for names in (self._names(), self._buffer_names()):
            if name in names:
                names.remove(name)

    def _names(self) -> list[str]:
        """Attributes of the tree, in order; made at first use, so that a subclass
        need not call `super().__init__()`."""
        return _own_list(self, "_order")

    def _buffer_names(self) -> list[str]:
        return _own_list(self, "_buffers")

    def register_buffer(
        self, name: str, tensor: Tensor | None, persistent: bool = True
    ) -> None:
        """Add a tensor that is saved and moved with the module but not trained.

        Assigning a tensor to the attribute later keeps it a buffer; None holds the
        place without being listed. One that is not persistent is moved, not saved.
        """
        unsaved = _own_list(self, "_unsaved") if not persistent else self._unsaved
        if name in unsaved and persistent:
            unsaved.remove(name)
        elif not persistent and name not in unsaved:
            unsaved.append(name)
        names = self._names()
        if name not in names:
            names.append(name)
        if name not in self._buffer_names():
            self._buffer_names().append(name)
        object.__setattr__(self, name, tensor)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's output: subclasses write this."""
        raise NotImplementedError(
            "%s: a module needs a forward method" % type(self).__name__
        )

    if TYPE_CHECKING:

        def __call__(self, x: T, *args: Any, **kwargs: Any) -> T: ...

    else:

        def __call__(self, *args, **kwargs):
            if WATCH.on:
                called(self)
            hooks = self.__dict__.get("_hooks")
            if hooks is None:
                return self.forward(*args, **kwargs)
            return hooks.run(self, args, kwargs)

    # The tree.

    def _members(self) -> list[tuple[str, Any]]:
        """(name, Parameter, Module or buffer) of this module, lists taken apart."""
        found = []
        for name in self._names():
            value = getattr(self, name)
            if isinstance(value, (list, tuple)):
                for i, item in enumerate(value):
                    if isinstance(item, (Parameter, Module)):
                        found.append((name + "." + str(i), item))
            elif value is not None:
                found.append((name, value))
        return found

    def named_children(self) -> list[tuple[str, Module]]:
        """List (name, module) one level down."""
        return [(n, v) for n, v in self._members() if isinstance(v, Module)]

    def children(self) -> list[Module]:
        """List the modules one level down."""
        return [m for _, m in self.named_children()]

    def named_modules(self, prefix: str = "") -> list[tuple[str, Module]]:
        """List (path, module): this one (path ""), then all below, depth first."""
        found: list[tuple[str, Module]] = []
        seen: list[Module] = []
        stack: list[tuple[str, Module]] = [(prefix, self)]
        while stack:
            path, module = stack.pop()
            if _among(module, seen):
                continue
            seen.append(module)
            found.append((path, module))
            for name, child in reversed(module.named_children()):
                stack.append((_join(path, name), child))
        return found

    def modules(self) -> list[Module]:
        """List this module and all below, depth first."""
        return [m for _, m in self.named_modules()]

    def named_parameters(self, prefix: str = "") -> list[tuple[str, Parameter]]:
        """List (path, parameter); one used in two places comes once."""
        return _once(self._leaves(prefix, True))

    def parameters(self) -> list[Parameter]:
        """List the parameters, each once, in order of assignment, depth first."""
        return [p for _, p in self.named_parameters()]

    def named_buffers(self, prefix: str = "") -> list[tuple[str, Tensor]]:
        """List (path, buffer); one used in two places comes once."""
        return _once(self._leaves(prefix, False))

    def buffers(self) -> list[Tensor]:
        """List the buffers, each once."""
        return [b for _, b in self.named_buffers()]

    def _leaves(self, prefix: str, parameters: bool) -> list[tuple[str, Any]]:
        found = []
        for path, module in self.named_modules(prefix):
            for name, value in module._members():
                if isinstance(value, Module):
                    continue
                if isinstance(value, Parameter) is parameters:
                    found.append((_join(path, name), value))
        return found

    def num_params(self, trainable: bool = False) -> int:
        """Count the numbers in all parameters (in those that want gradients only)."""
        total = 0
        for p in self.parameters():
            if p.wants_grad or not trainable:
                total += p.size
        return total

    # Changing it whole.

    def to(
        self: M,
        target: Device | str | DType | None = None,
        dtype: DType | str | None = None,
        *,
        device: Device | str | None = None,
    ) -> M:
        """Move parameters and buffers to a device, floats to a float dtype, or both.

        Changes this module (its parameters stay the same objects) and returns it.
        """
        for part in (target, device, dtype if dtype is None else _dtype(dtype)):
            if part is not None:
                self._move(part)
        return self

    def _move(self, target: Device | str | DType) -> None:
        WATCH.version += 1
        kind = target if isinstance(target, DType) else None
        for p in self.parameters():
            if kind is None or p.dtype.is_float:
                p.move(target)
        for module in self.modules():
            for name in module._buffer_names():
                value = getattr(module, name)
                if value is not None and (kind is None or value.dtype.is_float):
                    object.__setattr__(module, name, value.to(target))

    def train(self: M, mode: bool = True) -> M:
        """Set training mode (dropout drops, batch norm uses the batch) everywhere."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self: M) -> M:
        """Set inference mode everywhere."""
        return self.train(False)

    def requires_grad_(self: M, requires_grad: bool = True) -> M:
        """Make every parameter ask for gradients, or freeze them all."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    # Saving and showing: see state.py and describe.py.

    def state_dict(
        self, prefix: str = "", group: ParamGroup | None = None
    ) -> dict[str, Tensor]:
        """Return an ordered mapping: path -> tensor, cut off from any graph.

        Shared parameters appear under each of their names, as in PyTorch. group: only
        what belongs to it.
        """
        from .state import collect

        return collect(self, prefix, group)

    def load_state_dict(self, state: Any, strict: bool = True) -> Report:
        """Take values from a mapping path -> tensor (of any device and float dtype).

        All names and shapes are checked before any value changes. Without `strict`,
        missing and unexpected names are only reported.
        Raises: FormatError that lists missing, unexpected and mismatched together.
        """
        from .state import load

        return load(self, state, strict)

    def _guard(self) -> list[tuple[str, Any]]:
        """Return what a compiled function assumes of this module."""
        own = self.__dict__
        found = []
        for name in sorted(own):
            value = own[name]
            if isinstance(value, (list, tuple)):
                value = tuple(value)
            found.append((name, value))
        return found

    def extra_repr(self) -> str:
        """Return the hyperparameters, as `repr` shows them."""
        return ""

    def __repr__(self) -> str:
        from .describe import describe

        return describe(self)


def _renewed(old: Any, new: Any) -> bool:
    """While a function is captured, a buffer takes new values instead of a new tensor:
    what is played again cannot rebind a name."""
    if ACTIVE.recording is None or new is old:
        return False
    if not isinstance(old, Tensor) or not isinstance(new, Tensor):
        return False
    if old.shape != new.shape or old.dtype is not new.dtype:
        return False
    old.assign(new)
    return True


def _own_list(module: Module, name: str) -> list[str]:
    """The module's own list of this name, made at first use."""
    found = module.__dict__.get(name)
    if found is None:
        found = []
        object.__setattr__(module, name, found)
    return found


def _refuse(module: Module, name: str) -> None:
    raise FogoError(
        "%s.%s: a parameter stays one; given a plain tensor; assign a nn.Parameter, "
        "or give it new values with .%s.assign(tensor)"
        % (type(module).__name__, name, name)
    )


def _is_buffer(value: Any) -> bool:
    return value is None or isinstance(value, Tensor)


def _join(prefix: str, name: str) -> str:
    return prefix + "." + name if prefix else name


def _among(item: Any, items: list[Any]) -> bool:
    """Identity, not equality: tensors compare by element."""
    for other in items:
        if other is item:
            return True
    return False


def _once(pairs: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    seen: list[Any] = []
    found = []
    for name, value in pairs:
        if not _among(value, seen):
            seen.append(value)
            found.append((name, value))
    return found
