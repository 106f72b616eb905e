"""A kernel that is kept for other shapes is the one that would be made for them."""

from __future__ import annotations

from typing import Any

import numpy as np

import fogo
from fogo.backend.fusion.stream import Fusion
from fogo.backend.python import Python
from tests.fusion.programs import Program, Seeded
from tests.fusion.test_programs import part

PROGRAMS = 250


class Retraced(dict[Any, Any]):
    """Kernels by key, where each is made anew and compared with the one kept."""

    def __init__(self) -> None:
        super().__init__()
        self.compared = 0

    def get(self, key: Any, default: Any = None) -> Any:
        return None

    def __setitem__(self, key: Any, kernel: Any) -> None:
        kept = dict.get(self, key)
        if kept is not None:
            self.compared += 1
            assert shown(kept) == shown(kernel), (
                f"two kernels of one key: {kernel.name}"
            )
        dict.__setitem__(self, key, kernel)


def shown(kernel: Any) -> Any:
    """All that a kernel is made of, as text."""

    def lines(body: list[Any]) -> Any:
        for statement in body:
            parts = {}
            for kind in type(statement).__mro__:
                for name in getattr(kind, "__slots__", ()):
                    parts[name] = getattr(statement, name, None)
            parts.update(getattr(statement, "__dict__", {}))
            inner = [list(lines(parts.pop(n) or [])) for n in ("body", "orelse")
                     if n in parts]  # fmt: skip
            parts.pop("array", None)
            parts.pop("where", None)
            yield type(statement).__name__, repr(sorted(parts.items(), key=str)), inner

    return list(kernel.sources), list(lines(kernel.body)), repr(kernel.dims)


def watched() -> tuple[fogo.Device, Retraced]:
    backend = Fusion(Python())
    kernels = backend.kernels = Retraced()
    return fogo.Device("python", backend), kernels


def test_of_random_programs() -> None:
    device, kernels = watched()
    for number in range(part(PROGRAMS)):
        Program(Seeded(number)).run(device)
    assert kernels.compared > 20


def test_of_functions_at_several_shapes() -> None:
    """Wide, tall, square, with equal and unequal neighbours."""
    device, kernels = watched()
    rng = np.random.default_rng(0)
    for shape in [(4, 4), (4, 3), (3, 4), (1, 4), (4, 1), (5, 5), (2, 5)]:
        x = fogo.tensor(rng.uniform(0, 1, shape).tolist(), device=device)
        n, m = shape
        for made in (
            (x * 2.0).pad(((0, n), (1, 0))),
            (x + 1.0)[: n // 2 + 1].exp().pad(((0, n - n // 2 - 1), (0, 0))) * x,
            (x - x.mean(1, keepdims=True)).softmax(0) @ (x.T + x[0, 0]),
            fogo.concat([x.exp(), x[:1] * 3.0], 0).cumsum(0),
            (x * 3.0).reshape((-1,))[: m].sort() + x[0],
            fogo.linalg.qr(x + 1.0)[1] * 2.0,
        ):  # fmt: skip
            made.tolist()
    assert kernels.compared > 20


def _layers(x: Any, w: Any) -> list[Any]:
    """Values whose gradients are asked for: x [n, m], w [m]."""
    n, m = x.shape
    image = (x * 2.0).reshape((1, 1, n, m))
    heads = x.reshape((1, 1, n, m))
    target = fogo.zeros(n, dtype="int32", device=x.device)
    rows = fogo.zeros(n, m, dtype="int32", device=x.device)
    return [
        fogo.conv2d(image, w.reshape((1, 1, 1, m)) * 0.5, padding=(0, m)).relu(),
        fogo.scaled_dot_product_attention(heads * 1.1, heads, heads * 0.5) * 2.0,
        fogo.layer_norm(x + 1.0, m, w, w * 2.0) * x,
        fogo.cross_entropy(x * 2.0, target, label_smoothing=0.1),
        fogo.scatter_reduce(x * 2.0, 0, rows, x + 1.0, "prod"),
        fogo.interpolate(image, size=(m + 1, 2 * n), mode="bilinear") * 1.5,
        fogo.linear_scan(x * 0.5, x + 1.0, 0).sum(1),
        fogo.concat([x @ w, (x * x).sum(0), w.exp()], 0) * 2.0,
    ]


def test_of_gradients_at_several_shapes() -> None:
    device, kernels = watched()
    rng = np.random.default_rng(1)
    for n, m in [(4, 4), (3, 4), (1, 4), (4, 1), (5, 5), (5, 2), (1, 1), (8, 4)]:
        given = [
            fogo.tensor(rng.uniform(0.1, 1, s).tolist(), device=device)
            for s in ((n, m), (m,))
        ]

        def loss(x: Any, w: Any) -> Any:
            return fogo.stack([(made * made).sum() for made in _layers(x, w)]).sum()

        for slope in fogo.grad(loss, argnums=(0, 1))(*given):
            slope.tolist()
    assert kernels.compared > 100
