"""Collecting an optimiser's state by name, and loading it back."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from ..tensor import Tensor, tensor
from .arena import renewed

if TYPE_CHECKING:
    from .optimizer import Optimizer


def collect(owner: Optimizer) -> dict[str, Tensor]:
    """See Optimizer.state_dict."""
    out: dict[str, Tensor] = OrderedDict()
    state = owner.state
    for i, group in enumerate(owner.param_groups):
        where = group["params"][0].device.base()
        out["groups.%d.step" % i] = owner._count(group, where).detach()
        out["groups.%d.lr" % i] = owner.rate(group, where).detach()
        for name in group["names"]:
            own = state.get(name, {})
            for key in sorted(own):
                out["state.%s.%s" % (name, key)] = own[key].detach()
    return out


def load(owner: Optimizer, state: Any) -> None:
    """See Optimizer.load_state_dict."""
    wanted = _expected(owner, state)
    lacking = sorted([k for k in wanted if k not in state])
    strange = sorted([k for k in state.keys() if k not in wanted])
    wrong = []
    for key in wanted:
        if key in state and tuple(state[key].shape) != wanted[key].shape:
            given = list(state[key].shape)
            wrong.append(
                "%s: given %s, expected %s" % (key, given, list(wanted[key].shape))
            )
    if lacking or strange or wrong:
        raise FormatError(
            "%s.load_state_dict: names and shapes must be this optimiser's; "
            "missing: %s; unexpected: %s; mismatched: %s"
            % (owner.name, lacking, strange, sorted(wrong))
        )
    loaded: dict[str, dict[str, Tensor]] = {}
    for key in wanted:
        _restore(owner, key, state[key], wanted[key], loaded)
    _take(owner, loaded)


def _expected(owner: Optimizer, state: Any) -> dict[str, Tensor]:
    """Tensors of the right shapes and dtypes by key; state only where given."""
    wanted: dict[str, Tensor] = {}
    for i, group in enumerate(owner.param_groups):
        where = group["params"][0].device.base()
        wanted["groups.%d.step" % i] = owner._count(group, where)
        wanted["groups.%d.lr" % i] = owner.rate(group, where)
        for name, p in zip(group["names"], group["params"]):
            keys = owner.init_single(p.to(where), group)
            paths = ["state.%s.%s" % (name, key) for key in sorted(keys)]
            if [path for path in paths if path in state]:
                for key, path in zip(sorted(keys), paths):
                    wanted[path] = keys[key]
    return wanted


def _restore(
    owner: Optimizer,
    key: str,
    value: Any,
    like: Tensor,
    loaded: dict[str, dict[str, Tensor]],
) -> None:
    if not isinstance(value, Tensor):
        value = tensor(value, dtype=like.dtype, device=like.device)
    value = value.detach().to(like.device.base()).astype(like.dtype)
    parts = key.split(".")
    if parts[0] == "groups":
        group = owner.param_groups[int(parts[1])]
        held = group[parts[2]]
        if isinstance(held, Tensor):
            group[parts[2]] = renewed(held, value)
        elif parts[2] == "step" or isinstance(held, (int, float)):
            group[parts[2]] = value
        return
    loaded.setdefault(".".join(parts[1:-1]), {})[parts[-1]] = value


def _take(owner: Optimizer, loaded: dict[str, dict[str, Tensor]]) -> None:
    """Put loaded state where the optimiser has it: in arenas, or by parameter."""
    for pack in owner._packs:
        for arena in pack.arenas:
            singles = arena.singles()
            for name in arena.names:
                singles[name].update(loaded.pop(name, {}))
            arena.load(singles)
    for name in loaded:
        own = owner._singles.setdefault(name, {})
        for key in loaded[name]:
            own[key] = renewed(own.get(key), loaded[name][key])
