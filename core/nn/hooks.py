"""Functions that run around a module's `forward`, and where it is saved or loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.capture import WATCH

if TYPE_CHECKING:
    from collections.abc import Callable


KINDS = ("before", "after", "saving", "loading")


class RemovableHandle:
    """Takes a hook away again: `remove()`, or the end of a `with`."""

    def __init__(self, module: Any, entry: Any) -> None:
        self._module = module
        self._entry = entry

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        lists = _lists(self._module)
        left = [[e for e in entries if e is not self._entry] for entries in lists]
        _put(self._module, left)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def add_hook(
    module: Any, when: str, hook: Callable[..., Any], first: bool, with_kwargs: bool
) -> RemovableHandle:
    """Add a hook of one of the KINDS, as the last one or first."""
    entry = (hook, with_kwargs)
    lists = _lists(module)
    mine = lists[KINDS.index(when)]
    mine.insert(0 if first else len(mine), entry)
    _put(module, lists)
    return RemovableHandle(module, entry)


def _lists(module):
    """The module's hooks of each kind, in lists of one's own."""
    old = module.__dict__.get("_hooks")
    return [[] if old is None else list(getattr(old, kind)) for kind in KINDS]


def _put(module, lists):
    """Give a module other hooks: a new object, which compiled functions notice."""
    WATCH.version += 1
    some = [entries for entries in lists if entries]
    object.__setattr__(module, "_hooks", Hooks(*lists) if some else None)


def run_hooks(kind: str, module: Any, state: Any, prefix: str = "") -> None:
    """Call hook(module, state, prefix) for a module and all below."""
    for path, part in module.named_modules(prefix):
        found = part.__dict__.get("_hooks")
        for hook, _ in () if found is None else getattr(found, kind):
            hook(part, state, path + "." if path else "")


class Hooks:
    """The hooks of one module, in the order in which they run; never changed."""

    def __init__(
        self,
        before: list[Any],
        after: list[Any],
        saving: list[Any],
        loading: list[Any],
    ) -> None:
        self.before = before
        self.after = after
        self.saving = saving
        self.loading = loading

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
