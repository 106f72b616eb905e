"""Where every operation passes: tensors of one device in, tensors of it out."""

from __future__ import annotations

from .backend.autodiff import Var
from .device import Device
from .errors import DeviceError


def wrap(handle, where: Device):
    """A tensor around a handle of `where`'s backend."""
    return where.tensor_class(handle, where)


def call(op, tensors, attrs=()):
    """Run an op on tensors of one device; returns a tensor, or a tuple of several.

    Shapes and dtypes must already fit: the public functions see to that.
    """
    where = tensors[0].device
    for t in tensors:
        if t.device is not where:
            tensors = unify(op.name, tensors)
            where = tensors[0].device
            break
    handles = [t._handle for t in tensors]
    outs = op.infer(handles, attrs)
    results = where.backend.execute(op, handles, attrs, outs)
    kind = where.tensor_class
    if len(results) == 1:
        return kind(results[0], where)
    return tuple([kind(h, where) for h in results])


def unify(name, tensors):
    """Bring tensors of one base device to its highest autodiff level among them."""
    where = tensors[0].device
    for t in tensors:
        if t.device.base() is not where.base():
            raise DeviceError(
                "%s: tensors must be on one device; given %s; move one with .to(...)"
                % (name, ", ".join([repr(x.device) for x in tensors]))
            )
        if _level(t.device) > _level(where):
            where = t.device
    return [change_level(t, where) for t in tensors]


def _level(where):
    n = 0
    while where._inner is not None:
        n += 1
        where = where._inner
    return n


def change_level(t, where):
    """The tensor on another autodiff level of its device, without new history."""
    handle = t._handle
    for _ in range(_level(t.device) - _level(where)):
        handle = handle.inner
    for _ in range(_level(where) - _level(t.device)):
        handle = Var(handle, None, 0)
    return where.tensor_class(handle, where)
