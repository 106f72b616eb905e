"""L-BFGS: whole-batch steps along a direction that learns the curvature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.autodiff import no_grad
from ..errors import FogoError
from ..ops.movement import concat
from .optimizer import Optimizer, at_least, place
from .wolfe import Point, strong_wolfe

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tensor import Tensor


class LBFGS(Optimizer):
    """Limited-memory BFGS (Nocedal, 1980); PyTorch's rules and defaults.

    `step(closure)` calls `closure()`, which returns the loss, as often as the search
    needs, at most `max_eval` times (1.25 * max_iter). line_search_fn: None or
    "strong_wolfe". The search reads a few numbers from the device in each iteration.
    Raises: FogoError for more than one group.

    Example:
        >>> import fogo
        >>> from fogo import nn, optim
        >>> p = nn.Parameter(fogo.ones(2, device=fogo.device("cpu").autodiff()))
        >>> opt = optim.LBFGS([p], line_search_fn="strong_wolfe")
        >>> first = opt.step(lambda: ((p - 3.0) ** 2).sum())
        >>> [round(v, 4) for v in p.tolist()]
        [3.0, 3.0]
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        settings = {
            "lr": lr, "max_iter": max_iter, "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
        }  # fmt: skip
        Optimizer.__init__(self, params, settings)
        if len(self.param_groups) != 1:
            raise FogoError(
                "LBFGS: all parameters are searched together, in one group; given %d"
                % len(self.param_groups)
            )
        self.history: list[tuple[Tensor, Tensor, Tensor]] = []  # (step, change, 1/s·y)
        self.direction: Tensor | None = None
        self.last: Tensor | None = None  # the gradient before the last step
        self.length = 0.0  # of the last step, as a multiple of the direction
        self.scale: Any = 1.0  # of the first guess of the inverse Hessian
        self.iterations = 0

    def check(self, group: dict[str, Any]) -> None:
        at_least(self.name, group, "lr")
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise FogoError(
                "LBFGS: line_search_fn is None or 'strong_wolfe'; given %r"
                % (group["line_search_fn"],)
            )

    def step(self, closure: Callable[[], Tensor]) -> Tensor:  # type: ignore[override]
        """Search along directions until nothing moves; return the first loss."""
        if not callable(closure):
            raise FogoError(
                "LBFGS.step: it needs a function that returns the loss; given %s"
                % type(closure).__name__
            )
        search = _Search(self, closure)
        loss, start = search.look()
        search.run(float(loss.item()), start)
        return loss

    def state_dict(self) -> dict[str, Tensor]:
        """Return the step's count and the curvature that was learned."""
        found = Optimizer.state_dict(self)
        for i, (s, y, _) in enumerate(self.history):
            found["history.%d.step" % i] = s
            found["history.%d.change" % i] = y
        for key, value in (("direction", self.direction), ("gradient", self.last)):
            if value is not None:
                found[key] = value
        where = place(self.param_groups[0])
        for key in ("length", "iterations"):
            found[key] = where.constant(float(getattr(self, key)), _kind(self))
        return found

    def load_state_dict(self, state: Any) -> None:
        """Take up what `state_dict` gave."""
        where = place(self.param_groups[0])
        own = {k: v for k, v in state.items() if k.startswith("groups.")}
        Optimizer.load_state_dict(self, own)
        self.history = []
        while "history.%d.step" % len(self.history) in state:
            prefix = "history.%d." % len(self.history)
            s = state[prefix + "step"].to(where)
            y = state[prefix + "change"].to(where)
            self.history.append((s, y, (s * y).sum().reciprocal()))
        if self.history:
            s, y, _ = self.history[-1]
            self.scale = (s * y).sum() / (y * y).sum()
        self.direction = state["direction"].to(where) if "direction" in state else None
        self.last = state["gradient"].to(where) if "gradient" in state else None
        self.length = state["length"].item()
        self.iterations = int(state["iterations"].item())


def _kind(owner: LBFGS) -> Any:
    return owner.param_groups[0]["params"][0].dtype


class _Search:
    """One call of `step`: where the weights are, and how often the loss was asked."""

    def __init__(self, owner: LBFGS, closure: Any) -> None:
        self.owner = owner
        self.group = owner.param_groups[0]
        self.params = self.group["params"]
        self.where = place(self.group)
        self.closure = closure
        self.calls = 0

    def look(self) -> tuple[Tensor, Tensor]:
        """Return the loss and its gradient, flat, at the present weights."""
        self.calls += 1
        loss = self.closure()
        grads = loss.backward()
        parts = []
        for p in self.params:
            g = grads.get(p)
            flat = (p.detach() * 0.0 if g is None else g).to(self.where)
            parts.append(flat.reshape((-1,)))
        return loss.detach(), concat(parts) if len(parts) > 1 else parts[0]

    def weights(self) -> list[Tensor]:
        return [p.detach().to(self.where) + 0.0 for p in self.params]

    def place(self, start: list[Tensor], direction: Tensor, length: float) -> None:
        """Put the weights at start + length * direction."""
        at = 0
        for p, w in zip(self.params, start):
            move = direction[at : at + w.size].reshape(w.shape)
            with no_grad():
                p.assign(w + move * length)
            at += w.size

    def run(self, loss: float, g: Tensor) -> None:
        """Iterate; the weights are left at the last point."""
        group, owner = self.group, self.owner
        if _largest(g) <= group["tolerance_grad"]:
            return
        for n in range(group["max_iter"]):
            owner.iterations += 1
            d = self._direct(g)
            owner.last = g
            slope = (g * d).sum().item()
            if slope > -group["tolerance_change"]:
                return
            first = owner.iterations == 1
            length = min(1.0, 1.0 / g.abs().sum().item()) if first else 1.0
            length *= float(group["lr"])
            before = loss
            loss, g, length = self._walk(loss, g, d, slope, length, n)
            owner.length = length
            if self._done(before, loss, g, d, length):
                return

    def _done(self, before: float, loss: float, g: Any, d: Tensor, length: float):
        group = self.group
        tiny = group["tolerance_change"]
        return (
            self.calls >= group["max_eval"]
            or _largest(g) <= group["tolerance_grad"]
            or _largest(d) * abs(length) <= tiny
            or abs(loss - before) < tiny
        )

    def _walk(self, loss: float, g: Tensor, d: Tensor, slope: float, t: float, n: int):
        """Go along d: (loss, gradient, length) where one arrived."""
        start = self.weights()

        def at(length: float) -> Point:
            self.place(start, d, length)
            value, gradient = self.look()
            steep = (gradient * d).sum().item()
            return Point(length, float(value.item()), gradient, steep)

        if self.group["line_search_fn"] is not None:
            here = Point(0.0, loss, g, slope)
            small = self.group["tolerance_change"]
            found = strong_wolfe(at, here, t, _largest(d), small)
            self.place(start, d, found.t)
            return found.loss, found.gradient, found.t
        if n == self.group["max_iter"] - 1:  # nobody will ask for the loss there
            self.place(start, d, t)
            return loss, g, t
        found = at(t)
        return found.loss, found.gradient, t

    def _direct(self, g: Tensor) -> Tensor:
        """Return the direction to search: two loops over the history."""
        owner = self.owner
        if owner.direction is None or owner.last is None:
            owner.direction = -g
            return owner.direction
        s = owner.direction * owner.length
        y = g - owner.last
        both = (s * y).sum()
        if both.item() > 1e-10:
            owner.history.append((s, y, both.reciprocal()))
            owner.history = owner.history[-self.group["history_size"] :]
            owner.scale = both / (y * y).sum()
        q, shares = -g, []
        for s, y, inverse in reversed(owner.history):
            share = (s * q).sum() * inverse
            shares.append(share)
            q = q - y * share
        q = q * owner.scale
        for (s, y, inverse), share in zip(owner.history, reversed(shares)):
            q = q + s * (share - (y * q).sum() * inverse)
        owner.direction = q
        return q


def _largest(x: Tensor) -> float:
    return float(x.abs().max().item())
