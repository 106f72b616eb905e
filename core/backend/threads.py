"""What differs from thread to thread, and what only one may enter at a time.

MicroPython has neither here: a device belongs to one thread there.
"""

from __future__ import annotations

try:
    from _thread import RLock as Lock  # threading.RLock, without importing threading
    from _thread import _local as Local
except ImportError:

    class Lock:  # type: ignore[no-redef]
        """`with lock:` where there is one thread."""

        def __enter__(self):
            return True

        def __exit__(self, *error):
            return None

    class Local:  # type: ignore[no-redef]
        """Attributes of each thread, where there is one."""


__all__ = ["Local", "Lock"]
