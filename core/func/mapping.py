"""`vmap`: a function of one example as a function of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.grad_mode import like
from ..dispatch import wrap
from ..errors import ShapeError
from ..ops.movement import concat, narrow
from ..tree import LEAF, flatten, unflatten
from .batch import Batch, Many
from .levels import Level, chain, home, layer, place, raised, recording, settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..device import Device
    from ..tensor import Tensor

POLICIES = ("error", "same", "different")


def batch_device(inner: Device) -> Device:
    """The device of mapped tensors over another."""
    return layer(inner, "vmap", Batch)


def many_over(t: Tensor, top: Device, many: bool) -> Tensor:
    """A tensor (its axis of all in front, if `many`) as a mapped one."""
    inner: Any = top._inner
    handle: Any = raised(t, inner)._handle
    return wrap(Many(handle, many), top)


def out_of(t: Tensor, top: Device, count: int) -> Tensor:
    """A mapped tensor with its axis of all in front; repeated if it is not mapped."""
    inner: Any = top._inner
    if t.device is top:
        handle: Any = t._handle
        x: Tensor = wrap(handle.inner, inner)
        if handle.many:
            return x
    else:
        x = raised(t, inner) if t.device in chain(inner) else t
    return x.unsqueeze(0).expand((count,) + x.shape)


def vmap(
    function: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that maps `function` over an axis of its arguments at once.

    in_axes: the axis of every argument, or one for each (a tuple, or a tree like the
    argument); None for what is the same for all. Keyword arguments are mapped over
    axis 0. out_axes: where the axis goes in the results.
    randomness: "error", or numbers that are the "same" for all or "different".
    chunk_size: how many are computed at a time, to save memory.
    Inside, tensors show the shape of one example. Values cannot be read there (no
    `if x > 0:`, `item()`, boolean masks): choose with `where`. Ops made of source code
    have no rule: they run once for each, which is said once.
    Raises: ShapeError for axes that do not fit or sizes that differ.

    Example:
        >>> import fogo
        >>> x, y = fogo.ones(3, 4), fogo.ones(4)
        >>> fogo.vmap(fogo.dot, in_axes=(0, None))(x, y).tolist()
        [4.0, 4.0, 4.0]
    """
    if randomness not in POLICIES:
        raise ShapeError(
            "vmap: randomness is one of %s; given %r"
            % (", ".join(POLICIES), randomness)
        )

    def mapped_function(*args: Any, **named: Any) -> Any:
        leaves, form, axes = _arguments(args, named, in_axes)
        count = _count(leaves, axes)
        if chunk_size is not None and chunk_size < count:
            return _chunks(mapped_function, leaves, form, axes, count, chunk_size,
                           out_axes)  # fmt: skip
        return _run(function, leaves, form, axes, count, out_axes, randomness)

    return like(mapped_function, function)


def _arguments(args: Any, named: Any, in_axes: Any) -> Any:
    """Leaves and form of all arguments, and the axis (or None) of each leaf."""
    leaves, form = flatten((args, named))
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        raise ShapeError(
            "vmap: in_axes has one entry for each argument; given %d for %d arguments"
            % (len(in_axes), len(args))
        )
    axes = axes_of(flatten(args)[1], in_axes, "in_axes") + [0] * len(flatten(named)[0])
    found = []
    for x, axis in zip(leaves, axes):
        found.append(None if axis is None else _axis(axis, x.ndim, x.shape, "in_axes"))
    return leaves, form, found


def axes_of(form: Any, spec: Any, what: str) -> list[Any]:
    """One axis per leaf of a tree, from one for all or a tree of them."""
    if form == LEAF or spec is None or isinstance(spec, int):
        if form == LEAF and not (spec is None or isinstance(spec, int)):
            raise ShapeError(
                "vmap: %s holds axes (numbers or None) for tensors; given %r"
                % (what, spec)
            )
        from ..tree import count

        return [spec] * count(form)
    if form[0] == "same":
        return []
    if form[0] == "dict" and isinstance(spec, dict):
        parts = [spec.get(k) for k in form[1]]
    elif isinstance(spec, (tuple, list)):
        parts = list(spec)
    else:
        parts = []
    if len(parts) != len(form[2]):
        raise ShapeError(
            "vmap: %s must be one axis, or a tree of them like what it is for; given %r"
            % (what, spec)
        )
    found: list[Any] = []
    for f, part in zip(form[2], parts):
        found.extend(axes_of(f, part, what))
    return found


def _axis(axis: int, ndim: int, shape: Any, what: str) -> int:
    if not -ndim <= axis < ndim:
        raise ShapeError(
            "vmap: %s must be axes of the tensors; given %d for shape %s"
            % (what, axis, list(shape))
        )
    return axis % ndim


def _count(leaves: list[Any], axes: list[Any]) -> int:
    sizes = [x.shape[a] for x, a in zip(leaves, axes) if a is not None]
    if not sizes:
        raise ShapeError(
            "vmap: at least one tensor must be mapped; given in_axes of None only, or "
            "no tensors; say which axis to map over"
        )
    for n in sizes:
        if n != sizes[0]:
            raise ShapeError(
                "vmap: the mapped axes must have one size; given sizes %s" % sizes
            )
    return int(sizes[0])


def _run(
    function: Any, leaves: Any, form: Any, axes: Any, count: int, out_axes: Any,
    randomness: str,
) -> Any:  # fmt: skip
    low = place("vmap", leaves, above=True)
    top = batch_device(low)
    given = []
    for x, axis in zip(leaves, axes):
        if axis is not None:
            x = many_over(x.movedim(axis, 0) if axis else x, top, True)
        given.append(x)
    args, named = unflatten(form, given)
    with Level(top, count, randomness):
        result = function(*args, **named)
    outs, out_form = flatten(result)
    found = []
    for y, axis in zip(outs, axes_of(out_form, out_axes, "out_axes")):
        whole = out_of(y, top, count)
        if axis is None:
            whole = whole[0]
        elif axis:
            axis = _axis(axis, whole.ndim, whole.shape, "out_axes")
            whole = whole.movedim(0, axis)
        found.append(whole)
    return settled(unflatten(out_form, found), home(leaves), recording())


def _chunks(
    mapped_function: Any, leaves: Any, form: Any, axes: Any, count: int, chunk: int,
    out_axes: Any,
) -> Any:  # fmt: skip
    """Parts of the mapped axes one after the other, put together again."""
    made = []
    for start in range(0, count, chunk):
        stop = min(start + chunk, count)
        part = [x if a is None else narrow(x, a, start, stop - start)
                for x, a in zip(leaves, axes)]  # fmt: skip
        args, named = unflatten(form, part)
        made.append(flatten(mapped_function(*args, **named)))
    out_form = made[0][1]
    places = axes_of(out_form, out_axes, "out_axes")
    found = []
    for i, axis in enumerate(places):
        parts = [leaves[i] for leaves, _ in made]
        found.append(parts[0] if axis is None else concat(parts, axis))
    return unflatten(out_form, found)
