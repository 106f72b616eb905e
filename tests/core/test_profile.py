"""fogo.profile: what is counted, what is told, on GPUs and CPUs."""

from __future__ import annotations

import json
import types

import pytest

import fogo
from fogo import meters, profiling
from fogo.errors import DeviceError
from fogo.kernel.cost import plan_cost
from fogo.kernel.lower import Planner
from fogo.ops.elementwise import COPY
from fogo.ops.matmul import MATMUL
from fogo.ops.record import Aval, Op
from fogo.ops.reduce import SUM
from fogo.shapes import Layout
from tests.support import runtimes


@pytest.fixture(params=["numpy", "python", "webgpu"])
def device(request: pytest.FixtureRequest) -> fogo.Device:
    """A device of each way to measure."""
    runtimes.need(request.param, runtimes.why_absent(request.param))
    return fogo.device(request.param)


def operand(*shape: int, strides=None, dtype=fogo.float32):
    return types.SimpleNamespace(layout=Layout(shape, strides), dtype=dtype)


def cost(op, attrs, inputs, *outs):
    results = [Aval(shape, fogo.float32) for shape in outs]
    return plan_cost(Planner().plan(op, attrs, inputs, results))


def test_costs_by_hand() -> None:
    m, k, n = 6, 5, 7
    assert cost(MATMUL, (), (operand(m, k), operand(k, n)), (m, n)) == (
        4 * (m * k + k * n + m * n),
        2 * m * k * n,
    )
    assert cost(COPY, (), (operand(10, 3),), (10, 3)) == (8 * 30, 0)
    assert cost(SUM, ((1,), False), (operand(4, 9),), (4,)) == (4 * (36 + 4), 36)


def test_what_is_broadcast_is_read_once() -> None:
    add = Op("plus", formula=lambda a, b: a + b)
    row = operand(8, 5, strides=(0, 1))
    assert cost(add, (), (operand(8, 5), row), (8, 5)) == (4 * (40 + 5 + 40), 40)


def test_groups_and_unrolled_loops_count_every_thread() -> None:
    def kernel(k, x, out):
        (row,) = k.groups(out.shape, 32)
        total = k.cell(0.0, x.dtype)
        with k.loop(x.shape[1], k.local, 32) as i:
            total.set(total + x[row, i])
        for _ in range(3):
            total.set(total * 2.0)
        with k.when(k.local == 0):
            out[row] = total

    op = Op("rows", infer=lambda avals, attrs: avals, kernel=kernel)
    # About: the first thread's share of a row, times 32.
    assert cost(op, (), (operand(4, 64),), (4,))[1] == 4 * 32 * (2 + 3)


def test_each_kernel_has_a_record(device) -> None:
    x = fogo.ones((24, 16), device=device) * fogo.arange(16, device=device)
    device.sync()
    with fogo.profile(device) as p:
        y = x @ x.mT
        total = y.sum(1).tolist()
    assert len(total) == 24
    names = [r.name for r in p.records]
    assert any("matmul" in name for name in names), names
    assert any("sum" in name for name in names), names
    assert all(r.seconds >= 0.0 for r in p.records) and p.seconds > 0.0
    starts = [r.start for r in p.records]
    assert starts == sorted(starts)
    product = [r for r in p.records if "matmul" in r.name][0]
    assert product.flops >= 2 * 24 * 24 * 16
    assert product.bytes >= 4 * (24 * 16 + 24 * 24)


def test_nothing_is_measured_outside(device) -> None:
    x = fogo.ones((8,), device=device)
    with fogo.profile(device) as p:
        device.sync()
    (x + x).tolist()
    device.sync()
    assert p.records == []
    with fogo.profile(device) as p:
        (x - x).tolist()
    assert len(p.records) == 1


def test_an_error_inside_ends_the_profile(device) -> None:
    x = fogo.ones((8,), device=device)
    with pytest.raises(ZeroDivisionError):
        with fogo.profile(device):
            (x + x).tolist()
            raise ZeroDivisionError
    assert (x + x).tolist() == [2.0] * 8
    with fogo.profile(device) as p:
        (x - x).tolist()
    assert len(p.records) == 1


def test_tables_and_traces(device, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(profiling._CEILINGS, device.base(), (1e9, 4e9))
    p = fogo.profile(device)
    p.how = "by hand"
    p.records = [
        profiling.Record("add", 2e-3, 5.0, 1_000_000, 250_000),
        profiling.Record("matmul", 4e-3, 5.5, 2_000_000, 8_000_000),
        profiling.Record("add", 2e-3, 6.0, 1_000_000, 250_000),
    ]
    head, first, second, last = p.table().split("\n")
    assert head.split()[:3] == ["kernel", "calls", "ms"]
    assert first.split() == "add 2 4.000 50.0% 0.50 50.0% 0.12 3.1%".split()
    assert second.split() == "matmul 1 4.000 50.0% 0.50 50.0% 2.00 50.0%".split()
    assert last.startswith("3 kernels, 8.000 ms (by hand); copy 1.00 GB/s")
    assert p.table(rows=1).split("\n")[2] == "… and 1 more"
    path = tmp_path / "trace.json"
    p.trace(str(path))
    found = json.loads(path.read_text())["traceEvents"]
    assert found[0]["ph"] == "M" and device.name in found[0]["args"]["name"]
    assert [(e["name"], e["ts"], e["dur"]) for e in found[1:]] == [
        ("add", 0.0, 2e3), ("matmul", 5e5, 4e3), ("add", 1e6, 2e3),
    ]  # fmt: skip
    assert found[2]["args"] == {"bytes": 2_000_000, "flops": 8_000_000}


def test_profiles_and_records_say_what_they_are(device) -> None:
    p = fogo.profile(device)
    assert repr(p) == "<profile of %r: use it in a `with` statement>" % device
    p.how = "by hand"
    p.records = [profiling.Record("add", 2e-3, 5.0, 24, 6)]
    assert repr(p) == "<profile of %r: 1 kernel, 2.000 ms (by hand)>" % device
    assert repr(p.records[0]) == "<add: 2.000 ms, 24 bytes, 6 operations>"


@pytest.mark.parametrize("name", ["numpy", "webgpu"])
def test_ceilings_take_no_memory_of_the_program(name, monkeypatch) -> None:
    runtimes.need(name, runtimes.why_absent(name))
    device = fogo.device(name)
    monkeypatch.delitem(profiling._CEILINGS, device.base(), raising=False)
    x = fogo.ones((1 << 19,), device=device) * 2.0  # 2 MiB; a ceiling takes 16
    device.sync()
    fogo.memory_cleanup(device)
    fogo.memory.reset_peak(device)
    before = fogo.memory_stats(device)
    profiling.ceilings(device)
    assert fogo.memory_stats(device) == before
    assert x[:1].tolist() == [2.0]


def test_ceilings_are_measured_once(device, monkeypatch) -> None:
    monkeypatch.delitem(profiling._CEILINGS, device.base(), raising=False)
    found = profiling.ceilings(device)
    assert found[0] > 0 and found[1] > 0
    assert profiling.ceilings(device.autodiff()) is found


def test_a_clock_that_stands_still_is_told(monkeypatch) -> None:
    device = fogo.device("python")
    monkeypatch.setattr(profiling.Profile, "seconds", property(lambda self: 0.0))
    with pytest.raises(DeviceError, match="clock must move.*python; update its driver"):
        meters.best_copy(device)


def test_ops_inside_an_op_are_not_counted_twice() -> None:
    device = fogo.device("numpy")
    x = fogo.ones((300, 300), device=device)
    with fogo.profile(device) as p:
        x.softmax(1)
    names = [r.name for r in p.records]
    assert "softmax" not in names and "exp" in names
    assert p.how == "by the host's clock"


def test_a_gpu_without_timestamps_is_waited_for() -> None:
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    from fogo.native.wgpu_gpu import open_now
    from fogo.webgpu import use_gpu

    gpu = open_now()
    gpu.features.discard("timestamp-query")
    device = use_gpu(gpu)
    x = fogo.ones((64, 64), device=device) + fogo.arange(64, device=device)
    device.sync()
    with fogo.profile(device) as p:
        (x @ x).tolist()
    (product,) = [r.name for r in p.records]
    assert "matmul" in product
    assert "each kernel waited for" in p.how and p.records[0].seconds > 0


def test_a_captured_step_has_the_same_kernels() -> None:
    runtimes.need("webgpu", runtimes.why_absent("webgpu"))
    device = fogo.device("webgpu")
    x = fogo.ones((64, 64), device=device) + fogo.arange(64, device=device)

    def product(x):
        return (x @ x).exp().sum(0)

    with fogo.profile(device) as eager:
        product(x).tolist()
    replayed = fogo.compile(product)
    for _ in range(3):
        replayed(x).tolist()
    with fogo.profile(device) as p:
        y = replayed(x)
    assert [r.name for r in p.records] == [r.name for r in eager.records]
    assert [r.flops for r in p.records] == [r.flops for r in eager.records]
    assert len(y.tolist()) == 64


def test_every_open_device_is_watched() -> None:
    for name in ("numpy", "python"):
        fogo.ones((4,), device=name)
    with fogo.profile() as p:
        x = fogo.ones((4,), device="python") * 3.0
        x.tolist()
    assert {"numpy", "python"} <= {d.name for d in p.devices}
    assert [r.device.name for r in p.records if r.name == "mul"] == ["python"]
    assert "mul" in p.table() and "python" in p.table()


def test_each_device_has_its_table_and_its_line(tmp_path, monkeypatch) -> None:
    one, two = fogo.device("numpy"), fogo.device("python")
    monkeypatch.setitem(profiling._CEILINGS, one.base(), (1e9, 4e9))
    monkeypatch.setitem(profiling._CEILINGS, two.base(), (1e9, 4e9))
    x, y = fogo.ones((4,), device=one), fogo.ones((4,), device=two)
    with fogo.profile() as p:
        x + x, y - y
    tables = p.table()
    assert tables.count("kernel ") >= 2 and "add" in tables and "sub" in tables
    path = tmp_path / "trace.json"
    p.trace(str(path))
    events = json.loads(path.read_text())["traceEvents"]
    assert {e["pid"] for e in events if e["name"] in ("add", "sub")} == {0, 1}


def test_an_empty_profile_says_what_was_watched() -> None:
    with fogo.profile("numpy") as p:
        fogo.ones((4,), device="python") * 3.0
    said = "nothing ran on numpy; give the device that computes: fogo.profile(x.device)"
    assert p.table() == said
    assert said in repr(p)
