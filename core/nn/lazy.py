"""Parameters whose first values are drawn when somebody looks, and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.autodiff import detached
from ..device import device as _device
from ..dtypes import DEFAULT_FLOAT, DType
from ..dtypes import dtype as _dtype
from ..shapes import check_shape, sized
from .parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..device import Device
    from ..shapes import Size
    from ..tensor import Tensor


class _Cell:
    """How the first values are made; they are made once for all copies."""

    def __init__(self, make: Any, shape: Any, device: Any, dtype: Any) -> None:
        self.make = make
        self.shape = shape
        self.device = device
        self.dtype = dtype
        self.values: Any = None

    def drawn(self) -> Any:
        if self.values is None:
            found = self.make(self.shape, self.device)
            self.values = found.detach().astype(self.dtype)
        return self.values


class LazyParameter(Parameter):
    """A parameter of a known shape that takes no memory until it is first used.

    make(shape, device) gives its first values. Copies made before then (`fork`) start
    with the same ones. What is loaded or assigned first is never drawn.
    Raises: ShapeError for sizes that are none.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> def draw(shape, device):
        ...     print("drawn")
        ...     return fogo.ones(shape, device=device)
        >>> p = nn.LazyParameter((2, 3), draw)
        >>> p.shape, p.initialized
        ((2, 3), False)
        >>> p.sum().item()
        drawn
        6.0
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        make: Callable[[tuple[int, ...], Device], Tensor],
        requires_grad: bool = True,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        kind = DEFAULT_FLOAT if dtype is None else _dtype(dtype)
        where = _device(device)
        sizes = check_shape("LazyParameter", tuple(shape))
        self._start(_Cell(make, sizes, where.base(), kind), where, requires_grad)

    def _start(self, cell, where, wants_grad):
        self._cell = cell
        self._made = None
        self._kind = cell.dtype
        self.device = where
        self.wants_grad = wants_grad

    @property
    def initialized(self) -> bool:
        """Say whether it has values yet."""
        return self._made is not None

    if not TYPE_CHECKING:  # the attribute of every tensor, here made at first use

        @property
        def _handle(self):
            if self._made is None:
                values = self._cell.drawn().to(self.device.base()).astype(self._kind)
                self._made = values.to(self.device)._handle
                self._track()
            return self._made

        @_handle.setter
        def _handle(self, handle):
            self._made = handle

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self._cell.shape if self._made is None else self._made.shape

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._kind if self._made is None else self._made.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> Size:
        """Number of elements."""
        return sized(self.shape)

    def requires_grad_(self, requires_grad: bool = True) -> LazyParameter:
        """Ask for gradients, or stop asking; returns itself."""
        if self._made is None:
            self.wants_grad = requires_grad
        else:
            Parameter.requires_grad_(self, requires_grad)
        return self

    def move(self, target: Device | str | DType) -> None:
        """Move to another device or dtype, staying the same object."""
        if self._made is not None:
            Parameter.move(self, target)
        elif isinstance(target, DType):
            self._kind = target
        else:
            self.device = _device(target)

    def assign(self, other: Any) -> LazyParameter:
        """Take the values of another tensor of equal shape and dtype."""
        if self._made is None and (other.shape, other.dtype) == (
            self.shape, self.dtype,
        ):  # fmt: skip
            self._made = detached(other.to(self.device)._handle)
            self._track()
        else:
            Parameter.assign(self, other)
        return self

    def copied(self) -> Parameter:
        """A copy; one without values yet draws the same ones."""
        if self._made is not None:
            return Parameter(self.detach(), self.wants_grad)
        made = object.__new__(LazyParameter)
        made._start(self._cell, self.device, self.wants_grad)
        made._kind = self._kind
        return made

    def __deepcopy__(self, memo: dict[int, object]) -> Parameter:
        return self.copied()
