"""Methods of tensors that are no functions of fogo.ops: PyTorch's, by its names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..dtypes import (
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from ..dtypes import (
    dtype as _dtype,
)
from ..ops import creation, find
from ..ops.movement import _sizes
from ..ops.unfold import sliding_windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def _cast(dtype):
    def convert(x: T) -> T:
        return x.astype(dtype)

    try:
        convert.__doc__ = "Return x in %s: `x.astype(...)`." % dtype.name
    except AttributeError:  # MicroPython's functions have no words
        pass
    return convert


def long_(x: T) -> T:
    """Return x as int64, or as the device's default integer where that is narrower.

    Example:
        >>> import fogo
        >>> fogo.tensor([1.7]).long().tolist()
        [1]
    """
    holds = x.device.base().backend.holds
    return x.astype(int64 if int64 in holds else x.device.default_int)


def type_(x: T, dtype: DType | str | None = None) -> T | str:
    """Return x in another dtype; without one, the name of its own.

    Example:
        >>> import fogo
        >>> fogo.ones(1).type(), fogo.ones(1).type("int32").dtype
        ('float32', fogo.int32)
    """
    return x.dtype.name if dtype is None else x.astype(_dtype(dtype))


def type_as(x: T, other: Tensor) -> T:
    """Return x in the dtype of `other`.

    Example:
        >>> import fogo
        >>> fogo.ones(1).type_as(fogo.arange(2)).dtype
        fogo.int64
    """
    return x.astype(other.dtype)


def clone(x: T) -> T:
    """Return a tensor of its own with the same values and history.

    Example:
        >>> import fogo
        >>> x = fogo.zeros(2)
        >>> y = x.clone().add_(1)
        >>> x.tolist(), y.tolist()
        ([0.0, 0.0], [1.0, 1.0])
    """
    return x[...]


def numel(x: Tensor) -> int:
    """Return the number of elements: `x.size`.

    Example:
        >>> import fogo
        >>> fogo.zeros(2, 3).numel()
        6
    """
    count = 1
    for n in x.shape:
        count *= n
    return count


def dim(x: Tensor) -> int:
    """Return the number of axes: `x.ndim`.

    Example:
        >>> import fogo
        >>> fogo.zeros(2, 3).dim()
        2
    """
    return x.ndim


def element_size(x: Tensor) -> int:
    """Return the number of bytes of one element.

    Example:
        >>> import fogo
        >>> fogo.zeros(2).element_size()
        4
    """
    return x.dtype.itemsize


def is_floating_point(x: Tensor) -> bool:
    """Say whether the dtype is a float.

    Example:
        >>> import fogo
        >>> fogo.zeros(2).is_floating_point(), fogo.arange(2).is_floating_point()
        (True, False)
    """
    return x.dtype.is_float


def is_complex(x: Tensor) -> bool:
    """Say whether the dtype is complex.

    Example:
        >>> import fogo
        >>> fogo.zeros(2).is_complex()
        False
    """
    return getattr(x.dtype, "is_complex", False)


def is_signed(x: Tensor) -> bool:
    """Say whether the dtype has negative numbers.

    Example:
        >>> import fogo
        >>> fogo.arange(2).is_signed()
        True
    """
    return not (x.dtype.is_bool or x.dtype.kind == "uint")


def cpu(x: Tensor) -> Tensor:
    """Return it on the CPU: NumPy's device where NumPy is, else plain Python's.

    Example:
        >>> import fogo
        >>> fogo.ones(2).cpu().device is fogo.device("cpu")
        True
    """
    from ..device import device

    if x.device.base().name in ("numpy", "python", "wasm"):
        return x
    base = device("cpu")
    return x.to(base.autodiff() if x.device.is_autodiff else base)


def cuda(x: Tensor) -> Tensor:
    """Return it on an NVIDIA GPU; DeviceError where there is none. See `to`."""
    from ..device import device

    base = device("cuda")
    return x.to(base.autodiff() if x.device.is_autodiff else base)


def repeat(x: T, *sizes: int | Sequence[int]) -> T:
    """Repeat the whole tensor along each axis: `tile`.

    Example:
        >>> import fogo
        >>> fogo.tensor([1, 2]).repeat(2, 2).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return find("tile")(x, tuple(_sizes(sizes)))


def unfold(x: T, axis: int, size: int, step: int) -> T:
    """Return every window of an axis, along a new last axis. A view.

    Example:
        >>> import fogo
        >>> fogo.arange(5).unfold(0, 3, 2).tolist()
        [[0, 1, 2], [2, 3, 4]]
    """
    return sliding_windows(x, axis, size, step)


def new_zeros(x: T, *shape: int | Sequence[int], dtype: DType | str | None = None) -> T:
    """Return zeros of x's dtype (or another), on its device.

    Example:
        >>> import fogo
        >>> fogo.ones(1).new_zeros(2).tolist()
        [0.0, 0.0]
    """
    return _new(x, shape, 0, dtype)


def new_ones(x: T, *shape: int | Sequence[int], dtype: DType | str | None = None) -> T:
    """Return ones of x's dtype (or another), on its device.

    Example:
        >>> import fogo
        >>> fogo.arange(1).new_ones(2).tolist()
        [1, 1]
    """
    return _new(x, shape, 1, dtype)


def new_full(
    x: T, shape: Sequence[int], value: float, dtype: DType | str | None = None
) -> T:
    """Return a constant of x's dtype (or another), on its device.

    Example:
        >>> import fogo
        >>> fogo.ones(1).new_full((2,), 7).tolist()
        [7.0, 7.0]
    """
    return _new(x, (shape,), value, dtype)


def new_tensor(x: Tensor, data: Any, dtype: DType | str | None = None) -> Tensor:
    """Return numbers as a tensor of x's dtype (or another), on its device.

    Example:
        >>> import fogo
        >>> fogo.ones(1).new_tensor([1, 2]).tolist()
        [1.0, 2.0]
    """
    from ..tensor import tensor

    return tensor(data, x.dtype if dtype is None else dtype, x.device)


def _new(x, shape, value, dtype):
    kind = x.dtype if dtype is None else _dtype(dtype)
    return creation.full(tuple(_sizes(shape)), value, kind, x.device)


def contains_nan(x: T) -> T:
    """Say whether an element is nan, as a 0-d bool tensor: `x.isnan().any()`.

    Example:
        >>> import fogo
        >>> fogo.tensor([1.0, float("nan")]).contains_nan().item()
        True
    """
    return x.isnan().any()


def _casts():
    kinds = {
        "float": float32, "double": float64, "half": float16, "int": int32,
        "short": int16, "char": int8, "byte": uint8, "bool": bool_,
    }  # fmt: skip
    return {name: _cast(kinds[name]) for name in kinds}


METHODS: dict[str, Any] = {
    "long": long_, "type": type_, "type_as": type_as, "clone": clone, "numel": numel,
    "nelement": numel, "dim": dim, "ndimension": dim, "element_size": element_size,
    "is_floating_point": is_floating_point, "is_complex": is_complex,
    "is_signed": is_signed, "cpu": cpu, "cuda": cuda, "repeat": repeat,
    "unfold": unfold, "new_zeros": new_zeros, "new_ones": new_ones,
    "new_empty": new_zeros, "new_full": new_full, "new_tensor": new_tensor,
    "contains_nan": contains_nan,
}  # fmt: skip
METHODS.update(_casts())


def method(name: str) -> Any:
    """Return the function behind a method that is only one, or None."""
    if name in METHODS:
        return METHODS[name]
    if name.endswith("_") and not name.startswith("_"):
        from .inplace import inplace

        return inplace(name)
    return None


def names() -> list[str]:
    """List the methods of this module, and those that change a tensor in place."""
    from .inplace import NAMES, SPECIAL

    return sorted(METHODS) + [n + "_" for n in NAMES] + sorted(SPECIAL)
