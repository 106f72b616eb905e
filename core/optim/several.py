"""`Optimizers`: several optimisers as one, each for parameters of its own."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..errors import AutodiffError, FogoError
from .optimizer import Optimizer

if TYPE_CHECKING:
    from ..backend.gradients import Gradients
    from ..tensor import Tensor


class Optimizers:
    """Step several optimisers together: another rule for another kind of parameter.

    Raises: FogoError where a parameter belongs to two of them.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> model = nn.Linear(2, 2, device=fogo.device("cpu").autodiff())
        >>> muon = optim.Muon([("weight", model.weight)], lr=0.02)
        >>> opt = optim.Optimizers(muon, optim.AdamW([("bias", model.bias)]))
        >>> opt.step(model(fogo.ones((1, 2))).sum().backward())
        >>> len(opt.parameters())
        2
    """

    def __init__(self, *optimizers: Optimizer) -> None:
        if not optimizers:
            raise FogoError("Optimizers: at least one optimiser; given none")
        self.optimizers = list(optimizers)
        seen: list[Tensor] = []
        for optimizer in optimizers:
            for p in optimizer.parameters():
                if [q for q in seen if q is p]:
                    raise FogoError(
                        "Optimizers: a parameter belongs to one optimiser; given one "
                        "of shape %s twice" % (list(p.shape),)
                    )
                seen.append(p)

    def step(self, grads: Gradients) -> None:
        """Change every parameter that `grads` has a gradient for.

        Raises: AutodiffError where there is none at all.
        """
        if not sum([optimizer.try_step(grads) for optimizer in self.optimizers]):
            raise AutodiffError(
                "Optimizers.step: none of the %d parameters has a gradient; given "
                "gradients of %d other tensors; call backward on a loss made after the "
                "last step" % (len(self.parameters()), len(grads))
            )

    def parameters(self) -> list[Tensor]:
        """List the parameters of all."""
        return [p for optimizer in self.optimizers for p in optimizer.parameters()]

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """The groups of all: schedules and clipping see one optimiser."""
        return [g for optimizer in self.optimizers for g in optimizer.param_groups]

    def learning_rates(self) -> list[float]:
        """Read the learning rate of each group's coming step from the device."""
        return [r for optimizer in self.optimizers for r in optimizer.learning_rates()]

    def state_dict(self) -> dict[str, Tensor]:
        """Return the state of each, under its place: "0.groups.0.step", …"""
        out: dict[str, Tensor] = OrderedDict()
        for i, optimizer in enumerate(self.optimizers):
            state = optimizer.state_dict()
            for key in state:
                out["%d.%s" % (i, key)] = state[key]
        return out

    def load_state_dict(self, state: Any) -> None:
        """Take up what `state_dict` gave."""
        for i, optimizer in enumerate(self.optimizers):
            start = "%d." % i
            own = [key for key in state.keys() if key.startswith(start)]
            optimizer.load_state_dict({k[len(start) :]: state[k] for k in own})

    def __repr__(self) -> str:
        return "Optimizers(%s)" % ", ".join([repr(o) for o in self.optimizers])
