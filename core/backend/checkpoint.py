"""`checkpoint`: a segment that is run again for its gradient, instead of kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dispatch import wrap
from ..errors import AutodiffError
from ..ops.record import Aval
from ..random import current_seed, seed_device
from ..tree import flatten, unflatten
from .autodiff import _NUMBERS, Node, Var, walk
from .grad_mode import _STATE, enable_grad

if TYPE_CHECKING:
    from collections.abc import Callable


class Edge:
    """A place in the graph where a segment begins: an output of an older node."""

    __slots__ = ("node", "index")

    def __init__(self, node: Any, index: int) -> None:
        self.node = node
        self.index = index


class Held:
    """What a segment needs to run again; the graph drops it like any kept tensor."""

    __slots__ = ("again", "shape", "dtype")

    def __init__(self, again: Any, aval: Aval) -> None:
        self.again = again
        self.shape = aval.shape
        self.dtype = aval.dtype


class Segment:
    """The op of a checkpoint's node: its gradient runs the function again."""

    saves = ""
    view = None

    def __init__(self, name: str, grad: Callable[[Any], Any]) -> None:
        self.name = name
        self.grad = grad


def checkpoint(
    function: Callable[..., Any], *args: Any, preserve_rng_state: bool = True,
    **named: Any,
) -> Any:  # fmt: skip
    """Return `function(*args)`, keeping only its arguments for the gradient.

    `backward` runs the function again, with the random numbers it drew (unless told
    not to), and goes back through that: the memory of one segment at a time, for one
    more forward. It may close over parameters, be nested, and return any tree.
    The function must do the same again: what it reads that is not a tensor (modes,
    Python numbers) must not change before `backward`, nor may parameters.
    Raises: AutodiffError in `backward` where it does not.

    Example:
        >>> import fogo
        >>> x = fogo.ones(2, device=fogo.device("python").autodiff()).requires_grad_()
        >>> y = fogo.checkpoint(lambda x: (x * 3).square(), x)
        >>> y.sum().backward()[x].tolist()
        [18.0, 18.0]
    """
    if not _STATE.enabled:
        return function(*args, **named)
    places = _streams(args, named) if preserve_rng_state else []
    before = [p.generator._handle for p in places]
    start = next(_NUMBERS)
    result = function(*args, **named)
    outs, form = flatten(result)
    inside = [i for i, y in enumerate(outs) if _is_inside(y, start)]
    if not inside:
        return result
    drawn = [(p, h) for p, h in zip(places, before) if p.generator._handle is not h]
    edges = _edges([outs[i]._handle.node for i in inside], start)

    def again() -> list[Any]:
        with _Redrawn(drawn):
            made = flatten(function(*args, **named))[0]
        if len(made) != len(outs):
            raise AutodiffError(
                "checkpoint: the function must do the same again; given %d results "
                "where it gave %d before" % (len(made), len(outs))
            )
        return [made[i] for i in inside]

    node = _node(again, [outs[i] for i in inside], edges)
    for place, i in enumerate(inside):
        y = outs[i]
        outs[i] = wrap(Var(y._handle.inner, node, place), y.device)
    return unflatten(form, outs)


def _node(again: Any, outs: list[Any], edges: list[Edge]) -> Node:
    avals = tuple([Aval(y.shape, y.dtype) for y in outs])
    held = Held(again, avals[0])
    parents = tuple([(e.node, e.index) for e in edges])
    return Node(Segment("checkpoint", _grad), edges, (held,), (), avals, parents)


def run_pending(device: Any) -> None:
    """Let a device that fuses run what it has recorded.

    Else it would compute what is asked for again together with the first time, and
    keep it from then on.
    """
    backend = device.base().backend
    if getattr(backend, "fuses", False):
        backend.flush()


def _grad(ctx: Any) -> list[Any]:
    """Run the segment again, and go back through it as far as its edges."""
    floor = next(_NUMBERS)
    run_pending(ctx.inputs[0].device)
    with enable_grad():
        made = ctx.inputs[0]._handle.again()
        roots = []
        for y, g in zip(made, ctx.g):
            node = getattr(y._handle, "node", None)
            if node is None or g is None:
                continue
            if g.shape != y.shape or g.dtype is not y.dtype:
                raise AutodiffError(
                    "checkpoint: the function must do the same again; given a result "
                    "%s where it was %s" % (y._describe(), g._describe())
                )
            roots.append((y._handle, g))
    if not roots:
        return [None] * len(ctx.attrs)
    where = made[0].device.inner()
    found = walk(roots, where, False, ctx.attrs, floor)
    return [found._by_node.get((e.node.number, e.index)) for e in ctx.attrs]


def _is_inside(y: Any, start: int) -> bool:
    node = getattr(y._handle, "node", None)
    return node is not None and node.number > start


def _edges(nodes: list[Any], start: int) -> list[Edge]:
    """Where the graph below some nodes leaves what was recorded since `start`."""
    found: list[Edge] = []
    seen = set()
    stack = list(nodes)
    while stack:
        for parent in stack.pop().parents:
            if parent is None:
                continue
            key = (parent[0].number, parent[1])
            if parent[0].number > start:
                if parent[0].number not in seen:
                    seen.add(parent[0].number)
                    stack.append(parent[0])
            elif key not in seen:
                seen.add(key)
                found.append(Edge(parent[0], parent[1]))
    return found


def _streams(args: Any, named: Any) -> list[Any]:
    """The devices of the arguments, each with a random stream."""
    found: list[Any] = []
    for t in flatten((args, named))[0]:
        base = t.device.base()
        if base not in found:
            if base.generator is None:
                seed_device(base, current_seed())
            found.append(base)
    return found


class _Redrawn:
    """`with` it, random streams begin where they were; after it they go on."""

    def __init__(self, states: Any) -> None:
        self.states = states

    def __enter__(self) -> None:
        self.after = [wrap(p.generator._handle, p) for p, _ in self.states]
        for p, handle in self.states:
            p.generator.assign(wrap(handle, p))

    def __exit__(self, *error: object) -> None:
        for (p, _), state in zip(self.states, self.after):
            p.generator.assign(state)
