"""`Gradients`: what `backward` returns; `GradientsAccumulator`: the sum of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import AutodiffError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tensor import Tensor


class Gradients:
    """The gradients of one `backward`: index it by a tensor; it has `in` and `get`.

    Gradients live on the inner device. Raises AutodiffError for a tensor that has none.

    Example:
        >>> import fogo
        >>> w = fogo.tensor([3.0], device=fogo.device("cpu").autodiff())
        >>> w = w.requires_grad_()
        >>> grads = (w * w).sum().backward()
        >>> grads[w].tolist(), w in grads, len(grads)
        ([6.0], True, 1)
    """

    def __init__(self) -> None:
        self._by_node: dict[Any, Any] = {}

    def get(self, tensor: Tensor, default: Any = None) -> Any:
        """Return the gradient of `tensor`, or `default` where there is none."""
        for key in keys_of(tensor):
            found = self._by_node.get(key)
            if found is not None:
                return found
        return default

    def __getitem__(self, tensor: Tensor) -> Tensor:
        found: Any = self.get(tensor)
        if found is None:
            raise AutodiffError(
                "grad: no gradient reached this tensor; given %s; call "
                "requires_grad_() on it before it is used, and use it in the loss"
                % tensor._describe()
            )
        return found

    def __setitem__(self, tensor: Tensor, gradient: Tensor) -> None:
        keys = keys_of(tensor)
        if not keys:
            raise AutodiffError(
                "grad: only a tensor that requires grad has a gradient to replace; "
                "given %s; call requires_grad_() on it first" % tensor._describe()
            )
        for key in keys:
            if key in self._by_node:
                keys = [key]
        self._by_node[keys[0]] = gradient

    def __contains__(self, tensor: Tensor) -> bool:
        return self.get(tensor) is not None

    def __len__(self) -> int:
        return len(self._by_node)

    def __repr__(self) -> str:
        return "Gradients(%s)" % ", ".join([g._describe() for g in self.values()])

    def values(self) -> list[Any]:
        """List all gradients, in the order of their tensors' birth."""
        return [self._by_node[key] for key in sorted(self._by_node)]

    def replace(self, function: Callable[[Any], Any]) -> None:
        """Put `function(gradient)` in place of every gradient (clipping, scaling)."""
        for key in sorted(self._by_node):
            self._by_node[key] = function(self._by_node[key])

    def remove(self, tensor: Tensor) -> Tensor:
        """Return the gradient of `tensor`, and forget it, so that its memory is free.

        Raises: AutodiffError for a tensor that has none.
        """
        found = self[tensor]
        for key in keys_of(tensor):
            self._by_node.pop(key, None)
        return found

    def accumulate(self, other: Gradients) -> Gradients:
        """Add the gradients of another `backward` to these; returns these."""
        for key in sorted(other._by_node):
            have = self._by_node.get(key)
            more = other._by_node[key]
            self._by_node[key] = more if have is None else have + more
        return self


def keys_of(tensor: Tensor) -> list[Any]:
    """The names that a tensor's gradients go by, outermost level first."""
    keys = []
    handle: Any = tensor._handle
    while hasattr(handle, "node"):
        if handle.node is not None:
            keys.append((handle.node.number, handle.index))
        handle = handle.inner
    return keys


class GradientsAccumulator:
    """The sum of the gradients of several backwards, for batches in parts.

    Parameters must not be stepped between: a step makes them new tensors to a graph.

    Example:
        >>> import fogo
        >>> x = fogo.ones(2, device=fogo.device("python").autodiff()).requires_grad_()
        >>> total = fogo.GradientsAccumulator()
        >>> for scale in (1.0, 2.0):
        ...     total.accumulate((x * scale).sum().backward())
        >>> total.grads()[x].tolist()
        [3.0, 3.0]
    """

    def __init__(self) -> None:
        self._sum = Gradients()
        self.count = 0

    def accumulate(self, grads: Gradients) -> None:
        """Add what one `backward` gave."""
        self._sum.accumulate(grads)
        self.count += 1

    def grads(self, mean: bool = False) -> Gradients:
        """Return the sum (or the mean over the calls), and begin anew."""
        found, count = self._sum, self.count
        self._sum, self.count = Gradients(), 0
        if mean and count > 1:
            found.replace(lambda g: g * (1.0 / count))
        return found
