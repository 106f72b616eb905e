"""Memory and time of a transformer's training step: kept, balanced, by segments.

`python benchmarks/checkpointing.py [--devices numpy,webgpu] [--width 256]` prints the
table of benchmarks/RESULTS.md. The peak is of `fogo.memory_stats` (all buffers that
tensors hold), above what the model and its optimiser hold before the step; the time
is the processors' (of all threads), so that other work beside it does not count.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import fogo
from fogo import nn, optim

MIB = 1 << 20


class Block(nn.Module):
    """A transformer block: attention and a GELU layer, each after a norm."""

    def __init__(self, width: int, heads: int, device: Any) -> None:
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, device=device)
        self.qkv = nn.Linear(width, 3 * width, device=device)
        self.proj = nn.Linear(width, width, device=device)
        self.norm2 = nn.LayerNorm(width, device=device)
        self.up = nn.Linear(width, 4 * width, device=device)
        self.down = nn.Linear(4 * width, width, device=device)

    def forward(self, x: Any) -> Any:
        n, length, width = x.shape
        split = self.qkv(self.norm1(x)).reshape(
            (n, length, 3, self.heads, width // self.heads)
        )
        q, k, v = [split[:, :, i].permute((0, 2, 1, 3)) for i in range(3)]
        y = fogo.scaled_dot_product_attention(q, k, v)
        x = x + self.proj(y.permute((0, 2, 1, 3)).reshape((n, length, width)))
        return x + self.down(self.up(self.norm2(x)).gelu())


class Transformer(nn.Module):
    """Blocks; each of them a segment of its own if `segments`."""

    def __init__(self, layers: int, width: int, segments: bool, device: Any) -> None:
        self.segments = segments
        self.blocks = nn.ModuleList([Block(width, 4, device) for _ in range(layers)])
        self.out = nn.Linear(width, 16, device=device)

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = fogo.checkpoint(block, x) if self.segments else block(x)
        return self.out(x.mean(1))


def measure(name: str, how: str, options: argparse.Namespace) -> tuple[float, ...]:
    """Return (peak above the start, time of a step, loss after the steps)."""
    base = fogo.device(name)
    device = base.autodiff(checkpointing="balanced" if how == "balanced" else None)
    fogo.manual_seed(0)
    net = Transformer(options.layers, options.width, how == "per layer", device)
    opt = optim.SGD(net, lr=0.01)
    x = fogo.randn(options.batch, options.length, options.width, device=device)
    y = fogo.randint(0, 16, (options.batch,), device=device)
    peaks, times = [], []
    for _ in range(options.steps + 1):
        base.sync()
        fogo.memory_cleanup(base)
        before = fogo.memory_stats(base)["in_use"]
        fogo.memory.reset_peak(base)
        start = time.process_time()
        loss = fogo.cross_entropy(net(x), y)
        opt.step(loss.backward())
        value = loss.item()
        base.sync()
        times.append(time.process_time() - start)
        peaks.append(fogo.memory_stats(base)["peak_in_use"] - before)
        del loss
    assert math.isfinite(value)
    return peaks[-1] / MIB, min(times[1:]), value


def main() -> None:
    """Measure what the command line says, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", default="numpy,webgpu")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--steps", type=int, default=2)
    options = parser.parse_args()
    print(
        "| device | checkpoints | peak, MiB | of none | step, CPU s | of none | loss |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in options.devices.split(","):
        first: tuple[float, ...] = ()
        for how in ("none", "balanced", "per layer"):
            peak, took, loss = found = measure(name, how, options)
            first = first or found
            print(
                f"| {name} | {how} | {peak:.0f} | {peak / first[0]:.2f} | {took:.2f} "
                f"| {took / first[1]:.2f} | {loss:.5f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
