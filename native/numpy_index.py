"""Gather, scatter, selection, sorting and scans by NumPy's own routines."""

from __future__ import annotations

import numpy as np


def _rows(index, n):
    """(index counted from the front and safe to read, where it names an element)."""
    if index.dtype.kind == "u":
        valid = index < n
    else:
        index = np.where(index < 0, index + n, index.astype(np.int64))
        valid = (index >= 0) & (index < n)
    return np.where(valid, index, 0).astype(np.int64), valid


def take(backend, inputs, attrs, outs):
    x, index = [backend.view(h) for h in inputs]
    axis = attrs[0]
    if x.shape[axis] == 0:
        return (backend.handle(np.zeros(outs[0].shape, x.dtype), outs[0].dtype),)
    safe, valid = _rows(index, x.shape[axis])
    out = np.take(x, safe, axis)
    if not valid.all():
        np.moveaxis(out, axis, 0)[~valid] = 0
    return (backend.handle(out, outs[0].dtype),)


def _places(index, shape, axis):
    """Coordinates of what a whole index names, as flat arrays; and which are valid."""
    safe, valid = _rows(index, shape[axis])
    places = list(np.ogrid[tuple([slice(0, n) for n in index.shape])])
    places[axis] = safe
    return places, valid


def take_along_axis(backend, inputs, attrs, outs):
    x, index = [backend.view(h) for h in inputs]
    if x.shape[attrs[0]] == 0:
        return (backend.handle(np.zeros(outs[0].shape, x.dtype), outs[0].dtype),)
    places, valid = _places(index, x.shape, attrs[0])
    out = x[tuple(places)]
    return (backend.handle(np.where(valid, out, out.dtype.type(0)), outs[0].dtype),)


def _written(x, places, values, add):
    """A copy of x with values put or added at places, one after the other."""
    if add and x.dtype == np.float16:  # adds up in float32
        x, values = x.astype(np.float32), values.astype(np.float32)
    out = x.copy()
    if add:
        np.add.at(out, places, values)
    else:
        out[places] = values
    return out


def at(add):
    """Rows of an axis by one index for all."""

    def run(backend, inputs, attrs, outs):
        x, index, values = [backend.view(h) for h in inputs]
        axis = attrs[0]
        safe, valid = _rows(index, x.shape[axis])
        rows, v = np.moveaxis(x, axis, 0), np.moveaxis(values, axis, 0)
        out = _written(rows, safe[valid], v[valid], add)
        return (backend.handle(np.moveaxis(out, 0, axis), outs[0].dtype),)

    return run


def along_axis(add):
    """Elements by an index for each."""

    def run(backend, inputs, attrs, outs):
        x, index, values = [backend.view(h) for h in inputs]
        places, valid = _places(index, x.shape, attrs[0])
        places = tuple([np.broadcast_to(p, index.shape)[valid] for p in places])
        out = _written(x, places, values[valid], add)
        return (backend.handle(out, outs[0].dtype),)

    return run


def argsort(backend, inputs, attrs, outs):
    """Stable both ways: descending is the last first, read from the end."""
    x = backend.view(inputs[0])
    axis, descending, dtype = attrs
    if not descending:
        return (backend.handle(np.argsort(x, axis, kind="stable"), dtype),)
    back = np.argsort(np.flip(x, axis), axis, kind="stable")
    return (backend.handle(np.flip(x.shape[axis] - 1 - back, axis), dtype),)


def searchsorted(backend, inputs, attrs, outs):
    edges, x = [backend.view(h) for h in inputs]
    side = "right" if attrs[0] else "left"
    return (backend.handle(np.searchsorted(edges, x, side), outs[0].dtype),)


def masked_select(backend, inputs, attrs, outs):
    x, total = [backend.view(h) for h in inputs]
    places = np.flatnonzero(np.diff(total, prepend=0))[: attrs[0]]
    out = np.zeros(attrs[0], x.dtype)
    out[: len(places)] = x[places]
    return (backend.handle(out, outs[0].dtype),)


def scan(function):
    """A cumulative sum or product; float16 adds up in float32."""

    def run(backend, inputs, attrs, outs):
        x = backend.view(inputs[0])
        wide = np.float32 if x.dtype == np.float16 else x.dtype
        with np.errstate(all="ignore"):
            out = function(x, attrs[0], dtype=wide)
        return (backend.handle(out, outs[0].dtype),)

    return run


SPECIAL = {
    "take": take,
    "take_along_axis": take_along_axis,
    "add_at": at(True),
    "put_at": at(False),
    "add_along_axis": along_axis(True),
    "put_along_axis": along_axis(False),
    "argsort": argsort,
    "searchsorted": searchsorted,
    "masked_select": masked_select,
    "cumsum": scan(np.cumsum),
    "cumprod": scan(np.cumprod),
}
