"""`detect_anomaly`: which op's gradient was the first that is nan or infinite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .backend.around import Around, reached, release, surround
from .backend.capture import line
from .backend.grad_mode import decorated
from .backend.walk import WATCHERS
from .errors import AutodiffError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .device import Device

_LINES: dict[int, str] = {}  # number of a node -> where its op was called


class Tracing(Around):
    """Notes the line of Python that called each recorded op."""

    def execute(self, op, inputs, attrs, outs):
        results = self.below.execute(op, inputs, attrs, outs)
        for r in results:
            node = getattr(r, "node", None)
            if node is not None and node.number not in _LINES:
                _LINES[node.number] = line()
        return results


class detect_anomaly:
    """`with detect_anomaly():` a backward stops at the first gradient with nan or inf.

    Both the forward pass and `backward` go inside. The error names the op and the file
    and line that called it. Every gradient is read: it is slow.
    device: every open one, unless given.
    Raises: AutodiffError (in `backward`).

    Example:
        >>> import fogo
        >>> x = fogo.zeros(1, device=fogo.device("python").autodiff()).requires_grad_()
        >>> with fogo.detect_anomaly():
        ...     y = x.sqrt().sum()
        ...     y.backward()
        Traceback (most recent call last):
        ...
        fogo.errors.AutodiffError: backward: the gradient of sqrt holds inf...
    """

    def __init__(self, check_nan: bool = True, device: Any = None) -> None:
        from .device import device as lookup

        self.check_nan = check_nan
        self.device: Device | None = None if device is None else lookup(device)
        self._devices: list[Any] = []

    def __enter__(self) -> detect_anomaly:
        self._devices.append(reached(self.device))
        surround(Tracing, self._devices[-1])
        if self.check_nan:
            WATCHERS.append(_look)
        return self

    def __exit__(self, *error: object) -> None:
        if self.check_nan:
            WATCHERS.pop()
        release(Tracing, self._devices.pop())
        if not self._devices and not WATCHERS:
            _LINES.clear()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return decorated(function, self)


def _look(node, parts):
    """Raise where a gradient of this node's inputs is not finite."""
    for place, g in enumerate(parts):
        if g is not None and hasattr(g, "whole"):
            g = g.whole()
        if g is None or not g.dtype.is_float or not g.size:
            continue
        wrong = "nan" if bool((g != g).any().item()) else None
        if wrong is None and not bool(g.isfinite().all().item()):
            wrong = "inf"
        if wrong is not None:
            where = _LINES.get(node.number) or " a line that is not known here"
            raise AutodiffError(
                "backward: the gradient of %s holds %s; given by input %d, whose "
                "forward ran at%s; look at the values that go into it"
                % (node.op.name, wrong, place, where)
            )
