"""Section D of benchmarks/gpu.py: whole training steps, the same in both libraries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from gpu_measure import Case, Work

import fogo
from fogo import nn, optim
from fogo.demo.net import MnistNet

STEPS = 3  # compared with float64 before anything is timed


class TorchMnist(torch.nn.Module):
    """`fogo.demo.net.MnistNet` in PyTorch, by the same names."""

    def __init__(self) -> None:
        super().__init__()
        t = torch.nn
        self.conv1 = t.Conv2d(1, 12, 5, stride=2, padding=2, bias=False)
        self.norm1 = t.BatchNorm2d(12)
        self.conv2 = t.Conv2d(12, 24, 3, stride=2, padding=1, bias=False)
        self.norm2 = t.BatchNorm2d(24)
        self.conv3 = t.Conv2d(24, 48, 3, stride=2, padding=1, bias=False)
        self.norm3 = t.BatchNorm2d(48)
        self.dropout = t.Dropout(0.2)
        self.out = t.Linear(48 * 4 * 4, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm1(self.conv1(x)).relu()
        x = self.norm2(self.conv2(x)).relu()
        x = self.norm3(self.conv3(x)).relu()
        return self.out(self.dropout(x.flatten(1)))


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
    """Blocks, and a last layer to logits."""

    def __init__(self, layers: int, width: int, heads: int, out: int, device: Any):
        self.blocks = nn.ModuleList(
            [Block(width, heads, device) for _ in range(layers)]
        )
        self.out = nn.Linear(width, out, device=device)

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return self.out(x.mean(1))


class TorchBlock(torch.nn.Module):
    """`Block` in PyTorch."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        t = torch.nn
        self.heads = heads
        self.norm1, self.norm2 = t.LayerNorm(width), t.LayerNorm(width)
        self.qkv, self.proj = t.Linear(width, 3 * width), t.Linear(width, width)
        self.up, self.down = t.Linear(width, 4 * width), t.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, length, width = x.shape
        split = self.qkv(self.norm1(x)).view(n, length, 3, self.heads, -1)
        q, k, v = split.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v)
        x = x + self.proj(y.transpose(1, 2).reshape(n, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class TorchTransformer(torch.nn.Module):
    """`Transformer` in PyTorch."""

    def __init__(self, layers: int, width: int, heads: int, out: int) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList(
            [TorchBlock(width, heads) for _ in range(layers)]
        )
        self.out = torch.nn.Linear(width, out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.out(x.mean(1))


class Task:
    """A network in both libraries, from the same weights, and a batch for it."""

    def __init__(self, ours: Any, theirs: Any, x: Any, y: Any, rate: float) -> None:
        self.ours = ours  # device -> Module
        self.theirs = theirs  # () -> torch Module
        self.x, self.y, self.rate = x, y, rate
        fogo.manual_seed(0)
        model = ours(fogo.device("cpu").autodiff())
        self.weights = {k: np.array(v.numpy()) for k, v in model.state_dict().items()}

    def torch_step(self, peer: Any, dtype: Any = None, mode: str = "") -> Work:
        """A training step in PyTorch; `mode` of torch.compile."""
        dtype = dtype or torch.float32
        net = self.theirs()
        state = {k: torch.as_tensor(v) for k, v in self.weights.items()}
        net.load_state_dict(state, strict=False)
        net.to(peer.device, dtype).train()
        x = peer.put(self.x).to(dtype)
        y = peer.put(self.y)
        options: dict[str, Any] = {"lr": self.rate, "weight_decay": 0.02}
        if mode and peer.device == "cuda":
            options.update(fused=True, capturable=True)
        adam = torch.optim.AdamW(net.parameters(), **options)

        def loss_of(x: Any, y: Any) -> Any:
            return F.cross_entropy(net(x), y)

        run = torch.compile(loss_of, mode=mode) if mode else loss_of

        def step() -> Any:
            if mode:
                torch.compiler.cudagraph_mark_step_begin()
            adam.zero_grad(set_to_none=True)
            loss = run(x, y)
            loss.backward()
            adam.step()
            return loss.detach()

        step.net = net  # type: ignore[attr-defined]
        return step

    def fogo_step(
        self, device: Any, still: bool = False, compiled: bool = False
    ) -> Work:
        """A training step in fogo; `still`: without dropout."""
        where = device.autodiff()
        net = self.ours(where)
        net.load_state_dict(
            {k: fogo.tensor(v, device=where) for k, v in self.weights.items()}
        )
        net.train()
        if still and hasattr(net, "dropout"):
            net.dropout.p = 0.0
        adam = optim.AdamW(net, lr=self.rate, weight_decay=0.02)
        x = fogo.tensor(self.x, device=where)
        y = fogo.tensor(self.y.astype(np.int32), device=where)

        def step(x: Any, y: Any) -> Any:
            loss = nn.CrossEntropyLoss()(net(x), y)
            adam.step(loss.backward())
            return loss.inner()

        run = fogo.compile(step) if compiled else step
        return lambda: run(x, y)

    def verify(self, peer: Any, compiled: bool) -> None:
        """Refuse to measure a step that does not learn what float64 does."""
        from gpu_measure import Torch

        exact = self.torch_step(Torch(peer.reference), torch.float64)
        if hasattr(exact.net, "dropout"):
            exact.net.dropout.p = 0.0
        ours = self.fogo_step(peer.device, still=True, compiled=compiled)
        for i in range(STEPS):
            true, value = float(exact()), float(ours().item())
            if not math.isclose(true, value, rel_tol=2e-3 * (i + 1)):
                raise ArithmeticError(f"wrong: loss {i} is {value:.6f}, not {true:.6f}")

    def case(self, name: str, aim: str) -> Case:
        """The step as it is written; the captured peer replays it."""

        def prepare(peer: Any) -> Work:
            self.verify(peer, peer.captured)
            return self.fogo_step(peer.device, compiled=peer.captured)

        found = {
            "torch": self.torch_step,
            "torch.compile": lambda peer: self.torch_step(peer, mode="reduce-overhead"),
            "fogo": prepare,
        }
        return Case(name, 1.0, "ms", found, aim=aim)


def mnist(inputs: Any, small: bool) -> list[Case]:
    """The demo's convnet, as `fogo.demo` trains it."""
    n = 8 if small else 64
    x = inputs.rng.random((n, 1, 28, 28), dtype=np.float32)
    y = inputs.rng.integers(0, 10, n)
    task = Task(lambda where: MnistNet(device=where), TorchMnist, x, y, 4e-3)
    aim = "captured ≥ 2 × torch, ≥ 1 × compile (reduce-overhead)"
    return [task.case("MNIST step, batch 64", aim)]


def transformer(inputs: Any, small: bool) -> list[Case]:
    """6 layers, width 512, 512 positions, batch 16, f32."""
    layers, width, length, n = (2, 64, 32, 2) if small else (6, 512, 512, 16)
    heads, out = width // 64, 100
    x, y = inputs.normal(n, length, width), inputs.rng.integers(0, out, n)
    task = Task(
        lambda where: Transformer(layers, width, heads, out, where),
        lambda: TorchTransformer(layers, width, heads, out),
        x, y, 1e-4,
    )  # fmt: skip
    return [task.case(f"transformer {layers} × {width}", "≥ 1 × torch")]
