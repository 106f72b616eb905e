"""Where fogo keeps what it has fetched, and how files get there whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def cache_dir() -> Path:
    """Name the cache folder: FOGO_CACHE, else the platform's own place for caches.

    It is not made here: whoever writes makes it.

        FOGO_CACHE=/somewhere/else fogo demo mnist

    Example:
        >>> import fogo
        >>> fogo.data.cache_dir().is_absolute()
        True
    """
    chosen = os.environ.get("FOGO_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "fogo" / "cache"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/fogo").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "fogo"


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path beside `path` to write to, renamed over it only when all went well.

    A reader, or a crash half-way, sees the old file or the new one, never a part.

    >>> import tempfile
    >>> goal = Path(tempfile.mkdtemp()) / "new" / "notes.txt"
    >>> with replacing(goal) as draft:
    ...     _ = draft.write_text("whole")
    >>> goal.read_text()
    'whole'
    """
    goal = Path(path)
    goal.parent.mkdir(parents=True, exist_ok=True)
    draft = goal.with_name(f"{goal.name}.{os.getpid()}.part")
    try:
        yield draft
        os.replace(draft, goal)
    finally:
        draft.unlink(missing_ok=True)
