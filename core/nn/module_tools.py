"""What a `Module` can do besides holding and computing: each by way of its own file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dtypes import DType, float16, float32, float64
from ..errors import FogoError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from ..device import Device
    from ..tensor import Tensor
    from .groups import ParamGroup
    from .hooks import RemovableHandle
    from .lora import LoRA
    from .parameter import Parameter
    from .reparam import Reparameterization
    from .summaries import Summary
    from .visit import ModuleMapper, ModuleVisitor


class ModuleTools:
    """Methods of every module that change, copy, look at or describe it whole."""

    if TYPE_CHECKING:

        def to(self, target: Device | str | DType | None = None) -> Self: ...
        def requires_grad_(self, requires_grad: bool = True) -> Self: ...
        def named_parameters(self) -> list[tuple[str, Parameter]]: ...
        def children(self) -> list[Any]: ...
        def parameters(self) -> list[Any]: ...
        def buffers(self) -> list[Any]: ...

    # Finding parts by path.

    def _at(self, path: str) -> Any:
        found: Any = self
        for name in path.split(".") if path else ():
            inside = getattr(found, name, None) if not name.isdigit() else (
                found[int(name)] if isinstance(found, (list, tuple))
                else getattr(found, name, None)
            )  # fmt: skip
            if inside is None:
                raise FogoError(
                    "%s: nothing lies at the path %r; given %r"
                    % (type(self).__name__, name, path)
                )
            found = inside
        return found

    def get_submodule(self, target: str) -> Any:
        """Return the module at a path such as "layers.0.norm"; raises FogoError."""
        return self._at(target)

    def get_parameter(self, target: str) -> Any:
        """Return the parameter at a path such as "layers.0.weight"."""
        return self._at(target)

    def get_buffer(self, target: str) -> Any:
        """Return the buffer at a path such as "norm.running_mean"."""
        return self._at(target)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name: the same as assigning the attribute."""
        setattr(self, name, param)

    def add_module(self, name: str, module: Any) -> None:
        """Add a module under a name: the same as assigning the attribute."""
        setattr(self, name, module)

    register_module = add_module

    # Changing it whole.

    def apply(self, fn: Callable[[Any], Any]) -> Self:
        """Call `fn` with every module below, then with this one; return this one.

        Example:
            >>> from fogo import nn
            >>> seen = []
            >>> net = nn.Sequential(nn.ReLU(), nn.Tanh())
            >>> _ = net.apply(lambda m: seen.append(type(m).__name__))
            >>> seen
            ['ReLU', 'Tanh', 'Sequential']
        """
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def half(self) -> Self:
        """Make all floats float16."""
        return self.to(float16)

    def float(self) -> Self:
        """Make all floats float32."""
        return self.to(float32)

    def double(self) -> Self:
        """Make all floats float64 (where the device holds it)."""
        return self.to(float64)

    def no_grad(self) -> Self:
        """Freeze every parameter: the same as `requires_grad_(False)`."""
        return self.requires_grad_(False)

    def freeze(self, group: ParamGroup | None = None) -> Self:
        """Freeze the parameters of a group, or all: they get no gradients.

        Example:
            >>> from fogo import nn
            >>> net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
            >>> net.freeze(nn.ParamGroup.paths("0.*")).num_params(trainable=True)
            4
        """
        return self._ask(group, False)

    def unfreeze(self, group: ParamGroup | None = None) -> Self:
        """Let the parameters of a group, or all, get gradients again."""
        return self._ask(group, True)

    def _ask(self, group, wanted):
        for path, p in self.named_parameters():
            if group is None or group.matches(path, p):
                p.requires_grad_(wanted)
        return self

    def fork(self) -> Self:
        """Return a copy that shares no tensor with this module.

        What is used in two places is one thing in the copy, too. Settings that are not
        tensors or modules are the same objects.
        """
        from .fork import fork

        return fork(self)

    # Looking at it.

    def devices(self) -> list[Device]:
        """List the devices that hold its parameters and buffers, each once."""
        found: list[Any] = []
        for tensor in self.parameters() + self.buffers():
            if tensor.device not in found:
                found.append(tensor.device)
        return found

    def visit(self, visitor: ModuleVisitor) -> None:
        """Show every parameter and buffer to a visitor, depth first."""
        from .visit import visit

        visit(self, visitor)

    def map(self, mapper: ModuleMapper) -> Self:
        """Give every parameter and buffer the value that a mapper returns for it."""
        from .visit import map_values

        map_values(self, mapper)
        return self

    def summary(self, *inputs: Any, **kwargs: Any) -> Summary:
        """Return a table of the layers: run on inputs if given, for their shapes."""
        from .summaries import summary

        module: Any = self
        return summary(module, *inputs, **kwargs)

    # Hooks.

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:  # fmt: skip
        """Call `hook(module, args)` before `forward`; it may return other arguments.

        with_kwargs: `hook(module, args, kwargs)`, which may return both.
        """
        from .hooks import add_hook

        return add_hook(self, "before", hook, prepend, with_kwargs)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:  # fmt: skip
        """Call `hook(module, args, output)` after `forward`; it may return another.

        with_kwargs: `hook(module, args, kwargs, output)`.

        Example:
            >>> import fogo
            >>> from fogo import nn
            >>> shapes = []
            >>> layer = nn.Linear(2, 3)
            >>> def note(module, args, output):
            ...     shapes.append(output.shape)
            >>> handle = layer.register_forward_hook(note)
            >>> _ = layer(fogo.ones(4, 2))
            >>> handle.remove()
            >>> _ = layer(fogo.ones(5, 2))
            >>> shapes
            [(4, 3)]
        """
        from .hooks import add_hook

        return add_hook(self, "after", hook, prepend, with_kwargs)

    def register_state_dict_post_hook(
        self, hook: Callable[[Any, Any, str], None]
    ) -> RemovableHandle:
        """Call `hook(module, state, prefix)` when a state is made: it may change it.

        prefix: the module's own path in the state, with a dot behind.
        """
        from .hooks import add_hook

        return add_hook(self, "saving", hook, False, False)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[[Any, Any, str], None]
    ) -> RemovableHandle:
        """Call `hook(module, state, prefix)` before a state is loaded.

        It gets a dictionary of its own to rename and convert in; what the user gave
        does not change.
        """
        from .hooks import add_hook

        return add_hook(self, "loading", hook, False, False)

    # Parameters that are computed from others.

    def apply_reparameterization(
        self, make: Callable[[str, Tensor], Reparameterization | None],
        group: ParamGroup | None = None,
    ) -> Self:  # fmt: skip
        """Compute the parameters of a group, or all, from others: see `reparam.py`.

        make(path, value) returns a Reparameterization, or None to leave one alone.
        """
        from .reparam import reparameterize

        reparameterize(self, make, group)
        return self

    def apply_lora(self, lora: LoRA) -> Self:
        """Freeze the weights, and add small products to them that learn: see `LoRA`."""
        lora.apply(self)
        return self
