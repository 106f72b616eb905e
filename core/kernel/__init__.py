"""The kernel language; and, called, the decorator that makes an op of a kernel."""

from __future__ import annotations

import sys


class Face:
    """What `fogo.kernel` is: called, the decorator of user.py; else this package."""

    def __call__(self, *args, **options):
        from .user import kernel

        return kernel(*args, **options)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        package = sys.modules[__name__]
        if not hasattr(package, name):
            try:
                __import__(__name__ + "." + name)
            except ImportError:
                raise AttributeError("fogo.kernel has no attribute %r" % name)
        return getattr(package, name)


face = Face()
