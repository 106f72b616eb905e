"""The printer and the backend run on MicroPython: the same sources, the same WGSL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fogo.native.micropython.stage import stage
from tests.support.runtimes import micropython_path, need, why_absent

PROGRAM = """
import sys
sys.path.insert(0, ".")
import fogo
from fogo.webgpu import use_gpu
from fogo.webgpu.gpu import PORTABLE

class Played:
    def __init__(self, reads):
        self.reads = reads
    def wait(self):
        return self.reads

class Printing:
    info = {"name": "text", "kind": "text", "software": True}
    features = ()
    limits = PORTABLE
    def play(self, words, blobs, texts):
        for text in texts:
            print(text)
        reads = [bytes(words[i + 3] * 4) for i in range(len(words) - 4, 0, -4)
                 if words[i] == 7 and words[i + 2] == 0]
        return Played(reads[:1])

from fogo.backend.fusion import stream
stream.REFERENCES = None  # MicroPython cannot tell which results are still held

def run(device):
    x = fogo.tensor([[1.0, -2.0], [3.0, 4.5]], device=device)
    y = fogo.matmul(x, x.transpose()).tanh().astype("float16")
    z = (x > 1.5).astype("int8") + 3
    s = (x ** 2.0).sum(0) + 1e40 - 1e-45
    c = fogo.concat([x[::-1], x.sin() + fogo.atan2(x, x)])
    b = fogo.ones(100000, device=device).sum()
    i = fogo.tensor([5, -3], device=device) // 2
    i = i + fogo.rand(2, device=device).astype("int32")
    i = i - x.softmax(1).sum(1).astype("int32")
    r = fogo.rand(3000, device=device)
    print(len(fogo.sort(r).tolist()), len(fogo.topk(r, 3)[1].tolist()))
    index = fogo.arange(300, device=device) % 50
    table = fogo.zeros(50, 8, device=device)
    table = fogo.add_at(table, index, r[:300].reshape((300, 1)))
    print(len(fogo.cumsum(r, 0).tolist()), len(fogo.cummax(table, 0)[1].tolist()))
    print(len(i.tolist()))

fused = use_gpu(Printing())
run(fused.unfused())
run(fused)
"""


def test_micropython_prints_the_same_wgsl(tmp_path: Path) -> None:
    need("micropython", why_absent("micropython"))
    stage(tmp_path, "page")
    (tmp_path / "program.py").write_text(PROGRAM)
    outputs = []
    for command, path in (
        ([sys.executable], {}),
        (
            [str(micropython_path()), "-X", "heapsize=64m"],
            {"MICROPYPATH": f"{tmp_path}:.frozen"},
        ),
    ):
        done = subprocess.run(
            [*command, "program.py"],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", **path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-500:] + done.stderr
        outputs.append(done.stdout)
    assert outputs[0].count("fn main(") > 20 and outputs[0].endswith("2\n")
    assert outputs[0] == outputs[1]
