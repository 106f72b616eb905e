"""The error classes: each message says what was asked, what was given, what to do.

Form: `op: the rule that failed; what was given; what to do`. Messages that begin
with "internal:" are bugs of ours.
"""

import sys


class FogoError(Exception):
    """The base of every error fogo raises on purpose.

    Example:
        >>> issubclass(ShapeError, FogoError)
        True
    """


class ShapeError(FogoError):
    """Shapes, axes or indices that do not fit the operation."""


class DTypeError(FogoError):
    """A dtype that the operation or the device does not take."""


class DeviceError(FogoError):
    """A device that is missing, differs, or cannot do what was asked."""


class AutodiffError(FogoError):
    """A gradient that does not exist, or is gone."""


class KernelError(FogoError):
    """A kernel that breaks a rule of the kernel language (see fogo.kernel.check)."""


if sys.implementation.name == "micropython":  # knows no two kinds of exception in one

    class ArgumentError(FogoError):
        """Arguments that a function does not take."""

else:

    class ArgumentError(FogoError, TypeError):  # type: ignore[no-redef]
        """Arguments that a function does not take: a TypeError too."""


class FormatError(FogoError):
    """A file that is not what it claims; carries `file`, `key` and byte `offset`."""

    def __init__(self, message, file=None, key=None, offset=None):
        parts = [message]
        for label, value in (("file", file), ("key", key), ("offset", offset)):
            if value is not None:
                parts.append(label + "=" + str(value))
        super().__init__("; ".join(parts))
        self.file = file
        self.key = key
        self.offset = offset


def warn(text: str, depth: int = 2) -> None:
    """Tell people what stops nothing; the line shown is `depth` frames up."""
    try:
        import warnings
    except ImportError:  # MicroPython
        print("fogo: warning: " + text)
        return
    warnings.warn(text, RuntimeWarning, stacklevel=depth + 1)
