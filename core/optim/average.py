"""Averages of weights over training: `EMA` and `SWA`, and `update_bn` for them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..backend.autodiff import no_grad
from ..backend.capture import WATCH, called
from ..dtypes import float32, float64, int32
from ..errors import FogoError, FormatError
from ..nn.module import Module
from ..tensor import Tensor, tensor
from .arena import Flat

if TYPE_CHECKING:
    from ..device import Device


class _Part:
    """Parameters of one dtype on one device, and their mean as one flat tensor.

    count: the updates so far, on the device, so that compiled functions count too.
    """

    def __init__(self, named: list[tuple[str, Tensor]], where: Device) -> None:
        self.names = [name for name, _ in named]
        self.params = [p for _, p in named]
        self.shape = Flat([p.shape for p in self.params], where)
        self.mean = self.now() + 0.0
        self.count = tensor(0, dtype=int32, device=where)

    def now(self) -> Tensor:
        return self.shape.pack([p.detach() for p in self.params])

    def parts(self) -> list[Tensor]:
        return self.shape.parts(self.mean)


class Average:
    """The base of averages: `share(n)` says how much the n-th update counts.

    `updates` counts them. Functions that are compiled may call `update`.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> model = nn.Linear(2, 1, device=fogo.device("cpu").autodiff())
        >>> mean = optim.SWA(model)
        >>> mean.update()
        >>> with mean.applied():
        ...     y = model(fogo.ones((1, 2)))
    """

    def __init__(self, model: Module) -> None:
        if not isinstance(model, Module):
            raise FogoError(
                "%s: it averages the weights of a Module; given %s"
                % (type(self).__name__, type(model).__name__)
            )
        self.model = model
        self._parts: list[_Part] = []
        left: list[tuple[str, Tensor]] = []
        left += [(n, p) for n, p in model.named_parameters() if p.size]
        while left:
            kind, where = left[0][1].dtype, left[0][1].device.base()
            same = [i for i in left if _is(i[1], kind, where)]
            left = [i for i in left if not _is(i[1], kind, where)]
            with no_grad():
                self._parts.append(_Part(same, where))
        self._kept: list[Tensor] | None = None

    @property
    def updates(self) -> int:
        """The number of updates so far; it is read from the device."""
        return int(self._parts[0].count.item()) if self._parts else 0

    def share(self, n: Any) -> Any:
        """Return how much of the mean the n-th update (from 1) becomes.

        n: a 0-d float tensor in `update`; numbers will do as well.
        """
        raise NotImplementedError("%s: write share" % type(self).__name__)

    def update(self) -> None:
        """Take the model's present weights into the mean: one launch a dtype."""
        if WATCH.on:
            called(self)
        self._no_swap("update")
        with no_grad():
            for part in self._parts:
                part.count.assign(part.count + 1)
                kind = float64 if part.mean.dtype is float64 else float32
                share = self.share(part.count.astype(kind))
                if isinstance(share, Tensor):
                    share = share.astype(part.mean.dtype)
                part.mean.assign(part.mean + (part.now() - part.mean) * share)

    def _guard(self) -> tuple[Any, ...]:
        """Return what a compiled function assumes of this average."""
        own = self.__dict__
        settings = [own[key] for key in sorted(own) if key not in ("_parts", "_kept")]
        return tuple(settings) + tuple([tuple(part.params) for part in self._parts])

    def applied(self) -> Average:
        """Return a context in which the model has the averaged weights."""
        return self

    def __enter__(self) -> Average:
        self._no_swap("applied")
        self._kept = [p.detach() + 0.0 for part in self._parts for p in part.params]
        self.copy_to(self.model)
        return self

    def __exit__(self, *error: Any) -> None:
        kept, self._kept = self._kept or [], None
        params = [p for part in self._parts for p in part.params]
        for p, old in zip(params, kept):
            p.assign(old)

    def copy_to(self, model: Module) -> None:
        """Give a model of the same parameters the averaged weights, for good."""
        wanted = dict(model.named_parameters())
        for part in self._parts:
            for name, value in zip(part.names, part.parts()):
                if name not in wanted:
                    raise FogoError(
                        "%s.copy_to: the model has no parameter %r; give one like the "
                        "model that was averaged" % (type(self).__name__, name)
                    )
                p = wanted[name]
                p.assign(value.to(p.device.base()).astype(p.dtype))

    def state_dict(self) -> dict[str, Tensor]:
        """Return the averaged weights by their parameters' names."""
        out: dict[str, Tensor] = OrderedDict()
        for part in self._parts:
            for name, value in zip(part.names, part.parts()):
                out[name] = value + 0.0
        return out

    def load_state_dict(self, state: Any, updates: int = 1) -> None:
        """Take up what `state_dict` gave, as the mean of so many updates.

        Raises: FormatError for a name that is missing or a shape that differs.
        """
        for part in self._parts:
            values = []
            for name, p in zip(part.names, part.params):
                if name not in state or tuple(state[name].shape) != p.shape:
                    raise FormatError(
                        "%s.load_state_dict: %s must be there, of shape %s; given %s"
                        % (
                            type(self).__name__, name, list(p.shape),
                            list(state[name].shape) if name in state else "nothing",
                        )
                    )  # fmt: skip
                value = state[name].detach().to(part.shape.where)
                values.append(value.astype(p.dtype))
            part.mean.assign(part.shape.pack(values))
            part.count.assign(tensor(updates, dtype=int32, device=part.shape.where))

    def _no_swap(self, name: str) -> None:
        if self._kept is not None:
            raise FogoError(
                "%s.%s: the model has the averaged weights at this moment; leave the "
                "`with applied()` first" % (type(self).__name__, name)
            )

    def __repr__(self) -> str:
        return "%s(updates=%d)" % (type(self).__name__, self.updates)


class EMA(Average):
    """A running mean of weights: mean = decay * mean + (1 - decay) * weight.

    warmup: the decay of the n-th update is at most (1 + n) / (10 + n), so that the
    first weights are forgotten.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> model = nn.Linear(1, 1, bias=False, device=fogo.device("cpu").autodiff())
        >>> _ = model.weight.assign(fogo.zeros((1, 1)))
        >>> ema = optim.EMA(model, decay=0.75)
        >>> _ = model.weight.assign(fogo.ones((1, 1)))
        >>> ema.update()
        >>> ema.state_dict()["weight"].item()
        0.25
    """

    def __init__(
        self, model: Module, decay: float = 0.999, warmup: bool = False
    ) -> None:
        if not 0 <= decay <= 1:
            raise FogoError("EMA: decay is a share in [0, 1]; given %r" % (decay,))
        self.decay = decay
        self.warmup = warmup
        Average.__init__(self, model)

    def share(self, n: Any) -> Any:
        share = 1.0 - self.decay
        if not self.warmup:
            return share
        early = 9.0 / (n + 10.0)  # 1 - (1 + n) / (10 + n)
        return early.clip(share) if isinstance(n, Tensor) else max(early, share)


class SWA(Average):
    """The mean of all weights taken in by `update` (Izmailov et al., 2018).

    The weights at its making do not count: the first update replaces them.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> model = nn.Linear(1, 1, bias=False, device=fogo.device("cpu").autodiff())
        >>> mean = optim.SWA(model)
        >>> for value in (1.0, 2.0):
        ...     _ = model.weight.assign(fogo.full((1, 1), value))
        ...     mean.update()
        >>> mean.state_dict()["weight"].item()
        1.5
    """

    def share(self, n: Any) -> Any:
        return 1.0 / n


def update_bn(batches: Any, model: Module) -> None:
    """Measure the running means and variances of batch norms anew over some batches.

    batches: inputs, or tuples that begin with one. For a model with averaged weights,
    whose statistics were those of others.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> model = nn.BatchNorm1d(1, device=fogo.device("cpu").autodiff())
        >>> optim.update_bn([fogo.tensor([[1.0], [3.0]])], model)
        >>> model.running_mean.item()
        2.0
    """
    norms: list[Any] = [m for m in model.modules() if hasattr(m, "running_var")]
    norms = [m for m in norms if m.running_var is not None]
    before = [m.momentum for m in norms]
    training = [m.training for m in model.modules()]
    model.train()
    try:
        with no_grad():
            for n, batch in enumerate(batches):
                for m in norms:
                    m.momentum = 1.0 / (n + 1)
                model(batch[0] if isinstance(batch, (tuple, list)) else batch)
    finally:
        for m, momentum in zip(norms, before):
            m.momentum = momentum
        for module, mode in zip(model.modules(), training):
            module.training = mode


def _is(p: Tensor, kind: Any, where: Device) -> bool:
    return p.dtype is kind and p.device.base() is where
