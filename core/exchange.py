"""Arrays from and to other libraries: `asarray`, `from_dlpack` and DLPack itself.

Where NumPy and the tensor's memory allow, nothing is copied: the other library and the
tensor then share it, and what is written there shows in the tensor. fogo itself never
writes to memory that it has shared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .device import device as lookup_device
from .dtypes import dtype as lookup
from .errors import AutodiffError, DeviceError
from .tensor import Tensor, tensor

if TYPE_CHECKING:
    from .device import Device
    from .dtypes import DType

CPU, WEBGPU, CUDA = (1, 0), (15, 0), (2, 0)  # DLPack's numbers of devices
_WHERE = {"webgpu": WEBGPU, "dawn": WEBGPU, "cuda": CUDA}
# Letters of Python's buffers, whose sizes are the machine's.
_KINDS = {"?": "bool"}
for _letters, _kind in (("bhilqn", "int"), ("BHILQN", "uint"), ("efd", "float")):
    for _letter in _letters:
        _KINDS[_letter] = _kind


def asarray(
    obj: Any,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    copy: bool | None = None,
) -> Tensor:
    """Return a tensor of what `obj` holds: a tensor, numbers, nested lists, an array.

    copy: None shares memory where that is possible, True never does, False raises where
    it is not possible. A tensor's values are never changed under it: with copy=True it
    is one of its own. Dtype: that of `obj`, an array or a buffer (`array.array`,
    `bytes`), else as of `fogo.tensor`.
    Raises: DTypeError, ShapeError as `fogo.tensor`; DeviceError for copy=False.

    Example:
        >>> import fogo
        >>> fogo.asarray([1, 2]).tolist()
        [1, 2]
    """
    if isinstance(obj, Tensor):
        return _as_tensor(obj, dtype, device, copy)
    if copy is not True and _is_array(obj):
        shared = _shared(obj, dtype, lookup_device(device))
        if shared is not None:
            return shared
    if copy is False:
        raise DeviceError(
            "asarray: copy=False needs an array whose memory the device can share; "
            "given %s for %r; leave copy out" % (type(obj), lookup_device(device))
        )
    if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
        found = from_dlpack(obj, device, copy)
        return found if dtype is None else found.astype(dtype, False)
    if dtype is None and not hasattr(obj, "dtype"):
        dtype = _of_buffer(obj)
    return tensor(obj, dtype, device)


def _of_buffer(obj):
    """The dtype of what speaks Python's buffer protocol; None for all else.

    MicroPython's views do not say what they hold.
    """
    try:
        view = memoryview(obj)
    except TypeError:
        return None
    letter = getattr(view, "format", "").lstrip("@=<")  # "<d" is how ctypes says it
    kind = _KINDS.get(letter)
    return kind and lookup("bool" if kind == "bool" else kind + str(8 * view.itemsize))


def _as_tensor(x, dtype, where, copy):
    target = x.dtype if dtype is None else lookup(dtype)
    there = x.device if where is None else lookup_device(where)
    if copy is False and (target is not x.dtype or there.base() is not x.device.base()):
        raise DeviceError(
            "asarray: copy=False keeps dtype and device; given %s for %s on %r; leave "
            "copy out" % (x._describe(), target.name, there)
        )
    return x.astype(target, copy is True, there)  # x itself where it may be


def _is_array(obj):
    return hasattr(obj, "__array_interface__")


def _shared(array, dtype, where):
    """A tensor on NumPy's memory, or None where it would not be the same."""
    from .dispatch import change_level, wrap

    if dtype is not None and str(array.dtype) != lookup(dtype).name:
        return None
    handle = _memory().adopt(where.base().backend, array)
    if handle is None:
        return None
    return change_level(wrap(handle, where.base()), where)


def _memory():
    """The room that knows NumPy's memory; core itself does without."""
    import sys

    path = "fogo.native.dlpack"
    __import__(path)
    return sys.modules[path]


def from_dlpack(
    x: Any, device: Device | str | None = None, copy: bool | None = None
) -> Tensor:
    """Return a tensor of what an array of another library holds, by DLPack.

    On the "numpy" device memory is shared unless copy=True; elsewhere it is copied.
    Device by default: that of x if it is ours, else "numpy".
    Raises: DeviceError for copy=False where only a copy would do.

    Example:
        >>> import fogo, numpy as np
        >>> fogo.from_dlpack(np.arange(3)).tolist()
        [0, 1, 2]
    """
    if isinstance(x, Tensor):
        return _as_tensor(x, None, device, copy)
    import numpy as np

    where = lookup_device("numpy" if device is None else device)
    there = tuple([int(v) for v in x.__dlpack_device__()])
    options: dict[str, Any] = {} if there == CPU else {"device": "cpu"}
    array = np.from_dlpack(x, **options)
    if copy is not True:
        found = _shared(array, None, where)
        if found is not None:
            return found
    if copy is False:
        raise DeviceError(
            "from_dlpack: copy=False shares memory, on the numpy device; given %s for "
            "%r; leave copy out" % (type(x), where)
        )
    return tensor(array, device=where)


def dlpack_device(x: Tensor) -> tuple[int, int]:
    """Return DLPack's (type, number) of the device where a tensor lies."""
    return _WHERE.get(x.device.base().name.split(":")[0], CPU)


def dlpack(x: Tensor, dl_device: Any, max_version: Any, copy: bool | None) -> Any:
    """Return the capsule of a tensor: of its own memory, or of a copy on the host."""
    if x.requires_grad:
        raise AutodiffError(
            "__dlpack__: history stays here; given %s, which requires grad; detach() "
            "it first" % x._describe()
        )
    asked = dlpack_device(x) if dl_device is None else tuple(dl_device)
    if asked != CPU:
        raise DeviceError(
            "__dlpack__: memory is given to the CPU only; given %s; ask for dl_device="
            "(1, 0)" % (asked,)
        )
    while x.device.is_autodiff:
        x = x.detach().to(x.device.inner())
    array = None if copy is True else _memory().show(x._handle)
    if array is None:
        if copy is False:
            raise DeviceError(
                "__dlpack__: copy=False needs memory that NumPy can show; given %s; "
                "leave copy out" % x._describe()
            )
        array = x.numpy()
    options = {} if max_version is None else {"max_version": max_version}
    return array.__dlpack__(**options)
