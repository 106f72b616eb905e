"""Runs everything that has a tuned kernel, and every candidate for it, on small shapes.

`CALLS` are programs for tensors, with the same in PyTorch as reference. `Each` stands
in for a backend's chooser: whatever op comes along, all its candidates run, and must
give what the op's own kernel gives. Shapes leave tiles half full on purpose.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

import fogo
from fogo import fast
from fogo.fast import Caps, Chooser

# What WebGPU guarantees, and the features that kernels ask for.
LIMITS = {
    "maxComputeWorkgroupStorageSize": 16384,
    "maxComputeInvocationsPerWorkgroup": 256,
    "maxStorageBuffersPerShaderStage": 8,
    "maxComputeWorkgroupsPerDimension": 65535,
}
FEATURES = ("subgroups", "matrix", "shader-f16")
PORTABLE = Caps(set(FEATURES), LIMITS, False, (("float16", "float32", 16, 16, 16),))

TOLERANCE = {"float16": 1e-2, "float32": 3e-5, "float64": 1e-11}


class Call:
    """A program, its inputs, and the same in PyTorch.

    run     function(module, *inputs) -> result(s): module is fogo or TORCH
    shapes  of the inputs: normal numbers; arrays are taken as they are
    dtype   of the drawn inputs; grad: gradients by them are compared, too
    """

    def __init__(
        self,
        name: str,
        run: Callable[..., Any],
        *shapes: Any,
        dtype: str = "float32",
        grad: bool = False,
        factor: float = 1.0,
        draw: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        self.name = name
        self.run = run
        self.shapes = shapes
        self.dtype = dtype
        self.grad = grad
        self.factor = factor
        self.draw = draw

    def arrays(self) -> list[Any]:
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        made = []
        for s in self.shapes:
            if isinstance(s, np.ndarray):
                made.append(s)
            elif self.draw is not None:
                made.append(self.draw(random, s).astype(self.dtype))
            else:
                made.append(random.standard_normal(s).astype(self.dtype))
        return made

    def check(self, device: fogo.Device) -> None:
        """Run it on a device; AssertionError where it differs from PyTorch."""
        arrays = self.arrays()
        wanted = self._torch(arrays)
        got = self._fogo(arrays, device.autodiff() if self.grad else device)
        assert len(got) == len(wanted), self.name
        for place, (a, b) in enumerate(zip(got, wanted)):
            problem = differs(a, b, self.dtype, self.factor)
            assert not problem, f"{self.name}: result {place}: {problem}"

    def _torch(self, arrays: list[Any]) -> list[Any]:
        leaves = []
        for a in arrays:
            wide = "float64" if a.dtype.kind == "f" else "int64"
            leaves.append(torch.tensor(a.astype(wide)))
            if self.grad and a.dtype.kind == "f":
                leaves[-1].requires_grad_()
        outs = listed(self.run(Torch, *leaves))
        found = [o.detach().numpy() for o in outs]
        if self.grad:
            weight = torch.tensor(weights(tuple(outs[0].shape)))
            (outs[0] * weight).sum().backward()
            found += [x.grad.numpy() for x in leaves if x.requires_grad]
        return found

    def _fogo(self, arrays: list[Any], device: fogo.Device) -> list[Any]:
        leaves = []
        for a in arrays:
            x = fogo.tensor(a, device=device)
            leaves.append(x.requires_grad_() if self.grad and x.dtype.is_float else x)
        outs = listed(self.run(fogo, *leaves))
        found = [o.numpy() for o in outs]
        if self.grad:
            weight = fogo.tensor(
                weights(outs[0].shape).astype(self.dtype), device=device
            )
            grads = (outs[0] * weight).sum().backward()
            found += [grads[x].numpy() for x in leaves if x.dtype.is_float]
        return found


def listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def weights(shape: tuple[int, ...]) -> Any:
    """A cotangent that differs from place to place."""
    return ((np.arange(math.prod(shape)) * 5 + 3) % 9 - 4.0).reshape(shape) / 4.0


def differs(got: Any, wanted: Any, dtype: str, factor: float = 1.0) -> str:
    """Say how two arrays differ beyond rounding, in units of the largest element."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        return f"shape {got.shape} instead of {wanted.shape}"
    if got.size == 0:
        return ""
    if got.dtype.kind != "f":
        return "" if np.array_equal(got, wanted) else "other integers"
    a, b = got.astype("float64"), wanted.astype("float64")
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return "nan at other places"
    fine = ~np.isnan(a)
    scale = max(float(np.max(np.abs(b[fine]), initial=0.0)), 1e-3)
    if not np.isfinite(scale):
        return "" if np.array_equal(a, b, equal_nan=True) else "other infinities"
    worst = float(np.max(np.abs(a - b)[fine], initial=0.0)) / scale
    bound = TOLERANCE[dtype] * factor
    return "" if worst <= bound else f"off by {worst:.2g} of the largest ({bound:.2g})"


class Torch:
    """PyTorch by fogo's names."""

    matmul, exp, where, concat = torch.matmul, torch.exp, torch.where, torch.concat
    cumsum = staticmethod(lambda x, axis: torch.cumsum(x, axis))
    cumprod = staticmethod(lambda x, axis: torch.cumprod(x, axis))
    cummax = staticmethod(lambda x, axis: tuple(torch.cummax(x, axis)))
    cummin = staticmethod(lambda x, axis: tuple(torch.cummin(x, axis)))
    softmax, log_softmax = staticmethod(F.softmax), staticmethod(F.log_softmax)
    gelu, layer_norm = staticmethod(F.gelu), staticmethod(F.layer_norm)
    conv2d, conv1d = staticmethod(F.conv2d), staticmethod(F.conv1d)
    max_pool2d, avg_pool2d = staticmethod(F.max_pool2d), staticmethod(F.avg_pool2d)
    cross_entropy = staticmethod(F.cross_entropy)
    scaled_dot_product_attention = staticmethod(F.scaled_dot_product_attention)
    logsumexp = staticmethod(lambda x, axis: torch.logsumexp(x, axis))
    embedding = staticmethod(lambda index, weight: F.embedding(index, weight))
    sort_pairs = staticmethod(lambda x, d: tuple(torch.sort(x, dim=d, stable=True)))
    topk = staticmethod(lambda x, k: tuple(torch.topk(x, k)))
    index_add = staticmethod(torch.index_add)
    argmax, argmin = torch.argmax, torch.argmin
    scatter = torch.scatter
    index_copy = staticmethod(torch.index_copy)
    scatter_add = staticmethod(torch.scatter_add)
    index_select = staticmethod(lambda x, axis, i: torch.index_select(x, axis, i))

    @staticmethod
    def linear_scan(a: Any, b: Any) -> Any:
        """y[t] = a[t] * y[t-1] + b[t] along the last axis."""
        steps = [b[..., 0]]
        for t in range(1, b.shape[-1]):
            steps.append(a[..., t] * steps[-1] + b[..., t])
        return torch.stack(steps, -1)


def shuffled(random: Any, shape: Any) -> Any:
    """Numbers of which no two are equal."""
    return random.permutation(math.prod(shape)).reshape(shape)


def _index(name: str, high: int, count: int) -> Any:
    random = np.random.default_rng(zlib.crc32(name.encode()))
    return random.integers(0, high, count).astype("int32")


def _attention(m: Any, q: Any, k: Any, v: Any) -> Any:
    return m.scaled_dot_product_attention(q, k, v)


def _causal(m: Any, q: Any, k: Any, v: Any) -> Any:
    return m.scaled_dot_product_attention(q, k, v, is_causal=True)


def _product(m: Any, x: Any, y: Any) -> Any:
    return m.matmul(x, y)


def _conv(stride: int, padding: int, groups: int = 1) -> Callable[..., Any]:
    def run(m: Any, x: Any, w: Any) -> Any:
        return m.conv2d(x, w, None, stride, padding, 1, groups)

    return run


CALLS = [
    Call("matmul", _product, (37, 34), (34, 35)),
    Call("matmul even", _product, (32, 32), (32, 64)),
    Call("matmul batched", _product, (2, 33, 20), (2, 20, 36)),
    Call("matmul transposed", lambda m, x, y: m.matmul(x.mT, y), (20, 36), (20, 40)),
    Call("matmul row", _product, (1, 512), (512, 96)),
    Call("matmul column", _product, (96, 512), (512, 1)),
    Call("matmul half", _product, (66, 64), (64, 48), dtype="float16"),
    Call("matmul units", _product, (64, 64), (64, 64), dtype="float16"),
    Call("points", lambda m, x, y: m.exp(x) * y + 1.0, (16400,), (16400,)),
    Call("points rows", lambda m, x, y: x * y, (130, 132), (132,)),
    Call("sum rows", lambda m, x: x.sum(1), (5, 3001), factor=10),
    Call("sum columns", lambda m, x: x.sum(0), (2000, 7), factor=10),
    Call("sum all", lambda m, x: x.sum(), (20000,), factor=100),
    Call("max rows", lambda m, x: m.exp(x).sum((0, 2)), (6, 70, 33), factor=10),
    Call("sum half", lambda m, x: x.sum(1), (3, 600), dtype="float16"),
    Call("softmax", lambda m, x: m.softmax(x, 1), (5, 1000), grad=True),
    Call("softmax short", lambda m, x: m.softmax(x, 1), (70, 33)),
    Call("softmax columns", lambda m, x: m.softmax(x, 0), (70, 34)),
    Call("log_softmax", lambda m, x: m.log_softmax(x, 1), (6, 257), grad=True),
    Call("logsumexp", lambda m, x: m.logsumexp(x, 1), (9, 300)),
    Call("layer_norm", lambda m, x: m.layer_norm(x, (260,)), (9, 260), grad=True),
    Call("cross_entropy", lambda m, x, i: m.cross_entropy(x, i.long() if m is Torch
         else i), (40, 50), _index("classes", 50, 40), grad=True),
    Call("cumsum", lambda m, x: m.cumsum(x, 1), (3, 700), factor=10),
    Call("cumsum columns", lambda m, x: m.cumsum(x, 0), (300, 40), factor=10),
    Call("cumsum long", lambda m, x: m.cumsum(x, 0), (9001,), factor=100),
    Call("cumprod", lambda m, x: m.cumprod(m.exp(x * 0.01), 1), (3, 130)),
    Call("cummax", lambda m, x: m.cummax(x, 1), (3, 300), draw=shuffled),
    Call("cummin", lambda m, x: m.cummin(x, 0), (200, 33), draw=shuffled),
    Call("linear_scan", lambda m, a, b: m.linear_scan(a * 0.5, b), (2, 70), (2, 70)),
    Call("sort", lambda m, x: m.sort_pairs(x, 1), (3, 100), draw=shuffled),
    Call("sort columns", lambda m, x: m.sort_pairs(x, 0), (1100, 2), draw=shuffled),
    Call("sort long", lambda m, x: m.sort_pairs(x, 0), (5000,), draw=shuffled),
    Call("topk", lambda m, x: m.topk(x, 5), (3, 1500), draw=shuffled),
    Call("rows taken", lambda m, x, i: m.index_select(x, 0, i), (50, 16),
         _index("rows", 50, 30)),
    Call("embedding", lambda m, w, i: m.embedding(i, w), (40, 8),
         _index("words", 40, 300), grad=True),
    Call("index_add", lambda m, x, i, v: m.index_add(x, 0, i, v), (40, 6),
         _index("adds", 40, 200), (200, 6)),
    Call("index_copy", lambda m, x, i, v: m.index_copy(x, 0, i, v), (300, 3),
         np.arange(200, dtype="int32") * 7 % 300, (200, 3)),
    Call("scatter", lambda m, x, i, v: m.scatter(x, 0, i, v), (300, 2),
         np.stack([np.arange(150) * 7 % 300] * 2, 1).astype("int32"), (150, 2)),
    Call("scatter_add", lambda m, x, i, v: m.scatter_add(x, 0, i, v), (90, 2),
         np.stack([np.arange(150) * 7 % 90] * 2, 1).astype("int32"), (150, 2)),
    Call("scatter_add", lambda m, x, i, v: m.scatter_add(x, 0, i, v), (30, 2),
         np.stack([_index("sums", 30, 150)] * 2, 1), (150, 2)),
    Call("argmax", lambda m, x: m.argmax(x, 1), (5, 1000), draw=shuffled),
    Call("argmin", lambda m, x: m.argmin(x, 0), (900, 3), draw=shuffled),
    Call("concat", lambda m, *parts: m.concat(list(parts), 0), *[(3, 4)] * 12),
    Call("max_pool2d", lambda m, x: m.max_pool2d(x, 3, 2, 1), (2, 3, 11, 13),
         grad=True, draw=shuffled),
    Call("avg_pool2d", lambda m, x: m.avg_pool2d(x, 3, 2), (2, 3, 11, 13), grad=True),
    Call("conv2d", _conv(1, 1), (1, 5, 6, 7), (9, 5, 3, 3), grad=True),
    Call("conv2d stride", _conv(2, 1), (1, 6, 11, 8), (9, 6, 3, 3), grad=True),
    Call("conv2d groups", _conv(1, 0, 2), (1, 8, 7, 7), (8, 4, 3, 3), grad=True),
    Call("conv2d thin", _conv(1, 1), (1, 1, 9, 10), (5, 1, 3, 3), grad=True),
    Call("conv2d points", _conv(1, 0), (1, 8, 8, 8), (16, 8, 1, 1), grad=True),
    Call("conv2d half", _conv(1, 1), (1, 8, 6, 6), (8, 8, 3, 3), dtype="float16"),
    Call("attention", _attention, *[(2, 19, 12)] * 3, grad=True),
    Call("attention causal", _causal, *[(1, 2, 18, 8)] * 3, grad=True),
    Call("gelu sum", lambda m, a, b, c: m.gelu(a * b + c).sum(), *[(40, 65)] * 3,
         grad=True, factor=10),
    Call("residual", lambda m, x, y: m.layer_norm(x + y, (130,)) + x,
         *[(17, 130)] * 2, grad=True),
]  # fmt: skip


class Each(Chooser):
    """Tries every candidate of every op that comes along, then lets its own run.

    tried  names of what ran; problems  what differed
    """

    def __init__(self, backend: Any, caps: Caps) -> None:
        Chooser.__init__(self, backend, caps)
        self.tried: dict[str, int] = {}
        self.problems: list[str] = []
        self.busy = False

    def choose(self, op: Any, inputs: Any, attrs: Any, outs: Any) -> Any:
        name = "reduce" if op.combine else "pointwise" if op.formula else op.name
        if self.busy or name not in fast.TABLE:
            return None
        module = fast._module(fast.TABLE[name])
        offered = module.candidates(op, inputs, attrs, outs, self.caps)
        if offered:
            self.busy = True
            try:
                self._compare(name, offered, op, inputs, attrs, outs)
            finally:
                self.busy = False
        return None

    def _compare(
        self, name: str, offered: Any, op: Any, inputs: Any, attrs: Any, outs: Any
    ) -> None:
        own = self.backend.execute(op, inputs, attrs, outs)
        wanted = [numbers(self.backend, h) for h in own]
        for c in offered:
            label = f"{name}: {c.name}"
            try:
                if c.run is not None:
                    made = c.run(self.backend, inputs, outs)
                else:
                    made = self.backend.run(c.op, inputs, c.attrs, outs)
                self.tried[label] = self.tried.get(label, 0) + 1
                for h, b in zip(made, wanted):
                    dtype = "float16" if inputs[0].dtype.bits == 16 else h.dtype.name
                    problem = differs(numbers(self.backend, h), b, dtype, 10)
                    if problem:
                        self.problems.append(f"{label}: {problem}")
            except Exception as error:
                self.problems.append(f"{label}: {type(error).__name__}: {error}")


def numbers(backend: Any, handle: Any) -> Any:
    """A handle's elements as a NumPy array."""
    (flat,) = backend.read([handle])
    return np.frombuffer(bytes(flat), handle.dtype.name).reshape(handle.shape)
