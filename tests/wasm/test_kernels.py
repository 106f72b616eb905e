"""Kernels with loops, branches and cells, and views of every kind, in WebAssembly."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.dispatch import call as run_op
from fogo.dtypes import float32, int64
from fogo.expr import INDEX, Expr, call, cast, literal, where
from fogo.kernel.ir import Kernel
from fogo.ops.record import Aval, Op
from fogo.wasm.address import Atoms, product, total
from fogo.wasm.printer import accumulators

COUNTER = itertools.count()


def run(
    kernel: Callable[..., None], inputs: list[Any], shape: tuple[int, ...], dtype: Any
) -> Any:
    """Run a kernel as an op of its own, with one output."""
    op = Op(
        f"test_kernel_{next(COUNTER)}",
        kernel=kernel,
        infer=lambda avals, attrs: (Aval(shape, dtype),),
    )
    return run_op(op, tuple(inputs)).numpy()


def test_a_loop_bounded_by_the_point(wasm: fogo.Device) -> None:
    """Prefix sums by definition: the inner loop is as long as the coordinate."""
    x = np.random.default_rng(0).uniform(-1, 1, (5, 9))

    def kernel(k: Any, x: Any, out: Any) -> None:
        r, c = k.grid(out.shape)
        acc = k.cell(0.0, x.dtype)
        with k.loop(c + 1) as j:
            acc.set(acc + x[r, j])
        out[r, c] = acc

    found = run(kernel, [fogo.tensor(x, device=wasm)], (5, 9), fogo.float64)
    np.testing.assert_allclose(found, np.cumsum(x, 1), 1e-14)


def test_a_loop_that_goes_down(wasm: fogo.Device) -> None:
    """Horner's rule from the last coefficient, then every second from the end."""
    x = np.random.default_rng(1).uniform(-1, 1, (4, 7))

    def kernel(k: Any, x: Any, out: Any) -> None:
        r, _ = k.grid((out.shape[0], 1))
        acc = k.cell(0.0, x.dtype)
        with k.loop(-1, x.shape[1] - 1, -1) as j:
            acc.set(acc * 0.5 + x[r, j])
        out[r, 0] = acc
        odd = k.cell(0.0, x.dtype)
        with k.loop(0, x.shape[1] - 1, -2) as j:
            odd.set(odd + x[r, j] * cast(j, x.dtype))
        out[r, 1] = odd

    found = run(kernel, [fogo.tensor(x, device=wasm)], (4, 2), fogo.float64)
    expected = np.zeros((4, 2))
    for r in range(4):
        for j in range(6, -1, -1):
            expected[r, 0] = expected[r, 0] * 0.5 + x[r, j]
        expected[r, 1] = sum(x[r, j] * j for j in (6, 4, 2))
    np.testing.assert_allclose(found, expected, 1e-14)


def test_a_loop_that_never_runs_reads_nothing(wasm: fogo.Device) -> None:
    def kernel(k: Any, x: Any, out: Any) -> None:
        (r,) = k.grid(out.shape)
        acc = k.cell(7.0, x.dtype)
        with k.loop(x.shape[1], x.shape[1] + 3) as j:
            acc.set(x[r, j])
        with k.loop(r - 100) as j:
            acc.set(x[r, j])
        out[r] = acc

    x = fogo.ones((3, 2), device=wasm)
    assert run(kernel, [x], (3,), fogo.float32).tolist() == [7.0, 7.0, 7.0]


def test_indices_that_were_loaded_and_bounds_that_were_loaded(
    wasm: fogo.Device,
) -> None:
    """Sums over ragged rows: starts[r] … starts[r+1], through a permutation."""
    rng = np.random.default_rng(2)
    x = rng.uniform(-1, 1, (6, 20))
    starts = np.array([0, 3, 3, 11, 20])
    order = rng.permutation(20)

    def kernel(k: Any, x: Any, starts: Any, order: Any, out: Any) -> None:
        r, c = k.grid(out.shape)
        acc = k.cell(0.0, x.dtype)
        last = k.let(k.index(starts[r + 1]))
        with k.loop(last, k.index(starts[r])) as j:
            at = k.let(k.index(order[j]))
            with k.loops((2, 3)) as (a, b):
                acc.set(acc + x[c + a, at] * cast(b, x.dtype))
        out[r, c] = acc

    inputs = [fogo.tensor(a, device=wasm) for a in (x, starts, order)]
    found = run(kernel, inputs, (4, 5), fogo.float64)
    expected = np.zeros((4, 5))
    for r, c in np.ndindex(4, 5):
        for j in range(starts[r], starts[r + 1]):
            for a in range(2):
                expected[r, c] += x[c + a, order[j]] * 3
    np.testing.assert_allclose(found, expected, 1e-13, 1e-13)


def test_branches_inside_loops(wasm: fogo.Device) -> None:
    """A convolution by hand: taps outside are skipped, counted by the other branch."""
    x = np.random.default_rng(3).uniform(-1, 1, (11,))

    def kernel(k: Any, x: Any, out: Any) -> None:
        c, _ = k.grid((out.shape[0], 1))
        acc = k.cell(0.0, x.dtype)
        skipped = k.cell(0, int64)
        with k.loop(5) as j:
            at = c * 2 + j * 3 - 4
            branch = k.when((at >= 0) & (at < x.shape[0]))
            with branch:
                acc.set(acc + x[at])
            with k.otherwise(branch.value):
                skipped.set(skipped + 1)
        out[c, 0] = acc
        out[c, 1] = cast(skipped, x.dtype)

    found = run(kernel, [fogo.tensor(x, device=wasm)], (6, 2), fogo.float64)
    for c in range(6):
        taps = [c * 2 + j * 3 - 4 for j in range(5)]
        inside = [x[t] for t in taps if 0 <= t < 11]
        np.testing.assert_allclose(found[c], [sum(inside), 5 - len(inside)], 1e-13)


def test_a_let_keeps_what_a_cell_was(wasm: fogo.Device) -> None:
    """Fibonacci numbers, and a cell as an index."""

    def kernel(k: Any, x: Any, out: Any) -> None:
        (c,) = k.grid(out.shape)
        a, b = k.cell(0, int64), k.cell(1, int64)
        place = k.cell(literal(0, INDEX))
        with k.loop(c):
            before = k.let(a)
            a.set(b)
            b.set(before + b)
            place.set((place + 3) % x.shape[0])
        out[c] = a * 100 + x[place]

    x = fogo.arange(7, device=wasm)
    found = run(kernel, [x], (10,), fogo.int64).tolist()
    fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    assert found == [100 * f + i * 3 % 7 for i, f in enumerate(fib)]


def test_coordinates_divided_and_negative(wasm: fogo.Device) -> None:
    """Index arithmetic floors as Python does, whatever the printer knows of signs."""

    def kernel(k: Any, x: Any, out: Any) -> None:
        c, d = k.grid(out.shape)
        n = x.shape[0]
        a = (c - 5) // 3 + (c - 5) % 3 * 10 + (c - 4) // 4 * 100 + (d - 7) % 8 * 1000
        b = c // n + c % n * 10 + (c * 7) // 8 * 100 + (3 - d) // n * 1000
        b = b + call("max", c - 9, d - 12) // n * 10000 + call("max", c - 9, 0) // n
        out[c, d] = cast(where(d < 4, a, b), out.dtype) + x[c % n] * 0

    x = fogo.arange(3, device=wasm)
    found = run(kernel, [x], (11, 9), fogo.int64)
    for c, d in np.ndindex(11, 9):
        a = (c - 5) // 3 + (c - 5) % 3 * 10 + (c - 4) // 4 * 100 + (d - 7) % 8 * 1000
        b = c // 3 + c % 3 * 10 + (c * 7) // 8 * 100 + (3 - d) // 3 * 1000
        b += max(c - 9, d - 12) // 3 * 10000 + max(c - 9, 0) // 3
        assert found[c, d] == (a if d < 4 else b)


def test_a_million_terms_keep_their_digits(wasm: fogo.Device) -> None:
    """float32 sums add up in float64; a naive float32 sum gives 100958.34 here."""
    x = fogo.full((1000000,), 0.1, device=wasm)
    exact = 1000000 * float(np.float32(0.1))
    assert x.sum().item() == pytest.approx(exact, rel=1e-7)
    rows = fogo.full((4, 200000), 0.1, device=wasm)
    np.testing.assert_allclose((rows @ rows.transpose()).numpy(), 2000.0, 1e-6)


def test_only_cells_that_add_up_are_wide() -> None:
    k = Kernel("cells")
    x = k.param(("attr", 0, 0), float32)
    total, product, other, doubled = [k.cell(0.0, float32) for _ in range(4)]
    with k.loop(3):
        total.set(total + x)
        product.set(x * product)
        other.set(other + x)
        other.set(x)
        doubled.set(call("max", doubled, x))
    assert accumulators(k.body) == {total.args[0], product.args[0]}


def test_polynomials_of_addresses() -> None:
    """b*(i + 2) - (i - c//3)*b = 2b + b*(c//3), with c//3 an atom."""
    b, c, i = [Expr("var", (name,), INDEX) for name in "bci"]
    atoms = Atoms()
    for depth, name in enumerate("bci"):
        atoms.depths[name] = depth
    found = atoms.polynomial(b * (i + 2) - (i - c // 3) * b)
    nb, quotient = atoms.number(b), atoms.number(c // 3)
    assert found == {(nb,): 2, tuple(sorted((nb, quotient))): 1}
    assert atoms.levels[quotient] == 1 and atoms.level((nb, quotient)) == 1
    one = {(): 1}
    assert product(total(one, {(5,): 1}), total(one, {(5,): -1})) == {(): 1, (5, 5): -1}


VIEWS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: x,
    "permuted": lambda x: x.permute((2, 0, 1)),
    "flipped": lambda x: x.flip((0, 2)),
    "stepped": lambda x: x[1:, ::2, 3:],
    "backwards": lambda x: x[::-1, 4:0:-2, ::-1],
    "expanded": lambda x: x[:, :1, :].expand((4, 3, 6)),
    "picked": lambda x: x[2, :, 5],
    "scalar": lambda x: x[1, 2, 3],
    "empty": lambda x: x[:, 2:2, :],
}


def as_numpy(name: str, x: Any) -> Any:
    """The same view by NumPy."""
    if name == "permuted":
        return x.transpose(2, 0, 1)
    if name == "flipped":
        return np.flip(x, (0, 2))
    if name == "expanded":
        return np.broadcast_to(x[:, :1, :], (4, 3, 6))
    return VIEWS[name](x)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint16", "float64", "bool"])
@pytest.mark.parametrize("name", list(VIEWS))
def test_views(name: str, dtype: str, wasm: fogo.Device) -> None:
    base = np.random.default_rng(4).integers(0, 60, (4, 5, 6)).astype(dtype)
    x = VIEWS[name](fogo.tensor(base, device=wasm))
    expected = as_numpy(name, base)
    np.testing.assert_array_equal(x.numpy(), expected)
    if dtype != "bool":
        np.testing.assert_array_equal((x + x).numpy(), expected + expected)
        wide = expected.astype("float64")
        np.testing.assert_array_equal(
            x.astype("float64").sum(0 if x.ndim else None).numpy(),
            wide.sum(0) if x.ndim else wide,
        )


def test_parameters_of_64_bits_arrive_whole(wasm: fogo.Device) -> None:
    """They travel as two halves."""
    for value in (-1, 2**62 + 12345, -(2**63), 2**32, 2**31):
        x = fogo.full((3,), value, dtype="int64", device=wasm)
        assert x.tolist() == [value] * 3
    top = fogo.full((2,), 2**64 - 2, dtype="uint64", device=wasm)
    assert top.tolist() == [2**64 - 2] * 2
    word = fogo.full((2,), 2**32 - 1, dtype="uint32", device=wasm)
    assert word.tolist() == [2**32 - 1] * 2
    steps = fogo.arange(2**40, 2**40 + 9, 3, device=wasm)
    assert steps.tolist() == [2**40, 2**40 + 3, 2**40 + 6]


def test_equal_kernels_are_one_module(wasm: fogo.Device) -> None:
    backend = wasm.backend
    x = fogo.ones((5,), device=wasm)
    _ = x + x
    modules, plans = len(backend._modules), len(backend.planner.plans)
    y = fogo.ones((77,), device=wasm)
    _ = y + y
    assert len(backend._modules) == modules
    assert len(backend.planner.plans) > plans
