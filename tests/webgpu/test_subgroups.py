"""Subgroups and matrix units, and what a device that lacks them says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo.errors import DeviceError
from fogo.expr import cast
from fogo.kernel.ir import Array, Kernel
from fogo.kernel.lower import trace
from fogo.ops.record import Aval, Op
from fogo.shapes import Layout
from fogo.webgpu.wgsl import print_kernel
from tests.webgpu.test_groups import RANDOM, data, run, same

# Subgroups.


def has_subgroups(device: fogo.Device) -> bool:
    return "subgroups" in device.backend.fast.caps.features


SUBGROUP_SUMS = {
    "add": np.sum, "min": np.min, "max": np.max,
    "and": np.bitwise_and.reduce, "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce, "mul": np.prod,
}  # fmt: skip


@pytest.mark.parametrize("op", list(SUBGROUP_SUMS))
def test_subgroups_combine(op: str, full: fogo.Device) -> None:
    """Whatever a subgroup's size: each thread says what its subgroup's is."""
    if not has_subgroups(full):
        with pytest.raises(DeviceError, match="subgroups"):
            _combine(op, full, "int32")
        return
    for dtype in ("int32", "uint32", "float32", "int8"):
        if dtype == "float32" and op in ("and", "or", "xor"):
            continue
        a, got, lanes = _combine(op, full, dtype)
        for i in range(0, 64, lanes):
            part = a[i : i + lanes].astype(np.float64 if dtype[0] == "f" else np.int64)
            expected = np.array(SUBGROUP_SUMS[op](part)).astype(
                np.float32 if dtype[0] == "f" else dtype
            )
            np.testing.assert_allclose(got[i : i + lanes], expected, rtol=1e-4)


def _combine(op: str, device: fogo.Device, dtype: str) -> Any:
    def kernel(k: Kernel, x: Array, out: Array, size: Array) -> None:
        k.groups((1,), 64)
        out[k.local] = k.subgroup(op, x[k.local])
        size[k.local] = k.lanes

    a = data(dtype, 64) if op != "mul" else RANDOM.integers(1, 3, 64).astype(dtype)
    got, lanes = run(Op("combine", kernel=kernel, infer=_and_sizes), device, a)
    return a, got, int(lanes[0])


def _and_sizes(avals: Any, attrs: Any) -> tuple[Aval, ...]:
    return (avals[0], Aval(avals[0].shape, fogo.int32))


@pytest.mark.parametrize("dtype", ["int32", "float32", "bool"])
def test_subgroups_exchange(dtype: str, full: fogo.Device) -> None:
    if not has_subgroups(full):
        pytest.skip("this device has no subgroups")

    def kernel(k: Kernel, x: Array, out: Array, size: Array) -> None:
        k.groups((1,), 64)
        v = x[k.local]
        out[0, k.local] = k.subgroup("first", v)
        out[1, k.local] = k.subgroup("shuffle", v, k.lanes - 1 - k.lane)
        out[2, k.local] = k.subgroup("shuffle_xor", v, 1)
        out[3, k.local] = k.subgroup("shuffle_up", v, 1)
        out[4, k.local] = k.subgroup("shuffle_down", v, 1)
        size[k.local] = k.lanes

    op = Op(
        "exchange",
        kernel=kernel,
        infer=lambda avals, attrs: (
            Aval((5, 64), avals[0].dtype),
            Aval((64,), fogo.int32),
        ),
    )
    a = data(dtype, 64)
    got, lanes = run(op, full, a)
    parts = a.reshape(-1, int(lanes[0]))
    size = parts.shape[1]
    got = got.reshape(5, -1, size)
    assert (got[0] == parts[:, :1]).all()
    assert (got[1] == parts[:, ::-1]).all()
    assert (got[2] == parts[:, np.arange(size) ^ 1]).all()
    assert (got[3][:, 1:] == parts[:, :-1]).all()
    assert (got[4][:, :-1] == parts[:, 1:]).all()


def test_subgroups_scan_and_vote(full: fogo.Device) -> None:
    if not has_subgroups(full):
        pytest.skip("this device has no subgroups")

    def kernel(k: Kernel, x: Array, out: Array, size: Array) -> None:
        k.groups((1,), 64)
        v = x[k.local]
        out[0, k.local] = k.subgroup("exclusive_add", v)
        out[1, k.local] = k.subgroup("inclusive_add", v)
        out[2, k.local] = cast(k.subgroup("any", v > 900), fogo.int32)
        out[3, k.local] = cast(k.subgroup("all", v > -900), fogo.int32)
        size[k.local] = k.lanes

    op = Op(
        "scan",
        kernel=kernel,
        infer=lambda avals, attrs: (
            Aval((4, 64), avals[0].dtype),
            Aval((64,), fogo.int32),
        ),
    )
    a = data("int32", 64)
    got, lanes = run(op, full, a)
    parts = a.reshape(-1, int(lanes[0]))
    got = got.reshape(4, -1, parts.shape[1])
    assert (got[1] == np.cumsum(parts, 1)).all()
    assert (got[0] == np.cumsum(parts, 1) - parts).all()
    assert (got[2] == (parts > 900).any(1, keepdims=True)).all()
    assert (got[3] == (parts > -900).all(1, keepdims=True)).all()


def test_subgroups_are_enabled_as_the_standard_has_it() -> None:
    def kernel(k: Kernel, x: Array, out: Array) -> None:
        k.groups((1,), 32)
        out[k.local] = k.subgroup("add", x[k.local])

    traced = trace(
        Op("sum", kernel=kernel), (), [Layout((32,))] * 2, [fogo.float32] * 2, 1
    )
    text = print_kernel(traced).text
    assert text.startswith("enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n")
    assert "enable" not in print_kernel(traced, enables=False).text


def test_a_missing_feature_takes_the_portable_way(portable: fogo.Device) -> None:
    """A device without subgroups: below Fusion, and with it."""

    def kernel(k: Kernel, x: Array, out: Array) -> None:
        k.groups((1,), 32)
        out[k.local] = k.subgroup("max", x[k.local])

    x = fogo.arange(32, dtype="float32", device=portable)
    able = fogo.kernel(out=lambda x: x, portable=lambda x: x * 0 - 1, name="able")
    assert able(kernel)(x).tolist() == [-1.0] * 32
    unable = fogo.kernel(out=lambda x: x, name="unable")(kernel)
    with pytest.raises(DeviceError, match="unable: this kernel needs the feature subg"):
        unable(x).tolist()


# Matrix units: printed here, run where there are some (benchmarks).


def product(k: Kernel, a: Array, b: Array, out: Array) -> None:
    """One subgroup's tile of 16 by 16."""
    down, across = k.groups((out.shape[0] // 16, out.shape[1] // 16), 32)
    acc = k.matrix("result", out.dtype, 16, 16)
    left = k.matrix("left", a.dtype, 16, 8)
    right = k.matrix("right", b.dtype, 8, 16)
    with k.loop(a.shape[1], 0, 8) as j:
        left.load(a, a.flat_index((down * 16, j)), a.strides[0])
        right.load(b, b.flat_index((across * 16, j)), b.strides[0], True)
        acc.add_product(left, right)
    acc.store(out, out.flat_index((down * 16, across * 16)), out.strides[0])


def test_matrix_tiles_are_printed_as_dawn_has_them() -> None:
    layouts = [Layout((32, 64)), Layout((32, 64)), Layout((32, 32))]
    dtypes = [fogo.float16, fogo.float16, fogo.float32]
    kernel = trace(Op("product", kernel=product), (), layouts, dtypes, 2)
    lines = [x.strip() for x in print_kernel(kernel, True).text.split("\n")]
    assert lines[:3] == [
        "enable f16;",
        "enable chromium_experimental_subgroup_matrix;",
        "diagnostic(off, chromium.subgroup_matrix_uniformity);",
    ]
    for wanted in (  # columns come before rows
        "var x1 = subgroup_matrix_result<f32, 16, 16>();",
        "var x2 = subgroup_matrix_left<f16, 8, 16>();",
        "var x3 = subgroup_matrix_right<f16, 16, 8>();",
        "x1 = subgroupMatrixMultiplyAccumulate(x2, x3, x1);",
    ):
        assert wanted in lines
    loads = [x for x in lines if "subgroupMatrixLoad<" in x]
    assert loads[0].startswith("x2 = subgroupMatrixLoad<subgroup_matrix_left<f16, 8, ")
    assert ", false, u32(" in loads[0] and ", true, u32(" in loads[1]


# What a device cannot do is said before it is tried.


def test_what_a_device_lacks_is_named(portable: fogo.Device) -> None:
    def threads(k: Kernel, x: Array, out: Array) -> None:
        k.groups((1,), 512)
        out[k.local] = x[k.local]

    def memory(k: Kernel, x: Array, out: Array) -> None:
        k.groups((1,), 64)
        w = k.shared(x.dtype, 5000)
        w[k.local] = x[k.local]
        out[k.local] = w[k.local]

    def tiles(k: Kernel, x: Array, out: Array) -> None:
        k.groups((1,), 32)
        k.matrix("result", fogo.float32, 8, 8).store(out, 0, 8)

    a = data("float32", 512)
    for kernel, said in (
        (threads, "256 threads a workgroup .*maxComputeInvocationsPerWorkgroup.*512"),
        (memory, "16384 bytes of shared memory .*given 20000; use smaller tiles"),
        (tiles, "needs the feature matrix"),
    ):
        with pytest.raises(DeviceError, match=said):
            run(Op("odd", kernel=kernel, infer=same), portable, a)


def test_tiles_of_halves_need_halves() -> None:
    layouts = [Layout((32, 64)), Layout((32, 64)), Layout((32, 32))]
    dtypes = [fogo.float16, fogo.float16, fogo.float32]
    kernel = trace(Op("product", kernel=product), (), layouts, dtypes, 2)
    with pytest.raises(DeviceError, match="need the feature shader-f16"):
        print_kernel(kernel, False)


def test_thousands_of_statements_are_printed_in_line() -> None:
    """Unrolled kernels are long: the text grows with the statements, no faster."""

    def unrolled(k: Kernel, x: Array, out: Array, n: int) -> None:
        (row,) = k.groups(out.shape, 64)
        cells = [k.cell(0.0, x.dtype) for _ in range(64)]
        with k.loop(x.shape[1]) as j:
            v = x[row, j]
            for _ in range(n):
                for c in cells:
                    c.set(c + v * c)
        out[row] = cells[0]

    sizes = []
    for n in (10, 20, 40):
        layouts = [Layout((4, 8)), Layout((4,))]
        op = Op("unrolled", kernel=unrolled, attrs=("n",))
        kernel = trace(op, (n,), layouts, [fogo.float32] * 2, 1)
        sizes.append(len(print_kernel(kernel).text))
    assert sizes[2] - sizes[1] == pytest.approx(2 * (sizes[1] - sizes[0]), rel=0.01)
