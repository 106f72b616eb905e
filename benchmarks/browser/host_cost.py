"""What a kernel costs Python in a page: Pyodide in Chromium, on a software adapter.

    python benchmarks/browser/host_cost.py

Microseconds of wall time an op of a chain of elementwise ops on 64 numbers, from the
first call to the batch being handed to the browser: run at once (without Fusion), fused
(the chain is one kernel; the cost is Python's of writing it down and planning), and
replayed by `fogo.compile`, fused and not. Also one training step of the demo's network.
Needs the packages of fogo[dev] and a Chromium.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

PROGRAM = """
import json, time, fogo, fogo.webgpu
from fogo import nn, optim
from fogo.demo.net import MnistNet
await fogo.webgpu.open_gpu()
fused = fogo.device("webgpu")
found = []

async def measure(label, work, ops, device, turns=20):
    for _ in range(4):
        last = work()
    backend = device.base().backend
    def flush():
        backend.flush()
        if backend.inner is not None:
            backend.inner.flush()
    flush()
    took = []
    for _ in range(turns):
        await last.data_async()
        start = time.perf_counter()
        last = work()
        flush()
        took.append(time.perf_counter() - start)
    took.sort()
    found.append((label, ops, took[len(took) // 2] * 1e6))

def chain(n):
    def work(x):
        for _ in range(n):
            x = x * 1.01 + 0.5
        return x
    return work

for n in (5, 50):
    for label, device in (("unfused", fused.unfused()), ("fused", fused)):
        x = fogo.ones(64, device=device)
        plain = chain(n)
        played = fogo.compile(plain)
        await measure(label, lambda: plain(x), 2 * n, device)
        await measure(label + ", replayed", lambda: played(x), 2 * n, device)

dev = fused.autodiff()
net = MnistNet(device=dev)
opt = optim.AdamW(net, lr=1e-3)
score = nn.CrossEntropyLoss()
x, y = fogo.rand(4, 1, 28, 28, device=dev), fogo.randint(0, 10, (4,), device=dev)

def step():
    loss = score(net(x), y)
    opt.step(loss.backward())
    return loss.detach()

gpu = fused.backend.gpu
await measure("training step", step, 1, fused, 5)
played = fogo.compile(step)
await measure("training step, replayed", played, 1, fused, 5)
before = gpu.stats()["dispatches"]
await played().data_async()
json.dumps([found, gpu.stats()["dispatches"] - before])
"""


def main() -> None:
    """Run the program in Chromium and print a table."""
    import json

    from playwright.sync_api import sync_playwright

    from tests.browser.chromium import FLAGS
    from tests.browser.pyodide import Pyodide, serving
    from tests.support.runtimes import chromium_path

    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "runner") as place,
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=chromium_path(), args=FLAGS
        ) as browser,
    ):
        python = Pyodide(browser, place)
        rows, kernels = json.loads(python.run(PROGRAM, timeout_s=900).value)
        print(f"Chromium {browser.version}, SwiftShader, Pyodide")
        python.close()
    print(f"{'':28}{'ops':>6}{'µs a call':>12}{'µs an op':>11}")
    for label, ops, cost in rows:
        print(f"{label:28}{ops:>6}{cost:>12.0f}{cost / ops:>11.2f}")
    print(f"kernels in a training step: {kernels}")


if __name__ == "__main__":
    main()
