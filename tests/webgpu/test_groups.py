"""Workgroups, wide accesses, atomics, subgroups, shared bindings: computed as said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo.backend.base import Handle
from fogo.dispatch import call
from fogo.expr import call as E
from fogo.expr import cast
from fogo.kernel.ir import Array, Kernel
from fogo.kernel.lower import trace
from fogo.ops.record import Aval, Op
from fogo.shapes import Layout
from fogo.webgpu.wgsl import print_kernel

DTYPES = [
    "bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "float32",
]  # fmt: skip
RANDOM = np.random.default_rng(23)


def data(dtype: str, *shape: int) -> np.ndarray:
    if dtype == "bool":
        return RANDOM.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return RANDOM.normal(0, 3, shape).astype(dtype)
    info = np.iinfo(dtype)
    return RANDOM.integers(max(info.min, -999), min(info.max, 999), shape).astype(dtype)


def run(op: Op, device: fogo.Device, *arrays: np.ndarray, attrs: tuple = ()) -> Any:
    out = call(op, [fogo.tensor(a, device=device) for a in arrays], attrs)
    return [t.numpy() for t in out] if isinstance(out, tuple) else out.numpy()


def raw(device: fogo.Device) -> Any:
    """The backend below Fusion, whose tensors are values: nothing is written over."""
    return device.backend.inner or device.backend


def run_raw(op: Op, device: fogo.Device, *arrays: np.ndarray) -> list[np.ndarray]:
    """The inputs and the outputs, after an op that may change the former."""
    backend = raw(device)
    inputs = []
    for a in arrays:
        dtype = fogo.dtype(a.dtype.name)
        flat = np.ascontiguousarray(a).view(np.uint16 if dtype.code == "H" else a.dtype)
        inputs.append(backend.upload(flat.reshape(-1), a.shape, dtype))
    handles = inputs + list(backend.run(op, tuple(inputs), (), op.infer([*inputs], ())))
    flats = backend.read(handles)
    return [
        np.frombuffer(bytes(flat), h.dtype.name).reshape(h.shape)
        for h, flat in zip(handles, flats)
    ]


def rows(avals: Any, attrs: Any) -> tuple[Aval, ...]:
    return (Aval(avals[0].shape[:1], avals[0].dtype),)


def same(avals: Any, attrs: Any) -> tuple[Aval, ...]:
    return (Aval(avals[0].shape, avals[0].dtype),)


def shaped(*shape: int, dtype: Any = None) -> Any:
    return lambda avals, attrs: (Aval(shape, dtype or avals[0].dtype),)


# Workgroups, shared memory, barriers.


def row_sum(k: Kernel, x: Array, out: Array) -> None:
    """64 threads a row, then a tree in shared memory."""
    (row,) = k.groups(out.shape, 64)
    acc = k.cell(0.0, x.dtype)
    with k.loop(x.shape[1], k.local, 64) as j:
        acc.set(acc + x[row, j])
    parts = k.shared(x.dtype, 64)
    parts[k.local] = acc
    for half in (32, 16, 8, 4, 2, 1):
        k.barrier()
        with k.when(k.local < half):
            parts[k.local] = parts[k.local] + parts[k.local + half]
    with k.when(E("eq", k.local, 0)):
        out[row] = parts[0]


@pytest.mark.parametrize("shape", [(1, 1), (5, 63), (70, 333), (3, 1000)])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int8", "uint16", "float32"])
def test_row_sums_in_shared_memory(dtype: str, shape: Any, gpu: fogo.Device) -> None:
    a = data(dtype, *shape)
    got = run(Op("row_sum", kernel=row_sum, infer=rows), gpu, a)
    if dtype == "float32":
        np.testing.assert_allclose(got, a.sum(1, dtype=np.float64), atol=1e-3)
    else:
        assert (got == a.sum(1, dtype=dtype)).all()


def test_more_groups_than_one_dimension_holds(full: fogo.Device) -> None:
    """70,001 groups are folded into two dimensions; the surplus does nothing."""
    a = np.arange(70001 * 3, dtype=np.int32).reshape(70001, 3)
    got = run(Op("row_sum", kernel=row_sum, infer=rows), full, a)
    assert (got == a.sum(1)).all()


def turn(k: Kernel, x: Array, out: Array) -> None:
    """A tile of 8 by 8 turned in shared memory; edges of any size."""
    down, across = (x.shape[0] + 7) // 8, (x.shape[1] + 7) // 8
    a, b = k.groups((down, across), 64)
    tile = k.shared(x.dtype, 64)
    i, j = k.local // 8, k.local % 8
    with k.when((a * 8 + i < x.shape[0]) & (b * 8 + j < x.shape[1])):
        tile[j * 8 + i] = x[a * 8 + i, b * 8 + j]
    k.barrier()
    with k.when((b * 8 + i < x.shape[1]) & (a * 8 + j < x.shape[0])):
        out[b * 8 + i, a * 8 + j] = tile[k.local]


@pytest.mark.parametrize("dtype", DTYPES)
def test_tiles_turned_in_shared_memory(dtype: str, gpu: fogo.Device) -> None:
    """Every dtype through shared memory, stored by many threads of many groups."""
    a = data(dtype, 21, 34)
    got = run(Op("turn", kernel=turn, infer=shaped(34, 21)), gpu, a)
    assert (got == a.T).all()


def test_a_point_with_no_coordinates(gpu: fogo.Device) -> None:
    def total(k: Kernel, x: Array, out: Array) -> None:
        k.groups((), 4)
        parts = k.shared(x.dtype, 4)
        parts[k.local] = x[k.local]
        k.barrier()
        with k.when(E("eq", k.local, 0)):
            out[()] = parts[0] + parts[1] + parts[2] + parts[3]

    got = run(Op("total", kernel=total, infer=shaped()), gpu, data("int32", 4) * 0 + 5)
    assert got.tolist() == 20


def test_loops_of_a_group_may_hold_barriers(gpu: fogo.Device) -> None:
    """A running sum by doubling, in a loop whose end is a parameter."""

    def running(k: Kernel, x: Array, out: Array) -> None:
        (row,) = k.groups(x.shape[:1], 32)
        line = k.shared(x.dtype, 32)
        line[k.local] = x[row, k.local]
        step = k.cell(1, fogo.int32)
        with k.loop(x.shape[1]) as turn:
            with k.when(turn < 5):
                k.barrier()
                before = k.cell(0, x.dtype)
                with k.when(k.local >= k.index(step)):
                    before.set(line[k.local - k.index(step)])
                k.barrier()
                line[k.local] = line[k.local] + before
                step.set(step * 2)
        out[row, k.local] = line[k.local]

    a = data("int32", 6, 32)
    got = run(Op("running", kernel=running, infer=same), gpu, a)
    assert (got == np.cumsum(a, 1)).all()


def test_a_uniform_load_decides_for_all(gpu: fogo.Device) -> None:
    """Rows are halved until thread 0 says so: barriers under a loaded condition."""

    def halve(k: Kernel, x: Array, out: Array) -> None:
        (row,) = k.groups(x.shape[:1], 16)
        flag = k.shared(fogo.int32, 1)
        line = k.shared(x.dtype, 16)
        line[k.local] = x[row, k.local]
        with k.loop(4):
            k.barrier()
            with k.when(E("eq", k.local, 0)):
                flag[0] = cast(line[0] > 10, fogo.int32)
            more = k.uniform_load(flag, 0)
            with k.when(more > 0):
                k.barrier()
                line[k.local] = line[k.local] // 2
        out[row, k.local] = line[k.local]

    a = np.abs(data("int32", 9, 16)) + 40
    expected = a.copy()
    for line in expected:
        for _ in range(4):
            if line[0] > 10:
                line //= 2
    got = run(Op("halve", kernel=halve, infer=same), gpu, a)
    assert (got == expected).all()


def test_steps_known_to_the_device(gpu: fogo.Device) -> None:
    """`k.loop` takes a step that is an expression, also one beyond the end."""

    def every(k: Kernel, x: Array, out: Array) -> None:
        (i,) = k.grid(out.shape)
        acc = k.cell(0, x.dtype)
        with k.loop(x.shape[0], i // 2, i + 1) as j:
            acc.set(acc + x[j])
        out[i] = acc

    a = data("int32", 17)
    got = run(Op("every", kernel=every, infer=shaped(40)), gpu, a)
    assert got.tolist() == [a[i // 2 :: i + 1].sum() for i in range(40)]


def test_steps_known_to_the_device_on_every_backend(device: fogo.Device) -> None:
    def every(k: Kernel, x: Array, out: Array) -> None:
        (i,) = k.grid(out.shape)
        acc = k.cell(0, x.dtype)
        with k.loop(x.shape[0], 1, x.shape[0] // 4) as j:
            acc.set(acc + x[j])
        out[i] = acc

    a = data("int32", 19)
    got = run(Op("every", kernel=every, infer=shaped(2)), device, a)
    assert got.tolist() == [a[1::4].sum()] * 2


# Wide loads and stores.


def doubled(k: Kernel, x: Array, out: Array, n: int) -> None:
    """n elements a thread, read and written at once."""
    (i,) = k.grid(((x.shape[0] + (n - 1)) // n,))
    values = x.wide((i * n,), n)
    out.put_wide((i * n,), [E("xor", v, True) if v.dtype.is_bool else v + v
                            for v in values])  # fmt: skip


@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize("dtype", DTYPES)
def test_wide_loads_and_stores(dtype: str, n: int, gpu: fogo.Device) -> None:
    """The last ones may reach beyond the end, into the padding."""
    for count in (4, 64, 1003):
        a = data(dtype, count)
        op = Op("doubled", kernel=doubled, infer=same, attrs=("n",))
        got = run(op, gpu, a, attrs=(n,))
        expected = ~a if dtype == "bool" else (a + a).astype(dtype)
        assert (got == expected).all()


@pytest.mark.parametrize("dtype", ["bool", "int16", "float16", "float32"])
def test_wide_accesses_on_every_backend(dtype: str, device: fogo.Device) -> None:
    op = Op("doubled", kernel=doubled, infer=same, attrs=("n",))
    a = data(dtype, 64)
    got = run(op, device, a, attrs=(4,))
    assert (got == (~a if dtype == "bool" else (a + a).astype(dtype))).all()


def mixed(k: Kernel, x: Array, out: Array) -> None:
    """Wide by 4, by 2 and one at a time in the same arrays."""
    (i,) = k.grid((x.shape[0] // 8,))
    at = i * 8
    a = x.wide((at,), 4)
    b = x.wide((at + 4,), 2)
    out.put_wide((at + 4,), a)
    out.put_wide((at + 2,), b)
    out[at + 1] = x[at + 6]
    out[at] = x[at + 7]


@pytest.mark.parametrize("dtype", DTYPES)
def test_accesses_of_several_widths(dtype: str, gpu: fogo.Device) -> None:
    a = data(dtype, 80)
    got = run(Op("mixed", kernel=mixed, infer=same), gpu, a)
    order = np.arange(80).reshape(-1, 8)[:, [7, 6, 4, 5, 0, 1, 2, 3]].reshape(-1)
    assert (got == a[order]).all()


def test_wide_accesses_begin_at_an_offset(gpu: fogo.Device) -> None:
    """A view of rows 2 to 4: its offset is a parameter, a multiple of 4."""

    def copy(k: Kernel, x: Array, out: Array) -> None:
        i, j = k.grid((x.shape[0], x.shape[1] // 4))
        out.put_wide((i, j * 4), x.wide((i, j * 4), 4))

    a = data("float16", 6, 12)
    t = fogo.tensor(a, device=gpu)[2:5]
    assert (call(Op("copy", kernel=copy, infer=same), [t]).numpy() == a[2:5]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_wide_shared_memory(dtype: str, gpu: fogo.Device) -> None:
    """Written by vectors, read one at a time and turned about, and the reverse."""

    def swap(k: Kernel, x: Array, out: Array) -> None:
        (row,) = k.groups(x.shape[:1], 8)
        a, b = k.shared(x.dtype, 32), k.shared(x.dtype, 32)
        a.put_wide(k.local * 4, x.wide((row, k.local * 4), 4))
        k.barrier()
        for i in range(4):
            b[k.local + 8 * i] = a[31 - (k.local + 8 * i)]
        k.barrier()
        left = b.wide(k.local * 4, 2)
        right = b.wide(k.local * 4 + 2, 2)
        out.put_wide((row, k.local * 4), left + right)

    a = data(dtype, 5, 32)
    got = run(Op("swap", kernel=swap, infer=same), gpu, a)
    assert (got == a[:, ::-1]).all()


def test_halves_pass_through_unconverted_where_the_gpu_has_them() -> None:
    """A copy of a vector of f16 is one; rounding is for values that were computed."""

    def copy(k: Kernel, x: Array, out: Array) -> None:
        (i,) = k.groups((x.shape[0] // 32,), 8)
        w = k.shared(x.dtype, 32)
        w.put_wide(k.local * 4, x.wide((i * 32 + k.local * 4,), 4))
        k.barrier()
        w[k.local] = w[k.local]
        out.put_wide((i * 32 + k.local * 4,), [v * 2.0 for v in w.wide(k.local * 4)])

    layouts = [Layout((64,)), Layout((64,))]
    kernel = trace(Op("copy", kernel=copy), (), layouts, [fogo.float16] * 2, 1)
    text = print_kernel(kernel, True).text
    assert "var<workgroup> w0: array<vec4<f16>, 8>;" in text
    assert text.count("float_half(") == 1 + 4  # its definition, four results
    assert "array<vec4<f32>, 8>" in print_kernel(kernel, False).text


# Atomics.


@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32"])
@pytest.mark.parametrize("op", ["add", "sub", "min", "max"])
def test_atomics_in_buffers(op: str, dtype: str, gpu: fogo.Device) -> None:
    """Many threads change few elements: the output is the first input, in place."""
    sums = data(dtype, 5)
    keys = RANDOM.integers(0, 5, 3000).astype(np.int32)
    values = RANDOM.integers(0, 100, 3000).astype(dtype)

    def scatter(k: Kernel, start: Array, at: Array, v: Array, out: Array) -> None:
        (i,) = k.grid(at.shape)
        k.atomic(op, out, (k.index(at[i]),), v[i])

    gpu_op = Op("scatter", kernel=scatter, infer=same, shares={3: 0})
    got = run_raw(gpu_op, gpu, sums, keys, values)[-1]
    expected = sums.astype(np.int64 if dtype != "float32" else np.float64)
    apply = {"add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum}
    apply[op].at(expected, keys, values.astype(expected.dtype))
    np.testing.assert_allclose(got, expected.astype(dtype), rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_atomics_on_bits_and_shared_memory(dtype: str, gpu: fogo.Device) -> None:
    def fold(k: Kernel, x: Array, out: Array) -> None:
        (row,) = k.groups(x.shape[:1], 32)
        w = k.shared(x.dtype, 4)
        with k.when(k.local < 4):
            w[k.local] = 0
            with k.when(E("eq", k.local, 1)):
                w[k.local] = -1
        k.barrier()
        v = x[row, k.local]
        k.atomic("or", w, 0, v)
        k.atomic("and", w, 1, v)
        k.atomic("xor", w, 2, v)
        k.atomic("exchange", w, 3, 7)
        k.barrier()
        with k.when(k.local < 4):
            out[row, k.local] = k.atomic("load", w, k.local)

    a = data(dtype, 3, 32)
    got = run(Op("fold", kernel=fold, infer=shaped(3, 4)), gpu, a)
    assert (got[:, 0] == np.bitwise_or.reduce(a, 1)).all()
    assert (got[:, 1] == np.bitwise_and.reduce(a, 1)).all()
    assert (got[:, 2] == np.bitwise_xor.reduce(a, 1)).all()
    assert (got[:, 3] == 7).all()


@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32"])
def test_compare_and_exchange(dtype: str, gpu: fogo.Device) -> None:
    """One thread of each group takes a place; the others learn that it is taken."""

    def claim(k: Kernel, x: Array, out: Array, wins: Array) -> None:
        (row,) = k.groups(x.shape, 64)
        place, count = k.shared(x.dtype, 1), k.shared(fogo.int32, 1)
        with k.when(E("eq", k.local, 0)):
            k.atomic("store", place, 0, 0)
            k.atomic("store", count, 0, 0)
        k.barrier()
        old = k.atomic("compare", place, 0, x[row], 0)
        with k.when(E("eq", old, 0)):
            k.atomic("add", count, 0, 1)
        k.barrier()
        with k.when(E("eq", k.local, 0)):
            out[row] = place[0]
            wins[row] = count[0]

    a = np.abs(data(dtype, 20)) + 1
    op = Op(
        "claim",
        kernel=claim,
        infer=lambda avals, attrs: (
            Aval(avals[0].shape, avals[0].dtype),
            Aval(avals[0].shape, fogo.int32),
        ),
    )
    got, wins = run(op, gpu, a.astype(dtype))
    assert (got == a.astype(dtype)).all()
    assert (wins == 1).all()


def test_atomics_are_refused_where_they_cannot_be() -> None:
    def bad(op: str, dtype: Any, which: int) -> None:
        def kernel(k: Kernel, *arrays: Array) -> None:
            k.grid(arrays[0].shape)
            k.atomic(op, arrays[which], (0,), 1)

        trace(Op("bad", kernel=kernel), (), [Layout((3,))] * 2, [dtype] * 2, 1)

    with pytest.raises(TypeError, match="kernel: an atomic is compare, add, .*'swap'"):
        bad("swap", fogo.int32, 1)
    with pytest.raises(TypeError, match="outputs and shared memory; given the input"):
        bad("add", fogo.int32, 0)
    with pytest.raises(TypeError, match="given 'add' on int8; use a wider"):
        bad("add", fogo.int8, 1)
    with pytest.raises(TypeError, match="given 'or' on float32"):
        bad("or", fogo.float32, 1)


# Bindings that are shared.


def increment(k: Kernel, x: Array, step: Array, out: Array) -> None:
    c = k.grid(out.shape)
    out[c] = x[c] + step[c]


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int32"])
def test_an_output_written_over_an_input(dtype: str, gpu: fogo.Device) -> None:
    op = Op("increment", kernel=increment, infer=same, shares={2: 0})
    a, b = data(dtype, 37) // 2, data(dtype, 37) // 2
    x, _, y = run_raw(op, gpu, a, b)
    expected = (a + b).astype(dtype)
    assert (y == expected).all() and (x == expected).all()


def test_one_buffer_as_inputs_and_output(full: fogo.Device) -> None:
    """A slab of two halves: their sum goes to the first."""
    a = data("float32", 64)
    backend = raw(full)
    slab = backend.upload(a, (64,), fogo.float32)
    halves = [Handle(slab.buffer, Layout((32,), (1,), at), slab.dtype)
              for at in (0, 32)]  # fmt: skip
    op = Op("increment", kernel=increment, infer=same, shares={1: 0, 2: 0})
    backend.run(op, tuple(halves), (), (Aval((32,), fogo.float32),))
    got = np.frombuffer(bytes(backend.read([slab])[0]), np.float32)
    assert (got == np.concatenate([a[:32] + a[32:], a[32:]])).all()


def test_shared_bindings_count_once(full: fogo.Device) -> None:
    kernel = trace(
        Op("increment", kernel=increment, shares={1: 0, 2: 0}), (),
        [Layout((8,))] * 3, [fogo.float32] * 3, 2,
    )  # fmt: skip
    printed = print_kernel(kernel)
    assert printed.access == [1]
    assert printed.text.count("@binding") == 2
