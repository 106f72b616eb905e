"""`Optimizer`: walks the parameters, counts steps, finds the learning rate of the step.

A new optimiser writes two methods for a single parameter: `init_single` and
`apply_single`. All numbers that change from step to step live on the device, so that a
step moves nothing to or from the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.autodiff import no_grad
from ..backend.capture import ACTIVE, WATCH, called, changed
from ..dtypes import float32, float64, int32
from ..errors import AutodiffError, FogoError
from ..nn.module import Module
from ..ops.creation import fill
from ..tensor import Tensor, tensor
from .arena import Arena, Pack, renewed

if TYPE_CHECKING:
    from ..backend.gradients import Gradients
    from ..device import Device
    from ..dtypes import DType


class Optimizer:
    """The base of all optimisers.

    params: a Module, a list of parameters, a list of (name, parameter), or a list of
    groups: dicts with "params" (one of these) and settings that differ there.
    defaults: the settings, "lr" among them: a number, a 0-d tensor, or a schedule
    that was made with a number (`CosineAnnealingLR(0.1, 100)`), run step by step.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> class SignSGD(optim.Optimizer):
        ...     def __init__(self, params, lr=0.25):
        ...         optim.Optimizer.__init__(self, params, {"lr": lr})
        ...     def apply_single(self, p, g, state, now, group):
        ...         return p - now * g.sign()
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> SignSGD([p]).step((p * p).sum().backward())
        >>> p.tolist()
        [0.75, 0.75]
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.name = type(self).__name__
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self._singles: dict[str, dict[str, Tensor]] = {}  # state by parameter
        self._packs: list[Pack] = []  # of each group
        for group in _groups(self.name, params):
            self.add_param_group(group)

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Add parameters with settings of their own; the rest are the defaults."""
        for key in group:
            if key not in self.defaults and key not in ("params", "names"):
                raise FogoError(
                    "%s: a group has settings %s; given %r"
                    % (self.name, ", ".join(sorted(self.defaults)), key)
                )
        names, tensors = _named(self.name, group.get("params"), len(self.parameters()))
        names = self._distinct(names, tensors)
        made = dict(self.defaults)
        made.update(group)
        made["params"] = tensors
        made["names"] = names
        made["step"] = None  # a 0-d int32 tensor on the device, from the first step
        self.check(made)
        self.param_groups.append(made)
        self._packs.append(Pack())

    def _distinct(self, names: list[str], tensors: list[Tensor]) -> list[str]:
        """Names that no other group has; raises FogoError for a parameter met twice."""
        seen = self.parameters()
        for name, p in zip(names, tensors):
            if [q for q in seen if q is p]:
                raise FogoError(
                    "%s: a parameter belongs to one group, once; given %s twice"
                    % (self.name, name)
                )
            seen.append(p)
        taken = [name for g in self.param_groups for name in g["names"]]
        if [name for name in names if name in taken]:
            place = "group%d." % len(self.param_groups)
            return [place + name for name in names]
        return names

    def check(self, group: dict[str, Any]) -> None:
        """Raise FogoError for settings that cannot be; subclasses check theirs too."""
        lr = group["lr"]
        if isinstance(lr, (int, float)):
            at_least(self.name, group, "lr")

    # What an optimiser is.

    def init_single(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        """Return the state of one parameter before its first step."""
        return {}

    def apply_single(
        self,
        p: Tensor,
        g: Tensor,
        state: dict[str, Tensor],
        now: Any,
        group: dict[str, Any],
    ) -> Tensor:
        """Return the parameter's new value; put new tensors into `state`.

        All are on the device below every autodiff layer; `now` is what `begin` gave:
        the learning rate, by default.
        """
        raise NotImplementedError("%s: write apply_single" % self.name)

    def elementwise(self) -> bool:
        """Say whether `apply_single` treats every number by itself.

        Then, where that pays, all parameters of a dtype are given to it as one flat
        tensor. A subclass that says so has state of the parameter's shape.
        """
        return False

    def begin(
        self, count: Tensor, lr: Tensor, group: dict[str, Any]
    ) -> tuple[Any, Tensor]:
        """Return (what all parameters of the group share in this step, count + 1)."""
        return lr, count + 1

    # A step.

    def step(self, grads: Gradients) -> None:
        """Change every parameter that `grads` has a gradient for.

        Raises: AutodiffError where there is none at all.
        """
        if not self.try_step(grads):
            raise AutodiffError(
                "%s.step: none of the %d parameters has a gradient; given gradients of "
                "%d other tensors; call backward on a loss made after the last step, "
                "from a model on an autodiff device"
                % (self.name, len(self.parameters()), len(grads))
            )

    def try_step(self, grads: Gradients) -> int:
        """Do what `step` does; return the number of parameters that had a gradient."""
        if not hasattr(grads, "get"):
            raise AutodiffError(
                "%s.step: it takes what backward returns; given %s; write "
                "optimizer.step(loss.backward())" % (self.name, type(grads).__name__)
            )
        if WATCH.on:
            called(self)
        changed = 0
        with no_grad():
            for group, pack in zip(self.param_groups, self._packs):
                changed += self._step_group(group, pack, grads)
        if changed:
            self.parameters()[0].device.backend.rest()
        return changed

    def _step_group(self, group: dict[str, Any], pack: Pack, grads: Gradients) -> int:
        work = []
        for name, p in zip(group["names"], group["params"]):
            g = grads.get(p)
            if g is not None:
                work.append((name, p, g))
        if not work:
            return 0
        where = place(group)
        count = self._count(group, where)
        now, later = self.begin(count, self.rate(group, where), group)
        group["step"] = renewed(group["step"], later)
        arenas, rest = pack.sort(self, work, where)
        for arena, parts in arenas:
            self._step_arena(arena, parts, now, group)
        for name, p, g in rest:
            value = p.to(where)
            state = self._state(name, value, group, where)
            p.assign(self._apply(value, g.to(where), state, now, group))
        return len(work)

    def _step_arena(
        self, arena: Arena, parts: list[Tensor], now: Tensor, group: dict[str, Any]
    ) -> None:
        """Step all parameters of an arena at once."""
        value = arena.values()
        if not arena.state:
            arena.start(self._singles, lambda p: self.init_single(p, group), value)
        gradient = arena.shape.gather(parts)
        arena.put(self._apply(value, gradient, arena.state, now, group))

    def _apply(
        self,
        p: Tensor,
        g: Tensor,
        state: dict[str, Tensor],
        now: Tensor,
        group: dict[str, Any],
    ) -> Tensor:
        """`apply_single`, after which the state still is of the same tensors."""
        before = dict(state)
        new = self.apply_single(p, g, state, now, group)
        for key in before:
            state[key] = renewed(before[key], state[key])
        return new

    def _count(self, group: dict[str, Any], where: Device) -> Tensor:
        """Steps taken so far."""
        count = group["step"]
        if count is None:
            return fill((), 0, int32, where)
        return count.to(where)

    def _state(
        self, name: str, p: Tensor, group: dict[str, Any], where: Device
    ) -> dict[str, Tensor]:
        state = self._singles.get(name)
        if state is None:
            state = self.init_single(p, group)
            self._singles[name] = state
            for key in state if WATCH.on else ():
                changed(state[key])
        for key in state:
            if state[key].device is not where:  # the model has moved
                state[key] = state[key].to(where)
        return state

    @property
    def state(self) -> dict[str, dict[str, Tensor]]:
        """Each parameter's state by its name, once it has been stepped."""
        found = dict(self._singles)
        for pack in self._packs:
            for arena in pack.arenas:
                found.update(arena.singles())
        return found

    def rate(self, group: dict[str, Any], where: Device) -> Tensor:
        """Return the learning rate of the coming step: 0-d, on the device."""
        lr = group["lr"]
        kind = wide(group)
        if isinstance(lr, Tensor):
            return lr.to(where).astype(kind)
        if isinstance(lr, (int, float)):
            if ACTIVE.recording is not None:
                return self._held_rate(group, where, kind)
            return where.constant(float(lr), kind)
        base = where.constant(lr.base, kind)
        return lr.rate(self._count(group, where), base)

    def _held_rate(self, group: dict[str, Any], where: Device, kind: DType) -> Tensor:
        """A number as a variable of the function that is being captured."""
        held = group.get("rate")
        if held is None or held.device is not where or held.dtype is not kind:
            held = tensor(float(group["lr"]), dtype=kind, device=where)
            group["rate"] = held
            group["rated"] = group["lr"]
        changed(held)
        return held

    # For functions that are compiled.

    def _guard(self) -> tuple[Any, ...]:
        """Return what a compiled function assumes of this optimiser."""
        found: list[Any] = []
        for group, pack in zip(self.param_groups, self._packs):
            for key in sorted(self.defaults):
                value = group[key]
                free = key == "lr" and isinstance(value, (int, float))
                found.append("a number" if free else value)
            found.append(tuple(group["params"]))
            found.append(tuple(pack.arenas))
        return tuple(found)

    def _refresh(self) -> None:
        """Let variables follow learning rates that are numbers."""
        for group in self.param_groups:
            lr, held = group["lr"], group.get("rate")
            if held is None or lr == group["rated"]:
                continue
            if isinstance(lr, (int, float)):
                held.assign(tensor(float(lr), dtype=held.dtype, device=held.device))
                group["rated"] = lr

    def parameters(self) -> list[Tensor]:
        """List the parameters of all groups."""
        return [p for group in self.param_groups for p in group["params"]]

    def learning_rates(self) -> list[float]:
        """Read the learning rate of each group's coming step from the device."""
        return [self.rate(g, place(g)).item() for g in self.param_groups]

    # Saving: see saving.py.

    def state_dict(self) -> dict[str, Tensor]:
        """Return an ordered mapping of tensors: what safetensors can hold.

        Keys: "groups.0.step", "groups.0.lr", "state.<parameter>.<name>". Settings
        beside the learning rate are the program's, and are not in it.
        """
        from .saving import collect

        return collect(self)

    def load_state_dict(self, state: Any) -> None:
        """Take up what `state_dict` gave, of any device.

        A group whose learning rate is a schedule keeps it (it follows the step).
        Raises: FormatError that lists what is missing, unexpected and mismatched.
        """
        from .saving import load

        load(self, state)

    def __repr__(self) -> str:
        lines = []
        for group in self.param_groups:
            shown = [
                "%s=%r" % (key, group[key])
                for key in sorted(self.defaults)
                if not isinstance(group[key], Tensor)
            ]
            lines.append("%d parameters: %s" % (len(group["params"]), ", ".join(shown)))
        return "%s(%s)" % (self.name, "; ".join(lines))


def place(group: dict[str, Any]) -> Device:
    """Return the device of a group's parameters, below every autodiff layer."""
    return group["params"][0].device.base()


def wide(group: dict[str, Any]) -> DType:
    """Return the dtype of a group's arithmetic: float64 where a parameter has it."""
    for p in group["params"]:
        if p.dtype is float64:
            return float64
    return float32


def state_like(p: Tensor, group: dict[str, Any]) -> Tensor:
    """Return zeros for a parameter's state, in the dtype of the group's arithmetic."""
    return fill(p.shape, 0.0, wide(group), p.device)


def at_least(name: str, group: dict[str, Any], key: str, low: float = 0.0) -> None:
    """Raise FogoError where a setting lies below `low` or is not a number."""
    value = group[key]
    if not isinstance(value, (int, float)) or not value >= low:
        raise FogoError(
            "%s: %s must be a number of at least %g; given %r" % (name, key, low, value)
        )


def _groups(name: str, params: Any) -> list[dict[str, Any]]:
    if isinstance(params, Module):
        return [{"params": params}]
    if isinstance(params, Tensor):
        raise FogoError(
            "%s: parameters come as a list or a Module; given one tensor; write [p]"
            % name
        )
    items = list(params)
    if items and isinstance(items[0], dict):
        return items
    return [{"params": items}]


def _named(name: str, params: Any, first: int) -> tuple[list[str], list[Tensor]]:
    """Names and tensors of one group; without names, places count from `first`."""
    if isinstance(params, Module):
        params = params.named_parameters()
    if isinstance(params, Tensor):
        params = [params]
    names = []
    tensors = []
    for i, item in enumerate(params or ()):
        label, p = item if isinstance(item, tuple) else (str(first + i), item)
        if not isinstance(p, Tensor):
            raise FogoError("%s: parameters are tensors; given %s" % (name, type(p)))
        names.append(label)
        tensors.append(p)
    if not tensors:
        raise FogoError("%s: at least one parameter is needed; given none" % name)
    return names, tensors
