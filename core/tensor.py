"""`Tensor`: a handle on a device. Every operation goes through `call` here.

Methods that are ops (`x.exp()`, `x.sum(axis=0)`) are the functions of `fogo.ops`,
looked up by name at first use; `methods.pyi` (generated) lists them for type checkers.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, overload

from .backend.autodiff import Var, backward, detached, leaf
from .device import AutodiffDevice, Device, device
from .dtypes import DEFAULT_FLOAT, PROMOTION, DType, bool_, dtype, float32, promote
from .errors import AutodiffError, DeviceError, DTypeError, ShapeError
from .expr import Expr
from .methods import Methods
from .shapes import broadcast, size
from .storage import flatten, nest, pack, unpack, whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from .backend.autodiff import Gradients

_CPYTHON = sys.implementation.name != "micropython"


class Tensor(Methods):
    """An n-dimensional array on a device: shape, dtype and a handle of the backend.

    Make one with `fogo.tensor`, `fogo.zeros`, … . Operations give new tensors; values
    never change under a tensor (`x[i] = v` gives `x` a new handle, views of the old
    values keep them).
    """

    def __init__(self, handle: Any, device: Device) -> None:
        self._handle = handle
        self.device = device

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self._handle.shape

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._handle.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._handle.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return size(self._handle.shape)

    @property
    def requires_grad(self) -> bool:
        """Say whether gradients can reach this tensor."""
        handle = self._handle
        return isinstance(handle, Var) and handle.node is not None

    @property
    def T(self) -> Self:
        """The transpose of a matrix; raises ShapeError for other ranks. A view."""
        if self.ndim != 2:
            raise ShapeError(
                "transpose: T needs a matrix; given shape %s; use mT or permute()"
                % list(self.shape)
            )
        return self.transpose()

    @property
    def mT(self) -> Self:
        """The tensor with its last two axes exchanged. A view."""
        return self.transpose()

    def _describe(self) -> str:
        return "%s%s on %s" % (self.dtype.name, list(self.shape), self.device.name)

    # Reading.

    def tolist(self) -> Any:
        """Return the values as nested lists of Python numbers (a number if 0-d).

        Raises: DeviceError where this thread cannot wait (use `data_async`).
        """
        buffer = self.device.backend.read([self._handle])[0]
        return nest(unpack(buffer, self.dtype), self.shape)

    async def data_async(self) -> Any:
        """Return `tolist()`'s value without blocking: the read for every platform."""
        buffers = await self.device.backend.read_async([self._handle])
        return nest(unpack(buffers[0], self.dtype), self.shape)

    def item(self) -> Any:
        """Return the only element as a Python number; raises ShapeError if more."""
        if self.size != 1:
            raise ShapeError(
                "item: the tensor must have one element; given shape %s; use tolist()"
                % list(self.shape)
            )
        buffer = self.device.backend.read([self._handle])[0]
        return unpack(buffer, self.dtype)[0]

    def numpy(self) -> Any:
        """Return a NumPy array with a copy of the values (NumPy must be there)."""
        import numpy as np

        buffer = self.device.backend.read([self._handle])[0]
        names = {"bool": "bool"}
        kind = np.dtype(names.get(self.dtype.name, self.dtype.name))
        return np.frombuffer(bytes(buffer), dtype=kind).reshape(self.shape).copy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        out = self.numpy()
        return out if dtype is None else out.astype(dtype)

    __array_priority__ = 1000  # NumPy's operators leave `array + tensor` to us

    if _CPYTHON:  # MicroPython would read `1.0 - x` as `1.0 - float(x)`: use item()

        def __format__(self, spec: str) -> str:
            return format(self.item(), spec) if spec else str(self)

        def __float__(self) -> float:
            return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    def __index__(self) -> int:
        if not self.dtype.is_int:
            raise DTypeError("index: an integer tensor; given " + self._describe())
        return int(self.item())

    def __len__(self) -> int:
        if not self.shape:
            raise ShapeError("len: a 0-d tensor has no length; use item()")
        return self.shape[0]

    def __iter__(self) -> Iterator[Self]:
        return iter([self[i] for i in range(len(self))])

    def __repr__(self) -> str:
        from .printing import format_tensor

        return format_tensor(self)

    # Where and how it lives.

    @overload
    def to(self, target: AutodiffDevice) -> Tracked: ...

    @overload
    def to(self, target: DType) -> Self: ...

    @overload
    def to(self, target: Device | str) -> Tensor: ...

    def to(self, target: Device | str | DType) -> Tensor:
        """Return it on another device, or in another dtype.

        Raises: AutodiffError for a tensor with history, which stays on its device.
        """
        if isinstance(target, DType):
            return self.astype(target)
        where = device(target)
        if where is self.device:
            return self
        if where.base() is self.device.base():
            return _change_level(self, where)
        if self.requires_grad and self._handle.node.op is not None:
            raise AutodiffError(
                "to: history does not cross devices; given %s, computed from tensors "
                "that require grad; detach() it first" % self._describe()
            )
        values = self.device.backend.read([self._handle])[0]
        where.base().backend.check_dtype(self.dtype)
        handle = where.backend.upload(values, self.shape, self.dtype)
        return where.tensor_class(handle, where)

    def detach(self) -> Self:
        """Return the same values cut off from their history, at every level."""
        return self.device.tensor_class(detached(self._handle), self.device)

    def __deepcopy__(self, memo):
        out = self.detach()
        leaf = self.requires_grad and self._handle.node.op is None
        return out.requires_grad_() if leaf else out

    def requires_grad_(self) -> Self:
        """Ask for gradients (at every autodiff level); returns the tensor itself.

        Raises: AutodiffError off autodiff devices, DTypeError for non-floats.
        """
        if not self.device.is_autodiff:
            raise AutodiffError(
                "requires_grad_: gradients exist only on an autodiff device; given a "
                "tensor on %r; make it on device.autodiff()" % self.device
            )
        if not self.dtype.is_float:
            raise DTypeError(
                "requires_grad_: only floats have gradients; given " + self._describe()
            )
        self._handle = leaf(detached(self._handle))
        return self

    def grad(self, grads: Gradients) -> Tensor:
        """Return this tensor's gradient from what `backward` gave."""
        return grads[self]

    def assign(self, other: Tensor) -> Self:
        """Take the values of another tensor of equal shape, dtype and device."""
        if other.shape != self.shape or other.dtype is not self.dtype:
            raise ShapeError(
                "assign: shape and dtype must stay; given %s for %s"
                % (other._describe(), self._describe())
            )
        if other.device is not self.device:
            other = other.to(self.device)
        tracked = self.requires_grad
        self._handle = other._handle
        if tracked:
            self.requires_grad_()
        return self

    def __getitem__(self, key: Any) -> Self:
        from .indexing import getitem

        return getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from .indexing import setitem

        self._handle = setitem(self, key, value)._handle


class Tracked(Tensor):
    """A tensor of an autodiff device: it can go `backward`."""

    def backward(
        self, gradient: Tensor | None = None, retain_graph: bool = False
    ) -> Gradients:
        """Return the gradients of this tensor by every leaf that asked for them.

        gradient: of the tensor's shape; needed unless it has one element. The graph is
        freed as it is walked, unless retain_graph.
        Raises: AutodiffError without a graph, ShapeError for a missing gradient.
        """
        return backward(self, gradient, retain_graph)

    def inner(self) -> Tensor:
        """Return the tensor on the inner device, without the history of this level."""
        return wrap(self._handle.inner, self.device.inner())


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
    return [_change_level(t, where) for t in tensors]


def _level(where):
    n = 0
    while where._inner is not None:
        n += 1
        where = where._inner
    return n


def _change_level(t, where):
    handle = t._handle
    for _ in range(_level(t.device) - _level(where)):
        handle = handle.inner
    for _ in range(_level(where) - _level(t.device)):
        handle = Var(handle, None, 0)
    return where.tensor_class(handle, where)


def apply(op, args):
    """Call an elementwise op: scalars, promotion and broadcasting are settled here.

    Given symbolic scalars instead of tensors it returns the op's formula, so that
    formulas are written with the public functions.
    """
    tensors = [a for a in args if isinstance(a, Tensor)]
    if len(tensors) != len(args):
        args, tensors = _with_scalars(op, args, tensors)
        if tensors is None:
            return args
    first = op.promote_from
    kind = tensors[first].dtype
    shape = tensors[0].shape
    plain = True
    for i, t in enumerate(tensors):
        if t.shape != shape or (i > first and t.dtype is not kind):
            plain = False
    if not plain:
        tensors = _fit(op, tensors)
        kind = tensors[first].dtype
    if op.to_float and not kind.is_float:
        rest = [t.astype(DEFAULT_FLOAT) for t in tensors[first:]]
        tensors = tensors[:first] + rest
    else:
        op.check(kind)
    return call(op, tensors)


def _with_scalars(op, args, tensors):
    """Make 0-d constants of Python scalars, in the dtype the tensors ask for."""
    for a in args:
        if isinstance(a, Expr):
            return op.formula(*args), None
    args = [_number(a) for a in args]
    for a in args:
        if not isinstance(a, (Tensor, int, float, bool)):
            raise DTypeError(
                "%s: operands are tensors or numbers; given %s; make it one with "
                "fogo.tensor(...)" % (op.name, type(a))
            )
    if not tensors:
        raise DTypeError(
            "%s: at least one operand must be a tensor; given only numbers" % op.name
        )
    where = tensors[0].device
    for t in tensors:
        if t.device is not where:
            where = unify(op.name, tensors)[0].device
    kind = None
    for i, a in enumerate(args):
        if isinstance(a, Tensor) and i >= op.promote_from:
            kind = a.dtype if kind is None else promote(kind, a.dtype, op.name)
    out = []
    for i, a in enumerate(args):
        if not isinstance(a, Tensor):
            target = bool_ if i < op.promote_from else _weak(a, kind, where)
            a = whole(op.name, a, target) if target.is_int else a
            a = where.constant(a, target)
        out.append(a)
    return out, out


def _number(a):
    """NumPy's scalars as Python's numbers; all else as it is."""
    if isinstance(a, (Tensor, int, float)) or getattr(a, "shape", None) != ():
        return a
    return a.item() if hasattr(a, "item") else a


def _weak(value, kind, where):
    """The dtype a Python scalar takes beside tensors of dtype `kind`."""
    if isinstance(value, float):
        return kind if kind is not None and kind.is_float else DEFAULT_FLOAT
    if isinstance(value, bool):
        return bool_ if kind is None else kind
    if kind is None or kind.is_bool:
        return where.default_int
    return kind


def _fit(op, tensors):
    """Promote to one dtype and broadcast to one shape."""
    first = op.promote_from
    kind = tensors[first].dtype
    for t in tensors[first + 1 :]:
        if t.dtype is not kind:
            kind = PROMOTION[(kind, t.dtype)] or promote(kind, t.dtype, op.name)
    shape = broadcast(op.name, *[t.shape for t in tensors])
    out = []
    for i, t in enumerate(tensors):
        if i >= first and t.dtype is not kind:
            t = t.astype(kind)
        out.append(t if t.shape == shape else t.expand(shape))
    return out


@overload
def tensor(
    data: Any, dtype: DType | str | None = None, *, device: AutodiffDevice
) -> Tracked: ...


@overload
def tensor(
    data: Any,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor: ...


def tensor(
    data: Any,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Make a tensor from numbers, nested lists, or an array (`__array__`, buffers).

    dtype: by default bool, the device's default integer, or float32, as the data is;
    an array keeps its own dtype.
    Raises: ShapeError for ragged lists, DTypeError for values out of the dtype's range.

    Example:
        >>> import fogo
        >>> fogo.tensor([[1, 2], [3, 4]], device="python").shape
        (2, 2)
    """
    where = _device(device)
    if isinstance(data, Tensor):
        moved = data.to(where)
        return moved if dtype is None else moved.astype(_dtype(dtype))
    if hasattr(data, "__array_interface__"):
        return _from_numpy(data, dtype, where)
    if hasattr(data, "tolist"):
        data = data.tolist()
    elif not isinstance(data, (list, tuple, int, float, bool)):
        try:
            data = list(data)
        except TypeError:
            raise DTypeError("tensor: numbers, lists or arrays; given %r" % (data,))
    flat, shape = flatten("tensor", _numbers(data))
    kind = _dtype(dtype) if dtype is not None else _guess(flat, where)
    where.base().backend.check_dtype(kind)
    handle = where.backend.upload(pack("tensor", flat, kind), shape, kind)
    return where.tensor_class(handle, where)


_device = device
_dtype = dtype


def _numbers(data):
    """Nested lists with NumPy's scalars or arrays in them as lists of numbers."""
    probe = data
    while isinstance(probe, (list, tuple)) and probe:
        probe = probe[0]
    if isinstance(probe, Tensor) or not hasattr(probe, "tolist"):
        return data
    if not isinstance(data, (list, tuple)):
        return data.tolist()
    return [_numbers(part) for part in data]


def _from_numpy(data, kind, where):
    import numpy as np

    array = np.ascontiguousarray(data).reshape(np.shape(data))
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    own = _dtype(str(array.dtype))
    target = _dtype(kind) if kind is not None else own
    if target is not own:
        array = array.astype(target.name)
    where.base().backend.check_dtype(target)
    storage = {"bool": "uint8", "float16": "uint16"}.get(target.name)
    flat = array.reshape(-1)
    flat = flat.view(storage) if storage else flat
    handle = where.backend.upload(memoryview(flat), array.shape, target)
    return where.tensor_class(handle, where)


def _guess(flat, where):
    """The dtype of Python numbers: float32 if any is a float, ints, else bools."""
    kind = bool_ if flat else float32
    for v in flat:
        if isinstance(v, float):
            return DEFAULT_FLOAT
        if not isinstance(v, bool):
            if not isinstance(v, int):
                raise DTypeError("tensor: numbers only; given %r" % (v,))
            kind = where.default_int
    return kind
