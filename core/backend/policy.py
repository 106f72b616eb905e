"""What `autocast` casts to in a thread."""

from __future__ import annotations

from typing import Any

from .threads import Local


class _Policy(Local):
    """What this thread casts to (None: nothing), and the weights it has cast."""

    dtype: Any = None
    cache: Any = None


POLICY = _Policy()
