"""Section E of benchmarks/gpu.py: what Python costs, replayed and not; the start."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from gpu_measure import Fogo, Peer

import fogo

COUNTS = (10, 40, 160)
CALLS = 30
# To the first training step: what a user waits for who starts a program again.
PROGRAM = """
import time
import fogo
from fogo import nn, optim
from fogo.demo.net import MnistNet
where = fogo.device(NAME).autodiff()
net = MnistNet(device=where)
net.train()
adam = optim.AdamW(net, lr=1e-3)
x = fogo.rand((64, 1, 28, 28), device=where)
y = fogo.zeros(64, dtype=fogo.int32, device=where)
loss = nn.CrossEntropyLoss()(net(x), y)
adam.step(loss.backward())
loss.item()
where.sync()
print(time.time())
"""


def replay(peers: list[Peer], small: bool) -> str:
    """Lines of text: µs to replay n kernels, and µs an op that is not captured."""
    lines = []
    for peer in peers:
        if not isinstance(peer, Fogo) or peer.captured:
            continue
        for label, measure in (("replayed", replayed), ("uncaptured", uncaptured)):
            try:
                lines += measure(peer)
            except Exception as error:
                lines.append(
                    f"FAILED {label} ({peer.name}): {type(error).__name__}: {error}"
                )
    return "\n".join(f"- {line}" for line in lines) + "\n"


def chain(count: int) -> Callable[[Any, Any], Any]:
    """A function of `count` kernels that cannot become fewer: products in a row."""

    def run(x: Any, w: Any) -> Any:
        for _ in range(count):
            x = x @ w
        return x

    return run


def host_time(peer: Fogo, work: Callable[[], Any]) -> float:
    """Median seconds until a call returns; the device is waited for in between."""
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        peer.go(work)
        times.append(time.perf_counter() - start)
        peer.wait()
    return statistics.median(times)


def replayed(peer: Fogo) -> list[str]:
    """The cost of a call of a captured function: fixed, and for each kernel."""
    x = fogo.full((16, 16), 0.1, device=peer.device)
    w = fogo.full((16, 16), 0.1, device=peer.device)
    points = []
    for count in COUNTS:
        run = fogo.compile(chain(count))
        for _ in range(3):
            peer.go(lambda run=run: run(x, w))
        peer.wait()
        before = peer.backend.gpu.stats()["dispatches"]
        peer.go(lambda run=run: run(x, w))
        peer.wait()
        kernels = peer.backend.gpu.stats()["dispatches"] - before
        points.append((kernels, 1e6 * host_time(peer, lambda run=run: run(x, w))))
    (few, low), (many, high) = points[0], points[-1]
    slope = (high - low) / max(1, many - few)
    seen = ", ".join(f"{n} kernels {t:.0f} µs" for n, t in points)
    return [
        f"{peer.name}, replay of {seen}: {low - few * slope:.0f} µs + {slope:.2f} µs a "
        "kernel (aim: 55 + 2 on wgpu)"
    ]


def uncaptured(peer: Fogo) -> list[str]:
    """Python's own time an op, with two tapes over the device."""
    lines = []
    where = peer.device.autodiff().autodiff()
    x = fogo.full((16, 16), 0.1, device=where).requires_grad_()
    steps: dict[str, Callable[[Any], Any]] = {
        "x @ w": lambda y: y @ x,
        "x * y": lambda y: y * x,
        "exp": lambda y: y.exp(),
    }
    for label, op in steps.items():
        times = []
        for _ in range(9):
            start = time.thread_time()
            y = x
            for _ in range(100):
                y = op(y)
            peer.go(lambda: None)
            times.append((time.thread_time() - start) / 100)
            del y
            peer.wait()
        spent = 1e6 * statistics.median(times)
        lines.append(f"{peer.name}, uncaptured {label}: {spent:.1f} µs an op (aim: 25)")
    return lines


def start(peers: list[Peer], small: bool) -> str:
    """Seconds from the shell to the first MNIST step: caches empty, then filled."""
    lines = []
    for peer in peers:
        if not isinstance(peer, Fogo) or peer.captured:
            continue
        name = peer.device.name
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "FOGO_CACHE": folder}
            spent = []
            for _ in range(3):
                began = time.time()
                done = subprocess.run(
                    [sys.executable, "-c", PROGRAM.replace("NAME", repr(name))],
                    env=environment, capture_output=True, text=True, timeout=120,
                )  # fmt: skip
                if done.returncode:
                    why = done.stderr.strip().split("\n")[-1]
                    lines.append(f"- FAILED {peer.name}: {why}")
                    break
                spent.append(float(done.stdout.split()[-1]) - began)
            else:
                lines.append(
                    f"- {peer.name}: first {spent[0]:.2f} s, with filled caches "
                    f"{min(spent[1:]):.2f} s (aim: 2)"
                )
    return "\n".join(lines) + "\n"
