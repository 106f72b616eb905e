"""An op for many from an op for one: its view, its kernel and its gradient."""

from __future__ import annotations

from typing import Any

from ..backend.autodiff import Context
from ..ops.record import Aval, Op
from ..shapes import Layout

_MADE: dict[Any, Op] = {}


def batched(op: Op, many: tuple[bool, ...]) -> Op:
    """Return the op that does `op` for each of many; `many` says which inputs differ.

    Its inputs and outputs have the axis of all in front.
    """
    key = (op, many)
    found = _MADE.get(key)
    if found is None:
        found = _MADE[key] = _make(op, many)
    return found


def _make(op, many):
    made = Op(
        "vmap_%s_%s" % (op.name, "".join(["01"[m] for m in many])),
        infer=_infer(op, many),
        attrs=op.attrs,
        view=_view(op.view) if op.view is not None else None,
        kernel=_kernel(op.kernel, many, len(op.attrs)),
        serial=_kernel(op.serial, many, len(op.attrs)),
        grad=_grad(op, many) if op.grad is not None else None,
        saves=op.saves,
        runtime=tuple([(op.attrs[i], op.runtime[i]) for i in sorted(op.runtime)]),
        unread=tuple([op.attrs[i] for i in op.unread]),
        diff=op.diff,
        cost=op.cost,
        shares=op.shares,
        solo=op.solo,
    )
    made.accepts = op.accepts
    return made


def _infer(op, many):
    def infer(avals, attrs):
        one = []
        count = 0
        for a, m in zip(avals, many):
            count = a.shape[0] if m else count
            one.append(Aval(a.shape[1:], a.dtype) if m else a)
        outs = op.infer(one, attrs)
        return tuple([Aval((count,) + o.shape, o.dtype) for o in outs])

    return infer


def _view(view):
    def many(layout, attrs):
        one = Layout(layout.shape[1:], layout.strides[1:], layout.offset)
        found = view(one, attrs)
        if found is None:
            return None
        shape = layout.shape[:1] + found.shape
        return Layout(shape, layout.strides[:1] + found.strides, found.offset)

    return many


# A kernel for one, told that its arrays have no axis of all.


def _kernel(kernel, many, attrs):
    if kernel is None:
        return None

    def traced(k, *rest):
        inputs = len(many)
        count = len(rest) - attrs
        face = _Kernel(k)
        arrays = []
        for i, array in enumerate(rest[:count]):
            one = i < inputs and not many[i]
            arrays.append(array if one else _Array(face, array))
        face.first = arrays[-1].array
        kernel(face, *(arrays + list(rest[count:])))

    return traced


class _Kernel:
    """A kernel whose grid has the axis of all in front, unseen."""

    def __init__(self, k):
        self.k = k
        self.first = None
        self.place = ()

    def grid(self, shape):
        coords = self.k.grid((self.first.shape[0],) + tuple(shape))
        self.place = coords[:1]
        return coords[1:]

    def __getattr__(self, name):
        if name == "k":
            raise AttributeError(name)
        return getattr(self.k, name)


class _Array:
    """An array seen from one place along its first axis."""

    def __init__(self, face, array):
        self.face = face
        self.array = array
        self.shape = array.shape[1:]
        self.ndim = len(self.shape)

    def __getattr__(self, name):
        if name == "array":
            raise AttributeError(name)
        return getattr(self.array, name)

    @property
    def strides(self):
        return self.array.strides[1:]

    def _full(self, coords):
        return self.face.place + (coords if isinstance(coords, tuple) else (coords,))

    def flat_index(self, coords):
        return self.array.flat_index(self._full(coords))

    def __getitem__(self, coords):
        return self.array[self._full(coords)]

    def __setitem__(self, coords, value):
        self.array[self._full(coords)] = value

    def wide(self, coords, n=4, axis=-1):
        axis = axis + 1 if axis >= 0 else axis
        return self.array.wide(self._full(coords), n, axis)

    def put_wide(self, coords, values):
        self.array.put_wide(self._full(coords), values)


# The gradient for many: that for one, run on a level of many.


def _grad(op, many):
    def grad(ctx):
        from .mapping import batch_device, many_over, out_of

        tensors = [t for t in ctx.g if t is not None] + list(ctx.inputs)
        top = batch_device(_highest(tensors))
        count = [t for t in ctx.g if t is not None][0].shape[0]
        inner = Context(
            tuple([None if t is None else many_over(t, top, True) for t in ctx.g]),
            [many_over(t, top, m) for t, m in zip(ctx.inputs, many)],
            [many_over(t, top, True) for t in ctx.outputs],
            ctx.attrs,
            ctx.needs,
        )
        parts = op.grad(inner)
        parts = parts if isinstance(parts, (tuple, list)) else (parts,)
        found = []
        for part, m in zip(parts, many):
            if part is None:
                found.append(None)
                continue
            whole = out_of(part, top, count)
            found.append(whole if m else whole.sum(0))
        return tuple(found)

    return grad


def _highest(tensors):
    from .levels import _upper

    where = tensors[0].device
    for t in tensors:
        where = _upper("vmap", where, t.device)
    return where
