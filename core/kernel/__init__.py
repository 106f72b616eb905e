"""The kernel language; and, called, the decorator that makes an op of a kernel."""

from __future__ import annotations

import sys


class Face:
    # What `fogo.kernel` is: called, the decorator of user.py; else this package. A
    # shell's help shows the decorator's words and signature, loaded when asked for.

    def __call__(self, *args, **options):
        from ..errors import KernelError

        if args:
            raise KernelError(
                "kernel: the decorator takes options only; given %r; write "
                "@fogo.kernel(out=…)" % (args[0],)
            )
        return self.__wrapped__(**options)

    def __repr__(self):
        return (
            "<decorator fogo.kernel(*, out, grad=None, saves='i', portable=None, "
            "name=None)>"
        )

    @property
    def __wrapped__(self):
        from .user import kernel

        return kernel

    @property
    def __doc__(self):
        return self.__wrapped__.__doc__

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
