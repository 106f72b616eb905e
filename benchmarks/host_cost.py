"""What an op costs the host: microseconds of CPython on tensors of a few elements.

    python benchmarks/host_cost.py [device …]

Three layers deep: a Tensor call through two tapes (second derivatives) to the backend,
with inputs that require grad. Medians of nine windows; the aim is 25 µs an op.

Then what a call of a function made by `fogo.compile` costs, by the number of kernels
that it plays, up to the submit; the aim on wgpu-py is 55 µs + 2 µs a kernel.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import fogo

WINDOWS = 9
CALLS = 200
OPS: dict[str, Callable[[fogo.Tensor, fogo.Tensor], object]] = {
    "x + y": lambda x, y: x + y,
    "x * y": lambda x, y: x * y,
    "x * 2.5": lambda x, y: x * 2.5,
    "exp": lambda x, y: x.exp(),
    "relu": lambda x, y: x.relu(),
    "sum": lambda x, y: x.sum(),
    "x @ y": lambda x, y: x @ y,
    "reshape": lambda x, y: x.reshape((1, 4)),
}


def microseconds(work: Callable[[], object], finish: Callable[[], None]) -> float:
    """Return the median time of a call over several windows, in µs.

    The time of this thread alone, so that other work on the machine hardly counts;
    what the device does is waited for between windows.
    """
    work()
    windows = []
    for _ in range(WINDOWS):
        start = time.thread_time()
        for _ in range(CALLS):
            work()
        windows.append((time.thread_time() - start) / CALLS)
        finish()
    return 1e6 * statistics.median(windows)


def table(name: str) -> None:
    """Print the costs on one device, with no tape, one and two."""
    device = fogo.device(name)
    print(f"\n{name} ({device.describe()}), µs an op, CPython {sys.version.split()[0]}")
    print(f"{'layers':>6} " + " ".join(f"{label:>8}" for label in OPS))
    for layers in (1, 2, 3):
        x = fogo.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
        y = fogo.tensor([[0.5, 1.5], [2.5, 3.5]], device=device)
        if layers > 1:
            x, y = x.requires_grad_(), y.requires_grad_()
        costs = [
            microseconds(lambda op=op, x=x, y=y: op(x, y), device.sync)
            for op in OPS.values()
        ]
        print(f"{layers:>6} " + " ".join(f"{c:8.1f}" for c in costs))
        device = device.autodiff()


def chain(device: fogo.Device, kernels: int) -> Callable[[], object]:
    """Return a compiled function of so many kernels, ready to be played."""
    x = fogo.ones(64, device=device)

    @fogo.compile
    def work(x: fogo.Tensor) -> fogo.Tensor:
        for _ in range(kernels):
            x = x + 1.0
        return x

    for _ in range(3):
        work(x)
    return lambda: work(x)


def replays(name: str) -> None:
    """Print what plays cost on a device, and the line through the costs."""
    device = fogo.device(name).unfused()
    if not hasattr(device.backend, "program"):
        return
    counts = (1, 10, 50, 200)
    device.sync()
    costs = [microseconds(chain(device, n), device.sync) for n in counts]
    each = (costs[-1] - costs[0]) / (counts[-1] - counts[0])
    print(f"\n{name}: a compiled call, µs of the host")
    print("kernels " + " ".join(f"{n:>8}" for n in counts))
    print("        " + " ".join(f"{c:8.1f}" for c in costs))
    print(f"about {costs[0] - each:.0f} + {each:.2f} a kernel")


def main(names: list[str]) -> None:
    """Print a table for each device; one that is absent says why."""
    for name in names or ["python", "numpy", "webgpu"]:
        try:
            table(name)
            replays(name)
        except fogo.DeviceError as error:
            print(f"\n{name}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
