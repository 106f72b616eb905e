"""`fogo.kernel_source`: WGSL of the user's own, and what happens without."""

from __future__ import annotations

import math
import shutil
import sys
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.native.cuda_source import words

AXPY = """
@group(0) @binding(0) var<uniform> P: array<vec4<i32>, 1>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>) {
  let i = i32(id.x + 64u * groups.x * id.y + 64u * groups.x * groups.y * id.z);
  if (i < P[0].x) { out[i] = bitcast<f32>(P[0].y) * x[i] + y[i]; }
}
"""


def axpy(**rules: Any) -> Any:
    rules = {
        "groups": lambda x, y, by: -(-math.prod(x.shape) // 64),
        "params": lambda x, y, by: (math.prod(x.shape), float(by)),
        "fallback": lambda x, y, by: x * by + y,
        "wgsl": AXPY,
    } | rules
    return fogo.kernel_source("axpy", out=lambda x, y, by: x, **rules)


def test_source_where_there_is_some_else_the_fallback(device: fogo.Device) -> None:
    a, b = np.arange(77, dtype=np.float32), np.ones((7, 11), np.float32)
    x = fogo.tensor(a.reshape(11, 7), device=device).transpose()  # copied row-major
    calls = []

    def fallback(x: fogo.Tensor, y: fogo.Tensor, by: float) -> fogo.Tensor:
        calls.append(1)
        return x * by + y

    got = axpy(fallback=fallback)(x, fogo.tensor(b, device=device), 3)
    np.testing.assert_allclose(got.numpy(), a.reshape(11, 7).T * 3 + 1)
    assert len(calls) == (0 if device.name == "webgpu" else 1)


def test_the_gradient_is_the_fallbacks(device: fogo.Device) -> None:
    x = fogo.ones(100, device=device.autodiff()).requires_grad_()
    found = axpy()(x, x * 2, 5.0).sum().backward()[x]
    assert found.tolist() == [7.0] * 100


def test_a_gradient_of_its_own(device: fogo.Device) -> None:
    op = axpy(grad=lambda g, x, y, by: (g * 10, None))
    x = fogo.ones(3, device=device.autodiff()).requires_grad_()
    assert op(x, x, 5.0).sum().backward()[x].tolist() == [10.0] * 3


def test_without_source_or_fallback_the_device_is_named() -> None:
    op = axpy(fallback=None)
    x = fogo.ones(3, device="python")
    said = "axpy: a device needs source .*; given wgsl source on python; pass fallback="
    with pytest.raises(fogo.DeviceError, match=said):
        op(x, x, 1.0)
    with pytest.raises(fogo.DTypeError, match="kernel_source: it needs .* for nothing"):
        fogo.kernel_source("nothing", out=lambda x: x, groups=lambda x: 1)


@pytest.fixture
def gpu() -> fogo.Device:
    from tests.support import runtimes

    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    return fogo.device("webgpu")


@pytest.mark.parametrize("groups", [2, (2,), (1, 2), (1, 1, 2), (2, 1, 1)])
def test_workgroups_in_one_to_three_dimensions(groups: Any, gpu: fogo.Device) -> None:
    op = axpy(groups=lambda x, y, by: groups, fallback=None)
    x = fogo.arange(100, dtype="float32", device=gpu)
    assert op(x, x, 2).tolist() == [3.0 * i for i in range(100)]


def test_source_may_be_made_for_the_arguments(gpu: fogo.Device) -> None:
    """And may have several outputs, and packed ones."""

    def wgsl(x: Any, n: int) -> str:
        return f"""
            @group(0) @binding(1) var<storage, read> x: array<u32>;
            @group(0) @binding(2) var<storage, read_write> low: array<u32>;
            @group(0) @binding(3) var<storage, read_write> high: array<u32>;
            @compute @workgroup_size({n}) fn main(
                @builtin(local_invocation_index) i: u32) {{
              low[i] = x[i] & 0x0f0f0f0fu;
              high[i] = (x[i] >> 4u) & 0x0f0f0f0fu;
            }}"""

    op = fogo.kernel_source(
        "nibbles", out=lambda x, n: (x, x), groups=lambda x, n: 1, wgsl=wgsl
    )
    for n in (2, 8):
        a = np.arange(n * 4, dtype=np.uint8) * 37
        low, high = op(fogo.tensor(a, device=gpu), n)
        assert (low.numpy() == a % 16).all() and (high.numpy() == a // 16).all()


def test_wrong_numbers_of_workgroups(gpu: fogo.Device) -> None:
    x = fogo.ones(3, device=gpu)
    for groups in ((), (1, 2, 3, 4), (-1,), (1.5,), 1.5, None, "a"):
        with pytest.raises(fogo.DeviceError, match="axpy: groups must return 1 to 3"):
            axpy(groups=lambda x, y, by, n=groups: n)(x, x, 1.0).tolist()
    with pytest.raises(fogo.DeviceError, match="axpy: a dimension holds at most 65535"):
        axpy(groups=lambda x, y, by: 70000)(x, x, 1.0).tolist()
    many = fogo.kernel_source(
        "many", out=lambda xs: xs[0], groups=lambda xs: 1, wgsl="fn main() {}"
    )
    with pytest.raises(fogo.DeviceError, match="many: a kernel takes at most"):
        many([x] * 100).tolist()


def test_wrong_numbers_for_p(gpu: fogo.Device) -> None:
    x = fogo.ones(3, device=gpu)
    for number in ("a", None, 1 << 40, -(1 << 40)):
        with pytest.raises(fogo.DTypeError, match="axpy: params must return floats"):
            axpy(params=lambda x, y, by, n=number: (n, by))(x, x, 1.0).tolist()


def test_numbers_for_p_in_cuda() -> None:
    found = words((-1, 0xFFFFFFFF, 7, 1.0, True))
    assert found.tolist() == [-1, -1, 7, 0x3F800000, 1]


def test_wrong_source_is_named_at_the_read(gpu: fogo.Device) -> None:
    op = axpy(wgsl="fn main() { nothing }", fallback=None)
    x = fogo.ones(3, device=gpu)
    with pytest.raises(fogo.DeviceError, match="(?s)webgpu: .*axpy"):
        op(x, x, 1.0).tolist()
    assert (x + 1).tolist() == [2.0] * 3


CUDA = """
extern "C" __global__ void main_kernel(const int* P, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float by;
  memcpy(&by, P + 1, 4);
  if (i < P[0]) { out[i] = by * x[i] + y[i]; }
}
"""  # noqa: E501


def test_source_in_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a C++ compiler in the place of NVRTC."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    from tests.kernel import fake_cupy

    monkeypatch.setitem(sys.modules, "cupy", fake_cupy)
    from fogo.native.cuda_backend import Cuda

    device = fogo.Device("cuda", Cuda())
    op = axpy(cuda=CUDA, fallback=None, threads=32, groups=lambda x, y, by: 3)
    x = fogo.arange(77, dtype="float32", device=device)
    assert op(x, x, 2.5).tolist() == [3.5 * i for i in range(77)]
    other = axpy(cuda=lambda x, y, by: CUDA.replace("by *", "2 * by *"), threads=96)
    assert other(x, x, 1).tolist() == [3.0 * i for i in range(77)]
    assert axpy()(x, x, 1).tolist() == [2.0 * i for i in range(77)]  # the fallback
