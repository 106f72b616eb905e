"""CUDA as a player, over a CuPy of the host: kernels by g++, graphs as lists."""

from __future__ import annotations

import gc
import sys
from array import array
from typing import Any

import numpy as np
import pytest

import fogo
from fogo import nn, optim
from fogo.autotune import STORE
from fogo.device import Device
from fogo.errors import DeviceError, DTypeError
from fogo.webgpu import gpu as G
from fogo.webgpu.backend import fold
from tests.kernel import fake_cupy
from tests.kernel.cuda_host import compiler

MIB = 1 << 20
AXPY = """
extern "C" __global__ void main_kernel(const int* P, const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < P[0]) out[i] = x[i] * *(const float*)(P + 1) + 1.0f;
}
"""


@pytest.fixture
def cuda(monkeypatch) -> Device:
    """A device that fuses, on a player whose CuPy is fake_cupy.py."""
    if compiler() is None:
        pytest.skip("no g++ on the PATH")
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy)
    monkeypatch.setattr(fake_cupy, "TOTAL", [1 << 40])
    monkeypatch.setattr(STORE, "chosen", "off")
    monkeypatch.delenv("FOGO_FUSION", raising=False)
    from fogo.native import cuda_gpu

    return Device("cuda", cuda_gpu.create())


def stats(device: Device) -> dict[str, int]:
    found: dict[str, int] = device.backend.inner.gpu.stats()
    return found


def test_steps_of_training_are_those_of_numpy(cuda) -> None:
    """A perceptron by gradient descent: eagerly, then as a graph."""
    r = np.random.default_rng(0)
    x, y = r.normal(size=(16, 6)), r.normal(size=(16, 1))
    w1, w2 = r.normal(size=(6, 8)), r.normal(size=(8, 1))
    where = cuda.autodiff()

    def put(a: Any) -> Any:
        return fogo.tensor(a.astype("float32"), device=where)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w1, self.w2 = nn.Parameter(put(w1)), nn.Parameter(put(w2))

        def forward(self, x: Any) -> Any:
            return (x @ self.w1).relu() @ self.w2

    net, goal = Net(), put(y)
    opt = optim.SGD(net, lr=0.02)

    def step(x: Any) -> Any:
        loss = ((net(x) - goal) ** 2).mean()
        opt.step(loss.backward())
        return loss

    captured = fogo.compile(step)
    for turn in range(8):
        got = (step if turn < 3 else captured)(put(x)).item()
        hidden = np.maximum(x @ w1, 0)
        off = hidden @ w2 - y
        assert got == pytest.approx((off**2).mean(), rel=1e-4)
        down = 2 * off / off.size
        w1, w2 = (
            w1 - 0.02 * x.T @ (down @ w2.T * (hidden > 0)),
            w2 - 0.02 * hidden.T @ down,
        )
    np.testing.assert_allclose(net.w1.numpy(), w1, rtol=1e-3, atol=1e-5)
    assert stats(cuda)["graphs"] == 1 and "3 plays" in repr(captured)


def test_narrow_elements_lie_as_in_numpy(cuda) -> None:
    a = np.random.default_rng(1).integers(-99, 99, (7, 11))
    for name in ("int8", "int16", "uint8", "float16", "bool", "int32"):
        x = fogo.tensor(a.astype(name), device=cuda)
        assert x.T[2:, 1:].tolist() == a.astype(name).T[2:, 1:].tolist()
        assert fogo.where(x == x, x, x).tolist() == a.astype(name).tolist()
    assert (fogo.tensor(a > 3, device=cuda).sum()).item() == (a > 3).sum()


def test_one_dimension_holds_all_groups() -> None:
    assert fold(70000) == (35000, 2)
    assert fold(70000, (1 << 31) - 1) == (70000, 1)


def test_source_of_the_users_own_runs_and_is_captured(cuda) -> None:
    op = fogo.kernel_source(
        "axpy", out=lambda x, by: x, groups=lambda x, by: -(-x.shape[0] // 32),
        params=lambda x, by: (x.shape[0], float(by)), threads=32, cuda=AXPY,
    )  # fmt: skip
    x = fogo.tensor(np.arange(70, dtype="float32"), device=cuda)
    want = [i * 2.5 + 1 for i in range(70)]
    assert op(x, 2.5).tolist() == want
    f = fogo.compile(lambda x: op(x, 2.5) * 2.0)
    for _ in range(4):
        assert f(x).tolist() == [2 * v for v in want]
    assert stats(cuda)["graphs"] == 1


def test_source_that_does_not_compile_is_told_at_the_read(cuda) -> None:
    op = fogo.kernel_source("bad", out=lambda x: x, groups=lambda x: 1,
                            cuda=AXPY.replace("P[0]", "missing"))  # fmt: skip
    x = fogo.ones(3, device=cuda)
    with pytest.raises(DeviceError, match=r"(?s)cuda: .*missing.*ops since.*bad"):
        op(x).tolist()
    assert (x + 1.0).tolist() == [2.0] * 3


def test_a_full_gpu_gives_back_what_is_idle(cuda, monkeypatch) -> None:
    kept = fogo.zeros(MIB, device=cuda) + 2.0
    x = kept * 2.0
    cuda.sync()
    del x
    gc.collect()
    cuda.sync()  # what x had is idle now
    idle = cuda.backend.inner.pool.spare
    assert idle >= 4 * MIB
    used = cuda.backend.inner.gpu._player.memory.pool.used
    monkeypatch.setattr(fake_cupy, "TOTAL", [used + 64 * 1024])
    y = fogo.tensor(np.ones(5 * MIB // 8, "float32"), device=cuda)
    assert y[7].item() == 1.0 and kept[7].item() == 2.0
    with pytest.raises(
        DeviceError, match=r"out of memory: the GPU has no room for \d+"
    ):
        (kept.reshape((MIB, 1)) * fogo.ones(8, device=cuda)).tolist()
    assert (kept[:3] + 1.0).tolist() == [3.0] * 3


def test_each_kernel_is_timed(cuda) -> None:
    x = fogo.ones((4, 4), device=cuda)
    f = fogo.compile(lambda x: (x @ x).exp())
    for _ in range(3):
        f(x).tolist()
    with fogo.profile(cuda) as p:
        f(x).tolist()
    assert p.how == "by the device's clock"
    (product,) = [r for r in p.records if "matmul" in r.name]
    assert product.flops >= 2 * 4**3 and 0 < product.seconds < 1
    assert not cuda.backend.inner.gpu.profiling
    assert cuda.backend.inner.bench().name() == "a CPU; CUDA 13000, sm_90; CudaGpu"


def test_all_dtypes_without_fusion(cuda, monkeypatch) -> None:
    with pytest.raises(DTypeError, match=r"float64; use float32, or .*\.unfused\(\)"):
        fogo.zeros(2, dtype="float64", device=cuda)
    with pytest.raises(DTypeError, match="bfloat16|complex64"):
        fogo.zeros(2, dtype="complex64", device=cuda)
    plain = cuda.unfused()
    assert repr(plain) == "fogo.device('cuda').unfused()"
    third = fogo.ones(2, dtype="float64", device=plain) / 3
    assert third.tolist() == [1 / 3] * 2
    from fogo.native import cuda_backend, cuda_gpu

    monkeypatch.setenv("FOGO_FUSION", "0")
    assert type(cuda_gpu.create()) is cuda_backend.Cuda


def test_a_gpu_that_is_not_there(cuda) -> None:
    from fogo.native import cuda_gpu

    with pytest.raises(DeviceError, match="no such GPU; given index 1; there are 1"):
        cuda_gpu.create(1)
    with pytest.raises(DeviceError, match="at most 65536 bytes|whole warps|16x16"):
        cuda_gpu.CudaGpu().prints(_odd_tiles(), 64)


def _odd_tiles() -> Any:
    from fogo.kernel.lower import trace
    from fogo.ops.record import Op
    from fogo.shapes import Layout

    def tiles(k, x, out):
        k.groups((1,), 32)
        k.matrix("left", fogo.float32, 8, 8)

    op = Op("tiles", kernel=tiles)
    return trace(op, (), [Layout((4,))] * 2, [fogo.float32] * 2, 1)


def played(gpu: Any, *words: int, blobs: Any = (), texts: Any = ()) -> Any:
    return gpu.play(array("i", [G.FORMAT, *words]), blobs, texts).wait()


def test_what_a_player_refuses(cuda) -> None:
    gpu = cuda.backend.inner.gpu
    with pytest.raises(DeviceError, match="cuda: it plays format 2, not 9"):
        gpu.play(array("i", [9]), (), ()).wait()
    for words, said in [
        ((99,), "no command 99"),
        ((G.READ, 1, 0, 1), "no buffer 1"),
        ((G.RUN, 7, 0, 1, 1, 1, 0), "no kernel 7"),
        ((G.PLAY, 3), "no program 3"),
        ((G.PROGRAM, 3, 2, G.PLAY, 4), "takes RUN and COPY"),
        ((G.PROGRAM, 3, 7, G.RUN, 7, 0, 1, 1, 1, 0), "no kernel 7"),
        ((G.PROGRAM, 3, 6, G.COPY, 8, 0, 9, 0, 1), "no buffer 8"),
    ]:
        with pytest.raises(DeviceError, match=said):
            played(gpu, *words)
    text = "// fogo threads 1 \n" + AXPY
    with pytest.raises(DeviceError, match="kernel 5 takes 1 buffers"):
        played(gpu, G.KERNEL, 5, 0, 1, 1, 0, G.RUN, 5, 0, 1, 1, 1, 0, texts=[text])
    assert played(gpu) == []


def test_what_the_driver_refuses_is_told_by_the_next_read(cuda, monkeypatch) -> None:
    gpu = cuda.backend.inner.gpu
    x = fogo.ones(3, device=cuda)
    with monkeypatch.context() as m:
        m.setattr(gpu._player, "launch", _failing)
        with pytest.raises(DeviceError, match="cuda: LAUNCH_FAILED.*: (add|mul)"):
            (x * 2.0 + 1.0).tolist()
    with monkeypatch.context() as m:
        m.setattr(fake_cupy.Event, "synchronize", _failing)
        with pytest.raises(DeviceError, match="reading failed: LAUNCH_FAILED"):
            (x * 3.0).tolist()
    first = gpu.play(array("i", [G.FORMAT, G.READ, 999, 0, 1]), (), ())
    second = gpu.play(array("i", [G.FORMAT, G.READ, 999, 0, 1]), (), ())
    with pytest.raises(DeviceError, match="no buffer 999"):
        first.wait()
    with pytest.raises(DeviceError, match="another read was told"):
        second.wait()
    assert (x * 4.0).tolist() == [4.0] * 3


def _failing(*args: Any) -> None:
    raise RuntimeError("LAUNCH_FAILED")


def test_copies_within_a_buffer_and_large_transfers(cuda, monkeypatch) -> None:
    from fogo.native import cuda_memory

    gpu = cuda.backend.inner.gpu
    before = bytes(range(32))
    copy = (G.COPY, 1, 0, 1, 1, 7)
    for most in (1 << 20, 8):
        monkeypatch.setattr(cuda_memory, "LOCKED_BYTES", most)
        first = (G.BUFFER, 1, 8, G.WRITE, 1, 0, 8, 0, *copy, G.READ, 1, 0, 8)
        got = played(gpu, *first, G.READ, 1, 0, 0, blobs=[before])
        assert [bytes(part) for part in got] == [before[:4] + before[:28], b""]
        got = played(gpu, G.PROGRAM, 2, 6, *copy, G.PLAY, 2, G.READ, 1, 0, 8)
        assert bytes(got[0]) == before[:4] * 2 + before[:24]
        played(gpu, G.DROP, 2, G.FREE, 1)
    assert gpu.stats()["buffers"] == 0 and gpu.stats()["graphs"] == 2


def test_much_free_memory_goes_back_to_the_driver(cuda) -> None:
    gpu = cuda.backend.inner.gpu
    pool = gpu._player.memory.pool
    for nwords, left in ((1 << 20, 1 << 22), (1 << 26, 0)):
        played(gpu, G.BUFFER, 1, nwords, G.FREE, 1)
        assert pool.free == left
