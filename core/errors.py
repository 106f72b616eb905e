"""The error classes: each message says what was asked, what was given, what to do.

Form: `op: the rule that failed; what was given; what to do`. Messages that begin
with "internal:" are bugs of ours. They are Python's own errors too, those that NumPy
raises: a ShapeError is an IndexError and a ValueError, a DTypeError a TypeError, a
DeviceError a ValueError and a BufferError.
"""

import sys
from typing import TYPE_CHECKING


class FogoError(Exception):
    """The base of every error fogo raises on purpose.

    Example:
        >>> issubclass(ShapeError, FogoError)
        True
    """


if TYPE_CHECKING or sys.implementation.name != "micropython":

    class _Place(FogoError, ValueError, IndexError):
        """What NumPy raises one or the other of."""

    class _Kind(FogoError, TypeError):
        """What NumPy raises a TypeError for."""

    class _Memory(FogoError, ValueError, BufferError):
        """What the array API standard asks one or the other of."""

else:  # knows no two kinds of exception in one
    _Place = _Kind = _Memory = FogoError


class ShapeError(_Place):
    """Shapes, axes or indices that do not fit the operation.

    Example:
        >>> issubclass(ShapeError, ValueError), issubclass(ShapeError, IndexError)
        (True, True)
    """


class DTypeError(_Kind):
    """A dtype that the operation or the device does not take.

    Example:
        >>> issubclass(DTypeError, TypeError)
        True
    """


class DeviceError(_Memory):
    """A device that is missing, differs, or cannot do what was asked.

    Example:
        >>> issubclass(DeviceError, FogoError)
        True
    """


class AutodiffError(FogoError):
    """A gradient that does not exist, or is gone.

    Example:
        >>> issubclass(AutodiffError, FogoError)
        True
    """


class KernelError(FogoError):
    """A kernel that breaks a rule of the kernel language (see fogo.kernel.check).

    Example:
        >>> issubclass(KernelError, FogoError)
        True
    """


if sys.implementation.name == "micropython":  # knows no two kinds of exception in one

    class ArgumentError(FogoError):
        """Arguments that a function does not take."""

else:

    class ArgumentError(FogoError, TypeError):  # type: ignore[no-redef]
        """Arguments that a function does not take: a TypeError too."""


class FormatError(FogoError):
    """A file that is not what it claims; carries `file`, `key` and byte `offset`.

    Example:
        >>> issubclass(FormatError, FogoError)
        True
    """

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
