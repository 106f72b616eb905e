"""Gradients of functions: `grad`, `value_and_grad`, `vjp`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.autodiff import Node, Var, detached, walk
from ..backend.grad_mode import enable_grad, like
from ..dispatch import wrap
from ..errors import AutodiffError, DTypeError, ShapeError
from ..ops.record import Aval
from ..tensor import Tensor
from ..tree import along, flatten, unflatten
from .levels import Level, home, mapped, place, raised, recording, settled, tensors_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..device import Device


def leaf_over(t: Tensor, low: Device, top: Device) -> Tensor:
    """A tensor one level up, where its gradient is kept."""
    handle: Any = raised(t, low)._handle
    if not recording():
        handle = detached(handle)
    node = Node(None, (), (), (), (Aval(t.shape, t.dtype),), ())
    return wrap(Var(handle, node, 0), top)


class Pull:
    """A function's values, and the way back from them to its arguments.

    form, leaves  of the arguments by which to differentiate (leaves one level up)
    out, outs     form and tensors of the result, one level up
    """

    def __init__(self, name: str, function: Any, wanted: Any, call: Any) -> None:
        given, self.form = flatten(wanted)
        if not given:
            raise DTypeError(
                "%s: nothing to differentiate by; the arguments chosen hold no tensor"
                "; given %r; choose others by argnums" % (name, wanted)
            )
        for t in given:
            if not t.dtype.is_float and not getattr(t.dtype, "is_complex", False):
                raise DTypeError(
                    "%s: only floats have gradients; given %s; cast it with "
                    ".astype(...), or choose others by argnums" % (name, t._describe())
                )
        self.name = name
        self.given = given
        self.low = place(name, given)
        self.top = self.low.autodiff()
        self.recorded = recording()
        self.leaves = [leaf_over(t, self.low, self.top) for t in given]
        with Level(self.top), enable_grad():
            self.result = call(function, unflatten(self.form, self.leaves))

    def outputs(self, tree: Any) -> Any:
        """Note which tensors of the result gradients come from; returns their form."""
        found, form = flatten(tree)
        self.outs = [raised(t, self.top) for t in found]
        return form

    def back(self, cotangents: list[Any], retain: bool = True) -> list[Any]:
        """One gradient per leaf, for one cotangent (or None) per output."""
        roots = []
        for y, g in zip(self.outs, cotangents):
            handle: Any = y._handle if y.device is self.top else _down(y, self.top)
            if g is not None and handle.node is not None:
                roots.append((handle, g))
        handles: list[Any] = [t._handle for t in self.leaves]
        with enable_grad():
            grads = walk(roots, self.low, retain, handles) if roots else None
        found = []
        for t, handle in zip(self.given, handles):
            g = None
            if grads is not None:
                g = grads._by_node.get((handle.node.number, 0))
            found.append(self._zeros(t) if g is None else g)
        return found

    def _zeros(self, t: Tensor) -> Tensor:
        found: Tensor = self.low.constant(0.0, t.dtype).expand(t.shape)
        return found

    def settle(self, tree: Any) -> Any:
        """Results where the arguments were."""
        return settled(tree, home(self.given), self.recorded)

    def values(self, tree: Any) -> Any:
        """Results without the level of this transformation."""
        return self.settle(mapped(self._strip, tree))

    def _strip(self, t: Tensor) -> Tensor:
        if t.device is self.top:
            handle: Any = t._handle
            return wrap(handle.inner, self.low)
        return t


def _down(y: Tensor, top: Device) -> Any:
    from ..dispatch import change_level

    return change_level(y, top)._handle


def _chosen(name: str, args: tuple[Any, ...], argnums: Any) -> tuple[int, ...]:
    """Positions of the arguments to differentiate by."""
    several = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    found = []
    for n in several:
        if not isinstance(n, int) or not -len(args) <= n < len(args):
            raise ShapeError(
                "%s: argnums are positions of arguments; given %r for %d arguments; "
                "give the tensors to differentiate by by position"
                % (name, argnums, len(args))
            )
        found.append(n % len(args))
    return tuple(found)


def pull(name: str, function: Any, args: Any, named: Any, argnums: Any) -> Pull:
    """Run a function, prepared to go back to the arguments at `argnums`."""
    places = _chosen(name, args, argnums)

    def call(function: Any, wanted: Any) -> Any:
        given = list(args)
        for n, value in zip(places, wanted):
            given[n] = value
        return function(*given, **named)

    return Pull(name, function, [args[n] for n in places], call)


def value_and_grad(
    function: Callable[..., Any], argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that gives `(function(*args), gradients)`.

    argnums: the arguments to differentiate by: trees of float tensors; gradients have
    their form (a tuple of them where argnums is one). has_aux: the function returns
    `(loss, anything)`, and the first result is that pair.
    Tensors that the function closes over are constants; they may have history of
    their own, which the results keep. It nests: gradients of gradients, under `vmap`, …
    Raises: AutodiffError where the function's value is no tensor of one element.

    Example:
        >>> import fogo
        >>> f = fogo.value_and_grad(lambda x: (x * x).sum())
        >>> value, g = f(fogo.tensor([1.0, 2.0]))
        >>> value.item(), g.tolist()
        (5.0, [2.0, 4.0])
    """

    def differentiated(*args: Any, **named: Any) -> Any:
        made = pull("grad", function, args, named, argnums)
        loss, aux = _loss(made.result, has_aux)
        made.outputs(loss)
        seed = made.low.constant(1.0, loss.dtype).expand(loss.shape)
        parts = made.settle(made.back([seed], False))
        grads = unflatten(made.form, parts)
        value = made.values(loss)
        if has_aux:
            value = (value, made.values(aux))
        several = isinstance(argnums, (tuple, list))
        return value, (tuple(grads) if several else grads[0])

    return like(differentiated, function)


def _loss(result: Any, has_aux: bool) -> tuple[Any, Any]:
    aux = None
    if has_aux:
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise AutodiffError(
                "grad: with has_aux the function returns (loss, auxiliary); given %s; "
                "return a pair" % type(result).__name__
            )
        result, aux = result
    if not isinstance(result, Tensor) or result.size != 1:
        told = result._describe() if isinstance(result, Tensor) else type(result)
        raise AutodiffError(
            "grad: the function must return a tensor of one element; given %s; reduce "
            "it (.sum(), .mean()), or take vjp or jacrev" % (told,)
        )
    return result, aux


def grad(
    function: Callable[..., Any], argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that gives the gradient of `function`: see value_and_grad.

    With has_aux it gives `(gradients, auxiliary)`.

    Example:
        >>> import fogo
        >>> slope = fogo.grad(lambda x: x**3)
        >>> slope(fogo.tensor(2.0)).item(), fogo.grad(slope)(fogo.tensor(2.0)).item()
        (12.0, 12.0)
    """
    both = value_and_grad(function, argnums, has_aux)

    def differentiated(*args: Any, **named: Any) -> Any:
        value, grads = both(*args, **named)
        return (grads, value[1]) if has_aux else grads

    return like(differentiated, function)


def grad_and_value(
    function: Callable[..., Any], argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that gives `(gradients, value)`: PyTorch's order.

    Example:
        >>> import fogo
        >>> g, value = fogo.func.grad_and_value(lambda x: x * x)(fogo.tensor(3.0))
        >>> g.item(), value.item()
        (6.0, 9.0)
    """
    both = value_and_grad(function, argnums, has_aux)

    def differentiated(*args: Any, **named: Any) -> Any:
        value, grads = both(*args, **named)
        return grads, value

    return like(differentiated, function)


def vjp(function: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return `(function(*primals), pullback)`; `(value, pullback, aux)` with has_aux.

    pullback: takes a cotangent of the value's form and gives a tuple: the product of
    cotangent and Jacobian for each primal. It can be called again.
    Raises: AutodiffError for a cotangent of another form.

    Example:
        >>> import fogo
        >>> y, back = fogo.vjp(fogo.sin, fogo.zeros(2))
        >>> back(fogo.tensor([1.0, 2.0]))[0].tolist()
        [1.0, 2.0]
    """
    numbers = tuple(range(len(primals)))
    made = pull("vjp", function, primals, {}, numbers)
    result, aux = made.result, None
    if has_aux:
        result, aux = result
    form = made.outputs(result)

    def pullback(cotangents: Any) -> Any:
        parts = along(form, cotangents)
        if parts is None or len(parts) != len(made.outs):
            raise AutodiffError(
                "vjp: the cotangent must have the form of the function's value; given "
                "%r" % (cotangents,)
            )
        for y, g in zip(made.outs, parts):
            if g is not None and g.shape != y.shape:
                raise ShapeError(
                    "vjp: cotangents have the shapes of the function's values; given "
                    "%s for %s" % (list(g.shape), list(y.shape))
                )
        found = made.back(parts)
        target = home(made.given + tensors_in(cotangents))
        return tuple(unflatten(made.form, settled(found, target, made.recorded)))

    if has_aux:
        return made.values(result), pullback, made.values(aux)
    return made.values(result), pullback
