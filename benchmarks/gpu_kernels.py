"""Sections A to C of benchmarks/gpu.py: bandwidth, matmul, convolution, attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from gpu_measure import Case, Fogo, Work

Way = Callable[[Any], Work]


class Inputs:
    """Random float32 arrays, the same for every peer, kept as NumPy arrays."""

    def __init__(self, reference: str) -> None:
        self.reference = reference
        self.rng = np.random.default_rng(0)

    def normal(self, *shape: int) -> Any:
        return self.rng.standard_normal(shape, dtype=np.float32)

    def wide(self, array: Any) -> torch.Tensor:
        """The same numbers in float64, where PyTorch computes."""
        return torch.as_tensor(array).to(self.reference, torch.float64)


def ways(function: Callable[..., Any], *arrays: Any, **others: Any) -> dict[str, Way]:
    """How PyTorch does it, eager and compiled; `others` by peer, in the same form."""

    def bound(run: Callable[..., Any]) -> Way:
        def prepare(peer: Any) -> Work:
            tensors = [peer.put(a) for a in arrays]
            go = peer.capture(run) if isinstance(peer, Fogo) else run
            return lambda: go(*tensors)

        return prepare

    found = {"torch": bound(function)}
    compiled = others.pop("compiled", None)
    if compiled:
        found["torch.compile"] = bound(torch.compile(compiled))
    for name, run in others.items():
        found[name] = bound(run)
    return found


def bandwidth(inputs: Inputs, small: bool) -> list[Case]:
    """A: what moves memory and little else."""
    n = (1 << 20) if small else (1 << 26)
    rows, cols = (256, 512) if small else (8192, 4096)
    a, b, c = [inputs.normal(n) for _ in range(3)]
    x, w, z = inputs.normal(rows, cols), inputs.normal(cols), inputs.normal(cols)
    wide = inputs.wide

    def chain(a: Any, b: Any, c: Any) -> Any:
        return F.gelu(a * b + c).sum()

    def copy(x: Any) -> Any:
        from fogo.dispatch import call
        from fogo.ops.elementwise import COPY

        return call(COPY, (x,))

    def norm(x: Any, w: Any, z: Any) -> Any:
        return F.layer_norm(x, (cols,), w, z)

    def our_norm(x: Any, w: Any, z: Any) -> Any:
        import fogo

        return fogo.layer_norm(x, (cols,), w, z)

    def tiny_norm(x: Any, w: Any, z: Any) -> Any:
        return x.layernorm() * w + z

    return [
        Case(
            f"copy, {n >> 20} Mi f32", 8.0 * n, "GB/s",
            ways(lambda x: x.clone(), a, fogo=copy),
            lambda: wide(a), 0.0,
        ),
        Case(
            f"add, {n >> 20} Mi f32", 12.0 * n, "GB/s",
            ways(lambda x, y: x + y, a, b, fogo=lambda x, y: x + y,
                 tinygrad=lambda x, y: x + y, compiled=lambda x, y: x + y),
            lambda: wide(a) + wide(b), 1e-6, "≥ 0.90 × torch",
        ),
        Case(
            f"gelu(a·b+c).sum(), {n >> 20} Mi", 12.0 * n, "GB/s",
            ways(chain, a, b, c, fogo=lambda a, b, c: (a * b + c).gelu().sum(),
                 tinygrad=lambda a, b, c: (a * b + c).gelu().sum(), compiled=chain),
            lambda: chain(wide(a), wide(b), wide(c)), 1e-3,
            "≥ 2.6 × torch, ≥ 0.9 × compile",
        ),
        Case(
            f"softmax [{rows}, {cols}]", 8.0 * rows * cols, "GB/s",
            ways(lambda x: x.softmax(-1), x, fogo=lambda x: x.softmax(-1),
                 tinygrad=lambda x: x.softmax(-1), compiled=lambda x: x.softmax(-1)),
            lambda: wide(x).softmax(-1), 1e-5, "≥ 0.8 × copy",
        ),
        Case(
            f"layer norm [{rows}, {cols}]", 8.0 * rows * cols, "GB/s",
            ways(norm, x, w, z, fogo=our_norm, tinygrad=tiny_norm, compiled=norm),
            lambda: norm(wide(x), wide(w), wide(z)), 1e-4, "≥ 0.8 × copy",
        ),
    ]  # fmt: skip


def matmul(inputs: Inputs, small: bool) -> list[Case]:
    """B: matrix products, PyTorch with TF32 off."""
    side = 256 if small else 4096
    middle = 128 if small else 1024
    batch = 4 if small else 64
    square = inputs.normal(side, side), inputs.normal(side, side)
    lesser = inputs.normal(middle, middle), inputs.normal(middle, middle)
    row = inputs.normal(1, side)
    heads = inputs.normal(batch, 512, 64), inputs.normal(batch, 512, 64)

    def product(x: Any, y: Any) -> Any:
        return x @ y

    def turned(x: Any, y: Any) -> Any:
        return x @ y.mT

    def tiny_turned(x: Any, y: Any) -> Any:
        return x @ y.transpose(-1, -2)

    def case(name: str, x: Any, y: Any, flops: float, most: float, aim: str) -> Case:
        nbytes = 0.0 if x.dtype == np.float16 else x.nbytes + y.nbytes
        return Case(
            name, flops, "TFLOP/s", ways(product, x, y, fogo=product, tinygrad=product),
            lambda: inputs.wide(x) @ inputs.wide(y), most, aim, nbytes,
        )  # fmt: skip

    halves = [m.astype(np.float16) for m in square]
    cases = [
        case(f"matmul {side}³ f32", *square, 2.0 * side**3, 1e-5,
             "≥ 30 wgpu, ≥ 42 dawn"),
        case(f"matmul {side}³ f16", *halves, 2.0 * side**3, 2e-3,
             "dawn ≥ 150, stretch 300"),
        case(f"matmul {middle}³ f32", *lesser, 2.0 * middle**3, 1e-5, ""),
        case(f"[1, {side}] @ [{side}, {side}]", row, square[1], 2.0 * side**2, 1e-5,
             "memory: 0.5 FLOP a byte"),
    ]  # fmt: skip
    x, y = heads
    cases.append(
        Case(
            f"[{batch}, 512, 64] @ [{batch}, 512, 64]ᵀ", 2.0 * batch * 512 * 512 * 64,
            "TFLOP/s", ways(turned, x, y, fogo=turned, tinygrad=tiny_turned),
            lambda: inputs.wide(x) @ inputs.wide(y).mT, 1e-5, "",
            x.nbytes + y.nbytes + 4 * batch * 512 * 512,
        )
    )  # fmt: skip
    return cases


def conv(inputs: Inputs, small: bool) -> list[Case]:
    """C: a 3×3 convolution, 64 → 64 channels, 56×56, and both gradients."""
    n, c, s = (2, 16, 14) if small else (32, 64, 56)
    x, w = inputs.normal(n, c, s, s), inputs.normal(c, c, 3, 3)
    g = inputs.normal(n, c, s, s)
    flops = 2.0 * n * c * c * 9 * s * s
    wide = inputs.wide

    def forward(x: Any, w: Any) -> Any:
        return F.conv2d(x, w, padding=1)

    def by_input(w: Any, g: Any) -> Any:
        return torch.nn.grad.conv2d_input((n, c, s, s), w, g, padding=1)

    def by_weight(x: Any, g: Any) -> Any:
        return torch.nn.grad.conv2d_weight(x, (c, c, 3, 3), g, padding=1)

    def ours(x: Any, w: Any) -> Any:
        import fogo

        return fogo.conv2d(x, w, padding=1)

    def our_input(w: Any, g: Any) -> Any:
        import fogo

        return fogo.conv_input_grad(g, w, (s, s), padding=1)

    def our_weight(x: Any, g: Any) -> Any:
        import fogo

        return fogo.conv_weight_grad(x, g, (3, 3), padding=1)

    def tiny(x: Any, w: Any) -> Any:
        return x.conv2d(w, padding=1)

    def case(name: str, found: dict[str, Way], true: Callable[[], Any]) -> Case:
        return Case(name, flops, "TFLOP/s", found, true, 1e-5, "≥ 0.5 × torch")

    return [
        case("conv2d 3×3", ways(forward, x, w, fogo=ours, tinygrad=tiny),
             lambda: forward(wide(x), wide(w))),
        case("its gradient by x", ways(by_input, w, g, fogo=our_input),
             lambda: by_input(wide(w), wide(g))),
        case("its gradient by w", ways(by_weight, x, g, fogo=our_weight),
             lambda: by_weight(wide(x), wide(g))),
    ]  # fmt: skip


def attention(inputs: Inputs, small: bool) -> list[Case]:
    """C: 16 heads, 2048 positions, 64 wide: forward, and with all gradients."""
    h, n, d = (2, 128, 64) if small else (16, 2048, 64)
    q, k, v, g = [inputs.normal(1, h, n, d) for _ in range(4)]
    wide = inputs.wide

    def ours(q: Any, k: Any, v: Any) -> Any:
        import fogo

        return fogo.scaled_dot_product_attention(q, k, v)

    def torch_all(q: Any, k: Any, v: Any, g: Any) -> Any:
        leaves = [t.detach().requires_grad_() for t in (q, k, v)]
        out = F.scaled_dot_product_attention(*leaves)
        return (out.detach(), *torch.autograd.grad(out, leaves, g))

    def ours_all(peer: Any) -> Work:
        import fogo

        tracked = peer.device.autodiff()
        leaves = [fogo.tensor(t, device=tracked).requires_grad_() for t in (q, k, v)]
        upstream = fogo.tensor(g, device=tracked)

        def work(q: Any, k: Any, v: Any, g: Any) -> Any:
            out = fogo.scaled_dot_product_attention(q, k, v)
            grads = (out * g).sum().backward()
            return (out.inner(), *[t.grad(grads) for t in (q, k, v)])

        go = peer.capture(work)
        return lambda: go(*leaves, upstream)

    both = ways(torch_all, q, k, v, g)
    both["fogo"] = ours_all
    return [
        Case(
            f"attention {h} × {n} × {d}", 4.0 * h * n * n * d, "TFLOP/s",
            ways(F.scaled_dot_product_attention, q, k, v, fogo=ours,
                 tinygrad=lambda q, k, v: q.scaled_dot_product_attention(k, v)),
            lambda: F.scaled_dot_product_attention(wide(q), wide(k), wide(v)), 1e-5,
        ),
        Case(
            "with all gradients", 14.0 * h * n * n * d, "TFLOP/s", both,
            lambda: torch_all(wide(q), wide(k), wide(v), wide(g)), 1e-4,
        ),
    ]  # fmt: skip
