"""`@fogo.kernel`: an op of one's own from a function in the kernel language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..tree import count, unflatten
from .custom import Custom
from .ir import WATCHERS
from .vet import traced, vet

if TYPE_CHECKING:
    from collections.abc import Callable


class KernelOp(Custom):
    """A kernel as a function of tensors: call it."""

    def __init__(
        self,
        function: Callable[..., None],
        out: Callable[..., Any],
        grad: Callable[..., Any] | None,
        saves: str,
        portable: Callable[..., Any] | None,
        name: str | None,
    ) -> None:
        Custom.__init__(
            self, name or function.__name__, out, grad, saves, portable,
            kernel=self._kernel,
        )  # fmt: skip
        self.function = function
        self.__doc__ = getattr(function, "__doc__", None)

    def _kernel(self, k, *values):
        arrays, (form, outs) = values[:-2], values[-2:]
        n = count(form)
        args, options = unflatten(form, arrays[:n])
        made = unflatten(outs, arrays[n:])
        if outs[0] != "tuple":
            made = (made,)
        traced(k, self.function, tuple(args) + tuple(made), options)
        vet(k, bool(WATCHERS))


def kernel(
    *,
    out: Callable[..., Any],
    grad: Callable[..., Any] | None = None,
    saves: str = "i",
    portable: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., None]], KernelOp]:
    """Make an op of a kernel function; used as `@fogo.kernel(out=…)`.

    The kernel receives `k`, then an array for each tensor of the call, then one for
    each output (several if `out` returns a tuple). Arguments may be trees (lists,
    tuples, dicts, objects) with tensors in them, and so may what `out` returns; all
    that is not a tensor is passed to the kernel as it is, and is part of it: another
    value is another kernel. Point kernels (`k.grid`) run on every device; group kernels
    (`k.groups`) on GPUs, elsewhere by `portable` or, slowly, in the checking
    interpreter.

    out       function of the same arguments (for a tensor, its shape and dtype are
              there): returns `fogo.Aval(shape, dtype)`, or a tree of them
    grad      function, or another such op, of the gradient of the output (a tree like
              the output's) and the arguments: returns a gradient, or None, for each
              argument with tensors. Without it: by way of `portable`, if there is one
    saves     what `grad` is called with: "i" the arguments, "o" the output, "io" both
    portable  function of tensors that computes the same
    Raises: DTypeError for a call without tensors; KernelError from the interpreter.

    Example:
        >>> import fogo
        >>> @fogo.kernel(out=lambda x, by: x, grad=lambda g, x, by: g * by)
        ... def scale(k, x, by, out):
        ...     c = k.grid(out.shape)
        ...     out[c] = x[c] * by
        >>> x = fogo.ones(2, device=fogo.device("python").autodiff()).requires_grad_()
        >>> y = scale(x, 3.0)
        >>> y.tolist(), y.sum().backward()[x].tolist()
        ([3.0, 3.0], [3.0, 3.0])
    """

    def decorate(function: Callable[..., None]) -> KernelOp:
        return KernelOp(function, out, grad, saves, portable, name)

    return decorate
