"""Stands in for CPython's `typing`: every name is there and none does anything.

MicroPython never evaluates annotations, so only names used at run time matter.
"""

TYPE_CHECKING = False


class _Form:
    """Answers to any use: subscript, call, or attribute."""

    def __getitem__(self, item):
        return self

    def __call__(self, *args, **kwargs):
        return self


class _Base:
    """What a class inherits from when it names `Generic[T]` or `Protocol`."""


class _Generic:
    def __getitem__(self, item):
        return _Base


Generic = _Generic()
Protocol = _Base
_form = _Form()


def TypeVar(name, *bounds, **options):
    return _form


def NewType(name, kind):
    return kind


def cast(kind, value):
    return value


def overload(function):
    return function


def final(function):
    return function


def runtime_checkable(kind):
    return kind


def __getattr__(name):
    if name[0] == "_":
        raise AttributeError(name)
    return _form
