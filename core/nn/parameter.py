"""`Parameter`: a tensor that a module owns and an optimiser changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..backend.autodiff import detached
from ..dtypes import DType
from ..errors import DTypeError
from ..tensor import Tensor

if TYPE_CHECKING:
    from ..device import Device


class Parameter(Tensor):
    """A tensor that a `Module` lists, moves and saves, and that asks for gradients.

    It stays one object for life: moving a model or a step of an optimiser gives it a
    new handle. On an autodiff device it requires gradients (unless told not to); on
    any other it is plain data, and remembers the wish for when it is moved.
    Raises: DTypeError when gradients are wanted of a dtype that is not a float.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> dev = fogo.device("python").autodiff()
        >>> nn.Parameter(fogo.ones(2, device=dev)).requires_grad
        True
    """

    def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
        if requires_grad and not data.dtype.is_float:
            raise DTypeError(
                "Parameter: only floats have gradients; given %s; pass "
                "requires_grad=False, or register it as a buffer" % data._describe()
            )
        Tensor.__init__(self, data._handle, data.device)
        self.wants_grad = requires_grad
        self._track()

    def _track(self) -> None:
        """Start a graph here, or cut this tensor off from any."""
        if self.wants_grad and self.device.is_autodiff:
            Tensor.requires_grad_(self)
        else:
            self._handle = detached(self._handle)

    def requires_grad_(self, requires_grad: bool = True) -> Parameter:
        """Ask for gradients, or stop asking (to freeze it); returns itself."""
        if requires_grad and not self.dtype.is_float:
            Tensor.requires_grad_(self)  # raises, saying why
        self.wants_grad = requires_grad
        self._track()
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Parameter:
        return Parameter(self.detach(), self.wants_grad)

    def inner(self) -> Tensor:
        """Return its values on the inner device, without the history of this level."""
        return self.to(self.device.inner())

    def move(self, target: Device | str | DType) -> None:
        """Move to another device or dtype, staying the same object."""
        moved = self.detach().to(target)
        self._handle = moved._handle
        self.device = moved.device
        self._track()

    def __repr__(self) -> str:
        return "Parameter: " + Tensor.__repr__(self)
