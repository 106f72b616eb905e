"""`Batch(b)`: a backend whose tensors stand for many; what `vmap` computes with.

A handle shows the shape of one; the axis of all lies in front of the inner handle's.
How an op is batched follows from its record: formulas run on the larger shape,
reductions on axes one further, views and kernels by `batched` (see batched_op.py),
compositions by way of their parts. What has none of these is looped over.
"""

from __future__ import annotations

from ..backend.base import Backend, expand
from ..dispatch import wrap
from ..errors import DeviceError, warn
from ..ops.record import Aval
from .batched_op import batched

LOOPED: list[str] = []  # ops of which it was said that they run one by one
# Compositions of one tensor along axes: (position of the axis or axes among attrs).
ALONG = {"softmax": 0, "log_softmax": 0, "logsumexp": 0, "standardize": 0,
         "rms_scale": 0}  # fmt: skip
FOLDED = {"conv": 1, "conv_input_grad": 1}  # first input's rows are independent


class Many:
    """A handle of one tensor for all (`many` is False), or of one each."""

    __slots__ = ("inner", "many", "shape", "dtype")

    def __init__(self, inner, many):
        self.inner = inner
        self.many = many
        self.shape = inner.shape[1:] if many else inner.shape
        self.dtype = inner.dtype


class Batch(Backend):
    """Runs each op for all tensors of a batch at once."""

    def __init__(self, inner):
        Backend.__init__(self)
        self.inner = inner
        self.name = "vmap(" + inner.name + ")"
        self.holds = inner.holds
        self.default_int = inner.default_int
        self.device = None

    def lift(self, handle):
        return Many(handle, False)

    def lower(self, handle):
        if handle.many:
            raise DeviceError(
                "vmap: a mapped tensor stays inside the mapped function; given one to "
                "put into a tensor (or move to a device) outside of it; return it"
            )
        return handle.inner

    def idle(self, handle):
        return not handle.many

    def execute(self, op, inputs, attrs, outs):
        many = tuple([h.many for h in inputs])
        if True not in many:
            results = self.inner.execute(op, [h.inner for h in inputs], attrs, outs)
            return tuple([Many(r, False) for r in results])
        if op.composite and not _direct(op, many):
            return expand(self.device, op, inputs, attrs)
        count = inputs[many.index(True)].inner.shape[0]
        results = self._run(op, inputs, many, attrs, outs, count)
        return tuple([Many(r, True) for r in results])

    def _run(self, op, inputs, many, attrs, outs, count):
        wide = [Aval((count,) + o.shape, o.dtype) for o in outs]
        if op.formula is not None:
            wider = [self._widened(h, count) for h in inputs]
            return self.inner.execute(op, wider, attrs, wide)
        plain = [h.inner for h in inputs]
        if op.combine is not None:
            axes = tuple([a + 1 for a in attrs[0]])
            return self.inner.execute(op, plain, (axes,), wide)
        if op.name in ALONG:
            return self.inner.execute(op, plain, _further(op, attrs), wide)
        if op.name == "matmul":
            return self._matmul(inputs)
        if op.name in FOLDED and many == (True, False):
            return self._folded(op, plain, attrs, outs, count)
        if op.source is not None or op.relayout is not None:
            return self._loop(op, inputs, attrs, outs, count)
        own = batched(op, many)
        return self.inner.execute(own, plain, attrs, wide)

    def _widened(self, h, count):
        """An inner handle with the axis of all, repeated where there is one for all."""
        if h.many:
            return h.inner
        x = wrap(h.inner, self.device.inner())
        return x.unsqueeze(0).expand((count,) + h.shape)._handle

    def _matmul(self, inputs):
        from ..ops.matmul import matmul

        x, y = [wrap(h.inner, self.device.inner()) for h in inputs]
        if not inputs[0].many and x.ndim > 2:
            x = x.unsqueeze(0)
        if not inputs[1].many and y.ndim > 2:
            y = y.unsqueeze(0)
        return (matmul(x, y)._handle,)

    def _folded(self, op, plain, attrs, outs, count):
        """The axis of all and the first axis as one, and apart again."""
        where = self.device.inner()
        x = wrap(plain[0], where)
        rows = x.reshape((count * x.shape[1],) + x.shape[2:])
        shape = outs[0].shape
        aval = Aval((count * shape[0],) + shape[1:], outs[0].dtype)
        made = self.inner.execute(op, [rows._handle, plain[1]], attrs, [aval])[0]
        return (wrap(made, where).reshape((count,) + shape)._handle,)

    def _loop(self, op, inputs, attrs, outs, count):
        """Run the op once for each, and stack what comes out."""
        from ..ops.movement import stack

        if op.name not in LOOPED:
            LOOPED.append(op.name)
            warn("vmap: %s runs once for each of %d: slow" % (op.name, count), 6)
        where = self.device.inner()
        each = []
        for i in range(count):
            one = [wrap(h.inner, where)[i]._handle if h.many else h.inner
                   for h in inputs]  # fmt: skip
            each.append(self.inner.execute(op, one, attrs, outs))
        return tuple(
            [stack([wrap(r[i], where) for r in each])._handle for i in range(len(outs))]
        )

    def supports(self, op, attrs, avals):
        return self.inner.supports(op, attrs, avals)

    def upload(self, values, shape, dtype):
        return Many(self.inner.upload(values, shape, dtype), False)

    def read(self, handles):
        for h in handles:
            if h.many:
                raise DeviceError(
                    "vmap: a mapped tensor has no values to read: it stands for many; "
                    "given %s%s; choose with where() instead of if, and print outside"
                    % (h.dtype.name, list(h.shape))
                )
        return self.inner.read([h.inner for h in handles])

    async def read_async(self, handles):
        return self.read(handles)

    def sync(self):
        self.inner.sync()

    def rest(self):
        self.inner.rest()

    def describe(self):
        return self.inner.describe()


def _direct(op, many):
    return op.name in ALONG and many == (True,)


def _further(op, attrs):
    """The attributes with each axis one further."""
    axis = attrs[0]
    moved = tuple([a + 1 for a in axis]) if isinstance(axis, tuple) else axis + 1
    return (moved,) + tuple(attrs[1:])
