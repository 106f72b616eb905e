"""`gradcheck`: gradients beside difference quotients, for functions of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import AutodiffError, DTypeError
from .func.reverse import vjp
from .tensor import Tensor
from .tensor import tensor as _tensor
from .tree import flatten, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable


def gradcheck(
    function: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Say whether a function's gradients are its difference quotients.

    inputs: a tensor, or a tuple of trees, one entry for each argument; its float64
    tensors are varied element by element (so: small ones). Central differences of width
    2 eps are compared with the whole Jacobian. The function must be smooth there, and
    give the same for the same.
    Raises: AutodiffError where they differ (False, if raise_exception is off),
    DTypeError where nothing is float64.

    Example:
        >>> import fogo
        >>> x = fogo.tensor([0.5, 1.5], dtype="float64")
        >>> fogo.gradcheck(lambda x: x.exp() * x.sum(), x)
        True
    """
    args = inputs if isinstance(inputs, tuple) else (inputs,)
    leaves, form = flatten(args)
    leaves = [t.detach() for t in leaves]
    varied = [i for i, t in enumerate(leaves) if t.dtype.name == "float64"]
    if not varied:
        raise DTypeError(
            "gradcheck: difference quotients need float64; given %s; make the inputs "
            "with dtype='float64', on a device that holds it"
            % ", ".join([t._describe() for t in leaves])
        )

    def at(*values: Any) -> Any:
        given = list(leaves)
        for i, value in zip(varied, values):
            given[i] = value
        return [y for y in flatten(function(*unflatten(form, given)))[0]
                if y.dtype.is_float]  # fmt: skip

    points = [leaves[i] for i in varied]
    problem = _compare(at, points, eps, atol, rtol)
    if problem and raise_exception:
        raise AutodiffError("gradcheck: " + problem)
    return not problem


def _compare(at: Any, points: list[Any], eps: float, atol: float, rtol: float) -> str:
    """The first difference, in words; empty if there is none."""
    outs, back = vjp(at, *points)
    for j, y in enumerate(outs):
        rows = []
        for place in range(y.size):
            unit = [0.0] * y.size
            unit[place] = 1.0
            g: list[Any] = [None] * len(outs)
            g[j] = _tensor(unit, dtype=y.dtype, device=y.device).reshape(y.shape)
            rows.append([_flat(part) for part in back(g)])
        for i, x in enumerate(points):
            for element in range(x.size):
                quotient = _quotient(at, points, i, element, j, eps)
                for place in range(y.size):
                    found, want = rows[place][i][element], quotient[place]
                    if not abs(found - want) <= atol + rtol * abs(want):
                        return (
                            "the gradient of output %d, element %d, by input %d, "
                            "element %d, must be the difference quotient; given %r "
                            "for %r" % (j, place, i, element, found, want)
                        )
    return ""


def _quotient(
    at: Any, points: list[Any], i: int, element: int, j: int, eps: float
) -> list[float]:
    values = []
    for step in (eps, -eps):
        moved = _flat(points[i])
        moved[element] += step
        x = points[i]
        there = _tensor(moved, dtype=x.dtype, device=x.device).reshape(x.shape)
        given = list(points)
        given[i] = there
        values.append(_flat(at(*given)[j]))
    return [(a - b) / (2 * eps) for a, b in zip(values[0], values[1])]


def _flat(t: Tensor) -> list[float]:
    found: list[float] = t.detach().reshape((-1,)).tolist() if t.size else []
    return found


def gradgradcheck(
    function: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Say whether the gradients of a function's gradients are right: see gradcheck.

    The gradients are varied by the inputs, and by the cotangents that they are taken
    with, which begin as fixed numbers that differ from place to place.

    Example:
        >>> import fogo
        >>> fogo.gradgradcheck(fogo.sin, fogo.tensor([0.5, 1.5], dtype="float64"))
        True
    """
    args = inputs if isinstance(inputs, tuple) else (inputs,)
    leaves, form = flatten(args)
    varied = [i for i, t in enumerate(leaves) if t.dtype.is_float]

    def at(*values: Any) -> Any:
        inner = list(leaves)
        for i, value in zip(varied, values):
            inner[i] = value
        made = flatten(function(*unflatten(form, inner)))[0]
        return [y for y in made if y.dtype.is_float]

    points = [leaves[i].detach() for i in varied]
    cotangents = [_weights(y.detach()) for y in at(*points)]
    count = len(cotangents)

    def slopes(*both: Any) -> Any:
        return vjp(at, *both[count:])[1](list(both[:count]))

    both = tuple(cotangents + points)
    return gradcheck(slopes, both, eps, atol, rtol, raise_exception)


def _weights(y: Tensor) -> Tensor:
    values = [((i * 5 + 3) % 9 - 4) / 4.0 for i in range(y.size)]
    return _tensor(values, dtype=y.dtype, device=y.device.base()).reshape(y.shape)
