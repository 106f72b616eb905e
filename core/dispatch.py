"""Where every operation passes: tensors of one device in, tensors of it out."""

from __future__ import annotations

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
        if t.device.base() is not where.base() or _aside(t.device, where):
            raise DeviceError(
                "%s: tensors must be on one device; given %s; move one with .to(...)"
                % (name, ", ".join([repr(x.device) for x in tensors]))
            )
        above = _level(t.device) - _level(where)
        if above > 0 or (above == 0 and t.device.checkpointing):
            where = t.device
    return [change_level(t, where) for t in tensors]


def _aside(a, b):
    """Say whether two devices are not on one line of levels."""
    if _level(a) > _level(b):
        a, b = b, a
    while _level(b) > _level(a):
        b = b._inner
    while a is not b:
        if type(a) is not type(b) or not a.is_autodiff:
            return True
        a, b = a._inner, b._inner
    return False


def _level(where):
    n = 0
    while where._inner is not None:
        n += 1
        where = where._inner
    return n


def change_level(t, where):
    """The tensor on another level of its device, without new history."""
    handle = t._handle
    device = t.device
    for _ in range(_level(device) - _level(where)):
        handle = device.backend.lower(handle)
        device = device._inner
    above = []
    device = where
    for _ in range(_level(where) - _level(t.device)):
        above.append(device)
        device = device._inner
    for device in reversed(above):
        handle = device.backend.lift(handle)
    return where.tensor_class(handle, where)
