"""Whole Jacobians and Hessians, by mapping over the directions; products with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.grad_mode import like
from ..ops.creation import eye
from ..tree import flatten, unflatten
from .forward import jvp
from .mapping import vmap
from .reverse import _chosen, pull, value_and_grad

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tensor import Tensor


def jacrev(
    function: Callable[..., Any], argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False, chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that gives the Jacobian of `function`, row by row backward.

    Shapes: value [*O], argument [*I] -> [*O, *I]; for trees, a tree of the value's form
    with trees of the argument's form in it. It costs one forward and a mapped backward
    of as many rows as the value has elements (`chunk_size` of them at a time): take it
    where the value is smaller than the argument, else jacfwd.
    Raises: DTypeError for arguments without floats.

    Example:
        >>> import fogo
        >>> fogo.jacrev(lambda x: x * x)(fogo.tensor([1.0, 2.0])).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """

    def differentiated(*args: Any, **named: Any) -> Any:
        made = pull("jacrev", function, args, named, argnums)
        result, aux = made.result if has_aux else (made.result, None)
        form = made.outputs(result)
        rows = []
        for place in range(len(made.outs)):
            rows.append(_rows(made, place, argnums, chunk_size))
        found = unflatten(form, rows)
        return (found, made.values(aux)) if has_aux else found

    return like(differentiated, function)


def _rows(made: Any, place: int, argnums: Any, chunk_size: int | None) -> Any:
    """The derivatives of one output by all arguments."""
    y = made.outs[place]
    cotangents: list[Any] = [None] * len(made.outs)

    def back(g: Tensor) -> Any:
        cotangents[place] = g
        return made.back(list(cotangents))

    basis = _basis(y, made.low)
    parts = vmap(back, randomness="same", chunk_size=chunk_size)(basis)
    parts = [p.reshape(y.shape + p.shape[1:]) for p in parts]
    trees = unflatten(made.form, made.settle(parts))
    return tuple(trees) if isinstance(argnums, (tuple, list)) else trees[0]


def _basis(x: Tensor, where: Any) -> Tensor:
    """Every unit tensor of a shape: [size, *shape]."""
    unit = eye(x.size, dtype=x.dtype, device=where)
    return unit.reshape((x.size,) + x.shape)


def jacfwd(
    function: Callable[..., Any], argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False, randomness: str = "error",
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that gives the Jacobian of `function`, column by column.

    Shapes: as jacrev's. It costs a mapped forward of as many columns as the argument
    has elements: take it where the argument is smaller than the value.
    Raises: DTypeError for arguments without floats.

    Example:
        >>> import fogo
        >>> fogo.jacfwd(lambda x: x * x)(fogo.tensor([1.0, 2.0])).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """

    def differentiated(*args: Any, **named: Any) -> Any:
        places = _chosen("jacfwd", args, argnums)
        wanted = [args[n] for n in places]
        leaves, form = flatten(wanted)

        def at(*inner: Any) -> Any:
            given = list(args)
            for n, value in zip(places, unflatten(form, list(inner))):
                given[n] = value
            return function(*given, **named)

        columns = []
        aux: Any = None
        for i, x in enumerate(leaves):
            moved, aux = _column(at, tuple(leaves), i, has_aux, randomness)
            outs, out_form = flatten(moved)
            columns.append([_last(t, x) for t in outs])
        found = []
        for j in range(len(columns[0])):
            tree = unflatten(form, [c[j] for c in columns])
            several = isinstance(argnums, (tuple, list))
            found.append(tuple(tree) if several else tree[0])
        result = unflatten(out_form, found)
        return (result, aux) if has_aux else result

    return like(differentiated, function)


def _column(at: Any, leaves: Any, i: int, has_aux: bool, randomness: str) -> Any:
    """The derivatives along each element of one argument: [size, *value]."""

    def push(direction: Tensor) -> Any:
        tangents: list[Any] = [None] * len(leaves)
        tangents[i] = direction
        made = jvp(at, leaves, tuple(tangents), has_aux)
        return (made[1], made[2]) if has_aux else made[1]

    basis = _basis(leaves[i], leaves[i].device)
    if not has_aux:
        return vmap(push, randomness=randomness)(basis), None
    return vmap(push, out_axes=(0, None), randomness=randomness)(basis)


def _last(t: Tensor, x: Tensor) -> Tensor:
    """[size of x, *value] -> [*value, *shape of x]."""
    return t.movedim(0, -1).reshape(t.shape[1:] + x.shape)


jacobian = jacrev


def hessian(
    function: Callable[..., Any], argnums: int | tuple[int, ...] = 0
) -> Callable[..., Any]:
    """Return a function that gives the second derivatives: jacfwd of jacrev.

    Shapes: value [*O], argument [*I] -> [*O, *I, *I].

    Example:
        >>> import fogo
        >>> fogo.hessian(lambda x: (x**3).sum())(fogo.tensor([1.0, 2.0])).tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """
    return jacfwd(jacrev(function, argnums), argnums, randomness="same")


def hvp(function: Callable[..., Any], inputs: Any, v: Any) -> Any:
    """Return `(value, product)`: the Hessian of a scalar function times `v`.

    inputs, v: a tensor each, or tuples of trees, one entry for each argument. It is the
    derivative of the gradient along v: no Hessian is made.

    Example:
        >>> import fogo
        >>> x, v = fogo.tensor([1.0, 2.0]), fogo.tensor([1.0, 0.0])
        >>> value, product = fogo.hvp(lambda x: (x**3).sum(), x, v)
        >>> value.item(), product.tolist()
        (9.0, [6.0, 0.0])
    """
    several = isinstance(inputs, tuple)
    primals = inputs if several else (inputs,)
    tangents = v if several else (v,)
    numbers = tuple(range(len(primals)))

    def slope(*args: Any) -> Any:
        value, grads = value_and_grad(function, numbers)(*args)
        return grads, value

    _, product, value = jvp(slope, primals, tangents, has_aux=True)
    return value, (product if several else product[0])
