"""fogo, TensorFlow.js, onnxruntime-web and jax-js on WebGPU in one Chromium.

    npm install --prefix DIR @tensorflow/tfjs @tensorflow/tfjs-backend-webgpu \
        onnxruntime-web @jax-js/jax
    python benchmarks/browser/peers.py DIR [fogo,tfjs,ort,jax]

Products of 1024×1024 matrices, and training steps of a convnet (3×3 convolutions 1 → 8
→ 16 → 24 unpadded, batch norm, GELU, dropout, 11616 → 32 → 10; batch 64, Adam). Each
result is read before the next call. Without a GPU Chromium plays one on the CPU
(SwiftShader): those figures compare the libraries there, and say nothing of a GPU.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from playwright.sync_api import Browser, sync_playwright  # noqa: E402

from fogo.web.server import Server  # noqa: E402
from tests.browser.chromium import FLAGS  # noqa: E402
from tests.browser.pyodide import Pyodide, serving  # noqa: E402
from tests.support.runtimes import chromium_path  # noqa: E402

SIDE = 1024
RUNS, STEPS = 3, 3
LIMIT = 240  # seconds for a peer's task

OPEN = {"tfjs": "openTfjs()", "ort": "openOrt(model)", "jax": "openJax()"}
TASK = """async ([peer, task, model, side, runs]) => {
  const peers = await import("/peers.js");
  const opened = await eval(`peers.${peer}`);
  const work = task === "matmul" ? opened.prepareMatmul(side)
    : opened.prepareTraining?.();
  return work ? peers.time(work, runs) : null;
}"""
FOGO = """
import time
import fogo
import fogo.webgpu
from fogo import nn, optim
await fogo.webgpu.open_gpu()
device = fogo.device("webgpu")

class Net(nn.Module):
    def __init__(self):
        sizes = (1, 8, 16, 24)
        self.convs = [nn.Conv2d(a, b, 3) for a, b in zip(sizes, sizes[1:])]
        self.norm = nn.BatchNorm2d(24)
        self.dropout = nn.Dropout(0.5)
        self.hidden = nn.Linear(11616, 32)
        self.out = nn.Linear(32, 10)

    def forward(self, x):
        for conv in self.convs:
            x = conv(x)
        x = self.norm(x).gelu().flatten(1)
        return self.out(self.hidden(self.dropout(x)).gelu())

async def timed(work, count):
    times = []
    for i in range(count + 2):
        start = time.perf_counter()
        await work().data_async()
        times.append(time.perf_counter() - start)
    return times[2:]

if TASK == "matmul":
    x = fogo.rand((SIDE, SIDE), device=device)
    y = fogo.rand((SIDE, SIDE), device=device)
    found = await timed(lambda: x @ y, RUNS)
else:
    where = device.autodiff()
    net = Net().to(where)
    net.train()
    adam = optim.Adam(net, lr=1e-3)
    x = fogo.rand((64, 1, 28, 28), device=where)
    y = fogo.arange(64, device=where) % 10

    def step(x, y):
        loss = nn.CrossEntropyLoss()(net(x), y)
        adam.step(loss.backward())
        return loss.inner()

    if TASK == "captured":
        step = fogo.compile(step)
    found = await timed(lambda: step(x, y), RUNS)
found
"""


def field(number: int, payload: bytes | int) -> bytes:
    """One field of a protocol buffer."""
    if isinstance(payload, int):
        return varint(number << 3) + varint(payload)
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def onnx_product(side: int) -> bytes:
    """An ONNX model: c = a @ b, square matrices of float32."""

    def value(name: str) -> bytes:
        size = field(1, field(1, side))
        kind = field(1, field(1, 1) + field(2, size + size))
        return field(1, name.encode()) + field(2, kind)

    node = field(1, b"a") + field(1, b"b") + field(2, b"c") + field(4, b"MatMul")
    graph = field(1, node) + field(2, b"product") + field(11, value("a"))
    graph += field(11, value("b")) + field(12, value("c"))
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def of_peer(browser: Browser, url: str, peer: str, task: str) -> list[float] | None:
    """Seconds of each run in a page of its own."""
    page = browser.new_page()
    try:
        page.goto(url)
        model = list(onnx_product(SIDE)) if peer == "ort" else []
        runs = RUNS if task == "matmul" else STEPS
        asked = [OPEN[peer], task, model, SIDE, runs]
        found: list[float] | None = page.evaluate(
            "([asked, ms]) => Promise.race([(%s)(asked), new Promise((_, no) => "
            "setTimeout(no, ms, new Error('it took too long')))])" % TASK,
            [asked, LIMIT * 1000],
        )
        return found
    finally:
        page.close()


def of_fogo(browser: Browser, place: Any, task: str) -> list[float]:
    """Seconds of each run on Pyodide."""
    python = Pyodide(browser, place)
    try:
        head = f"TASK, SIDE, RUNS = {task!r}, {SIDE}, {RUNS}\n"
        found: list[float] = python.run(head + FOGO, timeout_s=LIMIT).value
        return found
    finally:
        python.close()


def figure(task: str, times: list[float] | None) -> str:
    if not times:
        return "–"
    spent = statistics.median(times)
    if task == "matmul":
        return f"{2 * SIDE**3 / spent / 1e9:.2f} GFLOP/s"
    return f"{1 / spent:.2f} steps/s"


def main(argv: list[str]) -> None:
    modules = Path(argv[0])
    wanted = argv[1].split(",") if len(argv) > 1 else ["fogo", *OPEN]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name, "peers")
        folder.mkdir()
        (folder / "index.html").write_text("<!doctype html><title>peers</title>")
        (folder / "peers.js").symlink_to(HERE / "peers.js")
        (folder / "node_modules").symlink_to(modules.resolve() / "node_modules")
        server = Server(folder, port=0).start()
        path = chromium_path()
        with (
            serving(Path(name, "fogo")) as place,
            playwright.chromium.launch(executable_path=path, args=FLAGS) as browser,
        ):
            print(f"Chromium {browser.version}\n\n| peer | matmul {SIDE} | training |")
            print("|---|---|---|")
            for peer in wanted:
                print(row(browser, server.url, place, peer), flush=True)
        server.stop()


def row(browser: Browser, url: str, place: Any, peer: str) -> str:
    """A line of the table; what fails says why."""
    cells = []
    for task in ("matmul", "training"):
        try:
            if peer == "fogo":
                cells.append(figure(task, of_fogo(browser, place, task)))
                if task == "training":
                    captured = of_fogo(browser, place, "captured")
                    cells[-1] += f", captured {figure(task, captured)}"
            else:
                cells.append(figure(task, of_peer(browser, url, peer, task)))
        except Exception as error:
            text = " ".join(str(error).split())[-160:]
            cells.append(f"FAILED {type(error).__name__}: {text}")
    return f"| {peer} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main(sys.argv[1:])
