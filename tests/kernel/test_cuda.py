"""The CUDA printer: its text, and its kernels run by a C++ compiler on the host.

What a GPU does with the same kernels, benchmarks/nvrtc.py looks at.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.device import Device
from fogo.dtypes import bool_, float16, float32, float64, int8, int32, int64, uint32
from fogo.expr import cast
from fogo.kernel.cuda import print_cuda
from fogo.kernel.lower import trace
from fogo.native.cuda_backend import capabilities
from fogo.ops.record import Aval, Op
from fogo.shapes import Layout
from tests.kernel import fake_cupy
from tests.kernel.cuda_host import GPU, CudaHost, compiler
from tests.kernel.shipped import CALLS, Each
from tests.ops import grid
from tests.shared import cases
from tests.support import sampling
from tests.support.runtimes import ROOT

UNITS = "matmul units"  # the one with matrix tiles: always among the programs
SHARE = 0.4  # of the grid's functions and dtypes, times FOGO_SAMPLE; a case of each


def printed(function: Any, shapes: Any, dtypes: Any, inputs: int = 1) -> str:
    """The text of a kernel for contiguous operands."""
    op = Op("tried", kernel=function)
    layouts = [Layout(s) for s in shapes]
    return print_cuda(trace(op, (), layouts, list(dtypes), inputs)).text


def test_point_kernel() -> None:
    def kernel(k, x, out):
        c = k.grid(out.shape)
        out[c] = x[c] + 1.5

    text = printed(kernel, [(4, 5), (4, 5)], [float32, float32])
    assert 'extern "C" __global__ void main_kernel(const float* b0, float* b1' in text
    assert "blockIdx.x * blockDim.x + threadIdx.x" in text
    assert "+ 1.5f)" in text


def test_group_kernel() -> None:
    def kernel(k, x, out):
        (row,) = k.groups(out.shape, 64)
        part = k.shared(float32, 64)
        part[k.local] = x[row, k.local]
        k.barrier()
        total = k.subgroup("add", part[k.local])
        with k.when(k.local == 0):
            k.atomic("add", out, (row,), total)

    text = printed(kernel, [(4, 64), (4,)], [float32, float32])
    for part in (
        "__launch_bounds__(64)", "__shared__ __align__(32) float w0[64];",
        "__syncthreads();", "__shfl_xor_sync(mask, a, step)", "atomicAdd(&b1[",
    ):  # fmt: skip
        assert part in text


def test_memory_is_as_numpy_s() -> None:
    def kernel(k, x, flag, byte, long, out):
        c = k.grid(out.shape)
        out[c] = cast(x[c], float64)
        flag[c] = x[c] > 0.0
        byte[c] = cast(x[c], int8)
        long[c] = cast(x[c], int64)

    dtypes = [float16, bool_, int8, int64, float64]
    text = printed(kernel, [(4,)] * 5, dtypes)
    kinds = ("const unsigned short* b0", "unsigned char* b1", "signed char* b2",
             "long long* b3", "double* b4")  # fmt: skip
    for part in kinds:
        assert part in text
    assert "cvt.f32.f16" in text


def test_wide_access_is_one_access() -> None:
    def kernel(k, x, out):
        (i,) = k.grid((out.shape[0] // 4,))
        out.put_wide((i * 4,), x.wide((i * 4,)))

    text = printed(kernel, [(8,), (8,)], [float32, float32])
    assert text.count("*(const Wide<float, 4>*)") == 1
    assert text.count("*(Wide<float, 4>*)") == 1


def test_operands_may_share_a_buffer() -> None:
    def kernel(k, x, out):
        c = k.grid(out.shape)
        out[c] = x[c] * 2.0

    op = Op("twice", kernel=kernel, shares={1: 0})
    text = print_cuda(trace(op, (), [Layout((4,))] * 2, [float32] * 2, 1)).text
    assert "main_kernel(float* b0, int" in text
    assert "auto* const b1 = (float*)b0;" in text


def refused(function: Any, match: str) -> None:
    with pytest.raises(fogo.KernelError, match=match):
        printed(function, [(4,), (4,)], [float32, float32])


def test_refusals() -> None:
    def shared(k, x, out):
        k.groups((1,), 32)
        k.shared(float32, 13000)

    def lanes(k, x, out):
        k.groups((1,), 48)
        k.subgroup("add", x[0])

    def tiles(k, x, out):
        k.groups((1,), 32)
        k.matrix("left", float32, 8, 8)

    refused(shared, "at most 49152 bytes")
    refused(lanes, "whole warps")
    refused(tiles, "16x16 of float16")


# On the host.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    if compiler() is None:
        pytest.skip("no g++ on the PATH")
    return tmp_path_factory.mktemp("cuda")


@pytest.fixture
def gpu(monkeypatch: Any, folder: Path) -> Iterator[Any]:
    """A device of the CUDA backend whose CuPy is fake_cupy.py."""
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy)
    from fogo.native import cuda_backend

    yield Device("cuda", cuda_backend.create())


def collected(backend: CudaHost, work: Any, monkeypatch: Any) -> None:
    """Do the work twice: to see which kernels it takes, and to see its results."""
    with monkeypatch.context() as m:
        m.setattr(cases, "near", lambda *a: True)
        backend.collecting = True
        work(lambda error: None)
    backend.collecting = False
    backend.build()


def test_grid(folder: Path, monkeypatch: Any) -> None:
    backend = CudaHost(folder)
    share, seed = SHARE * sampling.fraction(), sampling.seed()
    ids = [i for i in grid.ids() if grid.draw(seed, "-".join(i)) < share]
    kept = [c for i in ids for c in grid.chosen(*i, 0, seed, 1)]

    def work(complain: Any) -> None:
        device = Device("cuda", backend)
        for case in kept:
            try:
                cases.run(case, device)
            except Exception as error:
                complain(f"{case['id']}: {type(error).__name__}: {error}")

    collected(backend, work, monkeypatch)
    problems: list[str] = []
    work(problems.append)
    assert len(backend.functions) > len(kept) / 2 > 20
    assert not problems, "\n".join(problems[:20])


def test_candidates(folder: Path, monkeypatch: Any) -> None:
    """The candidates that a GPU may choose from, among them those by matrix tiles."""
    backend = CudaHost(folder)
    share, seed = sampling.fraction(), sampling.seed()
    programs = [c for c in CALLS if c.name == UNITS or grid.draw(seed, c.name) < share]

    def work(complain: Any) -> None:
        device = Device("cuda", backend)
        backend.fast = Each(backend, capabilities(GPU))
        for call in programs:
            try:
                call.check(device)
            except Exception as error:
                complain(f"{call.name}: {type(error).__name__}: {error}")
        for text in backend.fast.problems:
            complain(text)

    collected(backend, work, monkeypatch)
    problems: list[str] = []
    work(problems.append)
    assert "matmul: units" in " ".join(backend.fast.tried)
    assert not problems, "\n".join(problems[:20])


def test_warps_and_atomics(folder: Path) -> None:
    def kernel(k, x, start, out, counts):
        (g,) = k.groups((2,), 64)
        v = x[g, k.local]
        total = k.subgroup("inclusive_add", v)
        other = k.subgroup("shuffle_down", v, 1)
        some = k.subgroup("any", v > 100.0)
        out[g, k.local] = total + k.subgroup("shuffle", other, 3) * cast(some, float32)
        k.atomic("add", counts, (g,), cast(v, int32))

    backend = CudaHost(folder)
    device = Device("cuda", backend)
    x = np.arange(128, dtype="float32").reshape(2, 64)
    start = np.array([5, -5], "int32")
    handles = tuple([fogo.tensor(a, device=device)._handle for a in (x, start)])
    op = Op("warps", kernel=kernel, shares={3: 1})
    made = backend.run(op, handles, (), (Aval((2, 64), float32), Aval((2,), int32)))
    rows = x.reshape(4, 32)
    want = rows.cumsum(1) + rows[:, 4:5] * (rows.max(1) > 100)[:, None]
    got = np.frombuffer(bytes(backend.read(made)[0]), "float32").reshape(4, 32)
    assert np.array_equal(got, want)
    assert list(backend.read(made)[1]) == (x.sum(1) + start).astype(int).tolist()


def test_backend_over_cupy(gpu: Device) -> None:
    x = fogo.tensor([[1.0, 2.0], [3.0, 4.0]], device=gpu)
    assert (x @ x).tolist() == [[7.0, 10.0], [15.0, 22.0]]
    assert fogo.arange(3, device=gpu).tolist() == [0, 1, 2]
    assert x.T[1].tolist() == [2.0, 4.0]
    assert (x > 1.5).tolist() == [[False, True], [True, True]]
    assert x.astype("float16").tolist() == x.tolist()
    gpu.sync()
    assert gpu.describe() == "CUDA: a CPU"
    assert gpu.backend.programs


def test_backend_refuses(gpu: Device) -> None:
    from fogo.native import cuda_backend, cuda_rtc

    with pytest.raises(fogo.DeviceError, match="no such GPU; given index 1"):
        cuda_backend.create(1)
    x = fogo.tensor([1.0], device=gpu)
    (x + 1.0).tolist()
    program = next(iter(gpu.backend.programs.values()))
    with pytest.raises(fogo.DeviceError, match="at most 2147483647 blocks"):
        program.launch(cuda_rtc.MOST_BLOCKS * 300, [], [])


def test_without_cupy(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    from fogo.native import cuda_rtc

    with pytest.raises(fogo.DeviceError, match="install fogo\\[cuda\\]"):
        cuda_rtc.cupy()


def test_uint32_argument_types() -> None:
    from fogo.native.cuda_rtc import argument

    assert argument(uint32) is np.uint32 and argument(int8) is np.int32
    assert argument(float16) is np.float32 and argument(int64) is np.int64


def test_the_script_for_gpus(folder: Path) -> None:
    """benchmarks/nvrtc.py, with the host's compiler instead of NVRTC."""
    lines = (
        "from tests.kernel.fake_cupy import *\nfrom tests.kernel.fake_cupy import cuda"
    )
    (folder / "cupy.py").write_text(lines)
    names = ["--only", "logical_not", "--only", "linear_scan"]
    done = subprocess.run(
        [sys.executable, "benchmarks/nvrtc.py", "--workers=2", "--sample=0", *names],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{folder}:{ROOT}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    last = done.stdout.splitlines()[-1]
    assert last.startswith("built ") and last.endswith("failed 0"), done.stdout
    assert "each: linear_scan" in done.stdout and "fused: linear_scan" in done.stdout
