"""Neighbouring points in one loop: which axis, what they share, and the results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.dtypes import float32, int32
from fogo.expr import cast
from fogo.kernel.ir import Array, Declare, Kernel, Load, Loop
from fogo.ops.matmul import MATMUL
from fogo.wasm.jam import COUNT, axis_to_jam, jam


def kernel(body: Callable[..., None], *ranks: int) -> Kernel:
    """A kernel over arrays of these ranks; the last is its output."""
    k = Kernel("jammed")
    for i, rank in enumerate(ranks):
        shape = [k.param(("size", i, d), fogo.expr.INDEX) for d in range(rank)]
        steps = [k.param(("stride", i, d), fogo.expr.INDEX) for d in range(rank)]
        start = fogo.expr.literal(0, fogo.expr.INDEX)
        written = i == len(ranks) - 1
        k.arrays.append(Array(k, i, float32, shape, steps, start, written))
    body(k, *k.arrays)
    return k


def triangle(k: Any, x: Any, out: Any) -> None:
    r, c = k.grid(out.shape)
    acc = k.cell(0.0, float32)
    with k.loop(c + 1) as j:
        acc.set(acc + x[r, j])
    out[r, c] = acc


def ragged(k: Any, x: Any, out: Any) -> None:
    (r,) = k.grid(out.shape)
    acc = k.cell(0.0, float32)
    with k.loop(cast(x[r], fogo.expr.INDEX)):
        acc.set(acc + 1.0)
    out[r] = acc


def test_the_axis_is_the_last_on_which_all_loops_agree() -> None:
    assert axis_to_jam(kernel(MATMUL.kernel, 2, 2, 2)) == 1
    assert axis_to_jam(kernel(triangle, 2, 2)) == 0


def test_loops_of_unequal_length_and_no_loops_are_left_alone() -> None:
    def plain(k: Any, x: Any, out: Any) -> None:
        c = k.grid(out.shape)
        out[c] = x[c] + 1.0

    assert axis_to_jam(kernel(ragged, 1, 1)) is None
    assert axis_to_jam(kernel(plain, 2, 2)) is None


def test_what_all_neighbours_read_is_read_once() -> None:
    """A matrix product along a row: one load of the left side, COUNT of the right."""
    body = jam(kernel(MATMUL.kernel, 2, 2, 2), 1)
    (loop,) = [s for s in body if isinstance(s, Loop)]
    loads = [s.array.position for s in loop.body if isinstance(s, Load)]
    assert loads == [0] + [1] * COUNT


def test_a_cell_set_under_a_neighbours_condition_is_its_own() -> None:
    def first_hit(k: Any, x: Any, out: Any) -> None:
        r, c = k.grid(out.shape)
        seen = k.cell(0, int32)
        with k.loop(x.shape[1]) as j:
            with k.when(c < j):
                seen.set(seen + 1)
        out[r, c] = cast(seen, float32)

    body = jam(kernel(first_hit, 2, 2), 1)
    names = {s.target.args[0] for s in body if isinstance(s, Declare)}
    assert len(names) == COUNT


@pytest.mark.parametrize("columns", range(1, 2 * COUNT + 2))
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "float16"])
def test_products_of_every_width(columns: int, dtype: str, wasm: fogo.Device) -> None:
    rng = np.random.default_rng(columns)
    a = rng.integers(-4, 5, (3, 6)).astype(dtype)
    b = rng.integers(-4, 5, (6, columns)).astype(dtype)
    x, y = fogo.tensor(a, device=wasm), fogo.tensor(b, device=wasm)
    np.testing.assert_array_equal((x @ y).numpy(), a.astype("f8") @ b.astype("f8"))
    turned = fogo.tensor(np.ascontiguousarray(b.T), device=wasm).transpose()
    np.testing.assert_array_equal((x @ turned).numpy(), a.astype("f8") @ b)


@pytest.mark.parametrize("channels", [1, 3, 4, 5, 8])
@pytest.mark.parametrize("padding", [0, 1])
def test_convolutions_of_every_width(
    channels: int, padding: int, wasm: fogo.Device
) -> None:
    import torch

    rng = np.random.default_rng(channels)
    x = rng.uniform(-1, 1, (2, 3, 7, 6))
    w = rng.uniform(-1, 1, (channels, 3, 3, 3))
    device = wasm.autodiff()
    a = fogo.tensor(x, device=device).requires_grad_()
    b = fogo.tensor(w, device=device).requires_grad_()
    y = fogo.conv2d(a, b, stride=2, padding=padding)
    grads = (y * y * y).sum().backward()
    p = torch.tensor(x, requires_grad=True)
    q = torch.tensor(w, requires_grad=True)
    z = torch.nn.functional.conv2d(p, q, stride=2, padding=padding)
    (z * z * z).sum().backward()
    np.testing.assert_allclose(y.detach().numpy(), z.detach().numpy(), 1e-12, 1e-12)
    for found, expected in ((grads[a], p.grad), (grads[b], q.grad)):
        assert expected is not None
        np.testing.assert_allclose(found.numpy(), expected.numpy(), 1e-11, 1e-11)
