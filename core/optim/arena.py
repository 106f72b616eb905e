"""Arenas: parameters side by side in one flat tensor, so that one kernel steps all.

The parameters are views of the arena's tensor; each begins at a multiple of four
elements, so that kernels can load four at once. Gradients are joined into a tensor of
the same layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.autodiff import Var, leaf
from ..backend.capture import WATCH, base_of, changed
from ..dispatch import wrap
from ..ops.creation import arange
from ..ops.movement import concat
from ..shapes import Layout, size
from ..tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..device import Device
    from ..dtypes import DType

STEP = 4  # elements that a kernel loads at once


class Flat:
    """Where tensors of given shapes lie in one flat tensor of `size` elements."""

    def __init__(self, shapes: list[tuple[int, ...]], where: Device) -> None:
        self.where = where
        self.layouts: list[Layout] = []
        self.size = 0
        for shape in shapes:
            self.layouts.append(Layout(shape, None, self.size))
            self.size += (size(shape) + STEP - 1) // STEP * STEP
        self._zeros: dict[Any, Tensor] = {}

    def pack(self, parts: list[Tensor]) -> Tensor:
        """Join tensors of these shapes, on the device of this."""
        pieces: list[Tensor] = []
        for part in parts:
            pieces.append(part.to(self.where).reshape((-1,)))
            gap = -part.size % STEP
            if gap:
                pieces.append(self._gap(gap, part.dtype))
        return concat(pieces)

    def gather(self, parts: list[Tensor]) -> Tensor:
        """Join tensors, and let them be views of the result: nobody keeps them twice.

        Then they may be written there from the start.
        """
        flat = self.pack(parts)
        handle = base_of(flat._handle)
        for part, layout in zip(parts, self.layouts):
            if part.device is self.where and part.dtype is flat.dtype:
                part._handle = self.where.backend.view_at(handle, layout)
        return flat

    def _gap(self, n: int, dtype: Any) -> Tensor:
        """Zeros: a view of a few that lie in memory (those of `fill` may not)."""
        zeros = self._zeros.get(dtype)
        if zeros is None:
            zeros = arange(STEP, device=self.where).astype(dtype) * 0.0
            self._zeros[dtype] = zeros
        return zeros[:n]

    def parts(self, flat: Tensor) -> list[Tensor]:
        """Return the tensors that lie in a flat one, as views."""
        if self.where.is_autodiff:
            return [
                flat[at.offset : at.offset + size(at.shape)].reshape(at.shape)
                for at in self.layouts
            ]
        handle = base_of(flat._handle)
        view = self.where.backend.view_at
        return [wrap(view(handle, layout), self.where) for layout in self.layouts]


class Arena:
    """Parameters of one dtype on one device, and their flat state.

    flat    their values; None until the first step
    state   name -> flat tensor, as `init_single` made it for all of them
    """

    def __init__(self, names: list[str], params: list[Tensor], where: Device) -> None:
        self.names = names
        self.params = params
        self.where = where
        self.dtype = params[0].dtype
        self.shape = Flat([p.shape for p in params], where)
        self.flat: Tensor | None = None
        self.state: dict[str, Tensor] = {}

    def members(self) -> list[tuple[Tensor, Layout]]:
        """List (parameter, where it lies)."""
        return list(zip(self.params, self.shape.layouts))

    def values(self) -> Tensor:
        """Return the flat tensor with what the parameters hold now."""
        if self.flat is None or not self.holds():
            for p in self.params if WATCH.on else ():
                changed(p)
            joined = self.shape.pack([p.detach() for p in self.params])
            self._set(joined)
        assert self.flat is not None
        return self.flat

    def holds(self) -> bool:
        """Say whether all parameters still are views of the flat tensor."""
        if self.flat is None:
            return False
        whole = base_of(self.flat._handle)
        for p, layout in self.members():
            mine = base_of(p._handle)
            if not _same_memory(mine, whole) or mine.layout.offset != layout.offset:
                return False
        return True

    def put(self, new: Tensor) -> None:
        """Give the parameters new values, as views of a new flat tensor."""
        self._set(new)
        handle = base_of(new._handle)
        view = self.where.backend.view_at
        for p, layout in self.members():
            p._handle = _like(p, view(handle, layout))

    def _set(self, new: Tensor) -> None:
        if self.flat is None:
            self.flat = wrap(new._handle, self.where)
            self.flat._arena = self
            if WATCH.on:
                changed(self.flat)
        else:
            self.flat.assign(new)

    def start(
        self,
        singles: dict[str, dict[str, Tensor]],
        make: Callable[[Tensor], dict[str, Tensor]],
        flat: Tensor,
    ) -> None:
        """Take over the state that parameters had by themselves; `make` begins one."""
        own = {name: singles.pop(name) for name in self.names if name in singles}
        if own:
            for name, p in zip(self.names, self.params):
                if name not in own:
                    own[name] = make(p.detach().to(self.where))
            for key in own[self.names[0]]:
                self.state[key] = self.shape.pack([own[n][key] for n in self.names])
        else:
            self.state = make(flat)
        for key in self.state if WATCH.on else ():
            changed(self.state[key])

    def singles(self) -> dict[str, dict[str, Tensor]]:
        """Return the state of each parameter, as views of the flat one."""
        found: dict[str, dict[str, Tensor]] = {name: {} for name in self.names}
        for key in self.state:
            for name, part in zip(self.names, self.shape.parts(self.state[key])):
                found[name][key] = part
        return found

    def load(self, singles: dict[str, dict[str, Tensor]]) -> None:
        """Take state of each parameter over into the flat one."""
        for key in self.state:
            parts = [singles[name][key] for name in self.names]
            self.state[key].assign(self.shape.pack(parts))


class Pack:
    """How the parameters of a group are stepped: in arenas, or one by one.

    key      names of those with a gradient in the last step
    packed   those that the arenas were made for
    """

    def __init__(self) -> None:
        self.key: tuple[str, ...] | None = None
        self.packed: tuple[str, ...] | None = None
        self.arenas: list[Arena] = []

    def sort(
        self, owner: Any, work: list[Any], where: Device
    ) -> tuple[list[Any], list[Any]]:
        """Return [(arena, gradients)] and the work that is left, of an optimiser.

        work: (name, parameter, gradient). Arenas are made for the parameters that have
        gradients, when those are the same as in the step before; meanwhile each is
        stepped by itself.
        """
        flat = owner.elementwise() and getattr(where.backend, "arenas", False)
        key = tuple([name for name, _, _ in work]) if flat else None
        if self.arenas and not (key == self.packed and self._fits(where)):
            for arena in self.arenas:
                owner._singles.update(arena.singles())
            self.arenas = []
            self.packed = None
        if key is not None and self.packed != key and self.key in (None, key):
            self.packed = key
            self.arenas = _arenas(work, where)
        self.key = key
        gradients = {name: g for name, _, g in work}
        ready = [(a, [gradients.pop(name) for name in a.names]) for a in self.arenas]
        return ready, [item for item in work if item[0] in gradients]

    def _fits(self, where: Device) -> bool:
        for arena in self.arenas:
            for p in arena.params:
                if p.dtype is not arena.dtype or p.device.base() is not arena.where:
                    return False
        return True


def _arenas(work: list[Any], where: Device) -> list[Arena]:
    """Arenas for parameters of equal dtypes, two at least."""
    found = []
    dtypes: list[DType] = []
    for _, p, _ in work:
        if p.dtype not in dtypes:
            dtypes.append(p.dtype)
    for dtype in dtypes:
        same = [
            (name, p)
            for name, p, _ in work
            if p.dtype is dtype and p.device.base() is where and p.size
        ]
        if len(same) > 1:
            found.append(Arena([n for n, _ in same], [p for _, p in same], where))
    return found


def renewed(old: Tensor | None, new: Tensor) -> Tensor:
    """Return `old` with the values of `new`, where it can take them; else `new`.

    What lasts from step to step stays one tensor: compiled functions know it by that.
    """
    if old is None or old is new:
        if WATCH.on:
            changed(new)
        return new
    if old.shape != new.shape or old.dtype is not new.dtype:
        return new
    return old.assign(new) if old.device is new.device else new


def _same_memory(a: Any, b: Any) -> bool:
    if hasattr(a, "value"):  # a handle of Fusion
        return a.value is b.value
    return a.buffer is b.buffer


def _like(p: Tensor, handle: Any) -> Any:
    """A base handle on a parameter's autodiff levels, where it is a leaf if it was."""
    old = p._handle
    while isinstance(old, Var):
        handle = Var(handle, None, 0)
        old = old.inner
    return leaf(handle) if p.requires_grad else handle
