"""Hooks of tensors: functions that see (and may replace) gradients as they pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import AutodiffError, FogoError

if TYPE_CHECKING:
    from collections.abc import Callable


class Hooks:
    """The hooks of one node: of gradients on their way, and of finished leaves."""

    def __init__(self) -> None:
        self.passing: list[tuple[int, Any]] = []
        self.after: list[tuple[Any, Any]] = []  # (function, tensor)

    def run(self, g: dict[int, Any]) -> None:
        """Let each hook see the gradient of its output, and replace it."""
        for index, hook in list(self.passing):
            if index in g:
                made = hook(g[index])
                if made is not None:
                    g[index] = made

    def arrived(self, gradient: Any) -> None:
        """Tell the hooks of a leaf that its gradient is whole."""
        if gradient is not None:
            for hook, tensor in list(self.after):
                hook(tensor, gradient)


class HookHandle:
    """What registering a hook returns: `remove()` takes the hook away."""

    def __init__(self, hooks: list[Any], entry: Any) -> None:
        self._hooks = hooks
        self._entry = entry

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        kept = [e for e in self._hooks if e is not self._entry]
        self._hooks[:] = kept

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register(tensor: Any, hook: Callable[..., Any], after: bool) -> HookHandle:
    """Add a hook to a tensor that requires grad."""
    name = "register_post_accumulate_grad_hook" if after else "register_hook"
    if not tensor.requires_grad:
        raise AutodiffError(
            "%s: only tensors that require grad have gradients; given %s; call "
            "requires_grad_() first" % (name, tensor._describe())
        )
    node = tensor._handle.node
    if after and node.op is not None:
        raise FogoError(
            "%s: only leaves accumulate gradients; given %s, computed by %s; use "
            "register_hook" % (name, tensor._describe(), node.op.name)
        )
    extra = getattr(node, "extra", None)
    if extra is None:
        extra = node.extra = Hooks()
    if node.op is None:
        tensor._hooks = extra  # a step makes it another leaf: they go with it
    if after:
        entry: Any = (hook, tensor)
        extra.after.append(entry)
        return HookHandle(extra.after, entry)
    entry = (tensor._handle.index, hook)
    extra.passing.append(entry)
    return HookHandle(extra.passing, entry)
