"""`jvp`: a function's derivative along a direction, in forward mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dispatch import wrap
from ..errors import AutodiffError, DTypeError, ShapeError
from ..tensor import Tensor
from ..tree import along, flatten, unflatten
from .dual import Carry, Dual
from .levels import Level, home, layer, mapped, place, raised, recording, settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..device import Device


def jvp(
    function: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False
) -> Any:
    """Return `(function(*primals), tangent)`: the derivative along `tangents`.

    primals, tangents: tuples of trees of float tensors, of one form and shapes. With
    has_aux the function returns `(value, anything)`, which comes back last.
    Tangents travel with the values, so memory does not grow with the depth. An op costs
    about two of its kind; those that are neither elementwise, linear nor products cost
    their gradient and its transpose, about four.
    Raises: ShapeError for tangents that do not fit.

    Example:
        >>> import fogo
        >>> x, t = fogo.tensor([1.0, 2.0]), fogo.tensor([1.0, 10.0])
        >>> y, dy = fogo.jvp(lambda x: x * x, (x,), (t,))
        >>> y.tolist(), dy.tolist()
        ([1.0, 4.0], [2.0, 40.0])
    """
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple):
        raise ShapeError(
            "jvp: primals and tangents are tuples, one entry for each argument; given "
            "%s and %s; write (x,)" % (type(primals).__name__, type(tangents).__name__)
        )
    values, form = flatten(primals)
    moves = _matching(values, form, tangents)
    low = place("jvp", values + [t for t in moves if t is not None], above=True)
    top = layer(low, "jvp", Dual)
    given = [_carried(x, t, low, top) for x, t in zip(values, moves)]
    with Level(top):
        result = function(*unflatten(form, given))
    aux = None
    if has_aux:
        result, aux = result
    target = home(values + [t for t in moves if t is not None])

    def settle(tree: Any) -> Any:
        return settled(tree, target, recording())

    value = settle(mapped(lambda y: _value(y, low, top), result))
    moved = settle(mapped(lambda y: _tangent(y, low, top), result))
    if has_aux:
        return value, moved, settle(mapped(lambda y: _value(y, low, top), aux))
    return value, moved


def _matching(values: list[Any], form: Any, tangents: Any) -> list[Any]:
    moves = along(form, tangents)
    if moves is None or len(moves) != len(values):
        raise ShapeError(
            "jvp: tangents have the form of the primals; given %r" % (tangents,)
        )
    for x, t in zip(values, moves):
        if not x.dtype.is_float:
            raise DTypeError(
                "jvp: only floats have derivatives; given %s; cast it with "
                ".astype(...), or close over it" % x._describe()
            )
        if t is not None and (not isinstance(t, Tensor) or t.shape != x.shape):
            raise ShapeError(
                "jvp: a tangent has the shape of its primal; given %r for shape %s"
                % (t, list(x.shape))
            )
    if not [t for t in moves if t is not None]:
        raise AutodiffError(
            "jvp: at least one tangent is a tensor; given %r; give zeros for none"
            % (tangents,)
        )
    return moves


def _carried(x: Tensor, t: Any, low: Device, top: Device) -> Tensor:
    inner: Any = raised(x, low)._handle
    tangent = None if t is None else raised(t.astype(x.dtype), low)._handle
    return wrap(Carry(inner, tangent), top)


def _value(y: Tensor, low: Device, top: Device) -> Tensor:
    if y.device is not top:
        return y
    handle: Any = y._handle
    return wrap(handle.inner, low)


def _tangent(y: Tensor, low: Device, top: Device) -> Tensor:
    handle: Any = y._handle
    if y.device is top and handle.tangent is not None:
        return wrap(handle.tangent, low)
    if not y.dtype.is_float:
        return y.device.base().constant(0, y.dtype).expand(y.shape)
    return low.constant(0.0, y.dtype).expand(y.shape)
