"""Scatters that sort their indices, gathers with wide loads, joining by copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo

RANDOM = np.random.default_rng(5)
# Shape, axis, number of indices: few for direct search, more, and hot places.
ROWS = [
    ((1000, 8), 0, 3000), ((300, 7), 0, 4097), ((7, 300), 1, 257),
    ((50, 3, 40), 1, 200), ((10,), 0, 70000), ((70000,), 0, 300), ((20, 6), 0, 1),
    ((20, 6), 0, 30),
]  # fmt: skip
WHOLE = [
    ((500, 8), 0, (900, 8)), ((6, 500), 1, (6, 700)), ((6, 500), 1, (4, 700)),
    ((20, 300, 5), 1, (20, 250, 3)), ((10000,), 0, (5000,)), ((6, 500), 1, (6, 2)),
]  # fmt: skip


def rows(n: int, count: Any) -> Any:
    """Indices in and out of range, from both ends, a quarter of them equal."""
    index = RANDOM.integers(-n - 3, n + 3, count).astype(np.int32)
    index.flat[::4] = n // 2
    return index


def scattered(x: Any, index: Any, values: Any, axis: int, put: bool) -> Any:
    """The definition, line by line, in float64; `index` is as large as `values`."""
    out = np.moveaxis(x.astype(np.float64), axis, -1).copy()
    values = np.moveaxis(values.astype(np.float64), axis, -1)
    index = np.moveaxis(index, axis, -1)
    for line in np.ndindex(*values.shape[:-1]):
        for row, v in zip(index[line], values[line]):
            at = row + out.shape[-1] if row < 0 else row
            if 0 <= at < out.shape[-1]:
                out[(*line, at)] = v if put else out[(*line, at)] + v
    return np.moveaxis(out, -1, axis)


def spread(index: Any, shape: tuple[int, ...], axis: int) -> Any:
    """One index for an axis, as an index for every place."""
    return np.broadcast_to(index.reshape([-1] + [1] * (len(shape) - axis - 1)), shape)


def numbers(shape: tuple[int, ...], dtype: str) -> Any:
    """Small whole numbers, rare enough that every sum of them is exact."""
    found = RANDOM.integers(-2, 3, shape) * (RANDOM.uniform(0, 1, shape) < 0.02)
    return found.astype(dtype)


@pytest.mark.parametrize("shape, axis, count", ROWS)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8"])
def test_by_rows(shape: Any, axis: int, count: int, dtype: str, gpu: Any) -> None:
    x, index = numbers(shape, dtype), rows(shape[axis], count)
    values = numbers((*shape[:axis], count, *shape[axis + 1 :]), dtype)
    every = spread(index, values.shape, axis)
    given = [fogo.tensor(a, device=gpu) for a in (x, index, values)]
    for put, op in ((False, fogo.add_at), (True, fogo.put_at)):
        true = scattered(x, every, values, axis, put).astype(dtype)
        assert (op(*given, axis).numpy() == true).all()


@pytest.mark.parametrize("shape, axis, inner", WHOLE)
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_by_place(shape: Any, axis: int, inner: Any, dtype: str, gpu: Any) -> None:
    x, index = numbers(shape, dtype), rows(shape[axis], inner)
    values = numbers(inner, dtype)
    given = [fogo.tensor(a, device=gpu) for a in (x, index, values)]
    for put, op in ((False, fogo.scatter_add), (True, fogo.scatter)):
        whole = scattered_part(x, index, values, axis, put).astype(dtype)
        got = op(given[0], axis, given[1], given[2])
        assert (got.numpy() == whole).all()


def scattered_part(x: Any, index: Any, values: Any, axis: int, put: bool) -> Any:
    """`scattered` where the index covers the front part of the other axes."""
    part = tuple(
        [slice(None) if a == axis else slice(0, n) for a, n in enumerate(index.shape)]
    )
    out = x.astype(np.float64)
    out[part] = scattered(x[part], index, values, axis, put)
    return out


def test_sums_are_close_and_equal_each_time(gpu: fogo.Device) -> None:
    x = np.zeros((300, 16), np.float32)
    index, values = rows(300, 5000), RANDOM.normal(0, 1, (5000, 16)).astype(np.float32)
    given = [fogo.tensor(a, device=gpu) for a in (x, index, values)]
    reads = gpu.backend.reads
    first, second = fogo.add_at(*given), fogo.add_at(*given)
    assert gpu.backend.reads == reads
    assert first.numpy().tobytes() == second.numpy().tobytes()
    true = scattered(x, spread(index, values.shape, 0), values, 0, False)
    assert np.abs(first.numpy() - true).max() <= 1e-4  # of about 1,250 normals


def test_index_dtypes_and_views(gpu: fogo.Device) -> None:
    x, values = np.zeros((200, 12), np.float32), numbers((150, 12), "float32")
    index = RANDOM.integers(0, 200, 300)
    for dtype in ("uint8", "int16", "uint32"):
        i = fogo.tensor(index.astype(dtype), device=gpu)[::2]
        v = fogo.tensor(values.T.copy(), device=gpu).T
        got = fogo.add_at(fogo.tensor(x, device=gpu), i, v)
        every = spread(index[::2], values.shape, 0)
        assert (got.numpy() == scattered(x, every, values, 0, False)).all()


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8"])
@pytest.mark.parametrize("width", [512, 7])
def test_take(dtype: str, width: int, gpu: fogo.Device) -> None:
    x = RANDOM.integers(0, 100, (700, width)).astype(dtype)
    index = rows(700, 1500)
    at = np.where(index < 0, index + 700, index)
    inside = (at >= 0) & (at < 700)
    true = np.where(inside[:, None], x[np.clip(at, 0, 699)], 0)
    t, i = fogo.tensor(x, device=gpu), fogo.tensor(index, device=gpu)
    assert (fogo.take(t, i, 0).numpy() == true).all()
    assert (fogo.take(t[1:], i, 0).numpy()[:, 0].shape) == (1500,)
    moved = fogo.tensor(x.T.copy(), device=gpu)
    assert (fogo.take(moved, i, 1).numpy() == true.T).all()


def test_embedding_learns(full: fogo.Device) -> None:
    table = RANDOM.normal(0, 1, (1000, 32)).astype(np.float32)
    index = RANDOM.integers(0, 1000, (8, 300)).astype(np.int32)
    index[:, ::3] = 5
    g = RANDOM.normal(0, 1, (8, 300, 32)).astype(np.float32)
    device = full.autodiff()
    w = fogo.tensor(table, device=device).requires_grad_()
    out = fogo.embedding(fogo.tensor(index, device=device), w)
    grad = (out * fogo.tensor(g, device=device)).sum().backward()[w]
    true = np.zeros((1000, 32))
    np.add.at(true, index, g.astype(np.float64))
    assert np.abs(grad.numpy() - true).max() <= 1e-4


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool"])
def test_many_tensors_join(dtype: str, gpu: fogo.Device) -> None:
    parts = [RANDOM.integers(0, 2, (n, 4)).astype(dtype) for n in range(30)]
    tensors = [fogo.tensor(p, device=gpu) for p in parts]
    assert (fogo.concat(tensors).numpy() == np.concatenate(parts)).all()
    views = [t[1:] for t in tensors[1:]] + [t[:4].T for t in tensors[4:]]
    true = [p[1:] for p in parts[1:]] + [p[:4].T for p in parts[4:]]
    assert (fogo.concat(views).numpy() == np.concatenate(true)).all()
    side = [p[:9] for p in parts[9:]]
    got = fogo.concat([t[:9] for t in tensors[9:]], 1)
    assert (got.numpy() == np.concatenate(side, 1)).all()


def test_many_small_tensors_join_by_copies_alone(portable: fogo.Device) -> None:
    parts = [np.arange(n + 1, dtype=np.float32) for n in range(100)]
    tensors = [fogo.tensor(p, device=portable) for p in parts]
    portable.sync()
    before = portable.backend.gpu.stats()["dispatches"]
    joined = fogo.concat(tensors)
    assert (joined.numpy() == np.concatenate(parts)).all()
    assert portable.backend.gpu.stats()["dispatches"] == before


def test_what_is_joined_shares_gradients(full: fogo.Device) -> None:
    device = full.autodiff()
    parts = [fogo.ones(n + 1, device=device).requires_grad_() for n in range(12)]
    weight = fogo.arange(78, device=device).astype("float32")
    grads = (fogo.concat(parts) * weight).sum().backward()
    assert grads[parts[0]].tolist() == [0.0]
    assert grads[parts[11]].tolist() == [float(n) for n in range(66, 78)]
