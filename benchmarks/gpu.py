"""fogo on a GPU beside PyTorch, torch.compile and tinygrad, in one run.

    python benchmarks/gpu.py [--only bandwidth,matmul,…] [--peers torch,wgpu,…]
                             [--small] [--seconds 470] [-v]

Sections: bandwidth, matmul, conv, attention, mnist, transformer, replay, start. Peers:
torch, torch.compile, tinygrad, wgpu, dawn, cuda (and each captured by fogo.compile:
wgpu+, dawn+, cuda+); those that are not there are left out. tinygrad has a process of
its own: its CUDA context disturbs PyTorch's.
Medians of windows of many calls; a figure in brackets is the device's own time. Every
result is checked against float64 before it is timed; what is wrong is FAILED. Tables
go to the output and to $OUT/gpu.md. `--small` is for a machine without a GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpu_host
import gpu_kernels
import gpu_training
import torch
from gpu_measure import Case, Fogo, Peer, Tinygrad, Torch, shares, table

import fogo
from fogo.fast import tuner

SECTIONS: dict[str, tuple[str, Callable[..., list[Case]]]] = {
    "bandwidth": ("A. Memory bandwidth", gpu_kernels.bandwidth),
    "matmul": ("B. Matrix products (TF32 off)", gpu_kernels.matmul),
    "conv": ("C. Convolution (TF32 off)", gpu_kernels.conv),
    "attention": ("C. Attention", gpu_kernels.attention),
    "mnist": ("D. Training step, MNIST convnet, batch 64, AdamW", gpu_training.mnist),
    "transformer": ("D. Training step, transformer", gpu_training.transformer),
}
OTHERS: dict[str, tuple[str, Callable[..., str]]] = {
    "replay": ("E. Host cost", gpu_host.replay),
    "start": ("E. From the shell to the first training step", gpu_host.start),
}
PEERS = (
    "torch", "torch.compile", "tinygrad", "wgpu", "wgpu+", "dawn", "dawn+", "cuda",
    "cuda+",
)  # fmt: skip


def open_peers(names: list[str]) -> list[Peer]:
    """The peers that are here; what is missing says why."""
    cuda = "cuda" if torch.cuda.is_available() else "cpu"
    makers: dict[str, Callable[[], Peer]] = {
        "torch": lambda: Torch(cuda),
        "torch.compile": lambda: Torch(cuda, compiled=True),
        "tinygrad": lambda: Tinygrad(cuda),
        "wgpu": lambda: Fogo("fogo wgpu", fogo.device("webgpu"), cuda),
        "wgpu+": lambda: Fogo("fogo wgpu+", fogo.device("webgpu"), cuda, True),
        "dawn": lambda: Fogo("fogo dawn", fogo.device("dawn"), cuda),
        "dawn+": lambda: Fogo("fogo dawn+", fogo.device("dawn"), cuda, True),
        "cuda": lambda: Fogo("fogo cuda", fogo.device("cuda"), cuda),
        "cuda+": lambda: Fogo("fogo cuda+", fogo.device("cuda"), cuda, True),
    }
    found = []
    for name in names:
        try:
            found.append(makers[name]())
        except Exception as error:
            print(f"without {name}: {type(error).__name__}: {error}".split("\n")[0])
    return found


def about(peers: list[Peer]) -> str:
    """What ran: versions and devices."""
    lines = [f"torch {torch.__version__}"]
    if torch.cuda.is_available():
        lines[0] += f" on {torch.cuda.get_device_name()}"
    for peer in peers:
        if isinstance(peer, Fogo):
            gpu = peer.backend.gpu
            lines.append(
                f"{peer.name}: {peer.device.describe()}; {sorted(gpu.features)}; "
                f"matrices {list(gpu.info.get('matrices', ()))[:4]}"
            )
    return "\n".join(lines) + "\n"


def apart(argv: list[str], only: str, small: bool) -> dict[str, Any]:
    """Measure tinygrad in a process of its own; returns case -> what came of it."""
    sections = [
        n for n in only.split(",") if n in ("bandwidth", "matmul", "conv", "attention")
    ]
    if not sections:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tinygrad.json")
        command = [sys.executable, __file__, "--only", ",".join(sections)]
        command += ["--peers", "tinygrad", "--raw", str(path)]
        command += ["--small"] if small else []
        try:
            subprocess.run(command, stdout=subprocess.DEVNULL, timeout=70, check=True)
        except subprocess.SubprocessError as error:
            print(f"tinygrad did not finish: {error}")
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return found


RAW: dict[str, Any] = {}  # case -> what came of the last peer, for --raw
APART: dict[str, Any] = {}  # what tinygrad's process found


def section(
    name: str, peers: list[Peer], small: bool, window: float, raw: str | None
) -> str:
    """Run one section; returns its table."""
    if name in OTHERS:
        title, report = OTHERS[name]
        return f"\n### {title}\n\n" + report(peers, small)
    title, make = SECTIONS[name]
    reference = "cuda" if torch.cuda.is_available() else "cpu"
    cases = make(gpu_kernels.Inputs(reference), small)
    for case in cases:
        case.run(peers, window)
        case.merge(APART, "tinygrad")
        for result in case.results.values():
            RAW[case.name] = vars(result)
        if raw:
            Path(raw).write_text(json.dumps(RAW))
        shown = [
            f"{who} "
            + (r.failed or f"{case.figure(r.seconds)} (first {r.first:.2f} s)")
            for who, r in case.results.items()
        ]
        print(f"  {case.name} [{case.unit}]: " + "; ".join(shown), flush=True)
    names = [p.name for p in peers]
    if APART:
        names.insert(len([n for n in names if n.startswith("torch")]), "tinygrad")
    text = table(title, cases, names)
    return text + shares(cases, peers) if [c for c in cases if c.nbytes] else text


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser()
    # The longest last: when time is up, what is left is left out.
    everything = [n for n in SECTIONS if n != "transformer"]
    everything += [*OTHERS, "transformer"]
    parser.add_argument("--only", default=",".join(everything))
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--raw", help="where to keep the figures of a single peer")
    parser.add_argument("--seconds", type=float, default=470.0)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args(argv)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    # What a filled cache gives: tuning has its time, which no figure includes.
    tuner.COMPILE_SECONDS, tuner.KEY_SECONDS, tuner.TOTAL_SECONDS = 8.0, 1.0, 120.0
    began = time.perf_counter()
    names = options.peers.split(",")
    if "tinygrad" in names and not options.raw:
        names.remove("tinygrad")
        APART.update(apart(argv, options.only, options.small))
    peers = open_peers(names)
    report = about(peers)
    print(report, flush=True)
    for name in options.only.split(","):
        spent = time.perf_counter() - began
        if spent > options.seconds:
            print(f"{name}: left out, {spent:.0f} s are gone")
            continue
        text = guarded(name, peers, options.small, options.raw)
        took = time.perf_counter() - began - spent
        text += f"\n{name} took {took:.0f} s.\n"
        print(text, flush=True)
        report += text
        if not options.raw:
            write(report)


def guarded(name: str, peers: list[Peer], small: bool, raw: str | None) -> str:
    try:
        return section(name, peers, small, 0.02 if small else 0.1, raw)
    except Exception as error:
        if "-v" in sys.argv:
            raise
        return f"\n### {name}\n\nFAILED: {type(error).__name__}: {error}\n"


def write(report: str) -> None:
    """Keep what there is so far: a run may be cut short."""
    folder = os.environ.get("OUT")
    if folder:
        Path(folder, "gpu.md").write_text(report)


if __name__ == "__main__":
    main(sys.argv[1:])
