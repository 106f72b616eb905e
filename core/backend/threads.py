"""What differs from thread to thread, what only one may enter, what must end whole.

MicroPython has none of them here: a device belongs to one thread there.
"""

from __future__ import annotations

try:
    from _thread import RLock as Lock  # threading.RLock, without importing threading
    from _thread import _local as Local
    from _thread import get_ident
except ImportError:

    def get_ident() -> int:
        """The number of the only thread."""
        return 0

    class Lock:  # type: ignore[no-redef]
        """`with lock:` where there is one thread."""

        def __enter__(self):
            return True

        def __exit__(self, *error):
            return None

    class Local:  # type: ignore[no-redef]
        """Attributes of each thread, where there is one."""


try:
    from _signal import SIGINT, getsignal, signal  # type: ignore[import-not-found]
except ImportError:
    SIGINT = None


class Uninterrupted:
    """`with Uninterrupted():` Ctrl-C waits until the block is done.

    For what must happen whole, or the state of a device is lost. Only the main thread
    is interrupted; elsewhere, and where there are no signals, it does nothing.
    """

    def __init__(self):
        self.caught = None
        self.before = None

    def __enter__(self):
        before = getsignal(SIGINT) if SIGINT else None
        if callable(before):
            try:
                signal(SIGINT, self._note)
            except ValueError:  # not the main thread
                return self
            self.before = before
        return self

    def _note(self, *caught):
        self.caught = caught

    def __exit__(self, *error):
        if self.before is not None:
            signal(SIGINT, self.before)
            if self.caught is not None:
                self.before(*self.caught)


__all__ = ["Local", "Lock", "Uninterrupted", "get_ident"]
