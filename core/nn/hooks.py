"""Functions that run before and after a module's `forward`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.capture import WATCH

if TYPE_CHECKING:
    from collections.abc import Callable


class RemovableHandle:
    """Takes a hook away again: `remove()`, or the end of a `with`."""

    def __init__(self, module: Any, entry: Any) -> None:
        self._module = module
        self._entry = entry

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        old = self._module.__dict__.get("_hooks")
        if old is not None:
            before = [e for e in old.before if e is not self._entry]
            after = [e for e in old.after if e is not self._entry]
            _put(self._module, before, after)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def add_hook(
    module: Any, when: str, hook: Callable[..., Any], first: bool, with_kwargs: bool
) -> RemovableHandle:
    """Add a hook that runs "before" or "after", as the last one or first."""
    entry = (hook, with_kwargs)
    old = module.__dict__.get("_hooks")
    lists = {
        "before": [] if old is None else list(old.before),
        "after": [] if old is None else list(old.after),
    }
    lists[when].insert(0 if first else len(lists[when]), entry)
    _put(module, lists["before"], lists["after"])
    return RemovableHandle(module, entry)


def _put(module, before, after):
    """Give a module other hooks: a new object, which compiled functions notice."""
    WATCH.version += 1
    found = Hooks(before, after) if before or after else None
    object.__setattr__(module, "_hooks", found)


class Hooks:
    """The hooks of one module, in the order in which they run; never changed."""

    def __init__(self, before: list[Any], after: list[Any]) -> None:
        self.before = before
        self.after = after

    def run(self, module: Any, args: Any, kwargs: Any) -> Any:
        """Call `module.forward` with everything around it."""
        for hook, whole in self.before:
            if whole:
                found = hook(module, args, kwargs)
                if found is not None:
                    args, kwargs = found
                continue
            found = hook(module, args)
            if found is not None:
                args = found if isinstance(found, tuple) else (found,)
        output = module.forward(*args, **kwargs)
        for hook, whole in self.after:
            given = (args, kwargs, output) if whole else (args, output)
            found = hook(module, *given)
            output = output if found is None else found
        return output
