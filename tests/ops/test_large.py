"""Sizes beyond one workgroup, tile or block: the paths that small cases never take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fogo

Case = tuple[tuple[tuple[int, ...], ...], Callable[..., Any], Callable[..., Any]]


def soft(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def scattered(x: Any, v: Any) -> Any:
    out = x.copy()
    np.add.at(out, np.arange(len(v)) * 7 % len(x), v)
    return out


def conv(x: Any, w: Any) -> Any:
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), (2, 3))
    return np.einsum("nchwij,ocij->nohw", seen, w)


def rows(x: fogo.Tensor, count: int) -> fogo.Tensor:
    i = fogo.arange(count, dtype="int32", device=x.device)
    return i * 7 % x.shape[0]


# Name: (shapes, fogo, NumPy in float64). Sizes are odd: no tile fits evenly.
CASES: dict[str, Case] = {
    "chain": (((70001,),), lambda x: (x * 2 + 1).tanh(), lambda x: np.tanh(x * 2 + 1)),
    "broadcast": (((257, 1), (301,)), lambda x, y: x * y, lambda x, y: x * y),
    "transposed": (((257, 301),), lambda x: x.transpose() + 1, lambda x: x.T + 1),
    "sum-all": (((70001,),), lambda x: x.sum(), lambda x: x.sum()),
    "sum-last": (((3, 4099),), lambda x: x.sum(1), lambda x: x.sum(1)),
    "sum-first": (((4099, 3),), lambda x: x.sum(0), lambda x: x.sum(0)),
    "sum-middle": (((5, 1031, 7),), lambda x: x.sum(1), lambda x: x.sum(1)),
    "sum-outer": (((67, 9, 131),), lambda x: x.sum((0, 2)), lambda x: x.sum((0, 2))),
    "max": (((3, 4099),), lambda x: x.max(1), lambda x: x.max(1)),
    "min-all": (((20011,),), lambda x: x.min(), lambda x: x.min()),
    "argmax": (((5, 4099),), lambda x: x.argmax(1), lambda x: x.argmax(1)),
    "var": (((3, 2053),), lambda x: x.var(1), lambda x: x.var(1)),
    "softmax": (((7, 1031),), lambda x: x.softmax(-1), soft),
    "matmul": (((65, 130), (130, 67)), lambda x, y: x @ y, lambda x, y: x @ y),
    "matmul-batch": (
        ((3, 33, 40), (40, 129)), lambda x, y: x @ y, lambda x, y: x @ y,
    ),
    "matmul-vector": (((301, 257), (257,)), lambda x, y: x @ y, lambda x, y: x @ y),
    "conv2d": (
        ((3, 5, 17, 19), (9, 5, 3, 3)),
        lambda x, w: fogo.conv2d(x, w, padding=1), conv,
    ),
    "cumsum": (((3, 2053),), lambda x: x.cumsum(1), lambda x: x.cumsum(1)),
    "sort": (((3, 1031),), lambda x: fogo.sort(x, 1), lambda x: np.sort(x, 1)),
    "concat": (
        ((1031, 3),) * 9, lambda *x: fogo.concat(x), lambda *x: np.concatenate(x),
    ),
    "take": (
        ((1031, 5),),
        lambda x: x.take(rows(x, 2053), 0), lambda x: x[np.arange(2053) * 7 % 1031],
    ),
    "add-at": (
        ((257, 5), (2053, 5)),
        lambda x, v: x.add_at(rows(x, 2053), v), scattered,
    ),
    "mask": (((70001,),), lambda x: x[x > 1], lambda x: x[x > 1]),
    "steps": (((70001,),), lambda x: x[::-3] * 1, lambda x: x[::-3]),
    "strided-assignment": (
        ((301, 257), (100, 129)),
        lambda x, v: assigned(x, v), lambda x, v: assigned(x, v),
    ),
}  # fmt: skip


def assigned(x: Any, v: Any) -> Any:
    y = x[:] if isinstance(x, fogo.Tensor) else x.copy()
    y[1::3, ::-2] = v
    return y


@pytest.mark.parametrize("name", list(CASES))
def test_forward(name: str, device: fogo.Device) -> None:
    shapes, ours, theirs = CASES[name]
    inputs = drawn(name, shapes)
    tensors = [fogo.tensor(x, device=device) for x in inputs]
    backend = device.backend
    before = (backend.uploads, backend.reads)
    out = ours(*tensors)
    if name != "mask":  # its size is read
        assert (backend.uploads, backend.reads) == before
    wanted = theirs(*[x.astype("float64") for x in inputs])
    assert out.shape == np.shape(wanted)
    scale = float(np.abs(wanted).max())
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-5, atol=4e-6 * scale)


@pytest.mark.parametrize("name", [n for n in CASES if n != "argmax"])
def test_gradient(name: str, device: fogo.Device) -> None:
    """Beside a difference of NumPy's float64 forward, along a random direction."""
    shapes, ours, theirs = CASES[name]
    inputs = drawn(name, shapes)
    leaves = [fogo.tensor(x, device=device.autodiff()) for x in inputs]
    out = ours(*[x.requires_grad_() for x in leaves])
    random = np.random.default_rng(1)
    w = random.uniform(-1, 1, out.shape).astype("float32")
    grads = (out * fogo.tensor(w, device=device)).sum().backward()
    for at, x in enumerate(leaves):
        v = random.uniform(-1, 1, x.shape)
        analytic = float((grads[x].numpy().astype("float64") * v).sum())
        ends = []
        for step in (1e-6, -1e-6):
            moved = [a.astype("float64") for a in inputs]
            moved[at] = moved[at] + step * v
            ends.append(float((theirs(*moved) * w).sum()))
        numeric = (ends[0] - ends[1]) / 2e-6
        size = np.sqrt((grads[x].numpy() ** 2).sum()) + 1
        assert abs(analytic - numeric) <= 1e-3 * size, (analytic, numeric)


def drawn(name: str, shapes: tuple[tuple[int, ...], ...]) -> list[Any]:
    """Distinct values: one is the largest, sorting is unique. Sums do not cancel."""
    random = np.random.default_rng(len(name))
    out = []
    for shape in shapes:
        count = int(np.prod(shape))
        values = random.permutation(count) * (4.0 / count) - 1.0
        out.append(values.astype("float32").reshape(shape))
    return out


def test_more_points_than_one_dimension_of_a_grid(device: fogo.Device) -> None:
    """WebGPU's grids end at 65,535 groups a dimension: they must be folded."""
    if device.name == "python":  # one loop, the same at any size
        count = 100_003
    else:
        count = 65_536 * 256 + 3
    x = fogo.arange(count, dtype="int32", device=device) % 1000
    total = (x + 1).astype("float32").max()
    assert total.item() == 1000.0
    assert x[count - 2 :].tolist() == [(count - 2) % 1000, (count - 1) % 1000]
    whole, rest = divmod(count, 1000)
    total = whole * 499_500 + rest * (rest - 1) // 2
    bits = device.default_int.bits  # int32 sums wrap
    wrapped = (total + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    assert x.sum().item() == wrapped
