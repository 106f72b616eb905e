"""Printed WGSL compiles and computes: dtypes, layouts, packing, statements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.dispatch import call
from fogo.expr import INDEX, bitcast, cast, where
from fogo.kernel.ir import Array, Kernel
from fogo.kernel.lower import Plan
from fogo.ops.record import Aval, Op
from fogo.webgpu.wgsl import print_kernel

DTYPES = [
    "bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "float32",
]  # fmt: skip
RANDOM = np.random.default_rng(11)


def data(dtype: str, *shape: int) -> np.ndarray:
    if dtype == "bool":
        return RANDOM.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return RANDOM.normal(0, 3, shape).astype(dtype)
    info = np.iinfo(dtype)
    low, high = max(info.min, -1000000), min(info.max, 1000000)
    return RANDOM.integers(low, high, shape, endpoint=True).astype(dtype)


def run(op: Op, device: fogo.Device, *arrays: np.ndarray, attrs: tuple = ()) -> Any:
    out = call(op, [fogo.tensor(a, device=device) for a in arrays], attrs)
    many = isinstance(out, tuple)
    return [t.numpy() for t in out] if many else out.numpy()


def like_first(avals: Any, attrs: Any) -> tuple[Aval, ...]:
    return (Aval(avals[0].shape, avals[0].dtype),)


# Views: (what fogo does, what NumPy does).
VIEWS = {
    "plain": (lambda t: t, lambda a: a),
    "transposed": (lambda t: t.transpose(), lambda a: a.T),
    "backwards": (lambda t: t[::-1, ::-2], lambda a: a[::-1, ::-2]),
    "inner": (lambda t: t[1:4, 2:5], lambda a: a[1:4, 2:5]),
    "row": (lambda t: t[2].expand(6, 7), lambda a: np.broadcast_to(a[2], (6, 7))),
    "column": (
        lambda t: t[:, 3:4].expand(5, 7),
        lambda a: np.broadcast_to(a[:, 3:4], (5, 7)),
    ),
    "one": (lambda t: t[1, 1], lambda a: a[1, 1]),
    "none": (lambda t: t[2:2], lambda a: a[2:2]),
    "deep": (
        lambda t: t.reshape(5, 1, 7, 1).permute((3, 2, 1, 0)),
        lambda a: a.reshape(5, 1, 7, 1).transpose(3, 2, 1, 0),
    ),
}


@pytest.mark.parametrize("view", list(VIEWS))
@pytest.mark.parametrize("dtype", DTYPES)
def test_views_of_every_dtype(dtype: str, view: str, gpu: fogo.Device) -> None:
    ours, theirs = VIEWS[view]
    a = data(dtype, 5, 7)
    t = ours(fogo.tensor(a, device=gpu))
    expected = np.ascontiguousarray(theirs(a))
    assert (t.numpy() == expected).all()
    chosen = fogo.where(t == t, t, t)
    assert chosen.numpy().dtype == a.dtype
    assert (chosen.numpy() == expected).all()


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_casts(source: str, target: str, gpu: fogo.Device) -> None:
    """Integers wrap, floats are truncated (and wrap), nan and inf become 0."""
    a = data(source, 37)
    if source.startswith("float"):
        big = 60000.0 if source == "float16" else 3e9
        a[:6] = [math.nan, math.inf, -math.inf, big, -big, -0.0]
    got = fogo.tensor(a, device=gpu).astype(target).numpy()
    assert got.dtype == target
    assert np.array_equal(got, converted(a, target), equal_nan=target[0] == "f")


def converted(a: np.ndarray, target: str) -> np.ndarray:
    if target == "bool" or target.startswith("float"):
        with np.errstate(over="ignore"):
            return a.astype(target)
    if a.dtype.kind == "f":
        a = np.where(np.isfinite(a), np.trunc(a.astype(np.float64)), 0).astype(np.int64)
    return a.astype(target)  # NumPy wraps integers, as hardware does


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 63, 64, 65, 255, 257, 1001])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16"])
def test_packed_words_at_odd_sizes(dtype: str, count: int, gpu: fogo.Device) -> None:
    a = data(dtype, count)
    t = fogo.tensor(a, device=gpu)
    assert (t[::-1].contiguous().numpy() == a[::-1]).all()
    assert (fogo.concat([t, t[: count // 2], t]).numpy() == np.concatenate(
        [a, a[: count // 2], a])).all()  # fmt: skip


def test_every_half_and_its_rounding(gpu: fogo.Device) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    halves = bits.view(np.float16)
    wide = fogo.tensor(halves, device=gpu).astype("float32").numpy()
    normal = (halves.astype(np.float32) == wide) | np.isnan(halves)
    tiny = np.abs(halves) < 2.0**-14  # a GPU's own halves may flush subnormals
    assert (normal | tiny).all()
    finite = halves[np.isfinite(halves)].astype(np.float32)
    near = np.concatenate([finite * F for F in np.float32([1.0003, 1.0005, 0.9997])])
    near = np.concatenate([near, np.float32([65519.9, 65520, 1e9, -1e9, 1e-9])])
    with np.errstate(over="ignore"):
        expected = near.astype(np.float16)
    got = fogo.tensor(near, device=gpu).astype("float16").numpy()
    assert ((got == expected) | (np.abs(expected) < 2.0**-14)).all()


def test_subnormal_halves_are_kept_where_they_are_packed(portable: fogo.Device) -> None:
    halves = np.arange(-1023, 1024).astype(np.float16) * np.float16(2**-24)
    t = fogo.tensor(halves, device=portable)
    assert (t.astype("float32").numpy() == halves).all()
    assert (t.astype("float32").astype("float16").numpy() == halves).all()


def test_half_is_stored_natively_where_the_gpu_can(full: fogo.Device) -> None:
    kernel = Kernel("x")
    assert "enable f16" not in print_kernel(kernel, True).text
    half = fogo.tensor(data("float16", 3), device=full)
    full.backend.planner.plans.clear()  # other tests multiplied there too
    (plan,) = plans(full, half * half)
    assert ("enable f16" in print_kernel(plan.kernel, True).text) is True
    assert "enable f16" not in print_kernel(plan.kernel, False).text


def plans(device: fogo.Device, *tensors: Any) -> list[Plan]:
    """The plans of the last multiplication on a device."""
    found = device.backend.planner.plans
    return [p for key, p in found.items() if key[0].name == "mul"][-1:]


FORMULAS = {
    "constants": (
        lambda x: where(x > 0.0, x + 1e40, where(x < math.inf, -math.inf, math.nan)),
        lambda a: np.where(a > 0, np.inf, -np.inf),
    ),
    "zero times": (
        lambda x: where(x > 0.0, x / (x * 0.0), x) * 0.0,
        lambda a: np.where(a > 0, np.nan, 0.0),
    ),
    "shared": (
        lambda x: (lambda y: y * y + y)(x * 2.0 + 1.0),
        lambda a: (2 * a + 1) ** 2 + (2 * a + 1),
    ),
    "cast to and fro": (
        lambda x: cast(cast(x, fogo.int8), fogo.float32),
        lambda a: a.astype(np.int8).astype(np.float32),
    ),
    "bits": (
        lambda x: bitcast(bitcast(x, fogo.uint32) ^ 0x80000000, fogo.float32),
        lambda a: -a,
    ),
    "smallest": (lambda x: x * 0.0 + 1e-45, lambda a: a * 0),
}


@pytest.mark.parametrize("name", list(FORMULAS))
def test_formulas(name: str, full: fogo.Device) -> None:
    ours, theirs = FORMULAS[name]
    op = Op("test", formula=ours)
    a = data("float32", 33)
    got = run(op, full, a)
    np.testing.assert_allclose(got, theirs(a), rtol=1e-6, atol=1e-30)


def test_constants_alone_are_left_to_the_gpu(full: fogo.Device) -> None:
    """WGSL refuses 1/0, big shifts and overflow among literals; we do not."""
    formulas = [
        lambda x: where(x == x, cast(literal(1.0) / literal(0.0), x.dtype), x),
        lambda x: x + literal(3e38) * literal(10.0),
    ]
    for formula in formulas:
        got = run(Op("test", formula=formula), full, data("float32", 5))
        assert np.isposinf(got).all()


def literal(value: float) -> Any:
    from fogo.expr import literal

    return literal(value, fogo.float32)


# Kernels with statements of every sort, and what they should give.


def triangle(k: Kernel, x: Array, out: Array) -> None:
    """Row sums up to the diagonal, by a loop whose end depends on the point."""
    (row,) = k.grid(out.shape)
    acc = k.cell(0.0, x.dtype)
    with k.loop(row + 1) as j:
        acc.set(acc + x[row, j])
    out[row] = acc


def backwards(k: Kernel, x: Array, out: Array) -> None:
    """Horner's rule from the last coefficient down, and a nested choice."""
    (row,) = k.grid(out.shape)
    acc = k.cell(0.0, x.dtype)
    with k.loop(-1, x.shape[1] - 1, -1) as j:
        branch = k.when(x[row, j] > 0.0)
        with branch:
            acc.set(acc * 0.5 + x[row, j])
        with k.otherwise(branch.value):
            with k.when(x[row, j] < -3.0):
                acc.set(acc - 1.0)
    out[row] = acc


def horner(a: np.ndarray) -> np.ndarray:
    out = np.zeros(len(a))
    for i, row in enumerate(a.astype(np.float64)):
        for v in row[::-1]:
            if v > 0:
                out[i] = out[i] * 0.5 + v
            elif v < -3:
                out[i] -= 1
    return out


@pytest.mark.parametrize(
    "kernel, expected",
    [
        (triangle, lambda a: np.array([r[: i + 1].sum() for i, r in enumerate(a)])),
        (backwards, horner),
    ],
)
def test_statements(kernel: Any, expected: Any, full: fogo.Device) -> None:
    op = Op("rows", kernel=kernel, infer=rows)
    a = data("float32", 9, 9)
    np.testing.assert_allclose(run(op, full, a), expected(a), rtol=1e-5, atol=1e-5)


def rows(avals: Any, attrs: Any) -> tuple[Aval, ...]:
    return (Aval(avals[0].shape[:1], avals[0].dtype),)


def turned(k: Kernel, x: Array, out: Array) -> None:
    """Each thread writes a row of another array: stores that are not its own."""
    (row,) = k.grid(x.shape[:1])
    with k.loop(x.shape[1]) as j:
        out[(j, row)] = x[row, j]


def running(k: Kernel, x: Array, out: Array) -> None:
    """Reads back what it has written."""
    (row,) = k.grid(x.shape[:1])
    out[(row, 0)] = x[row, 0]
    with k.loop(x.shape[1], 1) as j:
        out[(row, j)] = out[row, j - 1] + x[row, j]


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int16", "uint8", "float16", "int32"]
)
def test_stores_that_share_words(dtype: str, gpu: fogo.Device) -> None:
    a = data(dtype, 7, 13)
    got = run(Op("turned", kernel=turned, infer=reversed_shape), gpu, a)
    assert (got == a.T).all()


def reversed_shape(avals: Any, attrs: Any) -> tuple[Aval, ...]:
    return (Aval(avals[0].shape[::-1], avals[0].dtype),)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32"])
def test_outputs_can_be_read_back(dtype: str, gpu: fogo.Device) -> None:
    a = data(dtype, 6, 11)
    got = run(Op("running", kernel=running, infer=like_first), gpu, a)
    assert (got == np.cumsum(a, 1, dtype=dtype)).all()


def mixed(k: Kernel, x: Array, positive: Array, small: Array, double: Array) -> None:
    """Outputs of three widths at every point."""
    c = k.grid(x.shape)
    v = x[c]
    positive[c] = v > 0.0
    small[c] = cast(v, fogo.int16)
    double[c] = v * 2.0


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 7, 130])
def test_outputs_of_several_widths(count: int, gpu: fogo.Device) -> None:
    dtypes = (fogo.bool_, fogo.int16, fogo.float32)
    op = Op(
        "mixed",
        kernel=mixed,
        infer=lambda avals, attrs: tuple([Aval(avals[0].shape, d) for d in dtypes]),
    )
    a = data("float32", count)
    got = run(op, gpu, a)
    for g, expected in zip(got, (a > 0, a.astype(np.int16), a * 2)):
        assert (g == expected).all()


def test_more_than_64_parameters_and_8_buffers(portable: fogo.Device) -> None:
    """Seven views of rank five: the most that a portable kernel binds."""
    arrays = [data("int16", 2, 3, 2, 3, 2) for _ in range(7)]
    order = (4, 2, 0, 3, 1)
    views = [fogo.tensor(a, device=portable).permute(order) for a in arrays]
    got = fogo.concat(views, 2).numpy()
    assert (got == np.concatenate([a.transpose(order) for a in arrays], 2)).all()
    found = portable.backend.planner.kernels.items()
    kernels = [k for key, k in found if key[0].name == "concat"]
    assert [k for k in kernels if len(k.arrays) == 8 and len(k.params) > 64]


def test_grids_beyond_65535_workgroups(full: fogo.Device) -> None:
    n = 65535 * 64 + 12345
    t = fogo.arange(n, device=full)
    assert (t + 1).numpy()[[0, 65535 * 64, n - 1]].tolist() == [1, 65535 * 64 + 1, n]
    small = fogo.ones(65535 * 64 * 4 + 77, dtype="int8", device=full) + 1
    assert (small.numpy() == 2).all()


def test_indices_below_zero_floor(full: fogo.Device) -> None:
    """Index arithmetic is Python's: division and remainder of negatives floor."""

    def kernel(k: Kernel, x: Array, out: Array) -> None:
        (i,) = k.grid(out.shape)
        left = i - 5
        out[(i,)] = cast((left // 3) * 10 + left % 3, out.dtype)

    a = np.zeros(11, np.int32)
    got = run(Op("floors", kernel=kernel, infer=like_first), full, a)
    assert got.tolist() == [(i // 3) * 10 + i % 3 for i in range(-5, 6)]
    assert INDEX.bits == 32
