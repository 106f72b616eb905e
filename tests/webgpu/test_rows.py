"""Row programs, elementwise work by fours, argmax and cross-entropy on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import fogo
from fogo.backend.base import RawBackend
from fogo.dtypes import float32, int32
from fogo.expr import call, cast
from fogo.fast import Caps, loss, pointwise, softmax
from fogo.fast.program import Program, row_layouts
from fogo.fast.rows import row_op, tile, tile_of
from fogo.ops.record import Aval
from fogo.shapes import Layout
from tests.webgpu.tuned import handle, raw

RANDOM = np.random.default_rng(3)


@pytest.fixture(params=[False, True], ids=["hardware", "software"])
def device(gpu: fogo.Device, request: pytest.FixtureRequest) -> Iterator[fogo.Device]:
    """The GPU, with the tiles of real ones and with those of CPUs that play GPU."""
    fast = raw(gpu).fast
    before, fast.caps.software = fast.caps.software, request.param
    fast.chosen.clear()
    yield gpu
    fast.caps.software = before
    fast.chosen.clear()


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(0.5, 2, shape).astype(np.float32)


def dispatches(device: fogo.Device) -> int:
    device.sync()
    return raw(device).gpu.stats()["dispatches"]


# Elementwise.


@pytest.mark.parametrize("shape", [(1 << 14,), (20003,), (130, 516), (4, 33, 128)])
def test_elementwise_by_fours(shape: tuple[int, ...], gpu: fogo.Device) -> None:
    a, b = normal(*shape), normal(*shape)
    x, y = fogo.tensor(a, device=gpu), fogo.tensor(b, device=gpu)
    wide = pointwise.candidates(
        fogo.ops.record.REGISTRY["add"], (x._handle, y._handle), (),
        (Aval(shape, float32),), Caps(),
    )  # fmt: skip
    assert len(wide) == 1
    np.testing.assert_array_equal((x + y).numpy(), a + b)
    np.testing.assert_allclose((x - 2.5).numpy(), a - np.float32(2.5))


@pytest.mark.parametrize("part", [(516,), (130, 1), (1, 516)])
def test_rows_and_columns_are_broadcast(
    part: tuple[int, ...], gpu: fogo.Device
) -> None:
    a, b = normal(130, 516), normal(*part)
    got = fogo.tensor(a, device=gpu) * fogo.tensor(b, device=gpu)
    np.testing.assert_array_equal(got.numpy(), a * b)


def test_what_lies_askew_is_right_too(gpu: fogo.Device) -> None:
    a = normal(40001)
    x = fogo.tensor(a, device=gpu)
    np.testing.assert_array_equal((x[1:] + x[:-1]).numpy(), a[1:] + a[:-1])
    np.testing.assert_array_equal((x[::2] * x[::-2]).numpy(), a[::2] * a[::-2])
    np.testing.assert_array_equal((x[4:] + x[:-4]).numpy(), a[4:] + a[:-4])
    m = normal(200, 128)
    t = fogo.tensor(m, device=gpu)
    np.testing.assert_array_equal((t.T + t.T).numpy(), m.T + m.T)


# Softmax and its kin.

SHAPES = [(4, 16), (7, 33), (1000, 10), (128, 100), (20, 4096), (3, 9000), (2, 3, 40)]


def soft(a: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Softmax and logsumexp, in float64."""
    a = a.astype(np.float64)
    top = a.max(axis, keepdims=True)
    e = np.exp(a - top)
    total = e.sum(axis, keepdims=True)
    return e / total, np.squeeze(np.log(total) + top, axis)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, -1])
def test_softmax_and_its_kin(
    shape: tuple[int, ...], axis: int, device: fogo.Device
) -> None:
    a = normal(*shape)
    x = fogo.tensor(a, device=device)
    weights, total = soft(a, axis)
    before = dispatches(device)
    got = x.softmax(axis)
    assert dispatches(device) - before == 1
    np.testing.assert_allclose(got.numpy(), weights, rtol=2e-6, atol=1e-9)
    np.testing.assert_allclose(
        x.log_softmax(axis).numpy(), np.log(weights), rtol=2e-6, atol=4e-6
    )
    np.testing.assert_allclose(x.logsumexp(axis).numpy(), total, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [-1, 0, (0, -1)])
def test_standardize(
    shape: tuple[int, ...], axis: int | tuple[int, ...], device: fogo.Device
) -> None:
    a = normal(*shape)
    x = fogo.tensor(a, device=device)
    before = dispatches(device)
    y, mean, var = fogo.standardize(x, axis)
    assert dispatches(device) - before <= 1 or a.size > 1 << 15
    true = a.astype(np.float64)
    m, v = true.mean(axis, keepdims=True), true.var(axis, keepdims=True)
    np.testing.assert_allclose(mean.numpy(), m, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(var.numpy(), v, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(y.numpy(), (true - m) / np.sqrt(v + 1e-5), atol=2e-5)


def test_float16_adds_in_float32(device: fogo.Device) -> None:
    a = np.full((3, 8192), 0.5, np.float16)
    a[1] = np.arange(8192) % 7
    x = fogo.tensor(a, device=device)
    _, mean, _ = fogo.standardize(x, -1)
    true = a.astype(np.float64).mean(-1, keepdims=True)
    np.testing.assert_allclose(mean.numpy(), true, rtol=1e-3)
    np.testing.assert_allclose(x.softmax(-1).numpy(), soft(a, -1)[0], 2e-3, 1e-7)


def test_nan_and_infinities_stay_in_their_rows(device: fogo.Device) -> None:
    a = normal(4, 300)
    a[1, 77], a[2, 5] = np.nan, -np.inf
    got = fogo.tensor(a, device=device).softmax(-1).numpy()
    weights, _ = soft(a[[0, 2, 3]], -1)
    assert np.isnan(got[1]).all()
    np.testing.assert_allclose(got[[0, 2, 3]], weights, rtol=2e-6, atol=1e-9)


# Programs.

PROGRAM = Program(
    ("element", "row", "scalar", "element"),
    (
        ("map", lambda x, scale: x * scale, (0, 1)),  # 4
        ("reduce", "add", lambda dtype: 0, 4),  # 5
        ("reduce", "min", lambda dtype: float("inf"), 3),  # 6
        ("index", int32),  # 7
        ("map", lambda i: cast(i, float32), (7,)),  # 8
        ("count", float32),  # 9
        ("map", lambda x, low, n, eps, i: x - low * n + eps * i, (4, 6, 9, 2, 8)),
        ("map", lambda total, low: call("max", total, low), (5, 6)),  # 11
        ("reduce", "max", lambda dtype: -float("inf"), 10),  # 12
        ("reduce", "add", lambda dtype: 0, 1),  # 13: of a value that is the row's
    ),
    (10, 11, 12, 13),
)
OP = row_op("program", PROGRAM, ("eps",))


def expected(x: np.ndarray, scale: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """PROGRAM in float64, for rows along the last axis."""
    x, scale, y = [a.astype(np.float64) for a in (x, scale, y)]
    n = x.shape[-1]
    scaled = x * scale[..., None]
    total, low = scaled.sum(-1), y.min(-1)
    whole = scaled - low[..., None] * n + 0.25 * np.arange(n)
    return [whole, np.maximum(total, low), whole.max(-1), scale * n]


@pytest.mark.parametrize("shape", [(5, 96), (3, 4, 50), (33, 7), (2, 300)])
@pytest.mark.parametrize(
    "numbers",
    [
        (8, 8, 0), (32, 8, 0), (32, 32, 3), (64, 4, 0), (64, 16, 6), (16, 1, 0),
        (128, 128, 3),
    ],
)  # fmt: skip
@pytest.mark.parametrize("by", [1, 4])
def test_a_program_by_every_kind_of_tile(
    shape: tuple[int, ...], numbers: tuple[int, int, int], by: int, full: fogo.Device
) -> None:
    """Threads of a group and of a row, loads that are kept, elements of a load."""
    threads, lanes, held = numbers
    if (by == 4 and shape[-1] % 4) or (held and held * lanes * by < shape[-1]):
        return  # no such tile
    backend = raw(full)
    x, y, scale = normal(*shape), normal(*shape), normal(*shape[:-1])
    inputs = tuple([handle(backend, a) for a in (x, scale, y)])
    wide = (True, False, True, True, False, False, False) if by == 4 else ()
    rows = shape[:-1]
    outs = tuple([Aval(s, float32) for s in (shape, rows, rows, rows)])
    exact = held * lanes * by == shape[-1]
    attrs = ((len(rows),), (threads, lanes, held, wide, exact), 0.25)
    made = RawBackend.run(backend, OP, inputs, attrs, outs)
    for data, true in zip(backend.read(made), expected(x, scale, y)):
        got = np.frombuffer(data, np.float32).reshape(true.shape)
        np.testing.assert_allclose(got, true, rtol=2e-5, atol=1e-3)


def test_rows_may_run_along_any_axes(full: fogo.Device) -> None:
    backend = raw(full)
    x, scale = normal(6, 3, 8), normal(3)
    rows = x.transpose(1, 0, 2).reshape(3, 48)
    true = expected(rows, scale, rows)
    inputs = tuple([handle(backend, a) for a in (x, scale, x)])
    outs = tuple([Aval(s, float32) for s in ((6, 3, 8), (3,), (3,), (3,))])
    attrs = ((0, 2), (16, 16, 0, (), False), 0.25)
    made = RawBackend.run(backend, OP, inputs, attrs, outs)
    got = [np.frombuffer(b, np.float32) for b in backend.read(made)]
    got[0] = got[0].reshape(6, 3, 8).transpose(1, 0, 2).reshape(3, 48)
    for g, t in zip(got, true):
        np.testing.assert_allclose(g, t, rtol=2e-5, atol=1e-3)


def test_layouts_of_rows() -> None:
    each = (True, False, True)
    found = row_layouts(
        [Layout((4, 5, 6)), Layout((4, 5)), Layout((4, 5, 6))], each, (2,)
    )
    assert [x.shape for x in found] == [(20, 6), (20,), (20, 6)]
    found = row_layouts(
        [Layout((4, 5, 6)), Layout((5,)), Layout((4, 5, 6))], each, (0, 2)
    )
    assert [x.shape for x in found] == [(5, 4, 6), (5,), (5, 4, 6)]
    kept = row_layouts([Layout((4, 5)), Layout((4, 1)), Layout((4, 5))], each, (1,))
    assert [x.shape for x in kept] == [(4, 5), (4,), (4, 5)]


def test_tiles() -> None:
    caps = Caps((), {"maxComputeInvocationsPerWorkgroup": 1024})
    assert tile_of(8192, 4096, (True, True), caps) == (128, 128, 8, (True, True), True)
    threads, lanes, held, _, _ = tile_of(1 << 20, 32, (True, True), caps)
    assert (lanes, held) == (4, 2) and threads > lanes  # several rows a group
    assert tile_of(8192, 32000, (True, True), caps)[:3] == (1024, 1024, 8)
    assert tile_of(8192, 1 << 20, (), caps)[2] == 0  # too long to be kept
    assert tile_of(8192, 4096, (), Caps((), {}, software=True))[0] <= 8
    x = [Layout((1, 1 << 20))] * 2
    assert tile(softmax.SOFTMAX, x, [float32] * 2, (1,), caps) is None  # one long row
    assert (
        tile(softmax.SOFTMAX, [Layout((4, 0))] * 2, [float32] * 2, (1,), caps) is None
    )


# argmax and argmin.


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((100003,), 0), ((257, 513), 1), ((257, 513), 0), ((3, 40001), 1),
        ((40001, 3), 0), ((5, 3001, 4), 1), ((512, 1024), 0), ((2000, 7), 1),
    ],
)  # fmt: skip
def test_places_of_extremes(
    shape: tuple[int, ...], axis: int, device: fogo.Device
) -> None:
    a = normal(*shape)
    holes = a.copy()
    holes.reshape(-1)[RANDOM.integers(0, a.size, 9)] = np.nan
    for b in (a, np.round(a), holes, np.round(a).astype(np.int32)):
        x = fogo.tensor(b, device=device)
        np.testing.assert_array_equal(x.argmax(axis).numpy(), b.argmax(axis))
        np.testing.assert_array_equal(x.argmin(axis).numpy(), b.argmin(axis))


# Cross-entropy.


def entropy(
    x: np.ndarray, target: np.ndarray, ignore: int, smoothing: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(losses, whether each counts, gradients of the losses) for [N, C], in float64."""
    weights, total = soft(x, -1)
    x = x.astype(np.float64)
    n = x.shape[-1]
    wanted = np.eye(n)[np.where(target == ignore, 0, target)]
    wanted = wanted * (1 - smoothing) + smoothing / n
    counts = target != ignore
    losses = np.where(counts, total - (wanted * x).sum(-1), 0)
    return losses, counts, np.where(counts[:, None], weights - wanted, 0)


@pytest.mark.parametrize("shape", [(64, 10), (300, 100), (37, 1000), (1, 3)])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("options", [{}, {"label_smoothing": 0.2, "ignore_index": 1}])
def test_cross_entropy(
    shape: tuple[int, int], reduction: str, options: dict[str, float],
    device: fogo.Device,
) -> None:  # fmt: skip
    a, target = normal(*shape) * 5, RANDOM.integers(0, shape[1], shape[0])
    target[0] = shape[1] - 1
    ignore = int(options.get("ignore_index", -100))
    losses, counts, slopes = entropy(
        a, target, ignore, options.get("label_smoothing", 0.0)
    )
    x = fogo.tensor(a, device=device.autodiff()).requires_grad_()
    t = fogo.tensor(target.astype(np.int32), device=device)
    before = dispatches(device)
    got = fogo.cross_entropy(x, t, reduction=reduction, **options)
    one = reduction == "none" or a.size <= loss.WHOLE
    assert dispatches(device) - before == (1 if one else 2)
    share = counts.sum() if reduction == "mean" else 1
    true = losses if reduction == "none" else losses.sum() / share
    np.testing.assert_allclose(got.numpy(), true, rtol=2e-6, atol=2e-6)
    g = got.sum().backward()[x].numpy()
    np.testing.assert_allclose(g, slopes / share, rtol=1e-5, atol=2e-7)


def test_cross_entropy_of_images(device: fogo.Device) -> None:
    a, target = normal(2, 5, 30, 20), RANDOM.integers(0, 5, (2, 30, 20))
    rows = np.moveaxis(a, 1, -1).reshape(-1, 5)
    losses, _, slopes = entropy(rows, target.reshape(-1), -100, 0.0)
    x = fogo.tensor(a, device=device.autodiff()).requires_grad_()
    got = fogo.cross_entropy(x, fogo.tensor(target.astype(np.int32), device=device))
    np.testing.assert_allclose(got.numpy(), losses.mean(), rtol=2e-6)
    true = np.moveaxis((slopes / len(rows)).reshape(2, 30, 20, 5), -1, 1)
    g = got.backward()[x].numpy()
    np.testing.assert_allclose(g, true, rtol=1e-5, atol=1e-8)
