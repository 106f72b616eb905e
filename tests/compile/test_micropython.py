"""Capture and replay on MicroPython, which cannot tell who holds a buffer."""

from __future__ import annotations

import subprocess
from pathlib import Path

from fogo.native.micropython.stage import stage
from tests.support.runtimes import micropython_path, need, why_absent

# A player that keeps bytes: a RUN gives its last buffer the first number plus 1.
PROGRAM = """
import sys
sys.path.insert(0, ".")
from array import array
from struct import pack, unpack
import fogo
from fogo.webgpu import gpu as G
from fogo.webgpu.backend import WebGpu

class Played:
    def __init__(self, reads):
        self.reads = reads
    def wait(self):
        return self.reads

class Player:
    info = {"name": "text", "kind": "text", "software": True}
    features = ()
    limits = G.PORTABLE
    def __init__(self):
        self.buffers = {}
        self.programs = {}
        self.log = []
    def play(self, words, blobs, texts):
        reads = []
        self.run(list(words), 1, blobs, reads)
        return Played(reads)
    def run(self, w, at, blobs, reads):
        while at < len(w):
            c = w[at]
            if c == G.BUFFER:
                self.buffers[w[at + 1]] = bytearray(w[at + 2] * 4)
                at += 3
            elif c == G.FREE:
                at += 2
            elif c == G.WRITE:
                n = w[at + 3] * 4
                self.buffers[w[at + 1]][:n] = blobs[w[at + 4]][:n]
                at += 5
            elif c == G.KERNEL:
                at += 5 + w[at + 3]
            elif c == G.RUN:
                nbuf = w[at + 2]
                ids = w[at + 3 : at + 3 + nbuf]
                first = unpack("<f", bytes(self.buffers[ids[0]][:4]))[0]
                self.buffers[ids[-1]][:4] = pack("<f", first + 1.0)
                at += 7 + nbuf + w[at + 6 + nbuf]
            elif c == G.COPY:
                a, i, b, j, n = w[at + 1 : at + 6]
                part = bytes(self.buffers[a][i * 4 : (i + n) * 4])
                self.buffers[b][j * 4 : (j + n) * 4] = part
                at += 6
            elif c == G.READ:
                n = w[at + 3] * 4
                reads.append(bytes(self.buffers[w[at + 1]][:n]))
                at += 4
            elif c == G.PROGRAM:
                self.programs[w[at + 1]] = w[at + 3 : at + 3 + w[at + 2]]
                at += 3 + w[at + 2]
            elif c == G.PLAY:
                self.run(self.programs[w[at + 1]], 0, (), reads)
                at += 2
            else:
                assert c == G.DROP
                at += 2

device = fogo.Device("webgpu", WebGpu(Player()))
weight = fogo.tensor([5.0], device=device)
def step(x):
    weight.assign(weight.sqrt())
    return x.exp().sqrt()
f = fogo.compile(step)
held = []
for i in range(5):
    held.append((f(fogo.tensor([10.0 * i], device=device)), weight.detach()))
print([a.item() for a, b in held], [b.item() for a, b in held], f.captures, f.plays)
"""


def test_results_and_old_values_are_kept(tmp_path: Path) -> None:
    need("micropython", why_absent("micropython"))
    stage(tmp_path, "page")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [str(micropython_path()), "-X", "heapsize=64m", "program.py"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "MICROPYPATH": f"{tmp_path}:.frozen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
    results, weights = [2.0, 12.0, 22.0, 32.0, 42.0], [6.0, 7.0, 8.0, 9.0, 10.0]
    assert done.stdout == f"{results} {weights} 2 3\n"
