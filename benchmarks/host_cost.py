"""What an op costs the host: microseconds of CPython on one-element tensors.

    python benchmarks/host_cost.py [device]

Each row adds a layer of autodiff, so that "3 layers" is a Tensor call through two
tapes to the backend. Medians of nine windows.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import fogo

WINDOWS = 9
CALLS = 300


def microseconds(work: Callable[[], object]) -> float:
    """Return the median time of a call over several windows, in µs."""
    work()
    windows = []
    for _ in range(WINDOWS):
        start = time.perf_counter()
        for _ in range(CALLS):
            work()
        windows.append((time.perf_counter() - start) / CALLS)
    return 1e6 * statistics.median(windows)


def main(name: str) -> None:
    """Print the table for one device."""
    device = fogo.device(name)
    print(f"host cost of an op on {name}, µs (CPython {sys.version.split()[0]})")
    print(f"{'layers':>6} {'x + y':>8} {'exp':>8} {'sum':>8} {'reshape':>8}")
    for layers in (1, 2, 3):
        x = fogo.tensor([1.0, 2.0], device=device)
        y = fogo.tensor([3.0, 4.0], device=device)
        if layers > 1:
            x, y = x.requires_grad_(), y.requires_grad_()
        costs = [
            microseconds(lambda x=x, y=y: x + y),
            microseconds(lambda x=x: x.exp()),
            microseconds(lambda x=x: x.sum()),
            microseconds(lambda x=x: x.reshape((2, 1))),
        ]
        print(f"{layers:>6} " + " ".join(f"{c:8.1f}" for c in costs))
        device = device.autodiff()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "python")
