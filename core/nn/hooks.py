"""Functions that run before and after a module's `forward`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class RemovableHandle:
    """Takes a hook away again: `remove()`, or the end of a `with`."""

    def __init__(self, entries: list[Any], entry: Any) -> None:
        self._entries = entries
        self._entry = entry

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        for i in range(len(self._entries)):
            if self._entries[i] is self._entry:
                del self._entries[i]
                return

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class Hooks:
    """The hooks of one module, in the order in which they run."""

    def __init__(self) -> None:
        self.before: list[Any] = []
        self.after: list[Any] = []

    def add(
        self, when: str, hook: Callable[..., Any], first: bool, with_kwargs: bool
    ) -> RemovableHandle:
        """Add a hook at the end, or first."""
        entries = getattr(self, when)
        entry = [hook, with_kwargs]
        entries.insert(0 if first else len(entries), entry)
        return RemovableHandle(entries, entry)

    def run(self, module: Any, args: Any, kwargs: Any) -> Any:
        """Call `module.forward` with everything around it."""
        for hook, whole in list(self.before):
            if whole:
                found = hook(module, args, kwargs)
                if found is not None:
                    args, kwargs = found
                continue
            found = hook(module, args)
            if found is not None:
                args = found if isinstance(found, tuple) else (found,)
        output = module.forward(*args, **kwargs)
        for hook, whole in list(self.after):
            given = (args, kwargs, output) if whole else (args, output)
            found = hook(module, *given)
            output = output if found is None else found
        return output


def hooks_of(module: Any) -> Hooks:
    """The module's hooks; made at first use."""
    found = module.__dict__.get("_hooks")
    if found is None:
        found = Hooks()
        object.__setattr__(module, "_hooks", found)
    return found
