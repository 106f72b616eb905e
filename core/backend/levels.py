"""The transformations that a thread is inside of (see func/levels.py)."""

from __future__ import annotations

from typing import Any

from .threads import Local


class _Levels(Local):
    """The transformations under way, outermost first."""

    stack: tuple[Any, ...] = ()


LEVELS = _Levels()
