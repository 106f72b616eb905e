"""`Tensor`: a handle on a device. Every operation goes through `call` here.

Methods that are ops (`x.exp()`, `x.sum(axis=0)`) are the functions of `fogo.ops`,
looked up by name at first use; `methods.pyi` (generated) lists them for type checkers.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, overload

from .backend.autodiff import Var, backward, detached, leaf
from .backend.capture import WATCH, changed, refuse
from .device import AutodiffDevice, Device, device
from .dispatch import change_level, wrap
from .dtypes import (
    BY_NAME,
    DEFAULT_COMPLEX,
    DEFAULT_FLOAT,
    DType,
    bfloat16,
    bool_,
    dtype,
)
from .errors import AutodiffError, DeviceError, DTypeError, ShapeError
from .methods import Methods
from .shapes import Size, sized
from .storage import flatten, nest, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from .backend.gradients import Gradients
    from .backend.hooks import HookHandle

_CPYTHON = sys.implementation.name != "micropython"


class Tensor(Methods):
    """An n-dimensional array on a device: shape, dtype and a handle of the backend.

    Make one with `fogo.tensor`, `fogo.zeros`, … . Operations give new tensors; values
    never change under a tensor (`x[i] = v` gives `x` a new handle, views of the old
    values keep them).

    Example:
        >>> import fogo
        >>> x = fogo.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.shape, x.dtype, x.ndim, x.size
        ((2, 2), fogo.float32, 2, 4)
        >>> (x + x.T)[0].tolist()
        [2.0, 5.0]
    """

    _home: Any = None  # where it lives while compiled functions use it
    _arena: Any = None  # of parameters that lie in it: see optim/arena.py
    _hooks: Any = None  # of a leaf: see backend/hooks.py

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
    def size(self) -> Size:
        """Number of elements; called, the shape or the size of an axis, as in PyTorch.

        `x.size == 6`, `x.size() == (2, 3)`, `x.size(0) == 2` (not on MicroPython).
        """
        return sized(self._handle.shape)

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
        if self.dtype is bfloat16:  # NumPy has none
            return self.astype("float32").numpy()
        kind = np.dtype(self.dtype.name)
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

        def __complex__(self) -> complex:
            return complex(self.item())

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
    def to(
        self,
        target: Device | str | Tensor | None = None,
        dtype: DType | str | None = None,
        *,
        device: Device | str | None = None,
    ) -> Tensor: ...

    def to(
        self,
        target: Device | str | DType | Tensor | None = None,
        dtype: DType | str | None = None,
        *,
        device: Device | str | None = None,
    ) -> Tensor:
        """Return it on another device, in another dtype, or both; or as a tensor is.

        `x.to("webgpu")`, `x.to(fogo.float16)`, `x.to("webgpu", "float16")`,
        `x.to(device=…, dtype=…)`, `x.to(other)`.
        Raises: AutodiffError for a tensor with history, which stays on its device.
        """
        where: Device | str | None = device
        if isinstance(target, Tensor):
            where, dtype = target.device, target.dtype
        elif isinstance(target, DType):
            dtype = target
        elif isinstance(target, str) and target in BY_NAME:
            dtype = target
        elif target is not None:
            where = target
        moved = self if where is None else self._moved(_device(where))
        return moved if dtype is None else moved.astype(_dtype(dtype))

    def _moved(self, where: Device) -> Tensor:
        if where is self.device:
            return self
        if where.base() is self.device.base():
            return change_level(self, where)
        if self.requires_grad and self._handle.node.op is not None:
            raise AutodiffError(
                "to: history does not cross devices; given %s, computed from tensors "
                "that require grad; detach() it first" % self._describe()
            )
        if WATCH.on:
            refuse("it moves a tensor from one device to another")
        values = self.device.backend.read([self._handle])[0]
        where.base().backend.check_dtype(self.dtype)
        handle = where.backend.upload(values, self.shape, self.dtype)
        return where.tensor_class(handle, where)

    def to_device(self, device: Device | str, stream: Any = None) -> Tensor:
        """Return it on another device: `to`, by its name in the array API standard."""
        if stream is not None:
            raise DeviceError(
                "to_device: streams are the devices' own here; given stream=%r; leave "
                "it out" % (stream,)
            )
        return self.to(device)

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        """Return the module of the functions for tensors: fogo."""
        from .namespace import namespace

        return namespace(api_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        from .exchange import dlpack_device

        return dlpack_device(self)

    def __dlpack__(
        self,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        from .exchange import dlpack

        return dlpack(self, dl_device, max_version, copy)

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
        if not self.dtype.inexact:
            raise DTypeError(
                "requires_grad_: only floats have gradients; given " + self._describe()
            )
        handle = leaf(detached(self._handle))
        if self._hooks is not None:
            handle.node.extra = self._hooks
        if WATCH.on:
            changed(self, handle)
        self._handle = handle
        return self

    def grad(self, grads: Gradients) -> Tensor:
        """Return this tensor's gradient from what `backward` gave."""
        return grads[self]

    def grad_remove(self, grads: Gradients) -> Tensor:
        """Return this tensor's gradient, and take it out of `grads`."""
        return grads.remove(self)

    def grad_replace(self, grads: Gradients, gradient: Tensor) -> None:
        """Put another gradient of this tensor into `grads`."""
        grads[self] = gradient

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> HookHandle:
        """Call `hook(gradient)` when this tensor's gradient is whole, in any backward.

        What the hook returns, unless None, goes on in the gradient's place. Hooks of a
        leaf stay with it through `assign` and steps. Returns a handle with `remove()`.
        Raises: AutodiffError for a tensor that does not require grad.
        """
        from .backend.hooks import register

        return register(self, hook, False)

    def register_post_accumulate_grad_hook(
        self, hook: Callable[[Tensor, Tensor], None]
    ) -> HookHandle:
        """Call `hook(tensor, gradient)` as soon as a leaf's last contribution is in.

        It runs in the middle of `backward`, while older ops still wait for theirs.
        Raises: AutodiffError for a tensor without gradients, FogoError for no leaf.
        """
        from .backend.hooks import register

        return register(self, hook, True)

    def assign(self, other: Tensor) -> Self:
        """Take the values of another tensor of equal shape, dtype and device."""
        if other.shape != self.shape or other.dtype is not self.dtype:
            raise ShapeError(
                "assign: shape and dtype must stay; given %s for %s"
                % (other._describe(), self._describe())
            )
        if other.device is not self.device:
            other = other.to(self.device)
        if WATCH.on:
            changed(self, other._handle)
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

        made = setitem(self, key, value)._handle
        if WATCH.on:
            changed(self, made)
        self._handle = made


class Tracked(Tensor):
    """A tensor of an autodiff device: it can go `backward`."""

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool = False,
        inputs: list[Tensor] | None = None,
    ) -> Gradients:
        """Return the gradients of this tensor by every leaf that asked for them.

        gradient: of the tensor's shape; needed unless it has one element. The graph is
        freed as it is walked, unless retain_graph.
        inputs: the tensors, leaves or not, whose gradients are wanted, and no others.
        Raises: AutodiffError without a graph, ShapeError for a missing gradient.
        """
        return backward(self, gradient, retain_graph, inputs)

    def inner(self) -> Tensor:
        """Return the tensor on the inner device, without the history of this level."""
        return wrap(self._handle.inner, self.device.inner())


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
    elif not isinstance(data, (list, tuple, int, float, bool, complex)):
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


_STORAGE = {
    "bool": "uint8", "float16": "uint16", "complex64": "float32",
    "complex128": "float64",
}  # fmt: skip


def _from_numpy(data, kind, where):
    import numpy as np

    array = np.ascontiguousarray(data).reshape(np.shape(data))
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    own = _dtype(str(array.dtype))
    target = _dtype(kind) if kind is not None else own
    if target is bfloat16:
        return _from_numpy(data, "float32", where).astype(target)
    if target is not own:
        array = array.astype(target.name)
    where.base().backend.check_dtype(target)
    storage = _STORAGE.get(target.name)
    flat = array.reshape(-1)
    flat = flat.view(storage) if storage else flat
    handle = where.backend.upload(memoryview(flat), array.shape, target)
    return where.tensor_class(handle, where)


def _guess(flat, where):
    """The dtype of Python numbers: the highest kind among them."""
    rank = 0
    for v in flat:
        if isinstance(v, complex):
            return DEFAULT_COMPLEX
        if isinstance(v, float):
            rank = 2
        elif not isinstance(v, bool):
            if not isinstance(v, int):
                raise DTypeError("tensor: numbers only; given %r" % (v,))
            rank = rank or 1
    return (bool_, where.default_int, DEFAULT_FLOAT)[rank if flat else 2]
