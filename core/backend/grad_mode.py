"""Whether operations are recorded: a flag of the thread, and what switches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .threads import Local

if TYPE_CHECKING:
    from collections.abc import Callable


class _Recording(Local):
    """Whether operations are recorded: a flag of the thread for all levels."""

    enabled = True


_STATE = _Recording()


class _Mode:
    """`with` sets the flag to `value`, a decorated function runs with it set."""

    value = False

    def __init__(self) -> None:
        self.before: list[bool] = []

    def __enter__(self) -> Any:
        self.before.append(_STATE.enabled)
        _STATE.enabled = self.value
        return self

    def __exit__(self, *error: object) -> None:
        _STATE.enabled = self.before.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return decorated(function, self)


def decorated(function: Callable[..., Any], mode: Any) -> Callable[..., Any]:
    """Return a function that runs `function` inside `with mode`."""

    def inside(*args: Any, **named: Any) -> Any:
        with mode:
            return function(*args, **named)

    return like(inside, function)


def like(made: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Let `made` have the name and the docstring of `function`, where Python can."""
    try:
        from functools import wraps
    except ImportError:  # MicroPython: functions carry no attributes
        return made
    return wraps(function)(made) if hasattr(function, "__name__") else made


class no_grad(_Mode):
    """`with no_grad():` this thread's operations inside are not recorded, at any level.

    `@no_grad()` does so for a function.

    Example:
        >>> import fogo
        >>> x = fogo.ones(2, device=fogo.device("python").autodiff()).requires_grad_()
        >>> with fogo.no_grad():
        ...     y = x * 2
        >>> y.requires_grad
        False
    """


class inference_mode(_Mode):
    """`with inference_mode():` the same as `no_grad`; for PyTorch's name.

    mode: False records as ever.

    Example:
        >>> import fogo
        >>> x = fogo.ones(2, device=fogo.device("python").autodiff()).requires_grad_()
        >>> @fogo.inference_mode()
        ... def twice(x):
        ...     return x * 2
        >>> twice(x).requires_grad
        False
    """

    def __init__(self, mode: bool = True) -> None:
        _Mode.__init__(self)
        self.value = not mode


class enable_grad(_Mode):
    """`with enable_grad():` operations inside are recorded, also within `no_grad`.

    Example:
        >>> import fogo
        >>> x = fogo.ones(2, device=fogo.device("python").autodiff()).requires_grad_()
        >>> with fogo.no_grad(), fogo.enable_grad():
        ...     y = x * 2
        >>> y.requires_grad
        True
    """

    value = True


class set_grad_enabled(_Mode):
    """Switch recording on or off: at once, for a `with` block, or for a function.

    Example:
        >>> import fogo
        >>> with fogo.set_grad_enabled(False):
        ...     inside = fogo.is_grad_enabled()
        >>> inside, fogo.is_grad_enabled()
        (False, True)
    """

    def __init__(self, mode: bool) -> None:
        _Mode.__init__(self)
        self.value = mode
        self._first = _STATE.enabled
        _STATE.enabled = mode

    def __enter__(self) -> Any:
        self.before.append(self._first)
        self._first = _STATE.enabled = self.value
        return self

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        _STATE.enabled = self._first
        return decorated(function, set_grad_enabled._of(self.value))

    @staticmethod
    def _of(value: bool) -> _Mode:
        return enable_grad() if value else no_grad()


def is_grad_enabled() -> bool:
    """Say whether this thread's operations are recorded now.

    Example:
        >>> import fogo
        >>> with fogo.no_grad():
        ...     fogo.is_grad_enabled()
        False
    """
    return _STATE.enabled
