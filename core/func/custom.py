"""Gradients of one's own: `Function`, as in torch.autograd, and `custom_vjp`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.autodiff import Node, Var
from ..backend.checkpoint import Held, Segment
from ..backend.grad_mode import _STATE
from ..dispatch import unify, wrap
from ..errors import AutodiffError
from ..ops.record import Aval
from ..tensor import Tensor
from ..tree import flatten, unflatten
from .batch import Batch
from .mapping import many_over, out_of

if TYPE_CHECKING:
    from collections.abc import Callable


def with_gradient(name: str, forward: Any, backward: Any, tensors: list[Any]) -> Any:
    """Return `forward(ctx, tensors)`'s tensors, differentiated by `backward(ctx, g)`.

    Both see tensors one level below; `backward` gives one gradient (or None) for each
    tensor. Below a vmap they see mapped ones.
    """
    tensors = unify(name, tensors) if tensors else tensors
    where = tensors[0].device if tensors else None
    if where is None or where._inner is None:
        return forward(FunctionContext(tensors), tensors)
    if isinstance(getattr(where.backend, "wrapped", where.backend), Batch):
        return _mapped(name, forward, backward, tensors, where)
    if not where.is_autodiff:
        return forward(FunctionContext(tensors), tensors)
    inner = where._inner
    ctx = FunctionContext(tensors)
    made = forward(ctx, [wrap(t._handle.inner, inner) for t in tensors])
    made = [_onto(y, inner) for y in made]
    node = None
    if _STATE.enabled and True in [t.requires_grad for t in tensors]:
        node = _node(name, ctx, backward, tensors, made)
    outs = []
    for i, y in enumerate(made):
        carries = node is not None and y.dtype.is_float and not ctx.is_constant(y)
        outs.append(wrap(Var(y._handle, node if carries else None, i), where))
    return outs


def _onto(y: Tensor, inner: Any) -> Tensor:
    from ..dispatch import change_level

    return y if y.device is inner else change_level(y, inner)


def _node(name: str, ctx: Any, backward: Any, tensors: Any, made: Any) -> Node:
    def grad(given: Any) -> Any:
        g = []
        for part, y in zip(given.g, avals):
            if part is None and ctx.materialize:
                device = [p for p in given.g if p is not None][0].device
                part = device.constant(0, y.dtype).expand(y.shape)
            g.append(part)
        found = backward(given.inputs[0]._handle.again, g)
        return _checked(name, found, tensors_shapes)

    avals = tuple([Aval(y.shape, y.dtype) for y in made])
    tensors_shapes = [(t.shape, t.requires_grad) for t in tensors]
    parents = []
    for t in tensors:
        handle = t._handle
        parents.append(None if handle.node is None else (handle.node, handle.index))
    held = Held(ctx, avals[0])
    return Node(Segment(name, grad), (), (held,), (), avals, tuple(parents))


def _checked(name: str, found: Any, shapes: Any) -> Any:
    if not isinstance(found, (tuple, list)) or len(found) != len(shapes):
        raise AutodiffError(
            "%s: backward gives one gradient (or None) for each tensor of forward; "
            "given %s for %d" % (name, _many(found), len(shapes))
        )
    for g, (shape, wanted) in zip(found, shapes):
        if g is not None and wanted and g.shape != shape:
            raise AutodiffError(
                "%s: a gradient has the shape of its tensor; given %s for %s"
                % (name, list(g.shape), list(shape))
            )
    return found


def _many(found: Any) -> str:
    count = isinstance(found, (tuple, list))
    return "%d of them" % len(found) if count else type(found).__name__


def _mapped(name: str, forward: Any, backward: Any, tensors: Any, where: Any) -> Any:
    """The same for many at once, on the level below."""
    many = [t._handle.many for t in tensors]
    if True not in many:
        plain = [wrap(t._handle.inner, where._inner) for t in tensors]
        return with_gradient(name, forward, backward, plain)
    count = tensors[many.index(True)]._handle.inner.shape[0]

    def forward_all(ctx: Any, inner: Any) -> Any:
        top = _over(inner)
        outs = forward(ctx, [many_over(t, top, m) for t, m in zip(inner, many)])
        return [out_of(y, top, count) for y in outs]

    def backward_all(ctx: Any, g: Any) -> Any:
        top = _over([p for p in g if p is not None])
        parts = backward(ctx, [None if p is None else many_over(p, top, True)
                               for p in g])  # fmt: skip
        found = []
        for part, m in zip(parts, many):
            whole = None if part is None else out_of(part, top, count)
            found.append(whole if whole is None or m else whole.sum(0))
        return found

    plain = [wrap(t._handle.inner, where._inner) for t in tensors]
    made = with_gradient(name, forward_all, backward_all, plain)
    from .mapping import batch_device

    return [many_over(y, batch_device(y.device), True) for y in made]


def _over(tensors: Any) -> Any:
    from .batched_op import _highest
    from .mapping import batch_device

    return batch_device(_highest(tensors))


class FunctionContext:
    """What `forward` leaves for `backward`: tensors, and attributes of any name.

    needs_input_grad   for each tensor of forward, whether its gradient is wanted
    """

    def __init__(self, tensors: Any) -> None:
        self.needs_input_grad = tuple([t.requires_grad for t in tensors])
        self.saved_tensors: tuple[Any, ...] = ()
        self.materialize = True
        self._constants: list[Any] = []

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors; `backward` finds them in `saved_tensors`."""
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that no gradient comes back through these results."""
        self._constants.extend([t._handle for t in tensors])

    def set_materialize_grads(self, value: bool) -> None:
        """Say whether absent gradients are zeros (True), or None."""
        self.materialize = value

    def is_constant(self, y: Any) -> bool:
        """Say whether a result was marked as without gradient."""
        return bool([h for h in self._constants if h is y._handle])


class Function:
    """An operation with a gradient of its own: write `forward` and `backward`.

    Both are static and see tensors one level below the caller's, so that what they
    compute is not recorded at the caller's; gradients of gradients go through
    `backward`. Call it by `apply`.

    Example:
        >>> import fogo
        >>> class Clip(fogo.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x.clamp(0.0, 1.0)
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         return g  # straight through
        >>> x = fogo.tensor([0.5, 3.0], device=fogo.device("python").autodiff())
        >>> x = x.requires_grad_()
        >>> Clip.apply(x).sum().backward()[x].tolist()
        [1.0, 1.0]
    """

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """Compute the result: a tensor, or a tuple of them."""
        raise NotImplementedError("Function: a subclass needs a static forward")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Give a gradient (or None) for each argument of forward."""
        raise NotImplementedError("Function: a subclass needs a static backward")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward`, recorded with `backward` as its gradient."""
        places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        single = [False]

        def forward(ctx: Any, tensors: Any) -> Any:
            given = list(args)
            for i, t in zip(places, tensors):
                given[i] = t
            made = cls.forward(ctx, *given)
            single[0] = not isinstance(made, (tuple, list))
            return [made] if single[0] else list(made)

        def backward(ctx: Any, g: Any) -> Any:
            found = cls.backward(ctx, *g)
            found = found if isinstance(found, (tuple, list)) else (found,)
            if len(found) != len(args):
                return found
            return [found[i] for i in places]

        tensors = [args[i] for i in places]
        outs = with_gradient(cls.__name__, forward, backward, tensors)
        return outs[0] if single[0] else tuple(outs)


class custom_vjp:
    """A function with a gradient of its own, over trees of tensors.

    `f.defvjp(forward, backward)`: forward(*args) gives (value, kept), backward(kept, g)
    a tuple with the gradient of each argument (None: zero).

    Example:
        >>> import fogo
        >>> @fogo.custom_vjp
        ... def sign(x):
        ...     return x.sign()
        >>> sign.defvjp(lambda x: (x.sign(), x), lambda x, g: (g * (x.abs() < 1),))
        >>> fogo.grad(lambda x: sign(x).sum())(fogo.tensor([0.5, 3.0])).tolist()
        [1.0, 0.0]
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._forward: Any = None
        self._backward: Any = None

    def defvjp(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> None:
        """Say how the value is computed for the gradient, and the gradient from it."""
        self._forward = forward
        self._backward = backward

    def __call__(self, *args: Any) -> Any:
        if self._forward is None:
            raise AutodiffError(
                "custom_vjp: the gradient must be there before the first call; given "
                "none for %r; call defvjp(forward, backward)" % (self.function,)
            )
        leaves, form = flatten(args)
        out_form: list[Any] = [None]

        def forward(ctx: Any, tensors: Any) -> Any:
            value, ctx.kept = self._forward(*unflatten(form, tensors))
            outs, out_form[0] = flatten(value)
            return outs

        def backward(ctx: Any, g: Any) -> Any:
            from ..tree import along

            found = self._backward(ctx.kept, unflatten(out_form[0], g))
            return along(form, tuple(found)) or found

        outs = with_gradient("custom_vjp", forward, backward, leaves)
        return unflatten(out_form[0], outs)
