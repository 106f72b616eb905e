"""The device "tally": plain Python that counts what it is asked to do.

A backend has one verb, `execute`, so a whole new device is a class with that method
(here: one that passes all on), and the two functions below it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from fogo.backend.python import Python


class Tally(Python):
    """Runs ops as the device "python" does, and counts them by name.

    Example:
        >>> import fogo
        >>> device = fogo.Device("tally", Tally())
        >>> (fogo.ones(2, device=device) * 2).tolist(), device.backend.counts["mul"]
        ([2.0, 2.0], 1)
    """

    name = "tally"

    def __init__(self) -> None:
        Python.__init__(self)
        self.counts: Counter[str] = Counter()

    def execute(self, op: Any, inputs: Any, attrs: Any, outs: Any) -> Any:
        """Count an op, then run it."""
        self.counts[op.name] += 1
        return Python.execute(self, op, inputs, attrs, outs)

    def table(self) -> str:
        """Return the counts, the largest first, a line each."""
        return "\n".join(f"{n:6} {name}" for name, n in self.counts.most_common())


def create(index: int = 0) -> Tally:
    """Return a new backend; fogo.device("tally") calls this once."""
    return Tally()


def probe() -> list[tuple[str, str]]:
    """Return (kind, text) of each device; fogo.devices() lists them."""
    return [("cpu", "plain Python that counts its ops")]
